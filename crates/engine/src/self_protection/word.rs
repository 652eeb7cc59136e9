//! What a word of a command line may name: a path, or a pattern of paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::Touched;
use super::targets::{Reach, Target, Targets};
use crate::protected::{names, resolve_existing};
use crate::rule::shell::{Piece, Word};

/// One character of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Symbol {
    Is(char),
    /// `?` or one of a set.
    One,
    /// The beginning of a set.
    Open,
    /// `*`: any characters of a name.
    Glob,
    /// A part that is known only when the command runs.
    Unknown,
}

/// Where words are read: the home, and every directory that a relative path may start from.
pub(super) struct Place<'a> {
    pub home: &'a Path,
    pub directories: Vec<PathBuf>,
}

impl Place<'_> {
    /// The target that a word names when the command changes what it names to this extent.
    pub(super) fn touched(&self, word: &Word, reach: Reach, targets: &Targets) -> Option<Touched> {
        let all = std::iter::once(word).chain(&word.choices);
        all.into_iter().find_map(|word| self.touched_by(&self.symbols(word), reach, targets))
    }

    /// The same for a text that a program takes for a path.
    pub(super) fn touched_text(&self, text: &str, reach: Reach, targets: &Targets) -> Option<Touched> {
        let word = Word::literal(text);
        self.touched_by(&self.symbols(&word), reach, targets)
    }

    /// The paths that a word certainly names, from every directory; none when it is a pattern.
    pub(super) fn paths(&self, word: &Word) -> Vec<PathBuf> {
        known_text(&self.symbols(word)).map(|text| self.located(&text)).unwrap_or_default()
    }

    /// The paths that a word may name; of a pattern, those that lead to a target.
    pub(super) fn possible_paths(&self, word: &Word, targets: &Targets) -> Vec<PathBuf> {
        let symbols = self.symbols(word);
        if let Some(text) = known_text(&symbols) {
            return if text.is_empty() { Vec::new() } else { self.located(&text) };
        }
        let mut found: Vec<PathBuf> = Vec::new();
        for pattern in self.patterns(&symbols) {
            for name in targets.all.iter().flat_map(|target| &target.names) {
                let is_above = pattern.len() <= name.len()
                    && pattern.iter().zip(name).all(|(part, name)| could_be(part, name));
                let path: PathBuf =
                    std::iter::once("/").chain(name.iter().take(pattern.len()).map(String::as_str)).collect();
                if is_above && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// A line in which `$HOME`, `$PWD` and `$USER` have their values: the reader of command lines knows only the
    /// variables that a line sets itself.
    pub(super) fn with_known_variables<'l>(&self, line: &'l str) -> Cow<'l, str> {
        if !line.contains('$') {
            return Cow::Borrowed(line);
        }
        let text =
            |path: Option<&Path>| path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
        let user = self.home.file_name().map(Path::new);
        let here = self.directories.first().map(PathBuf::as_path);
        // Behind a change of the directory, `$PWD` is what a relative path starts from.
        let moves = ["cd", "pushd", "popd", "chdir"].iter().any(|word| line.contains(word));
        let here = if moves { ".".to_owned() } else { text(here) };
        let known = [("HOME", text(Some(self.home))), ("PWD", here.clone()), ("USER", text(user))];
        // A line that sets `PWD` itself is read by what it sets.
        let is_set = line.match_indices("PWD").any(|(at, _)| !line[..at].ends_with(['$', '{']));
        let known: Vec<(&str, String)> =
            known.into_iter().filter(|(name, _)| *name != "PWD" || !is_set).collect();
        let mut line = line.to_owned();
        for command in ["$(pwd)", "`pwd`", "$(git rev-parse --show-toplevel)"] {
            line = line.replace(command, &here);
        }
        // The number of a process: `/proc/$$/root` is `/`.
        for process in ["$$", "${$}", "$PPID", "$BASHPID"] {
            line = line.replace(process, "self");
        }
        for (name, value) in known.iter().filter(|(_, value)| !value.is_empty()) {
            line = put_in(&line, name, value);
        }
        Cow::Owned(line)
    }

    fn touched_by(&self, symbols: &[Symbol], reach: Reach, targets: &Targets) -> Option<Touched> {
        match known_text(symbols) {
            Some(text) if text.is_empty() => None,
            Some(text) => self.located(&text).iter().find_map(|path| targets.touched(path, reach)),
            None => self.touched_by_pattern(symbols, reach, targets),
        }
    }

    fn located(&self, text: &str) -> Vec<PathBuf> {
        let text = &file_of_uri(text);
        match Path::new(text).is_absolute() {
            true => vec![PathBuf::from(text)],
            false => self.directories.iter().map(|directory| directory.join(text)).collect(),
        }
    }

    fn touched_by_pattern(&self, symbols: &[Symbol], reach: Reach, targets: &Targets) -> Option<Touched> {
        let is_absolute = symbols.first() == Some(&Symbol::Is('/'));
        if !is_absolute && symbols.first() == Some(&Symbol::Unknown) {
            return None;
        }
        self.patterns(symbols).into_iter().find_map(|pattern| {
            let found = targets.all.iter().find(|target| is_reached(target, &pattern, reach))?;
            found.takes_effect().then(|| found.touched_at(Path::new(&shown(symbols))))
        })
    }

    /// The names of a pattern from every directory, with and without links resolved in what is before the pattern.
    fn patterns(&self, symbols: &[Symbol]) -> Vec<Vec<Vec<Symbol>>> {
        let is_absolute = symbols.first() == Some(&Symbol::Is('/'));
        let roots: &[PathBuf] = if is_absolute { &[PathBuf::new()] } else { &self.directories };
        let is_plain = |symbol: &Symbol| matches!(symbol, Symbol::Is(_));
        let plain = symbols.iter().take_while(|symbol| is_plain(symbol)).count();
        let slash = symbols[..plain].iter().rposition(|symbol| *symbol == Symbol::Is('/'));
        let (folder, rest) = symbols.split_at(slash.map_or(0, |at| at + 1));
        let folder = known_text(folder).unwrap_or_default();
        let both = |root: &PathBuf| {
            let above = if is_absolute { PathBuf::from(&folder) } else { root.join(&folder) };
            let resolved = resolve_existing(&above);
            let given = pattern_parts(root, symbols);
            let by_links = pattern_parts(&resolved, rest);
            if given == by_links { vec![given] } else { vec![given, by_links] }
        };
        roots.iter().flat_map(both).collect()
    }

    /// The characters of a word, with `~` put in.
    fn symbols(&self, word: &Word) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::new();
        let home = self.home.to_string_lossy();
        let user = self.home.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let put = |symbols: &mut Vec<Symbol>, text: &str| symbols.extend(text.chars().map(Symbol::Is));
        for piece in &word.pieces {
            match piece {
                Piece::Text(text) => match text.strip_prefix('~').filter(|_| symbols.is_empty()) {
                    Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                        put(&mut symbols, &home);
                        put(&mut symbols, rest);
                    }
                    // `~+` is the directory of the moment, `~-` the one before.
                    Some(rest) if rest == "+" || rest.starts_with("+/") => {
                        symbols.push(Symbol::Is('.'));
                        put(&mut symbols, &rest[1..]);
                    }
                    Some(rest) if rest == "-" || rest.starts_with("-/") => {
                        symbols.push(Symbol::Unknown);
                        put(&mut symbols, &rest[1..]);
                    }
                    Some(rest) if rest.split('/').next() == Some(user.as_str()) => {
                        put(&mut symbols, &home);
                        put(&mut symbols, &rest[user.len()..]);
                    }
                    _ => put(&mut symbols, text),
                },
                Piece::Mark('*') => symbols.push(Symbol::Glob),
                Piece::Mark('?') => symbols.push(Symbol::One),
                Piece::Mark('[') => symbols.push(Symbol::Open),
                Piece::Mark(mark) => symbols.push(Symbol::Is(*mark)),
                _ => symbols.push(Symbol::Unknown),
            }
        }
        with_sets(&symbols)
    }
}

