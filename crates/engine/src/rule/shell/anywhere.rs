//! Programs that run a command which stands somewhere behind their options, and `find`,
//! `parallel` and `xargs`, whose command is not whole before it runs.

use super::grammar::Stdin;
use super::inner::{Input, Inside};
use super::options::{OptionValue, option_value};
use super::word::{Piece, Word};
use super::wrappers::{PARALLEL, Runs, XARGS, runs};

/// So many words are looked at as commands that may begin anywhere.
pub(super) const MOST_TRIED: usize = 100_000;
/// So many lines are read as arguments of their own.
const MAX_LINES: usize = 64;
/// What `xargs` takes for quoting.
const QUOTES: [char; 3] = ['\'', '"', '\\'];

impl Inside<'_, '_> {
    /// Their options are too many to know which takes a value: the command may
    /// begin at any word, so each is taken for one.
    pub(super) fn anywhere(&mut self) {
        let mut is_first = true;
        for at in 1..self.words.len() {
            let Some(text) = self.text(at) else {
                let word = &self.words[at];
                // What the line itself makes may be any program; what is not known may be empty.
                if word.pieces.contains(&Piece::Any) {
                    self.unknown_text();
                }
                let known = word.known_part();
                if is_first {
                    self.command_at(at);
                }
                if !known.text().is_empty() && self.count_tried(at) {
                    self.command([&[known], &self.words[at + 1..]].concat());
                }
                is_first = false;
                continue;
            };
            if matches!(text.as_str(), "-c" | "-s" | "--command") {
                self.text_at(at + 1);
            }
            if text.starts_with('-') {
                continue;
            }
            is_first = false;
            if !self.count_tried(at) {
                return;
            }
            // `start-stop-daemon -x rm -- -rf`: its own `--`, not the command's.
            let is_end = |word: &&Word| word.known().as_deref() != Some("--");
            let words = self.words[at..].iter().filter(is_end).cloned().collect();
            self.command(words);
        }
    }

    /// Bounds the work for commands that may begin at several words; false when it is enough.
    pub(super) fn count_tried(&mut self, at: usize) -> bool {
        self.reading.tried += self.words.len() - at;
        let is_enough = self.reading.tried > MOST_TRIED;
        if is_enough {
            self.reading.doubt("it has too many words that may be commands");
        }
        !is_enough
    }

    pub(super) fn xargs(&mut self) {
        let start = self.first_start(&XARGS, 1);
        let words = self.words.get(start..).unwrap_or_default().to_vec();
        if words.is_empty() {
            return;
        }
        let unknown = Word { pieces: vec![Piece::Unknown], ..Word::default() };
        let input = self.input;
        if !self.has_option(start, 'a', &["arg-file"]) && !self.has_option(start, 'o', &["open-tty"]) {
            // What it runs does not read its input.
            (self.input, self.stdin) = (Input::File("/dev/null"), &Stdin::File);
        }
        match (input, self.mark_of_xargs(start)) {
            (Input::Known(text), None) => {
                for given in given_words(text, self.delimiter_of_xargs(start)) {
                    self.command([&words[..], &given].concat());
                }
            }
            (Input::Printed(parts), None) => {
                let program = words.first().and_then(Word::program_name).and_then(|name| runs(&name));
                if program.is_some() {
                    self.unknown_text();
                }
                let delimiter = self.delimiter_of_xargs(start);
                let parts = parts.iter().flat_map(|word| [word.clone(), without_quotes(word)]);
                let parts = parts.flat_map(|word| separated(&word, delimiter));
                self.command(words.into_iter().chain(parts).chain([unknown]).collect());
            }
            (Input::File(_) | Input::Unknown, None) => self.command([words, vec![unknown]].concat()),
            (input, Some(mark)) => self.filled_commands(&words, &mark, input),
        }
    }

    /// The commands with what is read in the place of the mark: as it is, and with the quoting of `xargs` undone.
    fn filled_commands(&mut self, words: &[Word], mark: &str, input: Input<'_>) {
        self.command(filled(words, mark, input));
        if let Input::Known(text) = input {
            for line in text.lines().filter(|line| line.contains(QUOTES)).take(MAX_LINES) {
                self.command(filled(words, mark, Input::Known(&unquoted(line).join(" "))));
            }
        }
    }

    fn has_option(&self, end: usize, letter: char, long: &[&str]) -> bool {
        (1..end.min(self.words.len()))
            .any(|at| self.text(at).is_some_and(|text| option_value(&text, at, letter, long).is_some()))
    }

    fn delimiter_of_xargs(&self, end: usize) -> Option<char> {
        (1..end.min(self.words.len())).find_map(|at| {
            let value = match option_value(&self.text(at)?, at, 'd', &["delimiter"])? {
                OptionValue::Glued(value) => value,
                OptionValue::At(behind) => self.text(behind)?,
            };
            value.chars().next()
        })
    }

