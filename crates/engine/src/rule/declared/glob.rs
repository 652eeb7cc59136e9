//! Patterns with `*` for texts and for paths.

/// A pattern for a word of a command: `*` is anything, `?` one character.
#[derive(Debug, Clone, PartialEq)]
pub struct TextGlob {
    pattern: String,
    parts: Vec<Part>,
    /// No wild card and no backslash: the pattern is the text.
    is_text: bool,
}

/// A pattern for a path: `*` and `?` stay inside one name, `**` crosses them,
/// `[abc]` is one character, `{a,b}` a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct PathGlob {
    pattern: String,
    choices: Vec<Vec<Part>>,
    /// A pattern without a slash looks at the last name of a path.
    of_name: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Char(char),
    /// One character, but no slash in a path.
    One,
    /// Any number of characters, but no slash in a path.
    Many,
    /// Any number of characters.
    Any,
    /// `**/`: any number of whole names, each with its slash.
    Names,
    /// One of these, or none of them.
    Set(Vec<(char, char)>, bool),
}

/// `{a,b}` makes no more patterns than this.
const MOST_CHOICES: usize = 64;

impl TextGlob {
    /// Every text is a pattern; `\*` is a star.
    pub fn new(pattern: &str) -> TextGlob {
        let mut parts = Vec::new();
        let mut characters = pattern.chars().peekable();
        while let Some(character) = characters.next() {
            parts.push(match character {
                '*' => Part::Any,
                '?' => Part::One,
                '\\' if matches!(characters.peek(), Some('*' | '?' | '\\')) => {
                    Part::Char(characters.next().unwrap_or('\\'))
                }
                other => Part::Char(other),
            });
        }
        let is_text = !pattern.contains(['*', '?', '\\']);
        TextGlob { pattern: pattern.to_owned(), parts, is_text }
    }

    /// As written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it has no wild card.
    pub fn is_plain(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Char(_)))
    }

    /// Whether a text fits.
    pub fn matches(&self, text: &str) -> bool {
        if self.is_text {
            return self.pattern == text;
        }
        let text: Vec<Option<char>> = text.chars().map(Some).collect();
        self.could_match(&text)
    }

    /// Whether a text could fit in which `None` stands for anything at all.
    pub(super) fn could_match(&self, text: &[Option<char>]) -> bool {
        fits(&self.parts, text, |_| true)
    }
}

impl PathGlob {
    /// Reads a pattern; an error says what is wrong with it.
    pub fn parse(pattern: &str) -> Result<PathGlob, String> {
        if pattern.is_empty() {
            return Err("a pattern for paths is empty".to_owned());
        }
        let of_name = !pattern.contains('/');
        // A directory is all that is in it.
        let inside = if pattern.ends_with('/') { "**" } else { "" };
        // A relative pattern fits at any depth.
        let whole = if of_name || pattern.starts_with('/') || pattern.starts_with("**") {
            format!("{pattern}{inside}")
        } else {
            format!("**/{}{inside}", pattern.strip_prefix("./").unwrap_or(pattern))
        };
        let choices = alternatives(&whole)?.iter().map(|choice| parts(choice)).collect::<Result<_, _>>()?;
        Ok(PathGlob { pattern: pattern.to_owned(), choices, of_name })
    }

    /// As written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether a path could fit in which `None` stands for anything at all.
    pub(super) fn could_match(&self, path: &[Option<char>]) -> bool {
        let Some(unknown) = path.iter().rposition(Option::is_none) else {
            return self.matches(&path.iter().flatten().collect::<String>());
        };
        let tail: String = path[unknown + 1..].iter().flatten().collect();
        // Where something unknown may be left again by `..`, nothing is known.
        if tail.split('/').any(|name| name == "..") {
            return true;
        }
        let is_slash = |character: &Option<char>| *character == Some('/');
        let name = path.iter().rposition(is_slash).map_or(0, |slash| slash + 1);
        let looked_at = if self.of_name { &path[name..] } else { path };
        self.choices.iter().any(|parts| fits(parts, looked_at, |character| character != '/'))
    }

    /// Whether a path fits, however it is spelt.
    pub fn matches(&self, path: &str) -> bool {
        let path = straightened(path);
        let looked_at = if self.of_name { path.rsplit('/').next().unwrap_or_default() } else { &path };
        let text: Vec<Option<char>> = looked_at.chars().map(Some).collect();
        self.choices.iter().any(|parts| fits(parts, &text, |character| character != '/'))
    }
}

/// A path without `.`, `..`, doubled slashes and backslashes.
fn straightened(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            other => names.push(other),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

/// Writes `{a,b}` out.
fn alternatives(pattern: &str) -> Result<Vec<String>, String> {
    let mut waiting = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(next) = waiting.pop() {
        let Some(close) = next.find('}') else {
            done.push(next);
            continue;
        };
        let Some(open) = next[..close].rfind('{') else {
            return Err(format!("a `}}` of `{pattern}` has no `{{`"));
        };
        for choice in next[open + 1..close].split(',') {
            waiting.push(format!("{}{choice}{}", &next[..open], &next[close + 1..]));
        }
        if waiting.len() + done.len() > MOST_CHOICES {
            return Err(format!("`{pattern}` stands for more than {MOST_CHOICES} patterns"));
        }
    }
    match done.iter().any(|choice| choice.contains('{')) {
        true => Err(format!("a `{{` of `{pattern}` is not closed")),
        false => Ok(done),
    }
}

fn parts(pattern: &str) -> Result<Vec<Part>, String> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        match characters[at] {
            '*' if characters.get(at + 1) == Some(&'*') => {
                let begins_name = at == 0 || characters[at - 1] == '/';
                at += 1;
                if begins_name && characters.get(at + 1) == Some(&'/') {
                    at += 1;
                    parts.push(Part::Names);
                } else {
                    parts.push(Part::Any);
                }
            }
            '*' => parts.push(Part::Many),
            '?' => parts.push(Part::One),
            '[' => at = set(&characters, at, pattern, &mut parts)?,
            other => parts.push(Part::Char(other)),
        }
        at += 1;
    }
    Ok(parts)
}

