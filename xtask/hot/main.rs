//! Which functions a call of an agent goes through, as a list for the linker.
//!
//! The program is large and a call uses little of it, here and there: each
//! touch of another 64 KiB is a fault of the kernel's, and those were a quarter
//! of the time of a call. `cargo xtask dist` puts the functions of this list
//! side by side. A name that is not found any more costs nothing but speed.
//!
//! The program is run one instruction after the other, which takes a minute:
//!
//! ```text
//! cargo run -p xtask --features hot --bin hot -- BINARY xtask/hot.ld
//! ```
//!
//! BINARY is the static build with its symbols (`--config profile.release.strip="none"`).

mod names;
mod trace;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use names::{Symbols, script};

/// A call as most are: one hook of the user's, which lets it pass.
const HOOKS: &str = r#"{"version":1,"hooks":{"beforeShellExecution":[{"command":"/bin/echo {}"}]}}"#;
const TOLD: &str = r#"{"session_id":"1","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

fn main() -> ExitCode {
    let args: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [binary, list] = args.as_slice() else {
        eprintln!("usage: hot BINARY LIST");
        return ExitCode::FAILURE;
    };
    match write(binary, list) {
        Ok(count) => {
            println!("{}: {count} functions", list.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("hot: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(binary: &Path, list: &Path) -> io::Result<usize> {
    let listed = Command::new("nm").args(["-S", "--defined-only"]).arg(binary).output()?;
    let symbols = Symbols::read(&String::from_utf8_lossy(&listed.stdout));
    let place = env::temp_dir().join(format!("boathook-hot-{}", std::process::id()));
    fs::create_dir_all(place.join("home/.cursor"))?;
    fs::write(place.join("home/.cursor/hooks.json"), HOOKS)?;
    fs::write(place.join("told"), TOLD)?;
    let home = place.join("home").to_string_lossy().into_owned();
    let root = place.join("system").to_string_lossy().into_owned();
    let (mut touched, mut order) = (HashSet::new(), Vec::new());
    let agent = ["agent", "hook", "claude", "--root", &root, "--home", &home];
    let run = ["run", "beforeShellExecution", "--root", &root];
    // The first call makes the state directory; what counts is the second.
    for words in [&agent[..], &agent, &run] {
        for address in trace::touched(binary, words, &home, &place.join("told"))? {
            if touched.insert(address) {
                order.push(address);
            }
        }
    }
    fs::remove_dir_all(&place)?;
    let patterns = symbols.patterns(&order);
    fs::write(list, script(&patterns))?;
    Ok(patterns.len())
}
