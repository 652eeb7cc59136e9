//! A terminal session on a page: typed commands and what is seen below them.
//!
//! The commands run in one shell, so that `echo $?` sees what came before.
//! Times, durations, ids and hashes differ from run to run and count as equal.

use regress::Regex;

use super::place::Place;

/// Ends what one command printed.
const END: &str = "\u{1}end of a command\u{1}";
/// What is seen when somebody was asked and typed `y`.
const TYPED_YES: &str = "[y/N] y";

/// Runs a session and compares it with what the page shows.
pub fn run(place: &Place, session: &str) -> Result<(), String> {
    let commands = commands(session)?;
    let script: String = commands.iter().map(|(command, seen)| step(command, seen)).collect();
    let (_, stdout, stderr) = place.shell(&format!("exec 2>&1\n{script}"));
    let end = format!("{END}\n");
    let mut printed = stdout.split(end.as_str());
    for (command, expected) in &commands {
        let seen = printed.next().unwrap_or_default();
        if normal(seen) != normal(expected) {
            return Err(format!("$ {command}\n--- the page ---\n{expected}--- seen ---\n{seen}{stderr}"));
        }
    }
    Ok(())
}

/// Each command with what is seen below it. A line that begins with `> `
/// goes on with the command.
fn commands(session: &str) -> Result<Vec<(String, String)>, String> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in session.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_owned(), String::new())),
            (None, None) => return Err("a session begins with `$ ` and a command".to_owned()),
            (None, Some((command, seen))) => match line.strip_prefix("> ").filter(|_| seen.is_empty()) {
                Some(more) => command.push_str(&format!("\n{more}")),
                None => seen.push_str(&format!("{line}\n")),
            },
        }
    }
    Ok(commands)
}

/// The command, the mark of its end, and its exit code for the next one.
fn step(command: &str, seen: &str) -> String {
    let command = if seen.contains(TYPED_YES) { answering_yes(command) } else { command.to_owned() };
    format!("{command}\nstatus=$?; printf '%s\\n' '{END}'; (exit $status)\n")
}

/// Runs the command on a terminal where somebody types `y` when asked.
fn answering_yes(command: &str) -> String {
    let program = "import os, pty, sys\n\
        pid, terminal = pty.fork()\n\
        if pid == 0: os.execvp(\"sh\", [\"sh\", \"-c\", sys.argv[1]])\n\
        seen = b\"\"\n\
        try:\n    \
            while chunk := os.read(terminal, 4096):\n        \
                seen += chunk\n        \
                if seen.endswith(b\"[y/N] \"): os.write(terminal, b\"y\\n\")\n\
        except OSError: pass\n\
        sys.stdout.write(seen.decode().replace(\"\\r\\n\", \"\\n\"))\n";
    format!("python3 -c '{program}' '{}'", command.replace('\'', "'\\''"))
}

/// The text without what differs from run to run.
fn normal(text: &str) -> String {
    let differing = [
        (r"\b[0-9a-f]{64}\b", "SHA256"),
        (r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "TIMESTAMP"),
        (r"\b\d\d-\d\d +\d\d:\d\d:\d\d\b", "TIME"),
        (r"\b(?=[a-f]*\d)[0-9a-f]{8}\b", "ID"),
        (r"\b\d+(\.\d+)? ms\b|\b\d+\.\d s\b", "N ms"),
        (r" +", " "),
        (r" *\n", "\n"),
    ];
    differing.iter().fold(text.trim_end().to_owned(), |text, (pattern, name)| {
        Regex::new(pattern).expect("a pattern").replace_all(&text, name)
    })
}
