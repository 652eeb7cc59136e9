//! The matcher against another implementation of ECMAScript's expressions, on
//! generated patterns, and on the matchers people have written.
//!
//! The other one (`regress`) has no limit to its work and loops for ever on
//! some repetitions of what may be empty, so subjects are short and such
//! repetitions are left out. Where it is known to differ from JavaScript the
//! generated patterns keep away: it reads `\u{61}` as if a flag were set, lets
//! `\b` be repeated, miscounts a counted repetition inside another, takes an open
//! group for closed, and misses some names that are given twice. The tables
//! beside the matcher cover these.

use std::io::Write;
use std::path::{Path, PathBuf};

use boathook_engine::matcher::{Matcher, Verdict};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// What patterns are made of when nobody cares whether they are valid.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "a", "b", "A", "1", "-", "_", " ", ".", "*", "+", "?", "{", "}", "{2}", "{1,2}", "{0,1}?", "{,3}", "{2,", "{2", "{3,2}", "*?", ",",
    "(", ")", ")", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>", "(?i)", "(?P<n>a)", "(?>", "(a)", "(b|c)", "|",
    "(?i:", "(?-i:", "(?m:", "(?s:", "(?im-s:", "(?ii:", "(?-:", "^", "$",
    "[", "]", "]", "[^", "[]", "[^]", "[a-c]", r"[^a-c\d]", r"[\w-a]", r"[a-\d]", "[b-a]", "[[:alpha:]]", "&&", "--", "~~", "a-b",
    r"\d", r"\w", r"\s", r"\bb", r"\Bb", r"\D", r"\W", r"\S", r"\1", r"\2", r"\k<n>", r"\k", r"\0", r"\01", r"\8", r"\377", r"\400", r"\11",
    r"\x41", r"\x4", r"\u0061", r"\u00", r"\ca", r"\c", r"\c1", r"\-", r"\/", r"\A", r"\z", r"\e", r"\p{L}", r"\n", r"\\", r"\",
    "\n", "é", "\u{2028}",
];
const CHARACTERS: &[&str] =
    &["a", "b", ".", r"\w", r"\d", "[ab]", "[^a]", r"\s", "1", "[^]", r"\W", "é", "[^é]", "[]"];
const PLACES: &[&str] = &["", "^", "$", r"\b", r"\B"];
const REFERENCES: &[&str] = &[r"\1", r"\2", r"\k<n>"];
const QUANTIFIERS: &[&str] =
    &["", "*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1,2}", "{0,2}?", "{2,}", "{1,}?"];
const GROUPS: &[&str] = &["(", "(", "(?:", "(?i:", "(?m:", "(?s:", "(?<n>"];
const LOOKS: &[&str] = &["(?=", "(?!", "(?<=", "(?<!"];
const LETTERS: &[&str] =
    &["a", "a", "b", "A", "1", "-", " ", "\n", "é", "É", "_", "\u{2028}", "]", "{", "k", "u"];

/// A part of a generated expression.
#[derive(Debug, Clone)]
struct Part {
    text: String,
    /// It takes at least one character, so that a loop around it ends.
    takes: bool,
    /// A quantifier may follow.
    repeatable: bool,
}

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 1..8).prop_map(|pieces| pieces.concat())
}

fn expression() -> impl Strategy<Value = String> {
    let part = |takes, repeatable| move |text: &str| Part { text: text.to_owned(), takes, repeatable };
    let atom = prop_oneof![
        6 => select(CHARACTERS).prop_map(part(true, true)),
        2 => select(PLACES).prop_map(part(false, false)),
        1 => select(REFERENCES).prop_map(part(false, true)),
    ];
    let tree = atom.prop_recursive(4, 16, 3, |inner| {
        let quantified = (inner, select(QUANTIFIERS)).prop_map(repeated);
        let sequence = prop::collection::vec(quantified.clone(), 1..4).prop_map(sequence);
        let choice = prop::collection::vec(sequence.clone(), 2..4).prop_map(choice);
        prop_oneof![
            (select(GROUPS), sequence.clone()).prop_map(|(open, body)| grouped(open, body, true)),
            (select(GROUPS), choice).prop_map(|(open, body)| grouped(open, body, true)),
            (select(LOOKS), sequence.clone()).prop_map(|(open, body)| grouped(open, body, false)),
            sequence,
        ]
    });
    tree.prop_map(|part| part.text)
}

fn repeated((part, quantifier): (Part, &str)) -> Part {
    let loops = quantifier.starts_with(['*', '+', '{']);
    let counts_twice = quantifier.starts_with('{') && part.text.contains('{');
    if !part.repeatable || (loops && !part.takes) || counts_twice {
        return part;
    }
    let may_be_absent = quantifier.starts_with(['*', '?']) || quantifier.starts_with("{0");
    Part { text: part.text + quantifier, takes: part.takes && !may_be_absent, repeatable: false }
}

fn sequence(parts: Vec<Part>) -> Part {
    Part {
        text: parts.iter().map(|part| part.text.as_str()).collect(),
        takes: parts.iter().any(|part| part.takes),
        repeatable: false,
    }
}

fn choice(branches: Vec<Part>) -> Part {
    let texts: Vec<&str> = branches.iter().map(|branch| branch.text.as_str()).collect();
    Part { text: texts.join("|"), takes: branches.iter().all(|branch| branch.takes), repeatable: false }
}

