//! A command line: what would run is found, wherever it is put.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use boathook_engine::answer::Permission;
use boathook_engine::matcher::budget;
use boathook_engine::outcome::Outcome;
use boathook_engine::payload::Payload;
use boathook_engine::rule::Look;
use boathook_engine::rule::declared::{Condition, FieldPath, Rule, Says, ShellTest};
use boathook_engine::rule::shell::{self, Reading};
use boathook_engine::{Event, EventKind};

/// A longer line, and one that starts more, is not wrapped: it could pass a limit of the reader.
const MAX_WRAPPED_COMMANDS: usize = 1_000;

/// Rules that deny, and the same conditions as rules that allow.
static RULES: LazyLock<Vec<(Rule, Rule)>> = LazyLock::new(|| {
    let lines = ["git push --force", "rm -rf", "curl", "one", "sh"];
    lines.iter().map(|line| (rule(line, Permission::Deny), rule(line, Permission::Allow))).collect()
});

/// Reads it, and asks rules about it: alone, and inside of other lines.
pub fn check(bytes: &[u8]) {
    let Ok(line) = std::str::from_utf8(bytes) else { return };
    let reading = shell::read(line);
    assert_eq!(shell::read(line), reading, "a line is read the same every time");
    check_allow(line, &reading);
    if reading.commands.len() > MAX_WRAPPED_COMMANDS {
        return;
    }
    let is_clear = reading.unclear.is_none();
    // What comes before a line changes nothing in it.
    check_wrapped(line, &reading, &format!("true; {line}"));
    check_wrapped(line, &reading, &format!("true && {{ :\n}}\n{line}"));
    if is_clear && !line.ends_with('\\') && is_ended(line) {
        check_wrapped(line, &reading, &format!("{line}\ntrue"));
        check_wrapped(line, &reading, &format!("( {line}\n)"));
        check_wrapped(line, &reading, &format!("{{ {line}\n}}"));
        check_wrapped(line, &reading, &format!("if true; then {line}\nfi"));
        // `sh -c -x` takes such a line for an option.
        if !line.starts_with(['-', '+']) {
            check_wrapped(line, &reading, &format!("sh -c '{}'", line.replace('\'', "'\\''")));
        }
    }
}

/// Whether a command on the next line is read as one, and not as part of an open here-document.
fn is_ended(line: &str) -> bool {
    programs(&shell::read(&format!("{line}\nnext-line"))).contains("next-line")
}

/// A doubt never allows.
fn check_allow(line: &str, reading: &Reading) {
    let in_doubt = reading.unclear.is_some() || reading.unclear_to_allow.is_some();
    for (deny, allow) in &*RULES {
        let (denied, allowed) = (says(deny, line), says(allow, line));
        if reading.unclear.is_some() {
            assert!(denied, "a doubt does not deny: {:?}", reading.unclear);
        }
        assert!(!(in_doubt && allowed), "a doubt allows: {reading:?}");
    }
}

/// Inside another line, the same programs run, and what was denied is denied.
fn check_wrapped(line: &str, reading: &Reading, wrapped: &str) {
    let around = shell::read(wrapped);
    if around.unclear.is_some() {
        return;
    }
    assert!(reading.unclear.is_none(), "the doubt {:?} is lost in {wrapped:?}", reading.unclear);
    let lost: Vec<&str> = programs(reading).difference(&programs(&around)).copied().collect();
    assert!(lost.is_empty(), "{lost:?} is not found in {wrapped:?}");
    for (deny, _) in &*RULES {
        assert!(!says(deny, line) || says(deny, wrapped), "{} is not denied in {wrapped:?}", deny.name);
    }
}

fn programs(reading: &Reading) -> BTreeSet<&str> {
    reading.commands.iter().filter_map(|command| command.program()).collect()
}

/// Whether the rule has something to say about this line.
fn says(rule: &Rule, line: &str) -> bool {
    let mut payload = Payload::default();
    payload.set("command", line);
    let event = Event::new(EventKind::BeforeShellExecution, payload);
    let outcome = budget::scoped(|| rule.apply(&Look::new(&event, &|_| None)));
    outcome.is_some_and(|read| matches!(read.outcome, Outcome::Answer(_)))
}

fn rule(line: &str, permission: Permission) -> Rule {
    let path = FieldPath::parse("command").expect("a path");
    Rule {
        name: line.to_owned(),
        command: format!("boathook rule {line}"),
        condition: Condition::Shell(path, vec![ShellTest::of_line(line)]),
        says: Says { permission: Some(permission), ..Says::default() },
    }
}
