//! What Codex keeps about hooks in its config.toml: which it trusts, whether
//! it runs any, and hooks that stand there beside ours. Read, never written.

use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner, ReadError};

use super::target::{Places, Wired};
use super::wiring::named;

/// What was found.
#[derive(Debug, Default)]
pub struct CodexState {
    /// Events with an entry of ours that Codex has a record of trust for.
    pub trusted: Vec<String>,
    /// Events with an entry of ours that it has none for, or that were switched off.
    pub untrusted: Vec<String>,
    /// Why no hook runs at all.
    pub off: Option<&'static str>,
    /// The file itself has hooks; they run beside ours.
    pub own_hooks: bool,
    /// Why the file could not be read.
    pub problem: Option<String>,
}

/// Reads what concerns our entries. Whether the hash that Codex keeps still
/// fits is known to Codex alone.
pub fn state(places: &Places, wired: &Wired) -> CodexState {
    let mut state = CodexState::default();
    let config = match read(places) {
        Ok(config) => config,
        Err(problem) => {
            state.problem = Some(problem);
            toml::Table::new()
        }
    };
    let hooks = config.get("hooks").and_then(toml::Value::as_table);
    let records = hooks.and_then(|hooks| hooks.get("state")).and_then(toml::Value::as_table);
    for entry in &wired.entries {
        let (group, handler) = entry.place;
        let place =
            format!("{}:{}:{group}:{}", wired.file.display(), snake(&entry.event), handler.unwrap_or(0));
        let record = records.and_then(|records| records.get(&place)).and_then(toml::Value::as_table);
        let known = record.is_some_and(|record| {
            let enabled = record.get("enabled").and_then(toml::Value::as_bool).unwrap_or(true);
            enabled && record.contains_key("trusted_hash")
        });
        if known { &mut state.trusted } else { &mut state.untrusted }.push(entry.event.clone());
    }
    state.own_hooks = hooks.is_some_and(|hooks| hooks.keys().any(|name| name != "state"));
    let features = config.get("features").and_then(toml::Value::as_table);
    let off = ["hooks", "codex_hooks"].into_iter().find(|name| {
        features.and_then(|features| features.get(*name)).and_then(toml::Value::as_bool) == Some(false)
    });
    state.off = off.map(|_| "[features] hooks = false in config.toml");
    state
}

fn read(places: &Places) -> Result<toml::Table, String> {
    let Some(wiring) = named("codex") else { return Ok(toml::Table::new()) };
    let file = places.home_of(wiring).join("config.toml");
    let bytes = match read_file::read(&file, CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => read.bytes,
        Err(ReadError::Absent) => return Ok(toml::Table::new()),
        Err(error) => return Err(format!("{}: {error}", file.display())),
    };
    let text = String::from_utf8(bytes).map_err(|_| format!("{}: it is not UTF-8", file.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {}", file.display(), error.message()))
}

/// `PreToolUse` as Codex writes it down: `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut text = String::new();
    for character in event.chars() {
        if character.is_ascii_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(character.to_ascii_lowercase());
    }
    text
}
