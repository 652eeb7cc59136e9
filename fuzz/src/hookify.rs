//! A hookify rule: it is a rule or it is rejected, the same every time, and one that refuses is
//! converted to hooks that refuse.

use std::path::Path;

use boathook_engine::problem::Severity;
use boathook_engine::rule::hookify::{self, Mode, Options, WarnAs};

use crate::{problems, samples};

const FILE: &str = "/project/.claude/hookify.fuzz.local.md";

/// Reads it in every way, and asks it about events of every kind.
pub fn check(bytes: &[u8]) {
    for mode in [Mode::Fixed, Mode::Faithful] {
        for warn_as in [WarnAs::Message, WarnAs::Ask, WarnAs::Deny] {
            check_reading(bytes, Options { mode, warn_as });
        }
    }
}

fn check_reading(bytes: &[u8], options: Options) {
    let file = Path::new(FILE);
    let read = hookify::read_rule(bytes, file, options);
    problems::check_places(bytes, &read.problems);
    let again = hookify::read_rule(bytes, file, options);
    assert_eq!(again.rule, read.rule, "a rule is read the same every time");
    assert_eq!(again.problems, read.problems);
    let hooks = hookify::read(bytes, file, options);
    problems::check_places(bytes, &hooks.problems);
    let Some(rule) = read.rule else {
        let is_named = read.problems.iter().any(|problem| problem.severity >= Severity::Warning);
        assert!(is_named, "no rule, and no reason: {:?}", read.problems);
        assert!(hooks.definitions.is_empty());
        return;
    };
    assert_eq!(hooks.definitions.is_empty(), !read.enabled || rule.events().is_empty());
    drop((rule.summary(), rule.places(), rule.label().len()));
    // `boathook hookify FILE` asks the same rule by its entry's command line.
    samples::apply_rules(&hooks.definitions);
    let command = hookify::command_line(file.to_str().unwrap_or_default(), options);
    drop((hookify::name_of(file), command));
}
