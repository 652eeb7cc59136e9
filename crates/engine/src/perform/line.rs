//! What is said with a hook that stays: one line of JSON for each event.
//!
//! We write `{"id": "…", "input": {…}}`, where the input is what a process of
//! its own would read. It answers `{"id": "…", "output": {…}}`, with an
//! `exit_code` and a text for `stderr` where it wants them.
//!
//! Pure: bytes in, bytes out.

use std::fmt::Display;

use serde_json::value::RawValue;

use crate::answer::refusal_in;
use crate::payload::{Payload, PayloadError, text_of};
use crate::run::{Exit, Read, Status};

/// What most likely went wrong, and where it is written.
const ASKS: &str = "does it use the helper, and import it before anything is printed? \
                    See persistent-hooks in the manual";
/// So much of what cannot be read is shown.
const SHOWN: usize = 80;
/// The exit code that denies.
const REFUSES: i32 = 2;

/// The line for one event.
pub fn question(id: &str, input: &[u8]) -> Vec<u8> {
    let input = input.trim_ascii_end();
    let mut line = Vec::with_capacity(input.len() + 48);
    line.extend_from_slice(b"{\"id\":\"");
    line.extend_from_slice(id.as_bytes());
    line.extend_from_slice(b"\",\"input\":");
    line.extend_from_slice(input);
    line.extend_from_slice(b"}\n");
    line
}

/// What the answer to this question says, or why it is none.
pub fn answer(id: &str, line: &[u8]) -> Result<Read, String> {
    let none =
        |why: &dyn Display| format!("it printed `{}`, which is no answer line ({why}); {ASKS}", shown(line));
    let said = match Payload::parse(line) {
        Ok(said) => said,
        // Read like the broken output of a process of its own.
        Err(_) if refusal_in(&String::from_utf8_lossy(line)).is_some() => {
            return Ok(Read { exit_code: 0, stdout: line.to_vec(), stderr: Vec::new() });
        }
        Err(PayloadError::NotAnObject(error)) => return Err(none(&error)),
    };
    // A `null` says as much as a key that is not there. A hook that puts its line together by
    // hand may repeat keys of a text that it pasted: every value is read.
    let values = |name: &'static str| -> Vec<&RawValue> {
        said.written()
            .filter(|(key, value)| *key == name && value.get() != "null")
            .map(|(_, value)| value)
            .collect()
    };
    let get = |name: &'static str| values(name).last().copied();
    let text = |name: &'static str| match get(name).map(text_of) {
        Some(None) => Err(none(&format!("`{name}` is no text"))),
        Some(text) => Ok(text),
        None => Ok(None),
    };
    match text("id")? {
        Some(answered) if answered == id && said.values("id").count() == 1 => {}
        Some(answered) if answered == id => return Err(none(&"`id` is repeated")),
        Some(other) => {
            return Err(format!("it answered `{}`, and `{id}` was asked", shown(other.as_bytes())));
        }
        None if said.is_empty() => return Err(none(&"it says nothing")),
        None => return Err(format!("its answer `{}` has no `id`; {ASKS}", shown(line))),
    }
    let mut exit_code = None;
    for number in values("exit_code") {
        let code = whole(number.get()).ok_or_else(|| none(&"`exit_code` is no number of a process"))?;
        // Which of two different codes is meant is in doubt, and a doubt denies.
        exit_code = Some(if exit_code.is_none_or(|other| other == code) { code } else { REFUSES });
    }
    Ok(Read {
        exit_code: exit_code.unwrap_or(0),
        // Repeated outputs are read like several objects that one process printed.
        stdout: values("output").into_iter().map(RawValue::get).collect::<Vec<_>>().join("\n").into_bytes(),
        stderr: text("stderr")?.unwrap_or_default().into_bytes(),
    })
}

/// What somebody who never answered a line did instead of answering; none when
/// it only ended badly, which says nothing about lines.
pub fn why_mute(status: &Status) -> Option<String> {
    let what = match status {
        Status::TimedOut(limit) => format!("it printed no answer line in {} ms; {ASKS}", limit.as_millis()),
        Status::NoAnswer(problem) if problem.contains(ASKS) => problem.clone(),
        Status::NoAnswer(problem) => format!("{problem}; {ASKS}"),
        Status::Code(_)
        | Status::Signal(_)
        | Status::TooMuchOutput
        | Status::Cancelled
        | Status::NotStarted(_) => return None,
    };
    Some(what)
}

/// Of a hook whose process that should stay failed at its first event: what it
/// did, and whether one that was then asked by itself answered; none when there
/// was no time for that.
pub fn failed_first(what: Option<&str>, answered: Option<bool>) -> String {
    let what = what.map(|what| format!(": {what}")).unwrap_or_default();
    let then = match answered {
        Some(true) => "this event got a process of its own",
        Some(false) => "a process of its own gave no answer either",
        None => "there was no time left for a process of its own",
    };
    format!("its process failed at its first event{what}; {then}")
}

/// Whether a process of its own answered. One that can speak in lines alone
/// did not: there its answer would be read as none.
pub fn answers_alone(exit: &Exit) -> bool {
    let in_lines = Payload::parse(&exit.stdout).is_ok_and(|said| said.text("id").is_some());
    matches!(exit.status, Status::Code(0 | 2)) && !in_lines
}

