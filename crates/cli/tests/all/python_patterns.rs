//! Patterns of hookify rules mean what a real Python makes of them.
//!
//! `python3` is asked about the same patterns and texts. Without it the tests
//! say so and prove nothing.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};

use boathook_engine::matcher::Verdict;
use boathook_engine::matcher::python::Pattern;
use serde_json::Value;

const ASK: &str = r#"
import json, re, sys, unicodedata, warnings
warnings.simplefilter("ignore")
out = []
for pattern, text in json.load(sys.stdin):
    # A character that this Python does not know yet has no case for it.
    if any(unicodedata.category(c) == "Cn" for c in pattern + text):
        out.append("unknown")
        continue
    try:
        out.append(bool(re.search(pattern, text, re.IGNORECASE)))
    except (re.error, OverflowError, RecursionError):
        out.append(None)
json.dump(out, sys.stdout)
"#;

/// What Python says: true, false, or nothing for a pattern it does not take.
fn python(cases: &[(String, String)]) -> Vec<Value> {
    let child =
        Command::new("python3").args(["-c", ASK]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("python3, which `cargo xtask test` installs");
    let cases = serde_json::to_vec(cases).expect("texts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&cases));
    let output = child.wait_with_output().expect("python3 ends");
    writer.join().expect("no panic").expect("python3 reads");
    serde_json::from_slice(&output.stdout).expect("a list")
}

/// What Python takes and we say we do not.
const BEYOND_US: [&str; 4] =
    ["which we do not look up", "than we follow", "must have one width", "no group before it is called so"];

fn compare(cases: &[(String, String)]) {
    let expected = python(cases);
    let mut wrong = Vec::new();
    let mut known: HashMap<&str, Pattern> = HashMap::new();
    for ((pattern, text), expected) in cases.iter().zip(expected) {
        if expected.is_string() {
            continue;
        }
        let found = known.entry(pattern).or_insert_with(|| Pattern::new(pattern.as_str()));
        let agrees = match (found.matches(text), expected.as_bool()) {
            (Verdict::Match, Some(true)) | (Verdict::NoMatch, Some(false)) | (Verdict::Invalid(_), None) => {
                true
            }
            (Verdict::Invalid(reason), Some(_)) => BEYOND_US.iter().any(|known| reason.contains(known)),
            (Verdict::Match | Verdict::NoMatch, _) => false,
        };
        if !agrees {
            wrong.push(format!("{pattern:?} on {text:?}: Python {expected}, we {:?}", found.matches(text)));
        }
    }
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} of {} differ:\n{}", cases.len(), wrong[..count.min(40)].join("\n"));
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "ab",
    "aab",
    "a\n",
    "a\nb",
    "\n",
    "rm -rf /",
    "RM  -RF\t/tmp",
    "git push origin main --force",
    "git push\n-f",
    "ls && git push -f",
    "console.log('x')",
    "CONSOLE.LOG(",
    "/home/me/.env",
    ".env.local",
    "été",
    "ÉTÉ x",
    "naïve_9",
    "straße STRASSE",
    "\u{212A}elvin \u{17F}",
    "\u{130}stanbul \u{131}",
    "Σίσυφος ΣΊΣΥΦΟΣ",
    "٣٤",
    "a\u{a0}b\u{2003}c\u{1c}d",
    "日本語 テスト",
    "😀 a",
    "\"quoted\" and 'single'",
    "aaaaaaaaaaaaaaaaaaaa!",
    "x = 1; y = 22",
    "foo_bar-baz",
];

#[test]
fn patterns_people_write_mean_what_python_means() {
    let patterns = [
        r"rm\s+-rf",
        r"rm\s+(-rf|-fr|--recursive.*--force|--force.*--recursive)\s",
        r"rm\s+-rf\s+(/|~|\*|\.\.|\$)",
        r"git\s+push\s+.*(-f|--force)",
        r"git push.*(--force|\s-f\b)",
        r"(^|[;&|]|\n)\s*git\s+push\b[^;&|\n]*(\s--force(-with-lease|-if-includes)?\b|\s-f\b|\s\+[A-Za-z0-9._/-]+(:|$))",
        r"console\.(log|warn|error|info|debug)\(",
        r"\.env$|\.env\.|credentials|secrets",
        r"^[^/]",
        r".*",
        r"",
        r"TODO|FIXME",
        r"\.(tsx?|jsx?)$",
        r"(?i)GIT",
        r"(?-i:git)",
        r"(?i:x)Y",
        r"(?s)a.b",
        r"(?m)^b$",
        r"(?m)a$",
        r"a$",
        r"a\Z",
        r"\Aa",
        r"^$",
        r"$",
        r"\b",
        r"\B",
        r"\bété\b",
        r"\w+",
        r"^\w+$",
        r"\W",
        r"^\S+$",
        r"\d",
        r"^\d+$",
        r"(?a)\w{3}",
        r"(?a)\d",
        r"(?a)é",
        r"(?u)é",
        r"a{,3}b",
        r"a{2}",
        r"a{2,}",
        r"a{}",
        r"a{,}",
        r"a{x}",
        r"(?P<n>a)(?P=n)",
        r"(a)\1",
        r"(a)(b)?\2",
        r"(?:a|ab)(?:c|bcd)?",
        r"(?=a)",
        r"a(?!b)",
        r"(?<=a)b",
        r"(?<!a)b",
        r"(?<=a|b)c",
        r"(?<=ab|c)d",
        r"(?>a+)b",
        r"a++a",
        r"a*+!",
        r"a?+b",
        r"a{1,3}+b",
        r"(?(1)a|b)",
        r"(a)?(?(1)b|c)",
        r"(?P<x>a)?(?(x)b|!)",
        r"(?x) a b # c",
        r"(?x)a\ b",
        r"(?#note)a",
        r"a(?#note)*b",
        r"[]a]",
        r"[^]a]",
        r"[a-]",
        r"[-a]",
        r"[\]]",
        r"[\w-]",
        r"[\d\s]+",
        r"[^\W]",
        r"[^\w\s]",
        r"[é-ü]",
        r"[k-s]",
        r"[^a-z]",
        r"\x41",
        r"\u0041",
        r"\U0001F600",
        r"\101",
        r"\0",
        r"[\b]",
        r"\t|\n",
        r"Σ",
        r"σ",
        r"ς",
        r"ß",
        r"K",
        r"\u017f",
        r"İ",
        r"ı",
        r"i",
        r"[i]",
        r"日",
        r"[\u4e00-\u9fff]",
        r"😀",
        r"*a",
        r"a**",
        r"a*?",
        r"a+?b",
        r"(a",
        r"a)",
        r"[a",
        r"\q",
        r"\8",
        r"\1",
        r"(?P<1>a)",
        r"(?P<n>a)(?P<n>b)",
        r"(?<=a+)b",
        r"a(?i)b",
        r"(?i)(?m)^a",
        r"(?L)a",
        r"(?au)a",
        r"(?i-i:a)",
        r"(?z)",
        r"(?<n>a)",
        r"x{2,1}",
        r"\x4",
        r"\N{DASH}",
        r"a|*",
        r"^*",
        r"\b+",
        r"(?=a)*b",
        r"(a*)*b",
        r"(a*)+",
        r"(|a)+",
        r"(?:)*",
        r"((((a))))",
        r"\.\*",
        r"\-",
        r"\/",
        r"\é",
        r"{1}",
        r"a{1}{2}",
        r"(a{1}){2}",
        r"]",
        r"}",
        r"a]b",
        r"(a+)+$",
        r"(?:a|a)*$",
        r"\s*\n",
        r"[ \t]+$",
        r"^\s*#",
        r"(['\x22]).*?\1",
        r"(?:\b|_)bar",
        r"\$\{?\w+",
        r"[A-Z]{2,}",
        r"(?-i:[A-Z]{2,})",
        r"(?-i:\b[a-z]+_[a-z]+\b)",
    ];
    let cases: Vec<(String, String)> = patterns
        .iter()
        .flat_map(|pattern| TEXTS.iter().map(|text| (pattern.to_string(), text.to_string())))
        .collect();
    compare(&cases);
}

/// Small, repeatable, and good enough to wander through patterns.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[test]
fn patterns_nobody_writes_mean_what_python_means() {
    const PIECES: &[&str] = &[
        "a", "b", "é", "K", "1", "_", " ", r"\n", ".", "^", "$", r"\b", r"\B", r"\A", r"\Z", r"\w", r"\W",
        r"\s", r"\S", r"\d", r"\D", "*", "+", "?", "*?", "++", "{2}", "{,2}", "{1,}", "|", "(", ")", "(?:",
        "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:", "(?s:", "(?m:", "(?P<n>", "(?P=n)", r"\1",
        "[ab]", "[^a]", "[a-c", "]", r"[\w.]", r"[^\s]", "(?(1)", "-", r"\.", "ſ", "σ", "#", "(?x:", "{",
        "}",
    ];
    const LETTERS: &[&str] =
        &["a", "b", "A", "é", "É", "k", "\u{212A}", "1", "_", " ", "\n", "-", ".", "s", "σ", "ς", "#"];
    let mut dice = Dice(2026);
    let mut cases = Vec::new();
    for _ in 0..12_000 {
        let mut pattern = String::new();
        let mut open = 0;
        for _ in 0..1 + dice.below(9) {
            let piece = dice.pick(PIECES);
            if piece == ")" && open == 0 {
                continue;
            }
            open += usize::from(piece.starts_with('(') && !piece.ends_with(')'));
            open -= usize::from(piece == ")");
            pattern.push_str(piece);
        }
        pattern.push_str(&")".repeat(open));
        for _ in 0..4 {
            let length = dice.below(7);
            let text: String = (0..length).map(|_| dice.pick(LETTERS)).collect();
            cases.push((pattern.clone(), text));
        }
    }
    compare(&cases);
}

#[test]
fn every_character_is_the_letter_digit_or_space_that_python_says() {
    let classes = [r"\w", r"\d", r"\s", r"[^\W\d_]"];
    let mut cases = Vec::new();
    // The planes that have letters; a text of one character each would take minutes.
    for point in (0..0x3_2000_u32).step_by(7).chain(0..0x600).filter_map(char::from_u32) {
        cases.extend(classes.iter().map(|class| (class.to_string(), point.to_string())));
    }
    compare(&cases);
}

#[test]
fn letters_are_equal_but_for_case_as_python_says() {
    let mut cases = Vec::new();
    for point in (0..0x1_F000_u32).filter_map(char::from_u32) {
        let near: Vec<char> = point.to_lowercase().chain(point.to_uppercase()).collect();
        if near.iter().all(|other| *other == point) {
            continue;
        }
        for other in near {
            cases.push((point.to_string(), other.to_string()));
            cases.push((other.to_string(), point.to_string()));
            cases.push((format!("[{point}]"), other.to_string()));
        }
    }
    compare(&cases);
}
