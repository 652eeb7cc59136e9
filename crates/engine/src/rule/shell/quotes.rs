//! Quotes: what they hold, without them.

use super::grammar::Parser;
use super::word::Word;

impl Parser<'_> {
    pub(super) fn single_quotes(&mut self, word: &mut Word) -> Result<(), String> {
        self.at += 1;
        word.quote();
        while let Some(character) = self.peek() {
            self.at += 1;
            if character == '\'' {
                return Ok(());
            }
            word.push(character);
        }
        Err("a `'` is not closed".to_owned())
    }

    pub(super) fn double_quotes(&mut self, word: &mut Word) -> Result<(), String> {
        self.at += 1;
        word.quote();
        self.quoted_until(word, Some('"'))
    }

    /// Text in which only `$`, `` ` `` and `\` mean something: double quotes,
    /// and here-documents, which end where the text ends.
    pub(super) fn quoted_until(&mut self, word: &mut Word, end: Option<char>) -> Result<(), String> {
        while let Some(character) = self.peek() {
            match character {
                _ if Some(character) == end => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => self.quoted_backslash(word),
                '$' => self.dollar(word, true)?,
                '`' => self.backticks(word, true)?,
                _ => {
                    self.at += 1;
                    word.push(character);
                }
            }
        }
        match end {
            None => Ok(()),
            Some(end) => Err(format!("a `{end}` is not closed")),
        }
    }

    fn quoted_backslash(&mut self, word: &mut Word) {
        self.at += 1;
        match self.peek() {
            Some('\n') => self.at += 1,
            Some(character @ ('$' | '`' | '"' | '\\')) => {
                self.at += 1;
                word.push(character);
            }
            _ => word.push('\\'),
        }
    }

    /// `$'…'`; the place is at the first character inside.
    pub(super) fn ansi_quotes(&mut self, word: &mut Word) -> Result<(), String> {
        word.quote();
        // Bytes, because `\xc3\xa9` is one character.
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(character) = self.peek() {
            self.at += 1;
            match character {
                '\'' => {
                    // What follows a NUL is not part of the word.
                    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                    word.push_text(&String::from_utf8_lossy(&bytes[..end]));
                    return Ok(());
                }
                '\\' => self.ansi_escape(&mut bytes),
                _ => bytes.extend(character.to_string().bytes()),
            }
        }
        Err("a `$'` is not closed".to_owned())
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(character) = self.peek() else { return };
        self.at += 1;
        let byte = match character {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            'x' if self.is_at_digit(16) => self.digits(16, 2) as u8,
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3) as u8
            }
            'u' | 'U' if self.is_at_digit(16) => {
                let longest = if character == 'u' { 4 } else { 8 };
                let found = char::from_u32(self.digits(16, longest)).unwrap_or('\u{fffd}');
                bytes.extend(found.to_string().bytes());
                return;
            }
            'c' => {
                let control = self.peek().map_or(0, |character| character as u8 & 0x1f);
                self.at += usize::from(self.peek().is_some());
                control
            }
            '\\' | '\'' | '"' | '?' => character as u8,
            other => {
                bytes.push(b'\\');
                bytes.extend(other.to_string().bytes());
                return;
            }
        };
        bytes.push(byte);
    }

    fn is_at_digit(&self, base: u32) -> bool {
        self.peek().is_some_and(|character| character.is_digit(base))
    }

    fn digits(&mut self, base: u32, longest: usize) -> u32 {
        let mut number = 0u32;
        for _ in 0..longest {
            let Some(digit) = self.peek().and_then(|character| character.to_digit(base)) else { break };
            number = number.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
        }
        number
    }
}
