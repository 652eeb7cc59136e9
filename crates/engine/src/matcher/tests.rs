//! Patterns and what JavaScript makes of them, through the matcher's face.

use std::time::{Duration, Instant};

use super::ecma::{MAX_DEPTH, MAX_SIZE};
use super::{Compiled, Matcher, Verdict};

fn assert_verdicts(cases: &[(&str, &str, bool)]) {
    for (pattern, subject, fits) in cases {
        let expected = if *fits { Verdict::Match } else { Verdict::NoMatch };
        assert_eq!(Matcher::new(*pattern).matches(subject), expected, "`{pattern}` and {subject:?}");
    }
}

#[test]
fn absent_empty_and_star_match_everything() {
    for matcher in [Matcher::everything(), Matcher::new(""), Matcher::new("*")] {
        assert!(matcher.is_everything());
        assert_eq!(matcher.matches("anything"), Verdict::Match);
        assert_eq!(matcher.matches(""), Verdict::Match);
        assert_eq!(matcher.error(), None);
    }
    assert!(!Matcher::new(".*").is_everything());
}

#[test]
fn a_pattern_is_looked_for_anywhere_and_case_counts() {
    assert_verdicts(&[
        ("Sh.*|Rea", "Shell", true),
        ("Sh.*|Rea", "TabRead", true),
        ("^task$", "Task", false),
        ("nc ", "sync", false),
        (r"\bgit\s+push\b", "cd x && git  push", true),
        (r"\bgit\s+push\b", "git pushd", false),
        (r".*\.(ts|tsx)$", "src/a.tsx", true),
        (r".*\.(ts|tsx)$", "src/a.tsx\n", false),
        ("^(Shell|Read)$", "Shell", true),
        ("^(Shell|Read)$", "Shells", false),
        ("^MCP:", "MCP:echo", true),
    ]);
}

#[test]
fn classes_and_edges_are_those_of_javascript() {
    assert_verdicts(&[
        (r"\d", "٣", false),
        (r"\w", "é", false),
        (r"é\b", "éa", true),
        (r"^\s$", "\u{FEFF}", true),
        (r"^\s$", "\u{85}", false),
        ("^.$", "\u{2028}", false),
        ("^.$", "\r", false),
        ("^.$", "\u{85}", true),
        ("^[^]$", "\n", true),
        ("[]", "anything", false),
        ("x[]|y", "y", true),
        ("^[[]$", "[", true),
        ("^[a&&b]+$", "a&b", true),
        ("^[+--]$", ",", true),
        ("^[a~~b]+$", "a~b", true),
        (r"^[\w-a]+$", "z-", true),
        (r"^[a-\d]+$", "a-5", true),
        (r"^[\b]$", "\u{8}", true),
        (r"^[\B]$", "B", true),
        ("^[^a]$", "\n", true),
        ("b$", "b\n", false),
        (r"\B", "aéa", false),
    ]);
}

#[test]
fn escapes_are_those_of_javascript() {
    assert_verdicts(&[
        (r"^\/\-\@$", "/-@", true),
        (r"^\A\z\e\a\h\Z\G\Q\E$", "AzeahZGQE", true),
        (r"^\cA\ca$", "\u{1}\u{1}", true),
        (r"^\c$", r"\c", true),
        (r"^\c1$", r"\c1", true),
        (r"^[\c1]$", "\u{11}", true),
        (r"^[\c]+$", r"\c", true),
        (r"^\0$", "\0", true),
        (r"^\x41\u0041$", "AA", true),
        (r"^\x4\u004$", "x4u004", true),
        (r"^\u{3}$", "uuu", true),
        (r"^\p{L}$", "p{L}", true),
        (r"^\p{2}$", "pp", true),
        (r"^\101\08\18\8\400$", "A\u{0}8\u{1}88 0", true),
        (r"^(a)\1$", "aa", true),
        (r"^(a)\2$", "a\u{2}", true),
        (r"^(a)\11$", "a\t", true),
        (r"^\k<n>$", "k<n>", true),
        (r"^[\101-\x43]$", "B", true),
        (r"^\t\n\v\f\r$", "\t\n\u{B}\u{C}\r", true),
        (r"^\uD83D\uDE00$", "😀", true),
        (r"^\ud83d[\ude00-\ude4f]$", "😀", true),
        (r"^[\ud800-\udbff][\udc00-\udfff]$", "😀", true),
        (r"[\uD83C-\uDBFF\uDC00-\uDFFF]+", "a😀", true),
        (r"^[^\uD800-\uDFFF]*$", "a😀", false),
        (r"\uD83D", "😀", true),
    ]);
}

