//! VS Code's agent hooks, from its documentation: Claude Code's wire format
//! over VS Code's tools. Never run by us.
//!
//! Its settings stand where those of Copilot CLI and Claude Code stand too,
//! and each of them may call us with tools of its own: they are understood by
//! Claude Code's names.

use serde_json::{Map, Value, json};

use super::claude::agent::{NAMES, NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, Wire, refuse_blindly, row};
use super::claude::{self, mcp_parts};
use super::patch;
use crate::agent::{
    Abilities, Agent, Asks, Covered, Effect, Happening, Moment, NativeCall, NativeTool, NotUnderstood, Reach,
    Reply, Told, ToolCall, ToolClass, Verdict, cursor_call,
};
use crate::event::{AnswerField, EventKind};
use crate::input::Edit;
use crate::source::Level;

use AnswerField::*;
use Effect::*;
use Reach::*;

/// VS Code, as an agent.
pub const AGENT: Agent = Agent {
    name: "vscode",
    title: "VS Code",
    driven: None,
    decode_event,
    fold: |happening, wanted| WIRE.fold(happening, wanted),
    encode_decision,
    encode_event: |happening| WIRE.encode(happening),
    refuse_blindly,
    abilities: Abilities { asks: Asks::Natively, replaces_output: false, context_before_tool: true },
    patience: &[],
    coverage: COVERAGE,
    listens: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "SubagentStop",
        "Stop",
        "PreCompact",
    ],
    env_file: None,
    project_variables: &["CLAUDE_PROJECT_DIR"],
    rule_files: &[
        ".github/copilot-instructions.md",
        ".github/instructions/*.instructions.md",
        "AGENTS.md",
        "CLAUDE.md",
    ],
    unseen: &[],
    runs_itself: &[Level::ClaudeLocal, Level::ClaudeProject, Level::ClaudeUser],
};

const WIRE: Wire = Wire {
    names: NAMES,
    tools: &[TOOLS, claude::TOOLS],
    tells_server: false,
    empty_is_machine: false,
    printed: |value| (value.as_str().map(str::to_owned), None),
    exit_code: |_| None,
    before: |_| None,
    forms,
    mcp,
};

/// By the names in its tools, and by those in its documentation.
#[rustfmt::skip]
pub(super) const TOOLS: &[NativeTool] = &[
    NativeTool { names: &["run_in_terminal", "runInTerminal", "runTerminalCommand", "send_to_terminal", "sendToTerminal", TASK], cursor: "Shell", class: ToolClass::Shell, fields: &[] },
    NativeTool { names: &["read_file", "readFile"], cursor: "Read", class: ToolClass::Read, fields: FILE },
    NativeTool { names: &["create_file", "createFile", "replace_string_in_file", SEVERAL, "editFiles", "edit_file", "editFile"],
        cursor: "Write", class: ToolClass::Write, fields: CHANGE },
    NativeTool { names: &["insert_edit_into_file"], cursor: "Write", class: ToolClass::Write,
        fields: &[("filePath", "file_path"), ("code", "new_string")] },
    NativeTool { names: &["edit_notebook_file"], cursor: "Write", class: ToolClass::Write,
        fields: &[("filePath", "file_path"), ("newCode", "new_string")] },
    NativeTool { names: &[PATCH], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["grep_search", "file_search"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["runSubagent"], cursor: "Task", class: ToolClass::Task, fields: &[("agentName", "subagent_type")] },
    NativeTool { names: &["fetch_webpage"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
];

const PATCH: &str = "apply_patch";
/// Writes a task with a command line and starts it.
const TASK: &str = "create_and_run_task";
const SEVERAL: &str = "multi_replace_string_in_file";
const FILE: &[(&str, &str)] = &[("filePath", "file_path")];
const CHANGE: &[(&str, &str)] =
    &[("filePath", "file_path"), ("oldString", "old_string"), ("newString", "new_string")];

/// Two facts had other names in its first versions, and have them in its
/// documentation still.
fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    let mut told = told.clone();
    for (old, name) in [("hookEventName", NAMES.event), ("sessionId", NAMES.session)] {
        if !told.payload.has(name) {
            told.payload.rename(old, name);
        }
    }
    WIRE.decode(&told)
}

/// A patch, and several replacements, are one call of ours for each file.
pub(super) fn forms(call: &NativeCall) -> Result<Option<Vec<ToolCall>>, NotUnderstood> {
    match call.name.as_str() {
        PATCH => patch::calls(call, "input", None).map(Some),
        SEVERAL => Ok(replacements(call)),
        TASK => task(call).map(|call| Some(vec![call])),
        _ => Ok(None),
    }
}

/// The command line of a task.
fn task(call: &NativeCall) -> Result<ToolCall, NotUnderstood> {
    let unclear = || NotUnderstood(format!("`task` of {TASK} has no command that is a text"));
    let task = call.input.get("task").ok_or_else(unclear)?;
    let command = task.get("command").and_then(Value::as_str).ok_or_else(unclear)?;
    let args = task.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let line = std::iter::once(command).chain(args).collect::<Vec<_>>().join(" ");
    let mut shell = cursor_call(TOOLS, call);
    shell.input.insert("command".to_owned(), Value::from(line));
    Ok(shell)
}

/// Nothing where the input has another form than we know.
fn replacements(call: &NativeCall) -> Option<Vec<ToolCall>> {
    let mut files: Vec<(&str, Vec<Edit>)> = Vec::new();
    for one in call.input.get("replacements")?.as_array()? {
        let text = |name: &str| one.get(name).and_then(Value::as_str).unwrap_or_default();
        let edit =
            Edit { old_string: text("oldString").to_owned(), new_string: text("newString").to_owned() };
        match files.iter_mut().find(|(path, _)| *path == text("filePath")) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((text("filePath"), vec![edit])),
        }
    }
    Some(files.into_iter().map(|(path, edits)| change(path, edits)).collect())
}

fn change(path: &str, edits: Vec<Edit>) -> ToolCall {
    let mut input = Map::new();
    input.insert("file_path".to_owned(), Value::from(path));
    input.insert("edits".to_owned(), serde_json::to_value(&edits).unwrap_or_default());
    let edits = vec![(path.to_owned(), edits)];
    ToolCall { name: "Write".to_owned(), class: ToolClass::Write, input, edits, server: None }
}

/// `mcp_server_tool`, beside Claude Code's `mcp__server__tool`. Where a server's
/// name holds a bar, who knows the servers finds its end.
fn mcp<'n>(name: &'n str, told: Option<&str>) -> Option<(String, &'n str)> {
    if name.starts_with("mcp__") {
        return mcp_parts(name, told);
    }
    let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
    Some((server.to_owned(), tool))
}

