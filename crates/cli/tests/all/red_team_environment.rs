//! What a repository, a session or a payload puts into the environment neither
//! changes what enterprise hooks find nor opens a gate.

use serde_json::json;

use crate::context::{self, TestContext, one_hook, read};

const GATE: [&str; 2] = ["run", "beforeShellExecution"];

#[test]
fn red_team_c3_inherited_variables_never_reach_an_enterprise_hook() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("stop", r#"/usr/bin/env > "$HOME/seen""#));
    let mut command = cx.command(["run", "stop"]);
    let names =
        ["CURL_HOME", "http_proxy", "ALL_PROXY", "SSL_CERT_FILE", "XDG_DATA_HOME", "MAKEFILES", "KUBECONFIG"];
    for name in names {
        command.env(name, "/evil");
    }
    command.env("PATH", "/evil/bin:/usr/bin:/bin");
    context::pipe(command, b"");
    let seen = read(&cx.path("home/seen"));
    assert!(seen.contains("PATH=") && seen.contains("HOME="), "{seen}");
    assert!(!seen.contains("evil"), "{seen}");
}

/// A folder for temporary files inside of the workspace, by another name.
#[cfg(target_os = "linux")]
#[test]
fn red_team_c3_no_name_of_a_folder_in_the_workspace_reaches_an_enterprise_hook() {
    let cx = TestContext::new();
    cx.write("system/etc/cursor/hooks.json", one_hook("stop", r#"/usr/bin/env > "$HOME/seen""#));
    let inside = cx.project().join("temporary");
    std::fs::create_dir_all(&inside).expect("a directory");
    std::os::unix::fs::symlink(&inside, cx.path("link")).expect("a link");
    std::fs::create_dir_all(cx.path("outside")).expect("a directory");
    let by_root = format!("/proc/self/root{}", inside.display());
    let cases = [
        (inside.display().to_string(), false),
        (by_root, false),
        (cx.path("link").display().to_string(), false),
        (cx.path("missing").display().to_string(), false),
        (cx.path("outside").display().to_string(), true),
    ];
    for (folder, passes) in cases {
        let mut command = cx.command(["run", "stop"]);
        command.env("TMPDIR", &folder);
        context::pipe(command, b"");
        assert_eq!(read(&cx.path("home/seen")).contains("TMPDIR="), passes, "{folder}");
    }
}

#[test]
fn red_team_c3_an_enterprise_file_sets_and_lists_variables() {
    let cx = TestContext::new();
    let hooks = json!({
        "version": 1,
        "environment": { "set": { "POLICY": "https://policy" }, "inherit": ["CORPORATE"] },
        "hooks": { "stop": [{ "command": r#"/usr/bin/env > "$HOME/seen""# }] },
    });
    cx.write("system/etc/cursor/hooks.json", hooks.to_string());
    let mut command = cx.command(["run", "stop"]);
    command.env("CORPORATE", "yes").env("OTHER", "no");
    context::pipe(command, b"");
    let seen = read(&cx.path("home/seen"));
    assert!(seen.contains("POLICY=https://policy\n") && seen.contains("CORPORATE=yes\n"), "{seen}");
    assert!(!seen.contains("OTHER="), "{seen}");
}

#[test]
fn red_team_m8_a_value_that_no_process_can_be_given_refuses_a_gate() {
    let long = "x".repeat(200_000);
    let payloads = [
        json!({ "command": "ls", "transcript_path": long }),
        json!({ "command": "ls", "user_email": long }),
        json!({ "command": "ls", "cursor_version": long }),
        json!({ "command": "ls", "transcript_path": "a\u{0}b" }),
        json!({ "command": "ls", "user_email": "a\u{0}b" }),
    ];
    for payload in payloads {
        let cx = TestContext::new();
        cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
        let seen = context::pipe(cx.command(GATE), payload.to_string().as_bytes());
        assert_eq!(seen.status.code(), Some(2), "{seen:?}");
    }
}

#[test]
fn red_team_l5_values_that_are_too_long_together_refuse_a_gate() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        one_hook("beforeReadFile", r#"/bin/true "${file_path}${file_path}""#),
    );
    let payload = json!({ "file_path": "x".repeat(70_000), "content": "" });
    let seen = context::pipe(cx.command(["run", "beforeReadFile"]), payload.to_string().as_bytes());
    assert_eq!(seen.status.code(), Some(2), "{seen:?}");
}

#[test]
fn red_team_l1_more_workspace_roots_than_are_looked_at_refuse_a_gate() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
    let answer = |args: &[&str], roots: usize| {
        let roots: Vec<String> = (0..roots).map(|nth| format!("/nowhere/{nth}")).collect();
        let payload = json!({
            "command": "ls", "workspace_roots": roots, "hook_event_name": "beforeShellExecution", "status": "completed",
        });
        context::pipe(cx.command(args), payload.to_string().as_bytes())
    };
    assert_eq!(answer(&GATE, 256).status.code(), Some(0));
    for roots in [257, 1000, 100_000] {
        let seen = answer(&GATE, roots);
        let stderr = String::from_utf8_lossy(&seen.stderr);
        assert_eq!(seen.status.code(), Some(2), "{roots}: {stderr}");
        assert!(stderr.contains(&format!("{roots} workspace roots are named, and at most 256")), "{stderr}");
        assert_eq!(
            answer(&["run", "stop"], roots).status.code(),
            Some(1),
            "{roots}, where nothing can be denied"
        );
    }
}

#[test]
fn red_team_l1_an_agent_that_names_too_many_roots_is_refused() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("beforeShellExecution", "true"));
    let mut command = cx.command(["agent", "hook", "claude"]);
    let project = cx.project();
    command.args((0..300).flat_map(|_| ["--workspace".as_ref(), project.as_os_str()]));
    let payload = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" },
        "session_id": "s", "cwd": cx.project(), "transcript_path": "/t",
    });
    let seen = context::pipe(command, payload.to_string().as_bytes());
    let said = [seen.stdout.as_slice(), seen.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("300 workspace roots are named"), "{said}");
    assert!(seen.status.code() == Some(2) || said.contains("\"permissionDecision\":\"deny\""), "{said}");
}