#[test]
fn characters_are_counted_where_javascript_counts_units() {
    assert_verdicts(&[
        ("^.$", "😀", true),
        (r"^\uD83D\uDE00{2}$", "😀😀", true),
        ("^[😀-😎]$", "😃", true),
        ("^[😀]$", "😁", false),
    ]);
}

#[test]
fn what_is_no_quantifier_is_text() {
    assert_verdicts(&[
        ("^a{,3}$", "a{,3}", true),
        ("^x{2$", "x{2", true),
        ("^x{2,$", "x{2,", true),
        ("^{$", "{", true),
        ("^a{1}{$", "a{", true),
        ("^]}$", "]}", true),
        ("^{a}$", "{a}", true),
        ("^x{ 2}$", "x{ 2}", true),
        ("^x{2}?$", "xx", true),
        ("^x{0,99999999999999999999}$", "xxx", true),
        ("^(?:)*$", "", true),
        ("^(?:a{5000}){0}$", "", true),
    ]);
}

#[test]
fn groups_are_those_of_javascript() {
    assert_verdicts(
        &[
            (r"^(?<year>\d+)-\k<year>$", "12-12", true),
            (r"^(?<\u0061>x)\k<a>$", "xx", true),
            ("^(?:a|b)+$", "abba", true),
            (r"^(?:(?<q>')|(?<q>`))x\k<q>$", "`x`", true),
            (r"^(?:(?<q>')|(?<q>`))x\k<q>$", "'x`", false),
            ("(?i:drop) table", "DROP table", true),
            ("(?i:drop) table", "DROP TABLE", false),
            ("(?i:a(?-i:b))", "Ab", true),
            ("(?i:a(?-i:b))", "AB", false),
            ("^(?i:[^a])$", "A", false),
            ("^(?i:[é-ë])$", "Ê", true),
            ("^(?i:ſ)$", "s", false),
            (r"^(?i:(a))(?i:\1)$", "aA", true),
            ("(?m:^b$)", "a\rb\u{2028}c", true),
            ("^b$", "a\nb\nc", false),
            ("^(?s:.)$", "\n", true),
        ][..16],
    );
}

#[test]
fn looking_around_and_referring_back_work_as_in_javascript() {
    assert_verdicts(
        &[
            ("^git(?!.*--dry-run).*push", "git push", true),
            ("^git(?!.*--dry-run).*push", "git push --dry-run", false),
            (r"(?<=^|\s)rm\b", "ls; rm", true),
            (r"(?<=^|\s)rm\b", "farm", false),
            ("(?<!a+)b", "aab", false),
            ("^(?:(a)|b)*\\1$", "ab", true),
            ("^\\1(a)$", "a", true),
            ("^(a)?\\1b$", "b", true),
            ("^(a\\1)$", "a", true),
            ("(?=a)*b", "b", true),
            ("^(?=(a+))a*b\\1$", "aaba", false),
            ("^(?=(a+))a*b\\1$", "aabaa", true),
            ("^(?!(a)b)\\1c$", "c", true),
            (r"(?<=(\d+)(\d+))x\1y", "1053x1y", true),
            (r"(?<=(\d+)(\d+))x\1y", "1053x105y", false),
            (r"(?<=\1(a))b", "aab", true),
            ("^(?:a*?)*?(?=b)", "aab", true),
            ("^(a|ab)(?=c)(c|bcd)(d*)$", "abcd", true),
            (r"^(?:(\w)(?=\1))+", "aab", true),
            (r"(((.+){2,}){2,})(?=$)", "a]aa", true),
            (r"(\d+|.*\1)^", "a", true),
            (r"(?<n>..*\k<n>){2,}", "aa", true),
            (r"(?<=(?:$|a{2})(?<n>.{2}|\1))", "aa", true),
            (r"^(?:(?:(a)|b)\1)*c", "aabc", true),
        ][..],
    );
}

