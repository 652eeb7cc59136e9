//! Looks into a script that a command names: a first line that the system
//! cannot read, an answer in names that the original product does not read.
//!
//! Approximate on purpose: a script is looked at, not understood.

use super::scripts::NamedScript;
use crate::problem::{Problem, ScriptFix};
use crate::read_file::{self, Owner};
use crate::run::{HELPER, PERSISTENT, names_who_answers};

/// A longer script is not looked into.
const LONGEST: u64 = 1024 * 1024;

/// Names of answers as scripts of 2025 wrote them, and as they are written.
const CAMEL_CASE: [(&str, &str); 3] = [
    ("userMessage", "user_message"),
    ("agentMessage", "agent_message"),
    ("followupMessage", "followup_message"),
];

/// The text of a script; none when it is absent, large, or no text.
pub(super) fn text_of(script: &NamedScript) -> Option<String> {
    let bytes = read_file::read(&script.path, LONGEST, Owner::Anybody).ok()?.bytes;
    String::from_utf8(bytes).ok()
}

/// Everything that is wrong inside.
pub(super) fn check(script: &NamedScript) -> Vec<Problem> {
    let Some(text) = text_of(script) else { return Vec::new() };
    carriage_return(script, &text).into_iter().chain(camel_case(script, &text)).collect()
}

/// A script that stays must answer lines; only in languages that have a helper
/// can one see that it does not.
pub(super) fn speaks_no_lines(script: &NamedScript) -> Option<Problem> {
    if names_who_answers(&script.path, &text_of(script)?)? {
        return None;
    }
    let path = script.path.display();
    let message = format!(
        "`persistent` is true, but {path} names neither {HELPER} nor {PERSISTENT}: it answers no lines, so it runs per event"
    );
    Some(Problem::warning("persistent-without-lines", message).help(format!(
        "answer with the helper {HELPER}, see persistent-hooks in the manual, or remove `persistent`; \
         where a module does it for the script, name {HELPER} in a comment"
    )))
}

/// The words of a first line `#!…`, without its end.
pub(super) fn shebang(text: &str) -> Option<Vec<&str>> {
    let first = text.trim_start_matches('\u{feff}').lines().next()?.strip_prefix("#!")?;
    Some(first.split_whitespace().collect())
}

fn carriage_return(script: &NamedScript, text: &str) -> Option<Problem> {
    let first = text.split('\n').next().filter(|line| line.starts_with("#!") && line.ends_with('\r'))?;
    let interpreter = first.trim_end().rsplit(['/', ' ']).next().unwrap_or_default();
    let path = script.path.display();
    let message = format!(
        "the lines of {path} end in CR LF: the system looks for an interpreter named `{interpreter}\\r`"
    );
    let fix = ScriptFix::RemoveCarriageReturns(script.path.clone());
    Some(
        Problem::warning("script-crlf", message)
            .help("save it with Unix line ends; in git, `*.sh text eol=lf` in .gitattributes keeps them")
            .script_fix(fix),
    )
}

/// Claude Code's answers are written so; those of Cursor hooks are not.
fn camel_case(script: &NamedScript, text: &str) -> Option<Problem> {
    if text.contains("hookSpecificOutput") {
        return None;
    }
    let as_key = |line: &str, name: &str| {
        let mut places = line.match_indices(name);
        places.any(|(at, _)| {
            line[at + name.len()..].trim_start_matches(['\\', '"', '\'', ' ']).starts_with(':')
        })
    };
    let said = |line: &str, name: &str| !line.trim_start().starts_with(['#', '/', '*']) && as_key(line, name);
    let (number, (camel, snake)) = text.lines().enumerate().find_map(|(number, line)| {
        CAMEL_CASE.iter().find(|(camel, _)| said(line, camel)).map(|name| (number + 1, *name))
    })?;
    // Whoever writes both wrote for both.
    if text.contains(snake) {
        return None;
    }
    let message = format!("{}:{number} answers with `{camel}`", script.path.display());
    let help = format!("write `{snake}`");
    Some(Problem::warning("answer-in-camel-case", message).help(help).product("ignores the field"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn a_script_that_stays_names_what_answers_lines() {
        let cases = [
            ("a.py", "import json, sys\nprint(json.load(sys.stdin))\n", true),
            ("a.mjs", "console.log('{}')", true),
            ("a.js", "console.log('{}')", true),
            ("b.py", "from boathook_hook import serve\n", false),
            ("b.mjs", "import { serve } from './boathook_hook.mjs';", false),
            ("c.js", "if (process.env.BOATHOOK_PERSISTENT) stay();", false),
            ("d.sh", "cat\n", false),
            ("d", "#!/usr/bin/env python3\n", false),
        ];
        let dir = TempDir::new();
        for (name, text, warned) in cases {
            let script = NamedScript { path: dir.write(name, text), direct: false };
            assert_eq!(speaks_no_lines(&script).is_some(), warned, "{name}: {text}");
        }
        let missing = NamedScript { path: dir.path().join("missing.py"), direct: false };
        assert!(speaks_no_lines(&missing).is_none(), "that it is missing is said elsewhere");
    }

    #[test]
    fn a_script_is_looked_into() {
        let cases: [(&str, &[&str]); 8] = [
            ("#!/bin/sh\necho '{\"user_message\":\"x\"}'\n", &[]),
            ("#!/bin/sh\r\necho\r\n", &["script-crlf"]),
            ("#!/bin/sh\necho '{\"userMessage\":\"x\"}'\n", &["answer-in-camel-case"]),
            ("console.log({ userMessage: x })", &["answer-in-camel-case"]),
            ("printf \"{\\\"agentMessage\\\": 1}\"", &["answer-in-camel-case"]),
            ("# userMessage: the old name\n", &[]),
            ("const userMessage = 1; print({user_message: userMessage})", &[]),
            ("{\"hookSpecificOutput\": {}, \"userMessage\": 1}", &[]),
        ];
        let dir = TempDir::new();
        for (text, expected) in cases {
            let script = NamedScript { path: dir.write("script", text), direct: true };
            let codes: Vec<_> = check(&script).iter().map(|problem| problem.code).collect();
            assert_eq!(codes, expected, "{text}");
        }
    }
}
