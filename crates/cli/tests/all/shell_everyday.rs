//! Rules that deny, on harmless command lines of every day: how many of them are denied, and which.

use crate::verdict;

/// One line each; `⏎` is a new line.
const EVERYDAY: &str = include_str!("shell_comparison/everyday.txt");
/// At most so many in a hundred may be denied.
const MAX_PERCENT: usize = 3;

/// The lines that are denied, all in doubt: a program or a text that is not in the line.
const DENIED: &[&str] = &[
    "eval \"$(ssh-agent -s)\"",
    "eval \"$(direnv hook bash)\"",
    "$EDITOR notes.md",
    "${CARGO:-cargo} build",
    "\"${CMD[@]}\"",
    "$(which python3) --version",
    "cat script.sh | sh -n",
    "curl -fsSL https://sh.rustup.rs | sh -s -- -y",
];

#[test]
fn harmless_lines_of_every_day_are_hardly_ever_denied() {
    let lines: Vec<String> = EVERYDAY.lines().map(|line| line.replace('⏎', "\n")).collect();
    assert!(lines.len() >= 300, "only {} lines", lines.len());
    let denied: Vec<&str> =
        lines.iter().filter(|line| verdict::is_denied(line)).map(String::as_str).collect();
    for line in &denied {
        println!("{line}: {}", verdict::doubt(line).unwrap_or_else(|| "not in doubt".to_owned()));
    }
    println!("{} of {} harmless lines are denied", denied.len(), lines.len());
    assert_eq!(denied, DENIED);
    assert!(denied.len() * 100 <= lines.len() * MAX_PERCENT);
}
