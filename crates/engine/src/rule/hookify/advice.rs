//! What a rule cannot mean, and what to write instead.

use std::ops::Range;

use super::condition::{Condition, Field, Operator};
use super::frontmatter::{Document, Spanned, Value};
use super::meaning::{Said, truth};
use super::{About, Mode, Options, WarnAs, repeats};
use crate::problem::{Place, Problem};

/// Problems and the bytes they stand at.
pub type Found = Vec<(Range<usize>, Problem)>;

const KEYS: [&str; 7] = ["name", "enabled", "event", "pattern", "conditions", "action", "tool_matcher"];

/// Tools that rules name.
const TOOLS: [&str; 10] =
    ["Bash", "Shell", "Write", "Edit", "MultiEdit", "NotebookEdit", "Read", "Grep", "Glob", "Task"];

/// The fields that events of a kind have.
const FIELDS: [(About, &[&str]); 4] = [
    (
        About::Bash,
        &["command", "cwd", "working_directory", "description", "timeout", "sandbox", "transcript"],
    ),
    (
        About::File,
        &[
            "file_path",
            "path",
            "notebook_path",
            "content",
            "new_source",
            "patch",
            "new_text",
            "new_string",
            "old_text",
            "old_string",
            "edits",
            "transcript",
        ],
    ),
    (About::Stop, &["transcript", "reason", "status"]),
    (About::Prompt, &["user_prompt", "prompt", "transcript"]),
];

/// Adds everything that is worth saying; why the rule cannot be decided, if so.
pub fn about(
    document: &Document,
    said: &Said,
    otherwise: Option<&Said>,
    options: Options,
    found: &mut Found,
) -> Option<String> {
    let no_event = head(document, said, options.mode, found);
    repeats::about(document, &KEYS, found);
    if !said.enabled {
        let problem = Problem::hint("hookify-disabled", "the rule is switched off");
        found.push((place(document, "enabled"), problem.help("write `enabled: true` to switch it on")));
    }
    if let Some(otherwise) = otherwise {
        differences(document, said, otherwise, options.mode, found);
    }
    never(document, said, options, found);
    let broken = said.conditions.iter().filter_map(|condition| of_condition(condition, said, options, found));
    let broken: Vec<String> = broken.collect();
    let plain = said.plain_condition.clone().map(|bytes| {
        let message = "a condition is a plain text";
        let problem = Problem::error("hookify-plain-condition", message)
            .help("write `- field: command`, and below it `operator:` and `pattern:`")
            .product("the plugin does not load the rule");
        found.push((bytes, problem));
        message.to_owned()
    });
    no_event.or(plain).or_else(|| broken.into_iter().next())
}

/// A file that is no text.
pub fn not_utf8(bytes: &[u8], at: usize) -> Problem {
    let text = String::from_utf8_lossy(&bytes[..at]);
    Problem::error("hookify-not-utf8", "the file is not UTF-8 from here on")
        .help("save it as UTF-8")
        .at(Place::in_text(&text, text.len()..text.len()))
}

/// Why the rule is for no event, if so.
fn event(document: &Document, said: &Said, mode: Mode, found: &mut Found) -> Option<String> {
    let word = document.text("event").map(|word| word.text.as_str()).unwrap_or_default();
    let at = place(document, "event");
    match said.about.name() {
        None => {
            let message = match word {
                "" => "`event` is empty or a list, so the rule never applies".to_owned(),
                word => format!("`event: {word}` is no event, so the rule never applies"),
            };
            let problem = Problem::error("hookify-event", message.clone());
            found.push((at, problem.help("write bash, file, prompt, stop or all")));
            // The plugin asks such a rule about tools that it does not know.
            (mode == Mode::Fixed).then_some(message)
        }
        Some(name) if document.get("event").is_some() && name != word => {
            let message = format!("`event: {word}` counts as `event: {name}`");
            let problem = Problem::warning("hookify-event", message).help(format!("write `event: {name}`"));
            found.push((at, problem.product("the plugin never asks such a rule")));
            None
        }
        Some(_) => None,
    }
}

