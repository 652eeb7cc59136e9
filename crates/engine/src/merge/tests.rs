//! The law of precedence, as tables.

use super::*;
use crate::definition::Definition;
use crate::edition::Edition;
use crate::event::EventKind;
use crate::load::HookState;
use crate::outcome::read_outcome;
use crate::payload::Payload;
use crate::run::Status;
use crate::source::Source;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Hooks of these levels that ended with this code and this stdout; a `!`
/// before the level is `failClosed`.
fn decide(edition: Edition, event: &str, payload: &str, said: &[(&str, i32, &str)]) -> Decision {
    let kind = EventKind::named(event).expect(event);
    let event = Event::new(kind, Payload::parse(payload.as_bytes()).expect(payload));
    let hooks: Vec<Hook> =
        said.iter().enumerate().map(|(index, (level, ..))| hook(kind, index, level)).collect();
    let heard: Vec<Heard<'_>> = hooks
        .iter()
        .zip(said)
        .map(|(hook, (_, code, stdout))| {
            let exit = Exit {
                status: Status::Code(*code),
                stdout: stdout.as_bytes().to_vec(),
                stderr: Vec::new(),
                duration: Duration::ZERO,
                leaked: false,
            };
            let read = read_outcome(&exit, kind, &event.payload, edition.rules());
            Heard { hook, read, exit: Some(exit), process: None, runs: 1 }
        })
        .collect();
    let loop_count = event.payload.count("loop_count").unwrap_or(0);
    merge(
        &heard,
        &Case { event: &event, rules: edition.rules(), loop_count, loop_ceiling: 50, can_ask: true },
    )
}

fn hook(kind: EventKind, index: usize, level: &str) -> Hook {
    let mut definition = Definition::command(kind, format!("hook-{index}"));
    definition.fail_closed = level.starts_with('!');
    let source = match level.trim_start_matches('!') {
        "enterprise" => Source::enterprise(crate::source::Os::Linux, Path::new("/")),
        "team" => Source::team(PathBuf::from("/team")),
        "project" => Source::project(Path::new("/project")),
        _ => Source::user(Path::new("/home")),
    };
    Hook { id: index.to_string(), definition, source: Arc::new(source), state: HookState::Ready }
}

fn answer(event: &str, said: &[(&str, i32, &str)]) -> String {
    decide(Edition::Docs, event, "{}", said).answer_line()
}

