//! Starts other programs and says what went wrong when one fails.

use std::io::ErrorKind;
use std::process::{Command, Stdio};

/// A value, or a sentence for the person who started the task.
pub type Outcome<T> = Result<T, String>;

/// Cargo as it was called, so that `cargo +toolchain xtask` stays on its toolchain.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs it in front of the person: what it prints is seen.
pub fn run(command: &mut Command) -> Outcome<()> {
    let line = line_of(command);
    let status = command.status().map_err(|error| not_started(&line, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Runs it behind the scenes: what it prints is seen only if it fails.
pub fn run_quietly(command: &mut Command) -> Outcome<()> {
    output_of(command).map(drop)
}

/// Runs it and gives what it printed on stdout.
pub fn output_of(command: &mut Command) -> Outcome<String> {
    let line = line_of(command);
    let output = command.stdin(Stdio::null()).output().map_err(|error| not_started(&line, &error))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{line}` failed ({})\n{}{}", output.status, stdout, stderr.trim_end()))
}

/// Whether the program exists and answers to these arguments.
pub fn works(program: &str, args: &[&str]) -> bool {
    let command = &mut Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn not_started(line: &str, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("`{line}` did not start: there is no such program"),
        _ => format!("`{line}` did not start: {error}"),
    }
}
