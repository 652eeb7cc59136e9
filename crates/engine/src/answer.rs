//! Reads a hook's answer, generously.
//!
//! snake_case and camelCase, Claude's `hookSpecificOutput`, `decision` and
//! `reason` on any event; unknown keys are ignored, near misses are warned
//! about. Of a repeated deciding key the strictest value takes effect: a hook that
//! pastes text into its JSON must not be outvoted by that text. What an answer
//! means for the event is decided in `merge`.
//!
//! Pure: an object in, an `Answer` out.

mod nested;
mod refusal;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::event::{AnswerField, EventKind, Gate};
use crate::payload::{Payload, compact, text_of};

use nested::nested_refusal;
use refusal::refusing_word;
pub use refusal::{refusal_in, says_false};

/// What a hook says of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Permission {
    Allow,
    Ask,
    Deny,
}

/// One hook's answer.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // each field is the answer field of that name
pub struct Answer {
    pub permission: Option<Permission>,
    /// `continue`.
    pub proceed: Option<bool>,
    pub user_message: Option<String>,
    pub agent_message: Option<String>,
    pub updated_input: Option<Box<RawValue>>,
    pub additional_context: Option<String>,
    pub updated_mcp_tool_output: Option<Box<RawValue>>,
    pub new_content: Option<String>,
    pub followup_message: Option<String>,
    pub env: Vec<(String, String)>,
    pub plugin_paths: Vec<String>,
    /// Claude's `systemMessage`: for the person, and no part of a decision.
    pub system_message: Option<String>,
    /// The hook refused by exit code 2.
    pub by_exit_code: bool,
}

/// An answer, and what was odd about it.
#[derive(Debug, Clone, Default)]
pub struct ReadAnswer {
    /// The answer.
    pub answer: Answer,
    /// What its author should know.
    pub warnings: Vec<String>,
    /// A value that cannot be meant: the answer is not one.
    pub wrong_shape: Option<String>,
    /// A key that looks like one of ours and is none.
    pub near_miss: Option<String>,
    /// Whether any key of ours was there.
    pub says_something: bool,
}

impl Permission {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Permission::Allow => "allow",
            Permission::Ask => "ask",
            Permission::Deny => "deny",
        }
    }

    /// The permission of this name.
    pub fn named(name: &str) -> Option<Permission> {
        [Permission::Allow, Permission::Ask, Permission::Deny].into_iter().find(|it| it.name() == name)
    }
}

impl Answer {
    /// A bare refusal.
    pub fn deny() -> Answer {
        Answer { permission: Some(Permission::Deny), ..Answer::default() }
    }

    /// Whether it has an opinion, in whichever words.
    pub fn speaks_of_permission(&self) -> bool {
        self.permission.is_some() || self.proceed.is_some()
    }

    /// Whether it refuses, in whichever words.
    pub fn refuses(&self) -> bool {
        self.permission == Some(Permission::Deny) || self.proceed == Some(false)
    }
}

/// Every key an answer may have.
const KEYS: &[&str] = &[
    "permission",
    "continue",
    "user_message",
    "userMessage",
    "agent_message",
    "agentMessage",
    "updated_input",
    "updatedInput",
    "additional_context",
    "additionalContext",
    "updated_mcp_tool_output",
    "updatedMcpToolOutput",
    "updatedMCPToolOutput",
    "new_content",
    "newContent",
    "followup_message",
    "followupMessage",
    "env",
    "pluginPaths",
    "plugin_paths",
    "hookSpecificOutput",
    "permissionDecision",
    "permissionDecisionReason",
    "decision",
    "reason",
    "stopReason",
    "systemMessage",
    "suppressOutput",
];

/// Those of Claude Code and of agents that follow it. Copilot has `permissionDecision` at the top level.
const CLAUDE_KEYS: &[&str] = &[
    "hookSpecificOutput",
    "permissionDecision",
    "permissionDecisionReason",
    "decision",
    "reason",
    "stopReason",
    "systemMessage",
    "suppressOutput",
];

