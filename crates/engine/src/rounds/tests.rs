//! Hooks as plain functions from text to answer, asked in rounds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::*;
use crate::answer::read_answer;
use crate::definition::Definition;
use crate::edition::Edition;
use crate::event::EventKind;
use crate::load::HookState;
use crate::merge::{Case, merge};
use crate::payload::Payload;
use crate::source::Source;

/// What a hook says to the text it is asked about; nothing is no opinion, and
/// `fail` is a failure.
type Says = fn(&str) -> String;

/// Decides an event whose text stands in this field, and counts the questions.
fn decide(event: &str, field: &str, text: &str, hooks: &[(&str, Says)]) -> (String, bool, usize) {
    let kind = EventKind::named(event).expect(event);
    let rules = Edition::Docs.rules();
    let payload = serde_json::json!({ "tool_name": "MCP:x", field: text }).to_string();
    let event = Event::new(kind, Payload::parse(payload.as_bytes()).expect("an object"));
    let known: Vec<(Hook, Says)> =
        hooks.iter().enumerate().map(|(index, (level, says))| (hook(kind, index, level), *says)).collect();
    let mut asked = 0;
    let mut ask = |event: &Event, among: &dyn Fn(&Hook) -> bool| -> Vec<Heard<'_>> {
        let seen = event
            .payload
            .get(field)
            .map(|value| value.get().trim_matches('"').to_owned())
            .unwrap_or_default();
        known
            .iter()
            .filter(|(hook, _)| among(hook))
            .map(|(hook, says)| {
                asked += 1;
                Heard { hook, read: outcome(&says(&seen), kind), exit: None, process: None, runs: 1 }
            })
            .collect()
    };
    let mut heard = ask(&event, &|_| true);
    settle(&mut heard, &event, rules, &mut ask);
    let decision =
        merge(&heard, &Case { event: &event, rules, loop_count: 0, loop_ceiling: 50, can_ask: true });
    (decision.answer_line(), decision.blocked, asked)
}

fn outcome(said: &str, kind: EventKind) -> ReadOutcome {
    match said {
        "" => ReadOutcome::plain(Outcome::NoOpinion),
        "fail" => ReadOutcome::failed(Failure::ExitCode(1)),
        json => {
            let answer = read_answer(&Payload::parse(json.as_bytes()).expect(json), kind).answer;
            ReadOutcome::plain(Outcome::Answer(Box::new(answer)))
        }
    }
}

fn hook(kind: EventKind, index: usize, level: &str) -> Hook {
    let source = match level {
        "enterprise" => Source::enterprise(crate::source::Os::Linux, Path::new("/")),
        "team" => Source::team(PathBuf::from("/team")),
        "project" => Source::project(Path::new("/project")),
        _ => Source::user(Path::new("/home")),
    };
    let definition = Definition::command(kind, format!("hook-{index}"));
    Hook { id: index.to_string(), definition, source: Arc::new(source), state: HookState::Ready }
}

fn hides(word: &str, text: &str) -> String {
    if text.contains(word) {
        format!(r#"{{"new_content":"{}"}}"#, text.replace(word, "*"))
    } else {
        String::new()
    }
}

#[test]
fn no_redaction_is_lost() {
    let one: Says = |text| hides("KEY", text);
    let other: Says = |text| hides("TOKEN", text);
    let (answer, blocked, asked) =
        decide("beforeReadFile", "content", "KEY TOKEN", &[("team", one), ("user", other)]);
    assert_eq!((answer.as_str(), blocked), (r#"{"new_content":"* *"}"#, false));
    assert!(asked <= 5, "{asked}");
    let (answer, _, asked) = decide("beforeReadFile", "content", "KEY", &[("team", one), ("user", other)]);
    assert_eq!((answer.as_str(), asked), (r#"{"new_content":"*"}"#, 2), "one redactor is not asked again");
}

#[test]
fn redactions_that_undo_each_other_are_refused() {
    let a: Says = |_| r#"{"new_content":"a"}"#.to_owned();
    let b: Says = |_| r#"{"new_content":"b"}"#.to_owned();
    let (answer, blocked, _) = decide("beforeReadFile", "content", "x", &[("team", a), ("user", b)]);
    assert!(blocked, "{answer}");
    assert!(answer.contains("did not settle in 3 rounds"), "{answer}");
}

#[test]
fn a_redactor_that_fails_when_asked_again_refuses() {
    let first: Says = |text| hides("KEY", text);
    let fails: Says = |text| if text.contains("KEY") { hides("TOKEN", text) } else { "fail".to_owned() };
    let (answer, blocked, _) =
        decide("beforeReadFile", "content", "KEY TOKEN", &[("team", first), ("user", fails)]);
    assert!(blocked, "{answer}");
}

#[test]
fn an_mcp_output_that_does_not_settle_is_withheld() {
    let a: Says = |_| r#"{"updated_mcp_tool_output":{"x":"a"}}"#.to_owned();
    let b: Says = |_| r#"{"updated_mcp_tool_output":{"x":"b"}}"#.to_owned();
    let (answer, blocked, _) = decide("postToolUse", "tool_output", "x", &[("team", a), ("user", b)]);
    assert!(!blocked);
    assert!(answer.contains("The output was withheld"), "{answer}");
}

#[test]
fn higher_sources_are_asked_about_what_will_run() {
    let rewrites: Says = |_| r#"{"updated_input":{"command":"rm -rf /"}}"#.to_owned();
    let guards: Says = |input| {
        if input.contains("rm -rf") {
            r#"{"permission":"deny","user_message":"no"}"#.to_owned()
        } else {
            String::new()
        }
    };
    let rewrites_again: Says = |input| {
        if input.contains("rm") { r#"{"updated_input":{"command":"ls"}}"#.to_owned() } else { String::new() }
    };
    let agrees: Says = |input| {
        if input.contains("rm") {
            r#"{"updated_input":{"command":"rm -rf /"}}"#.to_owned()
        } else {
            String::new()
        }
    };
    let cases = [
        ("a higher gate refuses the rewrite", "enterprise", guards, true, 3),
        ("a lower gate is not asked again", "user", guards, false, 2),
        ("a further rewrite is a refusal", "enterprise", rewrites_again, true, 3),
        ("the same rewrite stands", "enterprise", agrees, false, 3),
    ];
    for (name, level, gate, blocked, questions) in cases {
        let hooks: Vec<(&str, Says)> = if level == "user" {
            vec![("project", rewrites), (level, gate)]
        } else {
            vec![(level, gate), ("project", rewrites)]
        };
        let (answer, refused, asked) = decide("preToolUse", "tool_input", "ls", &hooks);
        assert_eq!((refused, asked), (blocked, questions), "{name}: {answer}");
    }
}
