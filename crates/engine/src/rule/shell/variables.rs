//! What variables hold, as far as the text itself says.
//!
//! A variable is certain when the text sets it once, to something known. Else it may be any
//! of the values that the text gives it, by an assignment, `for`, `set --`, `read`, `printf -v`,
//! a list, or the arguments of a function or a shell. One that the text does not set is unknown.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

use super::UNKNOWN_NAME;
use super::braces::braces;
use super::fields::alternatives;
use super::grammar::{Raw, Stdin, argument_assignment, assignment, inherit_stdin, parse};
use super::word::{Piece, Word};

/// A variable with more values than this may be anything.
const MOST_VALUES: usize = 64;
/// More values of `IFS` are not told apart.
const MAX_SEPARATORS: usize = 16;
/// So many bytes of values are written out; then they may be anything.
const MOST_WRITTEN: usize = 1 << 20;
/// The name under which all of `$1`, `$@` and their kin are kept.
const POSITIONAL: &str = "@";

/// The variables of one text, and those of the text around it.
#[derive(Debug, Default)]
pub(super) struct Variables<'o> {
    certain: HashMap<String, String>,
    possible: HashMap<String, Vec<Word>>,
    outer: Option<&'o Variables<'o>>,
    functions: HashSet<String>,
    /// What each value of `IFS` adds to blanks. None of them need be in force where a variable is used.
    separators: Vec<String>,
    written: Cell<usize>,
}

impl<'o> Variables<'o> {
    /// Those of a text; the words are the arguments of the shell that reads it.
    pub fn of(
        text: &str,
        raws: &[Raw],
        outer: Option<&'o Variables<'o>>,
        arguments: &[Word],
    ) -> Variables<'o> {
        let mut variables = Variables { outer, ..Variables::default() };
        variables.separators = outer.map(|outer| outer.separators.clone()).unwrap_or_default();
        let mut set: Vec<(String, Option<Word>)> =
            arguments.iter().map(|word| (POSITIONAL.to_owned(), Some(word.clone()))).collect();
        let mut given = Given::default();
        given.collect(raws, 0);
        variables.functions = given.functions;
        set.extend(given.values);
        if set.is_empty() {
            return variables;
        }
        variables.find_certain(text, raws);
        for (_, value) in set.iter().filter(|(name, _)| name == "IFS") {
            let added = value.as_ref().and_then(Word::known);
            // Whatever it is, these are what a line would choose.
            let added = added.unwrap_or_else(|| ",:;/|_+=@%.~^".to_owned());
            let is_full = variables.separators.len() > MAX_SEPARATORS;
            if !is_full && !variables.separators.contains(&added) {
                variables.separators.push(added);
            }
        }
        // Twice, because a function stands before its arguments.
        for _ in 0..2 {
            for (name, value) in &set {
                for name in variables.names_meant(name) {
                    variables.add(&name, value.as_ref());
                }
            }
        }
        if variables.possible.contains_key(UNKNOWN_NAME) {
            variables.certain.clear();
        }
        variables
    }

    fn find_certain(&mut self, text: &str, raws: &[Raw]) {
        let alone = raws.iter().filter(|raw| raw.words.is_empty() && !raw.is_note);
        // Braces in an argument make several assignments.
        let has_brace = |word: &&Word| word.pieces.contains(&Piece::Mark('{'));
        let declared = raws.iter().filter(|raw| declares(raw)).flat_map(|raw| &raw.words[1..]);
        let declared = declared.filter(|word| !has_brace(word));
        let set = alone.flat_map(|raw| raw.assigns.iter().cloned()).chain(declared.filter_map(assignment));
        let mentions = mentions(text);
        let certain = |(name, value): (String, Option<Word>)| {
            let value = value.as_ref().and_then(Word::known)?;
            (mentions.get(name.as_str()) == Some(&1)).then_some((name, value))
        };
        self.certain = set.filter_map(certain).collect();
    }

    /// The names that a name may be: all names when it is not known.
    fn names_meant(&self, name: &str) -> Vec<String> {
        match name {
            UNKNOWN_NAME => self.possible.keys().cloned().chain([UNKNOWN_NAME.to_owned()]).collect(),
            name => vec![name.to_owned()],
        }
    }

    fn add(&mut self, name: &str, value: Option<&Word>) {
        let known = self.possible.get(name).map_or(0, Vec::len);
        if known > MOST_VALUES {
            return;
        }
        let values: Vec<Word> = match value {
            None => vec![anything()],
            Some(word) => written_out(word, self),
        };
        let list = self.possible.entry(name.to_owned()).or_default();
        let fresh: Vec<Word> = values.into_iter().filter(|value| !list.contains(value)).collect();
        list.extend(fresh);
        if list.len() > MOST_VALUES {
            list.truncate(MOST_VALUES);
            list.push(anything());
        }
    }

    /// The value of a variable that has one for certain.
    pub fn certain(&self, name: &str) -> Option<&str> {
        self.certain.get(name).map(String::as_str)
    }

    /// What a variable may hold; none when the text does not set it.
    pub fn possible(&self, name: &str) -> &[Word] {
        let is_positional = name == "*" || name.bytes().all(|byte| byte.is_ascii_digit());
        let key = if is_positional { POSITIONAL } else { name };
        match (self.possible.get(key), self.outer) {
            (Some(values), _) => values,
            (None, outer) => match (self.possible.get(UNKNOWN_NAME), outer) {
                (Some(values), _) => values,
                (None, Some(outer)) => outer.possible(name),
                (None, None) => &[],
            },
        }
    }

    /// Whether a text around this one makes a function of this name.
    pub fn is_outer_function(&self, name: &str) -> bool {
        self.outer.is_some_and(|outer| outer.functions.contains(name) || outer.is_outer_function(name))
    }

    /// Counts bytes that are written out; false when it is enough.
    pub fn may_write(&self, bytes: usize) -> bool {
        self.written.set(self.written.get() + bytes);
        let enough = self.written.get() > MOST_WRITTEN;
        !enough && self.outer.is_none_or(|outer| outer.may_write(bytes))
    }

    /// What may separate words of a value beside blanks: nothing, or what one value of `IFS` adds.
    /// None when `IFS` has too many values.
    pub fn separators(&self) -> Option<impl Iterator<Item = &str>> {
        let all = std::iter::once("").chain(self.separators.iter().map(String::as_str));
        (self.separators.len() <= MAX_SEPARATORS).then_some(all)
    }

    /// Whether a value comes apart in one way or another.
    pub fn may_separate(&self, value: &str) -> bool {
        let separates = |added: &String| value.contains(|character| added.contains(character));
        self.separators.len() > MAX_SEPARATORS || self.separators.iter().any(separates)
    }
}

