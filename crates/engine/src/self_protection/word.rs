//! What a word of a command line may name: a path, or a pattern of paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::Touched;
use super::targets::{Reach, Target, Targets};
use crate::protected::names;
use crate::rule::shell::{Piece, Word};

/// One character of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Symbol {
    Is(char),
    /// `?` or one of a set.
    One,
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
        let known = [("HOME", text(Some(self.home))), ("PWD", text(here)), ("USER", text(user))];
        let mut line = line.to_owned();
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
        let text = text.strip_prefix("file://").unwrap_or(text);
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
        let roots: &[PathBuf] = if is_absolute { &[PathBuf::new()] } else { &self.directories };
        roots.iter().find_map(|root| {
            let pattern = pattern_parts(root, symbols);
            let found = targets.all.iter().find(|target| is_reached(target, &pattern, reach))?;
            found.takes_effect().then(|| found.touched_at(Path::new(&shown(symbols))))
        })
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
                    Some(rest) if rest.split('/').next() == Some(user.as_str()) => {
                        put(&mut symbols, &home);
                        put(&mut symbols, &rest[user.len()..]);
                    }
                    _ => put(&mut symbols, text),
                },
                Piece::Mark('*') => symbols.push(Symbol::Glob),
                Piece::Mark('?' | '[') => symbols.push(Symbol::One),
                Piece::Mark(mark) => symbols.push(Symbol::Is(*mark)),
                _ => symbols.push(Symbol::Unknown),
            }
        }
        symbols
    }
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
            Some(Symbol::One) => (at, place) = (at + 1, place + 1),
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
        Symbol::One => '?',
        Symbol::Glob => '*',
        Symbol::Unknown => '…',
    };
    symbols.iter().map(character).collect()
}
