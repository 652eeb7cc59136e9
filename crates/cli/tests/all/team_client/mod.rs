//! A device of a team and the server it asks, both the test's: the binary on
//! one side, files and bad manners on the other.

pub mod repository;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use self::repository::{Edition, Files, TEAM};
use crate::context::{TestContext, pipe};
use crate::model::server::{Behaviour, Request, Server, Stream};

/// What is served: files, and behaviours that stand before them.
#[derive(Default)]
pub struct Served {
    files: BTreeMap<String, Vec<u8>>,
    odd: BTreeMap<String, Behaviour>,
}

/// A server, and what it serves at the moment.
pub struct Host {
    pub server: Server,
    served: Arc<Mutex<Served>>,
}

impl Host {
    pub fn start() -> Host {
        Host::listening(Server::start)
    }

    pub fn listening(start: impl FnOnce(Behaviour) -> Server) -> Host {
        let served = Arc::new(Mutex::new(Served::default()));
        let shared = Arc::clone(&served);
        let server = start(Arc::new(move |request, stream| serve(&shared, request, stream)));
        Host { server, served }
    }

    /// Serves these files of the team, and nothing of before.
    pub fn serve(&self, files: Files) {
        self.serve_team(TEAM, files);
    }

    pub fn serve_team(&self, team: i64, files: Files) {
        let mut served = self.served.lock().expect("nobody panicked");
        served.odd.clear();
        served.files =
            files.into_iter().map(|(name, bytes)| (format!("/tuf/{team}/{name}"), bytes)).collect();
    }

    /// Answers for one path in another way.
    pub fn instead(&self, path: &str, behaviour: Behaviour) {
        self.served.lock().expect("nobody panicked").odd.insert(path.to_owned(), behaviour);
    }

    /// The paths that were asked for, in order.
    pub fn paths(&self) -> Vec<String> {
        let path = |request: &Request| request.line.split(' ').nth(1).unwrap_or_default().to_owned();
        self.server.requests().iter().map(path).collect()
    }

    /// The reports that were received, by code.
    pub fn reports(&self) -> Vec<Value> {
        let is_report = |request: &&Request| request.line.starts_with("POST /api/v1/report ");
        self.server.requests().iter().filter(is_report).map(Request::json).collect()
    }
}

fn serve(served: &Mutex<Served>, request: &Request, stream: &mut dyn Stream) {
    let path = request.line.split(' ').nth(1).unwrap_or_default();
    let (odd, file) = {
        let served = served.lock().expect("nobody panicked");
        let odd = served.odd.get(path).or_else(|| served.odd.get("*")).cloned();
        (odd, served.files.get(path).cloned())
    };
    if let Some(odd) = odd {
        return odd(request, stream);
    }
    if path == "/api/v1/report" {
        return raw(stream, "204 No Content", "", b"");
    }
    match file {
        None => raw(stream, "404 Not Found", "content-type: application/json\r\n", b"{}"),
        Some(bytes) => {
            let tag = format!("\"{}\"", boathook_engine::digest::Digest::of(&bytes));
            if request.header("if-none-match") == Some(&tag) {
                return raw(stream, "304 Not Modified", "", b"");
            }
            let kind =
                if path.contains("/targets/") { "application/octet-stream" } else { "application/json" };
            raw(stream, "200 OK", &format!("content-type: {kind}\r\netag: {tag}\r\n"), &bytes);
        }
    }
}

/// Writes one answer. `headers` are whole lines.
pub fn raw(stream: &mut dyn Stream, status: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n");
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// A machine that signed in.
pub struct Device {
    pub cx: TestContext,
}

impl Device {
    pub fn of(host: &Host, edition: &Edition) -> Device {
        let device = Device { cx: TestContext::new() };
        device.sign_in(&host.server.url(), edition, |_| {});
        device
    }

    /// Writes `login.json` as a login does.
    pub fn sign_in(&self, server: &str, edition: &Edition, change: impl FnOnce(&mut Value)) {
        let mut login = json!({
            "server": server,
            "team": TEAM,
            "repository": "repository-of-the-test",
            "channel": "stable",
            "device": "device-of-the-test",
            "token": "secret-of-the-test",
            "enrolled": true,
            "fingerprint": edition.fingerprint(),
        });
        change(&mut login);
        let folder = self.state();
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).expect("a folder");
        let mut file = fs::OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(0o600)
            .open(folder.join("login.json"))
            .expect("a file");
        file.write_all(login.to_string().as_bytes()).expect("room on the disk");
    }

    pub fn state(&self) -> PathBuf {
        self.cx.path("home/.local/state/boathook/team")
    }

    pub fn managed(&self, team: i64) -> PathBuf {
        self.cx.path(&format!("home/.cursor/managed/team_{team}"))
    }

    /// Syncs, and says how it went.
    pub fn sync(&self) -> String {
        self.sync_when(None)
    }

    /// The same at another time, as `faketime` writes it.
    pub fn sync_when(&self, when: Option<&str>) -> String {
        let output = self.at(when, &["team", "sync", "--now"], b"");
        let code = self.status()["code"].as_str().unwrap_or_default().to_owned();
        let good = matches!(code.as_str(), "applied" | "unchanged");
        assert_eq!(output.status.success(), good, "{code}: {}", String::from_utf8_lossy(&output.stderr));
        code
    }

    pub fn status(&self) -> Value {
        let text = fs::read_to_string(self.state().join("status.json")).expect("status.json");
        serde_json::from_str(&text).expect("JSON")
    }

    /// What is in force: the word of the hook that refuses, or nothing.
    pub fn enforced(&self) -> String {
        self.enforced_when(None)
    }

    pub fn enforced_when(&self, when: Option<&str>) -> String {
        let payload = json!({
            "conversation_id": "c", "generation_id": "g", "hook_event_name": "beforeShellExecution",
            "workspace_roots": [self.cx.project()], "command": "ls", "cwd": self.cx.project(),
        });
        let output = self.at(when, &["run", "beforeShellExecution"], payload.to_string().as_bytes());
        let answer: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        match answer["permission"].as_str() {
            Some("deny") => answer["user_message"].as_str().unwrap_or_default().to_owned(),
            Some(other) => other.to_owned(),
            None => String::new(),
        }
    }

    fn at(&self, when: Option<&str>, args: &[&str], stdin: &[u8]) -> Output {
        let plain = self.cx.command(args);
        let Some(when) = when else { return pipe(plain, stdin) };
        let mut faked = std::process::Command::new("faketime");
        faked.args(["-f", when]).arg(plain.get_program()).args(plain.get_args());
        faked.current_dir(self.cx.project());
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => faked.env(name, value),
                None => faked.env_remove(name),
            };
        }
        pipe(faked, stdin)
    }
}

/// Whether times can be faked here; said aloud when not.
pub fn can_fake_time() -> bool {
    let there = std::process::Command::new("faketime").arg("--version").output().is_ok();
    if !there {
        eprintln!("SKIPPED: faketime is not installed (`cargo xtask test` installs it)");
    }
    there
}

/// Serves one thing after the other to one device: what it says of each, and
/// what is in force then.
pub fn follow(name: &str, steps: &[(Files, &str, &str)], first: &Edition) {
    let host = Host::start();
    let device = Device::of(&host, first);
    for (number, (files, code, word)) in steps.iter().enumerate() {
        host.serve(files.clone());
        let went = device.sync();
        let detail = device.status()["detail"].clone();
        assert_eq!(went, *code, "{name}, step {number}: {detail}");
        assert_eq!(device.enforced(), *word, "{name}, step {number}: what is in force after {code}");
    }
}
