//! Hostile configurations, little memory, signals and limits of file sizes: a gate is answered or
//! the process ends with 2.
#![cfg(unix)]

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use boathook_engine::agent::AGENTS;
use boathook_engine::source::Level;
use serde_json::json;

use crate::context::{self, TestContext, pipe};

/// The bound for verbs on hostile files: they took 20 s and more without limits.
const MAX_TIME: Duration = Duration::from_secs(15);
const DENY_ALL: &str = r#"{"version":1,"hooks":{
    "beforeShellExecution":[{"command":"echo '{\"permission\":\"deny\"}'","failClosed":true}],
    "preToolUse":[{"command":"echo '{\"permission\":\"deny\"}'","failClosed":true}]}}"#;
const EVENT: &[u8] = br#"{"command":"ls"}"#;

fn bombs(count: usize) -> String {
    let entry = r#"{"command":"x","matcher":"(a{0,90}){0,90}N"}"#;
    let list = vec![entry; count].join(",");
    format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{list}],"preToolUse":[{list}]}}}}"#)
}

fn guarded(project: &str) -> TestContext {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", DENY_ALL);
    cx.write("project/.cursor/hooks.json", project);
    cx
}

/// A command of ours under limits that a shell sets.
fn limited(cx: &TestContext, limits: &str, args: &[&str]) -> Command {
    let ours = cx.command(args);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limits} && exec \"$@\""), "sh"]);
    command.arg(ours.get_program()).args(ours.get_args()).current_dir(cx.project());
    for (name, value) in ours.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(600).collect::<String>();
    format!("{:?}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr))
}

#[test]
fn red_team_c2_matchers_of_an_untrusted_workspace_cost_nothing() {
    let cx = guarded(&bombs(10_000));
    for verb in [
        &["run", "beforeShellExecution"][..],
        &["explain", "beforeShellExecution"],
        &["list"],
        &["check"],
        &["doctor"],
    ] {
        let started = Instant::now();
        // 2 MB for each matcher: 20 GB, were they compiled.
        let output = pipe(limited(&cx, "ulimit -v 2000000", verb), EVENT);
        assert!(output.status.code().is_some(), "{verb:?}: {}", shown(&output));
        assert!(started.elapsed() < MAX_TIME, "{verb:?} took {:?}", started.elapsed());
        if verb[0] == "run" {
            assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
        }
    }
}

#[test]
fn red_team_c2_matchers_past_the_budget_count_as_a_match_and_the_hook_is_named() {
    let cx = TestContext::new();
    let entry = |command: &str| format!(r#"{{"command":"{command}","matcher":"(a{{0,90}}){{0,90}}N"}}"#);
    let mut entries = vec![entry("exit 0"); 60];
    entries.push(entry("exit 2"));
    let hooks = format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{}]}}}}"#, entries.join(","));
    cx.write("home/.cursor/hooks.json", hooks);
    let output = pipe(cx.command(["run", "beforeShellExecution"]), EVENT);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(stderr.contains("budget of one event (64 MiB and 200 ms)"), "{stderr}");
    assert!(stderr.contains("hooks.json:1 (user:0:beforeShellExecution:"), "{stderr}");
}

#[test]
fn red_team_c2_a_rule_past_the_budget_denies_and_never_allows() {
    for (permission, code) in [(r#""deny":"no""#, 2), (r#""allow":true"#, 0)] {
        let cx = TestContext::new();
        let bomb = r#"{"command":"true","matcher":"(a{0,90}){0,90}N"}"#;
        let rule = format!(
            r#"{{"command":"boathook rule r","rule":{{"when":{{"command":{{"matches":"(b{{0,90}}){{0,90}}ls"}}}},{permission}}}}}"#
        );
        let list = format!("{},{rule}", vec![bomb; 60].join(","));
        cx.write(
            "home/.cursor/hooks.json",
            format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{list}]}}}}"#),
        );
        let output = pipe(cx.command(["run", "beforeShellExecution"]), EVENT);
        assert_eq!(output.status.code(), Some(code), "{permission}: {}", shown(&output));
        assert!(
            !String::from_utf8_lossy(&output.stdout).contains("allow"),
            "{permission}: {}",
            shown(&output)
        );
    }
}

