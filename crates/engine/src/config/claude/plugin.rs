//! The hooks of a plugin: a file of its own, or a part of its manifest; in
//! Cursor's form or in Claude Code's.

use jsonc_parser::ast::{Object, Value};

use super::super::reader::Reader;
use super::super::syntax::{bytes_of, property};
use super::super::{Config, Found, file, read_with};
use super::{for_claude, not_an_object, read_hooks};
use crate::dialect::claude::{ClaudeEvent, Shape, without_counterpart};
use crate::edition::Edition;

/// Reads a plugin's hooks. `in_manifest`: the hooks are the value of the
/// manifest's `hooks`.
pub fn read_plugin(bytes: &[u8], edition: Edition, shape: Shape, in_manifest: bool) -> Config {
    let mut claude = false;
    let config = read_with(bytes, edition, |reader, tree| {
        let Value::Object(top) = tree else { return not_an_object(reader, tree) };
        if in_manifest {
            reader.duplicate_keys_named(top, &["hooks"]);
        }
        let outer = if in_manifest { inline(top) } else { Some(top) };
        let Some(outer) = outer else { return Found { readable: true, ..Found::default() } };
        claude = is_claude(outer);
        if claude {
            reader.duplicate_keys_named(outer, &["hooks"]);
        }
        let readable = read_either(reader, tree, outer, claude, in_manifest, shape);
        let part = in_manifest.then(|| whole(&reader.text[bytes_of(outer)]));
        Found { readable, part, ..Found::default() }
    });
    if claude || in_manifest { for_claude(config) } else { config }
}

fn read_either(
    reader: &mut Reader,
    tree: &Value,
    outer: &Object,
    claude: bool,
    in_manifest: bool,
    shape: Shape,
) -> bool {
    match (claude, property(outer, "hooks")) {
        (true, Some(hooks)) => read_hooks(reader, &hooks.value, shape),
        (true, None) => {
            read_events(reader, outer, shape);
            true
        }
        (false, Some(_)) if !in_manifest => file::read_file(reader, tree),
        (false, Some(hooks)) => file::read_hooks_value(reader, &hooks.value),
        (false, None) if !in_manifest => file::read_file(reader, tree),
        (false, None) => {
            file::read_events(reader, outer);
            true
        }
    }
}

fn read_events(reader: &mut Reader, events: &Object, shape: Shape) {
    for event in super::in_force(events) {
        match ClaudeEvent::named(event.name.as_str()) {
            Some(claude) => super::read_groups(reader, claude, &event.value, shape),
            None => super::unknown_event(reader, event),
        }
    }
}

/// The object in a manifest that holds the hooks.
fn inline<'a>(manifest: &'a Object<'a>) -> Option<&'a Object<'a>> {
    property(manifest, "hooks")?.value.as_object()
}

/// A manifest with nothing but the hooks: its version may change.
fn whole(hooks: &str) -> Vec<u8> {
    format!("{{\n\"hooks\": {hooks}\n}}\n").into_bytes()
}

/// Whether the events bear Claude Code's names.
fn is_claude(outer: &Object) -> bool {
    let events = match property(outer, "hooks").map(|hooks| &hooks.value) {
        Some(Value::Object(events)) => events,
        Some(_) => return false,
        None => outer,
    };
    let is_theirs = |name: &str| ClaudeEvent::named(name).is_some() || without_counterpart(name);
    let theirs = events.properties.iter().filter(|event| is_theirs(event.name.as_str())).count();
    theirs > 0 && property(outer, "version").is_none()
}
