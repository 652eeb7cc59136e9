//! What is understood, and what is warned about.

use super::*;

fn read(event: &str, json: &str) -> ReadAnswer {
    let event = EventKind::named(event).expect(event);
    read_answer(&Payload::parse(json.as_bytes()).expect(json), event)
}

#[test]
fn every_spelling_of_a_refusal_is_understood() {
    let cases = [
        ("beforeShellExecution", r#"{"permission":"deny","user_message":"no"}"#),
        ("beforeShellExecution", r#"{"permission":"deny","userMessage":"no"}"#),
        (
            "preToolUse",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
        ),
        ("preToolUse", r#"{"decision":"block","reason":"no"}"#),
        ("beforeSubmitPrompt", r#"{"decision":"block","reason":"no"}"#),
        ("beforeSubmitPrompt", r#"{"continue":false,"user_message":"no"}"#),
        ("beforeShellExecution", r#"{"continue":false,"stopReason":"no"}"#),
    ];
    for (event, json) in cases {
        let read = read(event, json);
        assert!(read.answer.refuses(), "{json}");
        assert_eq!(read.answer.user_message.as_deref(), Some("no"), "{json}");
        assert_eq!(read.wrong_shape, None, "{json}");
    }
}

#[test]
fn a_block_at_the_end_is_a_follow_up() {
    assert_eq!(
        read("stop", r#"{"decision":"block","reason":"go on"}"#).answer.followup_message.as_deref(),
        Some("go on")
    );
    let after = read("postToolUse", r#"{"decision":"block","reason":"look"}"#);
    assert_eq!(after.answer.additional_context.as_deref(), Some("look"));
}

#[test]
fn values_that_cannot_be_meant_are_named() {
    let cases = [
        (r#"{"permission":"maybe"}"#, "`permission` is `maybe`"),
        (r#"{"permission":"Allow"}"#, "`permission` is `Allow`"),
        (r#"{"permission":true}"#, "`permission` is a boolean"),
        (r#"{"continue":"no"}"#, "`continue` must be true or false"),
        (r#"{"updated_input":"ls"}"#, "`updated_input` must be an object"),
    ];
    for (json, expected) in cases {
        let wrong = read("preToolUse", json).wrong_shape.expect(json);
        assert!(wrong.starts_with(expected), "{wrong}");
    }
    assert_eq!(read("preToolUse", r#"{"permission":null}"#).wrong_shape, None);
}

#[test]
fn a_near_miss_is_warned_about() {
    for key in ["Permission", "permision", "PERMISSION", "permissions"] {
        let read = read("preToolUse", &format!(r#"{{"{key}":"deny"}}"#));
        assert_eq!(read.near_miss.as_deref(), Some(key));
        assert!(read.warnings[0].contains("write `permission`"), "{:?}", read.warnings);
    }
    assert_eq!(read("preToolUse", r#"{"note":"x","version":1}"#).near_miss, None);
}

#[test]
fn a_refusal_beats_an_allowance_in_the_same_answer() {
    let cases = [
        ("preToolUse", r#"{"permission":"allow","hookSpecificOutput":{"permissionDecision":"deny"}}"#),
        ("preToolUse", r#"{"permission":"deny","hookSpecificOutput":{"permissionDecision":"allow"}}"#),
        ("preToolUse", r#"{"permission":"allow","decision":"block","reason":"no"}"#),
        ("preToolUse", r#"{"decision":"block","hookSpecificOutput":{"permissionDecision":"allow"}}"#),
        ("beforeSubmitPrompt", r#"{"continue":true,"decision":"block"}"#),
        ("beforeSubmitPrompt", r#"{"continue":false,"decision":"approve"}"#),
    ];
    for (event, json) in cases {
        let read = read(event, json);
        assert!(read.answer.refuses(), "{json}");
        assert!(read.warnings.iter().any(|warning| warning.contains("stricter")), "{json}");
    }
    let asked =
        read("preToolUse", r#"{"permission":"allow","hookSpecificOutput":{"permissionDecision":"ask"}}"#);
    assert_eq!(asked.answer.permission, Some(Permission::Ask));
    let agreed =
        read("preToolUse", r#"{"permission":"deny","hookSpecificOutput":{"permissionDecision":"deny"}}"#);
    assert_eq!(agreed.warnings, Vec::<String>::new());
}

#[test]
fn snake_case_counts_when_both_are_there() {
    let read = read("preToolUse", r#"{"permission":"deny","userMessage":"b","user_message":"a"}"#);
    assert_eq!(read.answer.user_message.as_deref(), Some("a"));
    assert!(read.warnings[0].contains("both"));
}

#[test]
fn red_team_h1_a_refusal_inside_a_member_takes_effect() {
    let cases = [
        // What `printf` makes of two values of which one opens an object and the other one closes it.
        r#"{"user_message":"x","permission":"allow","z":{"y":"","permission":"deny","agent_message":"in /x"},"q":""}"#,
        r#"{"user_message":"x","z":{"y":"","permission":"deny"},"q":""}"#,
        r#"{"permission":"allow","z":[{"a":[{"permission":"deny"}]}]}"#,
        r#"{"permission":"allow","z":{"permission":"deny","permission":"allow"}}"#,
        r#"{"permission":"allow","updated_input":{"command":"","permission":"deny"}}"#,
        r#"{"permission":"allow","z":{"continue":false}}"#,
        r#"{"permission":"allow","hookSpecificOutput":{"z":{"permissionDecision":"deny"}}}"#,
        r#"{"permission":"allow","env":{"permission":"deny"}}"#,
    ];
    for json in cases {
        let read = read("preToolUse", json);
        assert!(read.answer.refuses(), "{json}");
        assert!(
            read.warnings.iter().any(|warning| warning.contains("inside `")),
            "{json}: {:?}",
            read.warnings
        );
    }
    let ask = read("preToolUse", r#"{"permission":"allow","z":{"permission":"ask"}}"#);
    assert_eq!(ask.answer.permission, Some(Permission::Ask));
    let prompt = read("beforeSubmitPrompt", r#"{"continue":true,"z":{"continue":false}}"#);
    assert!(prompt.answer.refuses());
}

#[test]
fn what_is_not_a_refusal_inside_a_member_changes_nothing() {
    let cases = [
        r#"{"permission":"allow","updated_input":{"continue":false}}"#,
        r#"{"permission":"allow","z":{"permission":"allow"}}"#,
        r#"{"permission":"allow","z":{"text":"\"permission\":\"deny\""}}"#,
        r#"{"permission":"allow","z":{"permissions":["deny"]}}"#,
        r#"{"permission":"allow","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
    ];
    for json in cases {
        let read = read("preToolUse", json);
        assert_eq!(read.answer.permission, Some(Permission::Allow), "{json}");
        assert_eq!(read.warnings, Vec::<String>::new(), "{json}");
    }
}