/// `[a-z]` or `[!a]`; gives the place of its end.
fn set(characters: &[char], open: usize, pattern: &str, parts: &mut Vec<Part>) -> Result<usize, String> {
    let not = matches!(characters.get(open + 1), Some('!' | '^'));
    let start = open + 1 + usize::from(not);
    let length = characters.iter().skip(start + 1).position(|character| *character == ']');
    let Some(length) = length else { return Err(format!("a `[` of `{pattern}` is not closed")) };
    let end = start + 1 + length;
    let mut ranges = Vec::new();
    let mut at = start;
    while at < end {
        let is_range = characters.get(at + 1) == Some(&'-') && at + 2 < end;
        let last = if is_range { characters[at + 2] } else { characters[at] };
        ranges.push((characters[at], last));
        at += if is_range { 3 } else { 1 };
    }
    parts.push(Part::Set(ranges, not));
    Ok(end)
}

/// Whether a text fits, in time that is the product of both lengths at most.
/// `None` in the text stands for anything.
fn fits(parts: &[Part], text: &[Option<char>], inside: impl Fn(char) -> bool) -> bool {
    // `reach[n]`: the parts so far fit the first `n` characters.
    let mut reach = vec![false; text.len() + 1];
    reach[0] = true;
    spread_unknown(&mut reach, text);
    for part in parts {
        let mut next = vec![false; text.len() + 1];
        match part {
            Part::Any | Part::Many => {
                let crosses = matches!(part, Part::Any);
                let mut open = false;
                for at in 0..=text.len() {
                    open |= reach[at];
                    next[at] = open;
                    if let Some(Some(character)) = text.get(at)
                        && !crosses
                        && !inside(*character)
                    {
                        open = false;
                    }
                }
            }
            Part::Names => {
                let from = reach.iter().position(|reached| *reached);
                for at in 0..=text.len() {
                    let behind_slash = at > 0 && text[at - 1].is_none_or(|character| character == '/');
                    next[at] = reach[at] || (behind_slash && from.is_some_and(|from| from < at));
                }
            }
            Part::Char(_) | Part::One | Part::Set(..) => {
                for at in 0..text.len() {
                    let fits = match text[at] {
                        None => true,
                        Some(character) => one(part, character, &inside),
                    };
                    next[at + 1] |= reach[at] && fits;
                    // Something unknown may hold more than this one.
                    next[at] |= reach[at] && text[at].is_none();
                }
            }
        }
        reach = next;
        spread_unknown(&mut reach, text);
    }
    reach[text.len()]
}

/// Something unknown may be nothing at all.
fn spread_unknown(reach: &mut [bool], text: &[Option<char>]) {
    for at in 0..text.len() {
        if text[at].is_none() && reach[at] {
            reach[at + 1] = true;
        }
    }
}

fn one(part: &Part, character: char, inside: &impl Fn(char) -> bool) -> bool {
    match part {
        Part::Char(wanted) => *wanted == character,
        Part::One => inside(character),
        Part::Set(ranges, not) => {
            inside(character) && ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *not
        }
        Part::Many | Part::Any | Part::Names => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_fits_however_it_is_spelt() {
        let cases = [
            (".env", "/p/.env", true),
            (".env", "/p/a/../.env", true),
            (".env*", "/p/.env.local", true),
            (".env", "/p/.env/x", false),
            ("*.pem", "C:\\keys\\a.pem", true),
            ("*.pem", "/a.pem/b", false),
            ("secrets/**", "/home/me/p/secrets/a/b", true),
            ("secrets/**", "/home/me/p/secrets", false),
            ("secrets/", "/home/me/p/secrets/a/b", true),
            ("secrets/", "secrets/a", true),
            ("secrets/", "/p/secrets", false),
            ("/etc/", "/etc/passwd", true),
            ("secrets/*", "/p/secrets/a/b", false),
            ("/etc/**", "/etc/passwd", true),
            ("/etc/**", "/etc//x/./y", true),
            ("/etc/**", "/home/etc/passwd", false),
            ("**/node_modules/**", "/p/node_modules/x", true),
            ("**/node_modules/**", "node_modules/x", true),
            ("/a/**/b", "/a/b", true),
            ("/a/**/b", "/a/x/y/b", true),
            ("/a/**/b", "/a/xb", false),
            ("*.{pem,key}", "/x/id.key", true),
            ("*.{pem,key}", "/x/id.pub", false),
            ("id_[a-z]sa", "/x/id_rsa", true),
            ("id_[!a-z]sa", "/x/id_rsa", false),
            ("?", "/x/ab", false),
        ];
        for (pattern, path, expected) in cases {
            let glob = PathGlob::parse(pattern).expect(pattern);
            assert_eq!(glob.matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        let many = "{a,b}".repeat(10);
        for pattern in ["", "[a", "{a", "a}", &many] {
            assert!(PathGlob::parse(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn something_unknown_could_be_anything() {
        let unknown = |text: &str| -> Vec<Option<char>> {
            text.chars().map(|character| (character != '…').then_some(character)).collect()
        };
        let cases = [
            ("--force", "--…", true),
            ("--force", "--fo…ce", true),
            ("--force", "--set…", false),
            ("push", "p…", true),
            ("push", "origin/…", false),
            ("a*c", "a…", true),
            ("--force", "--force…", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(TextGlob::new(pattern).could_match(&unknown(text)), expected, "{pattern} {text}");
        }
    }
}
