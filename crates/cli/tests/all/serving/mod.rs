//! A team server of the real binary, and a person who administers it and runs
//! its hooks on the same machine.

use std::io::{BufRead, BufReader, Read};
use std::ops::Deref;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::context::{TestContext, pipe};

/// So long may anything take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// Refuses every command, and says so.
pub const GUARD: &str =
    "#!/bin/sh\necho '{\"permission\":\"deny\",\"user_message\":\"Not in this team.\"}'\n";

/// A server that runs until it is dropped.
pub struct Server {
    child: Child,
    /// What it printed before it answered, line by line.
    pub printed: Vec<String>,
    pub url: String,
    log: Option<Receiver<String>>,
}

impl Server {
    /// On a free port of the loopback, and with what else is typed.
    pub fn start(context: &TestContext, arguments: &[&str]) -> Server {
        let command = context.command(["serve", "--listen", "127.0.0.1:0"].iter().chain(arguments));
        match Server::of(command) {
            Ok(server) => server,
            Err(said) => panic!("the server did not begin: {said}"),
        }
    }

    /// One that begins, or what it said instead.
    pub fn of(mut command: Command) -> Result<Server, String> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let errors = child.stderr.take().expect("stderr is a pipe");
        let (sender, log) = channel();
        thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut printed = Vec::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        // Its last line says where it answers.
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(url) = line.strip_prefix("serving ") {
                let url = url.to_owned();
                return Ok(Server { child, printed, url, log: Some(log) });
            }
            printed.push(line);
        }
        let _ = child.wait();
        Err(log.iter().collect::<Vec<_>>().join("\n"))
    }

    /// The word behind this one in what it printed.
    pub fn said(&self, before: &str) -> Option<String> {
        self.printed.iter().find_map(|line| line.strip_prefix(before).map(|word| word.trim().to_owned()))
    }

    pub fn sign_in_token(&self) -> String {
        self.said("sign-in token ").expect("a first start prints a token")
    }

    pub fn fingerprint(&self) -> String {
        self.said("fingerprint ").expect("a first start prints the fingerprint")
    }

    /// Sends a signal, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(status.is_ok_and(|status| status.success()), "`kill` works");
    }

    /// Waits until its log says this.
    pub fn logs(&self, text: &str) {
        let (log, begun) = (self.log.as_ref().expect("a log"), Instant::now());
        loop {
            let line = log.recv_timeout(PATIENCE.saturating_sub(begun.elapsed()));
            let line = line.unwrap_or_else(|_| panic!("the log never says «{text}»"));
            if line.contains(text) {
                return;
            }
        }
    }

    /// Waits for its end; its exit code, and its log.
    pub fn end(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        let code = loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                break status.code();
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(20));
        };
        let log = self.log.take().expect("a log").iter().collect::<Vec<_>>().join("\n");
        (code, log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody on this machine.
pub struct Person(TestContext);

impl Deref for Person {
    type Target = TestContext;

    fn deref(&self) -> &TestContext {
        &self.0
    }
}

impl Person {
    pub fn new() -> Person {
        let person = Person(TestContext::new());
        std::fs::create_dir(person.path("server")).expect("a folder");
        person
    }

    /// Where the server keeps its things.
    pub fn database(&self) -> String {
        self.path("server/hooks.db").display().to_string()
    }

    /// `boathook …`, which must succeed; what it printed.
    pub fn must(&self, arguments: &[&str]) -> String {
        let output = self.try_to(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("text")
    }

    pub fn try_to(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        for name in ["BOATHOOK_ADMIN_TOKEN", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(name);
        }
        pipe(command, b"")
    }

    /// What must fail; what it said.
    pub fn must_not(&self, arguments: &[&str]) -> String {
        let output = self.try_to(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// Writes the guard and publishes it.
    pub fn publish_guard(&self) {
        let script = self.write("guard.sh", GUARD);
        let script = script.to_str().expect("a path");
        self.must(&["team", "admin", "hook", "add", "beforeShellExecution", "--script", script]);
        self.must(&["team", "admin", "publish"]);
    }

    /// Makes this machine one of the team's, with a token of the admin's.
    pub fn join(&self, server: &Server, more: &[&str]) {
        let line = self.must(&["team", "admin", "token", "new", "sign-in"]);
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        assert_eq!(words[..3], ["team", "login", server.url.as_str()], "{line}");
        self.must(&[&words[..], more].concat());
    }

    /// The exit code of an event.
    pub fn asks(&self) -> Option<i32> {
        let payload = br#"{"command":"ls"}"#;
        self.output_with(["run", "beforeShellExecution"], payload).status.code()
    }

    /// Waits until an event ends like this.
    pub fn waits_for(&self, code: i32, patience: Duration) {
        let begun = Instant::now();
        while self.asks() != Some(code) {
            assert!(begun.elapsed() < patience, "`run` does not end with {code}");
            thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The answer to a plain request: status and body.
pub fn get(url: &str, path: &str, token: Option<&str>) -> (u16, String) {
    use std::io::Write;
    let address = url.strip_prefix("http://").expect("plain HTTP");
    let mut stream = std::net::TcpStream::connect(address).expect("somebody listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{bearer}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    (status, body)
}
