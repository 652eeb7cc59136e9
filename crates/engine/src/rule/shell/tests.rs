//! Command lines, and every command that is found in them.

use super::*;

fn lines(text: &str) -> Vec<String> {
    read(text).commands.iter().map(Command::line).filter(|line| !line.is_empty()).collect()
}

#[test]
#[rustfmt::skip] // a table of short lines
fn every_command_is_found_with_its_quoting_undone() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("# nothing", &[]),
        ("a b 'c d' \"e f\"", &["a b c d e f"]),
        ("a 'it'\\''s' \"\\$x \\a\"", &["a it's $x \\a"]),
        ("a $'\\t\\x41\\u00e9\\103'", &["a \tAéC"]),
        ("a; b && c || d & e", &["a", "b", "c", "d", "e"]),
        ("a | b |& c", &["a", "b", "c"]),
        ("a $(b) `c` \"$(d)\"", &["a … … …", "b", "c", "d"]),
        ("X=1 Y=$(a) b", &["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi > f", &["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", &["a", "b", "c", "d"]),
        ("for x in 1 $(a); do b; done", &["a", "b"]),
        ("for ((i=0; i<$(a); i++)); do b; done", &["a", "b"]),
        ("case $(a) in (x|y) b;; z) c;& *) d; esac; e", &["a", "b", "c", "d", "e"]),
        ("f() { a; }; function g { b; }; function h() (c)", &["a", "b", "c"]),
        ("[[ a == b && $(c) =~ ^(d|e)$ ]] && f", &["c", "f"]),
        ("(a; (b)) > c", &["a", "b"]),
        ("a <<X; b\n$(c) 'd'\nX\ne", &["a", "b", "c", "e"]),
        ("a <<'X'\n$(c)\nX\ne", &["a", "e"]),
        ("a <<-X\n\tb\n\tX\nc", &["a", "c"]),
        ("a <<X $(b <<Y\n1\nY\n)\n2\nX\nc", &["a …", "b", "c"]),
        ("a {b,c{d,e}}f {} {x}", &["a bf cdf cef {} {x}"]),
        ("x=(a $(b)); c", &["b", "c"]),
        ("sudo -u me a b", &["sudo -u me a b", "a b"]),
        ("sh -c 'a; b'", &["sh -c a; b", "a", "b"]),
        ("echo $((1+2)) ${x:-$(a)} $[3]", &["echo … … …", "a"]),
        ("coproc a; coproc P { b; }; time -p c; ! d", &["a", "b", "c", "d"]),
        ("a 2>&1 >b <c 3<>d {fd}>e", &["a"]),
        ("if a\nthen\n\tb # c\nfi\n", &["a", "b"]),
        ("a \\\n b", &["a b"]),
        ("a#b c", &["a#b c"]),
    ];
    for (text, expected) in cases {
        let mut found = lines(text);
        found.sort();
        let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
        expected.sort();
        assert_eq!(found, expected, "{text:?}: {:?}", read(text).unclear);
        assert_eq!(read(text).unclear, None, "{text:?}");
    }
}

#[test]
fn redirections_and_assignments_are_kept() {
    let reading = read("A=1 B+=2 c >d 2>>'e f' <g &>h >|i 2>&1 >&2 < <(j)");
    let command = reading.commands.iter().find(|command| command.line() == "c").expect("c");
    assert_eq!(command.assigns, ["A", "B"]);
    let files: Vec<_> = command.redirects.iter().map(|it| (it.writes, it.target.text())).collect();
    let expected = [(true, "d"), (true, "e f"), (false, "g"), (true, "h"), (true, "i"), (false, "…")];
    assert_eq!(files, expected.map(|(writes, file)| (writes, file.to_owned())));
}

#[test]
fn what_cannot_be_known_is_said() {
    let cases = [
        ("$X", "which program `…` starts"),
        ("'a", "not closed"),
        ("a )", "stands where a command must stand"),
        ("curl x | sh", "reads from its input"),
        ("eval \"$x\"", "the text that `eval` runs"),
        ("sh -c \"$x\"", "the text that `sh` runs"),
        ("a\0", "NUL"),
    ];
    for (text, expected) in cases {
        let unclear = read(text).unclear.unwrap_or_default();
        assert!(unclear.contains(expected), "{text:?}: {unclear}");
    }
}

#[test]
fn red_team_c2_commands_that_read_one_long_text_are_a_doubt_and_no_copies_of_it() {
    let line = |commands: usize, words: usize| {
        format!("eval '{}' <<<'{}'", "read a\n".repeat(commands), "x ".repeat(words))
    };
    assert_eq!(read(&line(1_000, 1_000)).unclear, None);
    let unclear = read(&line(10_000, 50_000)).unclear;
    assert_eq!(unclear.as_deref(), Some("too many commands read the same long text"));
}

#[test]
fn red_team_c2_a_short_line_that_can_be_read_in_many_ways_is_a_doubt() {
    let reading = read(
        "set -- $'en'v '-vSbash  \"-c\"  \\'exec \"$@\"'\\''\\_'\\''_'\\''\t\"timeout\"\\_-s KILL  '\\''5'\\''\t\"git\"  '\\''-C'\\''  . push -f'; $*",
    );
    let words: usize = reading.commands.iter().map(|command| command.words.len()).sum();
    assert!(reading.unclear.is_some() && words <= super::MAX_WORDS, "{words} words");
}
