//! What a shell itself runs out of a text: variables that are commands, and builtins that
//! take a text for one. None of it is everyday work, so each is a doubt and is not read.

use super::grammar::Raw;
use super::variables::names_set;
use super::word::{Piece, Word};

/// Variables whose value a shell runs, or reads a file of.
const RUN: [&str; 6] = ["BASH_ENV", "PROMPT_COMMAND", "BASH_ALIASES", "BASH_CMDS", "SHELLOPTS", "BASHOPTS"];
/// Variables in whose value a shell runs substitutions.
const EXPANDED: [&str; 6] = ["ENV", "PS0", "PS1", "PS2", "PS4", "RPROMPT"];
/// Functions that a shell calls by itself, with words that the line has elsewhere.
const CALLED: [&str; 2] = ["command_not_found_handle", "command_not_found_handler"];
/// Why a shell may run something here that is not among the commands.
pub(super) fn doubt(raws: &[Raw], words: &[Vec<Word>]) -> Option<String> {
    let set = raws.iter().flat_map(|raw| &raw.assigns);
    let named = words.iter().flatten().filter_map(super::grammar::argument_assignment);
    let declared = words.iter().flat_map(|words| names_set(words)).map(|name| (name, None));
    let is_function = |word: &&Word| word.text().contains("BASH_FUNC_");
    if words.iter().flatten().any(|word| is_function(&word)) {
        return Some("a variable makes a function".to_owned());
    }
    let functions = raws.iter().filter_map(|raw| raw.function.as_deref());
    if let Some(name) = functions.into_iter().find(|name| CALLED.contains(name)) {
        return Some(format!("the shell itself calls `{name}`"));
    }
    if let Some((name, _)) =
        set.cloned().chain(named).chain(declared).find(|(name, value)| is_run(name, value.as_ref()))
    {
        return Some(format!("a shell may run the value of `{name}`"));
    }
    words.iter().find_map(|words| {
        let first = words.first()?;
        let program = first.program_name()?;
        let runs = runs_text(&program, &words[1..]);
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
        args.iter().map(Word::text).any(|text| options.iter().any(|it| text.starts_with(it)))
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
        "bind" => has(&["-x"]),
        "fc" => true,
        _ => false,
    }
}

/// A substitution in quotes, which the builtin itself makes.
fn with_substitution(args: &[Word], begin: &str) -> bool {
    args.iter().any(|arg| arg.text().contains(begin))
}

/// The names that `alias` gives; one that is used on the same line may be another program.
pub(super) fn aliases(words: &[Word]) -> Vec<String> {
    if words.first().and_then(Word::program_name).as_deref() != Some("alias") {
        return Vec::new();
    }
    let texts = words[1..].iter().filter_map(Word::known);
    texts.filter_map(|text| text.split_once('=').map(|(name, _)| name.to_owned())).collect()
}
