//! Spells a word: quotes and escapes of every kind, and variables that hold parts of it.

use super::generator::{Generator, escaped, single_quoted};

impl Generator {
    /// A word with this value, in some spelling. What it needs to be set before is put into `setup`.
    pub(super) fn word(&mut self, value: &str) -> String {
        if value.is_empty() {
            return "''".to_owned();
        }
        // Long texts in pieces only now and then: they are scripts.
        let is_long = value.len() > 24;
        match self.below(10) {
            0..4 if is_long => return single_quoted(value),
            0..3 if is_plain(value) => return value.to_owned(),
            _ => {}
        }
        let chars: Vec<char> = value.chars().collect();
        let count = if is_long { 1 + self.below(2) } else { 1 + self.below(3) };
        let mut cuts: Vec<usize> = (1..count).map(|_| self.below(chars.len())).collect();
        cuts.extend([0, chars.len()]);
        cuts.sort_unstable();
        let parts: Vec<String> = cuts.windows(2).map(|cut| chars[cut[0]..cut[1]].iter().collect()).collect();
        let mut word = String::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let spelled = self.part(&part, word.is_empty());
            word.push_str(&spelled);
        }
        word
    }

    fn part(&mut self, value: &str, is_first: bool) -> String {
        match self.below(26) {
            0..4 if is_plain(value) => value.to_owned(),
            0..6 => single_quoted(value),
            6..9 => format!("\"{}\"", escaped(value, "\\\"$`")),
            9..12 => self.ansi_quoted(value),
            12 => format!("$\"{}\"", escaped(value, "\\\"$`")),
            13 | 14 => value.chars().map(|it| self.escaped_character(it)).collect(),
            15 => self.with_nothing(value),
            16 => format!("\"{}\"", escaped(value, "\\\"$`").replacen(' ', "\\\n ", 1)),
            17 if self.tricks > 0 => {
                let default = if is_plain(value) {
                    value.to_owned()
                } else {
                    format!("\"{}\"", escaped(value, "\\\"$`}"))
                };
                let form = ["${u:-@}", "${u-@}", "\"${u:-@}\"", "${PWD:+@}", "${u=@}"][self.below(5)];
                let default =
                    if form.starts_with('"') && !is_plain(value) { "q".to_owned() } else { default };
                form.replace('@', &default)
            }
            18..21 if self.tricks > 0 => self.variable(value),
            21 if self.tricks > 0 => self.in_another_case(value, is_first),
            22 if is_plain(value) && value.len() > 1 => format!("{{{value},}}"),
            _ if is_plain(value) => value.to_owned(),
            _ => single_quoted(value),
        }
    }

    fn escaped_character(&mut self, character: char) -> String {
        if character == '\n' { "$'\\n'".to_owned() } else { format!("\\{character}") }
    }

    fn ansi_quoted(&mut self, value: &str) -> String {
        let mut text = "$'".to_owned();
        for character in value.chars() {
            let code = character as u32;
            let is_ascii = character.is_ascii();
            let way = self.below(12);
            let spelled = match way {
                0 if is_ascii => format!("\\x{code:02x}"),
                1 if is_ascii => format!("\\{code:03o}"),
                2 => format!("\\u{code:04x}"),
                3 => format!("\\U{code:08x}"),
                4 if character == '\n' => "\\cj".to_owned(),
                _ if character == '\n' => "\\n".to_owned(),
                _ if matches!(character, '\'' | '\\') => format!("\\{character}"),
                _ => character.to_string(),
            };
            text.push_str(&spelled);
        }
        text + "'"
    }

    /// The value with something in it that expands to nothing.
    fn with_nothing(&mut self, value: &str) -> String {
        const NOTHING: [&str; 18] = [
            "''", "\"\"", "$''", "$\"\"", "\\\n", "$()", "``", "$u", "${u}", "${u:-}", "$@", "$*", "\"$@\"",
            "${u+x}", "`:`", "${u[@]}", "${!u}", "$(:)",
        ];
        // What is not known makes an argument unknown, too: only quotes and new lines here and there.
        let nothing = NOTHING[if self.chance(80) { self.below(5) } else { self.below(NOTHING.len()) }];
        let at = self.below(value.chars().count() + 1);
        let (before, after): (String, String) =
            (value.chars().take(at).collect(), value.chars().skip(at).collect());
        let quoted = |text: String| match text.as_str() {
            "" => String::new(),
            text if is_plain(text) => text.to_owned(),
            text => single_quoted(text),
        };
        format!("{}{nothing}{}", quoted(before), quoted(after))
    }

    fn variable(&mut self, value: &str) -> String {
        self.tricks -= 1;
        let name = self.fresh_name();
        let (setting, reference) = (self.setting(), self.reference());
        let spelled = self.word(value);
        let set = setting
            .replace("%N", &name)
            .replace("%V", &spelled)
            .replace("%D", &escaped(value, "\\\"$`}"))
            .replace("%W", &escaped(value, "\\$`"))
            .replace("%Z", &single_quoted(&single_quoted(value)));
        self.setup.push(set);
        // What is split into words would be another command.
        let reference = if value.contains([' ', '\n', '*']) && !reference.starts_with('"') {
            "\"$%N\""
        } else {
            reference
        };
        reference.replace("%N", &name)
    }

    fn in_another_case(&mut self, value: &str, is_first: bool) -> String {
        if !value.chars().all(|it| it.is_ascii_lowercase()) || !is_first {
            return single_quoted(value);
        }
        self.tricks -= 1;
        let name = self.fresh_name();
        self.setup.push(format!("{name}={}", value.to_ascii_uppercase()));
        let form = ["${%N,,}", "\"${%N,,}\"", "${%N@L}", "${%N,,[A-Z]}", "${%N~~}"][self.below(5)];
        form.replace("%N", &name)
    }

    /// Words as `env -S` reads them.
    pub(super) fn env_quoted(&mut self, words: &[String]) -> String {
        let mut text = String::new();
        for (number, word) in words.iter().enumerate() {
            if number > 0 {
                text.push_str([" ", "  ", "\\_", "\t"][self.below(4)]);
            }
            let quoted = match self.below(4) {
                0 | 1 if is_plain(word) => word.clone(),
                2 => format!("\"{}\"", escaped(word, "\\\"$").replace('\n', "\\n")),
                _ => format!("'{}'", escaped(word, "\\'")),
            };
            text.push_str(&quoted);
        }
        text
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_ascii_alphanumeric() || "-_./".contains(it))
}
