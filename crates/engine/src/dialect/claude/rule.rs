//! `if`: one permission rule of Claude Code, like `Bash(git push *)`.
//!
//! A rule that cannot be decided from the text alone holds: the hook is asked
//! rather than passed over.

use super::glob::{fits_path, fits_text};
use super::tools::{self, KNOWN_TOOLS, WRITERS};
use crate::fill::Event;
use crate::rule::shell::{self, Command, Piece, Word};

/// One permission rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    tool: String,
    inside: Option<String>,
}

impl Condition {
    /// Reads `Tool` or `Tool(…)`. Anything else, also the name of a tool that
    /// Claude Code does not have, is no rule.
    pub fn parse(text: &str) -> Option<Condition> {
        let text = text.trim();
        let (tool, inside) = match text.split_once('(') {
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').filter(|inside| is_one(inside))?)),
            None => (text, None),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-*".contains(&byte);
        let known = KNOWN_TOOLS.contains(&tool) || tool.starts_with("mcp__") || tool.contains('*');
        let fits = known && tool.bytes().all(plain);
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

/// Whether what stands between brackets is one thing: brackets in it are
/// pairs, and no blank is at its ends.
fn is_one(inside: &str) -> bool {
    let mut depth = 0usize;
    for letter in inside.chars() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            _ => {}
        }
    }
    depth == 0 && inside.trim() == inside
}

/// Any one of the commands of a line, however it is spelt.
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
    if holds(line.trim()) || commands.filter(|command| !command.is_empty()).map(without_variables).any(holds)
    {
        return true;
    }
    let reading = shell::read(line);
    reading.unclear.is_some() || reading.commands.iter().any(|command| holds_for_words(command, &holds))
}

/// One command, quoting undone: with its program as written, and by its name
/// alone.
fn holds_for_words(command: &Command, holds: &dyn Fn(&str) -> bool) -> bool {
    let Some(first) = command.words.first() else { return false };
    let is_known = |word: &Word| word.known().is_some();
    let Some(name) = command.program().filter(|_| is_plain(first) && command.words.iter().all(is_known))
    else {
        return true;
    };
    let behind: String = command.args().iter().map(|word| format!(" {}", word.text())).collect();
    holds(&command.line()) || holds(&format!("{name}{behind}"))
}

/// Whether a word means itself, and not the names of files.
fn is_plain(word: &Word) -> bool {
    !word.pieces.iter().any(|piece| matches!(piece, Piece::Mark('*' | '?' | '[')))
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
    let mut spellings = vec![Some(path.to_owned()), shortened(path)];
    let cwd = event.payload.text("cwd").filter(|cwd| !cwd.is_empty() && !path.starts_with('/'));
    spellings.extend(cwd.map(|cwd| shortened(&format!("{cwd}/{path}"))));
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    // A path that leads out of an unknown place may lead anywhere.
    spellings.iter().any(|path| path.as_ref().is_none_or(|path| fits_below(pattern, path, &roots)))
}

fn fits_below(pattern: &str, path: &str, roots: &[String]) -> bool {
    if let Some(absolute) = pattern.strip_prefix("//") {
        return fits_path(&format!("/{absolute}"), path);
    }
    let inside = |root: &String| {
        let root = root.trim_end_matches('/');
        path.strip_prefix(root)?.strip_prefix('/').map(str::to_owned)
    };
    let relative = roots.iter().find_map(inside).unwrap_or_else(|| path.to_owned());
    let rooted = pattern.strip_prefix('/').unwrap_or(pattern);
    fits_path(rooted, &relative)
}

/// The path without `.`, `..` and doubled slashes; none when it leads out of
/// where it starts.
fn shortened(path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.pop().is_some() || path.starts_with('/') => {}
            ".." => return None,
            name => names.push(name),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    Some(format!("{root}{}", names.join("/")))
}

fn holds_for_domain(domain: &str, url: &str) -> bool {
    let behind = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let (host, domain) = (host.to_ascii_lowercase(), domain.to_ascii_lowercase());
    host == domain || host.ends_with(&format!(".{domain}")) || fits_text(&domain, &host)
}
