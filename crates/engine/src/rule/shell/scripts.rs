//! Shells and interpreters: where the program that they run comes from.

use super::grammar::Stdin;
use super::inner::{Around, Input, Inside, add_command, read_into};
use super::options::{OptionValue, option_value};
use super::word::{Piece, Word};
use super::wrappers::Interpreter;
use super::{Command, Reading};

/// Where a file with this name leads.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OpenFile {
    /// The standard input under one of its names.
    StandardInput,
    /// Another file that is open already, or one whose name is not known.
    Other,
    /// A file of its own.
    Regular,
}

impl Inside<'_, '_> {
    pub(super) fn shell(&mut self) {
        let (mut at, mut reads_text, mut reads_input, mut prompts) = (1, false, false, false);
        // A word of which nothing is known may be empty, or the script.
        let mut unknown_word = None;
        while let Some(word) = self.words.get(at) {
            let Some(text) = word.known() else {
                let is_made_here = !word.choices.is_empty() || word.pieces.contains(&Piece::Any);
                if reads_text || is_made_here || !word.is_unknown() {
                    break;
                }
                unknown_word = unknown_word.or(Some(word));
                at += 1;
                continue;
            };
            match text.as_str() {
                "--version" | "--help" => return,
                "--" | "-" => {
                    at += 1;
                    break;
                }
                "--rcfile" | "--init-file" => {
                    if let Some(word) = self.words.get(at + 1).cloned() {
                        self.script(&word);
                    }
                    at += 1;
                }
                // fish and some others have it as a long option.
                _ if text.starts_with("--comm") => {
                    match option_value(&text, at, '\0', &["command"]) {
                        Some(OptionValue::Glued(line)) => self.read(&line),
                        _ => self.text_at(at + 1),
                    }
                    return;
                }
                _ if text.starts_with("--") => {}
                _ if text.starts_with(['-', '+']) && text.len() > 1 => {
                    reads_text |= text.starts_with('-') && text.contains('c');
                    reads_input |= text.starts_with('-') && text.contains('s');
                    prompts |= text.starts_with('-') && text.contains('i');
                    // Each `o` takes a word of its own, wherever it stands.
                    at += text.matches(['o', 'O']).count();
                }
                _ => break,
            }
            at += 1;
        }
        if let Some(word) = unknown_word.filter(|_| !reads_text) {
            if *self.stdin != Stdin::Inherited {
                self.lines_of_input();
            }
            return self.script(word);
        }
        match self.words.get(at) {
            _ if reads_text => {
                self.arguments = self.words.get(at + 1..).unwrap_or_default();
                self.text_at(at);
                self.is_interactive = prompts;
            }
            None => {
                self.is_interactive = prompts || *self.stdin == Stdin::Inherited;
                self.lines_of_input();
            }
            Some(_) if reads_input => {
                self.arguments = &self.words[at..];
                self.lines_of_input();
            }
            // It may be an option: what is not known of it may be empty.
            Some(word)
                if word.known().is_none() && word.text().trim_start_matches('…').starts_with(['-', '+']) =>
            {
                self.unknown_text()
            }
            Some(word) if !word.choices.is_empty() || word.pieces.contains(&Piece::Any) => {
                self.unknown_text();
            }
            Some(word) => {
                self.arguments = &self.words[at..];
                self.script(word);
            }
        }
    }

    /// A script's text stands in its file, which is not looked at; one that a
    /// command writes for the occasion has none.
    fn script(&mut self, word: &Word) {
        match self.open_file(word) {
            OpenFile::StandardInput => self.lines_of_input(),
            OpenFile::Other => self.unknown_text(),
            OpenFile::Regular => self.reading.scripts.extend(word.known()),
        }
    }

    pub(super) fn source(&mut self) {
        let at = self.behind_dashes();
        if let Some(word) = self.words.get(at) {
            self.arguments = self.words.get(at + 1..).unwrap_or_default();
            self.script(word);
        }
    }

    fn open_file(&self, word: &Word) -> OpenFile {
        if word.pieces.contains(&Piece::Process) {
            return OpenFile::Other;
        }
        let text = word.text();
        let names: Vec<&str> = text.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
        let is_number = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        let has_glob = word.pieces.iter().any(|piece| matches!(piece, Piece::Mark('*' | '?' | '[')));
        let is_device = text.starts_with('/') && matches!(names.first(), Some(&("dev" | "proc" | "…")));
        match names.as_slice() {
            [.., "stdin" | "0"] if !has_glob => OpenFile::StandardInput,
            [.., "fd", number] if is_number(number) => OpenFile::Other,
            [number] if is_number(number) => OpenFile::Other,
            // `/d?v/stdin`, `/dev/$x`, `/dev/shm/../stdin`.
            _ if is_device && (word.known().is_none() || names.contains(&"..")) => OpenFile::Other,
            ["dev" | "proc", ..] if text.starts_with('/') && names.get(1) != Some(&"shm") => OpenFile::Other,
            _ if has_glob && (text.starts_with('/') || self.reading.enters_devices) => OpenFile::Other,
            _ if self.reading.enters_devices && !text.starts_with('/') => OpenFile::Other,
            _ => OpenFile::Regular,
        }
    }

