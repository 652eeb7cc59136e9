//! A hook of Claude Code as an entry of a native hooks.json.
//!
//! The entry keeps the hook's language (`"dialect": "claude"`), so that its
//! script works on; event and matcher are native, so that the original product
//! runs it at the right moment, too.

use serde_json::{Map, Value};

use super::events::{Sees, of_kind};
use super::tools::{KNOWN_TOOLS, native_tool};
use super::{ClaudeMatcher, Options};
use crate::definition::{Action, DEFAULT_PROMPT_TIMEOUT, DEFAULT_TIMEOUT, Definition};
use crate::matcher::Matcher;

/// A converted hook.
#[derive(Debug, Clone)]
pub struct Native {
    /// The fields of its entry.
    pub fields: Map<String, Value>,
    /// What is not quite the same.
    pub notes: Vec<String>,
}

/// The entry for a hook, or why there is none. Hooks of the user's native file
/// run in its directory, and have to find the workspace.
pub fn to_native(definition: &Definition, of_user: bool) -> Result<Native, String> {
    let Some(options) = definition.dialect.claude() else { return Err("it is a native hook".to_owned()) };
    if let Some(condition) = &options.condition {
        return Err(format!("its `if` ({}) cannot be written there", condition.text()));
    }
    let mut notes = Vec::new();
    let mut fields = Map::new();
    let default = match &definition.action {
        Action::Command(_) => {
            fields.insert("command".to_owned(), command(definition, options, of_user, &mut notes).into());
            DEFAULT_TIMEOUT
        }
        Action::Prompt { prompt, model } => {
            fields.insert("type".to_owned(), "prompt".into());
            fields.insert("prompt".to_owned(), prompt.clone().into());
            fields.extend(model.as_ref().map(|model| ("model".to_owned(), model.clone().into())));
            DEFAULT_PROMPT_TIMEOUT
        }
        Action::Rule(_) | Action::Broken { .. } => return Err("it cannot run".to_owned()),
    };
    if let Some(pattern) = matcher(definition, options.matcher.as_ref(), &mut notes)? {
        fields.insert("matcher".to_owned(), pattern.into());
    }
    if definition.timeout != default {
        fields.insert("timeout".to_owned(), seconds(definition.timeout.as_secs_f64()));
    }
    if definition.fail_closed {
        fields.insert("failClosed".to_owned(), true.into());
    }
    if definition.event.loops() {
        fields.insert("loop_limit".to_owned(), Value::Null);
    }
    fields.insert("dialect".to_owned(), "claude".into());
    Ok(Native { fields, notes })
}

fn command(definition: &Definition, options: &Options, of_user: bool, notes: &mut Vec<String>) -> String {
    let mut line = definition.command_line().into_owned();
    if of_user {
        line = format!("cd \"$CLAUDE_PROJECT_DIR\" || exit; {line}");
    }
    if options.background {
        notes.push("it is `async`: it is waited for, and what it prints is thrown away".to_owned());
        line = format!("( {line}\n) >/dev/null 2>&1; exit 0");
    }
    line
}

/// Whole seconds without a point.
fn seconds(seconds: f64) -> Value {
    if seconds.fract() == 0.0 { (seconds as u64).into() } else { seconds.into() }
}

fn matcher(
    definition: &Definition,
    matcher: Option<&ClaudeMatcher>,
    notes: &mut Vec<String>,
) -> Result<Option<String>, String> {
    let Some(matcher) = matcher.filter(|matcher| !matcher.is_everything()) else { return Ok(None) };
    if let Some(reason) = matcher.error() {
        return Err(format!("its matcher does not compile: {reason}"));
    }
    let pattern = matcher.pattern();
    let fits_all = |words: &[&str]| words.iter().all(|word| matcher.fits(word));
    match of_kind(definition.event).map(|claude| claude.sees) {
        Some(Sees::Tool) => tools(matcher, notes),
        Some(Sees::Agent) => Ok(Some(agents(matcher))),
        // A host may name how a session began, so a matcher for some of the ways counts.
        Some(Sees::Start) if fits_all(&["startup", "resume", "clear", "compact"]) => Ok(None),
        Some(Sees::Trigger) if fits_all(&["manual", "auto"]) => Ok(None),
        Some(Sees::End) if fits_all(&["clear", "logout", "prompt_input_exit", "other"]) => Ok(None),
        Some(Sees::Start | Sees::Trigger | Sees::End) => {
            Err(format!("its matcher `{pattern}` has nothing to look at there"))
        }
        Some(Sees::Nothing) | None => Ok(None),
    }
}

