//! `if`: one permission rule of Claude Code, like `Bash(git push *)`.
//!
//! A rule that cannot be decided from the text alone holds: the hook is asked
//! rather than passed over.

use super::glob::{fits_path, fits_text};
use super::tools::{self, WRITERS};
use crate::fill::Event;

/// One permission rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    tool: String,
    inside: Option<String>,
}

impl Condition {
    /// Reads `Tool` or `Tool(…)`.
    pub fn parse(text: &str) -> Option<Condition> {
        let text = text.trim();
        let (tool, inside) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
            None => (text, None),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-*".contains(&byte);
        let fits = !tool.is_empty() && tool.bytes().all(plain);
        let inside = inside.filter(|inside| !matches!(*inside, "" | "*"));
        fits.then(|| Condition { tool: tool.to_owned(), inside: inside.map(str::to_owned) })
    }

    /// The rule as text.
    pub fn text(&self) -> String {
        match &self.inside {
            Some(inside) => format!("{}({inside})", self.tool),
            None => self.tool.clone(),
        }
    }

    /// Whether it holds for a tool's use.
    pub fn holds(&self, event: &Event) -> bool {
        let names = tools::names(event, &self.tool);
        if !names.iter().any(|name| self.is_tool(name)) {
            return false;
        }
        let Some(inside) = &self.inside else { return true };
        let input = tools::input(event, names.first().map_or("", String::as_str));
        let text = |field: &str| input.get(field).and_then(|value| value.as_str());
        if let Some(command) = text("command") {
            return holds_for_command(inside, command);
        }
        if let Some(path) = text("file_path").or(text("notebook_path")) {
            return holds_for_path(inside, path, event);
        }
        match (inside.strip_prefix("domain:"), text("url")) {
            (Some(domain), Some(url)) => holds_for_domain(domain, url),
            _ => true,
        }
    }

    /// A rule for edits counts for everything that changes a file.
    fn is_tool(&self, name: &str) -> bool {
        let tool = self.tool.as_str();
        match tool.strip_prefix("mcp__") {
            Some(rest) if !rest.contains("__") => name.starts_with(&format!("{tool}__")),
            _ if tool.contains('*') => fits_text(tool, name),
            _ => tool == name || (tool == "Edit" && WRITERS.contains(&name)),
        }
    }
}

/// Any one of the commands of a line.
fn holds_for_command(pattern: &str, line: &str) -> bool {
    if line.contains(['$', '`']) {
        return true;
    }
    let holds = |command: &str| match pattern.strip_suffix(":*").or(pattern.strip_suffix(" *")) {
        Some(start) if !start.contains('*') => {
            command.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        }
        _ => fits_text(pattern, command),
    };
    let commands = line.split(['\n', ';', '&', '|', '(', ')']).map(str::trim);
    holds(line.trim()) || commands.filter(|command| !command.is_empty()).map(without_variables).any(holds)
}

/// `A=1 B=2 git push` is `git push`.
fn without_variables(command: &str) -> &str {
    let mut rest = command;
    while let Some((word, behind)) = rest.split_once(' ') {
        let name = word.split_once('=').map(|(name, _)| name);
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if !name.is_some_and(is_name) {
            break;
        }
        rest = behind.trim_start();
    }
    rest
}

fn holds_for_path(pattern: &str, path: &str, event: &Event) -> bool {
    // Where the home is, an event does not say.
    if pattern.starts_with('~') {
        return true;
    }
    if let Some(absolute) = pattern.strip_prefix("//") {
        return fits_path(&format!("/{absolute}"), path);
    }
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let inside = |root: &String| path.strip_prefix(root.as_str())?.strip_prefix('/').map(str::to_owned);
    let relative = roots.iter().find_map(inside).unwrap_or_else(|| path.to_owned());
    let rooted = pattern.strip_prefix('/').unwrap_or(pattern);
    fits_path(rooted, &relative)
}

fn holds_for_domain(domain: &str, url: &str) -> bool {
    let behind = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let (host, domain) = (host.to_ascii_lowercase(), domain.to_ascii_lowercase());
    host == domain || host.ends_with(&format!(".{domain}")) || fits_text(&domain, &host)
}
