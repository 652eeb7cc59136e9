//! Ways around a gate: other spellings of a path, other tools that start a subagent or reach an MCP server.
//!
//! Every agent of the registry is driven with payloads that it really sent, changed in one place.

use std::fs;
use std::path::Path;

use boathook_engine::agent::{AGENTS, Happening, Heard, Moment, NativeCall, Reach, ToolClass, hear};
use boathook_engine::event::EventKind;
use boathook_engine::payload::Payload;
use serde_json::{Value, json};

use super::*;

/// Tools that start a subagent or send one on, by agent.
const SUBAGENT_TOOLS: &[(&str, &[&str])] = &[
    ("claude", &["Task", "Agent", "Workflow", "SendMessage"]),
    (
        "codex",
        &[
            "spawn_agent",
            "multi_agent_v1spawn_agent",
            "collaborationspawn_agent",
            "collaborationfollowup_task",
            "collaborationsend_message",
            "multi_agent_v1send_input",
            "multi_agent_v1resume_agent",
            "spawn_agents_on_csv",
        ],
    ),
    ("gemini", &["invoke_agent", "codebase_investigator", "cli_help", "generalist"]),
    ("copilot", &["task", "write_agent"]),
    ("qwen", &["agent", "task", "workflow", "send_message"]),
    ("opencode", &["task"]),
    ("cline", &["spawn_agent", "team_run_task", "team_spawn_teammate", "new_task", "use_subagents"]),
    ("cursor", &["Task"]),
    ("vscode", &["runSubagent"]),
];

/// Tools of agents that reach an MCP server without being one of its tools.
const MCP_TOOLS: &[&str] = &[
    "read_mcp_resource",
    "ReadMcpResourceTool",
    "list_mcp_resources",
    "ListMcpResourcesTool",
    "list_mcp_resource_templates",
    "access_mcp_resource",
];

/// An engine with one hook of a real process.
fn engine_with(place: &Path, event: &str, entry: Value) -> Engine {
    let roots = Roots {
        system: place.join("system"),
        ..Roots::new(Os::current(), place.join("home"), place.join("state"), [place.join("project")])
    };
    let engine = Engine::new(Settings::new(roots));
    let text = json!({ "version": 1, "hooks": { event: [entry] } }).to_string();
    let read = config::read(text.as_bytes(), Edition::Docs);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    read.definitions.into_iter().for_each(|definition| engine.inject(definition, place.to_owned()));
    engine
}

fn is_refused(engine: &Engine, agent: &'static Agent, happening: Happening) -> bool {
    let preferences = Preferences::default();
    let adapter = Adapter { agent, preferences, engine, servers: &(), cancel: None, watch: None };
    adapter.answer(happening).verdict.refused.is_some()
}

fn heard(agent: &Agent, payload: &str, event: Option<&str>) -> Happening {
    match hear(agent, payload.as_bytes(), event, &[]) {
        Heard::Happened(happening) => *happening,
        other => panic!("{}: {other:?}: {payload}", agent.name),
    }
}

fn calls_of(happening: &Happening) -> &[boathook_engine::agent::ToolCall] {
    match &happening.moment {
        Moment::BeforeTool { calls } => calls,
        _ => &[],
    }
}

/// The first recorded call of an agent, as a call of another tool.
fn call_of(agent: &'static Agent, tool: &str) -> Happening {
    let gates = recorded(agent).into_iter().map(|one| {
        let told = Told { event: one.event.clone(), payload: Payload::of(&one.value) };
        (one.event, (agent.decode_event)(&told).expect("it was sent"))
    });
    let (event, mut happening) =
        gates.into_iter().find(|(_, it)| !calls_of(it).is_empty()).expect("a call was recorded");
    let input = json!({
        "message": "go", "prompt": "go", "description": "go", "objective": "go", "question": "go", "request": "go",
        "task": "go", "agent_name": "generalist", "server": "mini", "server_name": "mini", "uri": "mini://secret",
    });
    let Value::Object(input) = input else { panic!("an object") };
    happening.call = Some(NativeCall { name: tool.to_owned(), id: Some("t".to_owned()), input });
    happening.moment = Moment::BeforeTool { calls: Vec::new() };
    heard(agent, &(agent.encode_event)(&happening).to_json(), event.as_deref())
}