/// A whole number, however it is written: 2.0 is 2.
fn whole(number: &str) -> Option<i32> {
    let number: f64 = serde_json::from_str(number).ok()?;
    let whole = number as i32;
    (f64::from(whole) == number).then_some(whole)
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let mut short: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < bytes.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_one_line_with_the_payload_as_it_was_written() {
        let line = question("7", b"{\"a\": 1.50, \"b\": \"\\u00e9\"}\n");
        assert_eq!(line, b"{\"id\":\"7\",\"input\":{\"a\": 1.50, \"b\": \"\\u00e9\"}}\n");
    }

    #[test]
    fn what_is_said_of_a_first_event_is_what_happened() {
        let cases = [
            (None, Some(true), "its process failed at its first event; this event got a process of its own"),
            (Some("late"), Some(false), "event: late; a process of its own gave no answer either"),
            (Some("late"), None, "event: late; there was no time left for a process of its own"),
        ];
        for (what, answered, expected) in cases {
            let said = failed_first(what, answered);
            assert!(said.ends_with(expected), "{said}");
        }
    }

    #[test]
    fn an_answer_is_what_a_process_of_its_own_would_have_printed() {
        let said = |exit_code, stdout: &str, stderr: &str| {
            Ok(Read { exit_code, stdout: stdout.into(), stderr: stderr.into() })
        };
        let cases = [
            (r#"{"id": "7", "output": {"permission": "ask"}}"#, said(0, r#"{"permission": "ask"}"#, "")),
            (r#"{"output": {}, "more": [1], "id": "7"}"#, said(0, "{}", "")),
            (r#"{"id": "7"}"#, said(0, "", "")),
            (r#"{"id": "7", "output": null}"#, said(0, "", "")),
            (r#"{"id": "7", "exit_code": 2, "stderr": "no"}"#, said(2, "", "no")),
            (r#"{"id": "7", "exit_code": 2.0}"#, said(2, "", "")),
            (r#"{"id": "7", "exit_code": 2e0}"#, said(2, "", "")),
            (r#"{"id": "7", "exit_code": -1}"#, said(-1, "", "")),
            (r#"{"id": "7", "output": "text"}"#, said(0, "\"text\"", "")),
            ("{\"id\": \"7\"}\r", said(0, "", "")),
        ];
        for (line, expected) in cases {
            assert_eq!(answer("7", line.as_bytes()), expected, "{line}");
        }
        let broken = [
            ("", "which is no answer"),
            ("ready", "which is no answer"),
            ("[]", "which is no answer"),
            (r#"{"id": 7}"#, "which is no answer"),
            (r#"{"id": "7", "exit_code": 99999999999}"#, "which is no answer"),
            (r#"{"id": "7"} {"id": "7"}"#, "which is no answer"),
            (r#"{"id": "7", "output": {}, "id": "7"}"#, "which is no answer"),
            (r#"{"id": "7", "stderr": 7}"#, "which is no answer"),
            (r#"{"id": "7", "exit_code": 2.5}"#, "which is no answer"),
            (r#"{"id": "7", "exit_code": "2"}"#, "which is no answer"),
            (r#"{"id": "6", "output": {}}"#, "it answered `6`, and `7` was asked"),
            (r#"{"permission": "deny"}"#, "has no `id`"),
            ("\u{1b}[31mred", "it printed ` [31mred`"),
        ];
        for (line, expected) in broken {
            let problem = answer("7", line.as_bytes()).expect_err(line);
            assert!(problem.contains(expected), "{line}: {problem}");
        }
        for plain in ["hello", r#"{"permission": "deny"}"#] {
            let problem = answer("7", plain.as_bytes()).expect_err(plain);
            assert!(problem.ends_with(ASKS), "{problem}");
            let why = why_mute(&Status::NoAnswer(problem)).expect("a reason");
            assert_eq!(why.matches(ASKS).count(), 1, "{why}");
        }
        assert!(answer("7", b"\xff\xfe").is_err());
        assert!(answer("7", &vec![b'x'; 1 << 20]).expect_err("long").len() < 300);
    }

    #[test]
    fn red_team_h1_no_repeated_key_of_a_line_loosens_it() {
        let stdout = |line: &str| {
            let read = answer("7", line.as_bytes()).expect(line);
            (read.exit_code, String::from_utf8(read.stdout).expect("text"))
        };
        let both = "{\"permission\":\"deny\"}\n{\"permission\":\"allow\"}".to_owned();
        assert_eq!(
            stdout(r#"{"id":"7","output":{"permission":"deny"},"output":{"permission":"allow"}}"#),
            (0, both)
        );
        assert_eq!(stdout(r#"{"id":"7","exit_code":2,"exit_code":0}"#), (2, String::new()));
        assert_eq!(stdout(r#"{"id":"7","exit_code":0,"exit_code":1}"#), (2, String::new()));
        let broken = r#"{"id":"7","output":{"permission":"deny","user_message":"a "b""}}"#;
        assert_eq!(stdout(broken), (0, broken.to_owned()));
    }
}