/// What is wrong with the head; why the rule cannot be decided, if so.
fn head(document: &Document, said: &Said, mode: Mode, found: &mut Found) -> Option<String> {
    for (key, _) in document.entries.iter().filter(|(key, _)| !KEYS.contains(&key.text.as_str())) {
        let problem =
            Problem::hint("hookify-key", format!("`{}` is no key of a rule and changes nothing", key.text));
        found.push((key.bytes.clone(), problem.help(format!("the keys are {}", KEYS.join(", ")))));
    }
    if let Some(action) = document.text("action").filter(|it| !matches!(it.text.as_str(), "warn" | "block")) {
        let becomes = if said.blocks { "block" } else { "warn" };
        let message = format!("`action: {}` is none; it counts as `{becomes}`", action.text);
        let problem =
            Problem::warning("hookify-action", message).help("write `action: block` or `action: warn`");
        found.push((
            action.bytes.clone(),
            problem.product("the plugin blocks on the exact word `block` alone"),
        ));
    }
    if let Some(Value::List(_)) = document.get("pattern") {
        let problem =
            Problem::warning("hookify-pattern", "`pattern` is a list or empty, and counts for nothing");
        found.push((
            place(document, "pattern"),
            problem.help("write one regular expression behind `pattern:`"),
        ));
    }
    if document.body.text.is_empty() {
        let problem =
            Problem::hint("hookify-message", "the rule has no message: nobody learns why it applies");
        found.push((
            document.body.bytes.clone(),
            problem.help("write what to do instead behind the second `---`"),
        ));
    }
    event(document, said, mode, found)
}

/// Where the two readings see different things.
fn differences(document: &Document, said: &Said, otherwise: &Said, mode: Mode, found: &mut Found) {
    let product = |fixed: &str, faithful: &str| match mode {
        Mode::Fixed => format!("the plugin reads {faithful}"),
        Mode::Faithful => format!("in `fixed` mode it reads {fixed}"),
    };
    let (fixed, faithful) = match mode {
        Mode::Fixed => (said, otherwise),
        Mode::Faithful => (otherwise, said),
    };
    if fixed.enabled != faithful.enabled {
        let word =
            |enabled: bool| if enabled { "the rule as switched on" } else { "the rule as switched off" };
        let problem =
            Problem::warning("hookify-enabled", "`enabled` is more than `true` or `false` to the plugin")
                .help("write `enabled: false` or `enabled: true` with nothing behind it");
        found.push((
            place(document, "enabled"),
            problem.product(product(word(fixed.enabled), word(faithful.enabled))),
        ));
    } else if let Some(word) = document.text("enabled").filter(|word| truth(&word.text).is_none()) {
        let problem = Problem::warning("hookify-enabled", format!("`enabled: {}` counts as yes", word.text));
        found.push((word.bytes.clone(), problem.help("write `enabled: true` or `enabled: false`")));
    }
    let patterns =
        |said: &Said| said.conditions.iter().map(|it| it.pattern.text().to_owned()).collect::<Vec<_>>();
    let (one, two) = (patterns(fixed), patterns(faithful));
    let changed = one.iter().zip(&two).position(|(one, two)| one != two);
    if let Some(index) = changed {
        let problem =
            Problem::warning("hookify-quotes", "the plugin does not read this text as it is written")
                .help("write the pattern plain: no quotes, no comment behind it");
        let product = product(&format!("`{}`", one[index]), &format!("`{}`", two[index]));
        found.push((said.conditions[index].places[2].clone(), problem.product(product)));
    } else if one.len() != two.len() || fixed.message.text != faithful.message.text {
        let at = said.conditions.first().map_or(said.message.bytes.clone(), |first| first.places[0].clone());
        let problem = Problem::warning("hookify-read", "the plugin takes this rule apart in another way")
            .help("keep `---` on lines of its own, and one key of a condition on each line");
        let count = |said: &Said| {
            format!(
                "{} condition(s) and a message of {} bytes",
                said.conditions.len(),
                said.message.text.len()
            )
        };
        found.push((at, problem.product(product(&count(fixed), &count(faithful)))));
    }
}

