//! A hookify rule as a shell script that needs nothing but `grep`.
//!
//! The script is given one value, such as `"${command}"`. It runs on dash and
//! bash. What it cannot say is a reason not to write it.

use boathook_engine::event::{Call, EVENTS, EventKind};
use boathook_engine::matcher::python::NEWLINE;
use boathook_engine::rule::hookify::{About, Condition, Field, Operator, Origin, Rule, WarnAs};
use serde_json::json;

use crate::ui::matters_to_a_terminal;

/// A script and where it is asked.
#[derive(Debug)]
pub struct Script {
    /// The event of its entry.
    pub event: EventKind,
    /// The payload's field it is given.
    pub value: &'static str,
    /// Its text.
    pub text: String,
}

/// The fields a script can be given: the rule's names, what happens, the payload's name.
const FIELDS: [(&[&str], Call, &str); 4] = [
    (&["command"], Call::Shell, "command"),
    (&["user_prompt", "prompt"], Call::Prompt, "prompt"),
    (&["file_path", "path"], Call::Read, "file_path"),
    (&["reason", "status"], Call::Stop, "status"),
];

/// The script of a rule, whose file has this name and these bytes; why there is none.
pub fn script(rule: &Rule, file: &str, bytes: &[u8]) -> Result<Script, String> {
    if file.chars().any(ends_a_comment) {
        return Err("its name holds a control character; rename the file".to_owned());
    }
    let (call, value) = given(rule)?;
    let spec = EVENTS.iter().find(|spec| spec.call == call).ok_or("no event has it")?;
    let mut tests = Vec::new();
    for condition in &rule.conditions {
        tests.push(if is_always(condition) { "true".to_owned() } else { test(condition)? });
    }
    if tests.is_empty() {
        return Err("it has no condition, so it never applies".to_owned());
    }
    let newline = tests.iter().any(|test| test.contains("$NL"));
    let text = format!(
        "#!/bin/sh\n{}\n# Description: {}\n{}\n\nINPUT=\"$1\"\n{}\nif {}; then\n  cat <<'EOF'\n{}\nEOF\n  exit 0\nfi\n\necho '{}'\n",
        Origin::rule_line(file),
        description(rule),
        Origin::sha256_line(bytes),
        if newline { "# Newlines are looked at as this character.\nNL=$(printf '\\001')\n" } else { "" },
        tests.join(" &&\n  "),
        answer(rule, call),
        otherwise(call),
    );
    Ok(Script { event: spec.kind, value, text })
}

/// What the script is given: all conditions must be about one value.
fn given(rule: &Rule) -> Result<(Call, &'static str), String> {
    let name = |condition: &Condition| match &condition.field {
        Field::Named(name) if name == "transcript" && is_always(condition) => "status".to_owned(),
        Field::Named(name) => name.clone(),
        Field::Subject => "pattern of an `all` rule".to_owned(),
    };
    let mut found = None;
    for condition in &rule.conditions {
        let name = name(condition);
        let field = FIELDS.iter().find(|(names, _, _)| names.contains(&name.as_str()));
        let Some(&(_, call, value)) = field else {
            return Err(format!(
                "a script is given command, prompt, file_path or status, and it tests `{name}`"
            ));
        };
        if found.is_some_and(|other| other != (call, value)) {
            return Err("it tests two values, and a script is given one".to_owned());
        }
        found = Some((call, value));
    }
    let (call, value) = found.ok_or("it has no condition, so it never applies")?;
    let fits = match rule.about {
        About::All => true,
        About::Bash => call == Call::Shell,
        About::File => call == Call::Read,
        About::Prompt => call == Call::Prompt,
        About::Stop => call == Call::Stop,
        About::Nothing => false,
    };
    if !fits {
        return Err(format!("its event has no `{value}`, so it never applies"));
    }
    let tool = match call {
        Call::Shell => "Bash",
        Call::Read => "Read",
        Call::None | Call::Tool | Call::Edit | Call::Prompt | Call::Stop => "*",
    };
    match &rule.tools {
        Some(tools) if !tools.iter().any(|name| name == "*" || name == tool) => {
            Err(format!("its `tool_matcher` does not name {tool}, which the script would be asked about"))
        }
        Some(_) | None => Ok((call, value)),
    }
}

