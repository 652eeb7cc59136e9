//! The text of a new hook's script: it reads its event, acts on an example,
//! and answers with fields that the event knows. All from the table of events.

use boathook_engine::definition::Lifetime;
use boathook_engine::event::{AnswerField, EventSpec, Gate, Subject};
use boathook_engine::input::{COMMON, FieldType};
use boathook_engine::schema;
use serde_json::Value;

use crate::commands::init::sample::part;

/// What the example acts on: nobody writes this by chance.
pub const EXAMPLE: &str = "boathook-example";

/// What a hook can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Plain shell; needs no jq
    #[value(aliases = ["sh", "shell"])]
    Bash,
    /// Python 3
    Python,
    /// Node
    Node,
}

/// What the script does when it finds the example.
#[derive(Debug)]
pub enum Act {
    /// Prints these fields; without a value of its own a field is a text.
    Answer(Vec<(&'static str, Option<&'static str>)>),
    /// Leaves with exit code 2.
    ExitCode,
    /// Nothing: no answer counts here.
    Nothing,
}

impl Language {
    pub fn extension(self) -> &'static str {
        match self {
            Language::Bash => "sh",
            Language::Python => "py",
            Language::Node => "mjs",
        }
    }

    fn template(self, lifetime: Lifetime) -> &'static str {
        match (self, lifetime) {
            (Language::Bash, _) => include_str!("scripts/hook.sh"),
            (Language::Python, Lifetime::Stays) => include_str!("scripts/stay.py"),
            (Language::Node, Lifetime::Stays) => include_str!("scripts/stay.mjs"),
            (Language::Python, Lifetime::Event | Lifetime::Ahead) => include_str!("scripts/hook.py"),
            (Language::Node, Lifetime::Event | Lifetime::Ahead) => include_str!("scripts/hook.mjs"),
        }
    }

    /// What a script that stays needs beside it: its name and its text.
    pub fn helper(self) -> Option<(&'static str, &'static str)> {
        match self {
            Language::Bash => None,
            Language::Python => {
                Some(("boathook_hook.py", include_str!("../../../../../helpers/boathook_hook.py")))
            }
            Language::Node => {
                Some(("boathook_hook.mjs", include_str!("../../../../../helpers/boathook_hook.mjs")))
            }
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Language::Bash | Language::Python => "#",
            Language::Node => "//",
        }
    }
}

/// The script.
pub fn text(spec: &EventSpec, language: Language, lifetime: Lifetime) -> String {
    let mut text = String::new();
    for line in language.template(lifetime).lines() {
        match line {
            "@header@" => header(spec, language, lifetime)
                .iter()
                .for_each(|it| push(&mut text, &commented(language, it))),
            "@body@" => text.push_str(&body(spec, language)),
            // Only who leaves with an exit code needs it.
            "@imports@" if matches!(act(spec), Act::ExitCode) => text.push_str("import sys\n\n"),
            "@imports@" => {}
            "@read_json@" => text.push_str(part("@read_json@")),
            other => push(
                &mut text,
                &other.replace("@failure@", failure(spec)).replace("@error_means@", error_means(spec)),
            ),
        }
    }
    text
}

/// The field of the payload that the example looks at: what a matcher looks
/// at, else the event's first text.
pub fn watched(spec: &EventSpec) -> Option<&'static str> {
    match spec.subject {
        Subject::Field(name) => Some(name),
        Subject::McpTool => Some("tool_name"),
        Subject::None | Subject::Constant(_) => {
            spec.inputs.iter().find(|field| field.kind == FieldType::Text).map(|field| field.name)
        }
    }
}

/// What the example does on this event.
pub fn act(spec: &EventSpec) -> Act {
    if spec.gate == Gate::ExitCode {
        return Act::ExitCode;
    }
    let fields: Vec<_> = spec
        .answers
        .iter()
        .filter_map(|field| match field {
            AnswerField::Permission => Some((field.name(), Some("\"deny\""))),
            AnswerField::Continue => Some((field.name(), Some("false"))),
            AnswerField::Env => Some((field.name(), Some("{\"EXAMPLE\":\"1\"}"))),
            AnswerField::UserMessage | AnswerField::AgentMessage | AnswerField::FollowupMessage => {
                Some((field.name(), None))
            }
            AnswerField::AdditionalContext => (spec.gate == Gate::None).then(|| (field.name(), None)),
            AnswerField::UpdatedInput
            | AnswerField::UpdatedMcpToolOutput
            | AnswerField::NewContent
            | AnswerField::PluginPaths => None,
        })
        .collect();
    if fields.is_empty() || watched(spec).is_none() { Act::Nothing } else { Act::Answer(fields) }
}

/// A gate that cannot read its input stays shut.
fn failure(spec: &EventSpec) -> &'static str {
    if spec.gate == Gate::None { "1" } else { "2" }
}

