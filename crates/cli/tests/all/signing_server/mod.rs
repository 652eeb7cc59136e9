//! A team's server in the test's own process: it signs as the real one does,
//! and answers what a member's machine asks.

mod repository;

use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use boathook_server::team::wire::{Device, LoggedIn, Mode, Role, Team};
use serde_json::{Value, json};

use self::repository::Repository;
pub use self::repository::{Hook, hook};
use crate::context::TestContext;
use crate::model::server::{Behaviour, Request, Server, Stream, answer};

/// The token that signs a machine in.
pub const SIGN_IN: &str = "bh_signin_ABCdef0123456789";
/// The token that enrols one.
pub const ENROL: &str = "bh_enrol_ABCdef0123456789";
/// The token a machine gets.
pub const DEVICE: &str = "bh_device_do_not_show_4711";
/// The code a browser brings.
pub const CODE: &str = "bh_code_1_xyz";

const JSON: &str = "content-type: application/json\r\nconnection: close\r\n";

/// One team.
pub struct TeamServer {
    server: Server,
    state: Arc<State>,
}

struct State {
    repository: Mutex<Repository>,
    news: Condvar,
    /// Whoever asks is turned away.
    closed: Mutex<bool>,
}

impl TeamServer {
    /// A team of this number that published nothing but an empty release.
    pub fn start(team: i64) -> TeamServer {
        let repository = Mutex::new(Repository::new(team));
        let state = Arc::new(State { repository, news: Condvar::new(), closed: Mutex::new(false) });
        let answering = Arc::clone(&state);
        let behaviour: Behaviour = Arc::new(move |request, stream| respond(&answering, request, stream));
        TeamServer { server: Server::start(behaviour), state }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    pub fn fingerprint(&self) -> String {
        self.state.repository.lock().expect("nobody panicked").fingerprint()
    }

    /// The team has a new root, which newcomers pin.
    pub fn pin_next(&self) {
        self.state.repository.lock().expect("nobody panicked").pin_next();
    }

    /// Publishes these hooks to everybody.
    pub fn publish(&self, hooks: &[Hook]) {
        self.state.repository.lock().expect("nobody panicked").publish(hooks);
        self.state.news.notify_all();
    }

    /// From now on nobody gets in.
    pub fn close(&self) {
        *self.state.closed.lock().expect("nobody panicked") = true;
        self.state.news.notify_all();
    }

    /// What was asked so far, as `METHOD /path`.
    pub fn asked(&self) -> Vec<String> {
        let line = |request: Request| request.line.rsplit_once(' ').map(|(asked, _)| asked.to_owned());
        self.server.requests().into_iter().filter_map(line).collect()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.server.requests()
    }

    /// Logs the machine of this test in, as a program does.
    pub fn log_in(&self, context: &TestContext, token: &str) -> String {
        context.write("token", format!("{token}\n"));
        let file = context.path("token");
        let words = ["team", "login", &self.url(), "--name", "box", "--fingerprint", &self.fingerprint()];
        let mut command = context.command(words);
        command.arg("--token-file").arg(file);
        let output = crate::context::pipe(command, b"");
        let said =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains(DEVICE) && !said.contains(token), "a token was shown: {said}");
        said
    }
}

fn respond(state: &State, request: &Request, stream: &mut dyn Stream) {
    let mut words = request.line.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let say = |stream: &mut dyn Stream, status: u16, body: &Value| {
        answer(stream, status, JSON, &body.to_string());
    };
    let bearer =
        request.header("authorization").and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    let unknown = json!({ "code": "unauthorized", "message": "this token is not known" });
    if *state.closed.lock().expect("nobody panicked") {
        return say(stream, 401, &unknown);
    }
    let team = state.repository.lock().expect("nobody panicked").team;
    match (method, path) {
        ("GET", "/.well-known/oauth-authorization-server") => say(
            stream,
            200,
            &json!({
                "authorization_endpoint": "/authorize", "token_endpoint": "/oauth/token",
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        ("POST", "/oauth/token") if request.json()["code"] == CODE => {
            say(stream, 200, &logged_in(state, false))
        }
        ("POST", "/api/v1/login") if [SIGN_IN, ENROL].contains(&bearer) => {
            say(stream, 200, &logged_in(state, bearer == ENROL));
        }
        ("POST", "/oauth/token" | "/api/v1/login") => say(stream, 401, &unknown),
        ("GET", "/api/v1/team") if [SIGN_IN, ENROL].contains(&bearer) => {
            say(stream, 200, &logged_in(state, bearer == ENROL)["team"]);
        }
        _ if bearer != DEVICE => say(stream, 401, &unknown),
        ("DELETE", "/api/v1/login") | ("POST", "/api/v1/report") => {
            answer(stream, 204, "connection: close\r\n", "")
        }
        ("GET", path) if path.starts_with("/api/v1/hint?sequence=") => {
            let known = path.rsplit('=').next().and_then(|number| number.parse().ok()).unwrap_or(0);
            say(stream, 200, &json!({ "sequence": newer(state, known) }));
        }
        ("GET", path) => {
            let file = path.strip_prefix(&format!("/tuf/{team}/")).unwrap_or_default();
            match state.repository.lock().expect("nobody panicked").file(file) {
                Some(bytes) => answer(stream, 200, JSON, &String::from_utf8(bytes).expect("text")),
                None => say(stream, 404, &json!({ "code": "not_found", "message": "there is no such file" })),
            }
        }
        _ => say(stream, 404, &json!({ "code": "not_found", "message": "there is no such thing" })),
    }
}

/// Waits for a newer sequence; not as long as a test takes.
fn newer(state: &State, known: u64) -> u64 {
    let repository = state.repository.lock().expect("nobody panicked");
    let patience = Duration::from_secs(20);
    let waited = state.news.wait_timeout_while(repository, patience, |it| {
        it.sequence <= known && !*state.closed.lock().expect("nobody panicked")
    });
    waited.expect("nobody panicked").0.sequence
}

fn logged_in(state: &State, enrolled: bool) -> Value {
    let repository = state.repository.lock().expect("nobody panicked");
    let device = Device {
        id: "d-1".to_owned(),
        name: "box".to_owned(),
        os: "Linux".to_owned(),
        member: (!enrolled).then_some(7),
        enrolled,
        added_at: 0,
        revoked_at: None,
        seen_at: None,
        last_report: None,
    };
    let team = Team {
        id: repository.team,
        name: "Harbour".to_owned(),
        mode: Mode::Easy,
        repository: repository.name.clone(),
        channel: "stable".to_owned(),
        root_fingerprint: repository.fingerprint(),
        root_version: repository.pinned,
        stale: Default::default(),
        halt_percent: 10,
        halt_least: 3,
        role: Role::Member,
        email: (!enrolled).then(|| "mate@example.com".to_owned()),
    };
    serde_json::to_value(LoggedIn { device, device_token: DEVICE.to_owned(), team }).expect("JSON")
}