#[test]
fn agents_f2_a_read_is_denied_by_its_path_however_it_is_written() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path().canonicalize().expect("it exists");
    let project = place.join("project").to_string_lossy().into_owned();
    fs::create_dir_all(place.join("project/a")).expect("a folder");
    fs::write(place.join("project/secret"), "x").expect("a file");
    fs::write(place.join("project/plain"), "x").expect("a file");
    #[cfg(unix)]
    std::os::unix::fs::symlink("secret", place.join("project/link")).expect("a link");
    let command = format!("if grep -qF '\"file_path\":\"{project}/secret\"'; then exit 2; fi; echo '{{}}'");
    let engine = engine_with(&place, "beforeReadFile", json!({ "command": command, "failClosed": true }));
    for agent in AGENTS.iter().copied() {
        let covered =
            agent.coverage.iter().find(|row| row.event == EventKind::BeforeReadFile).expect("a row");
        let mut tried = 0;
        for one in recorded(agent) {
            let told = Told { event: one.event.clone(), payload: Payload::of(&one.value) };
            let Ok(happening) = (agent.decode_event)(&told) else { continue };
            let [call] = calls_of(&happening) else { continue };
            let path = call.input.get("file_path").and_then(Value::as_str).unwrap_or_default();
            if call.class != ToolClass::Read || path.is_empty() {
                continue;
            }
            let spelt = |written: &str| {
                let text = one.value.to_string().replace(path, "@SPELT@");
                let text =
                    text.replace("/home/me/project", &project).replace("\"/p\"", &format!("\"{project}\""));
                heard(agent, &text.replace("@SPELT@", written), one.event.as_deref())
            };
            let absolute = [
                format!("{project}/secret"),
                format!("{project}/a/../secret"),
                format!("{project}/./a//../secret"),
                format!("file://{project}/secret"),
                format!("@{project}/a/../secret"),
                format!("{project}/link"),
            ];
            let relative =
                ["secret", "a/../secret", "./secret", "@secret", "link", "@link"].map(str::to_owned);
            let relative = relative.into_iter().filter(|_| happening.cwd.is_some());
            for written in absolute.into_iter().chain(relative) {
                assert!(is_refused(&engine, agent, spelt(&written)), "{}: {written}", agent.name);
                tried += 1;
            }
            assert!(!is_refused(&engine, agent, spelt(&format!("{project}/plain"))), "{}", agent.name);
        }
        assert!(tried > 0 || covered.reach == Reach::NotAvailable, "no read of {} was tried", agent.name);
    }
}

#[test]
fn agents_f2_a_change_is_seen_by_its_normalised_path_and_stays_as_written() {
    let place = tempfile::tempdir().expect("a directory");
    let place = place.path().canonicalize().expect("it exists");
    let project = place.join("project").to_string_lossy().into_owned();
    fs::create_dir_all(place.join("project/a")).expect("a folder");
    let seen = place.join("seen.json");
    let engine =
        engine_with(&place, "preToolUse", json!({ "command": format!("cat > '{}'", seen.display()) }));
    for agent in AGENTS.iter().copied() {
        let mut tried = 0;
        for one in recorded(agent) {
            let told = Told { event: one.event.clone(), payload: Payload::of(&one.value) };
            let Ok(happening) = (agent.decode_event)(&told) else { continue };
            let [call] = calls_of(&happening) else { continue };
            let path = call.input.get("file_path").or(call.input.get("path")).and_then(Value::as_str);
            let path = path.unwrap_or_default();
            // A patch has its paths in its text; `codex/patches` normalises them.
            if call.class != ToolClass::Write || !one.value.to_string().contains(&format!("\"{path}\"")) {
                continue;
            }
            let written = format!("{project}/a/../target");
            let text = one.value.to_string().replace(path, &written).replace("/home/me/project", &project);
            is_refused(&engine, agent, heard(agent, &text, one.event.as_deref()));
            let seen: Value = serde_json::from_slice(&fs::read(&seen).expect("it was called")).expect("JSON");
            assert_eq!(seen["file_path"], json!(format!("{project}/target")), "{}: {seen}", agent.name);
            assert!(seen["tool_input"].to_string().contains(&written), "{}: {seen}", agent.name);
            tried += 1;
        }
        assert!(tried > 0 || agent.name == "codex", "no change of {} was tried", agent.name);
    }
}

