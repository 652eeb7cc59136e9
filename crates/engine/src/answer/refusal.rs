//! Finds a refusal in output that is not a valid answer: broken JSON, several
//! objects, or an object as another language prints it.
//!
//! A quote in a message must not open a gate, so every place where a deciding key
//! could begin is tried, also inside what may be a string.
//!
//! Pure: text in, a permission out. Work is linear in the text.

use super::Permission;

/// Keys whose value is a permission.
const PERMISSION_KEYS: &[&str] = &["permission", "permissionDecision", "permission_decision", "decision"];
/// Keys whose `false` refuses.
const BOOLEAN_KEYS: &[&str] = &["continue"];
/// Values that refuse, and what they mean.
const REFUSING_WORDS: &[(&str, Permission)] = &[
    ("deny", Permission::Deny),
    ("block", Permission::Deny),
    ("ask", Permission::Ask),
    ("defer", Permission::Ask),
];
/// The longest word above, and a little more.
const MAX_WORD_BYTES: usize = 24;

/// The strictest refusal that can be read in this text.
pub fn refusal_in(text: &str) -> Option<Permission> {
    Scanner::new(text).strictest(PERMISSION_KEYS, BOOLEAN_KEYS)
}

/// Whether `"key": false` can be read in this text.
pub fn says_false(text: &str, key: &'static str) -> bool {
    Scanner::new(text).strictest(&[], &[key]).is_some()
}

/// The permission of a word that refuses.
pub(super) fn refusing_word(word: &str) -> Option<Permission> {
    REFUSING_WORDS.iter().find(|(known, _)| *known == word).map(|(_, permission)| *permission)
}

struct Scanner<'t> {
    bytes: &'t [u8],
    /// How many bytes between keys and values may still be skipped. Comments can
    /// be nested so that each key skips the same bytes again.
    budget: usize,
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str) -> Scanner<'t> {
        Scanner { bytes: text.as_bytes(), budget: text.len().saturating_mul(8).saturating_add(4096) }
    }

    fn strictest(&mut self, permissions: &[&'static str], booleans: &[&'static str]) -> Option<Permission> {
        let mut strictest = None;
        for at in 0..self.bytes.len() {
            let found = match self.bytes[at] {
                b'"' | b'\'' => {
                    let boolean = self.quoted(at, booleans).and_then(|(_, end)| self.false_behind(end));
                    boolean.or_else(|| {
                        let (_, end) = self.quoted(at, permissions)?;
                        self.word_behind(end)
                    })
                }
                b'{' | b',' => self.behind_bare_key(at + 1, permissions, booleans),
                _ => None,
            };
            strictest = strictest.max(found);
            // A text that is made to be slow to read is in doubt, and a doubt denies.
            if strictest == Some(Permission::Deny) || self.budget == 0 {
                return Some(Permission::Deny);
            }
        }
        strictest
    }

    /// `{ permission: 'deny' }`, as JavaScript prints an object.
    fn behind_bare_key(
        &mut self,
        at: usize,
        permissions: &[&'static str],
        booleans: &[&'static str],
    ) -> Option<Permission> {
        let start = self.skip_gap(at);
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = self.bytes.get(start..)?;
        let length = rest.iter().take(MAX_WORD_BYTES).take_while(|byte| is_letter(byte)).count();
        let is_one_of = |words: &[&str]| words.iter().any(|word| word.as_bytes() == &rest[..length]);
        if is_one_of(booleans) {
            return self.false_behind(start + length);
        }
        if is_one_of(permissions) { self.word_behind(start + length) } else { None }
    }

    fn word_behind(&mut self, at: usize) -> Option<Permission> {
        let value = self.skip_separator(at)?;
        let mut words = [""; REFUSING_WORDS.len()];
        for (word, (known, _)) in words.iter_mut().zip(REFUSING_WORDS) {
            *word = known;
        }
        let (word, _) = self.quoted(value, &words)?;
        refusing_word(word)
    }

    fn false_behind(&mut self, at: usize) -> Option<Permission> {
        let value = self.skip_separator(at)?;
        let rest = self.bytes.get(value..)?;
        let is_false = rest.starts_with(b"false") || rest.starts_with(b"False");
        let ends = rest.get(5).is_none_or(|byte| !byte.is_ascii_alphanumeric());
        (is_false && ends).then_some(Permission::Deny)
    }

    /// Where the value begins, behind `:` (or `=>`, as Ruby prints).
    fn skip_separator(&mut self, at: usize) -> Option<usize> {
        let at = self.skip_gap(at);
        let rest = self.bytes.get(at..)?;
        let length = if rest.starts_with(b":") {
            1
        } else if rest.starts_with(b"=>") {
            2
        } else {
            return None;
        };
        Some(self.skip_gap(at + length))
    }

    /// Skips white space and comments.
    fn skip_gap(&mut self, start: usize) -> usize {
        let mut at = start;
        while let Some(byte) = self.bytes.get(at).filter(|_| self.budget > at - start) {
            let rest = &self.bytes[at..];
            at += match byte {
                _ if byte.is_ascii_whitespace() => 1,
                b'/' if rest.starts_with(b"/*") => end_of(rest, b"*/"),
                b'/' if rest.starts_with(b"//") => end_of(rest, b"\n"),
                b'#' => end_of(rest, b"\n"),
                _ => break,
            };
        }
        self.budget = self.budget.saturating_sub(at - start);
        at
    }

    /// The word of this list that is quoted here, escapes decoded, and where it
    /// ends. The end of the text ends a word, too.
    fn quoted(&self, at: usize, words: &[&'static str]) -> Option<(&'static str, usize)> {
        let quote = *self.bytes.get(at).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let (mut word, mut length, mut at) = ([0u8; MAX_WORD_BYTES], 0, at + 1);
        loop {
            let read = &word[..length];
            let (character, end) = match self.bytes.get(at) {
                Some(byte) if *byte != quote => self.character(at)?,
                end => {
                    let known = words.iter().find(|known| known.as_bytes() == read)?;
                    return Some((known, at + usize::from(end.is_some())));
                }
            };
            *word.get_mut(length)? = character;
            length += 1;
            if !words.iter().any(|known| known.as_bytes().starts_with(&word[..length])) {
                return None;
            }
            at = end;
        }
    }

    /// One ASCII character of a string, and where it ends.
    fn character(&self, at: usize) -> Option<(u8, usize)> {
        let byte = self.bytes[at];
        if byte != b'\\' {
            return Some((byte, at + 1));
        }
        let escaped = *self.bytes.get(at + 1)?;
        let digits = match escaped {
            b'u' => 4,
            b'x' => 2,
            other => return Some((other, at + 2)),
        };
        let end = at + 2 + digits;
        let hexadecimal = std::str::from_utf8(self.bytes.get(at + 2..end)?).ok()?;
        Some((u8::try_from(u32::from_str_radix(hexadecimal, 16).ok()?).ok()?, end))
    }
}

/// How long a comment is: to this mark, or all of it.
fn end_of(comment: &[u8], mark: &[u8]) -> usize {
    comment.windows(mark.len()).position(|at| at == mark).map_or(comment.len(), |found| found + mark.len())
}
