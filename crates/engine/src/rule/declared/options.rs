//! Options of a pattern against the words of a command.
//!
//! A pattern's options are a set: `-rf` is found as `-fr`, `-r -f`, `-Rf` and `--recursive --force`, and
//! long options also in the abbreviations that GNU programs accept.

use super::glob::TextGlob;
use super::shell::could_be;
use crate::rule::shell::{Piece, Word};

/// Spellings of one option, for these programs: letters, then the long name.
type Spellings = (&'static [&'static str], &'static [(&'static str, &'static str)]);

#[rustfmt::skip] // a table of short words
const SPELLINGS: &[Spellings] = &[
    (&["rm", "grm"], &[("rR", "recursive"), ("f", "force"), ("d", "dir"), ("i", "interactive")]),
    (&["cp", "gcp"], &[("rR", "recursive"), ("f", "force"), ("a", "archive")]),
    (&["mv", "ln"], &[("f", "force")]),
    (&["chmod", "chown", "chgrp"], &[("R", "recursive"), ("f", "silent"), ("f", "quiet")]),
    (&["git"], &[("f", "force"), ("n", "dry-run"), ("D", "delete"), ("d", "delete"), ("a", "all"), ("q", "quiet")]),
    (&["docker", "podman"], &[("f", "force"), ("a", "all")]),
    (&["grep"], &[("rR", "recursive")]),
    (&["curl"], &[("k", "insecure"), ("T", "upload-file"), ("d", "data"), ("F", "form"), ("o", "output"), ("X", "request")]),
    (&["wget"], &[("r", "recursive"), ("O", "output-document")]),
    (&["tar"], &[("x", "extract"), ("x", "get"), ("c", "create"), ("f", "file"), ("P", "absolute-names")]),
];

/// Whether a pattern is an option.
pub(super) fn is_option(glob: &TextGlob) -> bool {
    glob.pattern().len() > 1 && glob.pattern().starts_with('-')
}

/// Whether the words of this program hold an option in any spelling.
pub(super) fn has_option(program: &str, option: &TextGlob, args: &[Word]) -> bool {
    let is_there = |option: &TextGlob| {
        args.iter().any(|arg| is_this_option(option, arg, true))
            || other_spellings(program, option)
                .iter()
                .any(|other| args.iter().any(|arg| is_this_option(other, arg, true)))
    };
    if is_there(option) {
        return true;
    }
    // `-rf` is also `-fr` and `-r -f`.
    letters_of(option).is_some_and(|letters| letters.iter().all(is_there))
}

/// The same for a rule that allows, where an abbreviation may be another option.
pub(super) fn has_exact_option(option: &TextGlob, args: &[Word]) -> bool {
    let is_there = |option: &TextGlob| args.iter().any(|arg| is_this_option(option, arg, false));
    is_there(option) || letters_of(option).is_some_and(|letters| letters.iter().all(is_there))
}

/// The letters of a cluster as options of their own.
fn letters_of(option: &TextGlob) -> Option<Vec<TextGlob>> {
    let letters = option.pattern().strip_prefix('-')?;
    let is_cluster = letters.len() > 1 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_cluster.then(|| letters.chars().map(|letter| TextGlob::new(&format!("-{letter}"))).collect())
}

fn other_spellings(program: &str, option: &TextGlob) -> Vec<TextGlob> {
    let pattern = option.pattern();
    let rows =
        SPELLINGS.iter().filter(|(programs, _)| programs.contains(&program)).flat_map(|(_, rows)| *rows);
    let mut others = Vec::new();
    for (letters, long) in rows {
        let is_letter = pattern.len() == 2 && letters.chars().any(|letter| pattern.ends_with(letter));
        if is_letter || pattern.strip_prefix("--") == Some(*long) {
            others.push(TextGlob::new(&format!("--{long}")));
            others.extend(letters.chars().map(|letter| TextGlob::new(&format!("-{letter}"))));
        }
    }
    others
}

/// Whether a word is an option in one of its spellings: `-f` also inside
/// `-uf`, `--force` also with `=value` and, where that makes a rule stricter, abbreviated.
fn is_this_option(option: &TextGlob, arg: &Word, abbreviates: bool) -> bool {
    let Some(text) = arg.known().filter(|_| !has_glob(arg)) else {
        let is_possible = || may_hold_option(option, arg) || is_this_option(option, &arg.known_part(), true);
        return could_be(option, arg) || (abbreviates && is_possible());
    };
    if option.matches(&text) {
        return true;
    }
    let pattern = option.pattern();
    if let Some(name) = pattern.strip_prefix("--") {
        let Some(given) = text.strip_prefix("--") else { return false };
        let given_name = given.split('=').next().unwrap_or_default();
        let whole = given != given_name && option.matches(&text[..given_name.len() + 2]);
        let shortened =
            abbreviates && option.is_plain() && !given_name.is_empty() && name.starts_with(given_name);
        return whole || (shortened && !pattern.contains('='));
    }
    let mut letters = pattern.chars().skip(1);
    match (letters.next(), letters.next()) {
        // A cluster of letters, not a long option of one dash.
        (Some(letter), None) => {
            text.starts_with('-')
                && !text.starts_with("--")
                && text[1..]
                    .trim_start_matches('=')
                    .split('=')
                    .next()
                    .is_some_and(|cluster| cluster.contains(letter))
        }
        _ => false,
    }
}

/// Whether a word of which a part is not known may hold an option in another spelling: `-$x` may be `-uf`, and
/// `--fo$x` may be `--force`.
fn may_hold_option(option: &TextGlob, arg: &Word) -> bool {
    // One that is split may be several words.
    if !arg.quoted && arg.pieces.contains(&Piece::Any) {
        return true;
    }
    let known = arg.pieces.iter().find(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
    let start = match known {
        Some(Piece::Text(text)) => text.as_str(),
        Some(Piece::Any) => return true,
        _ => return false,
    };
    match (start.strip_prefix("--"), option.pattern().strip_prefix("--")) {
        (Some(given), Some(name)) => given.starts_with(name) || name.starts_with(given),
        (None, None) => start.starts_with('-') && option.pattern().len() == 2,
        (Some(_), None) => false,
        (None, Some(_)) => start == "-",
    }
}

/// Whether a word may be the names of files.
pub(super) fn has_glob(word: &Word) -> bool {
    word.pieces.iter().any(|piece| matches!(piece, Piece::Mark('*' | '?' | '[')))
}