/// Every key that means something in `hookSpecificOutput`, here or in Claude Code.
const INNER_KEYS: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "reason",
    "decision",
    "updatedInput",
    "updated_input",
    "additionalContext",
    "additional_context",
    "updatedMCPToolOutput",
    "updatedMcpToolOutput",
    "updatedToolOutput",
];

/// Whether a key means something in an answer.
pub(crate) fn is_key(key: &str) -> bool {
    KEYS.contains(&key) || INNER_KEYS.contains(&key)
}

/// Reads one object as the answer of a hook on this event.
pub fn read_answer(object: &Payload, event: EventKind) -> ReadAnswer {
    let mut reader = Reader { event, read: ReadAnswer::default(), near_refusal: None };
    reader.native(object);
    if object.written().any(|(key, _)| CLAUDE_KEYS.contains(&key)) {
        reader.claude(object);
    }
    reader.near_misses(object);
    reader.heed_near_misses();
    reader.nested_refusals(object);
    reader.read
}

/// The permission that a value of a deciding key asks for, when it refuses or asks.
/// None for keys that decide nothing.
pub fn refusing_value(key: &str, value: &RawValue) -> Option<Permission> {
    let decides = DECIDING_KEYS.iter().any(|known| plain_key(key) == plain_key(known));
    if !decides {
        return None;
    }
    if value.get() == "false" {
        return Some(Permission::Deny);
    }
    if let Some(text) = text_of(value) {
        return refusing_word(&text);
    }
    let inner = serde_json::from_str::<Payload>(value.get()).ok()?;
    // `hookSpecificOutput` holds texts, so that this ends with the next level.
    inner
        .written()
        .filter(|(_, value)| !value.get().starts_with('{'))
        .filter_map(|(key, value)| refusing_value(key, value))
        .max()
}

/// Members whose value is data of a tool.
const TOOL_DATA_KEYS: &[&str] = &[
    "updated_input",
    "updatedInput",
    "updated_mcp_tool_output",
    "updatedMcpToolOutput",
    "updatedMCPToolOutput",
];

/// Keys that decide about an action, at whichever level.
const DECIDING_KEYS: &[&str] =
    &["permission", "continue", "decision", "hookSpecificOutput", "permissionDecision"];

struct Reader {
    event: EventKind,
    read: ReadAnswer,
    /// What misspelt deciding keys ask for.
    near_refusal: Option<Permission>,
}

impl Reader {
    fn native(&mut self, object: &Payload) {
        for value in self.deciding([object], "permission") {
            let permission = self.permission(value);
            self.read.answer.permission = self.read.answer.permission.max(permission);
        }
        for value in self.deciding([object], "continue") {
            let proceed = self.boolean(value);
            self.read.answer.proceed = [self.read.answer.proceed, proceed].into_iter().flatten().min();
        }
        self.read.answer.user_message = self.message(object, &["user_message", "userMessage"]);
        self.read.answer.agent_message = self.message(object, &["agent_message", "agentMessage"]);
        self.read.answer.additional_context =
            self.message(object, &["additional_context", "additionalContext"]);
        self.read.answer.followup_message = self.message(object, &["followup_message", "followupMessage"]);
        if let Some(value) = self.rewrite(object, &["new_content", "newContent"], AnswerField::NewContent) {
            self.read.answer.new_content = text_of(&value);
            if self.read.answer.new_content.is_none() {
                self.wrong(format!("`new_content` must be a string, not {}", kind_of(&value)));
            }
        }
        self.read.answer.updated_input = self.updated_input(object);
        self.read.answer.updated_mcp_tool_output =
            self.take(object, &["updated_mcp_tool_output", "updatedMcpToolOutput", "updatedMCPToolOutput"]);
        if let Some(value) = self.take(object, &["env"]) {
            self.read.answer.env = self.variables(&value);
        }
        if let Some(value) = self.take(object, &["pluginPaths", "plugin_paths"]) {
            match serde_json::from_str(value.get()) {
                Ok(paths) => self.read.answer.plugin_paths = paths,
                Err(_) => self.wrong("`pluginPaths` must be a list of strings".to_owned()),
            }
        }
    }

