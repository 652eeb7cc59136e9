//! `$…` and backticks: the commands inside are read, the results are unknown.

use super::LONGEST;
use super::grammar::{Parser, Raw};
use super::word::{Change, Changed, Piece, Word};

impl Parser<'_> {
    /// The place is at a `$`.
    pub(super) fn dollar(&mut self, word: &mut Word, quoted: bool) -> Result<(), String> {
        self.at += 1;
        match self.peek() {
            Some('(') if self.peek_at(1) == Some('(') && self.closes_as_arithmetic()? => {
                self.at += 2;
                self.arithmetic()?;
                word.pieces.push(Piece::Unknown);
            }
            Some('(') => {
                self.at += 1;
                self.nested_list()?;
                word.pieces.push(Piece::Unknown);
            }
            Some('{') => {
                self.at += 1;
                self.braced(word, quoted)?;
            }
            Some('[') => {
                self.at += 1;
                let mut inside = Word::default();
                self.deeper(|parser| parser.raw_until(']', false, &mut inside))?;
                self.evaluate(inside);
                word.pieces.push(Piece::Unknown);
            }
            Some('\'') if !quoted => {
                self.at += 1;
                self.ansi_quotes(word)?;
            }
            Some('"') if !quoted => self.double_quotes(word)?,
            Some(character) if character.is_ascii_alphabetic() || character == '_' => {
                let name = self.name();
                word.pieces.push(variable(name, quoted));
            }
            Some(character @ ('0'..='9' | '@' | '*')) => {
                self.at += 1;
                word.pieces.push(variable(character.to_string(), quoted));
            }
            Some('#' | '?' | '-' | '$' | '!') => {
                self.at += 1;
                word.pieces.push(Piece::Unknown);
            }
            _ => word.push('$'),
        }
        Ok(())
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(character) = self.peek().filter(|it| it.is_ascii_alphanumeric() || *it == '_') {
            name.push(character);
            self.at += 1;
        }
        name
    }

    /// `${…}`; the place is behind the brace.
    fn braced(&mut self, word: &mut Word, quoted: bool) -> Result<(), String> {
        if matches!(self.peek(), Some(' ' | '\t' | '\n' | '|')) {
            return Err("`${ …; }` runs commands in a form that is not read".to_owned());
        }
        let indirect = self.peek() == Some('!') && self.peek_at(1).is_some_and(is_of_name);
        // `${#name}` is a length; the subscript in `${#name[x]}` is evaluated all the same.
        let is_length = self.peek() == Some('#') && self.peek_at(1).is_some_and(is_of_name);
        self.at += usize::from(indirect || is_length);
        if self.peek() == Some('(') {
            return Err("`${(…)…}` of zsh may run what a variable holds".to_owned());
        }
        let name = match self.peek() {
            Some(character @ ('@' | '*')) => {
                self.at += 1;
                character.to_string()
            }
            _ => self.name(),
        };
        let is_element = !name.is_empty() && self.peek() == Some('[');
        if is_element {
            self.at += 1;
            let mut subscript = Word::default();
            self.deeper(|parser| parser.raw_until(']', quoted, &mut subscript))?;
            if !matches!(subscript.known().as_deref(), Some("@" | "*")) {
                self.evaluate(subscript);
            }
        }
        let start = self.at;
        let change = self.change();
        let mut rest = Word::default();
        self.deeper(|parser| parser.raw_until('}', quoted, &mut rest))?;
        let behind: String = self.chars[start..self.at - 1].iter().collect();
        if behind == "@P" {
            return Err("`${…@P}` runs what a variable holds".to_owned());
        }
        let behind_name = behind.trim_start_matches(':');
        if indirect {
            self.evaluate(Word::literal(name.as_str()));
        } else if change == Change::Other && behind.starts_with(':') {
            self.evaluate(rest.clone());
        } else if change == Change::Default && behind_name.starts_with('=') {
            let assigns = vec![(name.clone(), Some(rest.clone()))];
            self.commands.push(Raw { assigns, is_note: true, ..Raw::default() });
        }
        let change = match change {
            _ if indirect => Change::Indirect,
            _ if behind.is_empty() && is_element => Change::Element,
            other => other,
        };
        word.pieces.push(match name.as_str() {
            "" => Piece::Unknown,
            _ if is_length => Piece::Unknown,
            "IFS" if !quoted => Piece::Space,
            _ if behind.is_empty() && !indirect && !is_element => variable(name, quoted),
            _ => Piece::Changed(Box::new(Changed { name, quoted, change, word: rest })),
        });
        Ok(())
    }

    /// The operator behind a name in braces.
    fn change(&mut self) -> Change {
        let colon = usize::from(self.peek() == Some(':'));
        match self.peek_at(colon) {
            Some('-' | '=' | '+' | '?') => {
                self.at += colon + 1;
                Change::Default
            }
            Some('%') if colon == 0 => Change::Front,
            Some('#') if colon == 0 => Change::Back,
            _ => Change::Other,
        }
    }

    /// Text until this closes it; substitutions in it are read.
    fn raw_until(&mut self, end: char, quoted: bool, into: &mut Word) -> Result<(), String> {
        while let Some(character) = self.peek() {
            match character {
                _ if character == end => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => {
                    self.at += 2;
                    if let Some(escaped) = self.chars.get(self.at - 1) {
                        into.push(*escaped);
                    }
                }
                '\'' if !quoted => self.single_quotes(into)?,
                '"' => self.double_quotes(into)?,
                '$' => self.dollar(into, quoted)?,
                '`' => self.backticks(into, quoted)?,
                '<' | '>' if !quoted && self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    self.nested_list()?;
                }
                ' ' | '\t' | '\n' if !quoted => {
                    self.at += 1;
                    into.pieces.push(Piece::Space);
                }
                _ => {
                    self.at += 1;
                    into.push(character);
                }
            }
        }
        Err(format!("a `{end}` is missing"))
    }

    /// `` `…` ``; the place is at the first one.
    pub(super) fn backticks(&mut self, word: &mut Word, quoted: bool) -> Result<(), String> {
        self.at += 1;
        let mut inside = String::new();
        loop {
            let Some(character) = self.peek() else { return Err("a `` ` `` is not closed".to_owned()) };
            self.at += 1;
            match (character, self.peek()) {
                ('`', _) => break,
                ('\\', Some(next @ ('`' | '\\' | '$'))) => {
                    inside.push(next);
                    self.at += 1;
                }
                ('\\', Some('"')) if quoted => {
                    inside.push('"');
                    self.at += 1;
                }
                (other, _) => inside.push(other),
            }
        }
        self.nested_text(&inside)?;
        word.pieces.push(Piece::Unknown);
        Ok(())
    }

    /// Whether `((` at this place is closed by `))`: else it is two groups.
    pub(super) fn closes_as_arithmetic(&mut self) -> Result<bool, String> {
        let mut depth = 0usize;
        let mut at = self.at;
        while let Some(character) = self.chars.get(at) {
            self.looked_ahead += 1;
            if self.looked_ahead > 4 * LONGEST {
                return Err("its `((` cannot be told from groups".to_owned());
            }
            match character {
                '\\' => at += 1,
                '\'' | '"' => {
                    let behind = self.chars[at + 1..].iter().position(|other| other == character);
                    let length = behind.map_or(0, |length| length + 1);
                    self.looked_ahead += length;
                    at += length;
                }
                '(' => depth += 1,
                ')' => {
                    depth = depth.saturating_sub(1);
                    if depth == 1 {
                        // The inner of the two is closed: its partner must follow at once.
                        return Ok(self.chars.get(at + 1) == Some(&')'));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Ok(false)
    }

    /// Passes over `…))`; substitutions in it are read.
    pub(super) fn arithmetic(&mut self) -> Result<(), String> {
        let mut depth = 0usize;
        let mut inside = Word::default();
        while let Some(character) = self.peek() {
            match character {
                ')' if depth == 0 && self.peek_at(1) == Some(')') => {
                    self.evaluate(inside);
                    self.at += 2;
                    return Ok(());
                }
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '\\' => self.at += 1,
                '"' => {
                    self.double_quotes(&mut inside)?;
                    continue;
                }
                '$' => {
                    self.deeper(|parser| parser.dollar(&mut inside, true))?;
                    continue;
                }
                '`' => {
                    self.backticks(&mut inside, true)?;
                    continue;
                }
                _ => {}
            }
            inside.push(character);
            self.at += 1;
        }
        Err("a `((` is not closed".to_owned())
    }
}

fn variable(name: String, quoted: bool) -> Piece {
    if name == "IFS" && !quoted { Piece::Space } else { Piece::Variable { name, quoted } }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
