//! Lines whose words do not say what they change: their text is searched for what is protected.
//!
//! The more open a line is, the less of a protected path must be in it. Code of another language asks when a path
//! in it leads to what is protected; so does a line in which a program that changes files gets a word that another
//! command prints. A line that cannot be read asks when the names of a protected path below the home are in it.
//! Where relative paths may start from anywhere, one such name is enough.

use super::Touched;
use super::command::{Judge, changes_nothing};
use super::effects::asks_for_program;
use super::options::{has_letter, has_long, has_word, is_partly_unknown, operands};
use super::programs::{self, CARRIERS, COPIERS, changes_files, is_interpreter, is_shell};
use super::targets::{Mention, Reach};
use crate::rule::shell::{Command, Piece, Word, runs_others};

/// So many look-ups of a word from a directory; what is left is searched by names alone.
const MAX_LOOKUPS: usize = 4_000;
/// Commands whose output is never a path that a line chose.
const PLAIN_OUTPUTS: [&str; 8] = ["date", "mktemp", "nproc", "uname", "whoami", "hostname", "id", "arch"];

/// What a line that is in doubt may change.
pub(super) fn touched(judge: &Judge<'_>) -> Option<Touched> {
    let commands = &judge.reading.commands;
    let some = |test: &dyn Fn(&Command) -> bool| commands.iter().any(test);
    let changes = |command: &Command| !changes_nothing(command) && !feeds(command);
    let whole = Search { judge, text: judge.line };
    if some(&asks_for_program) && some(&removes_or_writes_unknown) {
        let place = "the path of boathook".to_owned();
        return Some(Touched { what: "Boathook's program", place });
    }
    let in_code = commands.iter().find_map(|command| whole.in_code_of(command));
    if in_code.is_some() {
        return in_code;
    }
    let prints_names = some(&feeds) || substitutes(judge.line);
    let changes_by_name = |command: &Command| is_changer(command) && !command.words.is_empty();
    let gets_unknown = |command: &Command| gets_unknown_word(command);
    if (prints_names && some(&gets_unknown)) || (some(&feeds) && some(&changes_by_name)) {
        let found = whole.named();
        if found.is_some() {
            return found;
        }
    }
    // `rm $d/.cursor/hooks.json`: the unknown part may lead home.
    if let Some(found) = commands.iter().find_map(|command| unknown_prefix(judge, command)) {
        return Some(found);
    }
    if judge.reading.unclear.is_some() && !is_local(judge.line) {
        let found = whole.named().or_else(|| judge.targets.mentioned(judge.line, Mention::Names));
        if found.is_some() {
            return found;
        }
    }
    let links = |command: &Command| leads_to_targets(judge, command);
    if (judge.is_open && some(&changes))
        || (some(&links) && commands.iter().filter(|it| changes(it)).count() > 1)
    {
        return judge.targets.mentioned(judge.line, Mention::AnyName);
    }
    None
}

/// A text in which paths are looked for.
pub(super) struct Search<'a> {
    pub judge: &'a Judge<'a>,
    pub text: &'a str,
}

impl Search<'_> {
    /// A protected path that the text names: as a whole, behind a word for the home, or by a path that leads there.
    pub(super) fn named(&self) -> Option<Touched> {
        self.judge.targets.mentioned(self.text, Mention::WithHome).or_else(|| self.by_words())
    }

    fn by_words(&self) -> Option<Touched> {
        let is_part = |c: char| c.is_alphanumeric() || "/.~-_*?[]@+%".contains(c);
        let mut words: Vec<&str> =
            self.text.split(|c: char| !is_part(c)).filter(|word| is_path(word)).collect();
        words.sort_unstable();
        words.dedup();
        let each = self.judge.place.directories.len().max(1);
        words.truncate(MAX_LOOKUPS / each);
        words.into_iter().find_map(|text| {
            // A removal reaches what is below, but a home or a root alone says too little.
            let reach = if text.trim_matches(['/', '~', '.']).is_empty() { Reach::Path } else { Reach::Tree };
            self.judge.word(&pattern_word(text), reach)
        })
    }

    /// What the code of an interpreter names, in its arguments or its input.
    fn in_code_of(&self, command: &Command) -> Option<Touched> {
        let program = command.program()?;
        if is_interpreter(program) && !is_shell(program) {
            let by_options = has_letter(command, &['c', 'e', 'E', 'r', 'p', 'n'])
                || has_long(command, &["eval", "print", "run", "command"])
                || has_word(command, &["eval"]);
            let by_input = operands(command).is_empty() || has_word(command, &["-"]);
            if !by_options && !by_input {
                return None;
            }
            let code = command.args().iter().map(Word::text).collect::<Vec<_>>().join("\n");
            let own = Search { judge: self.judge, text: &code };
            let found = own.named();
            // A path may also come from the input or a variable.
            return found.or_else(|| if by_options && only_prints(&code) { None } else { self.named() });
        }
        let takes_input = programs::RUNS_INPUT.contains(&program) && self.judge.line.contains("<<");
        if takes_input { self.named() } else { None }
    }
}

/// A text with its wildcards.
fn pattern_word(text: &str) -> Word {
    let mut word = Word::default();
    for character in text.chars() {
        match character {
            '*' | '?' | '[' => word.pieces.push(Piece::Mark(character)),
            other => word.push(other),
        }
    }
    word
}

fn is_path(word: &str) -> bool {
    word.len() > 1 && !word.bytes().all(|byte| byte.is_ascii_digit()) && !word.starts_with("//")
}