    /// What is in `hookSpecificOutput`; several of them are read as one. A misspelt
    /// key there is not an answer.
    fn inner(&mut self, object: &Payload) -> Payload {
        let mut inner = Payload::default();
        let mut any = false;
        for value in object.values("hookSpecificOutput").filter(|value| value.get() != "null") {
            match serde_json::from_str::<Payload>(value.get()) {
                Ok(one) => {
                    any = true;
                    inner.push_all(one);
                }
                Err(_) => {
                    self.wrong(format!("`hookSpecificOutput` must be an object, not {}", kind_of(value)));
                }
            }
        }
        if !any {
            return inner;
        }
        let mut misspelt = false;
        for (key, value) in inner.written().filter(|(key, _)| !INNER_KEYS.contains(key)) {
            let outer = ["permission", "continue"].iter().find(|known| is_near(key, known));
            if let Some(known) = INNER_KEYS.iter().find(|known| is_near(key, known)) {
                misspelt = true;
                self.near(
                    &format!("hookSpecificOutput.{key}"),
                    &format!("hookSpecificOutput.{known}"),
                    value,
                );
            } else if let Some(known) = outer {
                misspelt = true;
                self.near(&format!("hookSpecificOutput.{key}"), known, value);
            }
        }
        self.read.says_something |= !misspelt;
        inner
    }

    /// Claude's fields. Where the native ones spoke, they add what is missing;
    /// of two permissions the stricter one counts.
    fn claude(&mut self, object: &Payload) {
        let inner = self.inner(object);
        let reason = self
            .message(&inner, &["permissionDecisionReason", "reason"])
            .or_else(|| self.message(object, &["permissionDecisionReason", "reason", "stopReason"]));
        for value in self.deciding([object, &inner], "permissionDecision") {
            // Claude's `defer` leaves the decision to somebody else: a person.
            let deferred = text_of(value).is_some_and(|text| text == "defer");
            let permission = if deferred { Some(Permission::Ask) } else { self.permission(value) };
            self.set_permission(permission);
        }
        for value in self.deciding([object, &inner], "decision") {
            match text_of(value) {
                Some(decision) => self.decision(&decision, reason.as_deref()),
                None => self.wrong(format!("`decision` must be a string, not {}", kind_of(value))),
            }
        }
        if self.read.answer.updated_input.is_none() {
            self.read.answer.updated_input = self.updated_input(&inner);
        }
        if self.read.answer.additional_context.is_none() {
            self.read.answer.additional_context =
                self.message(&inner, &["additionalContext", "additional_context"]);
        }
        if self.read.answer.updated_mcp_tool_output.is_none() {
            self.read.answer.updated_mcp_tool_output =
                self.take(&inner, &["updatedMCPToolOutput", "updatedMcpToolOutput", "updatedToolOutput"]);
        }
        let speaks = self.read.answer.speaks_of_permission();
        if let Some(reason) = reason.filter(|_| speaks) {
            self.read.answer.user_message.get_or_insert(reason);
        }
        // Without effect on a decision; reading them keeps an answer that holds
        // nothing else from counting as an unknown one.
        self.read.answer.system_message = self.message(object, &["systemMessage"]);
        self.take(object, &["suppressOutput"]);
    }

    /// `decision` means something else on each kind of event.
    fn decision(&mut self, decision: &str, reason: Option<&str>) {
        let spec = self.event.spec();
        match decision {
            "block" | "deny" if self.event.loops() => {
                let words = reason.unwrap_or_default().to_owned();
                self.read.answer.followup_message.get_or_insert(words);
            }
            "block" | "deny" if spec.gate == Gate::None => {
                if let Some(reason) = reason {
                    self.read.answer.additional_context.get_or_insert(reason.to_owned());
                }
            }
            "block" | "deny" => self.set_permission(Some(Permission::Deny)),
            "approve" | "allow" => self.set_permission(Some(Permission::Allow)),
            "ask" => self.set_permission(Some(Permission::Ask)),
            other => self.wrong(format!("`decision` is `{other}`; write `block` or `approve`")),
        }
    }