/// The same in words, for the line where it stands.
fn error_means(spec: &EventSpec) -> &'static str {
    match spec.gate {
        Gate::None => "an error is a failure, which `boathook log` shows",
        Gate::Permission | Gate::Continue | Gate::ExitCode => {
            "an error refuses; with 1 it is a failure, and the action proceeds"
        }
    }
}

/// What refuses, and what does not.
fn refusals(language: Language, lifetime: Lifetime) -> Vec<&'static str> {
    let mut lines = match (lifetime, language) {
        (Lifetime::Stays, _) => vec![
            "The helper's `Deny`, thrown with a reason, refuses as well; so do exit code 2 and, as",
            "the last line says, any error. A process that ends or is too slow, and any other",
            "code but 0, is a failure: the action proceeds, unless the entry in",
        ],
        (Lifetime::Event | Lifetime::Ahead, Language::Bash) => vec![
            "Exit code 2 refuses, whatever it prints, and tells the user what stands on stderr.",
            "Any other code but 0 is a failure: the action proceeds, unless the entry in",
        ],
        (Lifetime::Event | Lifetime::Ahead, Language::Python | Language::Node) => vec![
            "Exit code 2 refuses, whatever it prints, and tells the user what stands on stderr;",
            "an error in `main` leaves with it, too, as the end says.",
            "Any other code but 0 is a failure: the action proceeds, unless the entry in",
        ],
    };
    lines.push("hooks.json says \"failClosed\": true.");
    lines
}

fn header(spec: &EventSpec, language: Language, lifetime: Lifetime) -> Vec<String> {
    let stays = lifetime == Lifetime::Stays;
    let mut lines = vec![format!("{}: {}", spec.name, spec.about), String::new()];
    if stays {
        lines.push(
            "Under a daemon its process stays and `main` is called for each event, up to four".to_owned(),
        );
        lines
            .push("processes at once; else each event starts one. What it prints goes to stderr.".to_owned());
        lines.push(String::new());
    }
    let given = if stays { "`main` is given one object:" } else { "It reads one JSON object from stdin:" };
    lines.push(given.to_owned());
    let width = spec.inputs.iter().map(|field| field.name.len()).max().unwrap_or(0);
    lines.extend(spec.inputs.iter().map(|field| format!("  {:width$}  {}", field.name, field.about)));
    let common: Vec<&str> = COMMON.iter().filter(|_| spec.in_conversation).map(|field| field.name).collect();
    lines.push(match common.is_empty() {
        true => "  hook_event_name, cursor_version, workspace_roots, user_email".to_owned(),
        false => "  and the fields of every event: conversation_id, workspace_roots, …".to_owned(),
    });
    lines.push(String::new());
    if spec.answers.is_empty() {
        let nothing = if stays { "returns" } else { "prints" };
        lines
            .push(format!("Nothing it {nothing} counts. What it writes to stderr stands in `boathook log`."));
        return lines;
    }
    let answers = if stays { "It returns one object" } else { "It prints one JSON object to stdout" };
    lines.push(format!("{answers}; {{}} is no opinion:"));
    let about = schema::output(spec.kind);
    let width = spec.answers.iter().map(|field| field.name().len()).max().unwrap_or(0);
    for field in spec.answers {
        let about = about["properties"][field.name()]["description"].as_str().unwrap_or_default();
        lines.push(format!("  {:width$}  {}", field.name(), choices(*field) + about));
    }
    if spec.gate != Gate::None {
        lines.push(String::new());
        lines.extend(refusals(language, lifetime).into_iter().map(str::to_owned));
    }
    lines
}

fn choices(field: AnswerField) -> String {
    match field {
        AnswerField::Permission => "\"allow\", \"deny\" or \"ask\". ".to_owned(),
        AnswerField::Continue => "true or false. ".to_owned(),
        AnswerField::UserMessage
        | AnswerField::AgentMessage
        | AnswerField::UpdatedInput
        | AnswerField::AdditionalContext
        | AnswerField::UpdatedMcpToolOutput
        | AnswerField::NewContent
        | AnswerField::FollowupMessage
        | AnswerField::Env
        | AnswerField::PluginPaths => String::new(),
    }
}

fn commented(language: Language, line: &str) -> String {
    format!("{} {line}", language.comment()).trim_end().to_owned()
}

fn body(spec: &EventSpec, language: Language) -> String {
    let lines = match (watched(spec), language) {
        (Some(field), Language::Bash) => shell(spec, field),
        (Some(field), Language::Python) => python(spec, field),
        (Some(field), Language::Node) => node(spec, field),
        (None, Language::Bash) => vec!["    echo '{}'".to_owned()],
        (None, Language::Python) => vec!["    return {}".to_owned()],
        (None, Language::Node) => vec!["  return {};".to_owned()],
    };
    lines.into_iter().fold(String::new(), |mut text, line| {
        push(&mut text, &line);
        text
    })
}