#[test]
fn red_team_c2_entries_past_the_limit_of_a_file_open_no_gate() {
    let cx = TestContext::new();
    let mut entries = vec![r#"{"command":"true"}"#; 2_000];
    entries.push(r#"{"command":"exit 2","failClosed":true}"#);
    let hooks = format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{}]}}}}"#, entries.join(","));
    cx.write("home/.cursor/hooks.json", hooks);
    let explained = cx.run(["check"]);
    assert!(explained.contains("the file has 2001 hooks, and 2000 are the most"), "{explained}");
    let output = pipe(cx.command(["run", "beforeShellExecution", "--trace"]), EVENT);
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
}

#[test]
fn red_team_l2_forty_thousand_entries_are_checked_in_a_moment() {
    let list = (0..40_000).map(|at| format!(r#"{{"command":"a{at}"}}"#)).collect::<Vec<_>>().join(",");
    let cx = guarded(&format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{list}]}}}}"#));
    for verb in [&["check"][..], &["doctor"], &["list"], &["explain", "beforeShellExecution"]] {
        let started = Instant::now();
        let output = pipe(cx.command(verb), EVENT);
        assert!(output.status.code().is_some(), "{verb:?}: {}", shown(&output));
        assert!(started.elapsed() < MAX_TIME, "{verb:?} took {:?}", started.elapsed());
    }
}

/// A shell call in the words of an agent, with the event where its payload does not name it.
fn told(cx: &TestContext, agent: &str) -> (Option<&'static str>, Vec<u8>) {
    let (cwd, input) = (cx.project(), json!({ "command": "ls" }));
    let call = |event: &str, tool: &str| json!({ "hook_event_name": event, "session_id": "s", "cwd": cwd, "tool_name": tool, "tool_input": input });
    let (event, payload) = match agent {
        "claude" | "codex" => (None, call("PreToolUse", "Bash")),
        "cursor" => (None, call("preToolUse", "Shell")),
        "gemini" => (None, call("BeforeTool", "run_shell_command")),
        "qwen" => (None, call("PreToolUse", "run_shell_command")),
        "vscode" => (None, call("PreToolUse", "run_in_terminal")),
        "copilot" => (
            Some("preToolUse"),
            json!({ "sessionId": "s", "cwd": cwd, "toolName": "bash", "toolArgs": input.to_string() }),
        ),
        "opencode" => (
            None,
            json!({ "hook": "tool.execute.before", "directory": cwd, "session": { "id": "s", "root": "s" },
                "input": { "tool": "bash", "callID": "c" }, "output": { "args": input } }),
        ),
        "cline" => (
            Some("PreToolUse"),
            json!({ "taskId": "s", "hookName": "tool_call", "workspaceRoots": [cwd], "parent_agent_id": null,
                "tool_call": { "id": "c", "name": "run_commands", "input": { "commands": ["ls"] } } }),
        ),
        "windsurf" => (
            Some("pre_run_command"),
            json!({ "agent_action_name": "pre_run_command", "trajectory_id": "s",
                "tool_info": { "command_line": "ls", "cwd": cwd } }),
        ),
        other => panic!("write here how {other} tells of a shell call"),
    };
    (event, payload.to_string().into_bytes())
}

/// Whether an agent goes on after this: 0 without a word of refusal.
fn goes_on(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stdout);
    let refuses = ["deny", "block", "cancel", "refuse", "Not run:"].iter().any(|word| said.contains(word));
    output.status.code() != Some(2) && !(output.status.code() == Some(0) && refuses)
}

fn memory_matrix(limits: &[u32], configurations: &[String]) {
    let mut cells = 0;
    for configuration in configurations {
        let cx = guarded(configuration);
        for limit in limits {
            let limits = format!("ulimit -v {}", limit * 1024);
            let run = pipe(limited(&cx, &limits, &["run", "beforeShellExecution"]), EVENT);
            assert_eq!(run.status.code(), Some(2), "run, {limit} MB: {}", shown(&run));
            for agent in AGENTS {
                let (event, payload) = told(&cx, agent.name);
                let words: Vec<&str> = ["agent", "hook", agent.name].into_iter().chain(event).collect();
                let output = pipe(limited(&cx, &limits, &words), &payload);
                // An agent that runs the user's hooks itself is not refused by them here.
                let guarded = !agent.runs_itself.contains(&Level::User);
                let held = if guarded { !goes_on(&output) } else { output.status.code().is_some() };
                assert!(held, "{}, {limit} MB: {}", agent.name, shown(&output));
            }
            cells += 1 + AGENTS.len();
        }
    }
    println!("{cells} cells");
}

