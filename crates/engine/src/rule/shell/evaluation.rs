//! What a shell evaluates by itself: arithmetic and subscripts.
//!
//! bash evaluates the value of a variable that is named in `$((…))`, `[[ x -eq 1 ]]`, `let`, `declare -i`, a
//! subscript and others, and runs the substitutions in it, however they were quoted when the value was
//! set. Which value reaches which evaluation is not followed: on a line that evaluates anything, every
//! substitution in a literal text is read as if it ran.

use super::fields::alternatives;
use super::grammar::{Raw, Stdin};
use super::inner::{Around, read_into};
use super::variables::{Variables, names_set, without_prefix};
use super::word::{Change, Piece, Word};
use super::{DEEPEST, Reading};

/// More texts than this are not read; they are a doubt.
const MAX_TEXTS: usize = 500;

/// A literal text that holds a `$` or a backtick.
#[derive(Debug, Clone, PartialEq)]
pub struct LatentText {
    text: String,
    /// Whether it may become the value of a variable, or a part of one.
    flows: bool,
    /// Whether a part of it is a value that the line makes in a way that is not followed.
    is_composed: bool,
}

/// Builtins that evaluate a text among their arguments.
const EVALUATING: [&str; 16] = [
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
    "integer",
];
/// Variables whose assigned value is evaluated.
const INTEGERS: [&str; 8] =
    ["SECONDS", "RANDOM", "SRANDOM", "LINENO", "HISTCMD", "OPTIND", "EPOCHSECONDS", "BASH_ARGV0"];
/// Lower-case names that mean something to zsh or to programs.
const SPECIAL: [&str; 9] =
    ["path", "fpath", "cdpath", "commands", "aliases", "galiases", "functions", "builtins", "options"];

/// Notes what one text evaluates, and every literal text in it.
pub(super) fn collect(reading: &mut Reading, raws: &[Raw], words: &[Vec<Word>], variables: &Variables<'_>) {
    let functions: Vec<&str> = raws.iter().filter_map(|raw| raw.function.as_deref()).collect();
    for (raw, words) in raws.iter().zip(words) {
        if let Some(word) = raw.evaluates.as_ref().filter(|word| !is_number(word)) {
            reading.evaluates = true;
            reading.doubt_to_allow("the shell evaluates a variable, whose value may run commands");
            add(reading, word, true);
        }
        for (name, value) in &raw.assigns {
            reading.evaluates |= INTEGERS.contains(&name.as_str());
            if let Some(value) = value {
                add(reading, value, true);
                let is_plain = |piece: &Piece| matches!(piece, Piece::Text(_));
                if !value.pieces.iter().all(is_plain) {
                    let values = alternatives(value, variables).into_iter().map(Word::of_pieces);
                    values.for_each(|value| add(reading, &value, true));
                }
            }
        }
        raw.appends.iter().for_each(|word| add(reading, word, true));
        if raw.is_note && raw.assigns.iter().any(|(name, _)| !is_ordinary(name)) {
            reading.doubt_to_allow("a variable is set that may change what a name means");
        }
        if let Stdin::Text(text) = &raw.stdin {
            add(reading, text, true);
        }
        let own = without_prefix(words);
        let program = own.first().and_then(Word::program_name).unwrap_or_default();
        let evaluates = EVALUATING.contains(&program.as_str()) && evaluates_here(&program, own);
        reading.evaluates |= evaluates;
        let is_function = functions.contains(&program.as_str());
        let flows = evaluates
            || is_function
            || matches!(
                program.as_str(),
                "echo"
                    | "printf"
                    | "set"
                    | "export"
                    | "declare"
                    | "typeset"
                    | "local"
                    | "readonly"
                    | "let"
                    | "eval"
                    | "bash"
                    | "sh"
            );
        words.iter().chain(&raw.words).for_each(|word| add(reading, word, flows));
    }
}

