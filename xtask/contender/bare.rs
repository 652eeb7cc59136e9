//! A hook that stays, asked by a loop: one write, one answer, and no engine.

// Reading without waiting has no face in std.
#![allow(unsafe_code)]

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Instant;

/// Its process. It waits for its answer as the engine does: awake.
pub struct BareHook {
    process: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl BareHook {
    /// Starts it and waits until it answers.
    pub fn start(script: &str) -> Result<BareHook, String> {
        let mut node = Command::new("/usr/bin/node");
        node.arg(script).env_clear().env("PATH", "/usr/bin:/bin").env("BOATHOOK_PERSISTENT", "1");
        node.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = node.spawn().map_err(|error| error.to_string())?;
        let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("it has no pipes".to_owned());
        };
        let descriptor = stdout.as_raw_fd();
        // SAFETY: the descriptor is open, and flags are plain numbers.
        if unsafe { libc::fcntl(descriptor, libc::F_SETFL, libc::O_NONBLOCK) } != 0 {
            return Err(io::Error::last_os_error().to_string());
        }
        let mut hook = BareHook { process, stdin, stdout };
        hook.ask(b"{}\n")?;
        Ok(hook)
    }

    /// How long it takes to answer about this payload, which is one line.
    pub fn ask(&mut self, payload: &[u8]) -> Result<u64, String> {
        let line = [br#"{"id":"1","input":"#, payload.trim_ascii_end(), b"}\n"].concat();
        let mut answer = [0; 1024];
        let begin = Instant::now();
        self.stdin.write_all(&line).map_err(|error| error.to_string())?;
        let length = loop {
            thread::yield_now();
            match self.stdout.read(&mut answer) {
                Ok(length) => break length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.to_string()),
            }
        };
        let nanos = begin.elapsed().as_nanos() as u64;
        let said = String::from_utf8_lossy(&answer[..length]);
        let expected = "{\"id\":\"1\",\"output\":{\"permission\":\"allow\"}}\n";
        if said == expected { Ok(nanos) } else { Err(format!("a hook that stays said `{said}`")) }
    }
}

impl Drop for BareHook {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
