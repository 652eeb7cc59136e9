//! The face behind `type: "prompt"` hooks: the caller supplies the model.

use std::time::Duration;

/// What a model is asked.
#[derive(Debug, Clone)]
pub struct Question {
    /// The hook's condition with the input in it.
    pub prompt: String,
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
}

/// The prompt with the input in place of `$ARGUMENTS`, or behind it.
pub fn fill(prompt: &str, input: &str) -> String {
    if prompt.contains("$ARGUMENTS") {
        prompt.replace("$ARGUMENTS", input)
    } else {
        format!("{prompt}\n\n{input}")
    }
}

/// Reads a model's reply: `{"ok": bool, "reason": text}` and nothing else.
pub fn read_verdict(reply: &str) -> Result<Verdict, String> {
    let value: serde_json::Value =
        serde_json::from_str(reply.trim()).map_err(|_| "its reply is not JSON".to_owned())?;
    let ok = value.get("ok").and_then(serde_json::Value::as_bool).ok_or("its reply has no boolean `ok`")?;
    let reason = value.get("reason").and_then(|reason| reason.as_str()).map(str::to_owned);
    Ok(Verdict { ok, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_stands_where_the_author_put_it() {
        assert_eq!(fill("Safe? $ARGUMENTS Yes?", "{}"), "Safe? {} Yes?");
        assert_eq!(fill("Safe?", "{}"), "Safe?\n\n{}");
    }

    #[test]
    fn only_a_boolean_is_a_verdict() {
        assert_eq!(
            read_verdict(r#"{"ok":false,"reason":"no"}"#),
            Ok(Verdict { ok: false, reason: Some("no".into()) })
        );
        for reply in ["yes", r#"{"ok":"false"}"#, "{}", "[]"] {
            assert!(read_verdict(reply).is_err(), "{reply}");
        }
    }
}
