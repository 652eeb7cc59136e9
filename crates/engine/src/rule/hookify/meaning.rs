//! From a head and a body to a rule.

use std::ops::Range;
use std::path::Path;

use super::condition::{Condition, Field, Operator};
use super::frontmatter::{self, Document, Item, Spanned, Value};
use super::{About, Mode, Options, Rule, RuleFile, advice};
use crate::matcher::python::Pattern;
use crate::problem::Place;

/// What a document says, in one mode.
#[derive(Debug, Clone)]
pub struct Said {
    /// `name`.
    pub name: String,
    /// `enabled`.
    pub enabled: bool,
    /// `event`.
    pub about: About,
    /// `action`.
    pub blocks: bool,
    /// `tool_matcher`.
    pub tools: Option<Vec<String>>,
    /// `conditions`, or `pattern`.
    pub conditions: Vec<Condition>,
    /// The body.
    pub message: Spanned,
    /// A condition that is a plain text: the plugin does not load such a rule.
    pub plain_condition: Option<Range<usize>>,
    /// Whether the one condition is a plain `pattern`.
    pub is_plain_pattern: bool,
}

/// The rule of a document, and everything that is wrong with it.
pub fn rule_of(text: &str, document: &Document, file: &Path, options: Options) -> RuleFile {
    let said = said(document, file, options.mode);
    let other = match options.mode {
        Mode::Fixed => Mode::Faithful,
        Mode::Faithful => Mode::Fixed,
    };
    let otherwise = frontmatter::read(text, other).ok().map(|document| self::said(&document, file, other));
    let mut found = document.problems.clone();
    let broken = advice::about(document, &said, otherwise.as_ref(), options, &mut found);
    found.sort_by_key(|(bytes, _)| bytes.start);
    let problems =
        found.into_iter().map(|(bytes, problem)| problem.at(Place::in_text(text, bytes))).collect();
    let rule = Rule {
        label: format!("hookify {}", said.name),
        name: said.name,
        about: said.about,
        blocks: said.blocks,
        tools: said.tools,
        conditions: said.conditions,
        message: said.message.text,
        options,
        entry: None,
    };
    RuleFile { rule: Some(rule), enabled: said.enabled, broken, problems }
}

/// What a document says.
fn said(document: &Document, file: &Path, mode: Mode) -> Said {
    let text = |key: &str| document.text(key).map(|value| value.text.as_str());
    let about = match document.get("event") {
        None => About::All,
        Some(Value::List(_)) => About::Nothing,
        Some(Value::Text(word)) => About::named(&word.text, mode),
    };
    let blocks = text("action").is_some_and(|action| match mode {
        Mode::Faithful => action == "block",
        Mode::Fixed => ["block", "deny"].iter().any(|word| action.eq_ignore_ascii_case(word)),
    });
    let (mut conditions, plain_condition) = conditions(document);
    let is_plain_pattern = conditions.is_empty() && plain_condition.is_none();
    if is_plain_pattern {
        conditions.extend(plain_pattern(document, about, mode));
    }
    Said {
        name: text("name")
            .filter(|name| !name.is_empty())
            .map_or_else(|| nameless(file, mode), str::to_owned),
        enabled: enabled(document, mode),
        about,
        blocks,
        tools: text("tool_matcher").filter(|tools| !tools.is_empty()).map(|tools| names(tools, mode)),
        is_plain_pattern: is_plain_pattern && !conditions.is_empty(),
        conditions,
        message: document.body.clone(),
        plain_condition,
    }
}

/// A rule without a name is called after its file.
fn nameless(file: &Path, mode: Mode) -> String {
    match mode {
        Mode::Faithful => "unnamed".to_owned(),
        Mode::Fixed => name_of(file),
    }
}

/// The part of a file's name that is the rule's.
pub fn name_of(file: &Path) -> String {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let short = name.strip_prefix("hookify.").unwrap_or(&name);
    let short = short.strip_suffix(".local.md").or_else(|| short.strip_suffix(".md")).unwrap_or(short);
    if short.is_empty() { "unnamed".to_owned() } else { short.to_owned() }
}