/// Under less the program cannot even be loaded.
fn smallest() -> u32 {
    let loads = |limit: &u32| {
        let cx = TestContext::new();
        limited(&cx, &format!("ulimit -v {}", limit * 1024), &["--version"])
            .output()
            .is_ok_and(|it| it.status.success())
    };
    [128, 192, 256, 384].into_iter().find(loads).expect("it can be loaded")
}

#[test]
fn red_team_c2_little_memory_answers_the_gate_or_ends_with_2() {
    memory_matrix(&[smallest(), 512], &[bombs(10_000)]);
}

#[test]
#[ignore = "takes a minute; part of the soak"]
fn red_team_c2_every_limit_of_memory_answers_the_gate_or_ends_with_2() {
    let empty =
        format!(r#"{{"version":1,"hooks":{{"beforeShellExecution":[{}]}}}}"#, vec!["{}"; 340_000].join(","));
    let limits: Vec<u32> = [128, 160, 192, 256, 384, 512, 768, 1024, 1536, 2048]
        .into_iter()
        .filter(|it| *it >= smallest())
        .collect();
    memory_matrix(
        &limits,
        &[bombs(10_000), empty, "[".repeat(1 << 20), format!("[{}]", vec!["1"; 500_000].join(","))],
    );
}

/// Sends a signal while a hook runs that ignores SIGTERM; gives what the process came to, after
/// its hook is gone as well.
fn signalled(signal: &str) -> (Output, Duration) {
    let cx = TestContext::new();
    let script = "echo $$ > started; trap '' TERM; sleep 60";
    let hooks = json!({ "beforeShellExecution": [{ "command": script, "failClosed": true }] });
    cx.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": hooks }).to_string());
    let mut command = cx.command(["run", "beforeShellExecution", "--field", "command=ls"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("a process");
    let started = cx.path("home/.cursor/started");
    let begun = Instant::now();
    let kill = |signal: &str, process: &str| {
        Command::new("kill").args([signal, process]).stderr(Stdio::null()).status().expect("kill").success()
    };
    while !std::fs::read_to_string(&started).is_ok_and(|it| it.ends_with('\n')) {
        assert!(begun.elapsed() < MAX_TIME, "the hook does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Instant::now();
    assert!(kill(signal, &child.id().to_string()));
    let output = child.wait_with_output().expect("an end");
    let took = asked.elapsed();
    let hook = std::fs::read_to_string(&started).expect("a file");
    while kill("-0", hook.trim()) {
        assert!(asked.elapsed() < MAX_TIME, "the hook is still there");
        std::thread::sleep(Duration::from_millis(5));
    }
    (output, took)
}

#[test]
fn red_team_c2_sigterm_ends_it_within_a_second_with_its_hooks() {
    let (output, took) = signalled("-TERM");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    // A busy machine is given another second.
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn red_team_c2_what_does_not_end_by_itself_after_sigterm_gives_its_last_answer() {
    // SIGTERM sets a timer, and this is its signal.
    let (output, _) = signalled("-ALRM");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("had to end before there was an answer"));
}

#[test]
fn red_team_m10_a_limit_of_file_sizes_keeps_the_refusal() {
    let cx = guarded("{}");
    for blocks in [0, 1, 4] {
        let limits = format!("ulimit -f {blocks}");
        let run = pipe(limited(&cx, &limits, &["run", "beforeShellExecution"]), EVENT);
        assert_eq!(run.status.code(), Some(2), "run, {blocks}: {}", shown(&run));
        let agent = pipe(limited(&cx, &limits, &["agent", "hook", "claude"]), &told(&cx, "claude").1);
        assert!(!goes_on(&agent), "agent hook, {blocks}: {}", shown(&agent));
    }
}

#[test]
fn red_team_m10_hooks_get_the_default_of_the_signal_back() {
    let cx = TestContext::new();
    let script = r#"grep SigIgn /proc/self/status >&2; exit 2"#;
    cx.write("home/.cursor/hooks.json", context::one_hook("beforeShellExecution", script));
    let output = pipe(cx.command(["run", "beforeShellExecution"]), EVENT);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let mask =
        stderr.split("SigIgn:").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a mask");
    let mask = u64::from_str_radix(mask, 16).expect("a mask");
    assert_eq!(mask & (1 << (25 - 1)), 0, "SIGXFSZ is not ignored: {mask:x}");
}
