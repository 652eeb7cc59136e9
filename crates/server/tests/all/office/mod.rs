//! A team with a database of its own, and a device that believes nothing that
//! is not signed.

use std::sync::atomic::{AtomicI64, Ordering};

use boathook_engine::bundle::manifest::{Audience, Manifest, Release, TARGET};
use boathook_engine::digest::Digest;
use boathook_server::team::publish::{self, By};
use boathook_server::team::sign::{self, Secret, Signer};
use boathook_server::team::store::{Store, TeamStore};
use boathook_server::team::wire::{HookDraft, Publish};
use jiff::Timestamp;
use sigstore_tuf::TrustedMetadataSet;

/// A day in 2026, in milliseconds.
pub const START: i64 = 1_795_000_000_000;
pub const MINUTE: i64 = 60_000;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// A team and its server.
pub struct Office {
    pub store: Store,
    pub team: TeamStore,
    pub signer: Signer,
    pub fingerprint: String,
    clock: AtomicI64,
    pub folder: tempfile::TempDir,
    url: String,
}

impl Office {
    pub async fn new() -> Office {
        Office::at(START).await
    }

    pub async fn at(start: i64) -> Office {
        let folder = tempfile::tempdir().expect("a folder");
        let url = file(&folder);
        Office::on(url, folder, start).await
    }

    /// On a database of PostgreSQL.
    pub async fn at_address(url: String) -> Office {
        Office::on(url, tempfile::tempdir().expect("a folder"), START).await
    }

    async fn on(url: String, folder: tempfile::TempDir, start: i64) -> Office {
        let store = Store::open(&url).await.expect("a database");
        let (team, _) = store.create_team("ours", "ann@example.com", start).await.expect("a team");
        let (team, signer) = (store.team(team), Signer::new(Secret::from_bytes([5; 32])));
        let fingerprint = publish::set_up(&team, &signer, start).await.expect("a repository");
        Office { store, team, signer, fingerprint, clock: AtomicI64::new(start), folder, url }
    }

    /// The same database, as another process sees it.
    pub async fn another(&self) -> Store {
        Store::open(&self.url).await.expect("a database")
    }

    pub fn now(&self) -> i64 {
        self.clock.load(Ordering::Relaxed)
    }

    pub fn wait(&self, time: i64) {
        self.clock.fetch_add(time, Ordering::Relaxed);
    }

    pub fn by(&self) -> By {
        By { who: "ann@example.com".into(), at: self.now() }
    }

    /// Puts a hook into the draft.
    pub async fn hook(&self, name: &str, script: &str) -> i64 {
        let added = self.team.add_hook(&draft(name, script), "ann@example.com", self.now()).await;
        added.expect("a hook").id
    }

    pub async fn publish(&self, percent: u8) -> i64 {
        let how = Publish { note: String::new(), canary: false, percent };
        let made = publish::publish(&self.team, &self.signer, &how, &self.by()).await;
        made.expect("a release").number
    }

    /// What a device learns: `Err` with the reason when something is not signed
    /// as it must be.
    pub async fn sync(&self, device: &mut Device) -> Result<Manifest, String> {
        device.sync(&self.team, self.now()).await
    }

    pub fn device(&self) -> Device {
        Device { root: 1, fingerprint: self.fingerprint.clone(), trusted: None }
    }

    /// A device that signs in now, with the fingerprint that is given out now.
    pub async fn newcomer(&self) -> Device {
        let info = self.team.info().await.expect("a team");
        Device { root: info.root_version, fingerprint: info.root_fingerprint, trusted: None }
    }
}

fn file(folder: &tempfile::TempDir) -> String {
    folder.path().join("team.db").to_str().expect("a path in UTF-8").to_owned()
}

pub fn draft(name: &str, script: &str) -> HookDraft {
    HookDraft {
        hook_step: "beforeShellExecution".into(),
        script_name: name.into(),
        script_content: script.into(),
        operating_systems: Vec::new(),
        is_active: true,
        matcher: None,
        timeout: None,
        fail_closed: false,
        loop_limit: None,
        monitor: false,
    }
}

