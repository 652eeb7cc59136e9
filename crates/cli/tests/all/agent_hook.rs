//! `boathook agent hook`, as Claude Code calls it: payloads on stdin, answers
//! on stdout, and never an abnormal end.

use std::fs;

use serde_json::{Value, json};

use crate::context::{self, TestContext, read};

/// A test's place with these hooks of the user's.
fn with_hooks(hooks: Value) -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": hooks }).to_string());
    fs::create_dir_all(cx.path("project/.git")).expect("a folder");
    cx
}

/// Something Claude Code tells of the project.
fn told(cx: &TestContext, event: &str, more: Value) -> Value {
    let mut payload = json!({
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": cx.project(), "prompt_id": "p1",
        "permission_mode": "default", "hook_event_name": event,
    });
    let fields = payload.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    payload
}

fn bash(cx: &TestContext, command: &str) -> Value {
    let input = json!({ "command": command, "description": "x" });
    told(cx, "PreToolUse", json!({ "tool_name": "Bash", "tool_input": input, "tool_use_id": "t1" }))
}

/// What the agent gets: always one object or nothing, always with exit code 0.
fn answer(cx: &TestContext, payload: &Value) -> Value {
    let output = cx.output_with(["agent", "hook", "claude"], payload.to_string().as_bytes());
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    if stdout.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}"))
}

fn decision(answer: &Value) -> &str {
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none")
}

fn prints(answer: &Value) -> String {
    format!("echo '{answer}'")
}

#[test]
fn a_hooks_answer_reaches_the_agent_in_its_own_words() {
    let cases = [
        ("deny", json!({"permission": "deny", "agent_message": "use make"}), "deny"),
        ("ask", json!({"permission": "ask", "user_message": "sure?"}), "ask"),
        ("allow says nothing", json!({"permission": "allow"}), "none"),
        ("no opinion", json!({}), "none"),
        ("Claude's form", json!({"hookSpecificOutput": {"permissionDecision": "deny"}}), "deny"),
    ];
    for event in ["preToolUse", "beforeShellExecution"] {
        for (name, says, expected) in &cases {
            let cx = with_hooks(json!({ event: [{ "command": prints(says) }] }));
            let answer = answer(&cx, &bash(&cx, "ls"));
            assert_eq!(decision(&answer), *expected, "{event}: {name}: {answer}");
            if *expected == "deny" {
                let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
                assert!(reason.as_str().is_some_and(|reason| !reason.is_empty()), "{answer}");
            }
        }
    }
}

#[test]
fn the_second_gate_sees_what_the_first_one_left() {
    let says = prints(&json!({"updated_input": {"command": "ls -l", "description": "x"}}));
    let cx = with_hooks(json!({
        "preToolUse": [{ "command": says }],
        "beforeShellExecution": [{ "command": "cat > seen.json; echo '{}'" }],
    }));
    let answer = answer(&cx, &bash(&cx, "ls"));
    assert_eq!(answer["hookSpecificOutput"]["updatedInput"]["command"], "ls -l");
    let seen: Value = serde_json::from_str(&read(&cx.path("home/.cursor/seen.json"))).expect("a payload");
    assert_eq!(seen["command"], "ls -l");
    assert_eq!(seen["cwd"], json!(cx.project()));
    assert_eq!((&seen["conversation_id"], &seen["generation_id"]), (&json!("s1"), &json!("p1")));
    assert_eq!(seen["transcript_path"], "/t.jsonl");
}

#[test]
fn a_hook_that_fails_refuses_only_when_it_is_fail_closed() {
    let broken = ["exit 1", "echo '{\"permission\":'", "kill -9 $$", "./none.sh"];
    for command in broken {
        for (fail_closed, expected) in [(false, "none"), (true, "deny")] {
            let hook = json!({ "command": command, "failClosed": fail_closed });
            let cx = with_hooks(json!({ "beforeShellExecution": [hook] }));
            let answer = answer(&cx, &bash(&cx, "ls"));
            assert_eq!(decision(&answer), expected, "{command}: {answer}");
            // Whatever came of it, a person is told.
            assert!(
                answer["systemMessage"].as_str().is_some_and(|told| !told.is_empty()),
                "{command}: {answer}"
            );
        }
    }
}