/// Claude Code's answer. A prompt is held back by `continue`, and what keeps a
/// turn going stands with what is the event's own.
fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    let mut answer = WIRE.answer(happening, verdict);
    match &happening.moment {
        Moment::Prompt { .. } => {
            if let Some(words) = &verdict.refused {
                answer.insert("continue".to_owned(), Value::Bool(false));
                answer.insert("stopReason".to_owned(), Value::from(words.user.as_str()));
            }
        }
        Moment::Stop(_) | Moment::SubagentStop(_) => {
            if let Some(message) = &verdict.follow_up {
                let own = json!({ "hookEventName": happening.event, "decision": "block", "reason": message });
                merge(&mut answer, "hookSpecificOutput", own);
            }
        }
        Moment::SessionStart { .. }
        | Moment::SessionEnd { .. }
        | Moment::BeforeTool { .. }
        | Moment::AfterTool { .. }
        | Moment::ToolFailed { .. }
        | Moment::Compact { .. }
        | Moment::Response { .. }
        | Moment::Thought { .. }
        | Moment::Nothing(_) => {}
    }
    Reply::json(answer)
}

fn merge(answer: &mut Map<String, Value>, name: &str, more: Value) {
    match (answer.get_mut(name), more) {
        (Some(Value::Object(there)), Value::Object(more)) => there.extend(more),
        (_, more) => {
            answer.insert(name.to_owned(), more);
        }
    }
}

