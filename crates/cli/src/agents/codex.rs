//! What Codex keeps about hooks in its config.toml: which it trusts, whether
//! it runs any, and hooks that stand there beside ours. Read, never written:
//! trust that an installer writes down for itself is worth nothing.

use std::path::PathBuf;

use boathook_engine::digest::Digest;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner, ReadError};
use serde_json::{Value, json};

use super::entries::Entry;
use super::target::{Places, Wired};
use super::wiring::{Scope, named};

/// Seconds that Codex gives a hook which does not say.
const DEFAULT_TIMEOUT: u64 = 600;

/// What was found.
#[derive(Debug, Default)]
pub struct CodexState {
    /// Our entries by event, and what Codex makes of each.
    pub entries: Vec<(String, Trust)>,
    /// Why no hook runs at all.
    pub off: Option<&'static str>,
    /// The file itself has hooks; they run beside ours.
    pub own_hooks: bool,
    /// Why the file could not be read.
    pub problem: Option<String>,
}

/// What Codex makes of one entry. It runs those that it trusts, and skips all
/// others without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Somebody trusted it as it is.
    Trusted,
    /// Nobody was asked yet.
    Never,
    /// Somebody trusted it when it said something else.
    Changed,
    /// Somebody switched it off.
    Off,
    /// There is a record, of an entry that says more than ours do.
    Unknown,
}

impl Trust {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Trust::Trusted => "trusted",
            Trust::Never => "not trusted",
            Trust::Changed => "changed since it was trusted",
            Trust::Off => "switched off",
            Trust::Unknown => "not known",
        }
    }
}

impl CodexState {
    /// The events whose entries stand like this.
    pub fn of(&self, trust: Trust) -> Vec<&str> {
        self.entries.iter().filter(|(_, it)| *it == trust).map(|(event, _)| event.as_str()).collect()
    }

    /// Whether it runs all of ours.
    pub fn trusts_all(&self) -> bool {
        self.entries.iter().all(|(_, trust)| *trust == Trust::Trusted)
    }
}

/// Reads what concerns our entries.
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
    let file = as_codex_spells(places, wired);
    for entry in &wired.entries {
        let (group, handler) = entry.place;
        let event = snake(&entry.event);
        let place = format!("{}:{event}:{group}:{}", file.display(), handler.unwrap_or(0));
        let record = records.and_then(|records| records.get(&place)).and_then(toml::Value::as_table);
        state.entries.push((entry.event.clone(), trust_of(record, entry)));
    }
    state.own_hooks = hooks.is_some_and(|hooks| hooks.keys().any(|name| name != "state"));
    let features = config.get("features").and_then(toml::Value::as_table);
    let off = ["hooks", "codex_hooks"].into_iter().find(|name| {
        features.and_then(|features| features.get(*name)).and_then(toml::Value::as_bool) == Some(false)
    });
    state.off = off.map(|_| "[features] hooks = false in config.toml");
    state
}

/// The file's path in its records. Codex follows the links of its variable,
/// and takes the home as it is spelt.
fn as_codex_spells(places: &Places, wired: &Wired) -> PathBuf {
    let moved = places.environment.iter().any(|(name, _)| name == "CODEX_HOME");
    let settled = if moved && wired.scope == Scope::User { wired.file.canonicalize().ok() } else { None };
    settled.unwrap_or_else(|| wired.file.clone())
}

fn trust_of(record: Option<&toml::Table>, entry: &Entry) -> Trust {
    let Some(record) = record else { return Trust::Never };
    if record.get("enabled").and_then(toml::Value::as_bool) == Some(false) {
        return Trust::Off;
    }
    let kept = record.get("trusted_hash").and_then(toml::Value::as_str);
    match (kept, fingerprint(entry)) {
        (None, _) => Trust::Never,
        (Some(_), None) => Trust::Unknown,
        (Some(kept), Some(now)) if kept == now => Trust::Trusted,
        (Some(_), Some(_)) => Trust::Changed,
    }
}