    pub(super) fn find(&mut self) {
        const RUNS: [&str; 8] = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
        let may_run = |word: &Word| match word.known() {
            Some(text) => RUNS.contains(&text.as_str()),
            None => word.text().starts_with('-') && RUNS.iter().any(|option| word.may_be(option)),
        };
        let mut at = 1;
        while at < self.words.len() {
            let runs = may_run(&self.words[at]);
            if self.words[at].pieces.contains(&Piece::Any) {
                self.unknown_text();
            }
            at += 1;
            if !runs {
                continue;
            }
            let rest = &self.words[at..];
            let ends = |word: &Word| matches!(word.known().as_deref(), Some(";" | "+"));
            let length = rest.iter().position(ends).unwrap_or(rest.len());
            self.command(rest[..length].to_vec());
            at += length;
        }
    }

    pub(super) fn parallel(&mut self) {
        let start = self.first_start(&PARALLEL, 1);
        let words = self.words.get(start..).unwrap_or_default();
        let is_mark = |word: &&Word| !word.known().is_some_and(|text| text.starts_with(":::"));
        let words: Vec<String> = words.iter().filter(is_mark).map(Word::text).collect();
        match words.as_slice() {
            [] => self.lines_of_input(),
            _ => self.read(&words.join(" ")),
        }
    }

    /// What `-I` names: it stands for what is read.
    fn mark_of_xargs(&self, end: usize) -> Option<String> {
        let default = || Some("{}".to_owned());
        (1..end.min(self.words.len())).find_map(|at| {
            let text = self.text(at)?;
            match text.as_str() {
                "-I" | "-J" => self.text(at + 1),
                "-i" | "--replace" => default(),
                _ => ["--replace=", "-I", "-i"]
                    .iter()
                    .find_map(|option| text.strip_prefix(option))
                    .filter(|mark| !mark.is_empty())
                    .map(str::to_owned),
            }
        })
    }
}

/// The words with what is read in the place of the mark. In the text of a shell something
/// unknown stands there like a variable, so that `mv {} {}.bak` is a known program.
fn filled(words: &[Word], mark: &str, input: Input<'_>) -> Vec<Word> {
    let program = words.first().and_then(Word::program_name).and_then(|name| runs(&name));
    let is_text =
        matches!(program, Some(Runs::Shell | Runs::Line | Runs::OptionC(..) | Runs::Group | Runs::Env));
    let mut result = Vec::new();
    for word in words {
        let text = match word.known() {
            Some(text) if text.contains(mark) => text,
            _ => {
                result.push(word.clone());
                continue;
            }
        };
        match input {
            Input::Known(given) if is_text => {
                result.push(Word::literal(text.replacen(mark, given.trim_end(), 8)));
            }
            Input::Known(given) => {
                let lines = given.lines().take(64);
                result.extend(lines.map(|line| Word::literal(text.replacen(mark, line, 8))));
            }
            Input::File(_) | Input::Printed(_) | Input::Unknown if is_text => {
                result.push(Word::literal(text.replace(mark, "$__")));
            }
            Input::File(_) | Input::Printed(_) | Input::Unknown => {
                let mut word = Word::default();
                for (number, part) in text.split(mark).enumerate() {
                    if number > 0 {
                        word.pieces.push(Piece::Unknown);
                    }
                    word.push_text(part);
                }
                result.push(word);
            }
        }
    }
    result
}

/// What a text may be as arguments: separated at blanks, at the delimiter, or not at all.
fn given_words(text: &str, delimiter: Option<char>) -> Vec<Vec<Word>> {
    let literals = |parts: Vec<String>| parts.into_iter().map(Word::literal).collect::<Vec<Word>>();
    let mut all = vec![literals(text.split_whitespace().map(str::to_owned).collect())];
    let mut add = |words: Vec<Word>| {
        if !all.contains(&words) {
            all.push(words);
        }
    };
    if text.contains(QUOTES) {
        add(literals(unquoted(text)));
    }
    add(vec![Word::literal(text)]);
    add(text.lines().map(Word::literal).collect());
    if let Some(delimiter) = delimiter {
        add(text.trim_end_matches('\n').split(delimiter).map(Word::literal).collect());
    }
    all
}

/// The words of a text as `xargs` separates and unquotes them.
fn unquoted(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut current: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(character) = chars.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                current.get_or_insert_with(String::new);
            }
            ('\\', None) => current.get_or_insert_with(String::new).extend(chars.next()),
            (blank, None) if blank.is_whitespace() => words.extend(current.take()),
            _ => current.get_or_insert_with(String::new).push(character),
        }
    }
    words.extend(current);
    words
}

/// A word that is printed, as it is once `xargs` has undone its quoting.
fn without_quotes(word: &Word) -> Word {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => Piece::Text(text.replace(QUOTES, "")),
        other => other.clone(),
    });
    Word { pieces: pieces.collect(), ..word.clone() }
}

/// A word that is printed, as the arguments that it may become.
fn separated(word: &Word, delimiter: Option<char>) -> Vec<Word> {
    let mut words = vec![Word::default()];
    for piece in &word.pieces {
        let Piece::Text(text) = piece else {
            words.last_mut().into_iter().for_each(|word| word.pieces.push(piece.clone()));
            continue;
        };
        let separates = |character: char| character.is_whitespace() || Some(character) == delimiter;
        for (number, part) in text.split(separates).enumerate() {
            if number > 0 {
                words.push(Word::default());
            }
            words.last_mut().into_iter().for_each(|word| word.push_text(part));
        }
    }
    words
}