/// All that a word may be, with its braces as they are and written out: an assignment leaves them.
fn written_out(word: &Word, variables: &Variables<'_>) -> Vec<Word> {
    let mut words = braces(word).unwrap_or_default();
    if !words.contains(word) {
        words.push(word.clone());
    }
    words.iter().flat_map(|word| alternatives(word, variables)).map(Word::of_pieces).collect()
}

fn anything() -> Word {
    Word::of_pieces(vec![Piece::Any])
}

/// A text that runs in this shell is looked into no deeper for what it sets.
const DEEPEST_EVAL: usize = 3;

/// Every variable that commands set, and to what (to anything where there is no value); and every function.
#[derive(Default)]
struct Given {
    values: Vec<(String, Option<Word>)>,
    functions: HashSet<String>,
}

impl Given {
    fn collect(&mut self, raws: &[Raw], depth: usize) {
        self.collect_inner(raws, depth);
        let last_words: Vec<Word> = raws.iter().filter_map(|raw| raw.words.last().cloned()).collect();
        self.values.extend(last_words.into_iter().map(|word| ("_".to_owned(), Some(word))));
    }

    fn collect_inner(&mut self, raws: &[Raw], depth: usize) {
        // Texts first: they may make functions that the others call.
        for raw in raws.iter().filter(|_| depth < DEEPEST_EVAL) {
            if let Some(text) = text_run_here(raw) {
                let mut inner = Vec::new();
                let _ = parse(&text, 0, &mut inner);
                if let Stdin::Text(word) = &raw.stdin {
                    // Past the limit, `read_into` puts the line in doubt.
                    let _ = inherit_stdin(&mut inner, word);
                }
                self.collect_inner(&inner, depth + 1);
            }
        }
        self.functions.extend(raws.iter().filter_map(|raw| raw.function.clone()));
        let printed = OnceCell::new();
        for raw in raws {
            self.values.extend(raw.assigns.iter().cloned());
            self.collect_from_command(raw, &|| printed.get_or_init(|| printed_texts(raws)));
        }
    }

