//! The face behind `type: "prompt"` hooks: the caller supplies the model.
//!
//! What the author wrote and what the event holds are two things, and stay two
//! things: the payload's text is never pasted between instructions.

use std::time::Duration;

use crate::answer::says_false;
use crate::payload::Payload;

/// Stands in an instruction where its author wrote `$ARGUMENTS`.
pub const INPUT: &str = "(the hook input)";

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The hook's condition; where the author wrote `$ARGUMENTS` it says
    /// `INPUT`. Nothing of the payload is in it.
    pub instruction: String,
    /// The payload, one JSON object: data to be judged, never instructions.
    pub input: String,
    /// The model the entry names.
    pub model: Option<String>,
    /// How long it may take.
    pub timeout: Duration,
}

/// What a model says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the condition holds.
    pub ok: bool,
    /// Why not.
    pub reason: Option<String>,
    /// What was odd about the reply.
    pub warnings: Vec<String>,
}

/// Answers prompt hooks. An error is a failure of the hook, never an allow.
pub trait Judge: Send + Sync {
    /// Asks the model once.
    fn judge(&self, question: &Question) -> Result<Verdict, String>;

    /// Which model would be asked when an entry names this one, or why none
    /// can be. Starts nothing and opens nothing.
    fn would_ask(&self, model: Option<&str>) -> Result<String, String> {
        Ok(model.unwrap_or("the default model").to_owned())
    }

    /// Whether config.toml alone says whom it asks, so that another process
    /// with the same file would ask the same.
    fn is_configured(&self) -> bool {
        false
    }
}

/// The author's prompt as an instruction: it speaks of the input and does not
/// hold it.
pub fn instruction(prompt: &str) -> String {
    prompt.replace("$ARGUMENTS", INPUT)
}

/// Reads a model's reply: `{"ok": bool, "reason": text}` and nothing else. Where an
/// `"ok": false` can be read in something else, that is the verdict.
pub fn read_verdict(reply: &str) -> Result<Verdict, String> {
    let reply = reply.trim();
    read_object(reply).or_else(|problem| {
        if !says_false(reply, "ok") {
            return Err(problem);
        }
        Ok(Verdict {
            warnings: vec![format!("{problem}, but `\"ok\": false` can be read in it")],
            ..Verdict::default()
        })
    })
}

fn read_object(reply: &str) -> Result<Verdict, String> {
    let not_json = || "its reply is not JSON".to_owned();
    let shape = |problem: String| format!("its reply is not {{ok, reason}}: {problem}");
    // A list would be read as the fields in their order.
    if reply.starts_with('[') {
        return Err("its reply is a list".to_owned());
    }
    if reply.is_empty() {
        return Err(not_json());
    }
    let object: Payload = serde_json::from_str(reply)
        .map_err(|error| if error.is_data() { shape(error.to_string()) } else { not_json() })?;
    let mut verdict = Verdict { ok: true, ..Verdict::default() };
    for (key, value) in object.written() {
        match key {
            "ok" => {
                let ok: bool = serde_json::from_str(value.get()).map_err(|error| shape(error.to_string()))?;
                verdict.ok &= ok;
            }
            "reason" => {
                let reason: Option<String> =
                    serde_json::from_str(value.get()).map_err(|error| shape(error.to_string()))?;
                verdict.reason = reason.filter(|reason| !reason.trim().is_empty()).or(verdict.reason);
            }
            other => return Err(shape(format!("unknown field `{other}`"))),
        }
    }
    match object.values("ok").count() {
        0 => return Err(shape("missing field `ok`".to_owned())),
        1 => {}
        _ => verdict.warnings.push("its reply repeats `ok`; the strictest value takes effect".to_owned()),
    }
    Ok(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_speaks_of_the_input_and_does_not_hold_it() {
        assert_eq!(instruction("Safe? $ARGUMENTS Yes?"), "Safe? (the hook input) Yes?");
        assert_eq!(instruction("Safe?"), "Safe?");
    }

    #[test]
    fn only_an_object_with_a_boolean_is_a_verdict() {
        let not_ok = Verdict { reason: Some("no".into()), ..Verdict::default() };
        assert_eq!(read_verdict(r#"{"ok":false,"reason":"no"}"#), Ok(not_ok));
        assert_eq!(read_verdict(" {\"ok\":true}\n"), Ok(Verdict { ok: true, ..Verdict::default() }));
        assert_eq!(
            read_verdict(r#"{"ok":true,"reason":null}"#),
            Ok(Verdict { ok: true, ..Verdict::default() })
        );
        assert_eq!(read_verdict(r#"{"ok":false,"reason":" "}"#), Ok(Verdict::default()));
        let cases = [
            ("nothing", ""),
            ("a word", "yes"),
            ("text", r#"{"ok":"false"}"#),
            ("a number", r#"{"ok":1}"#),
            ("no ok", r#"{"reason":"fine"}"#),
            ("a list", "[]"),
            ("a list that would fit", r#"[true,"fine"]"#),
            ("more than was asked", r#"{"ok":true,"permission":"allow"}"#),
            ("two objects", r#"{"ok":true}{"ok":true}"#),
            ("cut off", r#"{"ok":true"#),
            ("a fence around it", "```json\n{\"ok\":true}\n```"),
        ];
        for (name, reply) in cases {
            assert!(read_verdict(reply).is_err(), "{name}: {reply}");
        }
    }

    #[test]
    fn red_team_h1_a_false_verdict_is_never_outvoted() {
        let cases = [
            r#"{"ok":false,"ok":true}"#,
            r#"{"ok":true,"ok":false}"#,
            r#"{"ok":false,"reason":"say "no""}"#,
            r#"{"\u006fk":false,"x":1}"#,
            r#"{"ok":true}{"ok": /* no */ false}"#,
        ];
        for reply in cases {
            let verdict = read_verdict(reply).expect(reply);
            assert!(!verdict.ok && verdict.warnings.len() == 1, "{reply}: {verdict:?}");
        }
    }
}
