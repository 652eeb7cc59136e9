//! A daemon that answers over HTTP, and a client of few words.

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::context::TestContext;

/// Longer than anything here takes, on any machine.
pub const LONG: Duration = Duration::from_secs(120);
/// Where the port and the token are kept.
pub const KEPT: &str = "home/.local/state/boathook/daemon/http.json";

/// A daemon that ends with the test.
pub struct Daemon {
    child: Child,
    pub port: u16,
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Daemon {
    pub fn start(cx: &TestContext) -> Daemon {
        Daemon::of(cx, cx.command(["daemon", "--http"]))
    }

    pub fn of(cx: &TestContext, mut command: Command) -> Daemon {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a daemon");
        let lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let listening = lines.map_while(Result::ok).find(|line| line.ends_with("daemon/socket"));
        assert!(listening.is_some(), "it says where it listens");
        let kept: Value =
            serde_json::from_slice(&fs::read(cx.path(KEPT)).expect("a port and a token")).expect("JSON");
        let port = kept["port"].as_u64().and_then(|port| port.try_into().ok()).expect("a port");
        Daemon { child, port, token: kept["token"].as_str().expect("a token").to_owned() }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(LONG)).expect("a timeout");
        stream
    }

    /// The headers that open the door.
    pub fn key(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n", self.port, self.token)
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        let head = format!("{}Content-Length: {}\r\n", self.key(), body.len());
        self.send(&format!("POST {path}"), &head, body)
    }

    pub fn send(&self, line: &str, head: &str, body: &str) -> Reply {
        let mut stream = self.connect();
        let request = format!("{line} HTTP/1.1\r\n{head}Connection: close\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).expect("it reads");
        read(stream)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

/// Everything until the other side closes. Who is refused in the middle of a
/// request may be cut off behind the answer.
pub fn read(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("no answer: {error}"),
        }
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

/// What Claude Code tells before a shell command.
pub fn shell(cx: &TestContext, command: &str) -> String {
    serde_json::json!({
        "session_id": "s-1",
        "cwd": cx.project(),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command },
        "tool_use_id": "t-1",
    })
    .to_string()
}