    /// `printed` are the texts that a command may read.
    fn collect_from_command<'t>(&mut self, raw: &Raw, printed: &dyn Fn() -> &'t [Word]) {
        let Some((first, args)) = without_prefix(&raw.words).split_first() else { return };
        self.values.extend(args.iter().filter_map(argument_assignment));
        if first.known().is_some_and(|name| DECLARING.contains(&name.as_str())) {
            self.values.extend(args.iter().filter_map(value_of_unknown_name));
        }
        let positional = |word: &Word| (POSITIONAL.to_owned(), Some(word.clone()));
        let Some(program) = first.known() else {
            // It may be a function.
            if !self.functions.is_empty() {
                self.values.extend(args.iter().map(positional));
            }
            return;
        };
        match program.as_str() {
            "set" => self.values.extend(positional_arguments(args).iter().map(positional)),
            "read" | "mapfile" | "readarray" => {
                let texts = if raw.stdin == Stdin::File { &[] } else { printed() };
                let is_unknown = |word: &Word| word.known().is_none();
                let unknown = args.iter().any(is_unknown).then(|| UNKNOWN_NAME.to_owned());
                for name in names_read(args).into_iter().chain(unknown) {
                    self.values.extend(texts.iter().map(|word| (name.clone(), Some(word.clone()))));
                }
            }
            // `getopts rf: x -rf`: its words are values of `x` and `OPTARG`.
            "getopts" => {
                let names = args.get(1).and_then(Word::known).into_iter().chain(["OPTARG".to_owned()]);
                self.values.extend(names.map(|name| (name, None)));
            }
            "printf" => self.values.extend(printed_into(args)),
            name if self.functions.contains(name) => self.values.extend(args.iter().map(positional)),
            _ => {}
        }
    }
}

/// What `set` makes `$1`, `$2` and so on: the words behind its options.
fn positional_arguments(args: &[Word]) -> &[Word] {
    let mut values = args;
    while let Some((first, rest)) = values.split_first() {
        match first.known().as_deref() {
            // Not a positional argument: in front of `-rf` it would end the options of the command that gets them.
            Some("--" | "-") => return rest,
            // `set -eo pipefail`: the name of an option.
            Some(text) if text.starts_with(['-', '+']) && text.contains('o') => {
                values = rest.get(1..).unwrap_or_default();
            }
            Some(text) if text.starts_with(['-', '+']) => values = rest,
            _ => break,
        }
    }
    values
}

/// The words behind `command` and `builtin`.
pub(super) fn without_prefix(words: &[Word]) -> &[Word] {
    let mut words = words;
    while let Some((first, rest)) = words.split_first()
        && matches!(first.known().as_deref(), Some("command" | "builtin"))
    {
        let is_option = |word: &&Word| word.known().is_some_and(|text| text.starts_with('-'));
        words = &rest[rest.iter().take_while(is_option).count()..];
    }
    words
}

/// The text that a builtin runs in this very shell: what it sets is set behind it.
fn text_run_here(raw: &Raw) -> Option<String> {
    let (first, args) = without_prefix(&raw.words).split_first()?;
    match first.known()?.as_str() {
        "eval" | "trap" => {
            let known: Option<Vec<String>> = args.iter().map(Word::known).collect();
            known.map(|words| words.join(" "))
        }
        "." | "source" => match &raw.stdin {
            Stdin::Text(word) => word.known(),
            Stdin::Inherited | Stdin::File | Stdin::Pipe(_) => None,
        },
        _ => None,
    }
}

/// The names of variables that a command sets by itself: `export A=1`, `read A`.
pub(super) fn names_set(words: &[Word]) -> Vec<String> {
    let Some((first, args)) = words.split_first() else { return Vec::new() };
    match first.known().as_deref() {
        Some("getopts") => args.get(1).and_then(Word::known).into_iter().collect(),
        Some("wait") => args.iter().skip(1).filter_map(Word::known).take(1).collect(),
        Some("export" | "declare" | "typeset" | "local" | "readonly") => {
            args.iter().filter_map(name_declared).collect()
        }
        Some("read" | "mapfile" | "readarray") => names_read(args),
        Some("printf") => printed_into(args).into_iter().map(|(name, _)| name).take(1).collect(),
        _ => Vec::new(),
    }
}

/// Without a value, it may be one that was set before: `export LD_PRELOAD`.
fn name_declared(word: &Word) -> Option<String> {
    if let Some((name, _)) = argument_assignment(word) {
        return Some(name);
    }
    match word.known() {
        Some(text) => super::lexer::is_name(&text).then_some(text),
        None => Some(UNKNOWN_NAME.to_owned()),
    }
}

