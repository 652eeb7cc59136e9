//! What a shell command of an agent would change.
//!
//! Redirections count for every program. Programs that only read never ask, those that remove or rename reach
//! everything below a path, and a program that is not known asks when an argument is a protected path. Texts that are
//! not read as commands (code behind `python -c`, a here-document, what is `eval`ed) ask when they name a protected
//! path. What a script does that the agent wrote before and starts now is not seen.

use std::path::PathBuf;

use super::Touched;
use super::targets::{Reach, Targets};
use super::word::Place;
use crate::rule::Look;
use crate::rule::declared::TextGlob;
use crate::rule::shell::{Command, Reading, Word, runs_others};

const PROGRAM: &str = "boathook";
const SETTINGS_COMMAND: &str = "what Boathook trusts, connects or protects";
/// More directories that a line changes into are not followed.
const MAX_DIRECTORIES: usize = 8;

/// Programs that change no file that they are given.
#[rustfmt::skip] // a list of short words
const READERS: &[&str] = &[
    "cat", "ls", "grep", "egrep", "fgrep", "rg", "ag", "head", "tail", "less", "more", "bat", "stat", "file", "wc", "diff", "cmp",
    "jq", "yq", "test", "[", "[[", "echo", "printf", "cd", "pushd", "popd", "pwd", "du", "df", "tree", "realpath", "readlink", "basename",
    "dirname", "uniq", "cut", "tr", "xxd", "od", "hexdump", "strings", "which", "type", "whereis", "sha256sum", "sha1sum", "md5sum",
    "shasum", "cksum", "nl", "tac", "rev", "column", "fold", "fmt", "paste", "join", "comm", "true", "false", ":", "exit", "return",
    "export", "set", "unset", "declare", "local", "typeset", "readonly", "read", "mapfile", "sleep", "date", "id", "whoami", "uname",
    "open", "xdg-open", "lsattr", "getfacl", "namei", "pgrep", "ps", "lsof", "md5", "base64", "ll", "dir", "vdir", "eza", "exa", "lsd",
    "shellcheck", "prettier", "mkdir",
];
/// Programs that remove or rename what they are given, with everything below it.
const REMOVERS: [&str; 10] =
    ["rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "del", "erase", "wipe"];
/// Programs that change who may read or write what they are given.
const MODES: [&str; 5] = ["chmod", "chown", "chgrp", "chattr", "setfacl"];
/// Programs that write their last argument, or the directory behind `-t`.
const COPIERS: [&str; 5] = ["cp", "install", "rsync", "scp", "gcp"];
/// Programs that run code from their arguments or their input.
#[rustfmt::skip] // a list of short words
const INTERPRETERS: [&str; 18] = [
    "python", "python2", "python3", "node", "nodejs", "perl", "ruby", "php", "deno", "bun", "lua", "tclsh", "expect", "osascript",
    "sh", "bash", "zsh", "dash",
];
/// Commands of ours that change what decides, with the arguments that make them harmless.
const OUR_VERBS: [(&[&str], &[&str]); 12] = [
    (&["unlock"], &["--status"]),
    (&["trust"], &["--status"]),
    (&["agent", "install"], &["--dry-run"]),
    (&["agent", "uninstall"], &["--dry-run"]),
    (&["team", "login"], &[]),
    (&["team", "logout"], &[]),
    (&["team", "admin"], &[]),
    (&["team", "bundle"], &[]),
    (&["daemon", "install"], &[]),
    (&["daemon", "uninstall"], &[]),
    (&["daemon", "stop"], &[]),
    (&["doctor"], &[]),
];

/// What a command line would change.
pub(super) fn touched<'t>(
    line: &str,
    look: &Look<'_>,
    place: &Place<'_>,
    targets: &dyn Fn() -> &'t Targets,
) -> Option<Touched> {
    let line = &place.with_known_variables(line);
    let reading = look.commands(line);
    if reading.commands.iter().all(changes_nothing) && reading.unclear.is_none() {
        return None;
    }
    let place = Place { home: place.home, directories: directories(&reading, place) };
    let judge = Judge { place: &place, targets: targets() };
    let by_command = reading.commands.iter().find_map(|command| judge.command(command));
    by_command.or_else(|| judge.text(line, &reading))
}