#[test]
fn what_does_not_compile_is_invalid_and_says_why() {
    let cases = [
        ("(", "`(` is never closed; write `\\(` for the character itself (at character 1)"),
        ("a)", "`)` closes nothing; write `\\)` for the character itself (at character 2)"),
        (
            "*.ts",
            "`*` has nothing to repeat; write `.*` for any text, `\\*` for the character itself (at character 1)",
        ),
        (
            "a**",
            "`*` has nothing to repeat; write `.*` for any text, `\\*` for the character itself (at character 3)",
        ),
        (
            "a{2}{3}",
            "`{` has nothing to repeat; write `.*` for any text, `\\{` for the character itself (at character 5)",
        ),
        ("^*", "`^`, `$`, `\\b` and look-behinds cannot be repeated by `*` (at character 2)"),
        ("(?<=a)?", "`^`, `$`, `\\b` and look-behinds cannot be repeated by `?` (at character 7)"),
        ("a{3,2}", "the numbers of `{3,2}` are out of order (at character 2)"),
        ("[z-a]", "the range `z-a` is out of order (at character 3)"),
        ("[a", "`[` is never closed; write `\\[` for the character itself (at character 1)"),
        ("a\\", "a `\\` at the end escapes nothing; write `\\\\` for the character itself (at character 2)"),
        (
            "(?i)a",
            "`(?i` starts no group that JavaScript knows; flags go around a part, as in `(?i:…)` (at character 3)",
        ),
        (
            "(?P<n>a)",
            "`(?P` starts no group that JavaScript knows; a named group is `(?<name>…)` (at character 3)",
        ),
        (
            "(?x)a",
            "`(?x` starts no group that JavaScript knows; flags go around a part, as in `(?i:…)` (at character 3)",
        ),
        (
            "(?ii:a)",
            "modifiers like `(?i:…)` name each of i, m and s once at most, and at least one (at character 3)",
        ),
        (
            "(?<1>a)",
            "a group's name is written `(?<name>…)`: letters, digits, `_` and `$`, not a digit first (at character 5)",
        ),
        ("(?<n>a)(?<n>b)", "two groups are named `n` (at character 13)"),
        ("(?=(a|(?<n>a|a))(?=(?<n>a)))", "two groups are named `n` (at character 27)"),
        ("(?<n>a)\\k<m>", "no group is named `m` (at character 9)"),
        (
            "(?<n>a)\\k",
            "`\\k` needs the name of a group, as in `\\k<name>`, in a pattern that has named groups (at character 9)",
        ),
    ];
    for (pattern, reason) in cases {
        let matcher = Matcher::new(pattern);
        assert_eq!(matcher.error().as_deref(), Some(reason), "`{pattern}`");
        assert_eq!(matcher.matches("anything"), Verdict::Invalid(reason.to_owned()), "`{pattern}`");
    }
}

