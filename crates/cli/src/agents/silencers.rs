//! What silences Boathook in an agent that is connected: settings that a
//! repository or a user writes, variables, flags. A row for each, as it was seen
//! in the versions that our tests drive, and a look at the variables that are set.
//!
//! Settings are found by `obstacles`; a flag leaves no trace in any file.

use std::ffi::OsStr;

use boathook_engine::config::{Step, json_tree, value_at};
use boathook_engine::problem::Place;
use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;

use super::target::{Places, text_of};
use super::wiring::Wiring;

/// One thing that silences an agent's entries.
#[derive(Debug)]
pub struct Silencer {
    /// The agent's name for a command line.
    pub agent: &'static str,
    /// What is written, set or typed, in Markdown.
    pub what: &'static str,
    pub way: Way,
    pub managed: Managed,
}

/// How it is set.
#[derive(Debug)]
pub enum Way {
    /// In a file of settings.
    Setting,
    /// On the agent's command line, where no file shows it.
    Flag,
    /// By a variable of this name.
    Variable(&'static str, When),
    /// In some other way, which no check finds.
    Other,
}

/// Which values of a variable silence.
#[derive(Debug, Clone, Copy)]
pub enum When {
    /// Any but an empty one, `0`, `false`, `no` and `off`.
    On,
    /// This one.
    Is(&'static str),
    /// Any: it leads to other settings of the machine.
    Set,
    /// One that leads to a folder without our entries.
    LeadsAway,
}

/// What becomes of it with `--managed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Managed {
    /// The machine's hooks run all the same.
    Closes,
    /// It silences the machine's hooks as well.
    Open,
    /// The agent cannot be connected with `--managed`.
    NoRoute,
}

const fn row(agent: &'static str, way: Way, managed: Managed, what: &'static str) -> Silencer {
    Silencer { agent, what, way, managed }
}

const fn variable(agent: &'static str, name: &'static str, when: When, managed: Managed) -> Silencer {
    Silencer { agent, what: "", way: Way::Variable(name, when), managed }
}

use Managed::{Closes, NoRoute, Open};
use Way::{Flag, Other, Setting};
use When::{Is, LeadsAway, On, Set};

/// Every one that is known.
pub const SILENCERS: &[Silencer] = &[
    row(
        "claude",
        Setting,
        Closes,
        "`disableAllHooks: true` in `.claude/settings.json`, `.claude/settings.local.json` or the user's `settings.json`",
    ),
    row("claude", Flag, Closes, "`--bare`, `--safe-mode`"),
    row("claude", Flag, Closes, "`--setting-sources` without `user`: the user's entries are not read"),
    row("claude", Flag, Closes, "`--settings` with `disableAllHooks: true`"),
    variable("claude", "CLAUDE_CODE_SAFE_MODE", On, Closes),
    variable("claude", "CLAUDE_CODE_SIMPLE", On, Closes),
    variable("claude", "CLAUDE_CONFIG_DIR", LeadsAway, Closes),
    row(
        "codex",
        Setting,
        NoRoute,
        "`hooks = false` under `[features]` in `.codex/config.toml` of a folder that Codex trusts, or in the user's `config.toml`",
    ),
    row("codex", Flag, NoRoute, "`--disable hooks`, `-c features.hooks=false`"),
    variable("codex", "CODEX_HOME", LeadsAway, NoRoute),
    row(
        "gemini",
        Setting,
        Closes,
        "`hooksConfig.enabled: false` in `.gemini/settings.json` or the user's `settings.json`",
    ),
    row(
        "gemini",
        Setting,
        Open,
        "`hooksConfig.disabled` with the name or the command of our entries, in `.gemini/settings.json` or the user's `settings.json`",
    ),
    row("gemini", Other, Open, "a folder that is not trusted in Gemini CLI: none of its hooks run there"),
    variable("gemini", "GEMINI_CLI_HOME", LeadsAway, Closes),
    variable("gemini", "GEMINI_CLI_TRUST_WORKSPACE", Is("false"), Open),
    variable("gemini", "GEMINI_RESTRICTED_MODE", Is("true"), Open),
    variable("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", Set, Open),
    row(
        "copilot",
        Setting,
        NoRoute,
        "`disableAllHooks: true` in `.github/copilot/settings.json`, `.github/copilot/settings.local.json`, `.claude/settings.json` or `.claude/settings.local.json`",
    ),
    variable("copilot", "COPILOT_HOME", LeadsAway, NoRoute),
    row(
        "qwen",
        Setting,
        Closes,
        "`disableAllHooks: true` in `.qwen/settings.json` or the user's `settings.json`",
    ),
    row("qwen", Flag, Open, "`--bare`, `--safe-mode`"),
    row(
        "qwen",
        Setting,
        Open,
        "one of the next two variables in `.env`, in `.qwen/.env` or under `env` in `.qwen/settings.json`",
    ),
    variable("qwen", "QWEN_CODE_SAFE_MODE", On, Open),
    variable("qwen", "QWEN_CODE_SIMPLE", On, Open),
    variable("qwen", "QWEN_HOME", LeadsAway, Closes),
    variable("qwen", "QWEN_CODE_SYSTEM_SETTINGS_PATH", Set, Open),
    row("opencode", Flag, NoRoute, "`--pure`"),
    variable("opencode", "OPENCODE_PURE", On, NoRoute),
    variable("opencode", "XDG_CONFIG_HOME", LeadsAway, NoRoute),
    variable("cline", "CLINE_DIR", LeadsAway, NoRoute),
];

impl Silencer {
    /// What it is, in Markdown.
    pub fn text(&self) -> String {
        let Way::Variable(name, when) = self.way else { return self.what.to_owned() };
        match when {
            On => format!("`{name}=1`"),
            Is(value) => format!("`{name}={value}`"),
            Set => format!("`{name}`, which leads to other settings of the machine"),
            LeadsAway => format!("`{name}`, when it leads to a folder without our entries"),
        }
    }
}

impl Way {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Setting => "setting",
            Flag => "flag",
            Way::Variable(..) => "variable",
            Other => "other",
        }
    }
}

