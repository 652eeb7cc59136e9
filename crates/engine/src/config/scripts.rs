//! Looks whether the scripts that commands name are there and can run.
//!
//! Looks at files and starts nothing: a workspace that nobody trusts may be
//! checked. Variables that are known before a hook runs are put in, as trust
//! does it; what else the shell would expand is left alone.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::open_quote::open_quote;
use super::script_text;
use super::shell::{Word, first_command};
use super::syntax::excerpt;
use crate::definition::{Action, Definition, Lifetime};
use crate::problem::{Fix, Problem, ScriptFix};
use crate::source::{Level, Roots, Source};
use crate::trust::{self, Scope};

/// So many words of a command are tried as one path with spaces in it.
const TRIED: usize = 16;

/// Every script that is missing, cannot run, stands elsewhere, or says what
/// nobody reads; and every command whose quotes have no end.
pub fn check_scripts(definitions: &[Definition], scope: &Scope) -> Vec<Problem> {
    let places = Places { scope };
    let mut problems = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    for (definition, command) in definitions.iter().filter_map(with_command) {
        problems.extend(open_quote(definition, command));
        problems.extend(check_command(definition, command, &places));
        let Some(script) = named_script(command, scope) else { continue };
        if definition.lifetime == Lifetime::Stays {
            problems.extend(script_text::speaks_no_lines(&script).map(|problem| placed(definition, problem)));
        }
        // A script that many hooks name is looked into once.
        if seen.contains(&script.path) {
            continue;
        }
        problems.extend(script_text::check(&script).into_iter().map(|problem| placed(definition, problem)));
        seen.push(script.path);
    }
    problems
}

/// Where the hooks of a source run, and what their variables say there.
pub fn scope_of<'a>(source: &'a Source, roots: &'a Roots) -> Scope<'a> {
    Scope {
        os: roots.os,
        run_dir: &source.run_dir,
        workspace: source.workspace.as_deref().or(roots.workspaces.first().map(PathBuf::as_path)),
        plugin: (source.level == Level::Plugin).then_some(source.run_dir.as_path()),
        home: &roots.home,
    }
}

/// The script that a hook's command names by its path.
pub fn script_of(definition: &Definition, scope: &Scope) -> Option<PathBuf> {
    let (_, command) = with_command(definition)?;
    named_script(command, scope).map(|script| script.path)
}

/// A file that a command names as its script.
pub(super) struct NamedScript {
    pub path: PathBuf,
    /// The shell starts it itself, so its first line names its interpreter.
    pub direct: bool,
}

/// The script of a command, where it would be looked for.
pub(super) fn named_script(command: &str, scope: &Scope) -> Option<NamedScript> {
    let words = first_command(command);
    let (index, direct) = script_word(&words)?;
    let word = &words[index];
    if direct && !word.value.contains('/') {
        return None;
    }
    Some(NamedScript { path: Places { scope }.path_of(word)?, direct })
}

pub(super) fn with_command(definition: &Definition) -> Option<(&Definition, &str)> {
    match &definition.action {
        Action::Command(command) => Some((definition, command)),
        Action::Prompt { .. } | Action::Rule(_) | Action::Broken { .. } => None,
    }
}

struct Places<'p> {
    scope: &'p Scope<'p>,
}

/// The word of a command that names its script.
struct Script<'c> {
    command: &'c str,
    words: &'c [Word],
    index: usize,
    /// The shell starts it itself, so it must be executable.
    direct: bool,
}

fn check_command(definition: &Definition, command: &str, places: &Places) -> Option<Problem> {
    let words = first_command(command);
    let (index, direct) = script_word(&words)?;
    let script = Script { command, words: &words, index, direct };
    let word = &words[index];
    if direct && !word.value.contains('/') {
        return not_on_path(definition, &script, places);
    }
    let path = places.path_of(word)?;
    let problem = match fs::metadata(&path) {
        Ok(found) => check_found(&script, &path, &found)?,
        Err(error) if error.kind() == ErrorKind::NotFound || error.kind() == ErrorKind::NotADirectory => {
            missing(definition, &script, &path, places)
        }
        Err(error) => {
            let message = format!("the script `{}` cannot be looked at: {error}", excerpt(&word.value));
            Problem::warning("script-unreadable", message).help("check the permissions of its directories")
        }
    };
    Some(placed(definition, problem))
}