fn changes_nothing(command: &Command) -> bool {
    let writes = command.redirects.iter().any(|redirect| redirect.writes);
    !writes
        && (command.words.is_empty() || command.program().is_some_and(|program| READERS.contains(&program)))
}

/// Where relative paths may start: where the command runs, and every directory that the line changes into.
fn directories(reading: &Reading, place: &Place<'_>) -> Vec<PathBuf> {
    let mut found = place.directories.clone();
    let goes_home = |command: &Command| command.program() == Some("cd") && command.args().is_empty();
    if reading.commands.iter().any(goes_home) {
        found.push(place.home.to_owned());
    }
    let moves: Vec<&Word> = reading.commands.iter().filter_map(changed_directory).collect();
    // A relative `cd` starts from an earlier one, and commands come in no particular order.
    for _ in 0..moves.len().min(MAX_DIRECTORIES) {
        let from = Place { home: place.home, directories: found.clone() };
        for path in moves.iter().flat_map(|word| from.paths(word)) {
            if !found.contains(&path) && found.len() < MAX_DIRECTORIES {
                found.push(path);
            }
        }
    }
    found
}

fn changed_directory(command: &Command) -> Option<&Word> {
    match command.program()? {
        "cd" | "pushd" | "chdir" => operands(command).into_iter().next(),
        "git" | "make" | "env" | "cargo" => behind(command, "-C"),
        _ => None,
    }
}

/// The arguments that are not options.
fn operands(command: &Command) -> Vec<&Word> {
    let mut only_operands = false;
    let is_operand = |word: &&Word| {
        let text = word.text();
        if text == "--" && !only_operands {
            only_operands = true;
            return false;
        }
        only_operands || !(text.len() > 1 && text.starts_with('-'))
    };
    command.args().iter().filter(is_operand).collect()
}

fn behind<'c>(command: &'c Command, option: &str) -> Option<&'c Word> {
    let at = command.args().iter().position(|word| word.text() == option)?;
    command.args().get(at + 1)
}

fn has_letter(command: &Command, letters: &[char]) -> bool {
    let options = command.args().iter().map(Word::text).filter(|text| text.starts_with('-'));
    options.into_iter().any(|text| !text.starts_with("--") && text.contains(letters))
}

fn has_option(command: &Command, names: &[&str]) -> bool {
    command.args().iter().any(|word| names.contains(&word.text().as_str()))
}

struct Judge<'a> {
    place: &'a Place<'a>,
    targets: &'a Targets,
}

