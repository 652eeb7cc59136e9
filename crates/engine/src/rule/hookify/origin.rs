//! What the script of a rule says of the rule it was made from: its file, and
//! the SHA-256 it had then, so that a script that was left behind is known.

use crate::digest::Digest;

const RULE: &str = "# Generated from: ";
const SHA256: &str = "# Rule SHA-256: ";
/// Both stand among the first lines.
const LINES: usize = 5;

/// The rule that a script was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its file, as seen from the workspace.
    pub rule: String,
    /// What it held.
    pub sha256: Digest,
}

impl Origin {
    /// The first comment of a script.
    pub fn rule_line(rule: &str) -> String {
        format!("{RULE}{rule}")
    }

    /// The comment that tells the rule's content.
    pub fn sha256_line(rule: &[u8]) -> String {
        format!("{SHA256}{}", Digest::of(rule))
    }

    /// What a script says of itself; none when it was not made from a rule.
    pub fn of(script: &str) -> Option<Origin> {
        let behind = |mark: &str| script.lines().take(LINES).find_map(|line| line.strip_prefix(mark));
        Some(Origin { rule: behind(RULE)?.to_owned(), sha256: Digest::parse(behind(SHA256)?)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_tells_what_it_was_made_from() {
        let script = |line: &str, sum: &str| format!("#!/bin/sh\n{line}\n# Description: x\n{sum}\n\ntrue\n");
        let (rule, sum) = (Origin::rule_line("a b.md"), Origin::sha256_line(b"text"));
        let made = Origin { rule: "a b.md".to_owned(), sha256: Digest::of(b"text") };
        let cases = [
            (script(&rule, &sum), Some(made)),
            (script(&rule, ""), None),
            (script("", &sum), None),
            (script(&rule, "# Rule SHA-256: abc"), None),
            (String::new(), None),
        ];
        for (text, expected) in cases {
            assert_eq!(Origin::of(&text), expected, "{text}");
        }
    }
}
