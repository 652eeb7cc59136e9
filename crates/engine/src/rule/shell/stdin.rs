//! What a command reads, where the command line itself holds it.

use std::borrow::Cow;

use super::fields::fields;
use super::grammar::{Raw, Stdin, parse};
use super::variables::Variables;
use super::word::Word;
use super::wrappers::{Runs, runs};

/// So many programs that run others are passed on the way to the one that prints.
const MAX_WRAPPERS: usize = 4;

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

/// The words of a text that a command reads, where they are not all known: with all that each may be.
pub(super) fn printed_words(
    raw: &Raw,
    raws: &[Raw],
    words: &[Vec<Word>],
    variables: &Variables<'_>,
) -> Vec<Word> {
    let printed = match &raw.stdin {
        Stdin::Text(word) => fields(std::slice::from_ref(word), variables).unwrap_or_default(),
        Stdin::Pipe(Some(from)) => {
            let words = printing(words.get(*from).map_or(&[][..], Vec::as_slice));
            let name = words.first().and_then(Word::program_name);
            let reads_text = || match raws.get(*from).map(|raw| &raw.stdin) {
                Some(Stdin::Text(word)) => fields(std::slice::from_ref(word), variables).unwrap_or_default(),
                _ => Vec::new(),
            };
            match name.as_deref() {
                Some("echo" | "printf") => words[1..].to_vec(),
                Some("cat" | "tee") => reads_text(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    // A `--` that a word may be must not end the options of what reads it.
    let choices = |word: &'_ Word| {
        let may_be = word.choices.iter().filter(|choice| choice.known().as_deref() != Some("--"));
        may_be.cloned().collect::<Vec<Word>>()
    };
    printed.iter().flat_map(|word| std::iter::once(word.clone()).chain(choices(word))).collect()
}

/// What a command writes to its output, where the command line itself holds it.
pub(super) fn text_written(raw: &Raw, words: &[Word], stdin: Option<&str>) -> Option<String> {
    match words.first()?.program_name()?.as_str() {
        "cat" | "tee" if words.len() == 1 || words[0].text() == "tee" => stdin.map(str::to_owned),
        _ => printed(raw, words),
    }
}

/// The words of the command that prints: `eval 'echo x'` and `env echo x` print what `echo x` prints.
fn printing(words: &[Word]) -> Cow<'_, [Word]> {
    let mut words = Cow::Borrowed(words);
    for _ in 0..MAX_WRAPPERS {
        let inner = match words.first().and_then(Word::program_name).and_then(|name| runs(&name)) {
            Some(Runs::Line) => {
                let known: Option<Vec<String>> = words[1..].iter().map(Word::known).collect();
                let mut raws = Vec::new();
                let _ = known.map(|words| parse(&words.join(" "), 0, &mut raws));
                raws.into_iter().next().map(|raw| raw.words)
            }
            Some(Runs::Command(..) | Runs::CommandWord | Runs::Env | Runs::Anywhere) => {
                let prints = |word: &Word| matches!(word.program_name().as_deref(), Some("echo" | "printf"));
                words.iter().position(prints).map(|at| words[at..].to_vec())
            }
            _ => None,
        };
        match inner {
            Some(inner) => words = Cow::Owned(inner),
            None => break,
        }
    }
    words
}

/// What `echo`, `printf` and `cat` print, where that is plain.
fn printed(raw: &Raw, words: &[Word]) -> Option<String> {
    let words = &printing(words)[..];
    let name = words.first()?.program_name()?;
    let args: Option<Vec<String>> = words[1..].iter().map(Word::known).collect();
    let args = args?;
    let text = match name.as_str() {
        "cat" if args.is_empty() => match &raw.stdin {
            Stdin::Text(word) => word.known()?,
            Stdin::Inherited | Stdin::File | Stdin::Pipe(_) => return None,
        },
        "echo" => {
            let is_escaped = args.iter().any(|arg| matches!(arg.as_str(), "-e" | "-ne" | "-en"));
            // `sh` undoes escapes, and bash does not.
            if !is_escaped && args.iter().any(|arg| arg.contains('\\')) {
                return None;
            }
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
    if name == "cat" {
        return Some(text);
    }
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    // Other escapes may spell anything.
    (!text.contains('\\')).then_some(text)
}

fn joined(words: &[Word]) -> Option<String> {
    let words: Option<Vec<String>> = words.iter().map(Word::known).collect();
    words.map(|words| words.join(" "))
}
