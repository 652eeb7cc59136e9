//! Measures itself: reads a round of requests from a line, runs each once, and
//! writes how many nanoseconds each took.
//!
//! `cargo xtask bench` builds this program twice, for glibc and for musl, keeps
//! both alive, and asks them in a shuffled order. Only what a request names is
//! timed; preparing it and talking about it is not.

mod bare;
mod daemon;
mod engines;
mod floor;
mod hooks;
mod kept;
mod leaks;
mod machine;
mod payloads;
mod requests;
mod rules;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// As in the program we ship.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: boathook_memory::Allocator = boathook_memory::Allocator;

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: contender DIRECTORY");
        return ExitCode::FAILURE;
    };
    match serve(&directory) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("contender: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(directory: &std::path::Path) -> io::Result<()> {
    machine::limit_memory()?;
    let mut laboratory = requests::Laboratory::in_directory(directory)?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answered = match line.strip_prefix("round ") {
            Some(requests) => laboratory.round(requests),
            None => laboratory.take(line.trim()),
        };
        let answer = match answered {
            Ok(numbers) => numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
            Err(reason) => format!("error {reason}"),
        };
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