/// No opinion leaves it to other hooks and to the agent's own rules.
fn or_allow(spec: &EventSpec, comment: &str) -> String {
    match spec.gate {
        Gate::Permission => format!("{comment} no opinion; {{\"permission\": \"allow\"}} allows it"),
        Gate::None | Gate::Continue | Gate::ExitCode => String::new(),
    }
}

const SAYS: &str = "The example hook found";

fn shell(spec: &EventSpec, field: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "    value=$(field {field}) || {{ echo \"the hook could not read its input\" >&2; exit {}; }}",
        failure(spec)
    )];
    let act = act(spec);
    let done: Vec<String> = match &act {
        Act::Nothing => {
            lines.push("    [ -n \"$value\" ] || return 0".to_owned());
            lines.push("    # Do your work here.".to_owned());
            return lines;
        }
        Act::ExitCode => vec![format!("printf '%s\\n' \"{SAYS}: $value\" >&2"), "exit 2".to_owned()],
        Act::Answer(fields) => {
            let texts = fields.iter().filter(|(_, fixed)| fixed.is_none()).count();
            let form =
                |(name, fixed): &(&str, Option<&str>)| format!("\"{name}\":{}", fixed.unwrap_or("\"%s\""));
            let form = fields.iter().map(form).collect::<Vec<_>>().join(",");
            let mut done = Vec::new();
            if texts > 0 {
                done.push(format!("text=$(json_text \"{SAYS}: $value\")"));
            }
            done.push(format!("printf '{{{form}}}\\n'{}", " \"$text\"".repeat(texts)));
            done
        }
    };
    lines.push("    case $value in".to_owned());
    lines.push(format!("    *{EXAMPLE}*)"));
    lines.extend(done.into_iter().map(|line| format!("        {line}")));
    let other = format!("    *) echo '{{}}' ;;{}", or_allow(spec, " #"));
    lines.extend(["        ;;", &other, "    esac"].map(str::to_owned));
    lines
}

fn python(spec: &EventSpec, field: &str) -> Vec<String> {
    let mut lines = vec![format!("    value = str(event.get(\"{field}\") or \"\")")];
    match act(spec) {
        Act::Nothing => {
            lines.push("    if value:".to_owned());
            lines.push("        pass  # Do your work here.".to_owned());
        }
        Act::ExitCode => {
            lines.push(format!("    if \"{EXAMPLE}\" in value:"));
            lines.push(format!("        print(f\"{SAYS}: {{value}}\", file=sys.stderr)"));
            lines.push("        sys.exit(2)".to_owned());
        }
        Act::Answer(fields) => {
            lines.push(format!("    if \"{EXAMPLE}\" in value:"));
            lines.push("        return {".to_owned());
            let value = |fixed: Option<&str>| match fixed {
                Some("false") => "False".to_owned(),
                Some(fixed) => fixed.replace("\":\"", "\": \""),
                None => format!("f\"{SAYS}: {{value}}\""),
            };
            lines.extend(
                fields.iter().map(|(name, fixed)| format!("            \"{name}\": {},", value(*fixed))),
            );
            lines.push("        }".to_owned());
        }
    }
    lines.push(format!("    return {{}}{}", or_allow(spec, "  #")));
    lines
}

fn node(spec: &EventSpec, field: &str) -> Vec<String> {
    let mut lines = vec![format!("  const value = String(event.{field} ?? \"\");")];
    match act(spec) {
        Act::Nothing => {
            lines.push("  if (value) {".to_owned());
            lines.push("    // Do your work here.".to_owned());
        }
        Act::ExitCode => {
            lines.push(format!("  if (value.includes(\"{EXAMPLE}\")) {{"));
            lines.push(format!("    process.stderr.write(`{SAYS}: ${{value}}\\n`);"));
            lines.push("    process.exitCode = 2;".to_owned());
        }
        Act::Answer(fields) => {
            lines.push(format!("  if (value.includes(\"{EXAMPLE}\")) {{"));
            lines.push("    return {".to_owned());
            let value = |fixed: Option<&str>| match fixed {
                Some(fixed) => fixed.replace("\":\"", "\": \""),
                None => format!("`{SAYS}: ${{value}}`"),
            };
            lines.extend(fields.iter().map(|(name, fixed)| format!("      {name}: {},", value(*fixed))));
            lines.push("    };".to_owned());
        }
    }
    lines.push("  }".to_owned());
    lines.push(format!("  return {{}};{}", or_allow(spec, " //")));
    lines
}

/// The example's answer as a case expects it.
pub fn expected_answer(spec: &EventSpec) -> Option<Value> {
    let Act::Answer(fields) = act(spec) else { return None };
    let value = |fixed: Option<&str>| match fixed {
        Some(fixed) => serde_json::from_str(fixed).unwrap_or_default(),
        None => serde_json::json!({ "contains": EXAMPLE }),
    };
    Some(fields.iter().map(|(name, fixed)| ((*name).to_owned(), value(*fixed))).collect())
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
