//! Rules in a hooks.json: what is read, and what is wrong with which words.

use crate::config::read;
use crate::definition::Action;
use crate::edition::Edition;
use crate::problem::Severity;

fn file(event: &str, entry: &str) -> String {
    format!(r#"{{"version": 1, "hooks": {{"{event}": [{entry}]}}}}"#)
}

fn with_rule(rule: &str) -> String {
    file("beforeShellExecution", &format!(r#"{{"command": "boathook rule r", "rule": {rule}}}"#))
}

#[test]
#[rustfmt::skip] // a table of short lines
fn a_good_rule_is_read_without_a_word() {
    let rules = [
        ("beforeShellExecution", r#"{"shell": "git push --force", "deny": "no"}"#),
        ("beforeShellExecution", r#"{"name": "r", "shell": ["a", {"program": "b", "args": ["x", ["-f", "--force"]]}], "ask": true}"#),
        ("beforeShellExecution", r#"{"when": {"cwd": {"starts_with": "/a", "not": {"ends_with": "b"}}}, "allow": true, "_note": 1}"#),
        ("preToolUse", r#"{"when": {"tool_name": ["Write", "Delete"], "tool_input.path": {"glob": ["*.pem"]}}, "deny": "not {tool_name}", "agent_message": "x"}"#),
        ("beforeShellExecution", r#"{"shell": "grep a|b x&y http://h/?a=<b>", "ask": true}"#),
        ("preToolUse", r#"{"shell": {"writes_to": ".env", "assigns": "LD_*", "matches": "x$", "reads_from": "y"}, "deny": true}"#),
        ("beforeSubmitPrompt", r#"{"when": {"any": [{"prompt": {"matches": "\\d{4}"}}, {"attachments[].file_path": {"glob": "*.key"}}]}, "deny": "no"}"#),
        ("beforeSubmitPrompt", r#"{"when": {"not": {"prompt": ""}}, "additional_context": "x"}"#),
        ("beforeReadFile", r#"{"when": {"file_path": {"glob": ".env*"}}, "new_content": "(hidden)"}"#),
        ("stop", r#"{"when": {"status": "completed", "loop_count": {"less": 1}}, "followup_message": "Run the tests."}"#),
        ("sessionStart", r#"{"additional_context": "Be kind."}"#),
        ("afterAgentResponse", r#"{"when": {"text": {"contains": "secret"}}, "deny": "withheld"}"#),
    ];
    for (event, rule) in rules {
        let text = file(event, &format!(r#"{{"command": "boathook rule r", "rule": {rule}}}"#));
        let config = read(text.as_bytes(), Edition::Docs);
        assert_eq!(config.problems, [], "{rule}");
        assert!(matches!(config.definitions[0].action, Action::Rule(_)), "{rule}");
        assert_eq!(config.definitions[0].label(), "boathook rule r");
    }
}

#[test]
#[rustfmt::skip] // a table of short lines
fn every_mistake_has_its_place_and_its_repair() {
    let cases = [
        (with_rule(r#"{"shel": "x", "deny": "no"}"#), "rule-unknown-key", r#""shel""#, "did you mean `shell`?"),
        (with_rule(r#"{"tool_name": "x", "deny": "no"}"#), "rule-unknown-key", r#""tool_name""#, "\"when\""),
        (with_rule(r#"{"shell": {"programm": "x"}, "deny": "no"}"#), "rule-unknown-key", r#""programm""#, "did you mean `program`?"),
        (with_rule(r#"{"when": {"command": {"startswith": "x"}}, "deny": "no"}"#), "rule-unknown-key", r#""startswith""#, "did you mean `starts_with`?"),
        (with_rule("[]"), "rule-wrong-type", "[]", "\"rule\": {"),
        (with_rule(r#"{"shell": 5, "deny": "no"}"#), "rule-wrong-type", "5", "git push"),
        (with_rule(r#"{"shell": {"args": "x"}, "deny": "no"}"#), "rule-wrong-type", "\"x\"", "\"push\""),
        (with_rule(r#"{"when": {"command": []}, "deny": "no"}"#), "rule-empty-condition", "[]", "write the values"),
        (with_rule(r#"{"when": {"command": {"in": []}}, "deny": "no"}"#), "rule-empty-condition", "[]", "write the values"),
        (with_rule(r#"{"when": {"any": []}, "deny": "no"}"#), "rule-wrong-type", "[]", "tool_name"),
        (with_rule(r#"{"when": "x", "deny": "no"}"#), "rule-wrong-type", "\"x\"", "tool_name"),
        (with_rule(r#"{"when": {"cwd": {"greater": "x"}}, "deny": "no"}"#), "rule-wrong-type", "\"x\"", "100"),
        (with_rule(r#"{"when": {"cwd": {"exists": 1}}, "deny": "no"}"#), "rule-wrong-type", "1}}", "true"),
        (with_rule(r#"{"when": {"any": {}}, "deny": "no"}"#), "rule-wrong-type", "{}", "[{"),
        (with_rule(r#"{"when": {}, "deny": "no"}"#), "rule-empty-condition", "{}", "leave it out"),
        (with_rule(r#"{"shell": [], "deny": "no"}"#), "rule-empty-condition", "[]", "git push"),
        (with_rule(r#"{"shell": "git log | cat", "deny": "no"}"#), "rule-not-one-command", r#""git log | cat""#, "a list"),
        (with_rule(r#"{"shell": ["x", "echo > out"], "deny": "no"}"#), "rule-not-one-command", r#""echo > out""#, "writes_to"),
        (with_rule(r#"{"shell": "sh 2>&1", "deny": "no"}"#), "rule-not-one-command", r#""sh 2>&1""#, "writes_to"),
        (with_rule(r#"{"shell": "sh <in", "deny": "no"}"#), "rule-not-one-command", r#""sh <in""#, "reads_from"),
        (with_rule(r#"{"shell": "cd /; rm", "deny": "no"}"#), "rule-not-one-command", r#""cd /; rm""#, "a list"),
        (with_rule(r#"{"shell": {}, "deny": "no"}"#), "rule-empty-condition", "{}", "git push"),
        (with_rule(r#"{"when": {"cwd": {"matches": "a("}}, "deny": "no"}"#), "rule-bad-expression", r#""a(""#, "JavaScript"),
        (with_rule(r#"{"shell": {"matches": "*a"}, "deny": "no"}"#), "rule-bad-expression", r#""*a""#, "JavaScript"),
        (with_rule(r#"{"when": {"cwd": {"glob": "[a"}}, "deny": "no"}"#), "rule-bad-glob", r#""[a""#, "`**`"),
        (with_rule(r#"{"when": {"a..b": 1}, "deny": "no"}"#), "rule-bad-path", r#""a..b""#, "tool_input.path"),
        (with_rule(r#"{"shell": "x"}"#), "rule-says-nothing", "{\"shell\"", "`deny`"),
        (with_rule(r#"{"shell": "x", "deny": false}"#), "rule-wrong-type", "false", "why"),
        (with_rule(r#"{"shell": "x", "deny": "a", "allow": "b"}"#), "rule-two-answers", r#""allow""#, "two rules"),
        (with_rule(r#"{"shell": "x", "deny": "a", "user_message": "b"}"#), "rule-two-texts", r#""user_message""#, "\"deny\": true"),
        (with_rule(r#"{"shell": "x", "followup_message": "a"}"#), "rule-not-permitted", r#""followup_message""#, "`deny`, `ask`, `allow`"),
        (with_rule(r#"{"name": "other", "shell": "x", "deny": "a"}"#), "rule-name-differs", r#""other""#, "\"r\""),
        (file("preToolUse", r#"{"command": "boathook rule r", "rule": {"deny": "a", "additional_context": "b"}}"#), "rule-not-permitted", r#""additional_context""#, "remove"),
        (file("afterFileEdit", r#"{"command": "boathook rule r", "rule": {"deny": "a"}}"#), "rule-not-permitted", r#""deny""#, "nothing"),
        (file("stop", r#"{"command": "boathook rule r", "rule": {"shell": "x", "followup_message": "a"}}"#), "rule-no-command", r#""x""#, "when"),
        (file("beforeSubmitPrompt", r#"{"command": "boathook rule r", "rule": {"ask": "a"}}"#), "rule-not-permitted", r#""ask""#, "`deny`"),
        (file("stop", r#"{"command": "boathook rule r"}"#), "rule-missing", r#""boathook rule r""#, "\"rule\""),
        (file("stop", r#"{"command": "./x.sh", "rule": {"followup_message": "a"}}"#), "rule-command", r#""./x.sh""#, "boathook rule"),
        (file("stop", r#"{"command": "boathook rule a/b", "rule": {"followup_message": "a"}}"#), "rule-command", r#""boathook rule a/b""#, "letters"),
        (file("stop", r#"{"type": "rule", "command": "boathook rule r", "rule": {"followup_message": "a"}}"#), "type-unknown", r#""rule","#, "leave `type` out"),
        (file("stop", r#"{"rule": {"followup_message": "a"}}"#), "command-missing", r#"{"rule""#, "boathook rule NAME"),
        (
            file("stop", r#"{"command": "boathook rule r", "rule": {"followup_message": "a"}}, {"command": "boathook rule r",  "rule": {"followup_message": "b"}}"#),
            "rule-name-twice", r#""boathook rule r",  "#, "another name",
        ),
    ];
    for (text, code, at, help) in cases {
        let config = read(text.as_bytes(), Edition::Docs);
        let found = config.problems.iter().find(|problem| problem.code == code);
        let problem = found.unwrap_or_else(|| panic!("{code}: {text}\n{:?}", config.problems));
        assert_eq!(problem.severity, Severity::Error, "{text}");
        let start = problem.place.as_ref().expect("a place").bytes.start;
        assert!(text[start..].starts_with(at), "{code}: {}", &text[start..]);
        assert!(problem.help.as_deref().unwrap_or_default().contains(help), "{problem:?}");
        let broken = config.definitions.iter().any(|hook| matches!(hook.action, Action::Broken { .. }));
        assert!(broken, "{code}: the entry does not run");
    }
}

#[test]
fn what_is_only_doubtful_still_runs() {
    let cases = [
        (with_rule(r#"{"when": {"comand": "x"}, "deny": "no"}"#), "rule-unknown-field", Some("\"command\"")),
        (with_rule(r#"{"when": {"my_own": "x"}, "deny": "no"}"#), "rule-unknown-field", None),
        (with_rule(r#"{"shell": "x", "deny": "not {comand}"}"#), "rule-unknown-field", None),
        (
            file("beforeReadFile", r#"{"command": "boathook rule r", "rule": {"ask": "a"}}"#),
            "rule-ask-refuses",
            Some("\"deny\""),
        ),
    ];
    for (text, code, fix) in cases {
        let config = read(text.as_bytes(), Edition::Docs);
        let [problem] = &config.problems[..] else { panic!("{text}: {:?}", config.problems) };
        assert_eq!((problem.code, problem.severity), (code, Severity::Warning), "{text}");
        let repaired = problem.fix.as_ref().map(|fix| fix.edits[0].text.as_str());
        assert_eq!(repaired, fix, "{text}");
        assert!(matches!(config.definitions[0].action, Action::Rule(_)), "{text}");
    }
}

#[test]
fn a_command_names_a_rule_in_every_spelling_of_the_program() {
    let cases = [
        ("boathook rule a-b.c_1", Some("a-b.c_1")),
        ("  /usr/local/bin/boathook  rule x ", Some("x")),
        ("\"C:\\bin\\boathook.exe\" rule x", Some("x")),
        ("boathook rule", None),
        ("boathook rule a b", None),
        ("boathook run stop", None),
        ("myboathook rule a", None),
    ];
    for (command, expected) in cases {
        assert_eq!(super::name_in(command), expected, "{command}");
    }
}

#[test]
fn a_key_of_a_tool_that_is_nearly_known_is_told() {
    let cases = [
        ("preToolUse", "tool_input.filePath", Some("did you mean `tool_input.file_path`?")),
        ("preToolUse", "tool_input.comand", Some("did you mean `tool_input.command`?")),
        ("preToolUse", "tool_input.file_path", None),
        ("preToolUse", "tool_input.path", None),
        ("preToolUse", "tool_input.repo", None),
        ("preToolUse", "tool_input", None),
        ("beforeMCPExecution", "tool_input.filePath", None),
    ];
    for (event, path, expected) in cases {
        let entry = format!(
            r#"{{"command": "boathook rule r", "rule": {{"when": {{"{path}": {{"exists": true}}}}, "deny": "no"}}}}"#
        );
        let problems = read(file(event, &entry).as_bytes(), Edition::Docs).problems;
        let help = problems.first().and_then(|problem| problem.help.as_deref());
        assert_eq!(help, expected, "{event} {path}: {problems:?}");
        assert!(problems.iter().all(|problem| problem.severity == Severity::Warning), "{problems:?}");
    }
}
