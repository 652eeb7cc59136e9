//! What an exit means, edition by edition.

use super::*;
use crate::edition::Edition;

fn exited(code: i32, stdout: &str) -> Exit {
    Exit {
        status: Status::Code(code),
        stdout: stdout.into(),
        stderr: Vec::new(),
        duration: Duration::ZERO,
        leaked: false,
    }
}

fn read_in(edition: Edition, event: &str, exit: &Exit) -> String {
    let event = EventKind::named(event).expect(event);
    let sent =
        Payload::parse(br#"{"hook_event_name":"preToolUse","agent_message":"hi"}"#).expect("an object");
    let read = read_outcome(exit, event, &sent, edition.rules());
    let blocks = if read.blocks { " and blocks" } else { "" };
    match read.outcome {
        Outcome::Answer(answer) => match answer.permission {
            Some(permission) => permission.name().to_owned(),
            None => format!("answer, continue {:?}", answer.proceed),
        },
        Outcome::NoOpinion => "no opinion".to_owned(),
        Outcome::Silent => "silent".to_owned(),
        Outcome::Failed(failure) => format!("failed: {failure}{blocks}"),
    }
}

fn read(exit: &Exit) -> String {
    read_in(Edition::Docs, "preToolUse", exit)
}

#[test]
fn exit_code_decides_what_a_hook_meant() {
    let cases = [
        ("0 with an answer", exited(0, r#"{"permission":"ask"}"#), "ask"),
        ("0 and silent", exited(0, "\n"), "silent"),
        ("0 and an empty object", exited(0, "{}"), "no opinion"),
        ("2 denies, whatever stdout says", exited(2, r#"{"permission":"allow"}"#), "deny"),
        ("2 and nothing", exited(2, ""), "deny"),
        ("any other code is a failure", exited(7, ""), "failed: exited with code 7"),
        ("also with a refusal", exited(1, r#"{"permission":"deny"}"#), "failed: exited with code 1"),
    ];
    for (name, exit, expected) in cases {
        assert_eq!(read(&exit), expected, "{name}");
    }
}

#[test]
fn stdout_is_read_generously() {
    let cases = [
        ("a byte order mark", "\u{feff}{\"permission\":\"deny\"}", "deny"),
        ("a log line before", "loading {x}\n{\"permission\":\"deny\",\"o\":{\"a\":1}}\n", "deny"),
        ("an echo of the input", r#"{"hook_event_name":"preToolUse","agent_message":"hi"}"#, "no opinion"),
        (
            "an echo with an answer",
            r#"{"hook_event_name":"preToolUse","agent_message":"hi","permission":"deny"}"#,
            "deny",
        ),
        ("a refusal in broken JSON", r#"{"permission": "deny", "user_message": "say "no" "}"#, "deny"),
        ("a refusal, then an allow", "{\"permission\":\"deny\"}\n{\"permission\":\"allow\"}", "deny"),
        ("an ask in broken JSON", r#"{"permission" : "ask", x}"#, "ask"),
        ("plain text", "all good", "failed: printed something that is not JSON: «all good»"),
        ("a list", "[1]", "failed: printed something that is not JSON: «[1]»"),
        ("text behind", "{} x", "failed: printed something that is not JSON: «{} x»"),
        (
            "a word that is none",
            r#"{"permission":"maybe"}"#,
            "failed: returned an invalid response for this hook step: `permission` is `maybe`; write `allow`, `deny` or `ask`",
        ),
        (
            "a near miss",
            r#"{"Permission":"deny"}"#,
            "failed: answered with `Permission`, which is no key of an answer",
        ),
        (
            "a near miss beside a message",
            r#"{"Permission":"deny","user_message":"no"}"#,
            "failed: answered with `Permission`, which is no key of an answer",
        ),
        (
            "a near miss in Claude's form",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permission_decision":"deny"}}"#,
            "failed: answered with `hookSpecificOutput.permission_decision`, which is no key of an answer",
        ),
        ("a native key in Claude's form", r#"{"hookSpecificOutput":{"permission":"deny"}}"#, "deny"),
        ("Claude's key outside of its object", r#"{"permissionDecision":"deny"}"#, "deny"),
        ("a list in Claude's form", r#"{"hookSpecificOutput":[{"permissionDecision":"deny"}]}"#, "deny"),
    ];
    for (name, stdout, expected) in cases {
        assert_eq!(read(&exited(0, stdout)), expected, "{name}");
    }
}

#[test]
fn editions_differ_in_what_a_broken_answer_means() {
    let text = exited(0, "hello");
    let broken_deny = exited(0, r#"{"permission":"deny" x"#);
    let cases = [
        (Edition::V2_3, "beforeShellExecution", &broken_deny, "failed"),
        (Edition::Docs, "beforeShellExecution", &broken_deny, "deny"),
        (
            Edition::V2026_09,
            "beforeShellExecution",
            &text,
            "failed: printed something that is not JSON: «hello» and blocks",
        ),
        (
            Edition::V2026_09,
            "beforeSubmitPrompt",
            &text,
            "failed: printed something that is not JSON: «hello»",
        ),
        (Edition::Docs, "afterFileEdit", &text, "no opinion"),
        (Edition::Docs, "stop", &text, "failed: printed something that is not JSON: «hello»"),
    ];
    for (edition, event, exit, expected) in cases {
        let got = read_in(edition, event, exit);
        assert!(got.starts_with(expected), "{edition:?} {event}: {got}");
    }
}

#[test]
fn deep_nesting_is_refused_without_a_crash() {
    let deep = format!("{{\"permission\":\"deny\",\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read(&exited(0, &deep)), "deny", "a refusal is still read");
    let deep = deep.replace("deny", "allow");
    assert!(read(&exited(0, &deep)).starts_with("failed"), "an allow is not");
}

#[test]
fn words_of_a_refusal_come_from_stdout_then_stderr() {
    let event = EventKind::BeforeShellExecution;
    let rules = Edition::Docs.rules();
    let mut exit = exited(2, "");
    exit.stderr = b" from stderr \n".to_vec();
    let words = |exit: &Exit| match read_outcome(exit, event, &Payload::default(), rules).outcome {
        Outcome::Answer(answer) => answer.user_message,
        _ => None,
    };
    assert_eq!(words(&exit).as_deref(), Some("from stderr"));
    exit.stdout = br#"{"user_message":"from stdout"}"#.to_vec();
    assert_eq!(words(&exit).as_deref(), Some("from stdout"));
}

#[test]
fn red_team_h1_the_strictest_of_repeated_keys_takes_effect() {
    let cases = [
        ("preToolUse", r#"{"permission":"deny","user_message":"x","permission":"allow"}"#, "deny"),
        ("preToolUse", r#"{"permission":"ask","permission":"allow"}"#, "ask"),
        ("preToolUse", r#"{"permission":"ask","permission":"maybe"}"#, "ask"),
        ("preToolUse", r#"{"permission":"deny","permission":null}"#, "deny"),
        ("preToolUse", r#"{"permission":"deny","\u0070ermission":"allow"}"#, "deny"),
        ("preToolUse", r#"{"permission":"allow","Permission":"deny"}"#, "deny"),
        (
            "preToolUse",
            r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}"#,
            "deny",
        ),
        (
            "preToolUse",
            r#"{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}"#,
            "deny",
        ),
        (
            "preToolUse",
            r#"{"hookSpecificOutput":{"permission_decision":"deny","permissionDecision":"allow"}}"#,
            "deny",
        ),
        (
            "preToolUse",
            r#"{"permission":"allow","hook_specific_output":{"permissionDecision":"deny"}}"#,
            "deny",
        ),
        ("preToolUse", r#"{"decision":"block","reason":"x","decision":"approve"}"#, "deny"),
        ("preToolUse", r#"{"decision":"approve","hookSpecificOutput":{"decision":"block"}}"#, "deny"),
        ("beforeSubmitPrompt", r#"{"continue":false,"continue":true}"#, "answer, continue Some(false)"),
        ("beforeReadFile", r#"{"new_content":"redacted","new_content":"secret"}"#, "deny"),
        ("beforeReadFile", r#"{"new_content":"redacted","newContent":"secret"}"#, "deny"),
        ("preToolUse", r#"{"updated_input":{"a":1},"updated_input":{"a":2}}"#, "deny"),
        ("preToolUse", r#"{"updated_input":{"a":1},"updated_input":{"a": 1}}"#, "answer, continue None"),
        ("preToolUse", r#"{"permission":"allow","permission":"allow"}"#, "allow"),
    ];
    for (event, stdout, expected) in cases {
        assert_eq!(read_in(Edition::Docs, event, &exited(0, stdout)), expected, "{stdout}");
        let kind = EventKind::named(event).expect(event);
        let read = read_outcome(&exited(0, stdout), kind, &Payload::default(), Edition::Docs.rules());
        assert!(!read.warnings.is_empty(), "{stdout}");
    }
}

#[test]
fn red_team_l4_a_refusal_is_read_in_broken_output_however_it_is_written() {
    let cases = [
        (r#"{"permission":"\u0064eny",}"#, "deny"),
        (r#"{"\u0070ermission":"d\u0065n\u0079",}"#, "deny"),
        (r#"{"permission": /* why */ "deny"}"#, "deny"),
        ("{\"permission\" // why\n : # yes\n \"deny\"}", "deny"),
        (r#"{"decision":"deny",}"#, "deny"),
        (r#"{"decision":"block",}"#, "deny"),
        (r#"{"hookSpecificOutput":{"permission_decision":"deny"}"#, "deny"),
        (r#"{"permissionDecision":"defer",}"#, "ask"),
        (r#"{"permission":"ask","permission":"deny",}"#, "deny"),
        (r#"{"permission":"deny"#, "deny"),
        (r#"{'permission': 'deny'}"#, "deny"),
        (r#"{'continue': False}"#, "deny"),
        (r#"{ permission: 'deny' }"#, "deny"),
        (r#"{"permission"=>"deny"}"#, "deny"),
        (r#"{"permission":"denying",}"#, "failed"),
        (r#"{"permission":"allow",}"#, "failed"),
        (r#"{"note":"\"permission\":\"deny\"",}"#, "failed"),
        (r#"{"continue":falsehood,}"#, "failed"),
    ];
    for (stdout, expected) in cases {
        let got = read(&exited(0, stdout));
        assert!(got.starts_with(expected), "{stdout}: {got}");
    }
    // Reading takes no longer than linear in the text, also where comments nest.
    let nested = "\"permission\"/*".repeat(200_000);
    let begun = std::time::Instant::now();
    assert_eq!(read(&exited(0, &format!("{nested}*/"))), "deny", "a doubt denies");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn red_team_l3_an_echo_hides_no_refusal() {
    let sent = |json: &str| Payload::parse(json.as_bytes()).expect(json);
    let payload = r#"{"hook_event_name":"preToolUse","permission":"deny","continue":false,"a":1}"#;
    let echo = |stdout: &str| {
        let rules = Edition::Docs.rules();
        match read_outcome(&exited(0, stdout), EventKind::PreToolUse, &sent(payload), rules).outcome {
            Outcome::Answer(answer) => answer.refuses(),
            _ => false,
        }
    };
    assert!(echo(r#"{"hook_event_name":"preToolUse","permission":"deny"}"#));
    assert!(echo(payload), "a payload that refuses is never an approval");
    assert!(echo(r#"{"hook_event_name":"preToolUse","permission":"deny","permission":"allow"}"#));
    assert!(!echo(r#"{"hook_event_name":"preToolUse","a":1}"#));
    let allowing = sent(r#"{"hook_event_name":"preToolUse","permission":"allow"}"#);
    let read = read_outcome(
        &exited(0, &allowing.to_json()),
        EventKind::PreToolUse,
        &allowing,
        Edition::Docs.rules(),
    );
    assert!(matches!(read.outcome, Outcome::NoOpinion), "{read:?}");
}

#[test]
fn red_team_h1_a_line_of_a_persistent_hook_that_fits_no_event_still_refuses() {
    let mut exit = exited(0, r#"{"permission":"deny"}"#);
    exit.status = Status::NoAnswer("its answer has no `id`".to_owned());
    assert_eq!(read(&exit), "deny");
    exit.stdout = br#"{"permission":"allow"}"#.to_vec();
    assert!(read(&exit).starts_with("failed"));
}