/// `read x` and `export A=b` evaluate nothing.
fn evaluates_here(program: &str, words: &[Word]) -> bool {
    let texts: Vec<String> = words[1..].iter().map(Word::text).collect();
    let has_option = |letters: &str| {
        texts.iter().any(|text| text.starts_with(['-', '+']) && text.contains(|c| letters.contains(c)))
    };
    let has_subscript = texts.iter().any(|text| text.contains('[') || text.contains('…'));
    match program {
        "let" => true,
        "test" | "[" | "printf" => has_option("v"),
        "declare" | "typeset" | "local" | "integer" => has_option("iaAn") || has_subscript,
        _ => has_subscript || !names_set(words).iter().all(|name| !INTEGERS.contains(&name.as_str())),
    }
}

/// Whether digits and operators are all there is to evaluate.
fn is_number(word: &Word) -> bool {
    let is_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '`' | '\'' | '"');
    word.known().is_some_and(|text| !text.contains(is_name))
}

fn is_ordinary(name: &str) -> bool {
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (name.bytes().all(is_lower) || name == "BASH_REMATCH")
        && !name.ends_with("_proxy")
        && !SPECIAL.contains(&name)
}

fn add(reading: &mut Reading, word: &Word, flows: bool) {
    if reading.texts.len() > MAX_TEXTS {
        return;
    }
    for piece in &word.pieces {
        match piece {
            Piece::Changed(changed) => {
                add(reading, &changed.word, flows || changed.change != Change::Element);
            }
            Piece::List(words) => words.iter().for_each(|word| add(reading, word, true)),
            _ => {}
        }
    }
    word.choices.iter().for_each(|choice| add(reading, choice, flows));
    let text = word.text();
    let hides = |it: &&str| text.contains(*it);
    let is_escaped = flows
        && ["\\x24", "\\044", "\\44", "\\0044", "u0024", "\\x60", "\\140", "\\0140", "u0060"]
            .iter()
            .any(hides);
    if !(text.contains(['$', '`']) || is_escaped) {
        return;
    }
    let text = if is_escaped { format!("{text}$") } else { text };
    let latent = LatentText { text, flows, is_composed: word.pieces.contains(&Piece::Any) };
    if !reading.texts.contains(&latent) {
        reading.texts.push(latent);
    }
}

/// Reads the substitutions of all literal texts, where the shell evaluates any.
pub(super) fn evaluate(reading: &mut Reading) {
    while reading.evaluates && reading.texts_read < reading.texts.len() {
        if reading.texts_read >= MAX_TEXTS {
            return reading.doubt("it has too many texts that the shell may evaluate");
        }
        let latent = reading.texts[reading.texts_read].clone();
        reading.texts_read += 1;
        let text = latent.text.replace("\\$", "$").replace("\\`", "`");
        if latent.flows && (latent.is_composed || is_fragment(&text)) {
            reading.doubt("the shell evaluates a text that is put together");
        }
        // A text inside a text has backslashes that it loses when the outer one is read, or has lost them.
        // What is not known may be anything, or nothing.
        let mut variants =
            vec![text.replace('…', "$()"), latent.text.replace('…', "$()"), text.replace('…', "")];
        variants.dedup();
        for text in variants.iter().filter(|text| has_substitution(text)) {
            let before = reading.unclear.clone();
            let body = format!("<<BOATHOOK_TEXT\n{}\nBOATHOOK_TEXT\n", text.replace("BOATHOOK_TEXT", ""));
            read_into(reading, &body, DEEPEST / 2, Around::default());
            // A text of another language (`awk '{ $(…'`) is not evaluated.
            if !latent.flows && before.is_none() {
                reading.unclear = before;
            }
        }
    }
    let is_renamed = |name: &str| reading.renamed.iter().any(|renamed| renamed == name);
    let renamed =
        reading.commands.iter().find_map(|command| command.program().filter(|name| is_renamed(name)));
    if let Some(name) = renamed {
        let reason = format!("what `{name}` runs here cannot be known");
        reading.doubt(reason);
    }
}

fn has_substitution(text: &str) -> bool {
    ["$(", "${", "`", "$["].iter().any(|begin| text.contains(begin))
}

/// A `$` or backtick with nothing behind it: the rest may be in another text.
fn is_fragment(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let is_open = |at: usize| match chars.get(at + 1) {
        None | Some('…') => true,
        Some(_) => false,
    };
    (0..chars.len()).any(|at| chars[at] == '$' && is_open(at)) || text.matches('`').count() % 2 == 1
}
