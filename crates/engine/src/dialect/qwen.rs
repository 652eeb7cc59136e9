//! Qwen Code: Claude Code's events and answers, over tools of its own.
//!
//! It names a tool's output twice, for the model and for the person, and asks
//! about an empty prompt before every call of the model. Timeouts in its
//! settings are milliseconds.

use serde_json::Value;

use super::claude::agent::{NAMES, NO_TAB, NO_TAB_EDIT, NO_WORKSPACE, Wire, refuse_blindly, row};
use super::claude::mcp_parts;
use crate::agent::{Abilities, Agent, Asks, Covered, Effect, NativeTool, Reach, ToolClass, Unseen};
use crate::event::{AnswerField, EventKind};

use AnswerField::*;
use Effect::*;
use Reach::*;

/// Qwen Code, as an agent.
pub const AGENT: Agent = Agent {
    name: "qwen",
    title: "Qwen Code",
    driven: Some("0.24.4"),
    decode_event: |told| WIRE.decode(told),
    fold: |_, _| None,
    encode_decision: |happening, verdict| WIRE.reply(happening, verdict),
    encode_event: |happening| WIRE.encode(happening),
    refuse_blindly,
    abilities: Abilities { asks: Asks::Natively, replaces_output: false, context_before_tool: false },
    patience: &[],
    coverage: COVERAGE,
    listens: &[
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionDenied",
        "SubagentStop",
        "Stop",
        "StopFailure",
        "PreCompact",
        "SessionEnd",
    ],
    env_file: None,
    project_variables: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    rule_files: &["QWEN.md", "AGENTS.md", ".qwen/rules/*.md"],
    unseen: &[Unseen {
        action: "a shell command in `!{…}` of a custom command",
        reason: "Qwen Code runs it before any hook is asked about the prompt, and fires no event for it; guard who may change `.qwen/commands`",
        is_typed_input: false,
    }],
    runs_itself: &[],
};

const WIRE: Wire = Wire {
    names: NAMES,
    tools: &[TOOLS],
    tells_server: false,
    empty_is_machine: true,
    printed,
    exit_code,
    before,
    forms: |_| Ok(None),
    mcp: mcp_parts,
};

/// Names that older versions used are still understood by it.
#[rustfmt::skip]
const TOOLS: &[NativeTool] = &[
    NativeTool { names: &["run_shell_command", "monitor"], cursor: "Shell", class: ToolClass::Shell,
        fields: &[("directory", "working_directory")] },
    NativeTool { names: &["write_file", "edit", "replace"], cursor: "Write", class: ToolClass::Write, fields: &[] },
    NativeTool { names: &["notebook_edit"], cursor: "Write", class: ToolClass::Write,
        fields: &[("notebook_path", "file_path"), ("new_source", "new_string")] },
    NativeTool { names: &["read_file", "zoom_image"], cursor: "Read", class: ToolClass::Read, fields: &[] },
    NativeTool { names: &["grep_search", "search_file_content", "glob"], cursor: "Grep", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["agent", "task", "workflow", "send_message"], cursor: "Task", class: ToolClass::Task, fields: &[] },
    NativeTool { names: &["web_fetch"], cursor: "WebFetch", class: ToolClass::Other, fields: &[] },
    NativeTool { names: &["web_search"], cursor: "WebSearch", class: ToolClass::Other, fields: &[] },
];

/// What the person is shown is what the shell printed; the exit code stands in
/// what the model is told.
fn printed(value: &Value) -> (Option<String>, Option<i32>) {
    let part = |name: &str| value.get(name).and_then(Value::as_str);
    let model = part("llmContent");
    (part("returnDisplay").or(model).map(str::to_owned), model.and_then(exit_code))
}

/// `Exit Code: 3`, below everything the command printed itself.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().rev().find_map(|line| line.strip_prefix("Exit Code: "))?.trim().parse().ok()
}

fn before(value: &Value) -> Option<&str> {
    value.get("returnDisplay")?.get("originalContent")?.as_str()
}

const SAME_WORDS: Effect = Degraded("the person is shown what the model is told");