#[rustfmt::skip]
const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed,
        &[(Env, Degraded("it reaches hooks, and not the commands of VS Code")), (AdditionalContext, Applied)], ""),
    row(EventKind::SessionEnd, NotAvailable, &[], "the end of a session is not told"),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied), (UpdatedInput, Applied), (AdditionalContext, Applied)],
        "files added to the chat reach the model without a tool call; a rewritten patch is refused"),
    row(EventKind::PostToolUse, Observed,
        &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Lost("a tool's output cannot be replaced"))], "how long it took is measured by us"),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Lost("a failure is not told"))],
        "only for calls that a hook refused: a failure is not told"),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, Applied)], "`subagent_type` is the agent's name in VS Code"),
    row(EventKind::SubagentStop, Observed,
        &[(FollowupMessage, Applied), (AdditionalContext, Lost("the documentation knows no context there"))], "what the subagent said is not told"),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied)], ""),
    row(EventKind::AfterShellExecution, Observed, &[], "the exit code is not told"),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, Applied), (UserMessage, Applied), (AgentMessage, Applied)], ""),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, Applied), (NewContent, Degraded("the read is refused, and the refusal holds the new content"))],
        "files added to the chat reach the model without a tool call"),
    row(EventKind::AfterFileEdit, Observed, &[], "the text before a whole new content is not told"),
    row(EventKind::BeforeSubmitPrompt, Enforced,
        &[(Continue, Degraded("the whole session stops")), (UserMessage, Applied),
          (AdditionalContext, Lost("the documentation knows no context for a prompt"))], ""),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Applied)], "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], ""),
    row(EventKind::AfterAgentResponse, NotAvailable,
        &[(Permission, Lost("messages are not told")), (UserMessage, Lost("messages are not told"))], "messages are not told"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], "thinking is not told"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Output;
    use crate::agent::recorded::{decoded, rewriting};
    use crate::payload::Payload;

    fn told(value: Value) -> Happening {
        let happening = decoded(&AGENT, &Payload::of(&value));
        assert_eq!(decoded(&AGENT, &(AGENT.encode_event)(&happening)), happening, "{value}");
        happening
    }

    fn calls(tool: &str, input: Value) -> Vec<ToolCall> {
        let payload = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p", "tool_name": tool,
            "tool_input": input, "tool_use_id": "t"});
        let Moment::BeforeTool { calls } = told(payload).moment else { panic!("{tool}") };
        calls
    }

    fn call(tool: &str, input: Value) -> ToolCall {
        calls(tool, input).remove(0)
    }

    #[test]
    fn its_tools_are_ours_and_claude_codes_too() {
        let file = json!({"filePath": "/p/a"});
        let cases = [
            ("run_in_terminal", json!({"command": "ls", "explanation": "x"}), "Shell", ToolClass::Shell),
            ("runTerminalCommand", json!({"command": "ls"}), "Shell", ToolClass::Shell),
            ("send_to_terminal", json!({"command": "ls"}), "Shell", ToolClass::Shell),
            ("edit_file", file.clone(), "Write", ToolClass::Write),
            (
                "create_and_run_task",
                json!({"task": {"label": "x", "type": "shell", "command": "rm", "args": ["-rf"]}}),
                "Shell",
                ToolClass::Shell,
            ),
            ("read_file", file.clone(), "Read", ToolClass::Read),
            ("create_file", json!({"filePath": "/p/a", "content": "x"}), "Write", ToolClass::Write),
            (
                "apply_patch",
                json!({"input": "*** Begin Patch\n*** Add File: /a\n+x\n*** End Patch"}),
                "Write",
                ToolClass::Write,
            ),
            ("runSubagent", json!({"prompt": "p", "description": "d"}), "Task", ToolClass::Task),
            ("mcp_github_get_issue", json!({}), "MCP:get_issue", ToolClass::Mcp),
            ("Bash", json!({"command": "ls"}), "Shell", ToolClass::Shell),
            ("mcp__mini__echo", json!({}), "MCP:echo", ToolClass::Mcp),
            ("list_dir", json!({"path": "/p"}), "list_dir", ToolClass::Other),
        ];
        for (tool, input, name, class) in cases {
            let call = call(tool, input);
            assert_eq!((call.name.as_str(), call.class), (name, class), "{tool}");
        }
        assert_eq!(Value::Object(call("read_file", file).input), json!({"file_path": "/p/a"}));
    }

    #[test]
    fn claude_codes_adapter_knows_them_because_vs_code_calls_it_too() {
        let payload = json!({"hook_event_name": "PreToolUse", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}});
        let Moment::BeforeTool { calls } = decoded(&claude::AGENT, &Payload::of(&payload)).moment else {
            panic!()
        };
        assert_eq!(calls[0].class, ToolClass::Shell);
    }

    #[test]
    fn changes_are_told_file_by_file() {
        let edit = |old: &str, new: &str| Edit { old_string: old.to_owned(), new_string: new.to_owned() };
        let one =
            |path: &str, old: &str, new: &str| json!({"filePath": path, "oldString": old, "newString": new});
        let cases = [
            ("replace_string_in_file", one("/a", "x", "y"), vec![("/a".to_owned(), vec![edit("x", "y")])]),
            (
                "multi_replace_string_in_file",
                json!({"explanation": "e", "replacements": [one("/a", "1", "2"), one("/b", "3", "4"), one("/a", "5", "6")]}),
                vec![
                    ("/a".to_owned(), vec![edit("1", "2"), edit("5", "6")]),
                    ("/b".to_owned(), vec![edit("3", "4")]),
                ],
            ),
            (
                "create_file",
                json!({"filePath": "/a", "content": "x"}),
                vec![("/a".to_owned(), vec![edit("", "x")])],
            ),
        ];
        for (tool, input, expected) in cases {
            let calls = calls(tool, input);
            let edits: Vec<_> = calls.iter().flat_map(|call| call.edits.clone()).collect();
            assert_eq!(edits, expected, "{tool}");
            let paths: Vec<_> =
                calls.iter().filter_map(|call| call.input.get("file_path")?.as_str()).collect();
            assert_eq!(paths, expected.iter().map(|(path, _)| path).collect::<Vec<_>>(), "{tool}");
        }
    }

    #[test]
    fn a_patch_is_a_call_for_each_file_and_never_runs_otherwise_than_a_hook_wants() {
        let text = "*** Begin Patch\n*** Update File: /a\n@@\n-x\n+y\n*** Delete File: /b\n*** End Patch";
        let payload =
            json!({"hook_event_name": "PreToolUse", "tool_name": PATCH, "tool_input": {"input": text}});
        let happening = told(payload);
        let Moment::BeforeTool { calls } = &happening.moment else { panic!("before") };
        let told: Vec<_> =
            calls.iter().map(|call| (call.name.as_str(), call.input["file_path"].as_str())).collect();
        assert_eq!(told, [("Write", Some("/a")), ("Delete", Some("/b"))]);
        let other = json!({"file_path": "/c"}).as_object().cloned();
        let verdict = rewriting(&AGENT, &happening, &[other, None]);
        let words = verdict.refused.as_ref().expect("a refusal");
        let wanted = "call `apply_patch` again so that it does exactly this: Write {\"file_path\":\"/c\"}\nDelete {\"file_path\":\"/b\"}";
        assert!(words.model.ends_with(wanted), "{}", words.model);
        let reply = (AGENT.encode_decision)(&happening, &verdict);
        let answer: Value = serde_json::from_str(&reply.stdout).expect("JSON");
        assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    }

    #[test]
    fn facts_are_found_by_both_names() {
        for payload in [
            json!({"hookEventName": "PostToolUse", "sessionId": "s", "tool_name": "run_in_terminal",
                "tool_input": {"command": "ls"}, "tool_response": "a\n"}),
            json!({"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "run_in_terminal",
                "tool_input": {"command": "ls"}, "tool_response": "a\n"}),
        ] {
            let happening = told(payload);
            assert_eq!(happening.session.as_deref(), Some("s"));
            let Moment::AfterTool { output, .. } = happening.moment else { panic!("after") };
            let text = Some("a\n".to_owned());
            assert_eq!(output, Output { value: json!("a\n"), text, ..Output::default() });
        }
    }

    #[test]
    fn answers_say_it_where_vs_code_looks() {
        let refused = || Verdict::refusal("model", "person");
        let follow_up = || Verdict { follow_up: Some("go on".to_owned()), ..Verdict::default() };
        let rewritten = json!({"command": "echo safe"});
        let pre = json!({"hook_event_name": "PreToolUse", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}});
        let rewrite = rewriting(&AGENT, &told(pre.clone()), &[rewritten.as_object().cloned()]);
        let stop = json!({"hook_event_name": "Stop", "stop_hook_active": false});
        let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "hi"});
        let cases = [
            (
                pre.clone(),
                refused(),
                json!({"systemMessage": "person", "hookSpecificOutput": {"hookEventName": "PreToolUse",
                "permissionDecision": "deny", "permissionDecisionReason": "model"}}),
            ),
            (
                pre,
                rewrite,
                json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": rewritten}}),
            ),
            (
                prompt,
                refused(),
                json!({"decision": "block", "reason": "person", "continue": false, "stopReason": "person"}),
            ),
            (
                stop,
                follow_up(),
                json!({"decision": "block", "reason": "go on", "hookSpecificOutput": {"hookEventName": "Stop",
                "decision": "block", "reason": "go on"}}),
            ),
        ];
        for (payload, verdict, expected) in cases {
            let reply = (AGENT.encode_decision)(&told(payload), &verdict);
            assert_eq!(serde_json::from_str::<Value>(&reply.stdout).expect("JSON"), expected);
        }
    }
}
