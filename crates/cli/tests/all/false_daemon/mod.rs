//! Somebody in the daemon's place who says what a test wants, and a client of
//! the library that might believe it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use boathook_engine::remote::wire::{Caller, Request};
use boathook_engine::remote::{Asked, Remote};
use boathook_engine::{Engine, Event, Os, Roots, Settings, input};

use crate::context::TestContext;

/// What it does with one connection.
pub type Manner = fn(&mut Talk);

/// One connection, as the false daemon sees it.
pub struct Talk {
    pub stream: UnixStream,
    /// The bytes of all requests so far.
    heard: Arc<AtomicUsize>,
    reader: BufReader<UnixStream>,
}

impl Talk {
    /// Reads one request, and gives its id as JSON.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        let count = self.reader.read_line(&mut line).unwrap_or(0);
        self.heard.fetch_add(count, Ordering::SeqCst);
        let request: Option<Request> = serde_json::from_str(&line).ok();
        request.and_then(|request| request.id).map_or("null".to_owned(), |id| id.to_string())
    }

    /// Sends this, if anybody still listens.
    pub fn say(&mut self, text: &str) {
        let _ = self.stream.write_all(text.as_bytes());
    }

    /// Waits until the caller hangs up.
    pub fn wait(&mut self) {
        let mut line = String::new();
        while self.reader.read_line(&mut line).is_ok_and(|count| count > 0) {
            self.heard.fetch_add(line.len(), Ordering::SeqCst);
            line.clear();
        }
    }
}

/// Listens until it is dropped.
pub struct FalseDaemon {
    heard: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    socket: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl FalseDaemon {
    /// In the place of the test's daemon.
    pub fn new(cx: &TestContext, manner: Manner) -> FalseDaemon {
        let socket = place(cx);
        let _ = fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).expect("a socket");
        let (heard, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let (bytes, end) = (Arc::clone(&heard), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let reader = BufReader::new(stream.try_clone().expect("a second handle"));
                manner(&mut Talk { stream, heard: Arc::clone(&bytes), reader });
            }
        });
        FalseDaemon { heard, over, socket, thread: Some(thread) }
    }

    /// How many bytes anybody told it.
    pub fn heard(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

impl Drop for FalseDaemon {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        // It waits for a caller; one who says nothing will do.
        let woken = UnixStream::connect(&self.socket).is_ok();
        if let Some(thread) = self.thread.take().filter(|_| woken) {
            let _ = thread.join();
        }
    }
}

pub fn state(cx: &TestContext) -> PathBuf {
    cx.path("home/.local/state/boathook")
}

/// Where the daemon of the test listens; its folder is made, and private.
pub fn place(cx: &TestContext) -> PathBuf {
    let folder = state(cx).join("daemon");
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).expect("a folder");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("permissions");
    folder.join("socket")
}

/// Who `boathook run --daemon` is in this test.
pub fn caller(cx: &TestContext) -> Caller {
    Caller {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        home: cx.path("home"),
        config: cx.path("home/.config/boathook/config.toml"),
        root: cx.path("system"),
    }
}

pub fn remote(cx: &TestContext) -> Remote {
    Remote::new(state(cx), caller(cx))
}

/// The engine that `boathook run` would build in this test.
pub fn engine(cx: &TestContext) -> Engine {
    let mut roots = Roots::new(Os::current(), cx.path("home"), state(cx), [cx.project()]);
    roots.system = cx.path("system");
    let mut settings = Settings::new(roots);
    settings.environment = std::env::vars_os().filter(|(name, _)| name != "BOATHOOK_DEPTH").collect();
    Engine::new(settings)
}

pub fn shell(command: &str) -> Event {
    Event::of(&input::BeforeShellExecution { command: command.to_owned(), ..Default::default() })
}

/// An answer as a daemon gives it, but for what the hooks would say.
pub const ALLOWED: &str = r#"{"event":"beforeShellExecution","answer":{"permission":"allow"},"blocked":false,"hooks":[],"warnings":[]}"#;

pub fn response(id: &str, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n")
}

pub fn error(id: &str, code: i32, message: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}\n")
}

/// A rule that denies what says so, and nothing else.
pub fn guarded() -> TestContext {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [
            {"command": "boathook rule guard", "rule": {"when": {"command": {"contains": "forbidden"}}, "deny": "No."}}
        ]}}"#,
    );
    cx
}

pub fn ask(cx: &TestContext) -> Asked {
    remote(cx).handle_or_ask(&engine(cx), shell("forbidden"))
}