/// A pattern that fits whatever there is.
fn is_always(condition: &Condition) -> bool {
    condition.operator == Operator::RegexMatch && matches!(condition.pattern.text(), ".*" | "")
}

fn test(condition: &Condition) -> Result<String, String> {
    let text = condition.pattern.text();
    let case = |before: &str, behind: &str, holds: [&str; 2]| {
        let pattern = quoted(text);
        format!("case \"$INPUT\" in {before}{pattern}{behind}) {};; *) {};; esac", holds[0], holds[1])
    };
    if text.contains('\0') {
        return Err("its pattern holds a NUL".to_owned());
    }
    Ok(match condition.operator {
        Operator::RegexMatch => return regex(condition),
        Operator::Contains => case("*", "*", ["true", "false"]),
        Operator::NotContains => case("*", "*", ["false", "true"]),
        Operator::StartsWith => case("", "*", ["true", "false"]),
        Operator::EndsWith => case("*", "", ["true", "false"]),
        Operator::Equals => format!("[ \"$INPUT\" = {} ]", quoted(text)),
        Operator::Unknown => return Err("its operator is none".to_owned()),
    })
}

/// Letters count whatever their case. In C.UTF-8 a character beyond ASCII is
/// one; a machine without that locale stays in C, where it is several bytes.
fn regex(condition: &Condition) -> Result<String, String> {
    let ere = condition
        .pattern
        .to_ere()
        .map_err(|what| format!("grep cannot say what its pattern says: {what}"))?;
    let pattern = quoted(&ere.text).replace(NEWLINE, "'\"$NL\"'");
    Ok(if ere.sees_lines {
        // All lines are one record: a pattern may begin on one and end on another.
        format!(
            "{{ printf '%s' \"$INPUT\" | tr '\\n' '\\001'; printf '\\000'; }} | LC_ALL=C.UTF-8 grep -qziE -e {pattern}"
        )
    } else {
        format!("printf '%s\\n' \"$INPUT\" | LC_ALL=C.UTF-8 grep -qiE -e {pattern}")
    })
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// One line: nothing of a message can end the text it stands in.
fn answer(rule: &Rule, call: Call) -> String {
    let text = format!("**[{}]**\n{}", rule.name, rule.message);
    let text = text.trim_end();
    let permission = match (rule.blocks, rule.options.warn_as) {
        (true, _) | (false, WarnAs::Deny) => "deny",
        (false, WarnAs::Ask) => "ask",
        (false, WarnAs::Message) => "allow",
    };
    let answer = match (call, permission) {
        (Call::Prompt, "deny") => json!({ "continue": false, "user_message": text }),
        (Call::Prompt, _) => json!({ "continue": true, "user_message": text, "additional_context": text }),
        (Call::Stop, "allow") => json!({ "user_message": text }),
        (Call::Stop, _) => json!({ "followup_message": text }),
        (_, "allow") => json!({ "user_message": text, "agent_message": text }),
        (_, permission) => json!({ "permission": permission, "user_message": text, "agent_message": text }),
    };
    answer.to_string()
}

fn otherwise(call: Call) -> &'static str {
    match call {
        Call::Prompt => r#"{"continue": true}"#,
        Call::Stop => "{}",
        Call::None | Call::Tool | Call::Shell | Call::Read | Call::Edit => r#"{"permission": "allow"}"#,
    }
}

/// What a line of a comment must not hold: it would end there, or show as
/// something else than it is.
fn ends_a_comment(letter: char) -> bool {
    matters_to_a_terminal(letter)
}

/// The first line of the message that says something, without its marks.
fn description(rule: &Rule) -> String {
    let plain = |line: &str| -> String {
        let kept =
            line.chars().filter(|letter| !ends_a_comment(*letter) && !matches!(letter, '#' | '*' | '`'));
        kept.collect::<String>().trim().to_owned()
    };
    let line = rule.message.lines().map(plain).find(|line| !line.is_empty());
    line.unwrap_or_else(|| plain(&rule.name))
}
