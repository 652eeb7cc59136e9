//! MCP servers as agents' settings name them: read when a hook is to be told
//! whose tool is called, and not before.

use std::path::{Path, PathBuf};

use boathook_engine::agent::{McpLookup, McpServer};
use boathook_engine::engine::Settings;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner};
use jsonc_parser::{JsonValue, ParseOptions};
use serde_json::{Map, Value};

/// `~/.claude.json` holds an agent's whole history.
const LONGEST: u64 = 32 * CONFIG_LIMIT;

/// Below a workspace, nearest to the agent first.
const OF_WORKSPACE: [&str; 8] = [
    ".mcp.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".copilot/mcp-config.json",
    ".vscode/mcp.json",
    "opencode.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
];
/// Below the home.
const OF_USER: [&str; 7] = [
    ".claude.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".copilot/mcp-config.json",
    ".config/opencode/opencode.json",
    ".codex/config.toml",
    ".cursor/mcp.json",
];
/// Under which names they stand there.
const TABLES: [&str; 4] = ["mcpServers", "servers", "mcp", "mcp_servers"];

/// The servers that any agent of this user is configured with.
pub struct ConfiguredServers {
    workspaces: Vec<PathBuf>,
    home: PathBuf,
}

impl ConfiguredServers {
    /// Of these workspaces and this home. Reads nothing yet.
    pub fn of(settings: &Settings) -> ConfiguredServers {
        ConfiguredServers { workspaces: settings.roots.workspaces.clone(), home: settings.roots.home.clone() }
    }
}

impl McpLookup for ConfiguredServers {
    fn servers(&self) -> Vec<McpServer> {
        let below =
            |root: &Path, names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        let near = self.workspaces.iter().flat_map(|root| below(root, &OF_WORKSPACE));
        let files = near.chain(below(&self.home, &OF_USER));
        let mut found: Vec<McpServer> = Vec::new();
        for file in files {
            let Some(settings) = read(&file) else { continue };
            for server in servers_in(&settings, &self.workspaces) {
                if !found.iter().any(|known| known.name == server.name) {
                    found.push(server);
                }
            }
        }
        found
    }
}

/// What cannot be read names no server: the call is asked about all the same.
fn read(file: &Path) -> Option<Value> {
    let bytes = read_file::read(file, LONGEST, Owner::Anybody).ok()?.bytes;
    let text = String::from_utf8(bytes).ok()?;
    if file.extension().is_some_and(|ending| ending == "toml") {
        let table: toml::Table = text.parse().ok()?;
        return serde_json::to_value(table).ok();
    }
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).ok().or_else(|| {
        let commented = jsonc_parser::parse_to_value(text, &ParseOptions::default()).ok()??;
        Some(plain(commented))
    })
}

/// JSON that has comments or trailing commas, without them.
fn plain(value: JsonValue<'_>) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Boolean(value) => Value::from(value),
        JsonValue::Number(number) => serde_json::from_str(number).unwrap_or_default(),
        JsonValue::String(text) => Value::from(text.into_owned()),
        JsonValue::Array(list) => list.into_iter().map(plain).collect(),
        JsonValue::Object(object) => object
            .into_iter()
            .map(|(name, value)| (name.into_owned(), plain(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn servers_in(settings: &Value, workspaces: &[PathBuf]) -> Vec<McpServer> {
    // Claude Code keeps those of a project under the project's path.
    let of_project = workspaces.iter().filter_map(|root| settings.get("projects")?.get(root.to_str()?));
    let places = of_project.chain([settings]);
    let tables = places.flat_map(|place| TABLES.iter().filter_map(|name| place.get(name)?.as_object()));
    tables.flatten().filter_map(|(name, server)| server_of(name, server)).collect()
}

fn server_of(name: &str, server: &Value) -> Option<McpServer> {
    let text = |key: &str| Some(server.get(key)?.as_str()?.to_owned());
    let words = |key: &str| {
        let list = server.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    let url = text("url").or(text("httpUrl")).or(text("serverUrl"));
    // OpenCode writes the whole launch line as a list.
    let program = text("command").into_iter().chain(words("command"));
    let line = program.chain(words("args")).collect::<Vec<_>>().join(" ");
    let command = Some(line).filter(|line| !line.is_empty());
    if url.is_none() && command.is_none() {
        return None;
    }
    Some(McpServer { name: name.to_owned(), tool: String::new(), url, command })
}
