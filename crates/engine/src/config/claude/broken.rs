//! Hooks with an error whose author wanted a failure to block: they are kept,
//! so that their gate refuses and says why.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::super::findings::unplaced;
use super::super::reader::Reader;
use super::super::syntax::{bytes_of, excerpt, property};
use super::matchers::GroupMatcher;
use crate::definition::{Action, Definition};
use crate::dialect::Dialect;
use crate::dialect::claude::{ClaudeEvent, ClaudeMatcher, Condition, Options, Shape};
use crate::matcher::Matcher;
use crate::problem::Problem;

/// What a hook says of its failures.
pub(super) fn policy(reader: &mut Reader, own: &Object) -> bool {
    let Some(policy) = property(own, "onFailure") else { return false };
    let blocks = says_block(&policy.value);
    let exact = policy.value.as_string_lit().map(|text| &*text.value);
    if !matches!(exact, Some("block" | "continue")) {
        let shown = excerpt(&reader.text[bytes_of(&policy.value)]);
        let read_as = if blocks { "it is read as \"block\"" } else { "a failure lets the action proceed" };
        let message = format!("`onFailure` is {shown}; it can be \"block\" or \"continue\": {read_as}");
        let problem = Problem::warning("on-failure-unknown", message);
        reader.add(bytes_of(&policy.value), problem.help(r#"write "onFailure": "block""#));
    }
    blocks
}

/// Whether something in a value says `onFailure: "block"`.
pub(super) fn wants_block(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.elements.iter().any(wants_block),
        Value::Object(object) => {
            let inside = |key| property(object, key).map(|property| &property.value);
            inside("onFailure").is_some_and(says_block) || inside("hooks").is_some_and(wants_block)
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => false,
    }
}

/// An error whose author wanted a block says what it blocks.
pub(super) fn louder(mut problem: Problem, event: &ClaudeEvent, blocks: bool) -> Problem {
    if blocks && event.kind.can_block() {
        problem
            .message
            .push_str(": it says `onFailure: \"block\"`, so its event is blocked until this is repaired");
    }
    problem
}

/// Keeps what is no hook, when a block is wanted of it, and reports it.
pub(super) fn keep(
    reader: &mut Reader,
    event: &'static ClaudeEvent,
    (value, at): (&Value, Range<usize>),
    group: Option<&GroupMatcher>,
    shape: Shape,
    problem: Problem,
) {
    let blocks = wants_block(value);
    if blocks {
        let group_of_own = value.as_object().map(silent_matcher);
        let matcher = group.map(|group| group.matcher.clone()).or(group_of_own);
        push(reader, event, hook_in(value), bytes_of(value), matcher, shape, problem.message.clone());
    }
    reader.add(at, louder(problem, event, blocks));
}

/// Adds the definition of a hook that cannot run.
pub(super) fn push(
    reader: &mut Reader,
    event: &'static ClaudeEvent,
    own: Option<&Object>,
    at: Range<usize>,
    matcher: Option<ClaudeMatcher>,
    shape: Shape,
    reason: String,
) {
    let text = |key| {
        let value = own.and_then(|own| property(own, key)).map(|property| &property.value);
        value.and_then(Value::as_string_lit).map(|text| text.value.to_string())
    };
    let matcher = matcher.unwrap_or_else(|| ClaudeMatcher::new(""));
    let mut definition = Definition::command(event.kind, "");
    let shown = text("command").or_else(|| text("prompt")).or_else(|| text("url")).unwrap_or_default();
    definition.action = Action::Broken { text: shown, reason };
    definition.fail_closed = true;
    definition.loop_limit = None;
    if !matcher.is_everything() {
        definition.matcher = Matcher::new(matcher.pattern());
    }
    let condition = text("if").and_then(|rule| Condition::parse(&rule));
    let options = Options { shape, matcher: Some(matcher), condition, ..Options::default() };
    definition.dialect = Dialect::Claude(options.into());
    definition.place = Some(unplaced(at));
    reader.definitions.push(definition);
}

fn says_block(value: &Value) -> bool {
    let text = value.as_string_lit().map(|text| text.value.trim().to_ascii_lowercase());
    text.is_some_and(|text| matches!(text.as_str(), "block" | "blocks" | "blocked" | "deny"))
}

/// The hook in a value that wants a block.
fn hook_in<'a>(value: &'a Value<'a>) -> Option<&'a Object<'a>> {
    match value {
        Value::Array(list) => list.elements.iter().find(|value| wants_block(value)).and_then(hook_in),
        Value::Object(object) => {
            let inside =
                property(object, "hooks").map(|hooks| &hooks.value).filter(|hooks| wants_block(hooks));
            inside.map_or(Some(object), hook_in)
        }
        Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => None,
    }
}

/// The matcher of a group whose form is wrong elsewhere.
fn silent_matcher(group: &Object) -> ClaudeMatcher {
    let pattern = property(group, "matcher").and_then(|matcher| matcher.value.as_string_lit());
    ClaudeMatcher::new(pattern.map_or("", |pattern| &pattern.value))
}