/// Rules that never apply, or do less than their author thinks.
fn never(document: &Document, said: &Said, options: Options, found: &mut Found) {
    if said.conditions.is_empty() && said.plain_condition.is_none() {
        let problem =
            Problem::warning("hookify-no-condition", "the rule has no condition, so it never applies")
                .help("write `pattern: .*` to have it apply always");
        found.push((place(document, "event"), problem));
    }
    if !said.conditions.is_empty() && document.get("pattern").is_some() && !said.is_plain_pattern {
        let problem = Problem::warning("hookify-pattern", "`pattern` counts for nothing beside `conditions`");
        found.push((place(document, "pattern"), problem.help("remove it, or make it a condition")));
    }
    let told_nobody = said.is_plain_pattern && matches!(said.about, About::Stop | About::Prompt);
    if told_nobody {
        let (field, name) = match said.about {
            About::Stop => ("transcript", "stop"),
            _ => ("user_prompt", "prompt"),
        };
        let product =
            format!("the plugin looks at a field that a {name} does not have: the rule never applies");
        let problem = match options.mode {
            Mode::Fixed => {
                Problem::hint("hookify-plain-pattern", format!("`pattern` is looked for in the {field}"))
            }
            Mode::Faithful => Problem::warning("hookify-plain-pattern", "the rule never applies"),
        };
        let help = format!("write a condition on `{field}` to have it everywhere");
        found.push((place(document, "pattern"), problem.help(help).product(product)));
    }
    if said.about == About::Stop && !said.blocks && options.warn_as == WarnAs::Message {
        let problem =
            Problem::hint("hookify-warn-stop", "a warning at a stop is told to the person, not to the agent");
        found.push((place(document, "event"), problem.help("write `action: block` to have the agent go on")));
    }
    if said.about == About::Prompt && said.blocks {
        let product = "the plugin shows the message and sends the prompt";
        let problem = match options.mode {
            Mode::Fixed => Problem::hint("hookify-block-prompt", "the prompt is held back"),
            Mode::Faithful => Problem::warning("hookify-block-prompt", "the prompt is sent all the same"),
        };
        found.push((place(document, "action"), problem.product(product)));
    }
    if said.tools.is_some() && matches!(said.about, About::Stop | About::Prompt) {
        let problem =
            Problem::warning("hookify-tools", "a stop or a prompt has no tool, so the rule never applies");
        found.push((place(document, "tool_matcher"), problem.help("remove `tool_matcher`")));
    }
    tools(document, said, options.mode, found);
}

/// A `tool_matcher` that fits no tool of the event.
fn tools(document: &Document, said: &Said, mode: Mode, found: &mut Found) {
    let at = place(document, "tool_matcher");
    let names = said.tools.as_deref().unwrap_or_default();
    let is_command = |name: &String| matches!(name.as_str(), "Bash" | "Shell");
    let is_edit = |name: &String| matches!(name.as_str(), "Write" | "Edit" | "MultiEdit" | "NotebookEdit");
    let strange = match (said.about, mode) {
        (About::Bash, Mode::Fixed) => !names.iter().any(|name| name == "*" || is_command(name)),
        // The plugin asks every rule about tools that it does not know.
        (About::Bash, Mode::Faithful) => names.iter().all(is_edit),
        (About::File, _) => names.iter().all(is_command),
        (About::Stop | About::Prompt | About::All | About::Nothing, _) => false,
    };
    if let Some(name) = names.iter().find(|name| known_tool(name).is_some()) {
        let known = known_tool(name).unwrap_or_default();
        let message = format!("`{name}` is no tool: the case of letters counts here");
        let problem = Problem::warning("hookify-tools", message).help(format!("write `{known}`"));
        found.push((at.clone(), problem));
    } else if strange && !names.is_empty() {
        let event = said.about.name().unwrap_or_default();
        let message = format!("`event: {event}` is about other tools, so the rule never applies");
        let problem = Problem::warning("hookify-tools", message);
        found.push((at.clone(), problem.help("remove `tool_matcher`, or change `event`")));
    }
    let odd = |name: &String| {
        name != "*" && name.contains(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ':')))
    };
    if names.iter().any(odd) {
        let problem =
            Problem::warning("hookify-tools", "`tool_matcher` holds names, not a regular expression")
                .help("write `*`, or exact names separated by `|`, such as `Write|Edit`");
        found.push((at, problem));
    }
}

