//! `boathook hookify FILE` as the command of an entry: recognised literally,
//! so that nothing a shell would do is lost.

use std::path::PathBuf;

use super::{Mode, Options, WarnAs};

/// A command line that asks for one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    /// The file, as written.
    pub file: PathBuf,
    /// The options it names; the mode only when it does.
    pub mode: Option<Mode>,
    /// What warnings become.
    pub warn_as: WarnAs,
}

/// What a shell would not take as it stands.
const ACTIVE: &str = "$`\\\"'*?[]{}()<>|&;#~!\n\r";

/// The rule a command line asks for; none when it is anything else.
pub fn spelled(command: &str) -> Option<Spelled> {
    let rest = command.trim().strip_prefix("boathook")?;
    let rest = rest.strip_prefix(".exe").unwrap_or(rest).strip_prefix([' ', '\t'])?;
    let mut rest = rest.trim_start().strip_prefix("hookify")?.strip_prefix([' ', '\t'])?.trim_start();
    let (mut mode, mut warn_as) = (None, WarnAs::default());
    while rest.starts_with("--") {
        let (option, behind) = rest.split_once([' ', '\t'])?;
        rest = behind.trim_start();
        match option {
            "--faithful" => mode = Some(Mode::Faithful),
            "--warn-as" => {
                let (value, behind) = rest.split_once([' ', '\t'])?;
                (warn_as, rest) = (WarnAs::named(value)?, behind.trim_start());
            }
            other => warn_as = WarnAs::named(other.strip_prefix("--warn-as=")?)?,
        }
    }
    Some(Spelled { file: PathBuf::from(file(rest)?), mode, warn_as })
}

/// The command line for a rule, which `spelled` reads back.
pub fn command_line(file: &str, options: Options) -> Option<String> {
    let mut line = "boathook hookify ".to_owned();
    if options.mode == Mode::Faithful {
        line.push_str("--faithful ");
    }
    if options.warn_as != WarnAs::default() {
        line.push_str(&format!("--warn-as {} ", options.warn_as.name()));
    }
    let plain = !file.contains(|letter: char| letter.is_whitespace() || ACTIVE.contains(letter));
    if plain {
        return Some(line + file);
    }
    (!file.contains(['\'', '\n', '\r'])).then(|| format!("{line}'{file}'"))
}

/// One word: plain, or in quotes with nothing active inside.
fn file(word: &str) -> Option<&str> {
    if let Some(inside) = word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return (!inside.is_empty() && !inside.contains('\'')).then_some(inside);
    }
    if let Some(inside) = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return (!inside.is_empty() && !inside.contains(['"', '$', '`', '\\', '!'])).then_some(inside);
    }
    let plain = !word.contains(|letter: char| letter.is_whitespace() || ACTIVE.contains(letter));
    (plain && !word.is_empty() && !word.starts_with('-')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_literal_command_is_a_rule() {
        let rule = ".claude/hookify.a.local.md";
        let cases = [
            (format!("boathook hookify {rule}"), Some((None, WarnAs::Message))),
            (format!("boathook hookify '{rule}'"), Some((None, WarnAs::Message))),
            (
                format!("boathook  hookify --faithful \"{rule}\""),
                Some((Some(Mode::Faithful), WarnAs::Message)),
            ),
            (format!("boathook hookify --warn-as ask {rule}"), Some((None, WarnAs::Ask))),
            (format!("boathook hookify --warn-as=deny {rule}"), Some((None, WarnAs::Deny))),
            (format!("boathook hookify {rule} && rm x"), None),
            (format!("boathook hookify {rule}; true"), None),
            (format!("boathook hookify $HOME/{rule}"), None),
            (format!("./boathook hookify {rule}"), None),
            ("boathook hookify".to_owned(), None),
            ("boathook hookify a b".to_owned(), None),
            ("boathook hookify --what a".to_owned(), None),
            ("boathooks hookify a".to_owned(), None),
        ];
        for (command, expected) in cases {
            let found = spelled(&command);
            assert_eq!(found.as_ref().map(|it| (it.mode, it.warn_as)), expected, "{command}");
            assert!(found.is_none_or(|it| *it.file == *rule), "{command}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for file in [".claude/hookify.a.local.md", "a b/hookify.é.local.md", "hookify.$x.local.md"] {
            for warn_as in [WarnAs::Message, WarnAs::Ask, WarnAs::Deny] {
                let line = command_line(file, Options { mode: Mode::Faithful, warn_as }).expect(file);
                let read = Spelled { file: PathBuf::from(file), mode: Some(Mode::Faithful), warn_as };
                assert_eq!(spelled(&line), Some(read), "{line}");
            }
        }
        assert_eq!(command_line("it's", Options::default()), None);
    }
}
