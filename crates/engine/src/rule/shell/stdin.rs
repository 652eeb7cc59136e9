//! What a command reads, where the command line itself holds it.

use super::fields::fields;
use super::grammar::{Raw, Stdin};
use super::variables::Variables;
use super::word::Word;

/// The text a command reads, where the command line itself holds it.
pub(super) fn stdin_of(
    raw: &Raw,
    raws: &[Raw],
    words: &[Vec<Word>],
    variables: &Variables<'_>,
) -> Option<String> {
    match &raw.stdin {
        Stdin::Inherited | Stdin::File | Stdin::Pipe(None) => None,
        Stdin::Text(word) => joined(&fields(std::slice::from_ref(word), variables).ok()?),
        Stdin::Pipe(Some(from)) => printed(raws.get(*from)?, words.get(*from)?),
    }
}

/// What a command writes to its output, where the command line itself holds it.
pub(super) fn text_written(raw: &Raw, words: &[Word], stdin: Option<&str>) -> Option<String> {
    match words.first()?.program_name()?.as_str() {
        "cat" | "tee" if words.len() == 1 || words[0].text() == "tee" => stdin.map(str::to_owned),
        _ => printed(raw, words),
    }
}

/// What `echo`, `printf` and `cat` print, where that is plain.
fn printed(raw: &Raw, words: &[Word]) -> Option<String> {
    let name = words.first()?.program_name()?;
    let args: Option<Vec<String>> = words[1..].iter().map(Word::known).collect();
    let args = args?;
    let text = match name.as_str() {
        "cat" if args.is_empty() => match &raw.stdin {
            Stdin::Text(word) => word.known()?,
            Stdin::Inherited | Stdin::File | Stdin::Pipe(_) => return None,
        },
        "echo" => {
            let flags =
                args.iter().take_while(|arg| matches!(arg.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en"));
            args[flags.count()..].join(" ")
        }
        "printf" => match args.split_first()? {
            (format, rest) if matches!(format.as_str(), "%s" | "%s\\n" | "%b" | "%b\\n" | "%s ") => {
                rest.join("\n")
            }
            (format, []) if !format.contains('%') => format.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    // Other escapes may spell anything.
    (name == "cat" || !text.contains('\\')).then_some(text)
}

fn joined(words: &[Word]) -> Option<String> {
    let words: Option<Vec<String>> = words.iter().map(Word::known).collect();
    words.map(|words| words.join(" "))
}