#[test]
fn deny_beats_ask_beats_allow_whatever_the_source() {
    let cases: &[(&[(&str, i32, &str)], &str)] = &[
        (
            &[("enterprise", 0, r#"{"permission":"allow"}"#), ("user", 0, r#"{"permission":"ask"}"#)],
            r#"{"permission":"ask"}"#,
        ),
        (
            &[
                ("enterprise", 0, r#"{"permission":"allow"}"#),
                ("user", 0, r#"{"permission":"deny","user_message":"u","agent_message":"a"}"#),
            ],
            r#"{"permission":"deny","user_message":"u","agent_message":"a"}"#,
        ),
        (
            &[
                ("team", 0, r#"{"permission":"deny","user_message":"one"}"#),
                ("user", 2, r#"{"user_message":"two"}"#),
            ],
            r#"{"permission":"deny","user_message":"one\n\n---\n\ntwo","agent_message":"The terminal command was rejected by a hook: (team hook) one\n\n---\n\n(user hook) two. Do not attempt to work around this restriction using alternative methods or commands."}"#,
        ),
        (&[("user", 0, "{}"), ("user", 0, "")], "{}"),
        (&[("user", 1, r#"{"permission":"deny"}"#)], "{}"),
        (&[("user", 0, r#"{"permission":"allow"}"#), ("user", 0, "")], r#"{"permission":"allow"}"#),
    ];
    for (said, expected) in cases {
        assert_eq!(answer("beforeShellExecution", said), *expected);
    }
}

#[test]
fn a_failure_blocks_only_when_it_is_fail_closed() {
    let cases = [
        ("beforeShellExecution", ("user", 1, ""), None),
        ("beforeShellExecution", ("!user", 1, ""), Some("Hook `hook-0` exited with code 1.")),
        ("beforeShellExecution", ("!user", 0, ""), Some("Hook `hook-0` returned no output.")),
        (
            "beforeShellExecution",
            ("!user", 0, "text"),
            Some("Hook `hook-0` printed something that is not JSON: «text»."),
        ),
        ("beforeSubmitPrompt", ("!user", 1, ""), Some("Hook `hook-0` exited with code 1.")),
        ("afterAgentResponse", ("!user", 1, ""), Some("Hook `hook-0` exited with code 1.")),
        ("afterFileEdit", ("!user", 1, ""), None),
        ("stop", ("!user", 1, ""), None),
    ];
    for (event, said, expected) in cases {
        let decision = decide(Edition::Docs, event, "{}", &[said]);
        assert_eq!(decision.blocked, expected.is_some(), "{event} {said:?}");
        if let Some(expected) = expected {
            let message = decision.user_message.unwrap_or_default();
            assert!(message.starts_with(expected), "{message}");
            assert_eq!(decision.hooks[0].outcome, HookOutcome::FailedClosed);
        }
    }
}

#[test]
fn words_of_a_refusal_without_words() {
    let cases = [
        ("beforeShellExecution", "{}", "Command execution was blocked by a hook"),
        ("beforeSubmitPrompt", "{}", "Submission blocked by hook"),
        (
            "beforeReadFile",
            r#"{"file_path":"/a/.env"}"#,
            "File reading was blocked by a security hook: /a/.env. Do not attempt to work around this restriction using alternative methods or commands.",
        ),
    ];
    for (event, payload, expected) in cases {
        let decision = decide(Edition::Docs, event, payload, &[("user", 2, "")]);
        assert_eq!(decision.user_message.as_deref(), Some(expected));
        assert_eq!(decision.code(), Some("ERROR_HOOKS_BLOCKED"));
    }
    let shell = decide(
        Edition::Docs,
        "beforeShellExecution",
        "{}",
        &[("project", 0, r#"{"permission":"deny","user_message":"no"}"#)],
    );
    assert_eq!(
        shell.model_text.as_deref(),
        Some(
            "The terminal command was rejected by a hook: (project hook) no. Do not attempt to work around this restriction using alternative methods or commands."
        )
    );
}

#[test]
fn ask_never_decays_to_allow() {
    let ask = [("user", 0, r#"{"permission":"ask"}"#)];
    for (event, blocked) in [
        ("beforeShellExecution", false),
        ("beforeMCPExecution", false),
        ("preToolUse", false),
        ("subagentStart", true),
        ("beforeReadFile", true),
        ("beforeTabFileRead", true),
        ("beforeSubmitPrompt", true),
    ] {
        let decision = decide(Edition::Docs, event, "{}", &ask);
        assert_eq!(decision.blocked, blocked, "{event}");
        assert_eq!(decision.host_must_ask, event == "preToolUse", "{event}");
    }
}

#[test]
fn a_response_is_withheld_by_exit_code_two_alone() {
    assert_eq!(answer("afterAgentResponse", &[("user", 0, r#"{"permission":"deny"}"#)]), "{}");
    assert_eq!(
        answer("afterAgentResponse", &[("user", 2, r#"{"permission":"deny","userMessage":"no"}"#)]),
        r#"{"permission":"deny","user_message":"no"}"#
    );
}

#[test]
fn whose_single_value_counts_depends_on_the_edition() {
    let said =
        [("enterprise", 0, r#"{"updated_input":{"a":1}}"#), ("user", 0, r#"{"updated_input":{"a":2}}"#)];
    let of = |edition| decide(edition, "preToolUse", "{}", &said);
    assert_eq!(of(Edition::Docs).answer_line(), r#"{"updated_input":{"a":1}}"#);
    assert_eq!(of(Edition::Docs).hooks[1].lost, ["`updated_input`: the value of `hook-0` counts"]);
    assert_eq!(of(Edition::V2026_09).answer_line(), r#"{"updated_input":{"a":2}}"#);
    let denied = [said[0], ("user", 2, "")];
    assert!(!decide(Edition::Docs, "preToolUse", "{}", &denied).answer_line().contains("updated_input"));
}

#[test]
fn follow_ups_end_at_their_limits() {
    let said = [("user", 0, r#"{"followup_message":"go on"}"#)];
    let cases = [
        ("stop", r#"{"loop_count":4}"#, true),
        ("stop", r#"{"loop_count":5}"#, false),
        ("stop", r#"{"status":"error"}"#, true),
        ("subagentStop", r#"{"subagent_type":"shell","status":"completed"}"#, true),
        ("subagentStop", r#"{"subagent_type":"shell","status":"error"}"#, false),
    ];
    for (event, payload, expected) in cases {
        let decision = decide(Edition::Docs, event, payload, &said);
        assert_eq!(decision.followup_message.is_some(), expected, "{payload}");
        assert_eq!(decision.hooks[0].lost.is_empty(), expected, "{payload}");
    }
}

#[test]
fn contexts_are_all_delivered_in_order() {
    let long = format!(r#"{{"additional_context":"{}"}}"#, "x".repeat(10_001));
    let said = [
        ("user", 0, r#"{"additional_context":"one"}"#),
        ("user", 0, long.as_str()),
        ("user", 0, r#"{"additional_context":"two"}"#),
    ];
    let of = |edition| decide(edition, "sessionStart", "{}", &said).additional_context.unwrap_or_default();
    assert_eq!(of(Edition::V2026_09), "one\n\n---\n\ntwo");
    assert_eq!(of(Edition::Docs).len(), 10_001 + 6 + 2 * BETWEEN.len());
}

#[test]
fn variables_merge_by_key() {
    let said = [("project", 0, r#"{"env":{"A":"1","B":"1"}}"#), ("user", 0, r#"{"env":{"B":"2","C":"2"}}"#)];
    let decision = decide(Edition::Docs, "sessionStart", "{}", &said);
    assert_eq!(decision.answer_line(), r#"{"env":{"A":"1","B":"1","C":"2"}}"#);
    assert_eq!(decision.hooks[1].lost.len(), 1);
}
