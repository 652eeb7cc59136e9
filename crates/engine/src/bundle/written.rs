//! The `hooks.json` of a generation, and the events in it that refuse when it
//! cannot be read.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::manifest::{Hook, Release};
use crate::event::EventKind;
use crate::source::Os;

/// One entry, with the keys in the order in which people write them.
#[derive(Serialize)]
struct Entry<'a> {
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u32>,
    #[serde(rename = "failClosed", skip_serializing_if = "is_off")]
    fail_closed: bool,
    /// `null` is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<Option<i64>>,
    #[serde(skip_serializing_if = "is_off")]
    monitor: bool,
}

/// The text of the `hooks.json` that says what a release says on a system. The
/// scripts stand in `folder`, written as the source needs it: `./`.
pub fn hooks_json(release: &Release, os: Os, folder: &str) -> String {
    let mut events: Map<String, Value> = Map::new();
    for hook in release.hooks_on(os) {
        let list = events.entry(&hook.event).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(json!(entry(hook, folder)));
        }
    }
    let text = serde_json::to_string_pretty(&json!({ "version": 1, "hooks": events }));
    text.unwrap_or_default() + "\n"
}

/// The events of a system with a hook whose failure blocks.
pub(super) fn closed(release: &Release, os: Os) -> Vec<String> {
    let blocks = |hook: &&Hook| hook.fail_closed && !hook.monitor;
    let mut names: Vec<String> = release
        .hooks_on(os)
        .filter(blocks)
        .filter(|hook| EventKind::named(&hook.event).is_some_and(EventKind::can_block))
        .map(|hook| hook.event.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn entry<'a>(hook: &'a Hook, folder: &str) -> Entry<'a> {
    Entry {
        command: format!("{folder}{}", hook.script.name),
        matcher: hook.matcher.as_deref(),
        timeout: hook.timeout,
        fail_closed: hook.fail_closed,
        loop_limit: hook.loop_limit.map(|limit| (limit >= 0).then_some(limit)),
        monitor: hook.monitor,
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands a reference
fn is_off(flag: &bool) -> bool {
    !flag
}
