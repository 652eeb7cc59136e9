//! Sources an agent runs itself: their hooks would fire twice.

use serde_json::Value;

use super::Agent;
use crate::read_file::{self, CONFIG_LIMIT, Owner};
use crate::source::{Level, Levels, Roots};

/// The plugin that decides hookify rules inside Claude Code.
const HOOKIFY: &str = "hookify@";

/// The levels that are left to the agent.
pub fn left_to(agent: &Agent, roots: &Roots) -> Levels {
    let levels = Levels::of(agent.runs_itself);
    let runs_plugins = levels.has(Level::ClaudeUser) && !levels.has(Level::Hookify);
    if runs_plugins && has_hookify(roots) { levels.with(Level::Hookify) } else { levels }
}

/// Whether the user's settings switch the plugin on.
fn has_hookify(roots: &Roots) -> bool {
    let file = roots.home.join(".claude/settings.json");
    let Ok(read) = read_file::read(&file, CONFIG_LIMIT, Owner::Anybody) else { return false };
    let settings: Value = serde_json::from_slice(&read.bytes).unwrap_or_default();
    let plugins = settings.get("enabledPlugins").and_then(Value::as_object);
    plugins.is_some_and(|plugins| {
        plugins.iter().any(|(name, on)| name.starts_with(HOOKIFY) && *on == Value::Bool(true))
    })
}