    /// On a prompt, Claude's words mean `continue`. Deny beats ask beats allow,
    /// within one answer too.
    fn set_permission(&mut self, permission: Option<Permission>) {
        let Some(said) = permission else { return };
        let answer = &mut self.read.answer;
        let differs = if self.event.spec().gate == Gate::Continue && said != Permission::Ask {
            let proceed = said == Permission::Allow;
            let before = answer.proceed.replace(answer.proceed.unwrap_or(true) && proceed);
            before.is_some_and(|before| before != proceed)
        } else {
            let before = answer.permission;
            answer.permission = before.max(Some(said));
            before.is_some_and(|before| before != said)
        };
        if differs {
            let warning = "the answer says two things about its permission; the stricter one counts";
            self.read.warnings.push(warning.to_owned());
        }
    }

    fn near_misses(&mut self, object: &Payload) {
        for (key, value) in object.written().filter(|(key, _)| !KEYS.contains(key)) {
            if let Some(known) = KEYS.iter().find(|known| is_near(key, known)) {
                self.near(key, known, value);
            } else if is_near(key, "permissionDecision") {
                self.near(key, "hookSpecificOutput.permissionDecision", value);
            }
        }
    }

    /// A misspelt key is not an answer by itself, but a permission next to it must
    /// not be more lenient than what it says.
    fn heed_near_misses(&mut self) {
        if self.read.answer.speaks_of_permission() {
            self.set_permission(self.near_refusal);
        }
    }

    /// A refusal inside a member takes effect: a value that was pasted into the answer may have moved it there.
    fn nested_refusals(&mut self, object: &Payload) {
        if !self.event.can_block() {
            return;
        }
        for (key, value) in object.written() {
            let is_tool_data = TOOL_DATA_KEYS.contains(&key);
            let Some(refusal) = nested_refusal(value, is_tool_data) else { continue };
            if self.read.answer.refuses() || self.read.answer.permission >= Some(refusal) {
                continue;
            }
            self.read.warnings.push(format!(
                "the answer has `{}` inside `{key}`; the strictest value takes effect: write JSON with a library, not with `printf`",
                refusal.name()
            ));
            self.read.says_something = true;
            self.read.answer.permission = self.read.answer.permission.max(Some(refusal));
        }
    }

    /// A key that means nothing, and the one that was meant.
    fn near(&mut self, key: &str, meant: &str, value: &RawValue) {
        self.read.warnings.push(format!("the answer has `{key}`, which means nothing; write `{meant}`"));
        let name = meant.rsplit('.').next().unwrap_or(meant);
        if DECIDING_KEYS.contains(&name) {
            self.read.near_miss = Some(key.to_owned());
            self.near_refusal = self.near_refusal.max(refusing_value(name, value));
        }
    }

