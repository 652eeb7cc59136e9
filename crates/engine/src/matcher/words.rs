//! Patterns that need no engine: words, and choices between words.
//!
//! Most matchers are of this kind (`Shell|Read|Write`, `^Shell$`, `curl|nc `).

/// One of several words.
#[derive(Debug, PartialEq, Eq)]
pub struct Words(Vec<Word>);

#[derive(Debug, PartialEq, Eq)]
struct Word {
    text: String,
    at_start: bool,
    at_end: bool,
}

impl Words {
    /// The words of a pattern; none when it has to be read as an expression.
    pub fn of(pattern: &str) -> Option<Words> {
        pattern.split('|').map(Word::of).collect::<Option<Vec<Word>>>().map(Words)
    }

    /// Steps that a search may take; a word is looked for at 1 ns for each byte or less.
    pub fn cost(&self, subject: &str) -> u64 {
        (self.0.len() as u64).saturating_mul(subject.len() as u64 / 10 + 1)
    }

    /// Whether any of them is in the subject.
    pub fn is_match(&self, subject: &str) -> bool {
        self.0.iter().any(|word| word.is_match(subject))
    }
}

impl Word {
    fn of(branch: &str) -> Option<Word> {
        let behind_start = branch.strip_prefix('^');
        let rest = behind_start.unwrap_or(branch);
        let before_end = rest.strip_suffix('$');
        let text = before_end.unwrap_or(rest);
        let plain = !text.contains(['\\', '^', '$', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}']);
        plain.then(|| Word {
            text: text.to_owned(),
            at_start: behind_start.is_some(),
            at_end: before_end.is_some(),
        })
    }

    fn is_match(&self, subject: &str) -> bool {
        match (self.at_start, self.at_end) {
            (false, false) => subject.contains(&self.text),
            (true, false) => subject.starts_with(&self.text),
            (false, true) => subject.ends_with(&self.text),
            (true, true) => subject == self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_searched_without_an_engine() {
        let cases = [
            ("Shell", "Shell", true),
            ("Shell", "PowerShell!", true),
            ("Shell", "shell", false),
            ("Shell|Read|Write", "Reader", true),
            ("curl|wget|nc ", "sync", false),
            ("curl|wget|nc ", "nc -l", true),
            ("^Shell$|^Read$", "Read", true),
            ("^Shell$|^Read$", "TabRead", false),
            ("^git ", "git push", true),
            ("^git ", "a git push", false),
            ("ts$", "a.ts", true),
            ("ts$", "a.ts\n", false),
            ("a|", "nothing of it", true),
            ("^$", "", true),
            ("^$", "a", false),
            ("MCP:écho", "MCP:écho", true),
        ];
        for (pattern, subject, expected) in cases {
            let words = Words::of(pattern).expect("only words");
            assert_eq!(words.is_match(subject), expected, "{pattern} and {subject:?}");
        }
    }

    #[test]
    fn anything_else_is_an_expression() {
        for pattern in
            ["a.b", "a*", r"\bgit", "(a)", "[a]", "a{2}", "a]", "a^b", "a$b", "a+|b", "x?", "^^a", "*"]
        {
            assert_eq!(Words::of(pattern), None, "{pattern}");
        }
    }
}
