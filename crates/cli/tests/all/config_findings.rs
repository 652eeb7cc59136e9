//! What real files taught: accepted in silence, warned about and run, or an error
//! that takes one part out and leaves the rest running. One case for each finding.

use std::fs;

use boathook_engine::config::{self, Config};
use boathook_engine::definition::{Action, Definition};
use boathook_engine::edition::Edition;
use boathook_engine::problem::{Problem, Severity};
use boathook_engine::source::Os;
use boathook_engine::trust::Scope;

/// A file with this entry, and one more entry that nothing is wrong with.
fn with_entry(event: &str, entry: &str) -> String {
    format!(
        r#"{{"version": 1, "hooks": {{"{event}": [{entry}], "postToolUse": [{{"command": "./rest.sh"}}]}}}}"#
    )
}

fn stop(entry: &str) -> String {
    with_entry("stop", entry)
}

fn read(text: &str) -> Config {
    config::read(text.as_bytes(), Edition::Docs)
}

/// Everything a close look finds in a file.
fn problems(text: &str) -> Vec<Problem> {
    let config = read(text);
    let matchers = config::check_matchers(&config.definitions);
    config.problems.into_iter().chain(matchers).collect()
}

fn runnable(definition: &Definition) -> bool {
    !matches!(definition.action, Action::Broken { .. })
}

/// The commands that would run.
fn running(text: &str) -> Vec<String> {
    let config = read(text);
    config.definitions.iter().filter(|hook| runnable(hook)).map(|hook| hook.label().to_owned()).collect()
}

