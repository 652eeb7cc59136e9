//! Compound commands: what stands between their keywords.

use super::grammar::{Ended, Parser, Raw, Stdin, Until, too_deep};
use super::lexer::{Token, is_name};
use super::word::{Change, Changed, Piece, Word};

/// Keywords that may follow a compound command at once.
const FOLLOWS: &[&str] = &["then", "do", "done", "fi", "else", "elif", "esac", "}", "{", "always", "]]"];
/// What begins a compound command.
const COMPOUND: &[&str] = &["{", "if", "while", "until", "for", "case", "select", "[["];

impl Parser<'_> {
    /// Behind `(`: a group, or `((…))`, which is arithmetic in some shells and
    /// two groups in others.
    pub(super) fn group(&mut self) -> Result<(), String> {
        if self.peek() != Some('(') {
            return self.nested_list();
        }
        self.at -= 1;
        let arithmetic = self.closes_as_arithmetic()?;
        self.at += 1;
        if !arithmetic {
            return self.nested_list();
        }
        let (start, found) = (self.at, self.commands.len());
        // `1<<2` promises no here-document.
        let promised = std::mem::take(&mut self.promised);
        match self.nested_list() {
            Err(error) if error == too_deep() => return Err(error),
            Err(_) => self.commands.truncate(found),
            Ok(()) => {}
        }
        self.promised = promised;
        // Numbers and variables of arithmetic are no programs.
        let mut kept = self.commands.split_off(found);
        kept.retain(|raw| raw.words.first().is_some_and(|word| word.program_name().is_some()));
        self.commands.append(&mut kept);
        (self.at, self.put_back) = (start + 1, None);
        self.arithmetic()
    }

    /// Behind a compound command: redirections, then an operator.
    pub(super) fn behind_compound(&mut self) -> Result<(), String> {
        let mut raw = Raw::default();
        loop {
            match self.next()? {
                Token::Redirect(operator) => self.redirect(operator, &mut raw, None)?,
                // `} always {` of zsh, `} fi`, `) do`: another keyword.
                token @ Token::Word(_) => {
                    let keyword = matches!(&token, Token::Word(word) if word.bare().is_some_and(|text| FOLLOWS.contains(&&*text)));
                    if !keyword {
                        return Err("a word stands behind a compound command".to_owned());
                    }
                    self.give_back(token);
                    break;
                }
                token => {
                    self.give_back(token);
                    break;
                }
            }
        }
        if matches!(raw.stdin, Stdin::Text(_)) {
            self.commands.push(Raw { stdin: raw.stdin.clone(), is_note: true, ..Raw::default() });
        }
        if !raw.redirects.is_empty() {
            self.commands.push(raw);
        }
        Ok(())
    }

    pub(super) fn for_words(&mut self) -> Result<(), String> {
        let name = match self.next()? {
            Token::Word(word) if word.bare().is_some_and(|name| is_name(&name)) => word.text(),
            Token::Op("(") if self.peek() == Some('(') => {
                self.at += 1;
                return self.arithmetic();
            }
            _ => return Err("`for` needs a name".to_owned()),
        };
        let mut token = self.next()?;
        while token == Token::Newline {
            token = self.next()?;
        }
        if !matches!(&token, Token::Word(word) if word.bare().as_deref() == Some("in")) {
            self.give_back(token);
            let all = Word::of_pieces(vec![Piece::Variable { name: "@".to_owned(), quoted: true }]);
            self.commands.push(sets(vec![(name, Some(all))]));
            return Ok(());
        }
        let mut values = Vec::new();
        loop {
            match self.next()? {
                Token::Word(word) => values.push((name.clone(), Some(word))),
                token @ (Token::Newline | Token::Op(";" | "&")) => {
                    self.commands.push(sets(values));
                    self.give_back(token);
                    return Ok(());
                }
                _ => return Err("the words of `for` do not end".to_owned()),
            }
        }
    }

    pub(super) fn case(&mut self) -> Result<(), String> {
        let Token::Word(_) = self.next()? else { return Err("`case` needs a word".to_owned()) };
        match self.next_line()? {
            Token::Word(word) if word.bare().as_deref() == Some("in") => {}
            _ => return Err("`case` needs `in`".to_owned()),
        }
        loop {
            let mut token = self.next_line()?;
            if matches!(&token, Token::Word(word) if word.bare().as_deref() == Some("esac")) {
                return self.behind_compound();
            }
            if token == Token::Op("(") {
                token = self.next()?;
            }
            self.pattern(token)?;
            if self.list(Until::CaseItem)? == Ended::Esac {
                return self.behind_compound();
            }
        }
    }

    /// `a | b )`, of which the first token was read.
    pub(super) fn pattern(&mut self, mut token: Token) -> Result<(), String> {
        loop {
            match token {
                Token::Word(_) | Token::Op("|") => token = self.next()?,
                Token::Op(")") => return Ok(()),
                _ => return Err("a pattern of `case` is not closed".to_owned()),
            }
        }
    }

    pub(super) fn next_line(&mut self) -> Result<Token, String> {
        loop {
            match self.next()? {
                Token::Newline => {}
                token => return Ok(token),
            }
        }
    }

    pub(super) fn function(&mut self) -> Result<(), String> {
        let Token::Word(name) = self.next()? else { return Err("`function` needs a name".to_owned()) };
        self.commands.push(Raw { function: name.known(), is_note: true, ..Raw::default() });
        match self.next()? {
            Token::Op("(") => self.close_parameters(),
            token => {
                self.give_back(token);
                Ok(())
            }
        }
    }

    pub(super) fn close_parameters(&mut self) -> Result<(), String> {
        match self.next()? {
            Token::Op(")") => Ok(()),
            _ => Err("`(` stands where a command must stand".to_owned()),
        }
    }

    /// `coproc command` or `coproc NAME { …; }`.
    pub(super) fn coproc(&mut self) -> Result<(), String> {
        let first = self.next()?;
        let place = self.at;
        let name = matches!(&first, Token::Word(word) if word.bare().is_some_and(|name| is_name(&name)));
        if name && self.promised.is_empty() {
            let compound = match self.next()? {
                Token::Op("(") => true,
                Token::Word(word) => word.bare().is_some_and(|text| COMPOUND.contains(&&*text)),
                _ => false,
            };
            (self.at, self.put_back) = (place, None);
            if compound {
                return Ok(());
            }
        }
        self.give_back(first);
        Ok(())
    }

    /// `[[ … ]]`: words in it are tested, not run.
    pub(super) fn condition(&mut self) -> Result<(), String> {
        let (mut evaluates, mut words) = (false, Vec::<Word>::new());
        loop {
            match self.next()? {
                Token::Word(word) if word.bare().as_deref() == Some("]]") => {
                    if evaluates {
                        words.into_iter().for_each(|word| self.evaluate(word));
                    }
                    return self.behind_compound();
                }
                Token::Word(word) => {
                    let compares = |text: String| {
                        matches!(text.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R")
                    };
                    evaluates |= word.known().is_some_and(compares);
                    if let Some(subject) = words.last().filter(|_| word.known().as_deref() == Some("=~")) {
                        let matched = ["BASH_REMATCH".to_owned(), "BASH_REMATCH".to_owned()];
                        let values = [Some(subject.clone()), Some(parts_of(subject))];
                        self.commands.push(sets(matched.into_iter().zip(values).collect()));
                    }
                    words.push(word);
                }
                Token::Newline | Token::Redirect("<" | ">") => {}
                Token::Op("&&" | "||" | "(" | ")" | "|" | "&") => {}
                Token::Op(other) | Token::Redirect(other) => return Err(format!("`{other}` in `[[`")),
                Token::End => return Err("a `[[` is not closed".to_owned()),
            }
        }
    }
}

/// What may be found in a word: of what the line itself sets, any part.
fn parts_of(word: &Word) -> Word {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) if !text.is_empty() => Piece::Any,
        Piece::Variable { name, quoted } => {
            let changed =
                Changed { name: name.clone(), quoted: *quoted, change: Change::Other, word: Word::default() };
            Piece::Changed(Box::new(changed))
        }
        other => other.clone(),
    };
    Word::of_pieces(word.pieces.iter().map(part).collect())
}

/// No command, but what one sets.
fn sets(assigns: Vec<(String, Option<Word>)>) -> Raw {
    Raw { assigns, is_note: true, ..Raw::default() }
}
