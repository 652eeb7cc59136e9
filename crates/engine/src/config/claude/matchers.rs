//! Matchers of groups: read when the file is, looked at closely for `check`.

use std::ops::Range;

use jsonc_parser::ast::{Object, Value};

use super::super::syntax::{bytes_of, excerpt, kind_of, property};
use crate::definition::Definition;
use crate::dialect::claude::{ClaudeMatcher, KNOWN_TOOLS, Sees, native_tool, of_kind};
use crate::problem::Problem;

/// A group's matcher, and where it stands.
pub(super) struct GroupMatcher {
    pub matcher: ClaudeMatcher,
    pub at: Option<Range<usize>>,
}

/// The matcher of a group; an error when it is none, and the group does not run.
pub(super) fn read(group: &Object) -> Result<GroupMatcher, (Range<usize>, Box<Problem>)> {
    match property(group, "matcher").map(|matcher| &matcher.value) {
        None | Some(Value::NullKeyword(_)) => Ok(GroupMatcher { matcher: ClaudeMatcher::new(""), at: None }),
        Some(Value::StringLit(pattern)) => {
            Ok(GroupMatcher { matcher: ClaudeMatcher::new(&pattern.value), at: Some(bytes_of(pattern)) })
        }
        Some(other) => {
            let message = format!("`matcher` is {}, not a string; the group does not run", kind_of(other));
            let help = r#"write names between bars, like "Bash|Edit""#;
            Err((bytes_of(other), Problem::error("matcher-not-a-string", message).help(help).into()))
        }
    }
}

/// What is wrong with a matcher, if anything.
pub fn check_matcher(definition: &Definition, matcher: &ClaudeMatcher) -> Option<Problem> {
    let mut problem = match (matcher.error(), of_kind(definition.event).map(|claude| claude.sees)) {
        (Some(reason), _) => {
            let message =
                format!("the matcher `{}` is no regular expression: {reason}", excerpt(matcher.pattern()));
            Some(Problem::error("matcher-invalid", message).help("write names between bars, like Bash|Edit"))
        }
        (None, Some(Sees::Tool)) => expression(matcher).or_else(|| tools(matcher)),
        (None, Some(Sees::Start)) => start(matcher),
        (None, Some(Sees::Nothing)) => {
            let message =
                format!("`matcher` has no effect on `{}`: the hook runs every time", name(definition));
            Some(Problem::hint("no-effect", message).help("remove it"))
        }
        (None, Some(Sees::End | Sees::Trigger | Sees::Agent) | None) => None,
    }?;
    problem.place = definition.matcher_place.clone().or_else(|| definition.place.clone());
    Some(problem)
}

fn name(definition: &Definition) -> &'static str {
    of_kind(definition.event).map_or("", |claude| claude.name)
}

/// `tool == "Edit" && …`: the form of an older tool, dead in Claude Code too.
fn expression(matcher: &ClaudeMatcher) -> Option<Problem> {
    let pattern = matcher.pattern();
    (pattern.contains("==") || pattern.contains("&&")).then(|| {
        let message =
            format!("the hook never runs: `{}` is an expression, and a matcher is not", excerpt(pattern));
        Problem::warning("matcher-expression", message).help(
            r#"write the tools' names, like "Edit|Write", and test the rest in the script or with `if`"#,
        )
    })
}

/// Tools that nobody announces here.
fn tools(matcher: &ClaudeMatcher) -> Option<Problem> {
    let shown = excerpt(matcher.pattern());
    let dead: Vec<&str> = match matcher.names() {
        Some(names) => names.into_iter().filter(|name| native_tool(name).is_none()).collect(),
        None => {
            let fitting = KNOWN_TOOLS.iter().filter(|tool| matcher.fits(tool));
            let (alive, dead): (Vec<&str>, Vec<&str>) = fitting.partition(|tool| native_tool(tool).is_some());
            if !alive.is_empty() || matcher.pattern().contains("mcp") {
                return None;
            }
            dead
        }
    };
    let all = matcher.names().is_none_or(|names| names.len() == dead.len());
    let named = dead.join("`, `");
    match (all, dead.is_empty()) {
        (false, true) => None,
        (true, true) => {
            let message = format!("the hook never runs: `{shown}` fits no tool that is known");
            Some(
                Problem::warning("matcher-never-matches", message)
                    .help("the names are Claude Code's: Bash, Edit, Write, Read, …"),
            )
        }
        (true, false) => {
            let message = format!("the hook never runs: `{named}` has no counterpart here");
            Some(Problem::warning("matcher-never-matches", message).help("no event tells of these tools"))
        }
        (false, false) => {
            let message = format!("`{named}` in this matcher has no counterpart here");
            Some(Problem::hint("matcher-no-counterpart", message).help("the other names work"))
        }
    }
}

/// Conversations here are always new ones, unless the host says more.
fn start(matcher: &ClaudeMatcher) -> Option<Problem> {
    (!matcher.fits("startup")).then(|| {
        let message = format!(
            "`{}` fits no new session, and sessionStart tells of others only where the host names a `source`",
            excerpt(matcher.pattern())
        );
        Problem::warning("matcher-session", message).help("add `startup` to run the hook for new sessions")
    })
}