/// What Codex pins its trust to, seen in version 0.166: the entry with all
/// defaults written out, as JSON without spaces whose names are sorted. None
/// when the entry has names whose part in it we do not know.
fn fingerprint(entry: &Entry) -> Option<String> {
    let known = ["type", "command", "timeout", "async"];
    let handler = entry.handler.as_object()?;
    if handler.keys().any(|name| !known.contains(&name.as_str())) {
        return None;
    }
    let or = |name: &str, default: Value| handler.get(name).cloned().unwrap_or(default);
    let mut pinned = json!({
        "event_name": snake(&entry.event),
        "hooks": [{
            "async": or("async", json!(false)),
            "command": or("command", Value::Null),
            "timeout": or("timeout", json!(DEFAULT_TIMEOUT)),
            "type": or("type", json!("command")),
        }],
    });
    if let Some(matcher) = &entry.matcher {
        pinned["matcher"] = json!(matcher);
    }
    Some(format!("sha256:{}", Digest::of(pinned.to_string().as_bytes())))
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

#[cfg(test)]
mod tests {
    use super::super::entries::entries;
    use super::*;

    const PLAIN: &str =
        "{ \"type\": \"command\", \"command\": \"/opt/boathook agent hook codex\", \"timeout\": 3600 }";

    fn entry(group: &str, handler: &str) -> Entry {
        let text = format!("{{\"hooks\": {{\"PreToolUse\": [{{ {group}\"hooks\": [{handler}] }}]}}}}");
        entries(&text, named("codex").expect("codex")).expect("JSON").remove(0)
    }

    /// Codex 0.166 ran entries with these hashes in its record, and skipped
    /// them with any other.
    #[test]
    fn the_fingerprint_is_the_one_that_codex_pins() {
        let cases = [
            ("", PLAIN.to_owned(), Some("e5cbaa6cdee4248d77a18bf9c81ca288f7abefcd0d2981e581d56b2ed2fa8ab6")),
            (
                "",
                PLAIN.replace(", \"timeout\": 3600", ""),
                Some("134a5919af229d13d18edcf7a09647aebdb425f840b62a1aded22dd6da22fd9e"),
            ),
            (
                "\"matcher\": \"Bash\", ",
                PLAIN.to_owned(),
                Some("733a425694a8acb6e47bf37683399af0005778a5b589ff734c62aca92c75b9f6"),
            ),
            (
                "\"matcher\": \"\", ",
                PLAIN.to_owned(),
                Some("a407ea19d0bfefb486cd51844f5a0b4cf694fcfaa93af16b7bc471162b36066c"),
            ),
            ("", PLAIN.replace(" }", ", \"statusMessage\": \"x\" }"), None),
        ];
        for (group, handler, expected) in cases {
            let expected = expected.map(|hash| format!("sha256:{hash}"));
            assert_eq!(fingerprint(&entry(group, &handler)), expected, "{group}{handler}");
        }
    }

    #[test]
    fn an_entry_is_trusted_only_as_it_was() {
        let ours = entry("", PLAIN);
        let hash = fingerprint(&ours).expect("a plain entry");
        let cases = [
            ("", Trust::Never),
            (&format!("trusted_hash = \"{hash}\""), Trust::Trusted),
            (&format!("trusted_hash = \"{hash}\"\nenabled = true"), Trust::Trusted),
            (&format!("trusted_hash = \"{hash}\"\nenabled = false"), Trust::Off),
            ("trusted_hash = \"sha256:00\"", Trust::Changed),
            ("trusted_hash = 7", Trust::Never),
        ];
        for (record, expected) in cases {
            let record: toml::Table = toml::from_str(record).expect("TOML");
            assert_eq!(trust_of(Some(&record), &ours), expected, "{record}");
        }
        assert_eq!(trust_of(None, &ours), Trust::Never);
    }
}