#[test]
fn accepted_in_silence() {
    let cases = [
        ("`hooks` before `version`", r#"{"hooks": {"stop": [{"command": "./a.sh"}]}, "version": 1}"#.to_owned()),
        ("any white space", "\n\n{ \"version\" :1 ,\t\"hooks\":{\n\n\"stop\" : [ {\"command\":\"./a.sh\"} ]\n}\n}\n\n  ".to_owned()),
        ("a byte order mark", format!("\u{feff}{}", stop(r#"{"command": "./a.sh"}"#))),
        ("CRLF", stop(r#"{"command": "./a.sh"}"#).replace(", ", ",\r\n")),
        ("no newline at the end", stop(r#"{"command": "./a.sh"}"#).trim_end().to_owned()),
        (
            "keys of the file's own",
            r#"{"$schema": "https://x/y.json", "description": "d", "_comment": "c", "__tool__": true, "version": 1, "hooks": {"stop": [{"command": "./a.sh"}]}}"#.to_owned(),
        ),
        (
            "keys of an entry's own",
            stop(r#"{"command": "./a.sh", "description": "d", "name": "n", "comment": "c", "event": "stop", "id": 7, "_note": 1, "__tool_hook__": true}"#),
        ),
        ("`type` absent", stop(r#"{"command": "./a.sh"}"#)),
        ("`type` command", stop(r#"{"type": "command", "command": "./a.sh"}"#)),
        ("a prompt without a command", stop(r#"{"type": "prompt", "prompt": "Is it done? $ARGUMENTS"}"#)),
        ("`loop_limit` null", stop(r#"{"command": "./a.sh", "loop_limit": null}"#)),
        ("`loop_limit` 0", stop(r#"{"command": "./a.sh", "loop_limit": 0}"#)),
        ("`failClosed` false anywhere", with_entry("sessionEnd", r#"{"command": "./a.sh", "failClosed": false}"#)),
        ("an empty matcher", with_entry("preToolUse", r#"{"command": "./a.sh", "matcher": ""}"#)),
        ("a matcher of one star", with_entry("sessionEnd", r#"{"command": "./a.sh", "matcher": "*"}"#)),
        ("a command of several lines", stop(r#"{"command": "./a.sh \\\n  --all\n./b.sh"}"#)),
        ("a fraction of a second", stop(r#"{"command": "./a.sh", "timeout": 0.5}"#)),
    ];
    for (name, text) in cases {
        assert_eq!(problems(&text), [], "{name}");
        let config = read(&text);
        assert!(config.readable && !config.definitions.is_empty(), "{name}");
        assert!(config.definitions.iter().all(runnable), "{name}");
    }
    for (name, text) in [
        ("no hooks at all", r#"{"version": 1, "hooks": {}}"#),
        ("an event without entries", r#"{"version": 1, "hooks": {"stop": []}}"#),
    ] {
        let config = read(text);
        assert!(config.readable && config.problems.is_empty() && config.definitions.is_empty(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_read_like_the_file_it_leads_to() {
    let dir = tempfile::tempdir().expect("a directory");
    let (file, link) = (dir.path().join("real.json"), dir.path().join("hooks.json"));
    fs::write(&file, stop(r#"{"command": "./a.sh"}"#)).expect("a file");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let config = config::read(&fs::read(link).expect("the link"), Edition::Docs);
    assert!(config.readable && config.problems.is_empty());
}

#[test]
fn warned_about_and_run() {
    let a = "./a.sh";
    let cases = [
        ("a comment", format!("// note\n{}", stop(r#"{"command": "./a.sh"}"#)), "comment", vec![a]),
        ("a trailing comma", stop(r#"{"command": "./a.sh",},"#), "trailing-comma", vec![a]),
        (
            "no version",
            r#"{"hooks": {"stop": [{"command": "./a.sh"}]}}"#.to_owned(),
            "version-missing",
            vec![a],
        ),
        (
            "version \"1.0\"",
            stop(r#"{"command": "./a.sh"}"#).replace("1,", "\"1.0\","),
            "version-is-text",
            vec![a],
        ),
        (
            "version \"1.0.0\"",
            stop(r#"{"command": "./a.sh"}"#).replace("1,", "\"1.0.0\","),
            "version-is-text",
            vec![a],
        ),
        ("a newer version", stop(r#"{"command": "./a.sh"}"#).replace("1,", "2,"), "version-unknown", vec![a]),
        (
            "a timeout of 1000",
            stop(r#"{"command": "./a.sh", "timeout": 1000}"#),
            "timeout-very-long",
            vec![a],
        ),
        (
            "a timeout of 10000",
            stop(r#"{"command": "./a.sh", "timeout": 10000}"#),
            "timeout-in-milliseconds",
            vec![a],
        ),
        ("async", stop(r#"{"command": "./a.sh", "async": true}"#), "unknown-key", vec![a]),
        ("timeoutMs", stop(r#"{"command": "./a.sh", "timeoutMs": 5}"#), "unknown-key", vec![a]),
        ("env", stop(r#"{"command": "./a.sh", "env": {}}"#), "unknown-key", vec![a]),
        ("shell", stop(r#"{"command": "./a.sh", "shell": "bash"}"#), "unknown-key", vec![a]),
        ("script beside a command", stop(r#"{"command": "./a.sh", "script": "b"}"#), "unknown-key", vec![a]),
        ("a key nobody knows", stop(r#"{"command": "./a.sh", "colour": "red"}"#), "unknown-key", vec![a]),
        (
            "a key of the file nobody knows",
            stop(r#"{"command": "./a.sh"}"#).replace("{\"v", "{\"metadata\": {}, \"v"),
            "unknown-key",
            vec![a],
        ),
        (
            "a setting in a hooks file",
            stop(r#"{"command": "./a.sh"}"#).replace("{\"v", "{\"trust\": true, \"v"),
            "setting-in-hooks-file",
            vec![a],
        ),
        (
            "Claude's nesting",
            stop(r#"{"matcher": "Stop", "hooks": [{"type": "command", "command": "./a.sh"}]}"#),
            "claude-nesting",
            vec![a],
        ),
        (
            "an event in Pascal case",
            with_entry("PreToolUse", r#"{"command": "./a.sh"}"#),
            "event-spelling",
            vec![a],
        ),
        (
            "an event of Claude's",
            with_entry("UserPromptSubmit", r#"{"command": "./a.sh"}"#),
            "event-spelling",
            vec![a],
        ),
        (
            "an unknown event",
            with_entry("beforeShellCommand", r#"{"command": "./a.sh"}"#),
            "unknown-event",
            vec![],
        ),
        (
            "a matcher without a subject",
            with_entry("preCompact", r#"{"command": "./a.sh", "matcher": "auto"}"#),
            "no-effect",
            vec![a],
        ),
        (
            "a matcher of no tool",
            with_entry("preToolUse", r#"{"command": "./a.sh", "matcher": "dashboard"}"#),
            "matcher-no-known-tool",
            vec![a],
        ),
        (
            "a matcher on the wrong subject",
            with_entry("afterFileEdit", r#"{"command": "./a.sh", "matcher": "\\.ts$"}"#),
            "matcher-never-matches",
            vec![a],
        ),
        (
            "a placeholder nobody expands",
            stop(r#"{"command": "./a.sh {{file}}"}"#),
            "placeholder-not-expanded",
            vec!["./a.sh {{file}}"],
        ),
        (
            "a mention without quotes",
            stop(r#"{"command": "./a.sh ${status}"}"#),
            "placeholder-unquoted",
            vec!["./a.sh ${status}"],
        ),
        (
            "the same hook twice",
            stop(r#"{"command": "./a.sh"}, {"command": "./a.sh"}"#),
            "duplicate-hook",
            vec![a, a],
        ),
        (
            "`loop_limit` without effect",
            with_entry("preToolUse", r#"{"command": "./a.sh", "loop_limit": 2}"#),
            "no-effect",
            vec![a],
        ),
        (
            "`failClosed` without effect",
            with_entry("sessionEnd", r#"{"command": "./a.sh", "failClosed": true}"#),
            "no-effect",
            vec![a],
        ),
        ("a key twice", stop(r#"{"command": "./b.sh", "command": "./a.sh"}"#), "duplicate-key", vec![a]),
        (
            "an event twice",
            stop(r#"{"command": "./b.sh"}], "stop": [{"command": "./a.sh"}"#),
            "duplicate-key",
            vec![a],
        ),
        (
            "`failClosed` as a text",
            with_entry("preToolUse", r#"{"command": "./a.sh", "failClosed": "true"}"#),
            "fail-closed-is-text",
            vec![a],
        ),
    ];
    for (name, text, code, commands) in cases {
        let found = problems(&text);
        let problem = found.iter().find(|problem| problem.code == code);
        let problem = problem.unwrap_or_else(|| panic!("{name}: {found:?}"));
        assert!(problem.severity < Severity::Error, "{name}: {problem:?}");
        assert!(found.iter().all(|other| other.severity < Severity::Error), "{name}: {found:?}");
        complete(name, problem);
        let mut running = running(&text);
        running.retain(|command| command != "./rest.sh");
        assert_eq!(running, commands, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_script_that_is_missing_or_not_executable_is_a_warning() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("plain.sh"), "").expect("a file");
    for (command, code) in [("./gone.sh", "script-not-found"), ("./plain.sh", "script-not-executable")] {
        let config = read(&format!(r#"{{"version": 1, "hooks": {{"stop": [{{"command": "{command}"}}]}}}}"#));
        let (os, here) = (Os::Linux, dir.path());
        let scope = Scope { os, run_dir: here, workspace: None, plugin: None, home: here };
        let found = config::check_scripts(&config.definitions, &scope);
        let [problem] = &found[..] else { panic!("{command}: {found:?}") };
        assert_eq!((problem.code, problem.severity), (code, Severity::Warning));
        complete(command, problem);
    }
}

#[test]
fn an_error_takes_its_part_out_and_leaves_the_rest_running() {
    let cases = [
        (
            "an event that is an object",
            with_entry("stop", "").replace("[]", r#"{"enabled": true, "scripts": ["a.sh"]}"#),
            "event-not-a-list",
        ),
        ("an event that is a text", with_entry("stop", "").replace("[]", r#""./a.sh""#), "event-not-a-list"),
        ("an event that is null", with_entry("stop", "").replace("[]", "null"), "event-not-a-list"),
        ("an entry that is a text", stop(r#""./a.sh""#), "entry-not-an-object"),
        ("an entry that is a list", stop("[]"), "entry-not-an-object"),
        ("no command", stop(r#"{"script": "./a.sh"}"#), "command-missing"),
        ("an empty command", stop(r#"{"command": ""}"#), "command-empty"),
        ("a blank command", stop(r#"{"command": " \n"}"#), "command-empty"),
        ("a command that is a list", stop(r#"{"command": ["./a.sh", "x"]}"#), "command-not-a-string"),
        ("a command with a NUL", stop(r#"{"command": "a\u0000b"}"#), "command-with-nul"),
        ("a prompt that is missing", stop(r#"{"type": "prompt", "command": "./a.sh"}"#), "prompt-missing"),
        ("a type nobody knows", stop(r#"{"type": "http", "command": "./a.sh"}"#), "type-unknown"),
        (
            "a matcher that is an object",
            with_entry("afterFileEdit", r#"{"command": "./a.sh", "matcher": {"extensions": ["ts"]}}"#),
            "matcher-not-a-string",
        ),
        (
            "a matcher that is a number",
            stop(r#"{"command": "./a.sh", "matcher": 5}"#),
            "matcher-not-a-string",
        ),
        ("a timeout of 0", stop(r#"{"command": "./a.sh", "timeout": 0}"#), "timeout-not-positive"),
        ("a timeout below 0", stop(r#"{"command": "./a.sh", "timeout": -5}"#), "timeout-not-positive"),
        (
            "a timeout that is no number",
            stop(r#"{"command": "./a.sh", "timeout": NaN}"#),
            "timeout-not-positive",
        ),
        ("a timeout in quotes", stop(r#"{"command": "./a.sh", "timeout": "5"}"#), "timeout-not-a-number"),
        ("a timeout of null", stop(r#"{"command": "./a.sh", "timeout": null}"#), "timeout-not-a-number"),
        ("a loop limit below 0", stop(r#"{"command": "./a.sh", "loop_limit": -1}"#), "loop-limit-invalid"),
        ("half a loop", stop(r#"{"command": "./a.sh", "loop_limit": 1.5}"#), "loop-limit-invalid"),
        ("a loop limit in quotes", stop(r#"{"command": "./a.sh", "loop_limit": "5"}"#), "loop-limit-invalid"),
        (
            "`failClosed` as a number",
            stop(r#"{"command": "./a.sh", "failClosed": 1}"#),
            "fail-closed-not-a-boolean",
        ),
    ];
    for (name, text, code) in cases {
        let config = read(&text);
        assert!(config.readable, "{name}: {config:?}");
        let problem = config.problems.iter().find(|problem| problem.code == code);
        let problem = problem.unwrap_or_else(|| panic!("{name}: {config:?}"));
        assert_eq!(problem.severity, Severity::Error, "{name}");
        complete(name, problem);
        assert_eq!(running(&text), ["./rest.sh"], "{name}");
    }
}

#[test]
fn a_matcher_that_does_not_compile_is_an_error_of_its_entry() {
    let text = with_entry("preToolUse", r#"{"command": "./a.sh", "matcher": "Write(", "failClosed": true}"#);
    let found = problems(&text);
    let [problem] = &found[..] else { panic!("{found:?}") };
    assert_eq!((problem.code, problem.severity), ("matcher-invalid", Severity::Error));
    assert!(problem.message.contains("its event is blocked until this is repaired"), "{}", problem.message);
    let place = problem.place.as_ref().expect("a place");
    assert_eq!(&text[place.bytes.clone()], r#""Write(""#);
}

#[test]
fn a_file_that_is_no_hooks_file_is_one_error() {
    let cases = [
        ("not JSON", r#"{"version": 1, "hooks": {"stop" [{}]}}"#, "missing-colon"),
        ("a list", r#"[{"version": 1}]"#, "not-an-object"),
        ("a text", r#""hooks""#, "not-an-object"),
        ("nothing", "", "empty-file"),
        ("no hooks", r#"{"version": 1, "_checks": []}"#, "hooks-missing"),
        ("hooks as a number", r#"{"version": 1, "hooks": 5}"#, "hooks-not-an-object"),
        ("hooks as null", r#"{"version": 1, "hooks": null}"#, "hooks-not-an-object"),
        ("hooks as a list", r#"{"version": 1, "hooks": []}"#, "hooks-is-a-list"),
        ("version 0", r#"{"version": 0, "hooks": {}}"#, "version-invalid"),
        ("version -1", r#"{"version": -1, "hooks": {}}"#, "version-invalid"),
        ("version 1.5", r#"{"version": 1.5, "hooks": {}}"#, "version-invalid"),
        ("version 1e400", r#"{"version": 1e400, "hooks": {}}"#, "version-invalid"),
        ("version true", r#"{"version": true, "hooks": {}}"#, "version-invalid"),
        ("version latest", r#"{"version": "latest", "hooks": {}}"#, "version-invalid"),
    ];
    for (name, text, code) in cases {
        let config = read(text);
        assert!(!config.readable && config.definitions.is_empty(), "{name}");
        let [problem] = &config.problems[..] else { panic!("{name}: {config:?}") };
        assert_eq!((problem.code, problem.severity), (code, Severity::Error), "{name}");
        complete(name, problem);
    }
}

#[test]
fn the_object_form_is_printed_for_hooks_in_a_list() {
    let help = |list: &str| {
        let config = read(&format!(r#"{{"version": 1, "hooks": {list}}}"#));
        config.problems[0].help.clone().expect("the object form")
    };
    let cases = [
        (
            r#"[{"event": "sessionStart", "command": "./a.sh"}, {"trigger": "Stop", "run": "./b.sh"}, {"event": "stop", "command": "./c.sh"}]"#,
            r#"write "hooks": {"sessionStart":[{"command":"./a.sh"}],"stop":[{"command":"./b.sh"},{"command":"./c.sh"}]}"#,
        ),
        (
            r#"[{"event": "session-start", "script": "./a.sh"}, {"event": "pre-commit", "command": "b"}]"#,
            r#"write "hooks": {"sessionStart":[{"command":"./a.sh"}],"pre-commit":[{"command":"b"}]}; but `pre-commit` is no event"#,
        ),
        ("[]", r#"write "hooks": {"stop": [{"command": "./done.sh"}]}"#),
    ];
    for (list, expected) in cases {
        assert_eq!(help(list), expected, "{list}");
    }
}

#[test]
fn a_gate_that_wanted_to_block_is_reported_loudest() {
    let cases = [
        with_entry("preToolUse", r#"{"comand": "./a.sh", "failClosed": true}"#),
        with_entry("beforeShellCommand", r#"{"command": "./a.sh", "failClosed": true}"#),
        with_entry("preToolUse", r#"{"command": "./a.sh", "failClosed": true}"#).replace("1,", "0,"),
    ];
    for text in cases {
        let config = read(&text);
        let loudest = config.problems.iter().find(|problem| problem.message.contains("failClosed"));
        assert_eq!(loudest.map(|problem| problem.severity), Some(Severity::Error), "{config:?}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_suggested() {
    let cases = [
        ("beforeShellCommand", "did you mean `beforeShellExecution`?", true),
        ("beforeToolCall", "did you mean `preToolUse`?", true),
        ("beforeWriteFile", "did you mean `preToolUse` with \"matcher\": \"Write\"?", false),
        ("afterAgent", "did you mean one of `afterAgentResponse`, `afterAgentThought`?", false),
        ("Notification", "Claude Code alone has this event", false),
        ("afterTestRun", "`boathook list` names every event", false),
    ];
    for (event, help, fixable) in cases {
        let config = read(&format!(r#"{{"version": 1, "hooks": {{"{event}": []}}}}"#));
        let [problem] = &config.problems[..] else { panic!("{event}: {config:?}") };
        let found = problem.help.clone().unwrap_or_default();
        assert!(found.starts_with(help), "{event}: {found}");
        assert_eq!(problem.fix.is_some(), fixable, "{event}");
    }
}

/// A problem that a person can act on.
fn complete(name: &str, problem: &Problem) {
    assert!(
        problem.place.as_ref().is_some_and(|place| place.line >= 1 && place.column >= 1),
        "{name}: a place"
    );
    assert!(problem.help.as_ref().is_some_and(|help| !help.is_empty()), "{name}: what to write instead");
    assert!(!problem.message.contains('\n') && !problem.message.is_empty(), "{name}: one line");
    let kebab =
        problem.code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    assert!(kebab, "{name}: {}", problem.code);
}
