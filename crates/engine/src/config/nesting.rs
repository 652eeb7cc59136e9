//! Claude Code's form inside a Cursor file: a group with a matcher and hooks.
//!
//! The hooks of a group are read as entries of their own, which inherit what
//! the group says about matcher, timeout, `failClosed` and `loop_limit`.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};

use super::entry::{read_element, read_entry};
use super::keys;
use super::reader::Reader;
use super::syntax::{bytes_of, one_line, property};
use crate::event::EventKind;
use crate::problem::{Edit, Fix, Problem};

/// A group beyond these is no person's work; repeating its options for every
/// hook could make a small file a very large one.
const MANY: usize = 100;
const LONG: usize = 1024;

/// What a group says for all its hooks, looked up once.
pub(super) struct Group<'a>([(&'static str, Option<&'a Value<'a>>); 4]);

impl<'a> Group<'a> {
    fn of(object: &'a Object<'a>) -> Group<'a> {
        Group(keys::INHERITED.map(|key| (key, property(object, key).map(|property| &property.value))))
    }

    /// An option that hooks inherit.
    pub fn option(&self, key: &str) -> Option<&'a Value<'a>> {
        self.0.iter().find(|(name, _)| *name == key).and_then(|(_, value)| *value)
    }
}

/// The hooks of a group, if the object is one.
pub(super) fn hooks_of<'a>(object: &'a Object<'a>) -> Option<&'a Array<'a>> {
    let hooks = property(object, "hooks")?.value.as_array()?;
    property(object, "command").is_none().then_some(hooks)
}

/// Reads every hook of a group as an entry of its own.
pub(super) fn read_group(reader: &mut Reader, event: EventKind, group: &Object, hooks: &Array) {
    reader.duplicate_keys(group);
    keys::check_group(reader, group);
    let message = "this is Claude Code's form, a group with `hooks` in it; it is read as flat entries";
    let mut problem = Problem::warning("claude-nesting", message)
        .help(format!("write {}", flat(reader.text, group, hooks)))
        .product("drops the whole file");
    problem.fix = flatten(reader, group, hooks);
    reader.add(group.range.start..group.range.start + 1, problem);
    let options = Group::of(group);
    for hook in &hooks.elements {
        match hook {
            Value::Object(own) => read_entry(reader, event, own, Some(&options)),
            other => read_element(reader, event, other),
        }
    }
}

/// The first hook of a group in the flat form, for the help text.
fn flat(text: &str, group: &Object, hooks: &Array) -> String {
    let Some(Value::Object(own)) = hooks.elements.first() else {
        return r#"{"matcher": "…", "command": "./hook.sh"}"#.to_owned();
    };
    let parts: Vec<_> =
        inherited(group, own).chain(&own.properties).map(|part| &text[bytes_of(part)]).collect();
    let more = if hooks.elements.len() > 1 { ", and so on" } else { "" };
    format!("{{{}}}{more}", one_line(&parts.join(", "), 200))
}

/// The edits that take the group's brackets away and give its options to its
/// hooks. Nothing is offered where a comment would go with the brackets.
fn flatten(reader: &Reader, group: &Object, hooks: &Array) -> Option<Fix> {
    let objects: Option<Vec<&Object>> = hooks.elements.iter().map(Value::as_object).collect();
    let objects = objects.filter(|objects| objects.iter().all(|own| !own.properties.is_empty()))?;
    let head = group.range.start..objects.first()?.range.start;
    let tail = objects.last()?.range.end..group.range.end;
    let lost = has_comment(reader, &head) || has_comment(reader, &tail);
    if lost || hooks.elements.len() > MANY || head.len() + tail.len() > LONG {
        return None;
    }
    let mut edits =
        vec![Edit { bytes: head, text: String::new() }, Edit { bytes: tail, text: String::new() }];
    for own in objects {
        let given: String =
            inherited(group, own).map(|part| format!("{}, ", &reader.text[bytes_of(part)])).collect();
        if let Some(first) = own.properties.first().filter(|_| !given.is_empty()) {
            edits.push(Edit::insert(first.range.start, given));
        }
    }
    Some(Fix { edits })
}

/// What a group gives to a hook: all it says that the hook does not say itself.
fn inherited<'a>(group: &'a Object<'a>, own: &'a Object<'a>) -> impl Iterator<Item = &'a ObjectProp<'a>> {
    let given = |part: &&ObjectProp| {
        let name = part.name.as_str();
        name != "hooks" && property(own, name).is_none()
    };
    group.properties.iter().filter(given)
}

fn has_comment(reader: &Reader, bytes: &Range<usize>) -> bool {
    let comments = &reader.outline.comments;
    let next = comments.partition_point(|comment| comment.start < bytes.start);
    comments.get(next).is_some_and(|comment| comment.start < bytes.end)
}
