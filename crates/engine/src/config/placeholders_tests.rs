//! Placeholders: which are left over, which are misspelt, where they stand.

use super::*;

fn left(command: &str) -> Vec<&str> {
    unexpanded(command, &braced(command)).into_iter().map(|bytes| &command[bytes]).collect()
}

#[test]
fn placeholders_that_nobody_expands_are_found() {
    let cases: [(&str, &[&str]); 18] = [
        ("prettier --write {{file}}", &["{{file}}"]),
        ("node \"{{ ROOT }}/x.js\" {{b}}", &["{{ ROOT }}", "{{b}}"]),
        ("docker ps --format '{{.Names}}'", &[]),
        ("docker inspect -f '{{json .State}}' x", &[]),
        ("eslint ${file}", &["${file}"]),
        ("cat ${tool_name}", &["${tool_name}"]),
        ("file=$(cat); eslint ${file}", &[]),
        ("while read -r file; do eslint ${file}; done", &[]),
        ("echo ${env:HOME}", &["${env:HOME}"]),
        ("echo ${HOME} ${MY_VAR} $x", &[]),
        ("\"${command}\" \"${status}\"", &[]),
        ("bash '__HOME__/x.sh'", &["__HOME__"]),
        ("python -c 'print(__name__)'; php -r 'echo __DIR__;'", &[]),
        ("node /ABS/PATH/x.mjs", &["/ABS/PATH"]),
        ("/absolute/path/to/x.sh", &["/absolute/path"]),
        ("/path/to/x.sh <your-token>", &["/path/to/", "<your-token>"]),
        ("sort <in >out", &[]),
        ("judge $ARGUMENTS", &["$ARGUMENTS"]),
    ];
    for (command, expected) in cases {
        assert_eq!(left(command), expected, "{command}");
    }
}

#[test]
fn a_name_that_is_nearly_given_is_misspelt() {
    let cases = [
        ("x \"${comand}\"", Some("command")),
        ("x \"${promt}\"", Some("prompt")),
        ("x \"${file-path}\" ${filepath}", Some("file_path")),
        ("x \"${Status}\"", Some("status")),
        ("x \"${command}\" ${COMMAND} ${STATUS}", None),
        ("comand=1; x ${comand}", None),
        ("x ${comand:-y}", None),
        ("x ${target} ${branch}", None),
    ];
    for (command, expected) in cases {
        let found =
            braced(command).into_iter().find_map(|(name, bytes)| misspelt(command, name, &command[bytes]));
        assert_eq!(found, expected, "{command}");
    }
}

#[test]
fn offsets_are_found_in_the_string_as_written() {
    let cases = [
        ("abc", 2, 2),
        (r"a\nc", 2, 3),
        (r"\u00e9c", 2, 6),
        (r"\ud83d\ude00c", 4, 12),
        ("éc", 2, 2),
        (r"\\", 1, 2),
    ];
    for (raw, value, written) in cases {
        assert_eq!(raw_offset(raw, value), written, "{raw}");
    }
    assert_eq!(raw_offset("abc", 99), 3);
}

#[test]
fn a_program_for_another_shell_is_recognised() {
    let cases = [
        ("sh -c ", true),
        ("bash -lc ", true),
        ("eval ", true),
        ("grep -c ", false),
        ("wc -c ", false),
        ("x --public ", false),
        ("", false),
    ];
    for (before, expected) in cases {
        assert_eq!(is_program(before), expected, "{before}");
    }
}
