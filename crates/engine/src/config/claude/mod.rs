//! Claude Code's form: `hooks` → event → groups of a matcher and hooks.
//!
//! Every hook becomes one definition that carries its group's matcher. What
//! cannot be run is reported with its place, one by one, and is no definition.
//! All other keys of a settings file mean nothing here, and nothing is said
//! about them.

mod broken;
mod calls;
mod handler;
mod matchers;
mod plugin;
#[cfg(test)]
mod tests;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::nearest::{Nearest, nearest};
use super::reader::{Reader, in_force};
use super::syntax::{bytes_of, excerpt, kind_of, property};
use super::{Config, Found, read_with};
use crate::dialect::claude::{CLAUDE_EVENTS, ClaudeEvent, Shape, without_counterpart};
use crate::edition::Edition;
use crate::problem::Problem;

pub(super) use matchers::check_matcher;
pub use plugin::read_plugin;

const GROUPS: &str =
    r#"write "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "…"}]}]"#;

/// Reads a `settings.json` of Claude Code.
pub fn read_settings(bytes: &[u8], edition: Edition, shape: Shape) -> Config {
    let config = read_with(bytes, edition, |reader, tree| {
        let Value::Object(top) = tree else { return not_an_object(reader, tree) };
        reader.duplicate_keys_named(top, &["hooks", "disableAllHooks"]);
        let switches_off = property(top, "disableAllHooks").is_some_and(|flag| is_true(&flag.value));
        if let Some(flag) = property(top, "disableAllHooks").filter(|_| switches_off) {
            let message = "`disableAllHooks` switches off every hook that was written for Claude Code";
            let problem = Problem::hint("claude-disabled", message).help("remove it to run them again");
            reader.add(bytes_of(&flag.name), problem);
        }
        let hooks = property(top, "hooks");
        let readable = hooks.is_none_or(|hooks| read_hooks(reader, &hooks.value, shape));
        let part = hooks.map(|hooks| part(&reader.text[bytes_of(&hooks.value)], switches_off));
        Found { readable, switches_off, part }
    });
    for_claude(config)
}

/// What the original product does with a hooks.json says nothing about these.
fn for_claude(mut config: Config) -> Config {
    config.problems.iter_mut().for_each(|problem| problem.product = None);
    config
}

/// What hooks are made of; the rest of the settings changes often.
fn part(hooks: &str, switches_off: bool) -> Vec<u8> {
    let flag = if switches_off { "\"disableAllHooks\": true,\n" } else { "" };
    format!("{{\n{flag}\"hooks\": {hooks}\n}}\n").into_bytes()
}

fn is_true(value: &Value) -> bool {
    matches!(value, Value::BooleanLit(flag) if flag.value)
}

fn not_an_object(reader: &mut Reader, tree: &Value) -> Found {
    let message = format!("the file is {}, not an object", kind_of(tree));
    reader.add(bytes_of(tree), Problem::error("not-an-object", message).help(GROUPS));
    Found::default()
}

/// Reads `hooks`; says whether it is what it should be.
fn read_hooks(reader: &mut Reader, hooks: &Value, shape: Shape) -> bool {
    let Value::Object(events) = hooks else {
        let message = format!("`hooks` is {}, not an object of events", kind_of(hooks));
        reader.add(bytes_of(hooks), Problem::error("hooks-not-an-object", message).help(GROUPS));
        return false;
    };
    reader.duplicate_keys(events);
    for event in in_force(events) {
        match ClaudeEvent::named(event.name.as_str()) {
            Some(claude) => read_groups(reader, claude, &event.value, shape),
            None => unknown_event(reader, event),
        }
    }
    true
}

fn unknown_event(reader: &mut Reader, event: &ObjectProp) {
    let name = event.name.as_str();
    // Claude Code is wired to us with events that only it has, too.
    if only_wiring(&event.value) {
        return;
    }
    let (shown, lost) = (excerpt(name), lost(&event.value));
    let problem = if without_counterpart(name) {
        let message = format!("`{shown}` has no counterpart here{lost}");
        Problem::warning("claude-event", message).help("Claude Code alone has this event")
    } else {
        let problem = Problem::warning("unknown-event", format!("Claude Code has no event `{shown}`{lost}"));
        match nearest(name, CLAUDE_EVENTS.iter().map(|claude| claude.name)) {
            Nearest::One(meant) => problem.help(format!("did you mean `{meant}`?")),
            Nearest::Several(names) => problem.help(format!("did you mean one of `{}`?", names.join("`, `"))),
            Nearest::Nothing => problem.help(GROUPS),
        }
    };
    reader.add(bytes_of(&event.name), problem);
}

