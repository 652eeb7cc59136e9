//! What hooks are given to read.

/// One payload line of about this size: a file as an agent reads it. It serves
/// shell events too, whose hooks look at `command`.
pub fn ready_line(bytes: usize) -> Vec<u8> {
    let head = concat!(
        r#"{"conversation_id":"c0ffee00-0000-4000-8000-000000000000","generation_id":"7","model":"default","#,
        r#""command":"ls -la","cwd":"/","file_path":"/src/main.rs","content":""#
    );
    filled(head, r#"\tlet value = \"quoted\"; // a line of source code\n"#, "\"}\n", bytes)
}

/// The same for the peer that speaks another agent's protocol.
pub fn peer_line(bytes: usize) -> Vec<u8> {
    let head = concat!(
        r#"{"session_id":"c0ffee00-0000-4000-8000-000000000000","cwd":"/","hook_event_name":"PreToolUse","#,
        r#""tool_name":"Bash","tool_input":{"command":"ls -la "#
    );
    filled(head, "some more words ", "\"}}\n", bytes)
}

/// The text of a source file of this size.
pub fn source_text(bytes: usize) -> String {
    "\tlet value = \"quoted\"; // a line of source code\n".chars().cycle().take(bytes).collect()
}

fn filled(head: &str, piece: &str, tail: &str, bytes: usize) -> Vec<u8> {
    let mut line = Vec::with_capacity(bytes + head.len() + tail.len());
    line.extend_from_slice(head.as_bytes());
    while line.len() + piece.len() + tail.len() <= bytes {
        line.extend_from_slice(piece.as_bytes());
    }
    line.extend_from_slice(tail.as_bytes());
    line
}
