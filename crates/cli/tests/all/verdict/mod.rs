//! What rules say about a line: one that denies, and one that allows.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))] // the comparison with bash uses the rest, and needs Linux

use boathook_engine::payload::Payload;
use boathook_engine::rule::Look;
use boathook_engine::rule::declared::{Condition, FieldPath, Rule, Says, ShellTest};
use boathook_engine::{Event, EventKind, Permission};

/// What the denying rule is about.
pub const DENIED: [&str; 3] = ["git push --force", "git push -f", "rm -rf"];
/// What the allowing rule is about.
const ALLOWED: [&str; 2] = ["ls", "git status"];

/// Whether the rule denies the line, by a command in it or in doubt.
pub fn is_denied(line: &str) -> bool {
    speaks(&DENIED, Permission::Deny, line).is_some()
}

/// Why a denied line is in doubt; nothing when it is denied for a command in it, or not at all.
pub fn doubt(line: &str) -> Option<String> {
    speaks(&DENIED, Permission::Deny, line)?.into_iter().next()
}

/// Whether the rule allows the line.
pub fn is_allowed(line: &str) -> bool {
    speaks(&ALLOWED, Permission::Allow, line).is_some()
}

/// The warnings of a rule that speaks.
fn speaks(tests: &[&str], permission: Permission, line: &str) -> Option<Vec<String>> {
    let path = FieldPath::parse("command").expect("a path");
    let tests = tests.iter().map(|test| ShellTest::of_line(test)).collect();
    let rule = Rule {
        name: "r".to_owned(),
        command: "boathook rule r".to_owned(),
        condition: Condition::Shell(path, tests),
        says: Says { permission: Some(permission), ..Says::default() },
    };
    let mut payload = Payload::default();
    payload.set("command", line);
    let event = Event::new(EventKind::BeforeShellExecution, payload);
    rule.apply(&Look::new(&event, &|_| None)).map(|outcome| outcome.warnings)
}