/// Python that reads JSON from its input and prints: it cannot open a file.
fn only_prints(code: &str) -> bool {
    const MODULES: [&str; 9] =
        ["json", "sys", "re", "collections", "pprint", "textwrap", "itertools", "datetime", "math"];
    const FORBIDDEN: [&str; 12] = [
        "open",
        "exec",
        "eval",
        "getattr",
        "setattr",
        "compile",
        "globals",
        "vars",
        "locals",
        "importlib",
        "modules",
        "breakpoint",
    ];
    let words: Vec<&str> = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
    let is_forbidden = |word: &&str| FORBIDDEN.contains(word) || word.starts_with("__");
    let imports = code.split([';', '\n']).map(str::trim).filter_map(|it| it.strip_prefix("import "));
    let mut modules = imports.flat_map(|it| it.split(',')).map(str::trim);
    code.contains("import ")
        && !code.contains("from ")
        && code.matches("import").count()
            == code.split([';', '\n']).filter(|it| it.trim().starts_with("import ")).count()
        && modules.all(|module| MODULES.contains(&module))
        && !words.iter().any(is_forbidden)
}

/// A program that makes arguments of what it reads.
fn feeds(command: &Command) -> bool {
    command.program().is_some_and(|program| {
        matches!(program, "xargs" | "gxargs" | "parallel" | "read" | "mapfile" | "readarray")
    })
}

fn is_changer(command: &Command) -> bool {
    command.program().is_none_or(|program| {
        changes_files(program)
            || is_in_place(command)
            || (!runs_others(program)
                && !programs::is_reader(program)
                && !CARRIERS.contains(&program)
                && program != "git")
    })
}

fn is_in_place(command: &Command) -> bool {
    command.program().is_some_and(|program| programs::TEXT_TOOLS.contains(&program))
        && has_letter(command, &['i'])
}

/// Whether a command changes a file whose name is known only when the line runs, or goes to such a directory.
fn gets_unknown_word(command: &Command) -> bool {
    let mut written = command.redirects.iter().filter(|it| it.writes).map(|it| &it.target);
    if written.any(is_partly_unknown) {
        return true;
    }
    let Some(program) = command.program() else { return !command.words.is_empty() };
    let operands = operands(command);
    let by_last = COPIERS.contains(&program);
    let mut words = operands.iter().skip(if by_last { operands.len().saturating_sub(1) } else { 0 });
    let counts = changes_files(program) || is_in_place(command) || matches!(program, "cd" | "pushd");
    counts && words.any(|word| is_partly_unknown(word))
}

fn removes_or_writes_unknown(command: &Command) -> bool {
    let program = command.program().unwrap_or_default();
    let by_last =
        COPIERS.contains(&program) && operands(command).last().is_some_and(|it| !is_partly_unknown(it));
    let redirects = command.redirects.iter().any(|it| it.writes && is_partly_unknown(&it.target));
    let changes = !programs::is_reader(program)
        && program != super::command::PROGRAM
        && !runs_others(program)
        && program != "git";
    redirects || (changes && !by_last && command.args().iter().any(is_partly_unknown))
}

/// Whether another command prints a part of the line, apart from those that print no path.
fn substitutes(line: &str) -> bool {
    let is_plain = |body: &str| {
        let body = body.split(')').next().unwrap_or_default();
        let program = body.split_whitespace().next().unwrap_or_default();
        PLAIN_OUTPUTS.contains(&program) && !body.contains(['/', '$', '.', '`', '\\'])
    };
    let opens = line.match_indices("$(").map(|(at, _)| &line[at + 2..]);
    let arithmetic = |body: &&str| body.starts_with('(');
    opens.filter(|body| !arithmetic(body)).any(|body| !is_plain(body))
        || line.contains('`')
        || line.contains("<(")
}

/// A changed file below a directory that is not known, by the names at the end of its path.
fn unknown_prefix(judge: &Judge<'_>, command: &Command) -> Option<Touched> {
    let program = command.program().unwrap_or_default();
    let operands = operands(command);
    let skipped = if COPIERS.contains(&program) { operands.len().saturating_sub(1) } else { 0 };
    let named = operands.into_iter().skip(skipped).filter(|_| changes_files(program) || is_in_place(command));
    let written = command.redirects.iter().filter(|it| it.writes).map(|it| &it.target);
    let mut words = written.chain(named).flat_map(|word| std::iter::once(word).chain(&word.choices));
    words.find_map(|word| {
        let is_empty = |piece: &Piece| matches!(piece, Piece::Text(text) if text.is_empty());
        let from = word.pieces.iter().position(|piece| !is_empty(piece))?;
        let (first, rest) = word.pieces[from..].split_first()?;
        let is_open = !matches!(first, Piece::Text(text) if !text.starts_with("~-"));
        let mut end = Word::default();
        end.pieces = if matches!(first, Piece::Text(_)) { word.pieces.clone() } else { rest.to_vec() };
        let rest = end.text();
        judge.targets.ends_with(rest.trim_start_matches("~-")).filter(|_| is_open)
    })
}

/// A link or a mount of a directory that holds what is protected.
fn leads_to_targets(judge: &Judge<'_>, command: &Command) -> bool {
    let is_copy = matches!(command.program(), Some("cp")) && has_letter(command, &['s']);
    let links = is_copy || matches!(command.program(), Some("ln" | "link"));
    links && operands(command).iter().any(|word| judge.word(word, Reach::Tree).is_some())
}

/// Whether a line that cannot be read for one word of it still names files of the project alone: no other
/// directory, no escape, and nothing that makes text.
fn is_local(line: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./$\"'{} =:,@*;&-".contains(c);
    let words = || line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    line.chars().all(is_plain)
        && !line.contains("..")
        && !words().any(|word| matches!(word, "cd" | "eval" | "source" | "pushd"))
        && !line
            .split_whitespace()
            .any(|word| word.trim_start_matches(['"', '\'']).starts_with('/') || word == ".")
}