#[test]
fn agents_f3_every_tool_that_starts_a_subagent_passes_subagent_start() {
    let place = tempfile::tempdir().expect("a directory");
    let broken =
        engine_with(place.path(), "subagentStart", json!({ "command": "exit 1", "failClosed": true }));
    let denying = engine_with(place.path(), "subagentStart", json!({ "command": "exit 2" }));
    let matched = engine_with(place.path(), "preToolUse", json!({ "command": "exit 2", "matcher": "Task" }));
    for agent in AGENTS.iter().copied() {
        let covered = agent.coverage.iter().find(|row| row.event == EventKind::SubagentStart).expect("a row");
        let tools =
            SUBAGENT_TOOLS.iter().find(|(name, _)| *name == agent.name).map_or(&[][..], |(_, tools)| tools);
        assert_eq!(tools.is_empty(), covered.reach == Reach::NotAvailable, "{}", agent.name);
        for tool in tools {
            let happening = call_of(agent, tool);
            let classes: Vec<ToolClass> = calls_of(&happening).iter().map(|call| call.class).collect();
            assert_eq!(classes, [ToolClass::Task], "{tool} of {}", agent.name);
            for (engine, what) in [(&broken, "failClosed"), (&denying, "deny"), (&matched, "matcher Task")] {
                assert!(is_refused(engine, agent, happening.clone()), "{what}: {tool} of {}", agent.name);
            }
        }
    }
}

#[test]
fn agents_f4_every_access_to_an_mcp_server_passes_before_mcp_execution() {
    let place = tempfile::tempdir().expect("a directory");
    let seen = place.path().join("seen.json");
    let command = format!("cat > '{}'; exit 2", seen.display());
    let engine = engine_with(place.path(), "beforeMCPExecution", json!({ "command": command }));
    // These two have events of their own for MCP, and no such tools.
    for agent in AGENTS.iter().copied().filter(|agent| !["cursor", "windsurf"].contains(&agent.name)) {
        for tool in MCP_TOOLS {
            assert!(is_refused(&engine, agent, call_of(agent, tool)), "{tool} of {}", agent.name);
            let seen: Value = serde_json::from_slice(&fs::read(&seen).expect("it was called")).expect("JSON");
            assert!(seen["tool_input"].as_str().is_some_and(|it| it.contains("mini://secret")), "{seen}");
        }
    }
    let codex = AGENTS.iter().find(|agent| agent.name == "codex").expect("Codex");
    is_refused(&engine, codex, call_of(codex, "read_mcp_resource"));
    let seen: Value = serde_json::from_slice(&fs::read(&seen).expect("it was called")).expect("JSON");
    assert_eq!((&seen["tool_name"], &seen["mcp_server_name"]), (&json!("read_mcp_resource"), &json!("mini")));
}

#[test]
fn agents_f4_a_command_says_whether_the_agent_can_type_into_it_unseen() {
    let place = tempfile::tempdir().expect("a directory");
    let command = "if grep -qF '\"unseen_input\":true'; then exit 2; fi";
    let engine = engine_with(place.path(), "beforeShellExecution", json!({ "command": command }));
    let mut typing = Vec::new();
    for agent in AGENTS.iter().copied() {
        for one in recorded(agent) {
            let told = Told { event: one.event.clone(), payload: Payload::of(&one.value) };
            let Ok(happening) = (agent.decode_event)(&told) else { continue };
            if calls_of(&happening).iter().any(|call| call.class == ToolClass::Shell) {
                assert_eq!(is_refused(&engine, agent, happening), agent.types_unseen(), "{}", agent.name);
            }
        }
        typing.extend(agent.types_unseen().then_some(agent.name));
    }
    assert_eq!(typing, ["codex"]);
}
