//! What a case expected, held against what came. Pure.

use boathook_engine::decision::{HookOutcome, HookReport};
use serde_json::{Map, Value};
use similar::TextDiff;

use super::case::{Expect, Pattern};

/// What came of a case.
#[derive(Debug, Default)]
pub struct Actual {
    /// 0, or 2 when the event was refused.
    pub exit: u8,
    pub answer: Map<String, Value>,
    /// What every hook of the event came to, those that did not run included.
    pub hooks: Vec<HookReport>,
    /// What each hook printed to stderr, by its command.
    pub stderr: Vec<(String, String)>,
    /// Names of the fields that hooks themselves wrote.
    pub said: Vec<String>,
}

/// One thing that is not as expected.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// `exit`, `answer`, `ran` or `failed`.
    pub what: &'static str,
    pub expected: String,
    pub actual: String,
}

/// Texts that Boathook writes itself when a refusing hook gave none.
const OUR_WORDS: [&str; 2] = ["user_message", "agent_message"];

/// Everything that is not as expected.
pub fn differences(expect: &Expect, actual: &Actual) -> Vec<Difference> {
    let mut found = Vec::new();
    if let Some(exit) = expect.exit.filter(|exit| *exit != actual.exit) {
        found.push(Difference { what: "exit", expected: exit.to_string(), actual: actual.exit.to_string() });
    }
    if let Some(answer) = &expect.answer {
        found.extend(answer_difference(answer, actual));
    }
    if let Some(ran) = &expect.ran {
        found.extend(list_difference("ran", ran, &labels(actual, |report| ran_at_all(report.outcome))));
    }
    found.extend(list_difference(
        "failed",
        &expect.failed,
        &labels(actual, |report| has_failed(report.outcome)),
    ));
    found
}

impl Difference {
    /// Lines that begin with `-` for what was expected, `+` for what came.
    pub fn lines(&self) -> Vec<String> {
        let (expected, actual) = (format!("{}\n", self.expected), format!("{}\n", self.actual));
        let diff = TextDiff::from_lines(&expected, &actual);
        let changes = diff.iter_all_changes();
        changes.map(|change| format!("{}{}", change.tag(), change.value().trim_end_matches('\n'))).collect()
    }
}

/// Whether a hook was asked.
pub fn ran_at_all(outcome: HookOutcome) -> bool {
    match outcome {
        HookOutcome::Answer
        | HookOutcome::NoOpinion
        | HookOutcome::FailedOpen
        | HookOutcome::FailedClosed => true,
        HookOutcome::Withheld | HookOutcome::Skipped => false,
    }
}

fn has_failed(outcome: HookOutcome) -> bool {
    matches!(outcome, HookOutcome::FailedOpen | HookOutcome::FailedClosed)
}

fn labels(actual: &Actual, which: impl Fn(&HookReport) -> bool) -> Vec<String> {
    actual.hooks.iter().filter(|report| which(report)).map(|report| report.command.clone()).collect()
}

fn list_difference(what: &'static str, expected: &[String], actual: &[String]) -> Option<Difference> {
    let shown = |list: &[String]| if list.is_empty() { "(none)".to_owned() } else { list.join("\n") };
    (expected != actual).then(|| Difference { what, expected: shown(expected), actual: shown(actual) })
}

/// A pattern that fits counts as what it fitted, so that only what differs is shown.
fn answer_difference(expected: &Map<String, Value>, actual: &Actual) -> Option<Difference> {
    let is_ours = |name: &String| {
        OUR_WORDS.contains(&name.as_str()) && !expected.contains_key(name) && !actual.said.contains(name)
    };
    let came: Map<String, Value> = actual
        .answer
        .iter()
        .filter(|(name, _)| !is_ours(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let came = Value::Object(came);
    let expected = resolved(&Value::Object(expected.clone()), Some(&came));
    (expected != came).then(|| Difference {
        what: "answer",
        expected: pretty(&sorted(&expected)),
        actual: pretty(&sorted(&came)),
    })
}

fn resolved(expected: &Value, came: Option<&Value>) -> Value {
    if came == Some(expected) {
        return expected.clone();
    }
    if let (Some(pattern), Some(Value::String(text))) = (Pattern::of(expected), came)
        && pattern.fits(text)
    {
        return Value::from(text.as_str());
    }
    match expected {
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (name.clone(), resolved(value, came.and_then(|came| came.get(name)))))
            .collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, value)| resolved(value, came.and_then(|came| came.get(at))))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => expected.clone(),
    }
}

/// The order of keys is no difference, so none is shown.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut pairs: Vec<_> =
                object.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            pairs.into_iter().collect()
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn an_answer_is_compared_whole_and_texts_may_be_patterns() {
        let deny = json!({"permission": "deny", "user_message": "no force push", "agent_message": "ours"});
        let cases = [
            ("the same", json!({"permission": "deny", "user_message": "no force push"}), true),
            ("a part of a text", json!({"permission": "deny", "user_message": {"contains": "force"}}), true),
            (
                "an expression",
                json!({"permission": "deny", "user_message": {"matches": "^no .* push$"}}),
                true,
            ),
            (
                "a part that is not there",
                json!({"permission": "deny", "user_message": {"contains": "x"}}),
                false,
            ),
            (
                "our own words when asked for",
                json!({"permission": "deny", "user_message": {"contains": "n"}, "agent_message": "ours"}),
                true,
            ),
            (
                "and they are compared then",
                json!({"permission": "deny", "user_message": {"contains": "n"}, "agent_message": "x"}),
                false,
            ),
            ("a key too few", json!({"permission": "deny"}), false),
            (
                "a key too many",
                json!({"permission": "deny", "user_message": {"contains": "n"}, "new_content": "x"}),
                false,
            ),
            ("nothing", json!({}), false),
        ];
        for (name, expected, same) in cases {
            let expect = Expect { answer: Some(object(expected)), ..Expect::default() };
            let actual = Actual {
                answer: object(deny.clone()),
                said: vec!["user_message".into()],
                ..Actual::default()
            };
            assert_eq!(differences(&expect, &actual).is_empty(), same, "{name}");
        }
    }

    #[test]
    fn only_what_differs_is_marked() {
        let expect = Expect {
            exit: Some(2),
            answer: Some(object(json!({"user_message": {"contains": "force"}, "permission": "deny"}))),
            ran: Some(vec!["a".into()]),
            ..Expect::default()
        };
        let actual = Actual {
            answer: object(json!({"permission": "allow", "user_message": "a force push"})),
            ..Actual::default()
        };
        let lines: Vec<_> = differences(&expect, &actual).iter().flat_map(Difference::lines).collect();
        let expected = [
            "-2",
            "+0",
            " {",
            "-  \"permission\": \"deny\",",
            "+  \"permission\": \"allow\",",
            "   \"user_message\": \"a force push\"",
            " }",
            "-a",
            "+(none)",
        ];
        assert_eq!(lines, expected);
    }
}
