//! The one command that an agent's settings name. It never changes with the
//! policy, so an agent that pins what it trusts to the text keeps trusting it.

use std::path::{Path, PathBuf};

use super::over_http;
use super::wiring::Scope;
use crate::error::Failed;
use crate::http_address::HttpAddress;
use crate::settings::{Dwelling, Given};

/// What the command of an agent must be called for us to know it again.
const NAME: &str = "boathook";

/// Our own program, as others call it.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
    text: String,
    /// It is found by its name alone.
    on_path: bool,
    /// Whose policy counts, as words behind the command.
    dwelling: Option<Dwelling>,
    /// Options of every command that the entries carry.
    options: Vec<String>,
    /// Where agents that ask over HTTP do so.
    http: Option<HttpAddress>,
}

/// Why a command that is ours no longer calls this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stale {
    /// No such file.
    Gone,
    /// A file that nobody may execute.
    NotExecutable,
    /// It is another one than the one that runs now.
    Other,
}

impl Program {
    /// The program at this path. Its name must be one that we know again.
    pub fn at((path, on_path): (PathBuf, bool)) -> Result<Program, Failed> {
        let shown = path.display();
        let Some(text) = path.to_str().filter(|text| !text.chars().any(char::is_control)) else {
            let problem = format!("{shown} cannot be written into an agent's settings");
            return Err(Failed::other(problem, "move boathook to a path of plain text"));
        };
        if !is_us(text) {
            let problem = format!("{shown} is not called `{NAME}`, so its entries would not be known again");
            return Err(Failed::other(problem, "rename it, or make a link of that name in your PATH"));
        }
        Ok(Program { text: text.to_owned(), path, on_path, dwelling: None, options: Vec::new(), http: None })
    }

    /// The same for the user who lives there.
    pub fn of_user(self, dwelling: Option<Dwelling>) -> Program {
        Program { dwelling, ..self }
    }

    /// The same with these options of every command, which mean the same from every directory.
    pub fn with_options(self, options: Vec<String>) -> Program {
        Program { options, ..self }
    }

    /// The same for agents that ask the daemon over HTTP.
    pub fn over_http(self, address: Option<HttpAddress>) -> Program {
        Program { http: address, ..self }
    }

    /// Where an agent asks about this event over HTTP; none when it calls the
    /// command.
    pub fn http_of(&self, agent: &str, event: &str) -> Option<&HttpAddress> {
        let asks = over_http::of(agent).is_some_and(|known| known.asks(event));
        self.http.as_ref().filter(|_| asks)
    }

    /// Whether anything is asked over HTTP.
    pub fn asks_over_http(&self) -> bool {
        self.http.is_some()
    }

    /// The text without the token: for people's eyes.
    pub fn without_token(&self, text: &str) -> String {
        match &self.http {
            Some(address) => text.replace(&address.token, "…"),
            None => text.to_owned(),
        }
    }

    /// Where the user's daemon answers over HTTP, as far as that is known.
    pub fn address(&self) -> Option<Result<HttpAddress, Failed>> {
        HttpAddress::read(&self.dwelling.as_ref()?.state).transpose()
    }

    /// As it is called in settings of this scope. Those of a project are read on
    /// other machines, where it stands elsewhere; and those of more than one user
    /// name no home.
    pub fn for_scope(&self, scope: Scope) -> Program {
        let by_name = scope == Scope::Project && self.on_path;
        Program {
            text: if by_name { NAME.to_owned() } else { self.text.clone() },
            dwelling: self.dwelling.clone().filter(|_| scope == Scope::User),
            ..self.clone()
        }
    }

    /// The words behind the command that say whose policy counts, and what of it.
    pub fn words(&self) -> Vec<String> {
        let words = self.dwelling.iter().flat_map(Dwelling::words);
        let words = words.flat_map(|(name, path)| [name.to_owned(), path.display().to_string()]);
        words.chain(self.options.iter().cloned()).collect()
    }

