//! Redirections and here-documents.

use super::Redirect;
use super::grammar::{Parser, Raw, Stdin};
use super::lexer::Token;
use super::word::{Piece, Word};

/// A here-document whose text has not come yet.
pub(super) struct Promised {
    command: Option<usize>,
    delimiter: String,
    quoted: bool,
    strip_tabs: bool,
}

impl Parser<'_> {
    pub(super) fn redirect(
        &mut self,
        operator: &'static str,
        raw: &mut Raw,
        command: Option<usize>,
    ) -> Result<(), String> {
        let start = self.at;
        let Token::Word(target) = self.next()? else {
            return Err(format!("`{operator}` leads nowhere"));
        };
        match operator {
            "<<" | "<<-" => {
                // What it is when it holds a `$` differs between shells; nobody needs to know.
                if self.chars[start..self.at].iter().any(|character| matches!(character, '$' | '`')) {
                    return Err("a here-document ends at something with `$`".to_owned());
                }
                let delimiter = target.text();
                let strip_tabs = operator == "<<-";
                self.promised.push(Promised { command, delimiter, quoted: target.quoted, strip_tabs });
            }
            "<<<" => raw.stdin = Stdin::Text(target),
            // What another file holds is not known: `sh <&3`.
            "<&" => raw.stdin = Stdin::Pipe(None),
            ">&" if is_number(&target) => {}
            "<" => {
                let text = target.text();
                let is_open = text.starts_with("/dev/") || text.starts_with("/proc/");
                let is_written = is_open || target.pieces.contains(&Piece::Process);
                raw.stdin = if is_written { Stdin::Pipe(None) } else { Stdin::File };
                raw.redirects.push(Redirect { writes: false, target });
            }
            "<>" => {
                raw.stdin = Stdin::Pipe(None);
                raw.redirects.push(Redirect { writes: false, target: target.clone() });
                raw.redirects.push(Redirect { writes: true, target });
            }
            _ => raw.redirects.push(Redirect { writes: true, target }),
        }
        Ok(())
    }

    /// The texts of here-documents begin on the line behind their command.
    pub(super) fn read_here_documents(&mut self) -> Result<(), String> {
        for promised in std::mem::take(&mut self.promised) {
            let body = self.here_document(&promised);
            let mut word = Word { quoted: true, ..Word::default() };
            if promised.quoted {
                word.push_text(&body);
            } else {
                let depth = self.depth;
                let mut inner = Parser {
                    chars: body.chars().collect(),
                    at: 0,
                    put_back: None,
                    looked_ahead: 0,
                    commands: &mut *self.commands,
                    depth,
                    promised: Vec::new(),
                };
                inner.deeper(|parser| parser.quoted_until(&mut word, None))?;
            }
            match promised.command.and_then(|number| self.commands.get_mut(number)) {
                Some(raw) => raw.stdin = Stdin::Text(word),
                None => self.commands.push(Raw { stdin: Stdin::Text(word), is_note: true, ..Raw::default() }),
            }
        }
        Ok(())
    }

    pub(super) fn here_document(&mut self, promised: &Promised) -> String {
        let mut body = String::new();
        while self.at < self.chars.len() {
            let rest = &self.chars[self.at..];
            let length = rest.iter().position(|character| *character == '\n').unwrap_or(rest.len());
            let line: String = rest[..length].iter().collect();
            self.at = (self.at + length + 1).min(self.chars.len());
            let line = if promised.strip_tabs { line.trim_start_matches('\t') } else { &line };
            if line == promised.delimiter {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        body
    }
}

fn is_number(word: &Word) -> bool {
    word.known()
        .is_some_and(|text| text == "-" || text.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit()))
}
