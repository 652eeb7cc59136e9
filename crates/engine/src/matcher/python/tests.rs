//! What patterns mean, by hand; `crates/cli/tests` asks a real Python too.

use super::*;

#[test]
fn patterns_mean_what_they_mean_in_python() {
    let cases = [
        ("case is ignored", "GIT\\s+push", "git push", true),
        ("also beyond ASCII", "É", "é", true),
        ("the Kelvin sign is a k", "k", "\u{212A}", true),
        ("case can be switched back on", "(?-i:Git)", "git", false),
        ("the last line end does not count", "end$", "the end\n", true),
        ("but only the last", "end$", "end\n\n", false),
        ("and not for \\Z", r"end\Z", "end\n", false),
        ("a dollar in the middle sees the newline", "end$\n", "end\n", true),
        ("letters of any script make words", r"\bété\b", "l'été", true),
        ("digits of any script", r"^\d$", "٣", true),
        ("ASCII alone under a", r"(?a)^\d$", "٣", false),
        ("up to three", "^a{,3}$", "aaa", true),
        ("not four", "^a{,3}$", "aaaa", false),
        ("names", r"(?P<q>['\x22]).*(?P=q)", "say \"x\"", true),
        ("look-behind", r"(?<!-)-f\b", "push -f", true),
        ("look-behind that fails", r"(?<!-)-f\b", "push --f", false),
        ("atomic", "(?>a+)ab", "aaab", false),
        ("possessive", "a++b", "aaab", true),
        ("a condition", r"^(<)?a(?(1)>|$)", "<a>", true),
        ("a condition that fails", r"^(<)?a(?(1)>|$)", "<a", false),
        ("verbose", "(?x) rm \\s+ # flags\n -rf", "rm  -rf", true),
        ("a group that took no part fits nowhere", r"^(a)?\1b", "b", false),
        ("a newline in a class", r"(^|[;&|]|\n)\s*git", "ls\ngit", true),
        ("nothing at all", "", "", true),
        ("no edge in nothing", r"\B", "", false),
    ];
    for (name, pattern, text, expected) in cases {
        let expected = if expected { Verdict::Match } else { Verdict::NoMatch };
        assert_eq!(Pattern::new(pattern).matches(text), expected, "{name}: {pattern} on {text:?}");
    }
}

#[test]
fn what_cannot_be_followed_says_so_with_a_place() {
    let cases = [
        ("(a", 1),
        ("a)", 2),
        ("[a", 1),
        ("*a", 1),
        ("a**", 3),
        ("^*", 2),
        ("a{2,1}", 2),
        (r"\q", 1),
        (r"(a)\2", 4),
        (r"(a\1)", 3),
        ("(?P<1>a)", 1),
        ("(?P<n>a)(?P<n>b)", 9),
        ("(?P=n)", 1),
        ("(?<=a+)b", 1),
        ("a(?i)b", 2),
        ("(?<n>a)", 1),
        (r"\N{DASH}", 1),
        ("[z-a]", 2),
        (r"[\d-z]", 2),
        ("(?L)a", 1),
        ("a{1,99999}{1,9}", 11),
        ("(a{1,999}){1,999}", 1),
        ("\\", 1),
        ("(?(2)a)", 1),
    ];
    for (pattern, at) in cases {
        let found = Pattern::new(pattern);
        assert_eq!(found.error().map(|error| error.at), Some(at), "{pattern}: {:?}", found.error());
    }
}

#[test]
fn a_bomb_is_over_soon_and_fits() {
    let text = format!("{}!", "a".repeat(60));
    assert_eq!(Pattern::new("(a+)+$").matches(&text), Verdict::NoMatch, "on the linear engine");
    assert_eq!(Pattern::new(r"(a+)+\1$(?!x)").matches(&text), Verdict::Match, "past the limit");
}

#[test]
fn no_text_makes_the_reader_panic() {
    let pieces = [
        "(", ")", "[", "]", "\\", "(?", "{", "}", "*", "|", "^", "a-", "(?P<", "\u{e9}", "9", "#", "(?(",
        "\\x",
    ];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                let pattern = Pattern::new(format!("{first}{second}{third}"));
                let _ = (pattern.error(), pattern.matches("a(é"), pattern.matches(""));
            }
        }
    }
}