impl Judge<'_> {
    fn command(&self, command: &Command) -> Option<Touched> {
        let mut written = command.redirects.iter().filter(|redirect| redirect.writes);
        if let Some(touched) = written.find_map(|redirect| self.word(&redirect.target, Reach::Path)) {
            return Some(touched);
        }
        let program = command.program()?;
        let operands = operands(command);
        let all = |reach| operands.iter().find_map(|word| self.word(word, reach));
        match program {
            PROGRAM => our_verb(command),
            "sed" | "gsed" | "perl" if has_letter(command, &['i']) || has_prefix(command, "--in-place") => {
                all(Reach::Path)
            }
            "sed" | "gsed" | "awk" | "gawk" => None,
            "sort" => behind(command, "-o").and_then(|word| self.word(word, Reach::Path)),
            "find" | "gfind" | "fd" => self.find(command),
            "mv" | "rename" => all(Reach::Tree).or_else(|| self.copy(command, &operands, true)),
            "ln" | "link" => all(Reach::Path).or_else(|| self.copy(command, &operands, false)),
            "tar" | "bsdtar" | "unzip" | "7z" | "cpio" => self.unpack(command),
            _ if REMOVERS.contains(&program) => all(Reach::Tree),
            _ if MODES.contains(&program) => {
                let recursive = has_letter(command, &['R']) || has_option(command, &["--recursive"]);
                all(if recursive { Reach::Tree } else { Reach::Directory })
            }
            _ if COPIERS.contains(&program) => self.copy(command, &operands, false),
            _ if READERS.contains(&program) => None,
            _ if INTERPRETERS.contains(&program) => {
                // The script that is started is read, not written.
                operands.iter().skip(1).find_map(|word| self.word(word, Reach::Path))
            }
            _ if runs_others(program) => None,
            _ => command.args().iter().find_map(|word| self.argument(word)),
        }
    }

    fn word(&self, word: &Word, reach: Reach) -> Option<Touched> {
        self.place.touched(word, reach, self.targets)
    }

    /// An argument of a program that is not known: a path, or one behind `name=` or an option's letter.
    fn argument(&self, word: &Word) -> Option<Touched> {
        self.word(word, Reach::Path).or_else(|| {
            let text = word.known()?;
            let value = text.split_once('=').map(|(_, value)| value);
            let glued =
                text.strip_prefix('-').and_then(|rest| rest.get(1..)).filter(|rest| rest.contains('/'));
            let mut values = value.into_iter().chain(glued);
            values.find_map(|text| self.place.touched_text(text, Reach::Path, self.targets))
        })
    }

    /// The destination of a copy: itself, and what the sources are called inside of it.
    fn copy(&self, command: &Command, operands: &[&Word], moves: bool) -> Option<Touched> {
        let program = command.program().unwrap_or_default();
        let named = ["-t", "--target-directory"].iter().find_map(|option| behind(command, option));
        let glued = command
            .args()
            .iter()
            .find_map(|word| word.known()?.strip_prefix("--target-directory=").map(Word::literal));
        let (target, sources) = match (glued.as_ref().or(named), operands.split_last()) {
            (Some(target), _) => (target, operands),
            (None, Some((last, sources))) if !sources.is_empty() => (*last, sources),
            _ => return None,
        };
        let recursive = moves || program == "rsync" || has_letter(command, &['r', 'R', 'a']);
        let reach = if recursive { Reach::Tree } else { Reach::Path };
        let inside = |source: &&Word| {
            let text = source.text();
            let contents =
                text.ends_with("/.") || (program == "rsync" && text.ends_with('/')) || text.ends_with('*');
            if contents {
                return self.word(target, Reach::Directory);
            }
            let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let mut below = target.clone();
            below.push_text(&format!("/{name}"));
            self.word(&below, reach)
        };
        self.word(target, Reach::Path).or_else(|| sources.iter().find_map(inside))
    }

    /// Where an archive is unpacked, and the archive that is written.
    fn unpack(&self, command: &Command) -> Option<Touched> {
        let folders = ["-C", "--directory", "-d"].iter().filter_map(|option| behind(command, option));
        let into = folders.into_iter().find_map(|word| self.word(word, Reach::Directory));
        let creates = has_letter(command, &['c']) || has_option(command, &["--create", "a"]);
        into.or_else(|| {
            behind(command, "-f").filter(|_| creates).and_then(|word| self.word(word, Reach::Path))
        })
    }

    /// The directories that `find` starts from, where it removes or runs something that is not a reader.
    fn find(&self, command: &Command) -> Option<Touched> {
        let args = command.args();
        let text_at = |at: usize| args.get(at).map(Word::text).unwrap_or_default();
        let runs =
            args.iter().position(|word| matches!(word.text().as_str(), "-exec" | "-execdir" | "-ok" | "-x"));
        let harmful = runs.is_some_and(|at| !READERS.contains(&text_at(at + 1).as_str()));
        if !harmful && !has_option(command, &["-delete", "-fprint", "-fprintf"]) {
            return None;
        }
        let starts = args.iter().take_while(|word| !word.text().starts_with(['-', '(', '!']));
        let name = ["-name", "-iname"].iter().find_map(|option| behind(command, option));
        starts.into_iter().find_map(|start| {
            let Some(name) = name else { return self.word(start, Reach::Tree) };
            // With a name, only files of that name in directories that are protected are reached.
            let known =
                ["hooks.json", "hooks", "managed", "config.toml", PROGRAM, ".cursor", ".config", ".local"];
            let pattern = name.text();
            let may_be = known.iter().any(|known| TextGlob::new(&pattern).matches(known));
            self.word(start, if may_be { Reach::Tree } else { Reach::Path })
        })
    }

    /// Texts that are not read as commands, where something in the line changes files.
    fn text(&self, line: &str, reading: &Reading) -> Option<Touched> {
        let is = |command: &Command, names: &[&str]| command.program().is_some_and(|it| names.contains(&it));
        let runs_code = |command: &Command| is(command, &INTERPRETERS) && has_code(command);
        let feeds = |command: &Command| is(command, &["xargs", "gxargs", "parallel"]);
        let some = |test: &dyn Fn(&Command) -> bool| reading.commands.iter().any(test);
        let other = |command: &Command| !changes_nothing(command) && !feeds(command);
        if !(reading.unclear.is_some()
            || some(&runs_code)
            || (some(&feeds) && some(&other))
            || some(&asks_for_program))
        {
            return None;
        }
        if some(&asks_for_program) && some(&removes_or_writes) {
            let place = format!("the path of {PROGRAM}");
            return Some(Touched { what: "Boathook's program", place });
        }
        let verbs = ["unlock", "trust", "uninstall", "logout"];
        let calls_us = line.contains(PROGRAM) && verbs.iter().any(|verb| line.contains(verb));
        if calls_us && some(&runs_code) {
            return Some(Touched { what: SETTINGS_COMMAND, place: PROGRAM.to_owned() });
        }
        if some(&runs_code) || some(&feeds) || reading.unclear.is_some() {
            return self.targets.mentioned(line);
        }
        None
    }
}