    pub(super) fn lines_of_input(&mut self) {
        match self.input {
            Input::Known(text) => self.read(text),
            Input::File(name) => self.reading.scripts.push(name.to_owned()),
            Input::Unknown | Input::Printed(_) => {
                self.reading.doubt("what a shell reads from its input cannot be known".to_owned());
            }
        }
    }

    /// An interpreter of another language: its program is not read, but one that comes out of
    /// a pipe may be anything.
    pub(super) fn interpreter(&mut self, interpreter: &Interpreter) {
        let mut at = 1;
        let mut brings = false;
        while let Some(text) = self.text(at) {
            self.is_interactive |= interpreter.prompts.contains(&text.as_str());
            match text.as_str() {
                "-" | "--" => break,
                _ if interpreter.long.iter().any(|long| text.split('=').next() == Some(long)) => {
                    brings = true
                }
                _ if text.starts_with("--") => {}
                _ if text.starts_with('-') => {
                    let letters = &text[1..];
                    let value = letters.find(|letter| interpreter.values.contains(letter));
                    let own = &letters[..value.unwrap_or(letters.len())];
                    brings |= own.contains(|letter| interpreter.brings.contains(letter));
                    at += usize::from(value.is_some_and(|place| place + 1 == letters.len()));
                }
                _ => break,
            }
            at += 1;
        }
        let operand = self.words.get(at).filter(|word| !matches!(word.known().as_deref(), Some("-" | "--")));
        let reads_input = match operand {
            None => true,
            Some(word) => self.open_file(word) != OpenFile::Regular,
        };
        if brings || !reads_input {
            return;
        }
        match (self.stdin, self.input) {
            (_, Input::Known(_) | Input::File(_)) | (Stdin::Text(_), _) => {}
            (Stdin::Inherited, _) if operand.is_none() => self.is_interactive = true,
            _ => self.unknown_text(),
        }
    }
}

/// A file that the line writes, and its text where that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenFile {
    name: String,
    text: Option<String>,
    is_read: bool,
}

/// A name that the line gives to another file.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedFile {
    name: String,
    target: Word,
}

/// Notes the files that a command writes by a redirection or with `tee`.
pub(super) fn note_written(reading: &mut Reading, command: &Command, text: Option<&str>) {
    let is_tee = command.program() == Some("tee");
    let redirects =
        command.redirects.iter().filter(|redirect| redirect.writes).map(|redirect| &redirect.target);
    let named = command.args().iter().filter(|_| is_tee);
    for name in redirects.chain(named).filter_map(Word::known) {
        reading.written.push(WrittenFile { name, text: text.map(str::to_owned), is_read: false });
    }
}

/// Notes that a name leads to another file: running the one is running the other.
pub(super) fn note_link(reading: &mut Reading, command: &Command) {
    if !matches!(command.program(), Some("ln" | "cp" | "mv" | "install")) {
        return;
    }
    let is_name = |word: &&Word| !word.text().starts_with('-');
    let names: Vec<&Word> = command.args().iter().filter(is_name).collect();
    if let [from @ .., to] = names.as_slice()
        && let Some(to) = to.known()
    {
        reading
            .links
            .extend(from.iter().map(|from| LinkedFile { name: to.clone(), target: (*from).clone() }));
    }
}

/// Reads the commands whose program is a link or a copy that the line makes.
pub(super) fn read_linked(reading: &mut Reading) {
    for link in std::mem::take(&mut reading.links) {
        let is_it = |name: &str| file_name(name) == file_name(&link.name);
        let leads_to_device = ["/dev", "/proc"].iter().any(|start| link.target.text().starts_with(start));
        if leads_to_device && reading.scripts.iter().any(|name| is_it(name)) {
            reading.doubt(format!("`{}` is a link to a device, and it is run", link.name));
        }
        let is_run = |command: &&Command| {
            let path = command.words.first().and_then(Word::known);
            path.is_some_and(|path| path.contains('/') && is_it(&path))
        };
        let run: Vec<Command> = reading.commands.iter().filter(is_run).cloned().collect();
        for command in run {
            let words = std::iter::once(link.target.clone()).chain(command.args().iter().cloned());
            add_command(reading, words.collect());
        }
    }
}

/// Reads the files that the line both writes and runs: as a script, or by their path.
pub(super) fn read_written(reading: &mut Reading) {
    let by_path = reading.commands.iter().filter_map(|command| command.words.first()?.known());
    let run: Vec<String> = by_path.filter(|path| path.contains('/')).chain(reading.scripts.clone()).collect();
    let is_same = |one: &str, other: &str| file_name(one) == file_name(other);
    for at in 0..reading.written.len() {
        let file = reading.written[at].clone();
        if file.is_read || !run.iter().any(|name| is_same(name, &file.name)) {
            continue;
        }
        reading.written[at].is_read = true;
        // What is put together out of several writes is not followed.
        let is_only = reading.written.iter().filter(|other| is_same(&other.name, &file.name)).count() == 1;
        match file.text.as_ref().filter(|_| is_only) {
            Some(text) => read_into(reading, text, 1, Around::default()),
            None => {
                reading.doubt(format!("`{}` is written and run, and its text cannot be known", file.name))
            }
        }
    }
}

/// The last part of a path: which folder a relative one is in is not followed.
fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}
