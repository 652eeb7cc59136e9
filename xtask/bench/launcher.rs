//! The least that stands between an agent and a hook: reads its input to the
//! end, starts the program it is given with that input, passes on what the
//! program prints, and ends as it ended.
//!
//! No configuration, no JSON, no timeout, no record. What `boathook agent hook`
//! takes longer than this is the price of everything it does.

use std::io::{self, Read, Write};
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    match launch() {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("launcher: {error}");
            ExitCode::FAILURE
        }
    }
}

fn launch() -> io::Result<u8> {
    let program = std::env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: launcher PROGRAM"))?;
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(&input)?;
    }
    let ended = child.wait_with_output()?;
    io::stdout().lock().write_all(&ended.stdout)?;
    Ok(ended.status.code().map_or(1, |code| code as u8))
}
