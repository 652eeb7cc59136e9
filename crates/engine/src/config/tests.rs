//! What a whole file is read as: definitions, problems, repairs.

use std::time::Duration;

use super::*;
use crate::definition::{Action, DEFAULT_PROMPT_TIMEOUT, DEFAULT_TIMEOUT, LONGEST_TIMEOUT};
use crate::edition::Edition::{Docs, V2_3, V2026_09};
use crate::problem::Severity;

/// A file with one entry.
fn one(event: &str, entry: &str) -> String {
    format!(r#"{{"version": 1, "hooks": {{"{event}": [{entry}]}}}}"#)
}

fn docs(text: &str) -> Config {
    read(text.as_bytes(), Docs)
}

fn codes(config: &Config) -> Vec<&'static str> {
    config.problems.iter().map(|problem| problem.code).collect()
}

fn problem<'c>(config: &'c Config, code: &str) -> &'c Problem {
    config
        .problems
        .iter()
        .find(|problem| problem.code == code)
        .unwrap_or_else(|| panic!("{code}: {config:?}"))
}

#[test]
fn every_option_is_read() {
    let text = one(
        "stop",
        r#"{"command": "./a.sh", "type": "command", "timeout": 1.5, "matcher": "Stop", "loop_limit": 2, "failClosed": false}"#,
    );
    let config = docs(&text);
    assert!(config.readable);
    assert_eq!(codes(&config), [""; 0]);
    let hook = &config.definitions[0];
    assert_eq!(hook.action, Action::Command("./a.sh".to_owned()));
    assert_eq!((hook.matcher.pattern(), hook.timeout), ("Stop", Duration::from_millis(1500)));
    assert_eq!((hook.loop_limit, hook.fail_closed), (Some(2), false));
    let spot = |place: &Option<crate::problem::Place>| text[place.clone().expect("placed").bytes].to_owned();
    assert_eq!(spot(&hook.action_place), r#""./a.sh""#);
    assert_eq!(spot(&hook.matcher_place), r#""Stop""#);
    assert!(spot(&hook.place).starts_with(r#"{"command""#));
}

#[test]
fn an_option_that_is_not_said_has_its_default() {
    let config = docs(&one("stop", r#"{"command": "a"}, {"type": "prompt", "prompt": "ok?", "model": "m"}"#));
    let [command, prompt] = &config.definitions[..] else { panic!("{config:?}") };
    assert_eq!((command.timeout, command.loop_limit), (DEFAULT_TIMEOUT, Some(5)));
    assert!(command.matcher.is_everything() && !command.fail_closed);
    assert_eq!(prompt.timeout, DEFAULT_PROMPT_TIMEOUT);
    assert_eq!(prompt.action, Action::Prompt { prompt: "ok?".to_owned(), model: Some("m".to_owned()) });
}

#[test]
fn an_edition_decides_how_options_are_read() {
    let seconds = Duration::from_secs;
    let cases = [
        (Docs, "999", seconds(999), ""),
        (Docs, "1000", seconds(1000), "timeout-very-long"),
        (Docs, "4999.5", Duration::from_millis(4_999_500), "timeout-very-long"),
        (Docs, "5000", seconds(5), "timeout-in-milliseconds"),
        (Docs, "1e18", LONGEST_TIMEOUT, "timeout-in-milliseconds"),
        (Docs, "0.25", Duration::from_millis(250), ""),
        (V2026_09, "5000", seconds(5000), "timeout-very-long"),
        (V2026_09, "1e18", LONGEST_TIMEOUT, "timeout-very-long"),
        (V2_3, "5000", DEFAULT_TIMEOUT, "option-not-in-edition"),
    ];
    for (edition, written, timeout, code) in cases {
        let config =
            read(one("stop", &format!(r#"{{"command": "a", "timeout": {written}}}"#)).as_bytes(), edition);
        assert_eq!(config.definitions[0].timeout, timeout, "{edition:?} {written}");
        assert_eq!(codes(&config).join(" "), code, "{edition:?} {written}");
    }
}

#[test]
fn edition_2_3_reads_the_command_alone() {
    let entry = r#"{"command": "a", "matcher": 5, "failClosed": true, "loop_limit": "x"}, {"type": "prompt", "prompt": "p"}"#;
    let config = read(one("preToolUse", entry).as_bytes(), V2_3);
    let [command, prompt] = &config.definitions[..] else { panic!("{config:?}") };
    assert_eq!(
        command.action,
        Action::Command("a".to_owned()),
        "an event of later editions is still returned"
    );
    assert!(command.matcher.is_everything() && !command.fail_closed && command.loop_limit == Some(5));
    assert!(matches!(&prompt.action, Action::Broken { text, .. } if text == "p"));
    assert_eq!(codes(&config), ["option-not-in-edition", "prompt-not-in-edition"]);
    assert!(config.problems[0].message.contains("`matcher`, `failClosed`, `loop_limit`"));
}

#[test]
fn a_broken_entry_keeps_its_fail_closed_and_says_what_it_blocks() {
    let blocked = "its event is blocked until this is repaired";
    let cases = [
        ("preToolUse", r#"{"failClosed": true}"#, "command-missing", true),
        ("preToolUse", r#"{"command": "a", "timeout": 0, "failClosed": true}"#, "timeout-not-positive", true),
        ("preToolUse", r#"{"command": "a", "timeout": 0}"#, "timeout-not-positive", false),
        ("beforeSubmitPrompt", r#"{"command": 1, "failClosed": true}"#, "command-not-a-string", true),
        ("afterAgentResponse", r#"{"command": "", "failClosed": true}"#, "command-empty", true),
        ("preToolUse", r#"{"hooks": [{"type": "x"}], "failClosed": true}"#, "type-unknown", true),
        ("preToolUse", r#"{"command": "a", "failClosed": 1}"#, "fail-closed-not-a-boolean", true),
        ("preToolUse", r#"{"command": "a", "failClosed": null}"#, "fail-closed-not-a-boolean", false),
        ("stop", r#"{"command": "", "failClosed": true}"#, "command-empty", false),
    ];
    for (event, entry, code, loud) in cases {
        let config = docs(&one(event, entry));
        let [definition] = &config.definitions[..] else { panic!("{entry}: {config:?}") };
        let Action::Broken { reason, .. } = &definition.action else { panic!("{entry}: {config:?}") };
        let problem = problem(&config, code);
        assert_eq!(problem.severity, Severity::Error, "{entry}");
        assert!(problem.message.starts_with(reason.as_str()), "{entry}: {reason}");
        assert_eq!(problem.message.contains(blocked), loud, "{entry}: {}", problem.message);
        assert_eq!(definition.fail_closed && definition.event.can_block(), loud, "{entry}");
    }
}

#[test]
fn a_value_in_the_wrong_place_is_kept_as_a_broken_hook() {
    let text = r#"{"version": 1, "hooks": {"preToolUse": {"command": "a", "failClosed": true}, "stop": "b", "preCompact": ["c", 5]}}"#;
    let config = docs(text);
    assert_eq!(
        codes(&config),
        ["event-not-a-list", "event-not-a-list", "entry-not-an-object", "entry-not-an-object"]
    );
    let kept: Vec<_> =
        config.definitions.iter().map(|hook| (hook.event.name(), hook.label(), hook.fail_closed)).collect();
    assert_eq!(kept, [("preToolUse", "a", true), ("stop", "b", false), ("preCompact", "c", false)]);
    let fixed = apply_fixes(text, &config.problems);
    let expected = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "a", "failClosed": true}], "stop": [{"command": "b"}], "preCompact": [{"command": "c"}, 5]}}"#;
    assert_eq!(fixed, expected);
}

#[test]
fn hooks_of_a_group_inherit_from_it() {
    let group = r#"{"matcher": "Write", "failClosed": true, "timeout": 7, "hooks": [
        {"type": "command", "command": "a"}, {"type": "command", "command": "b", "matcher": "Read", "failClosed": false}]}"#;
    let config = docs(&one("preToolUse", group));
    assert_eq!(codes(&config), ["claude-nesting"]);
    let read: Vec<_> = config
        .definitions
        .iter()
        .map(|hook| (hook.label(), hook.matcher.pattern(), hook.fail_closed, hook.timeout.as_secs()))
        .collect();
    assert_eq!(read, [("a", "Write", true, 7), ("b", "Read", false, 7)]);
    let help = config.problems[0].help.clone().expect("the flat form");
    assert_eq!(
        help,
        r#"write {"matcher": "Write", "failClosed": true, "timeout": 7, "type": "command", "command": "a"}, and so on"#
    );
}

#[test]
fn of_two_equal_keys_the_last_counts() {
    let text = "{\"version\": 3,\n\"version\": 1,\n\"hooks\": {\"stop\": [{\"command\": \"a\"}],\n\"stop\": [{\"command\": \"b\",\n\"command\": \"c\"}]}}";
    let config = docs(text);
    assert_eq!(codes(&config), ["duplicate-key"; 3]);
    assert_eq!(config.definitions.iter().map(Definition::label).collect::<Vec<_>>(), ["c"]);
    let messages: Vec<_> = config.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        messages[0],
        "the key `version` stands twice, on line 1 and on line 2; only the last one counts"
    );
    assert!(messages[1].contains("`stop` stands twice, on line 3 and on line 4"));
    assert!(messages[2].contains("`command` stands twice, on line 4 and on line 5"));
}

#[test]
fn ten_mistakes_in_one_file_are_all_named_with_their_places() {
    let text = r#"{
  // our hooks
  "hooks": {
    "beforeShellCommand": [{ "command": "./a.sh" }],
    "Stop": [{ "command": "./b.sh", "timeout": 30000 }],
    "preToolUse": [
      { "command": "./c.sh ${command}", "fail_closed": true },
      { "matcher": ["Write", "Delete"], "command": "./d.sh" },
      { "script": "./e.sh", "timeout": -1 },
    ],
    "sessionStart": { "command": "./f.sh", "matcher": "startup" },
    "sessionEnd": [{ "command": "npx prettier {{file}}", "loop_limit": 3 }]
  }
}
"#;
    let config = docs(text);
    let found: Vec<_> = config
        .problems
        .iter()
        .map(|problem| (problem.place.clone().expect("a place"), problem))
        .map(|(place, problem)| (place.line, place.column, problem.code, problem.fix.is_some()))
        .collect();
    let expected = [
        (1, 1, "version-missing", true),
        (2, 3, "comment", false),
        (4, 5, "unknown-event", true),
        (5, 5, "event-spelling", true),
        (5, 48, "timeout-in-milliseconds", true),
        (7, 28, "placeholder-unquoted", true),
        (7, 41, "unknown-key", true),
        (8, 20, "matcher-not-a-string", true),
        (9, 7, "command-missing", false),
        (9, 9, "unknown-key", false),
        (9, 40, "timeout-not-positive", false),
        (9, 44, "trailing-comma", true),
        (11, 21, "event-not-a-list", true),
        (12, 47, "placeholder-not-expanded", false),
        (12, 72, "no-effect", false),
    ];
    let always_empty: Vec<_> = found.iter().filter(|found| found.2 == "placeholder-always-empty").collect();
    assert_eq!(always_empty.len(), 1, "preToolUse has no `command` of its own");
    let rest: Vec<_> = found.iter().filter(|found| found.2 != "placeholder-always-empty").copied().collect();
    assert_eq!(rest, expected);
    assert!(config.problems.iter().all(|problem| problem.help.is_some() && !problem.message.contains('\n')));

    let fixed = r#"{
  // our hooks
  "version": 1,
  "hooks": {
    "beforeShellExecution": [{ "command": "./a.sh" }],
    "stop": [{ "command": "./b.sh", "timeout": 30 }],
    "preToolUse": [
      { "command": "./c.sh \"${command}\"", "failClosed": true },
      { "matcher": "Write|Delete", "command": "./d.sh" },
      { "script": "./e.sh", "timeout": -1 }
    ],
    "sessionStart": [{ "command": "./f.sh", "matcher": "startup" }],
    "sessionEnd": [{ "command": "npx prettier {{file}}", "loop_limit": 3 }]
  }
}
"#;
    assert_eq!(apply_fixes(text, &config.problems), fixed);
    let again = docs(fixed);
    assert!(again.problems.iter().all(|problem| problem.fix.is_none()), "{:?}", again.problems);
}

#[test]
fn a_repair_changes_nothing_but_its_own_bytes() {
    let cases = [
        ("a version, inline", r#"{"hooks": {}}"#, r#"{"version": 1, "hooks": {}}"#),
        ("a version, indented", "{\n\t\"hooks\": {}\n}", "{\n\t\"version\": 1,\n\t\"hooks\": {}\n}"),
        ("a version, CRLF", "{\r\n  \"hooks\": {}\r\n}", "{\r\n  \"version\": 1,\r\n  \"hooks\": {}\r\n}"),
        ("a version, byte order mark", "\u{feff}{\"hooks\": {}}", "\u{feff}{\"version\": 1, \"hooks\": {}}"),
        (
            "a version behind a comment",
            "{ /* x */ \"hooks\": {}}",
            "{ /* x */ \"version\": 1, \"hooks\": {}}",
        ),
        ("a version in quotes", r#"{"version": "1.0", "hooks": {}}"#, r#"{"version": 1, "hooks": {}}"#),
        (
            "commas",
            "{\"version\": 1, \"hooks\": {\"stop\": [],}, }",
            "{\"version\": 1, \"hooks\": {\"stop\": []} }",
        ),
        (
            "an escaped name",
            r#"{"version": 1, "hooks": {"\u0053top": []}}"#,
            r#"{"version": 1, "hooks": {"stop": []}}"#,
        ),
        (
            "no name that is taken",
            r#"{"version": 1, "hooks": {"Stop": [], "stop": []}}"#,
            r#"{"version": 1, "hooks": {"Stop": [], "stop": []}}"#,
        ),
        (
            "a boolean in quotes",
            &one("stop", r#"{"command": "a", "failClosed": "false"}"#),
            &one("stop", r#"{"command": "a", "failClosed": false}"#),
        ),
        (
            "a prompt without its type",
            &one("stop", r#"{"prompt": "ok?"}"#),
            &one("stop", r#"{"type": "prompt", "prompt": "ok?"}"#),
        ),
        (
            "keys",
            &one("stop", r#"{"comand": "a", "loopLimit": 3}"#),
            &one("stop", r#"{"command": "a", "loop_limit": 3}"#),
        ),
        (
            "no key that is there",
            &one("stop", r#"{"command": "a", "cmmand": "b"}"#),
            &one("stop", r#"{"command": "a", "cmmand": "b"}"#),
        ),
        (
            "quotes behind escapes",
            &one("beforeShellExecution", r#"{"command": "echo \"\u00e9\" ${command}; echo '${command}'"}"#),
            &one(
                "beforeShellExecution",
                r#"{"command": "echo \"\u00e9\" \"${command}\"; echo '${command}'"}"#,
            ),
        ),
        (
            "a group",
            &one(
                "stop",
                r#"{ "loop_limit": 1, "hooks": [ {"command": "a"}, /* b */ { "command": "b", "loop_limit": 2 } ] }"#,
            ),
            &one("stop", r#"{"loop_limit": 1, "command": "a"}, /* b */ { "command": "b", "loop_limit": 2 }"#),
        ),
        (
            "no comment is lost with a group",
            &one("stop", r#"{ /* a */ "hooks": [ {"command": "a"} ] }"#),
            &one("stop", r#"{ /* a */ "hooks": [ {"command": "a"} ] }"#),
        ),
        (
            "a timeout that stays doubtful",
            &one("stop", r#"{"command": "a", "timeout": 5000000}"#),
            &one("stop", r#"{"command": "a", "timeout": 5000000}"#),
        ),
        (
            "half a second",
            &one("stop", r#"{"command": "a", "timeout": 5500}"#),
            &one("stop", r#"{"command": "a", "timeout": 5.5}"#),
        ),
        (
            "a tab in a string",
            "{\"version\": 1, \"hooks\": {}, \"_a\": \"\t\"}",
            "{\"version\": 1, \"hooks\": {}, \"_a\": \"\\t\"}",
        ),
    ];
    for (name, text, expected) in cases {
        let fixed = apply_fixes(text, &docs(text).problems);
        assert_eq!(fixed, expected, "{name}");
        let again = docs(&fixed);
        assert!(again.problems.iter().all(|problem| problem.fix.is_none()), "{name}: {:?}", again.problems);
    }
}

#[test]
fn what_stands_in_quotes_is_told_apart() {
    let cases = [
        (r#"./a \"${command}\""#, vec![]),
        (r#"./a \"x ${command} y\""#, vec![]),
        (r#"./a ${command}"#, vec!["placeholder-unquoted"]),
        (r#"./a --c=${command}"#, vec!["placeholder-unquoted"]),
        (r#"./a \"$(b ${command})\""#, vec!["placeholder-unquoted"]),
        (r#"./a '${command}'"#, vec!["placeholder-in-single-quotes"]),
        (r#"sh -c './a \"${command}\"'"#, vec![]),
        (r#"sh -c './a ${command}'"#, vec!["placeholder-unquoted"]),
        (r#"sh -c \"./a ${command}\""#, vec!["placeholder-in-code"]),
        (r#"./a # ${command}"#, vec![]),
        (r#"./a \"${prompt}\""#, vec!["placeholder-always-empty"]),
        (r#"./a \"${command:-none}\""#, vec!["placeholder-not-expanded"]),
        (r#"./a ${command"#, vec!["placeholder-not-expanded"]),
        (r#"curl https://x"#, vec!["slashes-in-string"]),
    ];
    for (command, expected) in cases {
        let config = docs(&one("beforeShellExecution", &format!(r#"{{"command": "{command}"}}"#)));
        assert_eq!(codes(&config), expected, "{command}");
        assert!(matches!(config.definitions[0].action, Action::Command(_)), "{command}");
    }
}
