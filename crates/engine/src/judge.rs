//! The face behind `type: "prompt"` hooks: the caller supplies the model.
//!
//! What the author wrote and what the event holds are two things, and stay two
//! things: the payload's text is never pasted between instructions.

use std::time::Duration;

use serde::Deserialize;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the condition holds.
    pub ok: bool,
    /// Why not.
    pub reason: Option<String>,
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

/// Reads a model's reply: `{"ok": bool, "reason": text}` and nothing else.
pub fn read_verdict(reply: &str) -> Result<Verdict, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Reply {
        ok: bool,
        reason: Option<String>,
    }
    let reply = reply.trim();
    // A list would be read as the fields in their order.
    if reply.starts_with('[') {
        return Err("its reply is a list".to_owned());
    }
    match serde_json::from_str(reply) {
        Ok(Reply { ok, reason }) => {
            Ok(Verdict { ok, reason: reason.filter(|reason| !reason.trim().is_empty()) })
        }
        Err(error) if error.is_data() => Err(format!("its reply is not {{ok, reason}}: {error}")),
        Err(_) => Err("its reply is not JSON".to_owned()),
    }
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
        let not_ok = Verdict { ok: false, reason: Some("no".into()) };
        assert_eq!(read_verdict(r#"{"ok":false,"reason":"no"}"#), Ok(not_ok));
        assert_eq!(read_verdict(" {\"ok\":true}\n"), Ok(Verdict { ok: true, reason: None }));
        assert_eq!(read_verdict(r#"{"ok":true,"reason":null}"#), Ok(Verdict { ok: true, reason: None }));
        assert_eq!(read_verdict(r#"{"ok":false,"reason":" "}"#), Ok(Verdict { ok: false, reason: None }));
        let cases = [
            ("nothing", ""),
            ("a word", "yes"),
            ("text", r#"{"ok":"false"}"#),
            ("a number", r#"{"ok":1}"#),
            ("no ok", r#"{"reason":"fine"}"#),
            ("a list", "[]"),
            ("a list that would fit", r#"[true,"fine"]"#),
            ("two answers", r#"{"ok":false,"ok":true}"#),
            ("more than was asked", r#"{"ok":true,"permission":"allow"}"#),
            ("two objects", r#"{"ok":true}{"ok":false}"#),
            ("cut off", r#"{"ok":true"#),
            ("a fence around it", "```json\n{\"ok\":true}\n```"),
        ];
        for (name, reply) in cases {
            assert!(read_verdict(reply).is_err(), "{name}: {reply}");
        }
    }
}