    /// Every value of a key that decides. The caller takes the strictest.
    fn deciding<'o>(
        &mut self,
        objects: impl IntoIterator<Item = &'o Payload>,
        name: &str,
    ) -> Vec<&'o RawValue> {
        let objects: Vec<&Payload> = objects.into_iter().collect();
        let repeated = objects.iter().any(|object| object.values(name).count() > 1);
        if repeated {
            self.read.warnings.push(format!("the answer repeats `{name}`; the strictest value takes effect"));
        }
        let all = objects.iter().flat_map(|object| object.written());
        let values: Vec<_> = all.filter(|(key, value)| *key == name && value.get() != "null").collect();
        self.read.says_something |= !values.is_empty();
        values.into_iter().map(|(_, value)| value).collect()
    }

    /// The value of a field that replaces what the agent uses. Where two values
    /// differ, neither can be called the stricter one, so that the action is denied.
    fn rewrite(&mut self, object: &Payload, names: &[&str], field: AnswerField) -> Option<Box<RawValue>> {
        let all = object.written().filter(|(key, value)| names.contains(key) && value.get() != "null");
        let mut values = all.map(|(_, value)| compact(value.get()));
        let first = values.next();
        let differ = values.any(|value| Some(value) != first);
        if differ && self.event.can_block() && self.event.answers(field) {
            let name = names[0];
            self.read
                .warnings
                .push(format!("the answer has different values for `{name}`; the action is denied"));
            self.read.answer.permission = Some(Permission::Deny);
        }
        self.take(object, names)
    }

    /// The first of these keys that is there and not null; a second one that
    /// differs is warned about.
    fn take(&mut self, object: &Payload, names: &[&str]) -> Option<Box<RawValue>> {
        let mut found: Option<(&str, &RawValue)> = None;
        for name in names {
            if object.values(name).count() > 1 {
                self.read.warnings.push(format!("the answer repeats `{name}`; the last value takes effect"));
            }
            let Some(value) = object.get(name).filter(|value| value.get() != "null") else { continue };
            match found {
                None => found = Some((name, value)),
                Some((first, kept)) if kept.get() != value.get() => {
                    self.read
                        .warnings
                        .push(format!("the answer has both `{first}` and `{name}`; `{first}` counts"));
                }
                Some(_) => {}
            }
        }
        self.read.says_something |= found.is_some();
        found.map(|(_, value)| value.to_owned())
    }

    fn message(&mut self, object: &Payload, names: &[&str]) -> Option<String> {
        let value = self.take(object, names)?;
        let text = text_of(&value);
        if text.is_none() {
            let name = names[0];
            self.read
                .warnings
                .push(format!("`{name}` must be a string, not {}; it is ignored", kind_of(&value)));
        }
        text.filter(|text| !text.trim().is_empty())
    }

    fn permission(&mut self, value: &RawValue) -> Option<Permission> {
        let text = text_of(value);
        let permission = text.as_deref().and_then(Permission::named);
        if permission.is_none() {
            let given = text.map_or_else(|| kind_of(value).to_owned(), |text| format!("`{text}`"));
            self.wrong(format!("`permission` is {given}; write `allow`, `deny` or `ask`"));
        }
        permission
    }

    fn boolean(&mut self, value: &RawValue) -> Option<bool> {
        let boolean = serde_json::from_str(value.get()).ok();
        if boolean.is_none() {
            self.wrong(format!("`continue` must be true or false, not {}", kind_of(value)));
        }
        boolean
    }

    fn updated_input(&mut self, object: &Payload) -> Option<Box<RawValue>> {
        let names = ["updated_input", "updatedInput"];
        let value = self.rewrite(object, &names, AnswerField::UpdatedInput)?;
        if !value.get().starts_with('{') {
            self.wrong(format!("`updated_input` must be an object, not {}", kind_of(&value)));
            return None;
        }
        Some(value)
    }

    fn variables(&mut self, value: &RawValue) -> Vec<(String, String)> {
        let Ok(Value::Object(map)) = serde_json::from_str::<Value>(value.get()) else {
            self.wrong("`env` must be an object of strings".to_owned());
            return Vec::new();
        };
        let mut variables = Vec::new();
        for (name, value) in map {
            match value {
                Value::String(text) => variables.push((name, text)),
                _ => self.read.warnings.push(format!("`env.{name}` must be a string; it is ignored")),
            }
        }
        variables
    }

    fn wrong(&mut self, what: String) {
        self.read.wrong_shape.get_or_insert(what);
    }
}

fn kind_of(value: &RawValue) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// The same letters in another case or with other separators, or one letter off.
fn is_near(key: &str, known: &str) -> bool {
    let (key, known) = (plain_key(key), plain_key(known));
    key == known || (known.len() > 5 && one_letter_apart(key.as_bytes(), known.as_bytes()))
}

fn plain_key(key: &str) -> String {
    key.replace(['_', '-', ' '], "").to_lowercase()
}

fn one_letter_apart(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let same_head = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let same_tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    same_head + same_tail >= a.len().max(b.len()) - 1
}

#[cfg(test)]
#[path = "answer/tests.rs"]
mod tests;
