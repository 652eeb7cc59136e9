//! The daemon on Windows, under wine: it starts, answers an event over its
//! named pipe, says how it is, and ends.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::command::{self, Outcome};
use crate::project;

/// Whether all of that was so; what was not is the error.
pub fn daemon_answers(program: &Path) -> Outcome<()> {
    let mut daemon = Daemon(
        wine(program)?
            .arg("daemon")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("wine did not start: {error}"))?,
    );
    let mut line = String::new();
    let stdout = daemon.0.stdout.take().ok_or("stdout is no pipe")?;
    BufReader::new(stdout)
        .read_line(&mut line)
        .map_err(|error| format!("the daemon said nothing: {error}"))?;
    expect("where it listens", &line, r"listening on \\.\pipe\boathook-")?;
    let handled = run_event(program)?;
    // Whoever had to ask his own engine says why.
    if handled.contains("fallback") || !handled.contains("\"blocked\":false") {
        return Err(format!("the daemon did not answer an event: {handled}"));
    }
    let status = command::output_of(wine(program)?.args(["daemon", "status", "--json"]))?;
    expect("its status", &status, "\"requests\":2")?;
    command::run_quietly(wine(program)?.args(["daemon", "stop"]))?;
    match daemon.0.wait() {
        Ok(status) if status.success() => Ok(()),
        ended => Err(format!("the daemon did not end well: {ended:?}")),
    }
}

/// It ends with us, whatever was found.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run_event(program: &Path) -> Outcome<String> {
    let mut asked = wine(program)?
        .args(["run", "beforeShellExecution", "--daemon", "--trace"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|error| format!("wine did not start: {error}"))?;
    // Gone when it is written, so that its end is read.
    let stdin = asked.stdin.take();
    stdin.map(|mut stdin| stdin.write_all(br#"{"command":"ls"}"#));
    let output = asked.wait_with_output().map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn expect(what: &str, text: &str, wanted: &str) -> Outcome<()> {
    if text.contains(wanted) { Ok(()) } else { Err(format!("{what}: {wanted:?} is not in {text:?}")) }
}

/// In the user's folder of wine, which is a workspace like any.
fn wine(program: &Path) -> Outcome<Command> {
    let prefix = project::tools()?.join("wine");
    let mut wine = Command::new("wine");
    wine.arg(program).current_dir(prefix.join("drive_c")).env("WINEPREFIX", prefix).env("WINEDEBUG", "-all");
    Ok(wine)
}
