//! The daemon, as a host that keeps a connection open would use it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use boathook_engine::remote::wire::{Caller, HandleParams};
use boathook_engine::remote::{Reason, Remote};
use serde_json::value::RawValue;

/// A daemon of the same build, and a connection to it.
pub struct Daemon {
    /// A shell that ends the daemon when we are gone, however we go.
    keeper: Child,
    remote: Remote,
    workspace: PathBuf,
    payload: Box<RawValue>,
}

type Numbers = Result<Vec<u64>, String>;

impl Daemon {
    /// Starts it in this home; `command` is ours without a subcommand.
    pub fn start(
        command: &[String],
        home: &Path,
        directory: &Path,
        payload: &[u8],
    ) -> Result<Daemon, String> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "\"$@\" & read -r nothing; kill $!", "sh"]).args(command).arg("daemon");
        shell.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", home);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let keeper = shell.spawn().map_err(|error| error.to_string())?;
        let caller = Caller {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            home: home.to_owned(),
            config: home.join(".config/boathook/config.toml"),
            root: directory.join("system"),
        };
        let payload = String::from_utf8_lossy(payload).trim_end().to_owned();
        let daemon = Daemon {
            keeper,
            remote: Remote::new(home.join(".local/state/boathook"), caller),
            workspace: directory.join("workspace"),
            payload: RawValue::from_string(payload).map_err(|error| error.to_string())?,
        };
        daemon.wait()?;
        Ok(daemon)
    }

    /// Events that no hook wants, over an open connection; nanoseconds of one.
    pub fn unmatched(&self, times: u32) -> Numbers {
        let begin = Instant::now();
        for _ in 0..times {
            self.ask().map_err(|reason| reason.to_string())?;
        }
        Ok(vec![begin.elapsed().as_nanos() as u64 / u64::from(times)])
    }

    fn ask(&self) -> Result<(), Reason> {
        let handled = self.remote.handle(HandleParams {
            event: "beforeShellExecution".to_owned(),
            payload: self.payload.clone(),
            workspaces: vec![self.workspace.clone()],
            cwd: None,
            surface: None,
            remote: false,
            cannot_ask: false,
            edition: None,
            caller: None,
            beat: true,
        })?;
        match handled.answer.get() {
            "{}" => Ok(()),
            other => Err(Reason::Garbled(format!("nobody should have an opinion: {other}"))),
        }
    }

    fn wait(&self) -> Result<(), String> {
        let begin = Instant::now();
        loop {
            match self.ask() {
                Ok(()) => return Ok(()),
                Err(Reason::Absent) if begin.elapsed() < Duration::from_secs(10) => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(reason) => return Err(reason.to_string()),
            }
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// A command that fell back would make a fine but false number.
pub fn asks_a_daemon(command: &[String], home: &Path) -> Result<(), String> {
    let mut run = Command::new(&command[0]);
    run.args(&command[1..]).arg("--trace").env_clear().env("HOME", home).stdin(Stdio::null());
    let output = run.output().map_err(|error| error.to_string())?;
    let trace = String::from_utf8_lossy(&output.stderr);
    match output.status.success() && !trace.contains("\"fallback\"") {
        true => Ok(()),
        false => Err(format!("`run --daemon` did not ask the daemon: {trace}")),
    }
}