fn check_found(script: &Script, path: &Path, found: &Metadata) -> Option<Problem> {
    let shown = excerpt(&script.words[script.index].value);
    if found.is_dir() {
        let message = format!("`{shown}` is a directory, not a script");
        return Some(Problem::warning("script-is-a-directory", message).help("name the file in it"));
    }
    if let Some(problem) = without_interpreter(script, path) {
        return Some(problem);
    }
    if script.direct && !is_executable(found) {
        let message = format!("the script `{shown}` is not executable: the hook fails");
        let help = format!("chmod +x {}", quoted(&path.to_string_lossy()));
        let fix = ScriptFix::MakeExecutable(path.to_owned());
        return Some(Problem::warning("script-not-executable", message).help(help).script_fix(fix));
    }
    None
}

/// Started by itself, a file without a first line `#!…` is read by a shell:
/// making it executable would not help a program in another language.
fn without_interpreter(script: &Script, path: &Path) -> Option<Problem> {
    const INTERPRETERS: [(&str, &str); 6] =
        [("py", "python3"), ("js", "node"), ("mjs", "node"), ("cjs", "node"), ("rb", "ruby"), ("pl", "perl")];
    let extension = path.extension()?;
    let (_, interpreter) =
        INTERPRETERS.iter().find(|(end, _)| extension == *end).filter(|_| script.direct)?;
    let text = script_text::text_of(&NamedScript { path: path.to_owned(), direct: true })?;
    if script_text::shebang(&text).is_some() {
        return None;
    }
    let shown = excerpt(&script.words[script.index].value);
    let message = format!("the script `{shown}` does not say who runs it: a shell would read it");
    let help = format!("write {interpreter} {shown}, or begin the script with #!/usr/bin/env {interpreter}");
    Some(Problem::warning("script-without-interpreter", message).help(help))
}

fn missing(definition: &Definition, script: &Script, path: &Path, places: &Places) -> Problem {
    let word = &script.words[script.index];
    let shown = excerpt(&word.value);
    if let Some(problem) = cut_at_a_space(definition, script, places) {
        return problem;
    }
    if let Some(other) = elsewhere(&word.value, places) {
        let message = format!(
            "the script `{shown}` is not in {}, where this hook runs",
            places.scope.run_dir.display()
        );
        let problem = Problem::warning("script-elsewhere", message).help(format!("write {other}"));
        return repaired(problem, definition, script, word.bytes.clone(), &quoted(&other));
    }
    if word.quoted && word.value.starts_with("~/") {
        let message = format!("in quotes the shell does not expand the `~` of `{shown}`");
        let help = format!("write \"$HOME/{}\"", word.value.trim_start_matches("~/"));
        return Problem::warning("quoted-tilde", message).help(help);
    }
    let message = format!("the script `{shown}` does not exist: the hook fails");
    Problem::warning("script-not-found", message).help(format!("looked for {}", path.display()))
}

/// A path that goes on behind a space, and names a file then.
fn cut_at_a_space(definition: &Definition, script: &Script, places: &Places) -> Option<Problem> {
    let word = &script.words[script.index];
    let whole = word.bytes.start..with_spaces(script, places)?;
    let correct = quoted(&script.command[whole.clone()]);
    let message = format!("the shell ends this path at its first space: it runs `{}`", excerpt(&word.value));
    let problem = Problem::warning("path-with-space", message).help(format!("write {}", in_json(&correct)));
    Some(repaired(problem, definition, script, whole, &correct))
}

/// A bare file name is looked for on PATH, even when the file stands right here.
fn not_on_path(definition: &Definition, script: &Script, places: &Places) -> Option<Problem> {
    if let Some(problem) = cut_at_a_space(definition, script, places) {
        return Some(placed(definition, problem));
    }
    let word = &script.words[script.index];
    let is_script =
        [".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl"].iter().any(|end| word.value.ends_with(end));
    if !is_script || !word.literal || !places.scope.run_dir.join(&word.value).is_file() {
        return None;
    }
    let (shown, correct) = (excerpt(&word.value), format!("./{}", word.value));
    let message = format!("the shell looks for `{shown}` on PATH, not in the directory this hook runs in");
    let problem = Problem::warning("script-not-on-path", message).help(format!("write {correct}"));
    Some(placed(definition, repaired(problem, definition, script, word.bytes.clone(), &quoted(&correct))))
}

impl Places<'_> {
    /// The file a word names, if the shell does not make it something else.
    fn path_of(&self, word: &Word) -> Option<PathBuf> {
        let value = word.value.as_str();
        // In quotes a `~` is a letter like any other.
        let expanded = !word.literal || (value.starts_with("~/") && !word.quoted);
        let plain = if expanded { trust::expand(value, self.scope)? } else { value.to_owned() };
        let unknown = expanded && plain.contains(['$', '`', '*', '?', '[', '{']);
        (!unknown && !has_drive(value)).then(|| self.scope.run_dir.join(plain))
    }
}