/// The tool that a name means, when only the case of its letters is wrong.
fn known_tool(name: &str) -> Option<&'static str> {
    let known = TOOLS.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    (*known != name).then_some(*known)
}

/// What is wrong with one condition; why it cannot be decided, if so.
fn of_condition(condition: &Condition, said: &Said, options: Options, found: &mut Found) -> Option<String> {
    let [field_at, operator_at, pattern_at] = condition.places.clone();
    unknown_field(condition, said, options, field_at, found);
    let pattern = condition.pattern.text();
    match condition.operator {
        Operator::Unknown => {
            let known: Vec<&str> = Operator::ALL.iter().map(|(name, _)| *name).collect();
            let word = &condition.operator_word;
            let message = match word.as_str() {
                "" => "`operator` is empty, so the rule never applies".to_owned(),
                word => format!("unknown operator `{word}`, so the rule never applies"),
            };
            let meant = Operator::meant(word).map(|meant| format!("did you mean `{meant}`? "));
            let help = format!("{}write one of {}", meant.unwrap_or_default(), known.join(", "));
            found.push((operator_at, Problem::error("hookify-operator", message.clone()).help(help)));
            return Some(message);
        }
        Operator::RegexMatch => {
            if let Some(error) = condition.pattern.error() {
                let message = format!("the regular expression does not compile: {error}");
                let problem = Problem::error("hookify-regex", message.clone())
                    .help("it is a regular expression of Python's")
                    .product("the plugin takes it for one that never fits");
                found.push((pattern_at, problem));
                return Some(message);
            }
        }
        Operator::NotContains if pattern.contains('|') => {
            let problem = Problem::warning(
                "hookify-alternatives",
                "`|` is a plain character here, so this holds nearly always",
            )
            .help(not_any(pattern));
            found.push((pattern_at, problem));
        }
        Operator::Contains | Operator::Equals | Operator::StartsWith | Operator::EndsWith
            if pattern.contains('|') =>
        {
            let problem = Problem::warning(
                "hookify-alternatives",
                "`|` is a plain character here, so this hardly ever holds",
            )
            .help("write `operator: regex_match` for one of several");
            found.push((pattern_at, problem));
        }
        Operator::Contains
        | Operator::Equals
        | Operator::StartsWith
        | Operator::EndsWith
        | Operator::NotContains => {}
    }
    None
}

fn not_any(pattern: &str) -> String {
    format!(
        "write `operator: regex_match` and `pattern: \\A(?![\\s\\S]*({pattern}))`, or one condition for each"
    )
}

fn unknown_field(condition: &Condition, said: &Said, options: Options, at: Range<usize>, found: &mut Found) {
    let Field::Named(name) = &condition.field else { return };
    let Some((_, known)) = FIELDS.iter().find(|(about, _)| *about == said.about) else { return };
    // The plugin looks where a prompt never is.
    let unseen = options.mode == Mode::Faithful
        && ((said.about == About::Prompt && name != "transcript")
            || (said.about == About::Stop && name == "status"));
    if (known.contains(&name.as_str()) && !unseen) || said.tools.is_some() || said.is_plain_pattern {
        return;
    }
    let message = match name.as_str() {
        "" => "the condition names no field, so the rule never applies".to_owned(),
        name => format!("such an event has no field `{name}`, so the rule never applies"),
    };
    let problem =
        Problem::warning("hookify-field", message).help(format!("write one of {}", known.join(", ")));
    found.push((at, problem));
}

/// Where the value of a key stands, or the start of the head.
fn place(document: &Document, key: &str) -> Range<usize> {
    let entry = document.entries.iter().rev().find(|(name, _)| name.text == key);
    match entry {
        Some((_, Value::Text(Spanned { bytes, .. }))) => bytes.clone(),
        Some((name, Value::List(_))) => name.bytes.clone(),
        None => 0..3,
    }
}
