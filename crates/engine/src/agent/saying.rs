//! Words that go to an agent, where its dialect needs them in one text.

use serde_json::Value;

use super::verdict::Words;

/// A reason is never empty: several agents run a call that is refused without one.
pub fn said(reason: &str) -> &str {
    if reason.trim().is_empty() { "A hook held this back and gave no reason." } else { reason }
}

/// Texts below each other; none when there is none.
pub fn joined(one: Option<&str>, other: Option<&str>) -> Option<String> {
    let texts: Vec<&str> = one.into_iter().chain(other).filter(|text| !text.trim().is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// What a person is told beside a refusal: nothing that the model's words say already.
pub fn for_user(words: &Words, notice: Option<&str>) -> Option<String> {
    joined(Some(words.user.as_str()).filter(|user| *user != words.model), notice)
}

/// A tool's output as text, for agents that take nothing else in its place.
pub fn as_text(output: &Value) -> String {
    let text_of = |item: &Value| Some(item.get("text")?.as_str()?.to_owned());
    let texts = |content: &Vec<Value>| content.iter().map(text_of).collect::<Option<Vec<_>>>();
    let text = match output {
        Value::String(text) => text.clone(),
        Value::Array(content) => texts(content).map_or_else(|| output.to_string(), |texts| texts.join("\n")),
        _ => match output.get("content").and_then(Value::as_array).and_then(texts) {
            Some(texts) => texts.join("\n"),
            None => output.to_string(),
        },
    };
    if text.trim().is_empty() { "(empty)".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_reads_as_the_text_it_holds() {
        let cases = [
            (json!("plain"), "plain"),
            (json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "a\nb"),
            (json!([{"text": "a"}]), "a"),
            (json!({"content": [{"type": "image"}]}), r#"{"content":[{"type":"image"}]}"#),
            (json!({"a": 1}), r#"{"a":1}"#),
            (json!(""), "(empty)"),
            (json!(null), "null"),
        ];
        for (output, expected) in cases {
            assert_eq!(as_text(&output), expected, "{output}");
        }
    }

    #[test]
    fn no_reason_is_empty() {
        for blank in ["", " \n"] {
            assert!(said(blank).starts_with("A hook held this back"));
        }
        assert_eq!(joined(Some(" "), None), None);
        assert_eq!(joined(Some("a"), Some("b")).as_deref(), Some("a\nb"));
    }
}
