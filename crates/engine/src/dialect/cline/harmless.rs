//! Calls that do nothing but say why another did not run.
//!
//! Cline's own word for a refusal ends the whole run and tells nobody why. A
//! call whose input was replaced by one that must fail goes wrong instead, and
//! the model reads its error. Whatever the reason says, the replacement runs
//! nothing and touches no file.
//!
//! Pure: a tool's name and a reason in, an input out.

use serde_json::{Map, Value, json};

use super::tools::{READ, SHELL};
use crate::agent::NativeCall;

const EDITOR: &str = "editor";

/// Tools that reject this input before they do anything.
const REJECTING: &[&str] = &["spawn_agent", "apply_patch", "search_codebase", "fetch_web_content", "skills"];
const REFUSED: &str = "refused";

/// No shell that Cline starts makes anything of this but the text and a
/// failure: `echo` and `exit` exist in sh, PowerShell and cmd.
const SAY: (&str, &str) = ("echo 'Not run: ", "'; exit 1");

/// Below it no file is or can be made: a device has no children, and Windows
/// knows no such name.
pub(super) const NOWHERE: &str = if cfg!(windows) { "<nowhere>/" } else { "/dev/null/" };

/// The model reads a reason that is longer beside the call and not in it.
const LONGEST_LINE: usize = 2000;
const LONGEST_NAME: usize = 200;

/// What takes the place of a refused call's input.
#[derive(Debug, PartialEq)]
pub(super) struct Replacement {
    /// The input.
    pub input: Value,
    /// Whether the model reads the reason word for word in the call's error.
    pub says_all: bool,
}

/// What replaces a call; none where no input is known to be harmless: an MCP
/// server is called with whatever it is given.
pub(super) fn replacement(tool: &str, reason: &str) -> Option<Replacement> {
    let reason = reason.trim();
    let (text, input) = match tool {
        SHELL => {
            let text = written(reason, in_quotes, LONGEST_LINE);
            let line = format!("{}{text}{}", SAY.0, SAY.1);
            (text, json!({ "commands": [line] }))
        }
        READ => {
            let text = written(reason, in_name, LONGEST_NAME);
            let path = format!("{NOWHERE}Not read: {text}");
            (text, json!({ "files": [{ "path": path }] }))
        }
        EDITOR => {
            let text = written(reason, in_name, LONGEST_NAME);
            let path = format!("{NOWHERE}Not written: {text}");
            (text, json!({ "path": path, "new_text": "" }))
        }
        tool if REJECTING.contains(&tool) => (String::new(), json!({ REFUSED: true })),
        _ => return None,
    };
    Some(Replacement { says_all: text == reason, input })
}

/// Whether a call is a replacement of ours: it is nothing that the model did.
pub(super) fn is_replacement(call: &NativeCall) -> bool {
    let input = &call.input;
    match call.name.as_str() {
        SHELL => only(input, "commands").and_then(Value::as_str).is_some_and(is_said),
        READ => only(input, "files").is_some_and(|file| is_nowhere(&file["path"])),
        EDITOR => input.get("path").is_some_and(is_nowhere),
        tool => REJECTING.contains(&tool) && input.len() == 1 && input.contains_key(REFUSED),
    }
}

fn only<'i>(input: &'i Map<String, Value>, name: &str) -> Option<&'i Value> {
    match input.get(name)?.as_array()?.as_slice() {
        [one] if input.len() == 1 => Some(one),
        _ => None,
    }
}

fn is_said(line: &str) -> bool {
    let text = line.strip_prefix(SAY.0).and_then(|rest| rest.strip_suffix(SAY.1));
    text.is_some_and(|text| text.chars().all(in_quotes))
}

/// Nothing after the device leads out of it again.
fn is_nowhere(path: &Value) -> bool {
    let name = path.as_str().and_then(|path| path.strip_prefix(NOWHERE));
    name.is_some_and(|name| name.starts_with("Not ") && name.chars().all(in_name))
}

/// sh, PowerShell and cmd quote differently: whatever one of them might obey
/// between single quotes is no part of it, their other quotes among them.
fn in_quotes(letter: char) -> bool {
    letter.is_alphanumeric() || " .,:;/_-@+=?#()[]".contains(letter)
}

/// A separator would begin another name, and `..` lead back.
fn in_name(letter: char) -> bool {
    letter.is_alphanumeric() || " .,:;_-@+=?#()[]".contains(letter)
}

/// What may not stand there becomes a blank.
fn written(reason: &str, may_stand: fn(char) -> bool, longest: usize) -> String {
    let text: String = reason.chars().map(|letter| if may_stand(letter) { letter } else { ' ' }).collect();
    text[..text.floor_char_boundary(longest)].to_owned()
}
