//! One word of a command, quoting undone.

/// A word: what is known of it, and where something unknown stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Word {
    /// Its parts, in order.
    pub pieces: Vec<Piece>,
    /// Whether any of it was quoted: such a word is never a keyword.
    pub quoted: bool,
    /// What it may be, by variables that have several values or none for certain.
    pub choices: Vec<Word>,
    /// How many bytes of its text stand before the first quote.
    pub(super) bare_length: usize,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// Exactly these characters.
    Text(String),
    /// A character that was not quoted and may mean something: `*`, `?`, `[`
    /// for names of files, `{`, `,`, `}` for braces.
    Mark(char),
    /// `$name`, and whether it stands in quotes.
    Variable {
        /// Its name.
        name: String,
        /// A quoted one is never split into several words.
        quoted: bool,
    },
    /// `${name…}` with more than a name.
    Changed(Box<Changed>),
    /// `name=(…)`: the words of a list.
    List(Vec<Word>),
    /// What a substitution gives, known only when it runs.
    Unknown,
    /// What the text itself makes in a way that is not followed: it may be anything.
    Any,
    /// `<(…)`: the name of a file that a command writes.
    Process,
    /// A separator that comes from a variable: `$IFS`.
    Space,
}

/// A variable of which something is taken, or something else instead.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// A quoted one is never split into several words.
    pub quoted: bool,
    /// What is done to it.
    pub change: Change,
    /// What stands behind the operator.
    pub word: Word,
}

/// What is done to a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// `${a[0]}`, `${a[@]}`.
    Element,
    /// `${a:-word}` and its kin.
    Default,
    /// `${a%…}`: its front is left.
    Front,
    /// `${a#…}`: its back is left.
    Back,
    /// `${!a}`: the variable that it names.
    Indirect,
    /// Anything else.
    Other,
}

impl Word {
    /// A word of these parts.
    pub(super) fn of_pieces(pieces: Vec<Piece>) -> Word {
        Word { pieces, ..Word::default() }
    }

    /// A word of these characters.
    pub fn literal(text: impl Into<String>) -> Word {
        Word { pieces: vec![Piece::Text(text.into())], ..Word::default() }
    }

    /// Says that what follows is quoted. Even an empty quote makes a word.
    pub(super) fn quote(&mut self) {
        if !self.quoted {
            self.bare_length = self.text().len();
            self.quoted = true;
        }
        self.push_text("");
    }

    /// Adds a character that means itself.
    pub fn push(&mut self, character: char) {
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push(character),
            _ => self.pieces.push(Piece::Text(character.to_string())),
        }
    }

    /// Adds characters that mean themselves.
    pub fn push_text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// About how much there is of it.
    pub(super) fn weight(&self) -> usize {
        let of = |piece: &Piece| if let Piece::Text(text) = piece { text.len() } else { 16 };
        self.pieces.iter().map(of).sum()
    }

    /// The text of a word that was not quoted and holds nothing unknown: only
    /// such a word can be a keyword.
    pub fn bare(&self) -> Option<String> {
        (!self.quoted).then(|| self.known()).flatten()
    }

    /// The text, when all of it is known.
    pub fn known(&self) -> Option<String> {
        let is_known = self.pieces.iter().all(|piece| matches!(piece, Piece::Text(_) | Piece::Mark(_)));
        is_known.then(|| self.text())
    }

    /// The text with `…` for what is not known.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(known) => text.push_str(known),
                Piece::Mark(mark) => text.push(*mark),
                Piece::Variable { .. }
                | Piece::Changed(_)
                | Piece::List(_)
                | Piece::Unknown
                | Piece::Any
                | Piece::Process => text.push('…'),
                Piece::Space => text.push(' '),
            }
        }
        text
    }

    /// The word without what is not known, which may be empty.
    pub fn known_part(&self) -> Word {
        let texts = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            _ => None,
        });
        Word::literal(texts.collect::<String>())
    }

    /// Whether it is this text, or may be once its unknown parts are known.
    pub(super) fn may_be(&self, wanted: &str) -> bool {
        let text = self.text();
        let mut parts = text.split('…');
        let Some(mut rest) = wanted.strip_prefix(parts.next().unwrap_or_default()) else { return false };
        let Some(last) = parts.next_back() else { return rest.is_empty() };
        for part in parts {
            match rest.split_once(part) {
                Some((_, behind)) => rest = behind,
                None => return false,
            }
        }
        rest.ends_with(last)
    }

    /// The last part of a path that names a program, in lower case and without
    /// `.exe`; none when it cannot be known before the command runs.
    pub fn program_name(&self) -> Option<String> {
        let known_from = self.pieces.iter().rposition(|piece| !matches!(piece, Piece::Text(_)));
        let name = match known_from {
            None => self.text(),
            // `[` is a program of its own; elsewhere it begins a set of characters.
            Some(0) if self.pieces == [Piece::Mark('[')] => return Some("[".to_owned()),
            Some(at) => {
                let Some(Piece::Text(tail)) = self.pieces.get(at + 1) else { return None };
                // An unknown directory does not hide the name behind it.
                tail.contains('/').then(|| tail.clone())?
            }
        };
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        // zsh takes `=name` for the path of a program.
        let name = name.strip_prefix('=').unwrap_or(name).to_ascii_lowercase();
        Some(name.strip_suffix(".exe").map_or(name.clone(), str::to_owned))
    }

    /// Whether nothing of it is known.
    pub fn is_unknown(&self) -> bool {
        !self.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if !text.is_empty()))
            && self.pieces.iter().any(|piece| !matches!(piece, Piece::Text(_) | Piece::Mark(_)))
    }
}