#[test]
fn what_is_too_large_is_invalid_at_once() {
    let deep = "(".repeat(MAX_DEPTH + 1) + &")".repeat(MAX_DEPTH + 1);
    let wide_class: String = (0..4000).filter_map(|index| char::from_u32(0x4E00 + 2 * index)).collect();
    let patterns = [
        "(?:x{1000}){1000}".to_owned(),
        "(?:(?:(?:x{99}){99}){99}){99}(?=y)".to_owned(),
        "x{4294967296}".to_owned(),
        "(?:){1000000000}".to_owned(),
        "(".repeat(1_000_000),
        deep,
        format!("[{wide_class}]{{0,9000}}"),
    ];
    for pattern in patterns {
        let reason = Matcher::new(pattern.as_str()).error().unwrap_or_default();
        assert!(reason.contains("more than we follow"), "{}: {reason}", &pattern[..20]);
    }
    let deepest = "(?:a|".repeat(MAX_DEPTH) + "b" + &")*".repeat(MAX_DEPTH);
    assert_verdicts(&[(&format!("^{deepest}$"), "abab", true), (&format!("^{deepest}(?=c)"), "ababc", true)]);
    let largest = MAX_SIZE / 2 - 10;
    assert_verdicts(&[(&format!("^.{{0,{largest}}}$"), "abab", true)]);
}

/// Case C16: the bound holds for optimised builds; others have more time.
#[test]
fn a_bomb_costs_linear_time() {
    let bound = Duration::from_millis(if cfg!(debug_assertions) { 10_000 } else { 50 });
    let subject = "a".repeat(1 << 20) + "!";
    for pattern in ["(a+)+$", "^(a+)+$", "^(a|a)*$", "^(?:a?){50}$", "(.*)*x$"] {
        let matcher = Matcher::new(pattern);
        let start = Instant::now();
        assert_eq!(matcher.matches(&subject), Verdict::NoMatch, "{pattern}");
        assert!(start.elapsed() < bound, "{pattern} took {:?}", start.elapsed());
    }
}

/// Case C17.
#[test]
fn past_a_limit_counts_as_a_match() {
    let bound = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    let many = "a".repeat(1 << 20) + "!";
    let cases = [
        ("back-references", r"^(a+)+\1b$", &many[many.len() - 60..]),
        ("look-ahead on every place", "(?=.*x)y", &many),
        ("size times length", "^.{0,2000}y", &many),
    ];
    for (name, pattern, subject) in cases {
        let start = Instant::now();
        assert_eq!(Matcher::new(pattern).matches(subject), Verdict::Match, "{name}");
        assert!(start.elapsed() < bound, "{name} took {:?}", start.elapsed());
    }
    assert_verdicts(&[("(?!foo)bar", &many, false)]);
}

#[test]
fn each_pattern_runs_on_the_engine_that_suits_it() {
    let engine = |pattern| match Compiled::new(pattern, 0) {
        Ok(Ok(Compiled::Words(_))) => "words",
        Ok(Ok(Compiled::Linear(_))) => "linear",
        Ok(Ok(Compiled::Backtracking(_))) => "backtracking",
        Ok(Err(_)) | Err(_) => "none",
    };
    let cases = [
        ("Shell|Read|Write", "words"),
        ("^Shell$|nc ", "words"),
        ("Sh.*", "linear"),
        ("(a+)+$", "linear"),
        (r"(a)\2", "linear"),
        ("(?i:drop)", "linear"),
        (r"(a)\1", "backtracking"),
        ("a(?=b)", "backtracking"),
        ("(?<!a)b", "backtracking"),
        ("(?m:^a)", "backtracking"),
        ("(", "none"),
    ];
    for (pattern, expected) in cases {
        assert_eq!(engine(pattern), expected, "{pattern}");
    }
}

#[test]
fn clones_share_what_was_compiled() {
    let matcher = Matcher::new("a+");
    let clone = matcher.clone();
    assert_eq!(matcher.matches("a"), Verdict::Match);
    assert!(clone.inner.compiled.get().is_some());
}

#[test]
fn both_linear_engines_agree() {
    let long = "x ".repeat(100_000);
    for (pattern, fits) in
        [(r"\bx\s$", true), (r"[^x\s]", false), (r"(?:x ){3}y?$", true), ("é|[à-ö]", false)]
    {
        let matcher = Matcher::new(pattern);
        let expected = if fits { Verdict::Match } else { Verdict::NoMatch };
        assert_eq!(matcher.matches("x x x "), expected, "`{pattern}` on the quick engine");
        assert_eq!(matcher.matches(&long), expected, "`{pattern}` on the thorough engine");
    }
}