impl Managed {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Closes => "closed",
            Open => "still silenced",
            NoRoute => "no such route",
        }
    }
}

/// A variable that is set, and silences.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundVariable {
    /// Where it is set and what it does.
    pub message: String,
    pub help: String,
    /// The machine's hooks run all the same.
    pub spares_managed: bool,
}

/// Finds variables of this environment, and those that files of the workspace
/// set for the agent.
pub fn variables(places: &Places, wiring: &Wiring) -> Vec<FoundVariable> {
    let mut found = Vec::new();
    for silencer in SILENCERS.iter().filter(|it| it.agent == wiring.name) {
        let Way::Variable(name, when) = silencer.way else { continue };
        let spares_managed = silencer.managed == Closes;
        let mut add = |message: String, help: String| {
            found.push(FoundVariable { message, help, spares_managed });
        };
        let value = places.environment.iter().find(|(it, _)| it == name).map(|(_, value)| value);
        match (value, when) {
            (Some(value), LeadsAway) => {
                if let Some((now, usual)) = places.led_away(wiring) {
                    let (now, usual) = (now.display(), usual.display());
                    let value = value.to_string_lossy();
                    let message = format!(
                        "{name} is `{value}`: {} reads {now}, and our entries are in {usual}",
                        wiring.title
                    );
                    add(message, format!("unset {name}, or type `boathook agent install {}`", wiring.name));
                }
            }
            (Some(value), _) if silences(value, when) => {
                let message = format!(
                    "{name} is `{}` in the environment: ours are not called",
                    value.to_string_lossy()
                );
                add(message, format!("unset {name}"));
            }
            _ => {}
        }
        for (file, value, place) in in_files(places, wiring, name) {
            if !matches!(when, LeadsAway) && silences(OsStr::new(&value), when) {
                let message =
                    format!("{file}:{}:{}: `{name}` is `{value}`: ours are not called", place.0, place.1);
                add(message, format!("remove `{name}`"));
            }
        }
    }
    found
}