    /// The words in which a command of ours says that another policy counts
    /// than the one of who asks now.
    pub fn counts_elsewhere(&self, command: &str) -> Option<String> {
        let ours = self.dwelling.as_ref()?;
        let given = given(command);
        let differs = given.beside(ours) != *ours;
        differs.then(|| {
            given
                .beside(ours)
                .words()
                .iter()
                .map(|(name, path)| format!("{name} {}", path.display()))
                .collect::<Vec<_>>()
                .join(" ")
        })
    }

    /// The same, called in another way.
    pub fn called_as(&self, text: &str) -> Program {
        Program { text: text.to_owned(), ..self.clone() }
    }

    /// Whether its name alone is enough.
    pub fn is_on_path(&self) -> bool {
        self.on_path
    }

    /// Its path as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The command line for an agent; with the event's name where the agent's
    /// payload does not hold it.
    pub fn command(&self, agent: &str, event: Option<&str>) -> String {
        let mut line = format!("{} agent hook {agent}", quoted(&self.text));
        if let Some(event) = event {
            line.push(' ');
            line.push_str(event);
        }
        if self.http.is_some() {
            line.push_str(" --beside-http");
        }
        for word in self.words() {
            line.push(' ');
            line.push_str(&quoted(&word));
        }
        line
    }

    /// Whether a command of ours calls another program than this one. A path
    /// that a shell has to work out is taken for good.
    pub fn stale(&self, called: &str) -> Option<Stale> {
        let path = Path::new(called);
        if called == NAME && !self.on_path {
            return Some(Stale::Gone);
        }
        if !path.is_absolute() || path == self.path {
            return None;
        }
        match (path.canonicalize(), self.path.canonicalize()) {
            (Err(_), _) => Some(Stale::Gone),
            (Ok(theirs), _) if !is_executable(&theirs) => Some(Stale::NotExecutable),
            (Ok(theirs), Ok(ours)) if theirs == ours => None,
            (Ok(_), _) => Some(Stale::Other),
        }
    }
}

/// Whether a shell would start this file.
#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

/// Which program a command calls, when it is `boathook agent hook NAME`.
pub fn called(command: &str, agent: &str) -> Option<String> {
    let words = words(command);
    let program = words.first().filter(|word| is_us(word))?;
    let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    rest.starts_with(&["agent", "hook", agent]).then(|| program.clone())
}

/// What a command says of where its user lives.
fn given(command: &str) -> Given {
    let words = words(command);
    let of = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1).map(PathBuf::from)
    };
    Given { home: of("--home"), state_dir: of("--state-dir"), config_dir: of("--config-dir") }
}

fn is_us(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name.strip_suffix(".exe").unwrap_or(name) == NAME
}

/// One word for any shell, fish included.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The words of a simple command line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_command_is_known_again_whatever_the_path() {
        for path in
            ["/usr/bin/boathook", "/home/me/my tools/boathook", "/home/o'neill/$x/boathook", "/a\"b/boathook"]
        {
            let program = Program::at((path.into(), false)).expect(path);
            for event in [None, Some("preToolUse")] {
                let command = program.command("claude", event);
                assert_eq!(called(&command, "claude").as_deref(), Some(path), "{command}");
                assert_eq!(called(&command, "codex"), None, "{command}");
            }
        }
    }

    #[test]
    fn what_others_wrote_is_not_ours() {
        let others = [
            "boathook run preToolUse",
            "echo boathook agent hook claude",
            "./boathook-guard.sh agent hook claude",
            "boathook agent hook",
            "boathook agent hook claudette",
            "sh -c 'boathook agent hook claude'",
            "",
            "'",
        ];
        for command in others {
            assert_eq!(called(command, "claude"), None, "{command}");
        }
        assert_eq!(called("boathook  agent hook claude --x", "claude").as_deref(), Some("boathook"));
        assert_eq!(
            called("\"$HOME/bin/boathook\" agent hook claude", "claude").as_deref(),
            Some("$HOME/bin/boathook")
        );
        assert!(Program::at(("/usr/bin/hook".into(), true)).is_err());
        assert!(Program::at(("/usr\n/boathook".into(), true)).is_err());
    }
}