/// Native names, each whole.
fn tools(matcher: &ClaudeMatcher, notes: &mut Vec<String>) -> Result<Option<String>, String> {
    let pattern = matcher.pattern();
    let (named, others): (Vec<&str>, bool) = match matcher.names() {
        Some(names) => (names, false),
        None => (KNOWN_TOOLS.iter().copied().filter(|tool| matcher.fits(tool)).collect(), true),
    };
    if others && named.len() == KNOWN_TOOLS.len() {
        return Ok(None);
    }
    let mut words: Vec<String> = Vec::new();
    for name in named {
        match native_tool(name).map(|tool| format!("^{tool}$")) {
            Some(word) if words.contains(&word) => {}
            Some(word) => words.push(word),
            None if others => {}
            None => notes.push(format!("`{name}` in its matcher has no counterpart")),
        }
    }
    if others {
        words.extend(mcp_words(matcher)?);
    }
    if words.iter().any(|word| word.contains("MCP:") && !word.contains("(?:")) {
        notes
            .push("an MCP tool has no server in its name there: the same tool of any server fits".to_owned());
    }
    if words.is_empty() {
        return Err(format!("its matcher `{pattern}` fits no tool there"));
    }
    let native = words.join("|");
    match Matcher::new(native.as_str()).error() {
        None => Ok(Some(native)),
        Some(reason) => Err(format!("its matcher `{pattern}` cannot be written there: {reason}")),
    }
}

/// Names that nobody has, in the form of a tool and of an MCP tool's.
const UNKNOWN: [&str; 4] = ["Zyx", "qvw", "mcp__zyx__qvw", "mcp__qvw__zyx"];

/// The MCP tools that an expression fits. One that would lose tools when it is
/// written as a list of names is not translated.
fn mcp_words(matcher: &ClaudeMatcher) -> Result<Vec<String>, String> {
    let pattern = matcher.pattern();
    let cannot = || format!("its matcher `{pattern}` fits tools that cannot be listed there");
    if UNKNOWN.iter().any(|name| matcher.fits(name)) {
        return Err(cannot());
    }
    let parts = pattern.split('|').map(|part| part.trim_start_matches('^'));
    let servers: Vec<&str> = parts.filter_map(|part| part.strip_prefix("mcp__")).collect();
    if servers.len() != pattern.matches("mcp").count() || (!servers.is_empty() && pattern.contains('(')) {
        return Err(cannot());
    }
    let mut words: Vec<String> = servers.into_iter().map(of_mcp).collect();
    // What is looked for anywhere may stand in the name of an MCP tool, too.
    let literals = pattern.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let elsewhere = |word: &str| !word.contains("mcp") && matcher.fits(&format!("mcp__zyx__{word}"));
    if words.is_empty() && literals.into_iter().any(elsewhere) {
        words.push(format!("^MCP:.*(?:{pattern})"));
    }
    Ok(words)
}

/// What follows the server in the name of an MCP tool.
fn of_mcp(rest: &str) -> String {
    match rest.rsplit_once("__").map(|(_, tool)| tool) {
        Some(tool) if !matches!(tool, "" | ".*" | "*") => format!("^MCP:{tool}"),
        _ => "^MCP:".to_owned(),
    }
}

/// Kinds of subagents by both spellings.
fn agents(matcher: &ClaudeMatcher) -> String {
    let Some(names) = matcher.names() else { return matcher.pattern().to_owned() };
    let mut words = Vec::new();
    for name in names {
        for spelling in [name.to_owned(), camel(name)] {
            let word = format!("^{spelling}$");
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }
    words.join("|")
}

/// `general-purpose` is `generalPurpose` here.
fn camel(name: &str) -> String {
    let mut parts = name.split('-');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let start = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &start.map(String::from).unwrap_or_default() + letters.as_str()
    })
}