/// Verifies as a client does, with another implementation of the framework.
pub struct Device {
    root: u64,
    fingerprint: String,
    pub trusted: Option<TrustedMetadataSet>,
}

impl Device {
    pub async fn sync(&mut self, team: &TeamStore, now: i64) -> Result<Manifest, String> {
        let now = Timestamp::from_millisecond(now).expect("a time");
        let mut trusted = match self.trusted.take() {
            Some(trusted) => trusted,
            None => self.first_root(team).await?,
        };
        let done = refresh(&mut trusted, team, now).await;
        self.trusted = Some(trusted);
        done?;
        self.manifest(team).await
    }

    async fn first_root(&self, team: &TeamStore) -> Result<TrustedMetadataSet, String> {
        let root = fetch(team, &format!("{}.root.json", self.root)).await.ok_or("no root")?;
        assert_eq!(Digest::of(&root).to_string(), self.fingerprint, "the root that was pinned");
        TrustedMetadataSet::from_root(&root).map_err(|error| error.to_string())
    }

    async fn manifest(&self, team: &TeamStore) -> Result<Manifest, String> {
        let trusted = self.trusted.as_ref().expect("a device that synced");
        let targets = trusted.targets_role("targets").ok_or("no targets")?;
        for (name, file) in &targets.targets {
            let path = format!("targets/{}.{name}", file.hashes["sha256"]);
            let bytes = fetch(team, &path).await.ok_or_else(|| format!("{path} is missing"))?;
            assert_eq!(Digest::of(&bytes).to_string(), file.hashes["sha256"], "{path}");
            assert_eq!(bytes.len() as u64, file.length, "{path}");
        }
        let file = targets.target(TARGET).ok_or("no manifest")?;
        let bytes = fetch(team, &format!("targets/{}.{TARGET}", file.hashes["sha256"])).await;
        let info = team.info().await.expect("a team");
        let audience = Audience { team: info.id, repository: info.repository, channel: info.channel };
        Manifest::read(&bytes.ok_or("no manifest")?, &audience).map_err(|error| error.to_string())
    }
}

async fn refresh(trusted: &mut TrustedMetadataSet, team: &TeamStore, now: Timestamp) -> Result<(), String> {
    let text = |error: sigstore_tuf::Error| error.to_string();
    while let Some(root) = fetch(team, &format!("{}.root.json", trusted.root().version + 1)).await {
        trusted.update_root(&root).map_err(text)?;
    }
    trusted.check_root_expired(now).map_err(text)?;
    let timestamp = fetch(team, "timestamp.json").await.ok_or("no timestamp")?;
    match trusted.update_timestamp(&timestamp, now) {
        Ok(()) => {}
        Err(sigstore_tuf::Error::EqualVersion { .. }) => {
            trusted.check_timestamp_expired(now).map_err(text)?
        }
        Err(error) => return Err(error.to_string()),
    }
    let version = trusted.timestamp().and_then(|read| read.snapshot_meta()).ok_or("no snapshot")?.version;
    let snapshot = fetch(team, &format!("{version}.snapshot.json")).await.ok_or("no snapshot")?;
    trusted.update_snapshot(&snapshot, now).map_err(text)?;
    let version =
        trusted.snapshot().and_then(|read| read.meta.get("targets.json")).ok_or("no targets")?.version;
    let targets = fetch(team, &format!("{version}.targets.json")).await.ok_or("no targets")?;
    trusted.update_targets(&targets, now).map_err(text)?;
    Ok(())
}

pub async fn fetch(team: &TeamStore, path: &str) -> Option<Vec<u8>> {
    sign::file(team, path).await.expect("the database answers").map(|file| file.bytes)
}

/// The numbers of the releases that a manifest offers.
pub fn numbers(manifest: &Manifest) -> Vec<u64> {
    manifest.releases.iter().map(|release: &Release| release.number).collect()
}
