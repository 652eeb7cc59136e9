//! The reader of command lines against another one, on generated texts, and
//! against bash, on texts that people write.
//!
//! The other one (`rable`) takes very long for nested substitutions, so texts
//! are short. It need not find all that ours finds: it leaves `${x:-…}`,
//! arithmetic and here-documents as texts. What it finds, ours must find.

use std::process::Command;

use boathook_engine::payload::Payload;
use boathook_engine::rule::Look;
use boathook_engine::rule::declared::{Condition, FieldPath, Rule, Says, ShellTest};
use boathook_engine::rule::shell::read;
use boathook_engine::{Event, EventKind, Permission};
use proptest::prelude::*;
use proptest::sample::select;
use rable::{Node, NodeKind};

/// Programs, which are no keywords.
const NAMES: [&str; 5] = ["one", "two", "three", "four", "five"];

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "one", "two", "three", "four", "five", " ", " ", " ", "; ", "; ", " && ", " || ", " | ", " & ", "\n", "$(", ")", ")", "`", "'", "\"", "\"", "(", "{ ", "; }",
    "if ", "; then ", "; else ", "; fi", "while ", "; do ", "; done", "for i in ", "case x in x) ", ";; esac", ";;", " y) ", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n",
    "#", "\\", "\\\n", "${x:-", "}", "$((", "))", "((", "[[ ", " ]]", "x=", "x=(", " >f", " 2>&1", " <(", ">(", "! ", "time ", "f() ", "function f ", "coproc ",
    "$x", "$'", "$\"", "<<<", "*", "?", "{a,b}", "=", "select i in ", "until ", "elif ", "é", "\t", "&>f", "|&",
];

/// The bare names of programs that the other reader finds.
fn names(nodes: &[Node], found: &mut Vec<String>) {
    nodes.iter().for_each(|node| visit(node, found));
}

fn visit(node: &Node, found: &mut Vec<String>) {
    use NodeKind::*;
    match &node.kind {
        Command { assignments, words, redirects } => {
            if let Some(NodeKind::Word { value, .. }) = words.first().map(|word| &word.kind)
                && NAMES.contains(&value.as_str())
            {
                found.push(value.clone());
            }
            names(assignments, found);
            names(words, found);
            names(redirects, found);
        }
        Word { parts, .. } => names(parts, found),
        Pipeline { commands, .. } => names(commands, found),
        List { items } => items.iter().for_each(|item| visit(&item.command, found)),
        If { condition, then_body, else_body, redirects } => {
            visit(condition, found);
            visit(then_body, found);
            else_body.iter().for_each(|body| visit(body, found));
            names(redirects, found);
        }
        While { condition, body, redirects } | Until { condition, body, redirects } => {
            visit(condition, found);
            visit(body, found);
            names(redirects, found);
        }
        For { words, body, redirects, .. } | Select { words, body, redirects, .. } => {
            words.iter().for_each(|words| names(words, found));
            visit(body, found);
            names(redirects, found);
        }
        ForArith { body, redirects, .. } | Subshell { body, redirects } | BraceGroup { body, redirects } => {
            visit(body, found);
            names(redirects, found);
        }
        Case { word, patterns, redirects } => {
            visit(word, found);
            patterns.iter().filter_map(|pattern| pattern.body.as_ref()).for_each(|body| visit(body, found));
            names(redirects, found);
        }
        Function { body, .. } => visit(body, found),
        Coproc { command, .. } => visit(command, found),
        Redirect { target, .. } => visit(target, found),
        CommandSubstitution { command, .. } | ProcessSubstitution { command, .. } => visit(command, found),
        Negation { pipeline } | Time { pipeline, .. } => visit(pipeline, found),
        Array { elements } => names(elements, found),
        _ => {}
    }
}

fn missed(text: &str) -> Vec<String> {
    let Ok(nodes) = rable::parse(text, false) else { return Vec::new() };
    let reading = read(text);
    if reading.unclear.is_some() {
        return Vec::new();
    }
    let ours: Vec<&str> = reading.commands.iter().filter_map(|command| command.program()).collect();
    let mut theirs = Vec::new();
    names(&nodes, &mut theirs);
    theirs.retain(|name: &String| !ours.contains(&name.as_str()));
    theirs
}

/// Whether a rule against `git push --force` refuses this.
fn is_refused(line: &str) -> bool {
    let path = FieldPath::parse("command").expect("a path");
    let rule = Rule {
        name: "r".to_owned(),
        command: "boathook rule r".to_owned(),
        condition: Condition::Shell(path, vec![ShellTest::of_line("git push --force")]),
        says: Says { permission: Some(Permission::Deny), ..Says::default() },
    };
    let mut payload = Payload::default();
    payload.set("command", line);
    let event = Event::new(EventKind::BeforeShellExecution, payload);
    rule.apply(&Look::new(&event, &|_| None)).is_some()
}

/// A word in some other spelling: each character is quoted in its own way.
fn disguised(word: &'static str) -> impl Strategy<Value = String> {
    prop::collection::vec(0..8usize, word.len()).prop_map(move |ways| {
        let spelt = word.chars().zip(ways).map(|(character, way)| match way {
            0 => format!("'{character}'"),
            1 => format!("\"{character}\""),
            2 => format!("\\{character}"),
            3 => format!("$'\\x{:x}'", character as u32),
            4 => format!("$'\\{:o}'", character as u32),
            5 => format!("\\\n{character}"),
            6 => format!("''{character}\"\""),
            _ => character.to_string(),
        });
        spelt.collect()
    })
}

