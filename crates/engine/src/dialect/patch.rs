//! Tools whose input is a patch, in agents other than the one whose format it
//! is: as calls of ours, one for each file, and back again.

use serde_json::{Map, Value};

use super::codex::patches;
use crate::agent::{NativeCall, NotUnderstood, ToolCall};

/// What the patch in this field of the input would change.
pub(super) fn calls(
    native: &NativeCall,
    field: &str,
    cwd: Option<&str>,
) -> Result<Vec<ToolCall>, NotUnderstood> {
    let Some(text) = native.input.get(field).and_then(Value::as_str) else {
        return Err(NotUnderstood(format!("`{field}` of {} is not the text of a patch", native.name)));
    };
    patches::of_patch(text, cwd)
}

/// The input with a patch that does what hooks want; none where no patch can.
pub(super) fn rewritten(
    native: &NativeCall,
    field: &str,
    cwd: Option<&str>,
    wanted: &[Option<Map<String, Value>>],
) -> Option<Map<String, Value>> {
    let text = patches::rewritten(native.input.get(field)?.as_str()?, cwd, wanted)?;
    let mut input = native.input.clone();
    input.insert(field.to_owned(), Value::String(text));
    Some(input)
}
