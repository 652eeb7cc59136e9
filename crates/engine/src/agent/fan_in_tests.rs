use serde_json::{json, value::to_raw_value};

use super::super::happening::{NativeCall, ToolClass};
use super::super::tiny::{ABLE, CAREFUL, UNABLE, call, happening, object};
use super::*;
use crate::event::EventKind;
use crate::payload::Payload;

fn decided(kind: EventKind, decision: impl FnOnce(&mut Decision)) -> Decided {
    let mut made = Decision::none(kind);
    decision(&mut made);
    let payload = Payload::parse(br#"{"file_path":"/p/.env","content":"KEY=1"}"#).expect("an object");
    Decided { call: 0, event: Event::new(kind, payload), decision: made }
}

fn before(class: ToolClass, input: Value) -> Happening {
    happening(Moment::BeforeTool { calls: vec![call(class, "Shell", input)] })
}

fn told(agent: &Agent, decided: &[Decided]) -> Verdict {
    verdict(agent, Preferences::default(), &before(ToolClass::Shell, json!({"command": "ls"})), decided)
}

fn deny(kind: EventKind, user: Option<&str>, model: Option<&str>) -> Decided {
    decided(kind, |decision| {
        decision.blocked = true;
        decision.permission = Some(Permission::Deny);
        decision.user_message = user.map(str::to_owned);
        decision.model_text = model.map(str::to_owned);
    })
}

fn ask(message: Option<&str>) -> Decided {
    decided(EventKind::BeforeShellExecution, |decision| {
        decision.permission = Some(Permission::Ask);
        decision.user_message = message.map(str::to_owned);
    })
}

fn allow() -> Decided {
    decided(EventKind::PreToolUse, |decision| decision.permission = Some(Permission::Allow))
}

#[test]
fn deny_beats_ask_beats_allow_across_the_events_of_one_call() {
    let skip = Preferences { allow_skips_prompt: true, ..Preferences::default() };
    let word = |agent: &Agent, decided: &[Decided]| {
        let verdict = verdict(agent, skip, &before(ToolClass::Shell, json!({})), decided);
        match verdict {
            Verdict { refused: Some(_), ask: None, approved: false, .. } => "refused",
            Verdict { refused: None, ask: Some(_), approved: false, .. } => "ask",
            Verdict { refused: None, ask: None, approved: true, .. } => "approved",
            Verdict { refused: None, ask: None, approved: false, .. } => "nothing",
            _ => "two things at once",
        }
    };
    let denied = || deny(EventKind::BeforeShellExecution, Some("no"), None);
    let cases = [
        (vec![], "nothing", "nothing"),
        (vec![allow()], "approved", "approved"),
        (vec![allow(), ask(None)], "ask", "refused"),
        (vec![allow(), ask(Some("why")), denied()], "refused", "refused"),
        (vec![denied(), allow()], "refused", "refused"),
    ];
    for (number, (decided, able, unable)) in cases.into_iter().enumerate() {
        assert_eq!(word(&ABLE, &decided), able, "{number}");
        assert_eq!(word(&UNABLE, &decided), unable, "{number}");
    }
    // A patch of two files is not approved because one of them is.
    let both = vec![call(ToolClass::Write, "Write", json!({})), call(ToolClass::Write, "Write", json!({}))];
    let patch = happening(Moment::BeforeTool { calls: both });
    let second = || Decided { call: 1, ..allow() };
    assert!(!verdict(&ABLE, skip, &patch, &[allow()]).approved);
    assert!(verdict(&ABLE, skip, &patch, &[allow(), second()]).approved);
    // Who did not choose it is still asked by the agent.
    assert!(!told(&ABLE, &[allow()]).approved);
}

#[test]
fn a_reason_is_never_empty() {
    let kind = EventKind::BeforeShellExecution;
    let cases = [
        (deny(kind, Some("u"), Some("m")), "m", "u"),
        (deny(kind, Some("u"), None), "u", "u"),
        (deny(kind, None, Some("m")), "m", "Command execution was blocked by a hook"),
        (
            deny(kind, None, None),
            "The terminal command was rejected by a hook. Do not attempt to work around this restriction using alternative methods or commands.",
            "Command execution was blocked by a hook",
        ),
        (deny(kind, Some(" "), Some("")), "", ""),
    ];
    for (decided, model, user) in cases {
        let words = told(&ABLE, &[decided]).refused.expect("a refusal");
        assert!(!words.model.trim().is_empty() && !words.user.trim().is_empty());
        if !model.is_empty() {
            assert_eq!((words.model.as_str(), words.user.as_str()), (model, user));
        }
    }
    let both = [deny(kind, Some("one"), Some("m1")), deny(kind, Some("two"), Some("m2"))];
    let words = told(&ABLE, &both).refused.expect("a refusal");
    assert_eq!((words.user.as_str(), words.model.as_str()), ("one\n\n---\n\ntwo", "m1\n\n---\n\nm2"));
    let question = told(&ABLE, &[ask(None)]).ask.expect("a question");
    assert!(!question.model.is_empty() && !question.user.is_empty());
}

#[test]
fn an_ask_that_nobody_hears_is_a_refusal_that_says_so() {
    let words = told(&UNABLE, &[ask(Some("Deploys need a nod."))]).refused.expect("a refusal");
    assert_eq!(
        words.user,
        "A hook wants the user to be asked before this goes on, and nobody can be asked here: Deploys need a nod"
    );
    assert!(words.model.contains("nobody can be asked here: Deploys need a nod"), "{}", words.model);
    for (chosen, asked) in [(false, false), (true, true)] {
        let preferences = Preferences { ask_where_possible: chosen, ..Preferences::default() };
        let verdict = verdict(&CAREFUL, preferences, &before(ToolClass::Shell, json!({})), &[ask(None)]);
        assert_eq!((verdict.ask.is_some(), verdict.refused.is_some()), (asked, !asked));
    }
}

#[test]
fn a_rewrite_is_told_or_refused_and_never_lost() {
    let rewrite = || {
        decided(EventKind::PreToolUse, |decision| {
            let wanted = json!({"command": "ls -l", "file_path": "x"});
            decision.updated_input = to_raw_value(&wanted).ok();
        })
    };
    let given = json!({"command": "ls", "file_path": "x"});
    let mut happening = before(ToolClass::Shell, given.clone());
    let native = object(json!({"command": "ls", "path": "x"}));
    happening.call = Some(NativeCall { name: "bash".to_owned(), id: None, input: native });
    let of = |agent: &Agent| verdict(agent, Preferences::default(), &happening, &[rewrite()]);
    let wanted = object(json!({"command": "ls -l", "file_path": "x"}));
    assert_eq!(of(&ABLE).input, Some(wanted));
    let words = of(&UNABLE).refused.expect("a refusal");
    assert!(
        words.model.ends_with(r#"with exactly this input: {"command":"ls -l","path":"x"}"#),
        "{}",
        words.model
    );
    // What cannot be read is not «no rewrite».
    let deep = format!("{{\"command\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    let deep = serde_json::value::RawValue::from_string(deep).expect("JSON");
    let unreadable = decided(EventKind::PreToolUse, |decision| decision.updated_input = Some(deep));
    assert!(verdict(&ABLE, Preferences::default(), &happening, &[unreadable]).refused.is_some());
    // A hook that gives the input back as it was changed nothing.
    let same = decided(EventKind::PreToolUse, |decision| decision.updated_input = to_raw_value(&given).ok());
    let verdict = verdict(&UNABLE, Preferences::default(), &happening, &[same]);
    assert_eq!((verdict.refused, verdict.input), (None, None));
}

#[test]
fn a_rewrite_that_a_dialect_cannot_fold_back_is_refused_before_it_is_encoded() {
    let rewrite = |call: usize, wanted: Value| {
        let one = decided(EventKind::PreToolUse, |it| it.updated_input = to_raw_value(&wanted).ok());
        Decided { call, ..one }
    };
    let write = |path: &str| call(ToolClass::Write, "Write", json!({"file_path": path, "content": "x"}));
    let mut patch = happening(Moment::BeforeTool { calls: vec![write("/a"), write("/b")] });
    let input = object(json!({"input": "*** Begin Patch"}));
    patch.call = Some(NativeCall { name: "apply_patch".to_owned(), id: None, input });
    let of = |decided: &[Decided]| verdict(&UNABLE, Preferences::default(), &patch, decided);
    let words = of(&[rewrite(1, json!({"file_path": "/c"}))]).refused.expect("a refusal");
    let said = "call `apply_patch` again so that it does exactly this: \
        Write {\"file_path\":\"/a\",\"content\":\"x\"}\nWrite {\"file_path\":\"/c\"}";
    assert!(words.model.ends_with(said), "{}", words.model);
    // What a hook refuses is not offered in another form.
    let denied = || deny(EventKind::PreToolUse, Some("no"), None);
    let words = of(&[rewrite(0, json!({"file_path": "/c"})), denied()]).refused.expect("a refusal");
    assert_eq!(words.user, "no");
    // A question about a call that cannot run as it is wanted is not put.
    let question = verdict(
        &CAREFUL,
        Preferences { ask_where_possible: true, ..Preferences::default() },
        &patch,
        &[rewrite(0, json!({"file_path": "/c"})), ask(Some("why"))],
    );
    assert!(question.refused.is_some() && question.ask.is_none());
}

#[test]
fn a_redaction_is_a_refusal_that_carries_the_text() {
    let redact = |text: &str| {
        decided(EventKind::BeforeReadFile, |decision| decision.new_content = Some(text.to_owned()))
    };
    let words = told(&ABLE, &[redact("KEY=***")]).refused.expect("a refusal");
    assert!(words.model.ends_with("may be seen:\n\nKEY=***"), "{}", words.model);
    assert!(words.model.contains("/p/.env") && words.model.contains(DO_NOT_WORK_AROUND));
    assert!(!words.model.contains("KEY=1"));
    assert_eq!(told(&ABLE, &[redact("KEY=1")]).refused, None, "nothing was redacted");
    let long = told(&ABLE, &[redact(&"é".repeat(100_000))]).refused.expect("a refusal").model;
    assert!(long.len() < LONGEST_REDACTION + 500 && long.contains("of 200000 bytes"), "{}", &long[..300]);
}

#[test]
fn what_cannot_be_told_is_said_aloud() {
    let output = || {
        decided(EventKind::PostToolUse, |decision| {
            decision.updated_mcp_tool_output = to_raw_value(&json!({"clean": true})).ok();
        })
    };
    assert_eq!(told(&ABLE, &[output()]).output, Some(json!({"clean": true})));
    let lost = told(&UNABLE, &[output()]);
    assert_eq!(lost.output, None);
    assert!(lost.notice.is_some_and(|notice| notice.contains("THE MODEL HAS READ THE ORIGINAL OUTPUT")));

    let context = || {
        decided(EventKind::PreToolUse, |decision| {
            decision.additional_context = Some("mind the gap".to_owned())
        })
    };
    assert_eq!(told(&ABLE, &[context()]).context.as_deref(), Some("mind the gap"));
    let lost = told(&UNABLE, &[context()]);
    assert_eq!(lost.context, None);
    assert!(lost.notice.is_some_and(|notice| notice.contains("mind the gap")));
    let refused = told(&UNABLE, &[context(), deny(EventKind::BeforeShellExecution, Some("u"), Some("m"))]);
    assert_eq!(refused.refused.map(|words| words.model).as_deref(), Some("m\n\n---\n\nmind the gap"));

    let withheld = decided(EventKind::AfterAgentResponse, |decision| {
        decision.blocked = true;
        decision.user_message = Some("a secret".to_owned());
    });
    let late = told(&ABLE, &[withheld]);
    assert_eq!(late.refused, None);
    assert!(late.notice.is_some_and(|notice| notice.contains("has shown it already: a secret")));

    let open = || decided(EventKind::PreToolUse, |it| it.warnings = vec!["hook `x` crashed".to_owned()]);
    assert_eq!(told(&ABLE, &[open(), open()]).notice.as_deref(), Some("hook `x` crashed"), "said once");
}

#[test]
fn context_that_an_agents_table_calls_lost_is_said_aloud() {
    let context = |kind| decided(kind, |it| it.additional_context = Some("mind the gap".to_owned()));
    let stop = happening(Moment::SubagentStop(crate::agent::Ending::default()));
    let cases = [("claude", false), ("qwen", true), ("copilot", true), ("codex", true), ("vscode", true)];
    for (name, lost) in cases {
        let agent = crate::agent::named(name).expect(name);
        let verdict = verdict(agent, Preferences::default(), &stop, &[context(EventKind::SubagentStop)]);
        assert_eq!(verdict.context.is_none(), lost, "{name}");
        let notice = verdict.notice.unwrap_or_default();
        assert_eq!(
            notice.contains("subagentStop") && notice.contains("mind the gap"),
            lost,
            "{name}: {notice}"
        );
    }
}

#[test]
fn a_whole_source_is_complained_of_once_a_turn() {
    let withheld = || {
        decided(EventKind::PreToolUse, |it| it.warnings = vec!["/p/hooks.json: 2 hooks withheld".to_owned()])
    };
    let call = before(ToolClass::Shell, json!({}));
    assert_eq!(told(&ABLE, &[withheld()]).notice, None);
    assert_eq!(asides(&call, &[withheld(), withheld()]), ["/p/hooks.json: 2 hooks withheld"]);
    let turn = happening(Moment::Prompt { text: String::new() });
    let told = verdict(&ABLE, Preferences::default(), &turn, &[withheld()]);
    assert_eq!(told.notice.as_deref(), Some("/p/hooks.json: 2 hooks withheld"));
    assert!(asides(&turn, &[withheld()]).is_empty());
}