fn silences(value: &OsStr, when: When) -> bool {
    let value = value.to_string_lossy().trim().to_ascii_lowercase();
    match when {
        On => !["", "0", "false", "no", "off"].contains(&value.as_str()),
        Is(wanted) => value == wanted,
        Set => !value.is_empty(),
        LeadsAway => false,
    }
}

/// Values of a variable in files of the workspace that the agent takes it from:
/// the file, the value, its line and column.
fn in_files(places: &Places, wiring: &Wiring, name: &str) -> Vec<(String, String, (usize, usize))> {
    let Some(workspace) = &places.workspace else { return Vec::new() };
    let mut found = Vec::new();
    for relative in wiring.switches.env_files {
        let file = workspace.join(relative);
        let Some(text) = text_of(&file) else { continue };
        let value = match relative.ends_with(".json") {
            true => in_settings(&text, name),
            false => in_env_file(&text, name),
        };
        found.extend(value.map(|(value, place)| (file.display().to_string(), value, place)));
    }
    found
}

/// The value under `env` of a file in JSON.
fn in_settings(text: &str, name: &str) -> Option<(String, (usize, usize))> {
    let plain = text.trim_start_matches('\u{feff}');
    let tree = json_tree(plain).ok()?;
    let node = value_at(&tree, &[Step::Key("env"), Step::Key(name)])?;
    let Node::StringLit(literal) = node else { return None };
    let range = node.range();
    let place = Place::in_text(plain, range.start..range.end);
    Some((literal.value.to_string(), (place.line, place.column)))
}

/// The last value in a file of lines `NAME=VALUE`.
fn in_env_file(text: &str, name: &str) -> Option<(String, (usize, usize))> {
    let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let values = lines.filter_map(|(index, line)| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once(['=', ':'])?;
        let value = value.trim();
        let quoted = ['"', '\'', '`'].into_iter().find(|quote| value.starts_with(*quote));
        let value = match quoted {
            Some(quote) => value[1..].split(quote).next(),
            None => value.split('#').next(),
        };
        (key.trim() == name).then(|| (value.unwrap_or_default().trim().to_owned(), (index + 1, 1)))
    });
    values.last()
}

#[cfg(test)]
mod tests {
    use super::super::wiring::{WIRINGS, named};
    use super::*;

    #[test]
    fn agents_f7_every_row_is_of_a_known_agent_and_says_what_managed_does() {
        for silencer in SILENCERS {
            let wiring = named(silencer.agent).expect(silencer.agent);
            let has_route = matches!(wiring.managed, super::super::wiring::Place::At(..));
            assert_eq!(has_route, silencer.managed != NoRoute, "{}", silencer.text());
            assert!(!silencer.text().is_empty());
        }
        for wiring in WIRINGS.iter().filter(|wiring| !wiring.home.variable.is_empty()) {
            let moves = |it: &&Silencer| matches!(it.way, Way::Variable(name, LeadsAway) if name == wiring.home.variable);
            assert!(SILENCERS.iter().any(|it| moves(&it)), "{}", wiring.home.variable);
        }
    }

    #[test]
    fn agents_f7_values_are_read_as_the_agents_read_them() {
        let cases = [
            ("A=1", Some("1")),
            ("# A=1", None),
            ("export A = 'on' # why", Some("on")),
            ("A=\"1\"\nA=0", Some("0")),
            ("AB=1", None),
            ("A=true # no", Some("true")),
        ];
        for (text, expected) in cases {
            assert_eq!(in_env_file(text, "A").map(|it| it.0).as_deref(), expected, "{text}");
        }
        let silencing = [("1", On, true), ("0", On, false), ("", On, false), ("false", Is("false"), true)];
        for (value, when, expected) in silencing {
            assert_eq!(silences(OsStr::new(value), when), expected, "{value}");
        }
    }
}
