//! Words → simple commands.
//!
//! Keywords are passed over where a command may begin, so that what stands
//! behind `if`, `do` or `{` is found without a tree: which bodies run is not
//! the question, which commands there are is. What cannot be a command line
//! in any shell is an error.

use super::lexer::{Token, is_name};
use super::redirects::Promised;
use super::word::{Piece, Word};
use super::{DEEPEST, MOST};

/// Limits the bytes of input that are copied to the commands of one text.
const MAX_INHERITED_BYTES: usize = 4 << 20;

/// A command, and what it would read.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    pub words: Vec<Word>,
    pub assigns: Vec<(String, Option<Word>)>,
    /// `name+=value`, whole: what becomes of the variable is not followed.
    pub appends: Vec<Word>,
    pub redirects: Vec<super::Redirect>,
    pub stdin: Stdin,
    /// The function that it begins.
    pub function: Option<String>,
    /// A text that the shell evaluates as arithmetic or as a subscript.
    pub evaluates: Option<Word>,
    /// No command: only what `for` sets, or a text that a compound command reads.
    pub is_note: bool,
}

/// Where a command's input comes from, as far as the text says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Stdin {
    /// From wherever the whole line's input comes from.
    #[default]
    Inherited,
    /// By a pipe, from the command of this number where it is a simple one.
    Pipe(Option<usize>),
    /// From a file.
    File,
    /// A here-document or here-string.
    Text(Word),
}

/// What ends a list of commands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Until {
    End,
    Parenthesis,
    CaseItem,
}

/// How a list ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ended {
    Plainly,
    Esac,
}

/// What a list has begun and not ended.
#[derive(Debug, Default)]
struct Open {
    /// Keywords without their `fi`, `done` or `}`.
    compounds: usize,
    /// Something must follow: `if`, `&&`.
    waits: bool,
}

impl Open {
    fn pass(&mut self, keyword: &str) {
        match keyword {
            "if" | "while" | "until" | "for" | "select" | "foreach" | "{" => self.compounds += 1,
            "fi" | "done" | "}" => self.compounds = self.compounds.saturating_sub(1),
            _ => {}
        }
        self.waits = matches!(
            keyword,
            "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "for" | "select" | "{" | "function"
        );
    }

    fn end(&self, ended: Ended) -> Result<Ended, String> {
        if self.waits || self.compounds > 0 {
            return Err("it ends too early".to_owned());
        }
        Ok(ended)
    }
}

/// Reads one text.
pub(super) struct Parser<'o> {
    pub chars: Vec<char>,
    pub at: usize,
    pub put_back: Option<Token>,
    pub looked_ahead: usize,
    pub commands: &'o mut Vec<Raw>,
    pub(super) depth: usize,
    pub(super) promised: Vec<Promised>,
}

/// Reads a text; what was found before an error is kept.
pub(super) fn parse(text: &str, depth: usize, commands: &mut Vec<Raw>) -> Result<(), String> {
    let chars = text.chars().collect();
    let mut parser =
        Parser { chars, at: 0, put_back: None, looked_ahead: 0, commands, depth, promised: Vec::new() };
    parser.deeper(|parser| parser.list(Until::End).map(|_| ()))
}

/// Lets commands without an input of their own read what the command around them reads; false when that is too much.
pub(super) fn inherit_stdin(commands: &mut [Raw], input: &Word) -> bool {
    if commands.len() * input.weight() > MAX_INHERITED_BYTES {
        return false;
    }
    let inheriting = commands.iter_mut().filter(|raw| raw.stdin == Stdin::Inherited);
    inheriting.for_each(|raw| raw.stdin = Stdin::Text(input.clone()));
    true
}

