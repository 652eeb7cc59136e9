//! A running server with two teams, and tokens of every kind.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use boathook_server::team::api::{self, App, Limits, Rate, Rates, secret};
use boathook_server::team::publish::{self, By, Hints};
use boathook_server::team::sign::{Secret, Signer};
use boathook_server::team::store::{NewDevice, NewTokenRow, Store, TeamStore};
use boathook_server::team::wire::{Hook, HookDraft, Member, Publish, Role, TokenKind};
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::http::{Answer, Sent};

/// When the tests begin: any time will do.
pub const START: i64 = 1_800_000_000_000;
pub const DAY: i64 = 24 * 60 * 60 * 1000;

pub struct World {
    pub address: SocketAddr,
    pub app: App,
    /// Our team, and the other.
    pub ours: i64,
    pub theirs: i64,
    clock: Arc<AtomicI64>,
    counter: AtomicU32,
    _folder: TempDir,
}

/// As often as one likes.
pub fn unlimited() -> Rates {
    let rate = Rate { per_minute: 1_000_000, burst: 1_000_000 };
    Rates {
        poll: rate,
        content: rate,
        wait: rate,
        report: rate,
        work: rate,
        login: rate,
        enrolment: rate,
        unknown: rate,
        unknown_login: rate,
        open_login: rate,
        at_once: 64,
    }
}

/// Somebody with a token.
#[derive(Debug, Clone)]
pub struct Holder {
    pub secret: String,
    pub token: i64,
    pub member: Option<i64>,
    pub device: Option<String>,
}

impl World {
    pub async fn new() -> World {
        World::with(unlimited()).await
    }

    pub async fn with(rates: Rates) -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("team.db");
        let store = Store::open(path.to_str().expect("a path of text")).await.expect("a database");
        let (ours, _) = store.create_team("ours", "owner@ours.example", START).await.expect("a team");
        let (theirs, _) = store.create_team("theirs", "owner@theirs.example", START).await.expect("a team");
        let clock = Arc::new(AtomicI64::new(START));
        let app = app(store, rates, Arc::clone(&clock));
        for team in [ours, theirs] {
            publish::set_up(&app.store.team(team), &app.signer, START).await.expect("keys");
        }
        app.hints.look(&app.store).await.expect("sequences");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let service = api::router(app.clone()).into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async move { axum::serve(listener, service).await });
        World { address, app, ours, theirs, clock, counter: AtomicU32::new(0), _folder: folder }
    }

    pub fn now(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    pub fn later(&self, milliseconds: i64) {
        self.clock.fetch_add(milliseconds, Ordering::SeqCst);
    }

    pub fn team(&self, team: i64) -> TeamStore {
        self.app.store.team(team)
    }

    pub async fn send(&self, sent: Sent) -> Answer {
        sent.to(self.address).await
    }

    fn next(&self) -> u32 {
        self.counter.fetch_add(1, Ordering::SeqCst)
    }

    pub async fn member(&self, team: i64, role: Role) -> Member {
        let email = format!("member{}@example.org", self.next());
        self.team(team).add_member(&email, role, self.now()).await.expect("a member")
    }

    /// A new member of a role, with a token of a kind.
    pub async fn holder(&self, team: i64, kind: TokenKind, role: Role) -> Holder {
        let member = match kind {
            TokenKind::Enrolment => None,
            TokenKind::SignIn | TokenKind::Api | TokenKind::Device => Some(self.member(team, role).await.id),
        };
        self.holder_of(team, kind, role, member).await
    }

    /// A token of a kind for a member.
    pub async fn holder_of(&self, team: i64, kind: TokenKind, role: Role, member: Option<i64>) -> Holder {
        let device = match kind {
            TokenKind::Device => Some(self.device(team, member).await),
            TokenKind::SignIn | TokenKind::Api | TokenKind::Enrolment => None,
        };
        let secret = secret::Secret::new(kind).expect("random bytes");
        let row = NewTokenRow {
            kind,
            prefix: secret.prefix(),
            name: "test".into(),
            role,
            member,
            device: device.clone(),
            made_with: None,
            digest: secret.digest(),
            created_at: self.now(),
            expires_at: Some(self.now() + DAY),
        };
        let token = self.team(team).add_token(&row).await.expect("a token").id;
        Holder { secret: secret.text().to_owned(), token, member, device }
    }

    pub async fn device(&self, team: i64, member: Option<i64>) -> String {
        let new = NewDevice {
            id: format!("device{}", self.next()),
            name: "host".into(),
            os: "Linux".into(),
            member,
            enrolled: member.is_none(),
            added_at: self.now(),
        };
        self.team(team).add_device(&new).await.expect("a device").id
    }

    pub async fn hook(&self, team: i64) -> Hook {
        self.team(team).add_hook(&draft(), "test", self.now()).await.expect("a hook")
    }

    /// Publishes the draft, for half of the devices.
    pub async fn rolling(&self, team: i64) -> i64 {
        self.published(team, 50).await
    }

    /// Publishes the draft.
    pub async fn published(&self, team: i64, percent: u8) -> i64 {
        let how = Publish { note: "test".into(), canary: false, percent };
        let by = By { who: "test".into(), at: self.now() };
        let release = publish::publish(&self.team(team), &self.app.signer, &how, &by).await;
        release.expect("a release").number
    }
}

pub fn draft() -> HookDraft {
    HookDraft {
        hook_step: "beforeShellExecution".into(),
        script_name: "guard.sh".into(),
        script_content: "#!/bin/sh\nexit 2\n".into(),
        operating_systems: vec![],
        is_active: true,
        matcher: None,
        timeout: None,
        fail_closed: false,
        loop_limit: None,
        monitor: false,
    }
}

fn app(store: Store, rates: Rates, clock: Arc<AtomicI64>) -> App {
    App {
        store,
        clock: Arc::new(move || clock.load(Ordering::SeqCst)),
        signer: Arc::new(Signer::new(Secret::from_bytes([7; 32]))),
        hints: Hints::new(8),
        limits: Arc::new(Limits::new(rates)),
        origin: None,
    }
}
