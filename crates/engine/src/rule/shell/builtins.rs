//! What a shell itself runs out of a text: variables that are commands, and builtins that
//! take a text for one. None of it is everyday work, so each is a doubt and is not read.

use super::grammar::Raw;
use super::word::{Piece, Word};

/// Variables whose value a shell runs, or reads a file of.
const RUN: [&str; 2] = ["BASH_ENV", "PROMPT_COMMAND"];
/// Variables in whose value a shell runs substitutions.
const EXPANDED: [&str; 6] = ["ENV", "PS0", "PS1", "PS2", "PS4", "RPROMPT"];
/// Builtins that take a text for the name of a variable, and run what stands in its `[…]`.
const TAKE_NAMES: [&str; 16] = [
    "test",
    "[",
    "printf",
    "read",
    "unset",
    "let",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "mapfile",
    "readarray",
    "getopts",
    "wait",
    "expr",
];

/// Why a shell may run something here that is not among the commands.
pub(super) fn doubt(raws: &[Raw], words: &[Vec<Word>]) -> Option<String> {
    let set = raws.iter().flat_map(|raw| &raw.assigns);
    let named = words.iter().flatten().filter_map(super::grammar::argument_assignment);
    if let Some((name, _)) = set.cloned().chain(named).find(|(name, value)| is_run(name, value.as_ref())) {
        return Some(format!("a shell may run the value of `{name}`"));
    }
    let aliases: Vec<String> = words.iter().flat_map(|words| aliases(words)).collect();
    words.iter().find_map(|words| {
        let first = words.first()?;
        let program = first.program_name()?;
        let runs = runs_text(&program, &words[1..]) || aliases.contains(&first.text());
        runs.then(|| format!("what `{}` runs here cannot be known", first.text()))
    })
}

fn is_run(name: &str, value: Option<&Word>) -> bool {
    let runs_something = |value: &Word| {
        value.pieces.iter().any(|piece| match piece {
            Piece::Text(text) => text.contains("$(") || text.contains('`') || text.contains("${"),
            Piece::Mark(_) | Piece::Space | Piece::Variable { .. } => false,
            Piece::Unknown | Piece::Any | Piece::Changed(_) | Piece::List(_) | Piece::Process => {
                name != "ENV"
            }
        })
    };
    RUN.contains(&name) || (EXPANDED.contains(&name) && value.is_none_or(runs_something))
}

fn runs_text(program: &str, args: &[Word]) -> bool {
    let has = |options: &[&str]| {
        args.iter().any(|arg| arg.known().is_some_and(|text| options.iter().any(|it| text.starts_with(it))))
    };
    match program {
        "mapfile" | "readarray" | "compgen" | "complete" => {
            has(&["-C", "-F"]) || with_substitution(args, "$(")
        }
        "jobs" => has(&["-x"]),
        "hash" => has(&["-p"]),
        "enable" => has(&["-f"]),
        "expect" => has(&["-c"]),
        "declare" | "typeset" | "local" if has(&["-n"]) => true,
        _ => {
            TAKE_NAMES.contains(&program) && (with_substitution(args, "[$(") || with_substitution(args, "[`"))
        }
    }
}

/// A substitution in quotes, which the builtin itself makes.
fn with_substitution(args: &[Word], begin: &str) -> bool {
    args.iter().any(|arg| arg.text().contains(begin))
}

/// The names that `alias` gives; one that is used on the same line may be another program.
fn aliases(words: &[Word]) -> Vec<String> {
    if words.first().and_then(Word::program_name).as_deref() != Some("alias") {
        return Vec::new();
    }
    let texts = words[1..].iter().filter_map(Word::known);
    texts.filter_map(|text| text.split_once('=').map(|(name, _)| name.to_owned())).collect()
}