/// A rewrite goes to the gates of higher sources once more; those of its own and of lower sources decided about the
/// input as the agent gave it (`docs/manual/answers.md`).
#[test]
fn red_team_l6_a_rewrite_is_shown_to_higher_sources_alone() {
    let rewrite = r#"echo '{"permission":"allow","updated_input":{"command":"rewritten"}}'"#;
    let guard = r#"grep -q rewritten && echo '{"permission":"deny"}' || echo '{}'"#;
    let hooks = |commands: &[&str]| {
        let entries: Vec<_> = commands.iter().map(|command| json!({ "command": command })).collect();
        json!({ "version": 1, "hooks": { "preToolUse": entries } }).to_string()
    };
    let enterprise = "system/etc/cursor/hooks.json";
    let user = "home/.cursor/hooks.json";
    let cases: [(&str, &[(&str, &[&str])], i32); 3] = [
        ("a guard of a higher source", &[(enterprise, &[guard]), (user, &[rewrite])], 2),
        ("a guard of the same source", &[(user, &[rewrite, guard])], 0),
        ("a guard of a lower source", &[(enterprise, &[rewrite]), (user, &[guard])], 0),
    ];
    for (case, files, code) in cases {
        let cx = TestContext::new();
        files.iter().for_each(|(file, commands)| drop(cx.write(file, hooks(commands))));
        let payload = br#"{"tool_name": "Shell", "tool_input": {"command": "ls"}}"#;
        let seen = cx.output_with(["run", "preToolUse"], payload);
        assert_eq!(seen.status.code(), Some(code), "{case}: {seen:?}");
    }
}