fn grouped(open: &str, body: Part, takes: bool) -> Part {
    let looks_behind = LOOKS[2..].contains(&open);
    let captures = matches!(open, "(" | "(?<n>");
    let text = if looks_behind || captures { without_references(body.text) } else { body.text };
    Part { text: format!("{open}{text})"), takes: takes && body.takes, repeatable: !looks_behind }
}

fn without_references(text: String) -> String {
    REFERENCES.iter().fold(text, |text, reference| text.replace(reference, "a"))
}

fn subjects() -> impl Strategy<Value = Vec<String>> {
    let subject = prop::collection::vec(select(LETTERS), 0..6).prop_map(|letters| letters.concat());
    prop::collection::vec(subject, 4)
}

fn same_as_elsewhere(pattern: &str, subjects: &[String]) -> Result<(), TestCaseError> {
    let ours = Matcher::new(pattern);
    let theirs = match regress::Regex::new(pattern) {
        _ if ours.is_everything() => return Ok(()),
        Ok(theirs) => theirs,
        Err(error) => {
            prop_assert!(ours.error().is_some(), "`{pattern}` is accepted, but: {error}");
            return Ok(());
        }
    };
    prop_assert_eq!(ours.error(), None, "`{}`", pattern);
    for subject in subjects {
        let expected = if theirs.find(subject).is_some() { Verdict::Match } else { Verdict::NoMatch };
        prop_assert_eq!(ours.matches(subject), expected, "`{}` and {:?}", pattern, subject);
    }
    Ok(())
}

/// More when `PROPTEST_CASES` says so.
fn at_least(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    ProptestConfig { cases: given.cases.max(cases), failure_persistence: None, ..given }
}

proptest! {
    #![proptest_config(at_least(2000))]

    #[test]
    fn any_text_is_accepted_or_refused_as_elsewhere(pattern in soup(), subjects in subjects()) {
        let repeats = |part: &str| ["*", "+", "?", "{"].iter().any(|sign| pattern.contains(&format!("{part}{sign}")));
        let names_twice = ["(?<n>", "(?<m>"].iter().any(|name| pattern.matches(name).count() > 1);
        prop_assume!(!repeats(r"\b") && !repeats(r"\B") && !names_twice);
        let may_loop = repeats(")");
        same_as_elsewhere(&pattern, if may_loop { &[] } else { &subjects })?;
    }

    #[test]
    fn an_expression_fits_what_it_fits_elsewhere(pattern in expression(), subjects in subjects()) {
        prop_assume!(pattern.matches("(?<n>").count() < 2);
        // The other engine has no limit, and repetitions of repetitions can take it for ever.
        prop_assume!(pattern.matches(['*', '+', '{']).count() < 4);
        same_as_elsewhere(&pattern, &subjects)?;
    }

    #[test]
    fn no_text_makes_the_matcher_panic(pattern in any::<String>(), subject in any::<String>()) {
        let _ = Matcher::new(pattern).matches(&subject);
    }
}

#[test]
fn the_syntax_probes_are_read_as_javascript_reads_them() {
    let probes = [
        ("look-ahead", "a(?=b)", Ok("ab")),
        ("negative look-ahead", "a(?!b)", Ok("ac")),
        ("look-behind", "(?<=a)b", Ok("ab")),
        ("negative look-behind", "(?<!a)b", Ok("cb")),
        ("back-reference", r"(a)\1", Ok("aa")),
        ("named back-reference", r"(?<n>a)\k<n>", Ok("aa")),
        ("control letter", r"\cA", Ok("\u{1}")),
        ("no lower bound", "a{,3}", Ok("a{,3}")),
        ("open brace", "x{2", Ok("x{2")),
        ("lone bracket", "]", Ok("]")),
        ("nothing and anything", "[]|[^]", Ok("\n")),
        ("flags in front", "(?i)a", Err("at character 3")),
        ("nothing to repeat", "a**", Err("at character 3")),
    ];
    for (name, pattern, expected) in probes {
        let verdict = Matcher::new(pattern).matches(expected.unwrap_or_default());
        match (expected, verdict) {
            (Ok(_), verdict) => assert_eq!(verdict, Verdict::Match, "{name}"),
            (Err(place), Verdict::Invalid(reason)) => assert!(reason.contains(place), "{name}: {reason}"),
            (Err(_), verdict) => panic!("{name}: {verdict:?}"),
        }
        assert_eq!(regress::Regex::new(pattern).is_ok(), expected.is_ok(), "{name}, elsewhere");
    }
}

#[test]
fn every_matcher_of_the_corpus_compiles() {
    let Some(corpus) = std::env::var_os("BOATHOOK_CORPUS") else {
        // Not through `eprintln!`, which a passing test keeps to itself.
        let _ =
            writeln!(std::io::stderr(), "BOATHOOK_CORPUS IS NOT SET: no matcher of the corpus was compiled");
        return;
    };
    let mut found = 0;
    for file in json_files(&PathBuf::from(corpus).join("cursor")) {
        let Ok(bytes) = std::fs::read(&file) else { continue };
        let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { continue };
        for pattern in matchers(&value) {
            assert_eq!(Matcher::new(pattern).error(), None, "`{pattern}` in {}", file.display());
            found += 1;
        }
    }
    assert!(found > 50, "only {found} matchers were found: is this the corpus?");
}

fn json_files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the corpus has files in cursor/");
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Every text under a key `matcher`, however deep.
fn matchers(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => {
            let own = members.get("matcher").and_then(Value::as_str);
            own.into_iter().chain(members.values().flat_map(matchers)).collect()
        }
        Value::Array(items) => items.iter().flat_map(matchers).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
