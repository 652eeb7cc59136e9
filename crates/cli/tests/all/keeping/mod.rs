//! A place for hooks whose process outlives an event.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boathook_engine::Decision;
use boathook_engine::engine::{Engine, Settings};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::run::{Keeper, Limits};
use boathook_engine::source::{Os, Roots};
use serde_json::{Value, json};

/// A home and a workspace of their own, and what keeps processes.
pub struct Place {
    directory: tempfile::TempDir,
    pub keeper: Arc<Keeper>,
}

impl Place {
    pub fn new() -> Place {
        Place::with(Limits::default())
    }

    pub fn with(limits: Limits) -> Place {
        let limits = Limits { look: Duration::from_millis(20), ahead: Duration::ZERO, ..limits };
        let place = Place {
            directory: tempfile::tempdir().expect("a directory"),
            keeper: Arc::new(Keeper::new(limits)),
        };
        for name in ["home/.cursor", "ws/.cursor"] {
            fs::create_dir_all(place.path(name)).expect("directories");
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A user's hook on shell commands.
    pub fn hook(&self, entry: Value) {
        let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [entry] } });
        self.write("home/.cursor/hooks.json", &file.to_string());
    }

    pub fn settings(&self, keeper: Option<&Arc<Keeper>>) -> Settings {
        let roots = Roots {
            system: self.path("system"),
            ..Roots::new(Os::current(), self.path("home"), self.path("state"), [self.path("ws")])
        };
        let mut settings = Settings::new(roots);
        settings.environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
        settings.keeper = keeper.cloned();
        settings
    }

    pub fn engine(&self) -> Engine {
        Engine::new(self.settings(Some(&self.keeper)))
    }

    /// How many processes were started.
    pub fn starts(&self) -> usize {
        self.read("starts").lines().count()
    }
}

pub fn event(command: &str) -> Event {
    let payload = json!({ "command": command, "conversation_id": "c1" }).to_string();
    Event::new(EventKind::BeforeShellExecution, Payload::parse(payload.as_bytes()).expect("a payload"))
}

pub fn reason(decision: &Decision) -> String {
    decision.hooks.iter().filter_map(|hook| hook.reason.clone()).collect()
}

pub fn warnings(decision: &Decision) -> String {
    decision.hooks.iter().flat_map(|hook| hook.warnings.clone()).collect::<Vec<_>>().join("; ")
}

pub fn wait_until(what: &str, so: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !so() {
        assert!(Instant::now() < limit, "not within twenty seconds: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
