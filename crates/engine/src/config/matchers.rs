//! Looks closely at matchers: whether they compile, and whether they can ever match.
//!
//! Compiling is dear, so `read` leaves it out; `check` asks for it.

use super::claude;
use super::nearest::{Nearest, nearest};
use super::syntax::excerpt;
use crate::definition::{Action, Definition};
use crate::event::Subject;
use crate::matcher::{Matcher, Verdict};
use crate::problem::Problem;

/// The tools that are known to be announced by name; MCP tools come as `MCP:name`.
const TOOLS: [&str; 8] = ["Shell", "Read", "Write", "Grep", "Delete", "Task", "WebFetch", "WebSearch"];

/// Claude Code's tools, and what they are called here.
const CLAUDE_TOOLS: [(&str, &str); 6] = [
    ("Bash", "Shell"),
    ("Edit", "Write"),
    ("MultiEdit", "Write"),
    ("NotebookEdit", "Write"),
    ("Agent", "Task"),
    ("Glob", "Grep"),
];

/// Every matcher that does not compile, or that looks as if it never matched.
pub fn check_matchers(definitions: &[Definition]) -> Vec<Problem> {
    let all = definitions.iter().filter(|definition| !definition.matcher.is_everything());
    all.filter_map(|definition| {
        match definition.dialect.claude().and_then(|claude| claude.matcher.as_ref()) {
            Some(matcher) => claude::check_matcher(definition, matcher),
            None => check(definition),
        }
    })
    .collect()
}

fn check(definition: &Definition) -> Option<Problem> {
    if matches!(definition.action, Action::Broken { .. }) {
        return None;
    }
    let matcher = &definition.matcher;
    let mut problem = match matcher.error() {
        Some(reason) => invalid(definition, &reason),
        None => match definition.event.spec().subject {
            Subject::None => None,
            Subject::Constant(word) => never_matches(definition, word),
            Subject::McpTool => claude_mcp(matcher),
            Subject::Field("tool_name") => claude_mcp(matcher).or_else(|| no_known_tool(matcher)),
            Subject::Field(field) => wrong_subject(definition, field),
        },
    }?;
    problem.place = definition.matcher_place.clone().or_else(|| definition.place.clone());
    Some(problem)
}

fn invalid(definition: &Definition, reason: &str) -> Option<Problem> {
    let shown = excerpt(definition.matcher.pattern());
    let too_much = reason.contains("more than we follow");
    let what = if too_much { "cannot be used" } else { "is no regular expression" };
    let mut message = format!("the matcher `{shown}` {what}: {reason}");
    if definition.fail_closed && definition.event.can_block() {
        message.push_str("; it says `failClosed`, so its event is blocked until this is repaired");
    }
    let help = match definition.matcher.pattern().strip_prefix('*') {
        _ if reason.contains("characters, which is more than we follow") => {
            "write several hooks with shorter matchers, or decide in the script".to_owned()
        }
        _ if too_much => {
            "repeat it less often, or any number of times: `+` for {1,}, `*` for {0,}".to_owned()
        }
        Some(rest) => {
            format!("`*` alone matches everything; for a file pattern write .*{}", rest.replace('.', r"\."))
        }
        None => r"put a backslash before a character that stands for itself, like \( or \[".to_owned(),
    };
    Some(Problem::error("matcher-invalid", message).help(help).product("drops the whole file"))
}

/// The subject is always the same word, and this matcher does not fit it.
fn never_matches(definition: &Definition, word: &str) -> Option<Problem> {
    if definition.matcher.matches(word) != Verdict::NoMatch {
        return None;
    }
    let (name, shown) = (definition.event.name(), excerpt(definition.matcher.pattern()));
    let message = format!(
        "the hook never runs: `{name}` is matched against the word `{word}`, and `{shown}` is not in it"
    );
    let help = "leave the matcher out, and look at the event in the script";
    Some(Problem::warning("matcher-never-matches", message).help(help))
}

fn claude_mcp(matcher: &Matcher) -> Option<Problem> {
    let pattern = matcher.pattern();
    let alone =
        pattern.contains("mcp__") && !TOOLS.iter().any(|tool| matcher.matches(tool) == Verdict::Match);
    let tool = pattern.rsplit("__").next().filter(|tool| !tool.trim_matches(['.', '*', '$', ')']).is_empty());
    alone.then(|| {
        let message = format!(
            "`{}` is Claude Code's name of an MCP tool; here it is `MCP:` and the tool",
            excerpt(pattern)
        );
        let help = format!("write MCP:{}", tool.map_or_else(String::new, excerpt));
        Problem::hint("matcher-of-claude", message).help(help)
    })
}

