//! Tool calls as calls of ours: which tool, whose it is, what it changes, and
//! what a shell printed.

use serde_json::{Value, json};

use super::Wire;
use crate::agent::{
    Failing, Happening, McpServer, Moment, NativeCall, NotUnderstood, Output, ToolCall, ToolClass,
    cursor_call,
};
use crate::payload::Payload;

impl Wire {
    /// Puts the calls of ours into what was read of a tool's event, and what
    /// only the kind of tool lets us understand.
    pub(super) fn add_calls(
        &self,
        happening: &mut Happening,
        payload: &Payload,
    ) -> Result<(), NotUnderstood> {
        let Some(native) = &happening.call else { return Ok(()) };
        let mut found = self.calls(native, payload)?;
        match &mut happening.moment {
            Moment::BeforeTool { calls } => *calls = found,
            Moment::AfterTool { calls, output } => {
                found.iter_mut().for_each(|call| self.look_at_output(call, output));
                *calls = found;
            }
            Moment::ToolFailed { calls, failing } => {
                found.iter().for_each(|call| self.look_at_failing(call, failing));
                *calls = found;
            }
            Moment::SessionStart { .. }
            | Moment::SessionEnd { .. }
            | Moment::Prompt { .. }
            | Moment::SubagentStop(_)
            | Moment::Stop(_)
            | Moment::Compact { .. }
            | Moment::Response { .. }
            | Moment::Thought { .. }
            | Moment::Nothing(_) => {}
        }
        Ok(())
    }

    fn calls(&self, native: &NativeCall, payload: &Payload) -> Result<Vec<ToolCall>, NotUnderstood> {
        let told = server_told(payload);
        if let Some((server, tool)) = (self.mcp)(&native.name, told.as_deref()) {
            return Ok(vec![cursor_call(&[], native).of_server(McpServer::named(&server, tool))]);
        }
        let several = (self.forms)(native)?.filter(|calls| !calls.is_empty());
        Ok(several.unwrap_or_else(|| vec![cursor_call(self.table(&native.name), native)]))
    }

    fn look_at_output(&self, call: &mut ToolCall, output: &mut Output) {
        if call.class == ToolClass::Shell {
            (output.text, output.exit_code) = (self.printed)(&output.value);
        }
        let Some(before) = (self.before)(&output.value) else { return };
        // A whole new content says nothing of the old one.
        let bare = call.edits.iter_mut().flat_map(|(_, edits)| edits).find(|edit| edit.old_string.is_empty());
        if let Some(edit) = bare {
            edit.old_string = before.to_owned();
        }
    }

    fn look_at_failing(&self, call: &ToolCall, failing: &mut Failing) {
        if call.class == ToolClass::Shell {
            failing.exit_code = (self.exit_code)(&failing.message);
        }
    }
}

/// Says whose tool a call was.
pub(super) fn write_server(happening: &Happening, payload: &mut Payload) {
    let calls = match &happening.moment {
        Moment::BeforeTool { calls } | Moment::AfterTool { calls, .. } | Moment::ToolFailed { calls, .. } => {
            calls
        }
        _ => return,
    };
    if let Some(server) = calls.iter().find_map(|call| call.server.as_ref()) {
        payload.set("mcp_server", json!({ "name": server.name }));
    }
}

fn server_told(payload: &Payload) -> Option<String> {
    let server: Value = serde_json::from_str(payload.get("mcp_server")?.get()).ok()?;
    server.get("name")?.as_str().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// What a shell printed, and that it ended well: a command that failed is
/// another event. One in the background has not ended, and of one that
/// Claude Code explains the code is not told.
pub(super) fn printed(value: &Value) -> (Option<String>, Option<i32>) {
    let part = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    if value.get("stdout").is_none() {
        return (value.as_str().map(str::to_owned), None);
    }
    let parts: Vec<&str> =
        [part("stdout"), part("stderr")].into_iter().filter(|text| !text.is_empty()).collect();
    let truthy = |name: &str| value.get(name).is_some_and(|it| *it != Value::Null && *it != false);
    let open = ["backgroundTaskId", "interrupted", "returnCodeInterpretation"].into_iter().any(truthy);
    (Some(parts.join("\n")), (!open).then_some(0))
}

/// `Exit code 3`, on the first line.
pub(super) fn exit_code(error: &str) -> Option<i32> {
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

/// The cell of a notebook, else the whole file. A new file has none.
pub(super) fn before(value: &Value) -> Option<&str> {
    value.get("old_source").or_else(|| value.get("originalFile"))?.as_str()
}
