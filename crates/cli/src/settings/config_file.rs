//! Our own `config.toml`, key by key: what is wrong is said, and the rest counts.

use std::path::Path;

use boathook_engine::agent::Preferences;
use boathook_engine::dialect::claude::Shape;
use boathook_engine::edition::Edition;
use boathook_engine::read_file::{self, Owner, ReadError};
use boathook_engine::record::Keep;
use boathook_engine::rule::hookify::Mode;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::ui::Ui;

/// What the file says; what it does not say, or not so that it can be
/// understood, is none.
#[derive(Debug, Default)]
pub struct ConfigFile {
    pub edition: Option<Edition>,
    pub user_email: Option<String>,
    pub loop_ceiling: Option<u32>,
    pub keep: Option<Keep>,
    /// Read by `judge`: a mistake in it costs prompt hooks and nothing else.
    pub judge: Option<Value>,
    pub hookify: Option<Mode>,
    pub project_experiment: Option<bool>,
    pub claude: Option<bool>,
    pub claude_shape: Option<Shape>,
    pub agents: Preferences,
    pub self_protection: Option<bool>,
}

/// Every name the file may have: a table and its keys, or a key of its own.
const KNOWN: [(&str, &[&str]); 10] = [
    ("edition", &[]),
    ("user_email", &[]),
    ("loop_ceiling", &[]),
    ("log", &["payload"]),
    ("judge", &[]),
    ("hookify", &["mode"]),
    ("experiments", &["hooks_ide_project_config"]),
    ("third_party", &["claude", "claude_shape"]),
    ("agents", &["allow", "ask", "refused_calls"]),
    ("self_protection", &[]),
];

/// Reads it, and says what is wrong. Whoever wrote that payloads stay out of
/// the log must not find them there because of a slip elsewhere: where that
/// wish cannot be read, none is kept.
pub fn read(ui: &mut Ui, file: &Path) -> ConfigFile {
    let mut table = match table_of(file) {
        Ok(Some(table)) => table,
        Ok(None) => return ConfigFile::default(),
        Err(problem) => {
            let so = "none of its settings count, and the log keeps no payload";
            ui.warning(&format!("{}: {problem}; {so}", file.display()));
            return ConfigFile { keep: Some(Keep::None), ..ConfigFile::default() };
        }
    };
    let mut reading = Reading { ui, file, table: &mut table };
    let mut config = ConfigFile {
        edition: reading.choice("edition", Edition::named, r#""2.3", "docs" or "2026-09""#),
        user_email: reading.value("user_email", r#"a text like "me@example.com""#),
        loop_ceiling: reading.value("loop_ceiling", "a number like 50"),
        keep: None,
        judge: reading.take("judge"),
        hookify: reading.choice("hookify.mode", Mode::named, r#""fixed" or "faithful""#),
        project_experiment: reading.value("experiments.hooks_ide_project_config", "true or false"),
        claude: reading.value("third_party.claude", "true or false"),
        claude_shape: reading.choice("third_party.claude_shape", Shape::named, r#""claude" or "cursor""#),
        agents: reading.agents(),
        self_protection: reading.value("self_protection", "true or false"),
    };
    config.keep = reading.keep();
    reading.unknown();
    config
}

/// None when there is no such file. Read as hooks.json is: no FIFO, no device,
/// no more than a megabyte.
fn table_of(file: &Path) -> Result<Option<Table>, String> {
    let bytes = match read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody) {
        Ok(read) => read.bytes,
        Err(ReadError::Absent) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    text.parse().map(Some).map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())
}

/// The file while it is read: what was understood is taken out of the table.
struct Reading<'r> {
    ui: &'r mut Ui,
    file: &'r Path,
    table: &'r mut Table,
}

impl Reading<'_> {
    fn take(&mut self, path: &str) -> Option<Value> {
        match path.split_once('.') {
            None => self.table.remove(path),
            Some((table, key)) => self.table.get_mut(table)?.as_table_mut()?.remove(key),
        }
    }

    fn value<T: DeserializeOwned>(&mut self, path: &str, wanted: &str) -> Option<T> {
        let value = self.take(path)?;
        let shown = value.to_string();
        let read = value.try_into().ok();
        if read.is_none() {
            self.warn(&format!("{path} cannot be {shown}; write {wanted}"));
        }
        read
    }

    fn choice<T>(&mut self, path: &str, named: impl Fn(&str) -> Option<T>, choices: &str) -> Option<T> {
        let value = self.take(path)?;
        let chosen = value.as_str().and_then(named);
        if chosen.is_none() {
            self.warn(&format!("{path} cannot be {value}; write {choices}"));
        }
        chosen
    }

    /// What is not written, or not so that it can be understood, is the choice
    /// that lets least through; a refused call runs in neither way of refusing.
    fn agents(&mut self) -> Preferences {
        let one_of = |no: &'static str, yes: &'static str| {
            move |word: &str| match word {
                word if word == no => Some(false),
                word if word == yes => Some(true),
                _ => None,
            }
        };
        let mut chosen = |path: &str, no: &'static str, yes: &'static str| {
            let choices = format!("{no:?} or {yes:?}");
            self.choice(path, one_of(no, yes), &choices).unwrap_or(false)
        };
        Preferences {
            allow_skips_prompt: chosen("agents.allow", "agent", "skip-prompt"),
            ask_where_possible: chosen("agents.ask", "deny", "agent"),
            cancel_refused_calls: chosen("agents.refused_calls", "replace", "cancel"),
        }
    }

    fn keep(&mut self) -> Option<Keep> {
        let asked = self.is_asked();
        let keep = self.choice("log.payload", Keep::named, r#""full", "redacted" or "none""#);
        if asked && keep.is_none() {
            self.warn("what the log may keep cannot be read from it, so it keeps no payload");
            return Some(Keep::None);
        }
        keep
    }

    /// Whether something is said about the log, or in a table that is not
    /// known about payloads.
    fn is_asked(&self) -> bool {
        let known = |name: &str| KNOWN.iter().any(|(known, _)| *known == name);
        let says = |value: &Value| value.as_table().is_some_and(|table| table.contains_key("payload"));
        let is_empty = |value: &Value| value.as_table().is_some_and(Table::is_empty);
        self.table.get("log").is_some_and(|log| !is_empty(log))
            || self.table.iter().any(|(name, value)| !known(name) && says(value))
    }

    /// What is left is not known.
    fn unknown(&mut self) {
        let mut problems = Vec::new();
        for (name, value) in self.table.iter() {
            match (KNOWN.iter().find(|(known, _)| known == name), value) {
                (None, _) => {
                    let names: Vec<&str> = KNOWN.iter().map(|(name, _)| *name).collect();
                    problems.push(format!("`{name}` is not known; there are {}", names.join(", ")));
                }
                (Some((_, keys)), Value::Table(rest)) => {
                    problems.extend(rest.keys().map(|key| {
                        format!("`{key}` in [{name}] is not known; there is {}", keys.join(" and "))
                    }))
                }
                (Some(_), other) => {
                    problems.push(format!("{name} cannot be {other}; write a table [{name}]"))
                }
            }
        }
        problems.iter().for_each(|problem| self.warn(problem));
    }

    fn warn(&mut self, problem: &str) {
        self.ui.warning(&format!("{}: {problem}", self.file.display()));
    }
}