/// Whether all hooks of an event are the line that wires Claude Code to us.
fn only_wiring(value: &Value) -> bool {
    let Value::Array(groups) = value else { return false };
    let is_wired = |hook: &Value| {
        let Value::Object(hook) = hook else { return false };
        let command = property(hook, "command").and_then(|command| command.value.as_string_lit());
        command.is_some_and(|command| calls::is_wiring(&command.value)) || calls::wires_over_http(hook)
    };
    let of_group =
        |group: &Value| match group.as_object().and_then(|group| Some(&property(group, "hooks")?.value)) {
            Some(Value::Array(hooks)) => !hooks.elements.is_empty() && hooks.elements.iter().all(is_wired),
            _ => false,
        };
    !groups.elements.is_empty() && groups.elements.iter().all(of_group)
}

fn lost(value: &Value) -> String {
    let hooks = |group: &Value| match group {
        Value::Object(group) => match property(group, "hooks").map(|hooks| &hooks.value) {
            Some(Value::Array(hooks)) => hooks.elements.len(),
            _ => 1,
        },
        _ => 1,
    };
    let count = match value {
        Value::Array(groups) => groups.elements.iter().map(hooks).sum(),
        _ => 1,
    };
    match count {
        0 => String::new(),
        1 => "; its hook does not run".to_owned(),
        count => format!("; its {count} hooks do not run"),
    }
}

fn read_groups(reader: &mut Reader, event: &'static ClaudeEvent, value: &Value, shape: Shape) {
    let Value::Array(groups) = value else {
        let message = format!("`{}` is {}, not a list of groups", event.name, kind_of(value));
        let problem = Problem::error("event-not-a-list", message).help(GROUPS);
        return broken::keep(reader, event, (value, bytes_of(value)), None, shape, problem);
    };
    for group in &groups.elements {
        match group {
            Value::Object(object) => read_group(reader, event, object, group, shape),
            Value::StringLit(command) => plain_string(reader, command.value.as_ref(), group),
            other => {
                let message = format!("this group of `{}` is {}, not an object", event.name, kind_of(other));
                let problem = Problem::error("group-not-an-object", message).help(GROUPS);
                broken::keep(reader, event, (other, bytes_of(other)), None, shape, problem);
            }
        }
    }
}

fn read_group(reader: &mut Reader, event: &'static ClaudeEvent, group: &Object, value: &Value, shape: Shape) {
    reader.duplicate_keys(group);
    let hooks = match property(group, "hooks").map(|hooks| &hooks.value) {
        Some(Value::Array(hooks)) => hooks,
        Some(other) => {
            let message = format!("`hooks` is {}, not a list of hooks", kind_of(other));
            let problem = Problem::error("hooks-not-a-list", message).help(GROUPS);
            return broken::keep(reader, event, (value, bytes_of(other)), None, shape, problem);
        }
        None => {
            let message = "this entry is no group: it has no list `hooks`, so Claude Code runs nothing of it";
            let problem = Problem::error("group-without-hooks", message);
            let start = group.range.start;
            return broken::keep(reader, event, (value, start..start + 1), None, shape, problem.help(GROUPS));
        }
    };
    let matcher = match matchers::read(group) {
        Ok(matcher) => matcher,
        Err((at, problem)) => return broken::keep(reader, event, (value, at), None, shape, *problem),
    };
    for hook in &hooks.elements {
        match hook {
            Value::Object(own) => handler::read(reader, event, own, &matcher, shape),
            Value::StringLit(command) => plain_string(reader, command.value.as_ref(), hook),
            other => {
                let message = format!("this hook of `{}` is {}, not an object", event.name, kind_of(other));
                let help = r#"write {"type": "command", "command": "…"}"#;
                let problem = Problem::error("hook-not-an-object", message).help(help);
                broken::keep(reader, event, (other, bytes_of(other)), Some(&matcher), shape, problem);
            }
        }
    }
}

fn plain_string(reader: &mut Reader, command: &str, value: &Value) {
    let message = "a string stands where a hook should; Claude Code does not run it";
    let help = format!("write {{\"type\": \"command\", \"command\": \"{}\"}}", excerpt(command));
    reader.add(bytes_of(value), Problem::error("hook-is-a-string", message).help(help));
}