/// A command line around another one.
fn around(line: &str, way: usize) -> String {
    let quoted = format!("'{}'", line.replace('\'', "'\\''"));
    match way {
        0 => format!("ls; {line}"),
        1 => format!("ls 'a;b' | sort && {line} &"),
        2 => format!("echo \"$( {line})\""),
        3 => format!("if true; then {line}; fi"),
        4 => format!("sh -c {quoted}"),
        5 => format!("sudo -u me env A=b {line}"),
        6 => format!("eval {quoted}"),
        7 => format!("bash <<'END OF IT'\n{line}\nEND OF IT"),
        8 => format!("f() {{ {line}\n}}"),
        9 => format!("case x in (y) ls;; *) {line};; esac > /dev/null"),
        10 => format!("echo {quoted} | cat - ; cat <( {line})"),
        11 => format!("x=$( {line}) ls # it's a comment"),
        12 => format!("for i in 1 2; do {line}\ndone < /dev/null"),
        13 => format!("timeout -k 5 10 nice -n 3 {line}"),
        _ => format!("( {line} )"),
    }
}

fn disguises() -> impl Strategy<Value = String> {
    let command = (disguised("git"), disguised("push"), disguised("--force"));
    (command, prop::collection::vec(0..15usize, 0..4)).prop_map(|((git, push, force), ways)| {
        ways.into_iter().fold(format!("{git} {push} origin {force}"), |line, way| around(&line, way))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_reader_agrees_with_another_one(pieces in prop::collection::vec(select(PIECES), 1..16)) {
        let text = pieces.concat();
        prop_assert_eq!(missed(&text), Vec::<String>::new(), "{:?}: {:?}", text, read(&text));
    }

    #[test]
    fn no_disguise_gets_past(line in disguises()) {
        prop_assert!(is_refused(&line), "{}", line);
        // Said, not done: the same as one quoted argument of a program that prints.
        let said = format!("echo '{}'", line.replace('\'', "'\\''"));
        prop_assert!(!is_refused(&said), "{}", said);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,60}", pieces in prop::collection::vec(select(PIECES), 0..40)) {
        let _ = is_refused(&text);
        let _ = is_refused(&pieces.concat());
    }
}

#[test]
#[rustfmt::skip] // a table of short lines
fn what_bash_accepts_is_read() {
    let texts = [
        "for f in $(git ls-files '*.rs'); do rustfmt --check \"$f\" || exit 1; done",
        "set -euo pipefail; trap 'rm -f \"$tmp\"' EXIT; tmp=$(mktemp); curl -fsSL https://example.org/x > \"$tmp\"",
        "cat > a.py <<'EOF'\nprint(\"it's (not) `closed`\")\nEOF\npython3 a.py",
        "if [[ \"$1\" =~ ^(a|b)+$ && -f x ]]; then echo \"${BASH_REMATCH[1]}\"; fi",
        "case \"$OSTYPE\" in linux*) echo l ;; darwin*|*bsd) echo b ;; (*) echo o ;; esac",
        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done < <(grep -v '^#' f)",
        "x=$((1 << 4 | 2)); (( x > 3 )) && echo \"$x\"; let y=x+1",
        "git log --format='%h %s' | awk '{ print $1; if ($2 == \"x\") { n++ } } END { print n }' | sort -u",
        "f() { local a=${1:-\"b c\"}; echo \"${a//x/y}\" \"${#a}\" \"${a%%.*}\"; }; f 'd'",
        "arr=(a \"b c\" 'd'); for i in \"${!arr[@]}\"; do echo \"$i ${arr[$i]}\"; done",
        "docker run --rm -v \"$PWD:/w\" img sh -lc 'cd /w && make test' 2>&1 | tee log.txt",
        "find . -type f \\( -name '*.a' -o -name '*.b' \\) -not -path './x/*' -print0 | xargs -0 wc -l",
        "jq -r '.[] | select(.a == \"b\") | \"\\(.c) \\(.d)\"' f.json",
        "git commit -m \"$(cat <<'EOF'\nA title (with parens)\n\nIt's a body.\nEOF\n)\"",
        "npm test -- --watch=false && npm run build || { echo failed >&2; exit 1; }",
        "sed -e 's/\\(a\\)/\\1/' -e \"s|$HOME|~|g\" f > g && mv g f",
        "diff <(sort a) <(sort b) > /dev/null || echo \"differs: $?\"",
        "export A=1 B=\"two words\"; env | grep -E '^(A|B)='",
        "{ echo a; echo b; } | while read x; do echo \"$x\"; done",
        "time (make -j\"$(nproc)\" all) 2> t.txt; ! false; echo ${x:-a{b,c}d}",
        "select o in a b; do break; done; until true; do :; done",
        "echo $'a\\'b' $\"c\" \"d`echo e`f\" \\# g # h",
        "[ \"$a\" = b ] && [ -n \"$c\" ] || test -d d",
        "for i in {a..c} {1..3}; do set -- \"$i\" x; echo \"${1:-none}\" \"${@:2}\" \"${!i}\" \"${i^^}\"; done",
        "if true; then { while false; do :; done; } fi; f() { case $1 in a) if x; then y; fi;; esac; }",
        "read -r a b <<< \"c d\"; printf -v e '%s-%s' \"$a\" \"$b\"; a+=(f [3]=g); echo \"${a[@]:1:2}\" ${#a[@]} ${!a*}",
        "ls | xargs -I{} sh -c 'mv {} {}.bak'; sudo env \"PATH=$PATH\" make; export $(grep -v '^#' .env | xargs)",
        "cat <<A <<'B'\n$(echo one)\nA\ntwo $(\nB\necho three",
    ];
    for text in texts {
        let accepts = Command::new("bash").args(["-n", "-c", text]).output().expect("bash").status.success();
        assert!(accepts, "bash: {text}");
        assert_eq!(read(text).unclear, None, "{text}");
    }
}