/// A word may be part of an MCP tool's name, which nobody knows beforehand:
/// only what looks like a slip, or cannot fit `MCP:name`, is a warning.
fn no_known_tool(matcher: &Matcher) -> Option<Problem> {
    let pattern = matcher.pattern();
    if pattern.contains("MCP") || TOOLS.iter().any(|tool| matcher.matches(tool) == Verdict::Match) {
        return None;
    }
    let shown = excerpt(pattern);
    let never = format!("`{shown}` matches no tool that is known: the hook does not run");
    if let Some((claude, here)) = CLAUDE_TOOLS.iter().find(|(it, _)| matcher.matches(it) == Verdict::Match) {
        let help = format!("write {here}: Claude Code's `{claude}` is `{here}` here");
        return Some(Problem::warning("matcher-no-known-tool", never).help(help));
    }
    let mut words = pattern.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    if let Some(meant) = words.find_map(|word| match nearest(word, TOOLS.into_iter()) {
        Nearest::One(meant) => Some(meant),
        Nearest::Several(_) | Nearest::Nothing => None,
    }) {
        let help = format!("did you mean `{meant}`?");
        return Some(Problem::warning("matcher-no-known-tool", never).help(help));
    }
    let help = format!("the known tools are {}", TOOLS.join(", "));
    // `^` holds it to the beginning, where an MCP tool has `MCP:`.
    let anchored = pattern.starts_with('^') && !pattern.contains('|');
    Some(if anchored {
        Problem::warning("matcher-no-known-tool", never).help(help)
    } else {
        let message =
            format!("`{shown}` matches no tool that is known; it is right only for an MCP tool of this name");
        Problem::hint("matcher-no-known-tool", message).help(help)
    })
}

/// Names of tools, where the subject is a command or a kind of subagent.
fn wrong_subject(definition: &Definition, field: &str) -> Option<Problem> {
    let pattern = definition.matcher.pattern();
    let is_tool = |word: &str| {
        let word = word.trim_matches(['^', '$', '(', ')']);
        TOOLS.contains(&word) || CLAUDE_TOOLS.iter().any(|(claude, _)| *claude == word)
    };
    pattern.split('|').all(is_tool).then(|| {
        let (name, shown) = (definition.event.name(), excerpt(pattern));
        let message = format!("`{shown}` names a tool, but `{name}` is matched against `{field}`");
        let help = format!("leave the matcher out, or write a part of `{field}`");
        Problem::hint("matcher-wrong-subject", message).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind::{self, *};
    use crate::problem::Severity::{self, *};

    fn found(event: EventKind, pattern: &str, fail_closed: bool) -> Option<(Severity, Problem)> {
        let mut definition = Definition::command(event, "./a.sh");
        definition.matcher = Matcher::new(pattern);
        definition.fail_closed = fail_closed;
        check_matchers(&[definition]).pop().map(|problem| (problem.severity, problem))
    }

    #[test]
    fn a_matcher_is_doubted_only_when_it_looks_wrong() {
        let cases = [
            (PreToolUse, "", None),
            (PreToolUse, "*", None),
            (PreToolUse, "Shell", None),
            (PreToolUse, "Bash|Shell", None),
            (PreToolUse, "MCP:create_issue", None),
            (PreToolUse, "Bash", Some((Warning, "matcher-no-known-tool"))),
            (PreToolUse, "shell", Some((Warning, "matcher-no-known-tool"))),
            (PreToolUse, "^(Wirte|Raed)$", Some((Warning, "matcher-no-known-tool"))),
            (PreToolUse, "^$x", Some((Warning, "matcher-no-known-tool"))),
            (PostToolUse, "dashboard", Some((Hint, "matcher-no-known-tool"))),
            (PostToolUse, "mcp__memory__*", Some((Hint, "matcher-of-claude"))),
            (BeforeMcpExecution, "mcp__memory__read", Some((Hint, "matcher-of-claude"))),
            (BeforeMcpExecution, "exec", None),
            (BeforeShellExecution, "curl|wget", None),
            (BeforeShellExecution, "Shell", Some((Hint, "matcher-wrong-subject"))),
            (SubagentStart, "Task", Some((Hint, "matcher-wrong-subject"))),
            (SubagentStart, "generalPurpose|explore", None),
            (AfterFileEdit, "Write|Edit", None),
            (AfterFileEdit, r".*\.(ts|tsx)$", Some((Warning, "matcher-never-matches"))),
            (Stop, "Stop", None),
            (Stop, "completed", Some((Warning, "matcher-never-matches"))),
            (SessionStart, "startup|clear|compact", None),
            (PreToolUse, "Write(", Some((Error, "matcher-invalid"))),
            (PreToolUse, "*.ts", Some((Error, "matcher-invalid"))),
            (SessionStart, "[", Some((Error, "matcher-invalid"))),
        ];
        for (event, pattern, expected) in cases {
            let found = found(event, pattern, false).map(|(severity, problem)| (severity, problem.code));
            assert_eq!(found, expected, "{} {pattern}", event.name());
        }
    }

    #[test]
    fn the_help_names_what_to_write() {
        let cases = [
            (PreToolUse, "Bash", "write Shell: Claude Code's `Bash` is `Shell` here"),
            (PreToolUse, "shell", "did you mean `Shell`?"),
            (PostToolUse, "mcp__memory__read", "write MCP:read"),
            (PostToolUse, "mcp__memory__*", "write MCP:"),
            (
                PreToolUse,
                "a{9999999}",
                "repeat it less often, or any number of times: `+` for {1,}, `*` for {0,}",
            ),
            (PreToolUse, "*.ts", r"`*` alone matches everything; for a file pattern write .*\.ts"),
        ];
        for (event, pattern, expected) in cases {
            let (_, problem) = found(event, pattern, false).expect(pattern);
            assert_eq!(problem.help.as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn a_gate_that_cannot_match_says_what_it_blocks() {
        let blocked = "its event is blocked until this is repaired";
        for (event, fail_closed, loud) in
            [(PreToolUse, true, true), (PreToolUse, false, false), (Stop, true, false)]
        {
            let (_, problem) = found(event, "(", fail_closed).expect("invalid");
            assert_eq!(problem.message.contains(blocked), loud, "{}", problem.message);
        }
    }
}
