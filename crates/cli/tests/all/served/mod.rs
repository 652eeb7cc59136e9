//! A daemon of a test's own, and somebody who talks to it.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::TestContext;

/// Nothing here takes longer, whatever the machine does beside.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A daemon; it ends with the test.
pub struct Served {
    child: Child,
    socket: PathBuf,
}

impl Served {
    /// Starts one, and waits until it listens.
    pub fn start(context: &TestContext) -> Served {
        Served::started(context.command(["daemon"]))
    }

    pub fn started(mut command: Command) -> Served {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("it says something");
        let socket = line.trim_end().strip_prefix("listening on ").expect("it says where it listens");
        Served { child, socket: PathBuf::from(socket) }
    }

    pub fn socket(&self) -> &PathBuf {
        &self.socket
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn talk(&self) -> Talk {
        Talk::to(UnixStream::connect(&self.socket).expect("it listens"))
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("kill");
        assert!(sent.success());
    }

    /// Stops it where it is. A thread of its may still answer after the signal
    /// was sent, so all of them are waited for.
    pub fn stop(&self) {
        self.signal("STOP");
        let tasks = format!("/proc/{}/task", self.child.id());
        let stands = |task: std::fs::DirEntry| {
            let state = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            state.rsplit(") ").next().is_some_and(|state| state.starts_with('T'))
        };
        until("it stands still", || {
            std::fs::read_dir(&tasks).map_or(true, |mut tasks| tasks.all(|task| task.is_ok_and(stands)))
        });
    }

    /// Waits until it has ended.
    pub fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status;
            }
            assert!(start.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Tells it to end, and waits.
    pub fn end(&mut self) -> ExitStatus {
        self.signal("TERM");
        self.wait()
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().expect("it can be waited for").is_none()
    }

    /// A number in kB of /proc/PID/status, such as `VmHWM`.
    pub fn memory(&self, name: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(&format!("{name}:")))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One connection.
pub struct Talk {
    pub stream: UnixStream,
    reader: BufReader<UnixStream>,
    next: u64,
    /// Lines that were no answers, in their order.
    pub notices: Vec<Value>,
}

impl Talk {
    pub fn to(stream: UnixStream) -> Talk {
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let reader = BufReader::new(stream.try_clone().expect("a second handle"));
        Talk { stream, reader, next: 1, notices: Vec::new() }
    }

    pub fn send(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    /// Says something, and does not wait for the answer.
    pub fn call(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    /// The next line, whatever it is; none when there is no more.
    pub fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:.200}"))),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("nothing comes: {error}"),
        }
    }

    /// The next answer, whosever it is.
    pub fn answer(&mut self) -> Value {
        loop {
            let line = self.line().expect("an answer");
            if line.get("method").is_none() {
                return line;
            }
            self.notices.push(line);
        }
    }

    /// Asks and waits for this answer; nobody else may be waiting.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.call(method, params);
        let answer = self.answer();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The result of it.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// An event with a payload.
    pub fn handle(&mut self, event: &str, payload: Value) -> Value {
        self.result("handle", json!({ "event": event, "payload": payload }))
    }
}

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}: it never came to that");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process lives, and is not merely a zombie.
pub fn is_alive(pid: &str) -> bool {
    let output = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().expect("ps");
    let state = String::from_utf8_lossy(&output.stdout);
    !state.trim().is_empty() && !state.trim_start().starts_with('Z')
}
