//! Characters → words and operators.

use super::grammar::{Parser, Raw};
use super::word::{Piece, Word};

/// What stands next in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Word(Word),
    /// `;`, `&&`, `(` and their kin.
    Op(&'static str),
    /// `>`, `<<` and their kin; a number before it was read with it.
    Redirect(&'static str),
    Newline,
    End,
}

/// Longer ones first: the first that fits counts.
const OPERATORS: &[&str] = &[";;&", ";;", ";&", ";", "&&", "&", "||", "|&", "|", "(", ")"];
const REDIRECTS: &[&str] = &["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"];

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, character)| self.peek_at(ahead) == Some(character))
    }

    /// The next token, and the text behind it is next.
    pub(super) fn next(&mut self) -> Result<Token, String> {
        if let Some(token) = self.put_back.take() {
            return Ok(token);
        }
        self.skip_blanks();
        let Some(character) = self.peek() else { return Ok(Token::End) };
        if character == '\n' {
            self.at += 1;
            self.read_here_documents()?;
            return Ok(Token::Newline);
        }
        if let Some(token) = self.operator() {
            return Ok(token);
        }
        let word = self.word()?;
        let number_of_file = matches!(self.peek(), Some('<' | '>')) && is_file_number(&word);
        if number_of_file && let Some(token @ Token::Redirect(_)) = self.operator() {
            // `{name}>file` sets a variable to a number.
            if let Some(name) = word.text().strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
                let assigns = vec![(name.to_owned(), Some(Word::literal("10")))];
                self.commands.push(Raw { assigns, is_note: true, ..Raw::default() });
            }
            return Ok(token);
        }
        Ok(Token::Word(word))
    }

    /// Gives a token back, to be read again.
    pub(super) fn give_back(&mut self, token: Token) {
        self.put_back = Some(token);
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|character| character != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn operator(&mut self) -> Option<Token> {
        // `<(` and `>(` begin a word.
        if matches!(self.peek(), Some('<' | '>')) && self.peek_at(1) == Some('(') {
            return None;
        }
        if let Some(found) = REDIRECTS.iter().find(|operator| self.looking_at(operator)) {
            self.at += found.len();
            return Some(Token::Redirect(found));
        }
        let found = OPERATORS.iter().find(|operator| self.looking_at(operator))?;
        self.at += found.len();
        Some(Token::Op(found))
    }

    /// One word; the place is at its first character.
    pub(super) fn word(&mut self) -> Result<Word, String> {
        let mut word = Word::default();
        while let Some(character) = self.peek() {
            match character {
                '<' | '>' if self.peek_at(1) == Some('(') => {
                    self.at += 2;
                    self.nested_list()?;
                    word.pieces.push(Piece::Process);
                }
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\0' => return Err("it holds a NUL".to_owned()),
                '\'' => self.single_quotes(&mut word)?,
                '"' => self.double_quotes(&mut word)?,
                '\\' => self.backslash(&mut word),
                '$' => self.dollar(&mut word, false)?,
                '`' => self.backticks(&mut word, false)?,
                '*' | '?' | '[' | '{' | '}' | ',' => {
                    self.at += 1;
                    word.pieces.push(Piece::Mark(character));
                }
                _ => {
                    self.at += 1;
                    word.push(character);
                }
            }
            // `name=(…)` is a list of words.
            if self.peek() == Some('(') && is_array_start(&word) {
                self.at += 1;
                let words = self.deeper(Parser::array)?;
                word.pieces.push(Piece::List(words));
            }
        }
        Ok(word)
    }

    fn backslash(&mut self, word: &mut Word) {
        self.at += 1;
        let Some(character) = self.peek() else {
            word.push('\\');
            return;
        };
        self.at += 1;
        if character != '\n' {
            word.quote();
            word.push(character);
        }
    }

    /// The words of `name=(…)`: their substitutions run, they themselves do not.
    fn array(&mut self) -> Result<Vec<Word>, String> {
        let mut words = Vec::new();
        loop {
            match self.next()? {
                Token::Word(word) => words.push(word),
                Token::Newline => {}
                Token::Op(")") => return Ok(words),
                Token::Op(other) | Token::Redirect(other) => {
                    return Err(format!("`{other}` in a list of words"));
                }
                Token::End => return Err("a `(` is not closed".to_owned()),
            }
        }
    }
}

/// `2` of `2>file` or `{name}` of `{name}>file`.
fn is_file_number(word: &Word) -> bool {
    let Some(text) = word.bare() else { return false };
    let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    name.is_some_and(is_name) || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_array_start(word: &Word) -> bool {
    let Some(text) = word.bare() else { return false };
    let Some(name) = text.strip_suffix('=') else { return false };
    is_name(name.strip_suffix('+').unwrap_or(name))
}

/// Whether a text can name a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
