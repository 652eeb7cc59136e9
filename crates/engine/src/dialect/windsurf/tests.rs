//! Windsurf, by its documentation.

use serde_json::{Value, json};

use super::AGENT;
use crate::agent::recorded::decoded;
use crate::agent::{Happening, Moment, Reply, Told, ToolClass, Verdict};
use crate::payload::Payload;

fn told(event: &str, info: Value) -> Happening {
    let payload = json!({
        "agent_action_name": event,
        "trajectory_id": "t",
        "execution_id": "e",
        "timestamp": "2026-01-01T00:00:00Z",
        "tool_info": info,
    });
    let happening = decoded(&AGENT, &Payload::of(&payload));
    assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{event}");
    happening
}

#[test]
fn every_action_becomes_what_it_is() {
    let edits = json!([{"old_string": "a", "new_string": "b"}]);
    let mcp = json!({"mcp_server_name": "s", "mcp_tool_name": "t", "mcp_tool_arguments": {"x": 1}, "mcp_result": "r"});
    let cases: [(&str, Value, &str, ToolClass); 4] = [
        ("run_command", json!({"command_line": "ls", "cwd": "/p"}), "Shell", ToolClass::Shell),
        ("read_code", json!({"file_path": "/p/a"}), "Read", ToolClass::Read),
        ("write_code", json!({"file_path": "/p/a", "edits": edits}), "Write", ToolClass::Write),
        ("mcp_tool_use", mcp, "MCP:t", ToolClass::Mcp),
    ];
    for (action, info, tool, class) in cases {
        let before = told(&format!("pre_{action}"), info.clone());
        let Moment::BeforeTool { calls } = &before.moment else { panic!("{action}: {before:?}") };
        assert_eq!((calls[0].name.as_str(), calls[0].class), (tool, class), "{action}");
        assert_eq!((before.session.as_deref(), before.generation.as_deref()), (Some("t"), Some("e")));
        let after = told(&format!("post_{action}"), info);
        assert!(matches!(after.moment, Moment::AfterTool { .. }), "{action}");
    }
    let write = told("pre_write_code", json!({"file_path": "/p/a", "edits": edits}));
    let Moment::BeforeTool { calls } = write.moment else { panic!("a write") };
    assert_eq!(calls[0].edits[0].1[0].new_string, "b");
    assert_eq!(
        told("pre_user_prompt", json!({"user_prompt": "do"})).moment,
        Moment::Prompt { text: "do".to_owned() }
    );
    assert_eq!(
        told("post_cascade_response", json!({"response": "done"})).moment,
        Moment::Response { text: "done".to_owned() }
    );
}

#[test]
fn a_gate_without_its_subject_is_not_understood() {
    let cases = [
        json!({}),
        json!({"agent_action_name": "pre_dream"}),
        json!({"agent_action_name": "pre_run_command"}),
        json!({"agent_action_name": "pre_run_command", "tool_info": {"command_line": 1}}),
        json!({"agent_action_name": "pre_mcp_tool_use", "tool_info": {}}),
    ];
    for payload in cases {
        let told = Told { event: None, payload: Payload::of(&payload) };
        assert!((AGENT.decode_event)(&told).is_err(), "{payload}");
    }
}

#[test]
fn a_refusal_is_exit_code_2_with_its_reason() {
    let shell = told("pre_run_command", json!({"command_line": "ls"}));
    let after = told("post_run_command", json!({"command_line": "ls"}));
    let prompt = told("pre_user_prompt", json!({"user_prompt": "do"}));
    let refused = Verdict::refusal("for the model", "for you");
    let asked = Verdict { ask: refused.refused.clone(), ..Verdict::default() };
    let cases = [
        ("nothing", &shell, Verdict::default(), 0, ""),
        ("deny", &shell, refused.clone(), 2, "for the model"),
        ("ask", &shell, asked, 2, "for the model"),
        ("prompt", &prompt, refused.clone(), 2, "for you"),
        ("too late", &after, refused, 0, ""),
    ];
    for (name, happening, verdict, code, stderr) in cases {
        let reply = (AGENT.encode_decision)(happening, &verdict);
        assert_eq!(reply, Reply { stdout: String::new(), stderr: stderr.to_owned(), code }, "{name}");
    }
    let silent = (AGENT.refuse_blindly)(None, " ");
    assert!(silent.code == 2 && !silent.stderr.trim().is_empty());
}
