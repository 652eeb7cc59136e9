//! Hooks that run twice because the same command stands in a Claude Code file
//! and in a Cursor file.

use boathook_engine::event::EventKind;
use boathook_engine::load::{Hook, HookSet};
use boathook_engine::problem::Problem;

/// A warning at each Claude Code entry that a Cursor file has as well.
pub fn duplicates(set: &HookSet) -> Vec<Problem> {
    let of_claude = |hook: &&Hook| is_claude(hook.source.level.name());
    let mut found = Vec::new();
    for imported in set.hooks.iter().filter(of_claude) {
        let twin = set.hooks.iter().find(|other| {
            !of_claude(other)
                && meet(imported, other)
                && bare(other.definition.label()) == bare(imported.definition.label())
        });
        let Some(twin) = twin else { continue };
        let line = twin.definition.place.as_ref().map_or(0, |place| place.line);
        let message =
            format!("this hook stands in {}:{line} as well: it runs twice", twin.source.file.display());
        let mut problem = Problem::warning("duplicate-in-claude-file", message).help("remove one of the two");
        problem.file = Some(imported.source.file.clone());
        problem.place = imported.definition.place.clone();
        found.push(problem);
    }
    found
}

/// What Claude Code tells of a tool, Cursor's events tell of what it does.
const SAME: [(EventKind, &str, EventKind); 5] = [
    (EventKind::PreToolUse, "Bash", EventKind::BeforeShellExecution),
    (EventKind::PreToolUse, "Read", EventKind::BeforeReadFile),
    (EventKind::PostToolUse, "Bash", EventKind::AfterShellExecution),
    (EventKind::PostToolUse, "Write", EventKind::AfterFileEdit),
    (EventKind::PostToolUse, "Edit", EventKind::AfterFileEdit),
];

/// Whether one moment starts both.
fn meet(imported: &Hook, other: &Hook) -> bool {
    let matcher = imported.definition.dialect.claude().and_then(|claude| claude.matcher.as_ref());
    let same = |(theirs, tool, ours): &(EventKind, &str, EventKind)| {
        imported.definition.event == *theirs
            && other.definition.event == *ours
            && matcher.is_none_or(|matcher| matcher.fits(tool))
    };
    imported.definition.event == other.definition.event || SAME.iter().any(same)
}

fn is_claude(level: &str) -> bool {
    level.starts_with("claude")
}

/// A command without the ways to say "from the project's root".
fn bare(command: &str) -> String {
    let mut text = command.trim().replace(['"', '\''], "");
    for root in ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"] {
        text = text.replace(&format!("${{{root}}}/"), "").replace(&format!("${root}/"), "");
    }
    text.trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_is_known_in_its_spellings() {
        let same = [
            "tools/a.sh x",
            "./tools/a.sh x",
            "\"$CLAUDE_PROJECT_DIR\"/tools/a.sh x",
            "${CURSOR_PROJECT_DIR}/tools/a.sh x",
        ];
        for command in same {
            assert_eq!(bare(command), "tools/a.sh x", "{command}");
        }
        assert!(is_claude("claude-local") && is_claude("claude-user") && !is_claude("project"));
    }
}