fn names_read(args: &[Word]) -> Vec<String> {
    let texts = args.iter().filter_map(Word::known);
    // `read -raNAME`: the name may be glued to its option.
    let name_of = |text: String| match text.strip_prefix('-').and_then(|letters| letters.split_once('a')) {
        Some((_, name)) if !name.is_empty() => name.to_owned(),
        _ => text.split('[').next().unwrap_or_default().to_owned(),
    };
    let mut names: Vec<String> = texts.map(name_of).filter(|text| super::lexer::is_name(text)).collect();
    if names.is_empty() {
        names.extend(["REPLY".to_owned(), "MAPFILE".to_owned()]);
    }
    names
}

/// `printf -v name format values`.
fn printed_into(args: &[Word]) -> Vec<(String, Option<Word>)> {
    let text = |at: usize| args.get(at).and_then(Word::known);
    let (name, at) = match text(0) {
        Some(option) if option == "-v" => (text(1), 2),
        Some(option) if option.starts_with("-v") => (Some(option[2..].to_owned()), 1),
        _ => return Vec::new(),
    };
    let name = name.unwrap_or_else(|| UNKNOWN_NAME.to_owned());
    let name = name.split('[').next().unwrap_or_default().to_owned();
    let at = at + usize::from(text(at).as_deref() == Some("--"));
    let rest = args.get(at..).unwrap_or_default();
    match text(at).as_deref() {
        Some("%s" | "%s\\n" | "%q" | "%b") => {
            rest[1..].iter().map(|word| (name.clone(), Some(word.clone()))).collect()
        }
        Some(format) if !format.contains(['%', '\\']) => vec![(name, Some(rest[0].clone()))],
        _ => vec![(name, None)],
    }
}

/// Every text of the line that a command may read: what is printed, and here-documents.
fn printed_texts(raws: &[Raw]) -> Vec<Word> {
    let mut texts = Vec::new();
    let mut last = None;
    // Commands of one script often read the same text, and repetitions must not use up the limit.
    let mut add = |word: Word| {
        if texts.len() <= MOST_VALUES && !texts.contains(&word) {
            texts.push(word);
        }
    };
    for raw in raws {
        if let Some((first, args)) = raw.words.split_first()
            && matches!(first.known().as_deref(), Some("echo" | "printf"))
        {
            args.iter().cloned().for_each(&mut add);
            if args.len() > 1 {
                add(joined(args));
            }
        }
        if let Stdin::Text(word) = &raw.stdin
            && last.replace(word) != Some(word)
        {
            add(word.clone());
            let lines = word.known().unwrap_or_default();
            let parts = lines.split(|c: char| c.is_whitespace() || c == ',');
            parts.map(Word::literal).for_each(&mut add);
        }
    }
    texts
}

/// Words as `echo` prints them.
fn joined(words: &[Word]) -> Word {
    let space = [Piece::Text(" ".to_owned())];
    let words: Vec<&[Piece]> = words.iter().map(|word| word.pieces.as_slice()).collect();
    Word::of_pieces(words.join(&space[..]))
}

/// Builtins that set the variables that their arguments name.
const DECLARING: [&str; 5] = ["export", "declare", "typeset", "local", "readonly"];

/// `export name=value` and its kin.
fn declares(raw: &Raw) -> bool {
    let name = raw.words.first().and_then(Word::known);
    name.is_some_and(|name| DECLARING.contains(&name.as_str()))
}

/// `export $name=value`: the value, of some variable.
fn value_of_unknown_name(word: &Word) -> Option<(String, Option<Word>)> {
    let at = word.pieces.iter().position(|piece| matches!(piece, Piece::Text(text) if text.contains('=')))?;
    let Piece::Text(text) = &word.pieces[at] else { return None };
    let (_, value) = text.split_once('=')?;
    if at == 0 {
        return None;
    }
    let mut pieces = vec![Piece::Text(value.to_owned())];
    pieces.extend(word.pieces[at + 1..].iter().cloned());
    Some((UNKNOWN_NAME.to_owned(), Some(Word { pieces, ..word.clone() })))
}

/// How often each name stands in a text other than as `$name` or `${name`.
fn mentions(text: &str) -> HashMap<&str, usize> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut counts = HashMap::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_part(character)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let before = &text[..from];
                if !before.ends_with('$') && !before.ends_with("${") {
                    *counts.entry(&text[from..at]).or_insert(0) += 1;
                }
                start = None;
            }
            (None, false) | (Some(_), true) => {}
        }
    }
    counts
}