/// `[abc]` is one character; a `[` that is not closed is itself.
fn with_sets(symbols: &[Symbol]) -> Vec<Symbol> {
    let mut result = Vec::with_capacity(symbols.len());
    let mut at = 0;
    while let Some(symbol) = symbols.get(at) {
        at += 1;
        if *symbol != Symbol::Open {
            result.push(*symbol);
            continue;
        }
        // A `]` at the beginning of a set is one of its characters.
        let negated = usize::from(matches!(symbols.get(at), Some(Symbol::Is('!' | '^'))));
        let inside = symbols.get(at + negated + 1..).unwrap_or_default();
        match inside.iter().position(|symbol| *symbol == Symbol::Is(']')) {
            Some(length) => {
                result.push(Symbol::One);
                at += negated + length + 2;
            }
            None => result.push(Symbol::Is('[')),
        }
    }
    result
}

/// The path of a `file:` address, whatever its host and its escapes; another text as it is.
fn file_of_uri(text: &str) -> String {
    const SCHEME: &str = "file:";
    let Some(rest) =
        text.get(..SCHEME.len()).filter(|it| it.eq_ignore_ascii_case(SCHEME)).map(|_| &text[SCHEME.len()..])
    else {
        return text.to_owned();
    };
    let path = match rest.strip_prefix("//") {
        Some(with_host) => with_host.find('/').map_or("", |at| &with_host[at..]),
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    percent_decoded(path)
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = text.get(at + 1..at + 3).filter(|_| *byte == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// Replaces `${name}` and `$name`, but not a longer name that begins with it.
fn put_in(line: &str, name: &str, value: &str) -> String {
    let line = line.replace(&format!("${{{name}}}"), value);
    let variable = format!("${name}");
    let mut parts = line.split(variable.as_str());
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let goes_on = part.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
        result.push_str(if goes_on { &variable } else { value });
        result.push_str(part);
    }
    result
}

fn known_text(symbols: &[Symbol]) -> Option<String> {
    symbols
        .iter()
        .map(|symbol| if let Symbol::Is(character) = symbol { Some(*character) } else { None })
        .collect()
}

/// The names of a pattern, `.` and `..` taken out where that is certain.
fn pattern_parts(root: &Path, symbols: &[Symbol]) -> Vec<Vec<Symbol>> {
    let mut parts: Vec<Vec<Symbol>> = Vec::new();
    let root: Vec<Symbol> = root.to_string_lossy().chars().chain(['/']).map(Symbol::Is).collect();
    let whole: Vec<Symbol> = root.iter().chain(symbols).copied().collect();
    for part in whole.split(|symbol| *symbol == Symbol::Is('/')) {
        match known_text(part).as_deref() {
            Some("" | ".") => {}
            Some("..") => drop(parts.pop()),
            // `/proc/*/root` is `/`.
            Some("root") if parts.len() == 2 && known_text(&parts[0]).as_deref() == Some("proc") => {
                parts.clear()
            }
            _ => parts.push(part.to_vec()),
        }
    }
    parts
}

fn is_reached(target: &Target, pattern: &[Vec<Symbol>], reach: Reach) -> bool {
    target.names.iter().any(|name| {
        let pairs = pattern.iter().zip(name).enumerate();
        let agrees = |(at, (part, name)): &(usize, (&Vec<Symbol>, &String))| {
            // An unknown name is taken for a target only inside of a directory that is there for targets.
            let may_be_unknown = target.near && at + 1 >= target.names[0].len();
            (may_be_unknown || !part.contains(&Symbol::Unknown)) && could_be(part, name)
        };
        let shared = pairs.take_while(agrees).count();
        target.is_related(shared, pattern.len(), name.len(), reach)
    })
}

/// Whether a part of a pattern fits a name. A leading dot is not matched by a wildcard.
fn could_be(part: &[Symbol], name: &str) -> bool {
    if let Some(text) = known_text(part) {
        return names::same(&text, name);
    }
    let hidden = name.starts_with('.') && matches!(part.first(), Some(Symbol::Glob | Symbol::One));
    !hidden && fits(part, &name.chars().collect::<Vec<char>>())
}

/// Wildcard matching with one point to return to: linear in the product of the lengths.
fn fits(part: &[Symbol], name: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while place < name.len() {
        match part.get(at) {
            Some(Symbol::Glob | Symbol::Unknown) => {
                back = Some((at, place));
                at += 1;
            }
            Some(Symbol::One | Symbol::Open) => (at, place) = (at + 1, place + 1),
            Some(Symbol::Is(character)) if *character == name[place] => (at, place) = (at + 1, place + 1),
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    (at, place) = (star + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    part[at..].iter().all(|symbol| matches!(symbol, Symbol::Glob | Symbol::Unknown))
}

fn shown(symbols: &[Symbol]) -> String {
    let character = |symbol: &Symbol| match symbol {
        Symbol::Is(character) => *character,
        Symbol::One | Symbol::Open => '?',
        Symbol::Glob => '*',
        Symbol::Unknown => '…',
    };
    symbols.iter().map(character).collect()
}