#[rustfmt::skip]
const COVERAGE: &[Covered] = &[
    row(EventKind::SessionStart, Observed,
        &[(Env, Degraded("it reaches hooks, and not the commands of Qwen Code")), (AdditionalContext, Applied)], ""),
    row(EventKind::SessionEnd, Observed, &[], "does not fire in a headless run"),
    row(EventKind::PreToolUse, Enforced,
        &[(Permission, Applied), (UserMessage, SAME_WORDS), (AgentMessage, Applied),
          (UpdatedInput, Degraded("the call is refused, and the model told what to write")),
          (AdditionalContext, Lost("the model is told nothing with a call that may run"))],
        "the content of files mentioned with `@` stands in the prompt, and no tool reads it"),
    row(EventKind::PostToolUse, Observed,
        &[(AdditionalContext, Applied), (UpdatedMcpToolOutput, Lost("a tool's output cannot be replaced"))],
        "a subagent in the background is told when it starts"),
    row(EventKind::PostToolUseFailure, Observed, &[(AdditionalContext, Applied)], ""),
    row(EventKind::SubagentStart, Enforced, &[(Permission, Applied), (UserMessage, SAME_WORDS)],
        "`subagent_type` is Qwen Code's word, such as `general-purpose`"),
    row(EventKind::SubagentStop, Observed, &[(FollowupMessage, Applied), (AdditionalContext, Lost("nobody reads it"))],
        "`subagent_type` is Qwen Code's word, such as `general-purpose`"),
    row(EventKind::BeforeShellExecution, Enforced, &[(Permission, Applied), (UserMessage, SAME_WORDS), (AgentMessage, Applied)], ""),
    row(EventKind::AfterShellExecution, Observed, &[], ""),
    row(EventKind::BeforeMcpExecution, Enforced, &[(Permission, Applied), (UserMessage, SAME_WORDS), (AgentMessage, Applied)], ""),
    row(EventKind::AfterMcpExecution, Observed, &[], ""),
    row(EventKind::BeforeReadFile, Enforced,
        &[(Permission, Applied), (UserMessage, SAME_WORDS), (NewContent, Degraded("the read is refused, and the refusal holds the new content"))],
        "the content of files mentioned with `@` stands in the prompt, and no tool reads it"),
    row(EventKind::AfterFileEdit, Observed, &[], ""),
    row(EventKind::BeforeSubmitPrompt, Enforced, &[(Continue, Applied), (UserMessage, Applied), (AdditionalContext, Applied)],
        "a headless run ends without showing the reason"),
    row(EventKind::PreCompact, Observed, &[(UserMessage, Lost("Qwen Code writes it to its debug log alone"))], "how full the context is, is not told"),
    row(EventKind::Stop, Observed, &[(FollowupMessage, Applied)], "Qwen Code itself ends a turn after eight follow-ups"),
    row(EventKind::AfterAgentResponse, Observed,
        &[(Permission, Lost("the message was shown before it is told")), (UserMessage, Applied)], "the last message of a turn"),
    row(EventKind::AfterAgentThought, NotAvailable, &[], "thinking is not told"),
    NO_TAB,
    NO_TAB_EDIT,
    NO_WORKSPACE,
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::recorded::{assert_gate_stays_one, assert_stable, decoded, payloads};
    use crate::agent::{Happening, Moment, ToolCall, Verdict};
    use crate::input::Edit;
    use crate::payload::Payload;

    fn recorded(name: &str) -> Happening {
        let found = payloads("qwen").into_iter().find(|(file, _)| file.ends_with(name));
        decoded(&AGENT, &found.unwrap_or_else(|| panic!("no payload {name}")).1)
    }

    fn calls(happening: &Happening) -> &[ToolCall] {
        match &happening.moment {
            Moment::BeforeTool { calls }
            | Moment::AfterTool { calls, .. }
            | Moment::ToolFailed { calls, .. } => calls,
            other => panic!("no calls in {other:?}"),
        }
    }

    #[test]
    fn every_payload_is_understood_and_stays_what_it_is() {
        assert_stable(&AGENT);
        assert_gate_stays_one(&AGENT, "PreToolUse");
    }

    #[test]
    fn calls_are_the_same_as_elsewhere() {
        let cases = [
            ("PreToolUse-shell", "Shell", ToolClass::Shell),
            ("PreToolUse-failing-shell", "Shell", ToolClass::Shell),
            ("PreToolUse-read", "Read", ToolClass::Read),
            ("PreToolUse-write", "Write", ToolClass::Write),
            ("PreToolUse-edit", "Write", ToolClass::Write),
            ("PreToolUse-mcp", "MCP:echo", ToolClass::Mcp),
            ("PreToolUse-subagent", "Task", ToolClass::Task),
            ("PreToolUse-shell-in-subagent", "Shell", ToolClass::Shell),
        ];
        for (name, tool, class) in cases {
            let happening = recorded(name);
            let call = &calls(&happening)[0];
            assert_eq!((call.name.as_str(), call.class), (tool, class), "{name}");
        }
        let server = calls(&recorded("PreToolUse-mcp"))[0].server.clone().expect("a server");
        assert_eq!((server.name.as_str(), server.tool.as_str()), ("mini", "echo"));
        assert_eq!(recorded("shell-in-subagent").subagent.expect("one").id, "general-purpose-call_7");
    }

    #[test]
    fn a_shell_prints_and_ends_as_it_is_told() {
        let Moment::AfterTool { output, .. } = recorded("PostToolUse-shell").moment else { panic!("after") };
        assert_eq!((output.text.as_deref(), output.exit_code), (Some("hello"), Some(0)));
        let failed = recorded("PostToolUseFailure-failing-shell");
        let Moment::ToolFailed { failing, .. } = failed.moment else { panic!("failed") };
        assert_eq!((failing.exit_code, failing.kind, failing.duration_ms), (Some(3), "error", Some(12.0)));
    }

    #[test]
    fn what_a_command_prints_is_not_its_exit_code() {
        let text =
            "Command: x\nOutput: Exit Code: 0\nExit Code: 0\nError: (none)\nExit Code: 7\nSignal: (none)";
        assert_eq!(exit_code(text), Some(7));
        assert_eq!(exit_code("Exit Code: (none)\nSignal: SIGKILL"), None);
    }

    #[test]
    fn a_change_says_what_was_there_and_what_is() {
        let edit = |old: &str, new: &str| Edit { old_string: old.to_owned(), new_string: new.to_owned() };
        let cases = [
            ("PostToolUse-write", "/home/me/project/new.txt", edit("", "one\n")),
            ("PostToolUse-edit", "/home/me/project/notes.txt", edit("beta", "gamma")),
        ];
        for (name, path, expected) in cases {
            assert_eq!(calls(&recorded(name))[0].edits, [(path.to_owned(), vec![expected])], "{name}");
        }
    }

    #[test]
    fn an_empty_prompt_is_nobodys() {
        let cases = [
            ("UserPromptSubmit-prompt", Some("MAINTASK please do it")),
            ("UserPromptSubmit-after-tool-result", None),
        ];
        for (name, expected) in cases {
            let text = match recorded(name).moment {
                Moment::Prompt { text } => Some(text),
                _ => None,
            };
            assert_eq!(text.as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn a_turn_and_a_subagent_end() {
        let Moment::Stop(ending) = recorded("Stop-plain").moment else { panic!("stop") };
        assert_eq!((ending.status, ending.message.as_deref()), ("completed", Some("all done")));
        let Moment::SubagentStop(ending) = recorded("SubagentStop-plain").moment else { panic!("subagent") };
        assert_eq!(ending.message.as_deref(), Some("two files"));
    }

    #[test]
    fn a_refusal_is_said_in_claude_codes_words() {
        let reply =
            (AGENT.encode_decision)(&recorded("PreToolUse-shell"), &Verdict::refusal("model", "person"));
        let expected = json!({"systemMessage": "person", "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "model"}});
        assert_eq!(Payload::parse(reply.stdout.as_bytes()).expect("JSON").to_json(), expected.to_string());
    }
}