#[test]
fn what_cannot_be_understood_is_refused_whatever_guards() {
    let hooks = |fail_closed: bool| json!({ "beforeShellExecution": [{ "command": "true", "failClosed": fail_closed }] });
    let deep = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let payloads = ["", "{", "[]", "{}", r#"{"hook_event_name":"Unheard"}"#, "\u{1}", &deep];
    for payload in payloads {
        for fail_closed in [true, false] {
            let cx = with_hooks(hooks(fail_closed));
            let output = cx.output_with(["agent", "hook", "claude"], payload.as_bytes());
            let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(stdout.contains(r#""decision":"block""#), "{payload}: {stdout}");
        }
        let cx = with_hooks(json!({ "stop": [{ "command": "true", "failClosed": true }] }));
        let output = cx.output_with(["agent", "hook", "claude"], payload.as_bytes());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{payload}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains("no hook was asked"), "{payload}: {stderr}");
    }
}

#[test]
fn a_source_that_cannot_be_read_counts_as_fail_closed() {
    let cx = with_hooks(json!({}));
    cx.write("home/.cursor/hooks.json", "{ broken");
    let output = cx.output_with(["agent", "hook", "claude"], b"{");
    assert!(String::from_utf8_lossy(&output.stdout).contains("block"));
}

#[test]
fn half_a_surrogate_hides_no_command() {
    let says = prints(&json!({"permission": "deny"}));
    let hook = json!({ "command": says, "matcher": "rm -rf" });
    let cx = with_hooks(json!({ "beforeShellExecution": [hook] }));
    let payload = bash(&cx, "rm -rf / HALF").to_string().replace("HALF", "\\ud800");
    let output = cx.output_with(["agent", "hook", "claude"], payload.as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""permissionDecision":"deny""#));
}

#[test]
fn cursor_runs_its_hooks_itself() {
    let cx = with_hooks(json!({ "preToolUse": [{ "command": "touch ran; exit 2", "failClosed": true }] }));
    let mut payload = bash(&cx, "ls");
    payload["cursor_version"] = json!("3.1.0");
    assert_eq!(answer(&cx, &payload), Value::Null);
    assert!(!cx.path("home/.cursor/ran").exists());
}

#[test]
fn a_refused_call_is_told_once_as_failed() {
    let cx = with_hooks(json!({
        "beforeShellExecution": [{ "command": "echo no >&2; exit 2" }],
        "postToolUseFailure": [{ "command": "cat >> failed.jsonl" }],
    }));
    let refused = bash(&cx, "ls");
    assert_eq!(decision(&answer(&cx, &refused)), "deny");
    let failed = || read(&cx.path("home/.cursor/failed.jsonl"));
    let event: Value = serde_json::from_str(&failed()).expect("one event");
    assert_eq!(event["failure_type"], "permission_denied");
    assert_eq!((&event["tool_name"], &event["tool_use_id"]), (&json!("Shell"), &json!("t1")));
    assert_eq!(event["error_message"], "no");
    // An agent that tells the same again is not heard twice.
    let call = json!({ "tool_name": "Bash", "tool_input": refused["tool_input"], "tool_use_id": "t1", "error": "denied" });
    answer(&cx, &told(&cx, "PostToolUseFailure", call.clone()));
    assert_eq!(failed().lines().count(), 1);
    // Another failure of the same call is one of its own.
    answer(&cx, &told(&cx, "PostToolUseFailure", call));
    assert_eq!(failed().lines().count(), 2);
}

/// What another agent gets.
fn answer_to(cx: &TestContext, agent: &[&str], payload: &Value) -> Value {
    let words = ["agent", "hook"].iter().chain(agent).copied();
    let output = cx.output_with(words.collect::<Vec<_>>(), payload.to_string().as_bytes());
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

#[test]
fn a_rewrite_that_cannot_be_given_is_a_refusal_that_hooks_hear_of() {
    let wanted = prints(&json!({"updated_input": {"file_path": "/other", "content": "y"}}));
    let cx = with_hooks(json!({
        "preToolUse": [{ "command": wanted, "matcher": "Write" }],
        "postToolUseFailure": [{ "command": "cat >> failed.jsonl" }],
    }));
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    let payload =
        json!({ "sessionId": "s", "cwd": cx.project(), "toolName": "apply_patch", "toolArgs": patch });
    let answer = answer_to(&cx, &["copilot", "preToolUse"], &payload);
    assert_eq!(answer["permissionDecision"], "deny", "{answer}");
    assert!(answer["permissionDecisionReason"].as_str().is_some_and(|it| it.contains("/other")), "{answer}");
    let failed = read(&cx.path("home/.cursor/failed.jsonl"));
    let kinds: Vec<Value> = failed.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(kinds.len(), 2, "{failed}");
    assert!(kinds.iter().all(|event| event["failure_type"] == "permission_denied"), "{failed}");
}

#[test]
fn a_rewritten_call_without_an_id_is_timed() {
    let safe = prints(&json!({"updated_input": {"command": "ls -l"}}));
    let cx = with_hooks(json!({
        "preToolUse": [{ "command": safe }],
        "postToolUse": [{ "command": "cat > post" }],
    }));
    let call = |event: &str, command: &str| {
        json!({ "session_id": "s", "cwd": cx.project(), "hook_event_name": event, "tool_name": "run_shell_command",
            "tool_input": {"command": command}, "tool_response": {"llmContent": "Output: a\nExit Code: 0"} })
    };
    let answer = answer_to(&cx, &["gemini"], &call("BeforeTool", "ls"));
    assert_eq!(answer["hookSpecificOutput"]["tool_input"], json!({"command": "ls -l"}));
    std::thread::sleep(std::time::Duration::from_millis(30));
    answer_to(&cx, &["gemini"], &call("AfterTool", "ls -l"));
    let post: Value = serde_json::from_str(&read(&cx.path("home/.cursor/post"))).expect("one event");
    assert!(post["duration"].as_f64().is_some_and(|took| took >= 30.0), "{post}");
}

#[test]
fn a_session_that_an_agent_starts_at_every_run_starts_once() {
    let cx = with_hooks(json!({ "sessionStart": [{ "command": "echo started >> starts" }] }));
    let run = |session: &str, event: &str| {
        let payload = json!({ "taskId": "t", "sessionContext": {"rootSessionId": session},
            "workspaceRoots": [cx.project()], "parent_agent_id": null, "hookName": event });
        answer_to(&cx, &["cline", "TaskStart"], &payload);
        read(&cx.path("home/.cursor/starts")).lines().count()
    };
    assert_eq!(run("one", "agent_start"), 1);
    assert_eq!(run("one", "agent_start"), 1, "a run of a session that began");
    assert_eq!(run("two", "agent_start"), 2);
    assert_eq!(run("one", "agent_resume"), 3, "who resumes a session says so");
}

#[test]
fn copilot_in_claude_codes_name_is_answered_unless_it_asks_itself() {
    let cx = with_hooks(json!({ "preToolUse": [{ "command": "echo asked >> asked; echo no >&2; exit 2" }] }));
    let inside = |payload: &Value, variable: Option<&str>| {
        let mut command = cx.command(["agent", "hook", "claude"]);
        command.envs(variable.map(|value| ("COPILOT_CLI", value)));
        let output = context::pipe(command, payload.to_string().as_bytes());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let copilot = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-16T05:01:45.618Z",
        "cwd": cx.project(), "tool_name": "Bash", "tool_input": {"command": "ls", "mode": "sync"} });
    let claude = bash(&cx, "ls");
    let denied = r#""permissionDecision":"deny""#;
    assert!(inside(&copilot, Some("1")).contains(denied), "it is the only guard");
    let call = "agent hook copilot preToolUse";
    let group = "\"preToolUse\": [{ ";
    let program = env!("CARGO_BIN_EXE_boathook");
    // What was written, what stands there in its place, and whether Copilot asks.
    let cases = [
        ("wired", call, call.to_owned(), true),
        ("another's command", call, "run preToolUse".to_owned(), false),
        ("another event", "\"preToolUse\":", "\"other\":".to_owned(), false),
        ("restricted", group, format!("{group}\"matcher\": \"view\", "), false),
        ("a program that is gone", program, "/gone/boathook".to_owned(), false),
        ("an answer that nobody hears", call, "agent hook copilot preToolUse >/dev/null".to_owned(), false),
        ("broken", "{", String::new(), false),
    ];
    let scopes = [
        ("--user", "home/.copilot/hooks/boathook.json"),
        ("--project", "project/.github/hooks/boathook.json"),
    ];
    for (scope, file) in scopes {
        let mut install = cx.command(["agent", "install", "copilot", scope]);
        install.env_remove("COPILOT_HOME");
        let output = context::pipe(install, b"");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let written = context::read(&cx.path(file));
        for (name, from, to, silent) in &cases {
            assert!(written.contains(from), "{written}");
            cx.write(file, written.replace(from, to));
            assert_eq!(inside(&copilot, Some("1")).is_empty(), *silent, "{name} in {file}");
            assert!(inside(&copilot, None).contains(denied), "not inside of Copilot: {name}");
            // Claude Code may run in a shell of Copilot's.
            assert!(inside(&claude, Some("1")).contains(denied), "Claude Code itself: {name}");
        }
        fs::remove_file(cx.path(file)).expect("a file");
    }
}

#[test]
fn a_command_that_fails_is_a_failure_and_a_command_that_ran() {
    let cx = with_hooks(json!({
        "postToolUse": [{ "command": "cat >> post" }],
        "postToolUseFailure": [{ "command": "cat >> failure" }],
        "afterShellExecution": [{ "command": "cat >> shell" }],
    }));
    let after = json!({
        "tool_name": "Bash", "tool_input": {"command": "false"}, "tool_use_id": "t1",
        "error": "Exit code 3\nout\nerr", "is_interrupt": false, "duration_ms": 27,
    });
    answer(&cx, &told(&cx, "PostToolUseFailure", after));
    let seen = |name: &str| read(&cx.path(&format!("home/.cursor/{name}")));
    assert_eq!(seen("post"), "");
    let (failure, shell): (Value, Value) = (
        serde_json::from_str(&seen("failure")).expect("one event"),
        serde_json::from_str(&seen("shell")).expect("one event"),
    );
    assert_eq!((&failure["failure_type"], &failure["duration"]), (&json!("error"), &json!(27)));
    assert_eq!((&shell["command"], &shell["duration"]), (&json!("false"), &json!(27)));
    assert!(shell["output"].as_str().is_some_and(|output| output.contains("out\nerr")));
}

#[test]
fn a_call_is_timed_where_the_agent_does_not() {
    let cx = with_hooks(json!({ "postToolUse": [{ "command": "cat > post" }] }));
    answer(&cx, &bash(&cx, "ls"));
    // The answer is out: time passes in the agent.
    std::thread::sleep(std::time::Duration::from_millis(30));
    let after = json!({
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1",
        "tool_response": {"stdout": "a", "stderr": ""},
    });
    answer(&cx, &told(&cx, "PostToolUse", after));
    let post: Value = serde_json::from_str(&read(&cx.path("home/.cursor/post"))).expect("one event");
    assert!(post["duration"].as_f64().is_some_and(|took| took >= 30.0), "{post}");
    let output: Value = serde_json::from_str(post["tool_output"].as_str().expect("text")).expect("JSON text");
    assert_eq!(output["stdout"], "a");
}

#[test]
fn a_prompt_carries_rules_and_mentions() {
    let cx = with_hooks(json!({ "beforeSubmitPrompt": [{ "command": "cat > prompt; echo '{}'" }] }));
    cx.write("project/CLAUDE.md", "rules");
    cx.write("project/src/a.rs", "code");
    answer(&cx, &told(&cx, "UserPromptSubmit", json!({ "prompt": "look at @src/a.rs and @none.rs" })));
    let event: Value = serde_json::from_str(&read(&cx.path("home/.cursor/prompt"))).expect("one event");
    let project = cx.project();
    assert_eq!(
        event["attachments"],
        json!([
            {"type": "rule", "file_path": project.join("CLAUDE.md")},
            {"type": "file", "file_path": project.join("src/a.rs")},
        ])
    );
}

#[test]
fn a_refused_prompt_is_blocked_with_its_reason() {
    let says = prints(&json!({"continue": false, "user_message": "no secrets in prompts"}));
    let cx = with_hooks(json!({ "beforeSubmitPrompt": [{ "command": says }] }));
    let answer = answer(&cx, &told(&cx, "UserPromptSubmit", json!({ "prompt": "key=1" })));
    assert_eq!((&answer["decision"], &answer["reason"]), (&json!("block"), &json!("no secrets in prompts")));
}

#[test]
fn a_file_is_shown_to_hooks_before_it_is_read_and_its_redaction_to_the_model() {
    let cx = with_hooks(
        json!({ "beforeReadFile": [{ "command": "cat > read; echo '{\"new_content\":\"KEY=***\"}'" }] }),
    );
    cx.write("project/.env", "KEY=1");
    let input = json!({ "file_path": cx.path("project/.env") });
    let payload =
        told(&cx, "PreToolUse", json!({ "tool_name": "Read", "tool_input": input, "tool_use_id": "t1" }));
    let answer = answer(&cx, &payload);
    let event: Value = serde_json::from_str(&read(&cx.path("home/.cursor/read"))).expect("one event");
    assert_eq!(event["content"], "KEY=1");
    assert_eq!(decision(&answer), "deny");
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().expect("a reason");
    assert!(reason.ends_with("KEY=***") && !answer.to_string().contains("KEY=1"), "{reason}");
}

#[test]
fn variables_of_a_session_reach_the_agents_shell() {
    let says = prints(&json!({"env": {"TICKET": "a b$c", "OTHER": "x"}, "additional_context": "hello"}));
    let cx = with_hooks(json!({ "sessionStart": [{ "command": says }] }));
    let file = cx.path("env.sh");
    fs::write(&file, "export BEFORE=1\n").expect("a file");
    let mut command = cx.command(["agent", "hook", "claude"]);
    command.env("CLAUDE_ENV_FILE", &file);
    let payload = told(&cx, "SessionStart", json!({ "source": "startup" })).to_string();
    let output = context::pipe(command, payload.as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains("hello"));
    assert_eq!(read(&file), "export BEFORE=1\nexport TICKET='a b$c'\nexport OTHER='x'\n");
    // On no other event.
    let mut command = cx.command(["agent", "hook", "claude"]);
    command.env("CLAUDE_ENV_FILE", &file);
    context::pipe(command, bash(&cx, "ls").to_string().as_bytes());
    assert_eq!(read(&file).lines().count(), 3);
}

#[test]
fn a_stop_goes_on_until_the_limit_and_says_so_in_the_log() {
    let says = prints(&json!({"followup_message": "run the tests"}));
    let cx = with_hooks(json!({
        "stop": [{ "command": says }],
        "afterAgentResponse": [{ "command": "cat >> responses" }],
    }));
    let stop = |looping: bool| {
        let more = json!({ "stop_hook_active": looping, "last_assistant_message": "done" });
        answer(&cx, &told(&cx, "Stop", more))
    };
    for number in 0..5 {
        let answer = stop(number > 0);
        assert_eq!((&answer["decision"], &answer["reason"]), (&json!("block"), &json!("run the tests")));
    }
    assert_eq!(stop(true)["decision"], Value::Null, "the sixth ends");
    assert_eq!(read(&cx.path("home/.cursor/responses")).lines().count(), 6);
    let log = cx.output(["log", "--json"]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert_eq!(log.matches(r#""automatic_followup":true"#).count(), 5, "{log}");
    assert!(log.contains(r#""agent":"claude""#));
}

#[test]
fn a_follow_up_that_an_agent_announces_is_nobodys_prompt() {
    let says = prints(&json!({"followup_message": "run the tests"}));
    let cx = with_hooks(json!({
        "stop": [{ "command": says }],
        "beforeSubmitPrompt": [{ "command": "cat >> prompts; echo >> prompts; echo '{}'" }],
    }));
    let tell = |event: &str, more: Value| {
        let output =
            cx.output_with(["agent", "hook", "gemini"], told(&cx, event, more).to_string().as_bytes());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    tell("BeforeAgent", json!({ "prompt": "do it" }));
    let stop = json!({ "prompt": "do it", "prompt_response": "done", "stop_hook_active": false });
    assert!(tell("AfterAgent", stop).contains("run the tests"));
    tell("BeforeAgent", json!({ "prompt": "run the tests" }));
    let prompts = || read(&cx.path("home/.cursor/prompts")).lines().filter(|line| !line.is_empty()).count();
    assert_eq!(prompts(), 1);
    // The user may say the same, later.
    tell("BeforeAgent", json!({ "prompt": "run the tests" }));
    assert_eq!(prompts(), 2);
    let first = read(&cx.path("home/.cursor/prompts"));
    let turns: Vec<Value> = first.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_ne!(turns[0]["generation_id"], turns[1]["generation_id"], "every prompt begins a turn");
}

#[test]
fn a_turn_keeps_its_id_where_the_agent_has_none() {
    let cx = with_hooks(json!({
        "beforeSubmitPrompt": [{ "command": "cat > prompt; echo '{}'" }],
        "beforeShellExecution": [{ "command": "cat > shell; echo '{}'" }],
    }));
    let tell = |event: &str, more: Value| {
        let mut payload = told(&cx, event, more);
        payload.as_object_mut().expect("an object").remove("prompt_id");
        answer(&cx, &payload);
    };
    tell("UserPromptSubmit", json!({ "prompt": "do it" }));
    tell("PreToolUse", json!({ "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1" }));
    let id = |name: &str| {
        let event: Value =
            serde_json::from_str(&read(&cx.path(&format!("home/.cursor/{name}")))).expect("one event");
        event["generation_id"].as_str().expect("text").to_owned()
    };
    assert_eq!(id("prompt"), id("shell"));
}

#[test]
fn a_subagent_that_ends_is_told_with_its_task() {
    let cx = with_hooks(json!({
        "subagentStart": [{ "command": "cat > start; echo '{}'" }],
        "subagentStop": [{ "command": "cat > stop" }],
    }));
    let input = json!({ "description": "count", "prompt": "count the files", "subagent_type": "explore" });
    let call = json!({ "tool_name": "Agent", "tool_input": input, "tool_use_id": "t1" });
    answer(&cx, &told(&cx, "PreToolUse", call));
    let ended = json!({
        "agent_id": "a1", "agent_type": "explore", "agent_transcript_path": "/a.jsonl",
        "last_assistant_message": "two", "stop_hook_active": false,
    });
    answer(&cx, &told(&cx, "SubagentStop", ended));
    let event = |name: &str| -> Value {
        serde_json::from_str(&read(&cx.path(&format!("home/.cursor/{name}")))).expect("one event")
    };
    let (start, stop) = (event("start"), event("stop"));
    assert_eq!((&start["subagent_type"], &start["task"]), (&json!("explore"), &json!("count the files")));
    assert_eq!(start["parent_conversation_id"], "s1");
    assert_eq!((&stop["task"], &stop["description"]), (&json!("count the files"), &json!("count")));
    assert_eq!((&stop["summary"], &stop["status"]), (&json!("two"), &json!("completed")));
    assert_eq!((&stop["subagent_id"], &stop["loop_count"]), (&json!("a1"), &json!(0)));
}

#[test]
fn a_workspace_that_does_not_exist_is_refused_and_not_let_through() {
    let cx = with_hooks(json!({}));
    let payload = bash(&cx, "ls").to_string();
    let nowhere = cx.path("nowhere").display().to_string();
    let output = cx.output_with(["--workspace", &nowhere, "agent", "hook", "claude"], payload.as_bytes());
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""decision":"block""#));
}

#[test]
fn what_the_agent_runs_itself_is_left_to_it() {
    let cx = with_hooks(json!({ "preToolUse": [{ "command": "echo ours >> ran" }] }));
    let claude = json!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "echo theirs >> ~/.cursor/ran" }] }] } });
    cx.write("home/.claude/settings.json", claude.to_string());
    cx.write("project/.claude/settings.json", claude.to_string());
    cx.write(
        "project/.claude/hookify.no.local.md",
        "---\nname: no\nenabled: true\nevent: bash\npattern: forbidden\naction: block\n---\nno\n",
    );
    cx.trust();
    assert_eq!(decision(&answer(&cx, &bash(&cx, "forbidden"))), "deny", "rules are ours without the plugin");
    assert_eq!(read(&cx.path("home/.cursor/ran")), "ours\n");
    let with_plugin = json!({ "enabledPlugins": { "hookify@somewhere": true }, "hooks": claude["hooks"] });
    cx.write("home/.claude/settings.json", with_plugin.to_string());
    assert_eq!(decision(&answer(&cx, &bash(&cx, "forbidden"))), "none", "the plugin decides");
}

#[test]
fn an_agent_that_went_elsewhere_keeps_the_hooks_of_its_project() {
    let cx = with_hooks(json!({}));
    let says = prints(&json!({"permission": "deny", "user_message": "project"}));
    cx.write("project/.cursor/hooks.json", context::one_hook("beforeShellExecution", &says));
    cx.trust();
    fs::create_dir_all(cx.path("other/.git")).expect("a folder");
    let mut payload = bash(&cx, "ls");
    payload["cwd"] = json!(cx.path("other"));
    assert_eq!(decision(&answer(&cx, &payload)), "deny");
}

#[test]
fn a_command_line_that_cannot_be_read_holds_back_what_can_be_held_back() {
    let gate = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let stop = r#"{"hook_event_name":"Stop"}"#;
    let blocks = r#""decision":"block""#;
    let nobody = "there is no agent `klaude`; there are claude, codex,";
    let missing = "the following required arguments were not provided: <NAME>";
    let option = "unexpected argument '--hom' found";
    let denies = r#""permissionDecision":"deny""#;
    let cases: [(&[&str], &str, i32, &str, &str); 14] = [
        // What is typed behind `agent hook`, the payload; then the exit code,
        // what stdout holds, and what the words hold.
        (&["klaude"], gate, 2, "", nobody),
        (&["klaude"], "", 2, "", nobody),
        (&["klaude"], stop, 1, "", nobody),
        (&["klaude", "Stop"], "{}", 1, "", nobody),
        (&[], gate, 2, "", missing),
        (&[], stop, 1, "", missing),
        (&["claude", "--hom", "/x"], gate, 2, blocks, option),
        (&["claude", "--hom", "/x"], stop, 1, "", option),
        (&["--hom", "/x", "claude"], gate, 2, blocks, option),
        (&["claude", "PreToolUse", "more"], "{}", 2, blocks, "unexpected argument 'more' found"),
        (&["claude", "--edition", "9"], gate, 2, blocks, "invalid value '9' for '--edition <EDITION>'"),
        (&["gemini", "--home"], r#"{"hook_event_name":"BeforeTool"}"#, 2, "", "'--home <DIR>'"),
        (&["copilot", "preToolUse", "--hom"], "{}", 0, denies, option),
        (&["copilot", "agentStop", "--hom"], "{}", 1, "", option),
    ];
    for (words, payload, code, said, reason) in cases {
        let cx = TestContext::new();
        let words: Vec<&str> = ["agent", "hook"].into_iter().chain(words.iter().copied()).collect();
        let output = cx.output_with(words.clone(), payload.as_bytes());
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let case = format!("{words:?} {payload}\n{stdout}\n{stderr}");
        assert_eq!(output.status.code(), Some(code), "{case}");
        assert!(stdout.contains(said) && stdout.is_empty() == said.is_empty(), "{case}");
        let heard = if code == 0 { stdout } else { stderr };
        assert!(heard.contains(reason), "{case}");
    }
}

#[test]
fn help_is_no_mistake() {
    let cx = TestContext::new();
    for words in [["agent", "hook", "--help"], ["agent", "hook", "-h"], ["agent", "hook", "--version"]] {
        assert_eq!(cx.output_with(words, b"").status.code(), Some(0), "{words:?}");
    }
}

#[test]
fn what_the_user_chose_about_agents_counts() {
    let says = prints(&json!({"permission": "allow"}));
    let cx = with_hooks(json!({ "preToolUse": [{ "command": says }] }));
    cx.write("home/.config/boathook/config.toml", "[agents]\nallow = \"skip-prompt\"\n");
    assert_eq!(decision(&answer(&cx, &bash(&cx, "ls"))), "allow");
    cx.write("home/.config/boathook/config.toml", "[agents]\nallow = \"always\"\n");
    let output = cx.output_with(["agent", "hook", "claude"], bash(&cx, "ls").to_string().as_bytes());
    assert!(output.stdout.is_empty());
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains(r#"agents.allow cannot be "always"; write "agent" or "skip-prompt""#),
        "{stderr}"
    );
}

#[test]
fn a_refused_call_of_cline_is_replaced_unless_the_user_wants_the_run_to_end() {
    let says = prints(&json!({"permission": "deny", "agent_message": "use make"}));
    let cx = with_hooks(json!({ "beforeShellExecution": [{ "command": says }] }));
    let call = json!({"name": "run_commands", "input": {"commands": ["true", "gcc a.c"]}});
    let payload = json!({
        "hookName": "tool_call", "taskId": "t", "workspaceRoots": [cx.path("project")], "tool_call": call,
    });
    let told = || {
        let output = cx.output_with(["agent", "hook", "cline"], payload.to_string().as_bytes());
        serde_json::from_slice::<Value>(&output.stdout).expect("an answer")
    };
    for setting in ["", "[agents]\nrefused_calls = \"replace\"\n", "[agents]\nrefused_calls = \"maybe\"\n"] {
        cx.write("home/.config/boathook/config.toml", setting);
        let answer = told();
        let commands = answer["overrideInput"]["commands"].as_array().expect("commands");
        assert_eq!((commands.len(), answer.get("cancel")), (1, None), "{setting}");
        assert!(commands[0].as_str().is_some_and(|line| line.contains("use make")), "{answer}");
    }
    cx.write("home/.config/boathook/config.toml", "[agents]\nrefused_calls = \"cancel\"\n");
    let answer = told();
    assert_eq!((&answer["cancel"], answer.get("overrideInput")), (&json!(true), None));
}

#[test]
fn mcp_servers_are_looked_up_where_agents_keep_them() {
    let cx = with_hooks(json!({ "beforeMCPExecution": [{ "command": "cat > mcp; echo '{}'" }] }));
    cx.write(
        "project/.mcp.json",
        r#"{ "mcpServers": { "mini": { "command": "python3", "args": ["mini.py"] } } }"#,
    );
    cx.write("home/.codex/config.toml", "[mcp_servers.far]\nurl = \"https://far.example\"\n");
    let call = |name: &str| json!({ "tool_name": name, "tool_input": {"text": "hi"}, "tool_use_id": "t1" });
    let cases = [
        ("mcp__mini__echo", "command", "python3 mini.py", "mini"),
        ("mcp__far__echo", "url", "https://far.example", "far"),
    ];
    for (tool, field, value, server) in cases {
        answer(&cx, &told(&cx, "PreToolUse", call(tool)));
        let event: Value = serde_json::from_str(&read(&cx.path("home/.cursor/mcp"))).expect("one event");
        assert_eq!((&event["tool_name"], &event["mcp_server_name"]), (&json!("echo"), &json!(server)));
        assert_eq!(event[field], value, "{event}");
        assert_eq!(event["tool_input"], r#"{"text":"hi"}"#);
    }
}
