//! What a shell itself runs out of a text: variables that are commands, and builtins that
//! take a text for one. None of it is everyday work, so each is a doubt and is not read.

use super::fields::alternatives;
use super::grammar::Raw;
use super::variables::{Variables, names_set};
use super::word::{Piece, Word};

/// Variables whose value a shell runs, or reads a file of.
const RUN: [&str; 6] = ["BASH_ENV", "PROMPT_COMMAND", "BASH_ALIASES", "BASH_CMDS", "SHELLOPTS", "BASHOPTS"];
/// Variables in whose value a shell runs substitutions.
const EXPANDED: [&str; 6] = ["ENV", "PS0", "PS1", "PS2", "PS4", "RPROMPT"];
/// Functions that a shell calls by itself, with words that the line has elsewhere.
const CALLED: [&str; 2] = ["command_not_found_handle", "command_not_found_handler"];
/// Why a shell may run something here that is not among the commands.
pub(super) fn doubt(raws: &[Raw], words: &[Vec<Word>], variables: &Variables<'_>) -> Option<String> {
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
    if let Some((name, _)) = set
        .cloned()
        .chain(named)
        .chain(declared)
        .find(|(name, value)| is_run(name, value.as_ref(), variables))
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

fn is_run(name: &str, value: Option<&Word>, variables: &Variables<'_>) -> bool {
    let runs_something = |piece: &Piece| match piece {
        Piece::Text(text) => text.contains("$(") || text.contains('`') || text.contains("${"),
        Piece::Mark(_) | Piece::Space | Piece::Variable { .. } => false,
        Piece::Unknown | Piece::Any | Piece::Changed(_) | Piece::List(_) | Piece::Process => name != "ENV",
    };
    // A variable that the line itself sets may hold a substitution.
    let holds_something = |value: &Word| {
        let all = || alternatives(value, variables).into_iter().flatten();
        value.pieces.iter().any(runs_something)
            || all().any(|piece| piece != Piece::Unknown && runs_something(&piece))
    };
    RUN.contains(&name) || (EXPANDED.contains(&name) && value.is_none_or(holds_something))
}

fn runs_text(program: &str, args: &[Word]) -> bool {
    let has = |options: &[&str]| {
        args.iter().map(Word::text).any(|text| options.iter().any(|it| text.starts_with(it)))
    };
    match program {
        "mapfile" | "readarray" => has(&["-C", "-F"]) || has_substitution(args),
        "compgen" | "complete" => {
            let is_made_here = |arg: &Word| arg.pieces.contains(&Piece::Any);
            let choices = || args.iter().flat_map(|arg| &arg.choices);
            has(&["-C", "-F"])
                || has_substitution(args.iter().chain(choices()))
                || args.iter().chain(choices()).any(is_made_here)
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
fn has_substitution<'a>(args: impl IntoIterator<Item = &'a Word>) -> bool {
    args.into_iter().any(|arg| ["$(", "`"].iter().any(|begin| arg.text().contains(begin)))
}

/// The names that `alias` gives; one that is used on the same line may be another program.
pub(super) fn aliases(words: &[Word]) -> Vec<String> {
    if words.first().and_then(Word::program_name).as_deref() != Some("alias") {
        return Vec::new();
    }
    let texts = words[1..].iter().filter_map(Word::known);
    texts.filter_map(|text| text.split_once('=').map(|(name, _)| name.to_owned())).collect()
}
