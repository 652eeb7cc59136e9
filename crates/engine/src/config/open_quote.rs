//! Finds a quote of a command that is never closed.

use super::scripts::placed;
use super::shell::{Quotes, Quoting};
use crate::definition::Definition;
use crate::problem::Problem;

/// The shell waits for the other quote and finds the end of the command.
pub(super) fn open_quote(definition: &Definition, command: &str) -> Option<Problem> {
    // What stands in a here document has quotes of its own.
    if command.contains("<<") {
        return None;
    }
    let (quote, name) = match Quotes::new(command).at(command.len()) {
        Quoting::Single(_) => ('\'', "single"),
        Quoting::Double(_) => ('"', "double"),
        Quoting::Bare | Quoting::Comment => return None,
    };
    let message = format!("a {name} quote of this command is never closed: the shell refuses to run it");
    let help = if quote == '"' {
        "close it; inside JSON a double quote is written \\\""
    } else {
        "close it; an apostrophe in a text stands in double quotes"
    };
    Some(placed(definition, Problem::warning("open-quote", message).help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventKind;

    #[test]
    fn only_a_quote_without_an_end_is_told() {
        let cases = [
            ("echo 'a' \"b\"", false),
            ("echo 'a", true),
            ("echo \"a", true),
            ("echo it's", true),
            ("echo \\'", false),
            ("echo \"it's\"", false),
            ("echo '\"'", false),
            ("echo $(printf 'a') \"$(printf \"b\")\"", false),
            ("x # don't", false),
            ("cat <<E\nit's\nE", false),
            ("", false),
        ];
        for (command, expected) in cases {
            let definition = Definition::command(EventKind::Stop, command);
            assert_eq!(open_quote(&definition, command).is_some(), expected, "{command}");
        }
    }
}