/// `C:\…` means something on another system only.
fn has_drive(value: &str) -> bool {
    matches!(value.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Which word names the script, and whether the shell starts it itself.
pub(super) fn script_word(words: &[Word]) -> Option<(usize, bool)> {
    const PREFIXES: [&str; 5] = ["exec", "env", "nohup", "time", "command"];
    let mut first = 0;
    while is_assignment(&words.get(first)?.value) || PREFIXES.contains(&words[first].value.as_str()) {
        first += 1;
    }
    // `command -v x`, `env -i x`: the words behind an option cannot be told apart.
    if words[first].value.starts_with('-') {
        return None;
    }
    let name = words[first].value.rsplit('/').next().unwrap_or_default();
    let rest = &words[first + 1..];
    let offset = match name {
        "bash" | "sh" | "zsh" | "dash" | "node" | "python" | "python3" | "ruby" | "perl" | "tsx" => {
            interpreted(rest)?
        }
        "bun" | "deno" => 1 + interpreted(behind(rest, "run")?)?,
        "pwsh" | "powershell" => 1 + rest.iter().position(|word| word.value.eq_ignore_ascii_case("-file"))?,
        _ => return Some((first, true)),
    };
    (offset < rest.len()).then_some((first + 1 + offset, false))
}

/// The first word that is no option, unless an option brings the program itself.
fn interpreted(words: &[Word]) -> Option<usize> {
    let index = words.iter().position(|word| !word.value.starts_with('-'))?;
    let brings = |word: &Word| {
        let option = word.value.as_str();
        matches!(option, "-m" | "-" | "--eval" | "--print" | "--import" | "--require" | "-r")
            || (!option.starts_with("--") && option.ends_with(['c', 'e', 'p']))
    };
    (!words[..index].iter().any(brings)).then_some(index)
}

/// The words behind a subcommand.
fn behind<'w>(words: &'w [Word], subcommand: &str) -> Option<&'w [Word]> {
    words.split_first().filter(|(first, _)| first.value == subcommand).map(|(_, rest)| rest)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    name.len() < word.len()
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Where the path ends, if it goes on behind a space and names a file then.
fn with_spaces(script: &Script, places: &Places) -> Option<usize> {
    let start = script.words[script.index].bytes.start;
    let ends = script.words[script.index + 1..].iter().take(TRIED).map(|word| word.bytes.end);
    ends.into_iter().find(|end| {
        let value = script.command[start..*end].to_owned();
        let literal = !value.contains(['$', '`', '*', '?', '[', '{', '"', '\'', '\\']);
        let whole = Word { value, bytes: start..*end, literal, quoted: false };
        places.path_of(&whole).is_some_and(|path| path.is_file())
    })
}

/// Where a script is that was looked for in the wrong directory: project hooks
/// run in the project, user hooks in `~/.cursor`, and people mix them up.
fn elsewhere(value: &str, places: &Places) -> Option<String> {
    if value.starts_with(['/', '~']) {
        return None;
    }
    let bare = value.trim_start_matches("./");
    let candidates =
        [Some(format!(".cursor/{bare}")), bare.strip_prefix(".cursor/").map(|rest| format!("./{rest}"))];
    candidates.into_iter().flatten().find(|candidate| places.scope.run_dir.join(candidate).is_file())
}

fn repaired(
    problem: Problem,
    definition: &Definition,
    script: &Script,
    bytes: std::ops::Range<usize>,
    correct: &str,
) -> Problem {
    let Some(place) = &definition.action_place else { return problem };
    let command = format!("{}{correct}{}", &script.command[..bytes.start], &script.command[bytes.end..]);
    let literal = serde_json::Value::String(command).to_string();
    problem.fix(Fix::replace(place.bytes.clone(), literal))
}

/// A piece of a command as it is written inside a JSON string.
fn in_json(text: &str) -> String {
    let literal = serde_json::Value::from(text).to_string();
    literal[1..literal.len() - 1].to_owned()
}

/// A path as one word of a command line; a `~` must stay outside the quotes.
fn quoted(path: &str) -> String {
    if !path.contains(|c: char| c.is_whitespace() || "\"'\\$`;&|<>()*?[]{}#!".contains(c)) {
        return path.to_owned();
    }
    let (tilde, rest) = path.strip_prefix("~/").map_or(("", path), |rest| ("~/", rest));
    if rest.contains(['"', '\\', '$', '`', '!']) {
        format!("{tilde}'{}'", rest.replace('\'', r"'\''"))
    } else {
        format!("{tilde}\"{rest}\"")
    }
}

pub(super) fn placed(definition: &Definition, mut problem: Problem) -> Problem {
    problem.place = definition.action_place.clone().or_else(|| definition.place.clone());
    problem
}

#[cfg(unix)]
fn is_executable(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_found: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
#[path = "scripts_tests.rs"]
mod tests;