fn has_prefix(command: &Command, prefix: &str) -> bool {
    command.args().iter().any(|word| word.text().starts_with(prefix))
}

/// Whether an interpreter runs code from its arguments or its input rather than a script.
fn has_code(command: &Command) -> bool {
    let options = ["-c", "-e", "-r", "-p", "-E", "--eval", "--print", "eval", "-"];
    let is_shell = matches!(command.program(), Some("sh" | "bash" | "zsh" | "dash"));
    // What a shell gets behind `-c` is read as commands.
    !is_shell && (has_option(command, &options) || operands(command).is_empty())
}

/// `which boathook`, whose output another command may change.
fn asks_for_program(command: &Command) -> bool {
    let looks =
        matches!(command.program(), Some("which" | "type" | "whereis" | "command" | "realpath" | "readlink"));
    looks && command.args().iter().any(|word| word.text() == PROGRAM)
}

fn removes_or_writes(command: &Command) -> bool {
    let program = command.program().unwrap_or_default();
    let unknown = |word: &Word| word.known().is_none();
    let writes = command.redirects.iter().any(|redirect| redirect.writes && unknown(&redirect.target));
    let changes = !READERS.contains(&program) && program != PROGRAM && !runs_others(program);
    writes || (changes && command.args().iter().any(unknown))
}

/// A command of ours that changes what decides.
fn our_verb(command: &Command) -> Option<Touched> {
    // Options of every command may come first; their values are not verbs.
    let words: Vec<String> = command.args().iter().map(Word::text).collect();
    let is_verb = |(verbs, harmless): &&(&[&str], &[&str])| {
        let found =
            words.windows(verbs.len()).any(|some| some.iter().map(String::as_str).eq(verbs.iter().copied()));
        let repairs = verbs[0] != "doctor" || words.iter().any(|word| word == "--fix");
        found
            && repairs
            && !words.iter().any(|word| harmless.contains(&word.as_str()) || word == "--help" || word == "-h")
    };
    let unknown = command.args().first().is_some_and(|word| word.known().is_none());
    let (verbs, _) = OUR_VERBS.iter().find(is_verb).or(unknown.then_some(&OUR_VERBS[0]))?;
    Some(Touched { what: SETTINGS_COMMAND, place: format!("{PROGRAM} {}", verbs.join(" ")) })
}
