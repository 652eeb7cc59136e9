//! MCP servers as an agent's settings name them. An agent tells a tool's name,
//! often with the server's glued before it; its address or launch line stands
//! in its settings.
//!
//! Pure: who reads the settings gives the list.

use super::happening::{McpServer, ToolCall};

/// Where the servers of an agent are looked up. Asked only when a hook wants
/// to know.
pub trait McpLookup {
    /// Every server the agent is configured with, nearest settings first.
    fn servers(&self) -> Vec<McpServer>;
}

/// Knows none.
impl McpLookup for () {
    fn servers(&self) -> Vec<McpServer> {
        Vec::new()
    }
}

/// Between a server's name and a tool's.
const BETWEEN: [char; 4] = ['-', '_', '/', '.'];

/// Says which server a call is for. Where the separator may stand in a name
/// too, the longest name that is configured counts; `native` is the tool's name
/// as the agent wrote it.
pub fn identify(call: &mut ToolCall, native: &str, known: &[McpServer]) {
    let Some(guess) = &mut call.server else { return };
    let split = known.iter().filter_map(|server| Some((server, tool_behind(native, guess, &server.name)?)));
    if let Some((server, tool)) = split.max_by_key(|(server, _)| server.name.len())
        && server.name.len() > guess.name.len()
    {
        (guess.name, guess.tool) = (server.name.clone(), tool);
        call.name = format!("MCP:{}", guess.tool);
    }
    if let Some(server) = known.iter().find(|server| same(&server.name, &guess.name)) {
        guess.name.clone_from(&server.name);
        if guess.url.is_none() && guess.command.is_none() {
            (guess.url, guess.command) = (server.url.clone(), server.command.clone());
        }
    }
}

/// The tool's name when the server's stands where the guess begins.
fn tool_behind(native: &str, guess: &McpServer, name: &str) -> Option<String> {
    let from = native.find(&guess.name)?;
    let rest = &native[from..];
    let (head, behind) = rest.split_at_checked(name.len())?;
    let tool = behind.strip_prefix(BETWEEN)?.trim_start_matches('_');
    (same(head, name) && !name.is_empty() && !tool.is_empty()).then(|| tool.to_owned())
}

/// Agents put `_` for what they do not want in a name.
fn same(one: &str, other: &str) -> bool {
    let plain = |byte: u8| if byte.is_ascii_alphanumeric() { byte } else { b'_' };
    one.len() == other.len() && one.bytes().map(plain).eq(other.bytes().map(plain))
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::super::happening::ToolClass;
    use super::*;

    fn server(name: &str) -> McpServer {
        let url = Some(format!("https://{name}"));
        McpServer { name: name.to_owned(), url, ..McpServer::default() }
    }

    #[test]
    fn the_longest_name_that_is_configured_counts() {
        let known = [server("my"), server("my-server"), server("other"), server("with.dot")];
        let cases = [
            ("my-server-echo", "my", "server-echo", ("my-server", "echo", true)),
            ("my_server_echo", "my", "server_echo", ("my-server", "echo", true)),
            ("mcp_my_server_echo", "my", "server_echo", ("my-server", "echo", true)),
            ("my-echo", "my", "echo", ("my", "echo", true)),
            ("mcp__my__echo", "my", "echo", ("my", "echo", true)),
            ("with_dot_echo", "with", "dot_echo", ("with.dot", "echo", true)),
            ("my-server", "my", "server", ("my", "server", true)),
            ("strange-tool", "strange", "tool", ("strange", "tool", false)),
            ("é-x", "é", "x", ("é", "x", false)),
        ];
        for (native, name, tool, (of, is, found)) in cases {
            let guess = McpServer { name: name.to_owned(), tool: tool.to_owned(), ..McpServer::default() };
            let mut call = ToolCall {
                name: format!("MCP:{tool}"),
                class: ToolClass::Mcp,
                input: Map::new(),
                edits: Vec::new(),
                server: Some(guess),
            };
            identify(&mut call, native, &known);
            let server = call.server.expect("it stays");
            assert_eq!((&*server.name, &*server.tool, server.url.is_some()), (of, is, found), "{native}");
            assert_eq!(call.name, format!("MCP:{is}"), "{native}");
        }
    }
}