/// What the script of a rule is called: letters, digits and `._-` of its name.
pub fn script_name(file: &Path) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let reduced: String =
        name_of(file).chars().map(|letter| if plain(letter) { letter } else { '-' }).collect();
    format!("hookify-{reduced}.sh")
}

fn names(tools: &str, mode: Mode) -> Vec<String> {
    let name = |name: &str| match mode {
        Mode::Faithful => name.to_owned(),
        Mode::Fixed => name.trim().to_owned(),
    };
    match tools {
        "*" => vec!["*".to_owned()],
        tools => tools.split('|').map(name).collect(),
    }
}

/// The plugin knows `true` and `false`, and any other word is yes to it.
fn enabled(document: &Document, mode: Mode) -> bool {
    match (document.get("enabled"), mode) {
        (None, _) => true,
        (Some(Value::List(list)), Mode::Faithful) => !list.is_empty(),
        (Some(Value::List(_)), Mode::Fixed) => true,
        (Some(Value::Text(word)), Mode::Faithful) => !word.text.eq_ignore_ascii_case("false"),
        (Some(Value::Text(word)), Mode::Fixed) => truth(&word.text).unwrap_or(true),
    }
}

/// What YAML calls true and false.
pub fn truth(word: &str) -> Option<bool> {
    let is = |words: [&str; 3]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is(["true", "yes", "on"]) {
        return Some(true);
    }
    is(["false", "no", "off"]).then_some(false)
}

fn conditions(document: &Document) -> (Vec<Condition>, Option<Range<usize>>) {
    let Some(Value::List(items)) = document.get("conditions") else { return (Vec::new(), None) };
    let plain = items.iter().find_map(|item| match item {
        Item::Text(text) => Some(text.bytes.clone()),
        Item::Fields(_) => None,
    });
    let condition = |item: &Item| match item {
        Item::Fields(fields) => Some(condition_of(fields)),
        Item::Text(_) => None,
    };
    (items.iter().filter_map(condition).collect(), plain)
}

fn condition_of(fields: &[(Spanned, Spanned)]) -> Condition {
    let value = |key: &str| fields.iter().rev().find(|(name, _)| name.text == key).map(|(_, value)| value);
    let first = fields.first().map(|(name, _)| name.bytes.clone()).unwrap_or_default();
    let place = |key: &str| value(key).map_or_else(|| first.clone(), |value| value.bytes.clone());
    let text = |key: &str| value(key).map(|value| value.text.clone()).unwrap_or_default();
    Condition {
        field: Field::Named(text("field")),
        operator: value("operator").map_or(Operator::RegexMatch, |word| Operator::named(&word.text)),
        operator_word: text("operator"),
        pattern: Pattern::new(text("pattern")),
        places: ["field", "operator", "pattern"].map(place),
    }
}

/// The one condition of a plain `pattern`.
fn plain_pattern(document: &Document, about: About, mode: Mode) -> Option<Condition> {
    let pattern = document.text("pattern").filter(|pattern| !pattern.text.is_empty())?;
    let named = |name: &str| Field::Named(name.to_owned());
    let field = match (about, mode) {
        (About::Bash, _) => named("command"),
        (About::File, _) => named("new_text"),
        (About::Stop, Mode::Fixed) => named("transcript"),
        (About::Prompt, Mode::Fixed) => named("user_prompt"),
        (About::All, Mode::Fixed) => Field::Subject,
        (About::Stop | About::Prompt | About::All, Mode::Faithful) | (About::Nothing, _) => named("content"),
    };
    let at = pattern.bytes.clone();
    Some(Condition {
        field,
        operator: Operator::RegexMatch,
        operator_word: String::new(),
        pattern: Pattern::new(pattern.text.clone()),
        places: [at.clone(), at.clone(), at],
    })
}