impl Parser<'_> {
    /// Does something that may nest, within the limit.
    pub(super) fn deeper<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        if self.depth >= DEEPEST {
            return Err(too_deep());
        }
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        result
    }

    /// The commands up to the `)` of a group or substitution.
    pub(super) fn nested_list(&mut self) -> Result<(), String> {
        // A substitution may stand between a command and its here-document.
        let promised = std::mem::take(&mut self.promised);
        let put_back = self.put_back.take();
        let result = self.deeper(|parser| parser.list(Until::Parenthesis).map(|_| ()));
        self.promised.splice(0..0, promised);
        self.put_back = put_back;
        result
    }

    /// The commands of a text inside this one.
    pub(super) fn nested_text(&mut self, text: &str) -> Result<(), String> {
        parse(text, self.depth, self.commands)
    }

    pub(super) fn list(&mut self, until: Until) -> Result<Ended, String> {
        let (mut stdin, mut last) = (Stdin::Inherited, None);
        let mut open = Open::default();
        loop {
            let token = self.next()?;
            match token {
                Token::End if until == Until::End => return open.end(Ended::Plainly),
                Token::End => return Err("it ends too early".to_owned()),
                // A line may end behind a pipe.
                Token::Newline => {}
                Token::Op(operator @ (";" | "&" | "&&" | "||")) => {
                    stdin = Stdin::Inherited;
                    open.waits |= matches!(operator, "&&" | "||");
                }
                Token::Op("|" | "|&") => {
                    stdin = Stdin::Pipe(last);
                    open.waits = true;
                }
                Token::Op(")") if until == Until::Parenthesis => return open.end(Ended::Plainly),
                Token::Op(";;" | ";&" | ";;&") if until == Until::CaseItem => {
                    return open.end(Ended::Plainly);
                }
                Token::Op("(") => {
                    open.waits = false;
                    self.group()?;
                    self.behind_compound()?;
                    last = None;
                }
                Token::Op(other) => return Err(format!("`{other}` stands where a command must stand")),
                Token::Redirect(_) => {
                    self.give_back(token);
                    last = Some(self.simple(std::mem::take(&mut stdin))?);
                    open.waits = false;
                }
                Token::Word(word) => {
                    let keyword = word.bare();
                    if keyword.as_deref() == Some("esac") && until == Until::CaseItem {
                        return open.end(Ended::Esac);
                    }
                    let keyword = keyword.unwrap_or_default();
                    last = if self.keyword(&keyword)? {
                        open.pass(&keyword);
                        None
                    } else {
                        self.give_back(Token::Word(word));
                        let number = self.simple(std::mem::take(&mut stdin))?;
                        // The body of a function is still to come.
                        open.waits = self.commands.get(number).is_some_and(|raw| raw.function.is_some());
                        Some(number)
                    };
                }
            }
            if self.commands.len() > MOST {
                return Err(format!("it holds more than {MOST} commands"));
            }
        }
    }

    /// Passes over a keyword; false when it is none.
    fn keyword(&mut self, word: &str) -> Result<bool, String> {
        match word {
            "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "{" | "!" => {}
            "time" => return self.time(),
            "fi" | "done" | "}" => self.behind_compound()?,
            "for" | "select" | "foreach" => self.for_words()?,
            "case" => self.deeper(Parser::case)?,
            "function" => self.function()?,
            "coproc" => self.coproc()?,
            "[[" => self.condition()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `time` is a keyword, but a program in some shells when it has options.
    fn time(&mut self) -> Result<bool, String> {
        let place = self.at;
        let token = self.next()?;
        let option = match &token {
            Token::Word(word) => word.bare().filter(|text| text.starts_with('-')),
            _ => None,
        };
        match option.as_deref() {
            // `time -p -- cmd`.
            Some("-p") => self.time(),
            Some("--") => Ok(true),
            Some(_) => {
                self.at = place;
                Ok(false)
            }
            None => {
                self.give_back(token);
                Ok(true)
            }
        }
    }

    /// Notes a text that the shell evaluates.
    pub(super) fn evaluate(&mut self, word: Word) {
        self.commands.push(Raw { evaluates: Some(word), is_note: true, ..Raw::default() });
    }

    /// A simple command, or the beginning of a function.
    fn simple(&mut self, stdin: Stdin) -> Result<usize, String> {
        let number = self.commands.len();
        self.commands.push(Raw::default());
        let mut raw = Raw { stdin, ..Raw::default() };
        let mut result = Ok(number);
        loop {
            match self.next()? {
                Token::Word(word) => match assignment(&word).filter(|_| raw.words.is_empty()) {
                    Some(assigned) => {
                        let is_element = word.pieces.get(1) == Some(&Piece::Mark('['));
                        let has_key = |piece: &Piece| matches!(piece, Piece::List(words) if words.iter().any(|it| it.pieces.first() == Some(&Piece::Mark('['))));
                        if is_element || word.pieces.iter().any(has_key) {
                            self.evaluate(word);
                        } else if assigned.1.is_none() {
                            raw.appends.push(word);
                        }
                        raw.assigns.push(assigned);
                    }
                    None => raw.words.push(word),
                },
                Token::Redirect(operator) => self.redirect(operator, &mut raw, Some(number))?,
                Token::Op("(") => {
                    // Only `name ()` may stand here, and it runs nothing.
                    result = self.close_parameters().map(|()| number);
                    if raw.words.len() != 1 {
                        result = Err("`(` stands inside a command".to_owned());
                    }
                    if result.is_ok() {
                        raw.function = raw.words.first().and_then(Word::known);
                        raw.words.clear();
                    }
                    break;
                }
                token => {
                    self.give_back(token);
                    break;
                }
            }
        }
        // A here-document that has come already stands in its place.
        if let Some(stored) = self.commands.get_mut(number) {
            if let Stdin::Text(_) = stored.stdin {
                raw.stdin = std::mem::take(&mut stored.stdin);
            }
            *stored = raw;
        }
        result
    }
}

pub(super) fn too_deep() -> String {
    format!("it nests more than {DEEPEST} deep")
}

/// The same as an argument, where quotes do not matter: `env 'A=b' cmd`.
pub(super) fn argument_assignment(word: &Word) -> Option<(String, Option<Word>)> {
    assignment(&Word { quoted: false, ..word.clone() })
}

/// `name=value`, `name+=value` or `name[…]=value`; the value only where it is
/// all there is to know of the variable.
pub(super) fn assignment(word: &Word) -> Option<(String, Option<Word>)> {
    let Some(Piece::Text(first)) = word.pieces.first() else { return None };
    let end = first.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(first.len());
    let (name, rest) = first.split_at(end);
    // `'A=b'` is the name of a program.
    if !is_name(name) || (word.quoted && word.bare_length <= name.len()) {
        return None;
    }
    if let Some(value) = rest.strip_prefix('=') {
        let mut pieces = vec![Piece::Text(value.to_owned())];
        pieces.extend(word.pieces[1..].iter().cloned());
        return Some((name.to_owned(), Some(Word { pieces, ..word.clone() })));
    }
    let of_array = rest.is_empty() && word.pieces.get(1) == Some(&Piece::Mark('['));
    let appends = rest.starts_with("+=");
    // What is added to a list is one more value; what is added to a text is not followed.
    if appends && matches!(word.pieces.get(1), Some(Piece::List(_))) {
        return Some((name.to_owned(), Some(Word { pieces: word.pieces[1..].to_vec(), ..word.clone() })));
    }
    if of_array && let Some(value) = element_value(word) {
        return Some((name.to_owned(), value));
    }
    appends.then(|| (name.to_owned(), None))
}

/// The value of `name[…]=value`; nothing inside where it is added to what there is.
fn element_value(word: &Word) -> Option<Option<Word>> {
    let sets =
        |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains("]=") || text.contains("]+="));
    let at = word.pieces.iter().position(sets)?;
    let Piece::Text(text) = &word.pieces[at] else { return None };
    let Some((_, value)) = text.split_once("]=").filter(|(key, _)| !key.contains("]+=")) else {
        return Some(None);
    };
    let mut pieces = vec![Piece::Text(value.to_owned())];
    pieces.extend(word.pieces[at + 1..].iter().cloned());
    Some(Some(Word { pieces, ..word.clone() }))
}
