use super::*;

fn scope(os: Os) -> Scope<'static> {
    match os {
        Os::Windows => Scope {
            os,
            run_dir: Path::new("C:/ws"),
            workspace: Some(Path::new("C:/ws")),
            plugin: None,
            home: Path::new(r"C:\Users\me"),
        },
        Os::Linux | Os::Macos => Scope {
            os,
            run_dir: Path::new("/ws"),
            workspace: Some(Path::new("/ws")),
            plugin: None,
            home: Path::new("/home/me"),
        },
    }
}

/// The words that look like paths, and the loose ones that look like files.
fn named(command: &str, os: Os) -> Vec<String> {
    let named = coverage(command, &scope(os)).named;
    named
        .into_iter()
        .filter(|named| !named.loose)
        .map(|named| named.path.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn the_files_a_command_names_are_found() {
    let cases: &[(&str, &[&str])] = &[
        (".cursor/hooks/guard.sh", &["/ws/.cursor/hooks/guard.sh"]),
        ("./guard.sh --strict", &["/ws/guard.sh"]),
        ("bash guard.sh", &["/ws/guard.sh"]),
        ("bun run .cursor/hooks/track.ts --stop", &["/ws/.cursor/hooks/track.ts"]),
        ("$CURSOR_PROJECT_DIR/a.sh", &["/ws/a.sh"]),
        ("\"${CLAUDE_PROJECT_DIR}\"/a.sh", &["/ws/a.sh"]),
        ("${CURSOR_PROJECT_DIR:-.}/a.sh", &["/ws/a.sh"]),
        ("$HOME/bin/x", &["/home/me/bin/x"]),
        ("~/bin/x", &["/home/me/bin/x"]),
        ("$PWD/x.py", &["/ws/x.py"]),
        ("/ws/x /home/me/y /usr/bin/z", &["/ws/x", "/home/me/y"]),
        ("sh -c './a.sh && exec ./b.sh'", &["/ws/a.sh", "/ws/b.sh"]),
        ("sh -c \"sh -c './deep.sh x'\"", &["/ws/deep.sh"]),
        (
            "./a.sh;./b.sh|./c.sh&./d.sh\n./e.sh",
            &["/ws/a.sh", "/ws/b.sh", "/ws/c.sh", "/ws/d.sh", "/ws/e.sh"],
        ),
        ("(./a.sh)<in.json", &["/ws/a.sh", "/ws/in.json"]),
        ("`./a.sh`", &["/ws/a.sh"]),
        ("--config=conf/x.json", &["/ws/conf/x.json"]),
        ("MODE=strict LIB=./lib.sh ./a.sh", &["/ws/lib.sh", "/ws/a.sh"]),
        ("cd tools && node guard.js", &["/ws/tools/guard.js"]),
        ("\"$(git rev-parse --show-toplevel)\"/.cursor/a.sh", &["/ws/.cursor/a.sh"]),
        ("cat ../other/x.sh", &[]),
        ("cat /ws/../home/me/x.sh", &["/ws/../home/me/x.sh"]),
        ("curl https://example.com/x.sh", &[]),
        ("jq . >out/x.json 2>>err.sh", &[]),
        ("tee logs/a.json | touch run/b.sh; ./c.sh", &["/ws/c.sh"]),
        ("echo ${file_path}", &[]),
    ];
    for (command, expected) in cases {
        let found = named(command, Os::Linux);
        for path in *expected {
            assert!(found.iter().any(|found| found == path), "{command}: {found:?}");
        }
        if expected.is_empty() {
            assert_eq!(found, [""; 0], "{command}");
        }
    }
}

#[test]
fn a_word_that_may_be_a_file_counts_while_there_is_one() {
    let cases = [
        ("sh check", "/ws/check"),
        ("\"my guard/a b.sh\"", "/ws/my guard/a b.sh"),
        ("my\\ guard/x.sh", "/ws/my guard/x.sh"),
    ];
    for (command, expected) in cases {
        let found = coverage(command, &scope(Os::Linux)).named;
        assert!(found.contains(&Named { path: expected.into(), loose: true }), "{command}: {found:?}");
    }
}

#[test]
fn the_helper_beside_a_script_counts_while_it_is_there() {
    let cases = [
        ("python3 .cursor/hooks/a.py", Some("/ws/.cursor/hooks/boathook_hook.py")),
        ("node hooks/a.mjs", Some("/ws/hooks/boathook_hook.mjs")),
        ("node hooks/a.js --strict", Some("/ws/hooks/boathook_hook.mjs")),
        ("./a.cjs", Some("/ws/boathook_hook.mjs")),
        ("./a.sh", None),
        ("cat > a.py", None),
    ];
    for (command, expected) in cases {
        let found = coverage(command, &scope(Os::Linux)).named;
        let helper = found.iter().find(|named| named.path.to_string_lossy().contains("boathook_hook"));
        let loosely = |path: &str| Named { path: path.into(), loose: true };
        assert_eq!(helper.cloned(), expected.map(loosely), "{command}");
    }
}

#[test]
fn what_is_not_covered_is_said() {
    let cases = [
        ("$TOOLS/a.sh", "$TOOLS/a.sh", Why::Variable),
        ("~other/a.sh", "~other/a.sh", Why::Variable),
        ("node $1/x.js", "$1/x.js", Why::Variable),
        ("sh hooks/*.sh", "hooks/*.sh", Why::Pattern),
        ("/usr/bin/env node", "/usr/bin/env", Why::Outside),
        ("../x.sh", "../x.sh", Why::Outside),
        ("./a.sh >> log/a.txt", "log/a.txt", Why::Written),
        ("tee log/a.txt", "log/a.txt", Why::Written),
    ];
    for (command, word, why) in cases {
        let found = coverage(command, &scope(Os::Linux)).uncovered;
        assert!(found.contains(&Uncovered { word: word.to_owned(), why }), "{command}: {found:?}");
    }
    let silent = ["echo $message", "cat </dev/null", "echo '$1 and $2'", "grep -q x 2>&1"];
    for command in silent {
        assert_eq!(coverage(command, &scope(Os::Linux)).uncovered, [], "{command}");
    }
}

#[test]
fn a_file_that_is_written_and_run_is_covered() {
    assert!(named("cat > x.sh; sh x.sh", Os::Linux).contains(&"/ws/x.sh".to_owned()));
}

#[test]
fn windows_command_lines_are_read_as_windows_does() {
    let cases = [
        (r".cursor\hooks\guard.cmd", "C:/ws/.cursor/hooks/guard.cmd"),
        (r"powershell -NoProfile -File .\guard.ps1", "C:/ws/guard.ps1"),
        (r#""%USERPROFILE%\bin\x.exe" --y"#, "C:/Users/me/bin/x.exe"),
        (r"& $env:CURSOR_PROJECT_DIR\x.ps1", "C:/ws/x.ps1"),
        (r"c:\WS\Guard.bat", "c:/WS/Guard.bat"),
    ];
    for (command, expected) in cases {
        let found = named(command, Os::Windows);
        assert!(found.iter().any(|path| path == expected), "{command}: {found:?}");
    }
}

#[test]
fn hooks_of_the_user_have_no_project() {
    let scope = Scope { workspace: None, run_dir: Path::new("/home/me/.cursor"), ..scope(Os::Linux) };
    let found = coverage("./hooks/a.sh $CURSOR_PROJECT_DIR/b.sh /ws/c.sh", &scope);
    assert_eq!(found.named, [Named { path: "/home/me/.cursor/hooks/a.sh".into(), loose: false }]);
    let why: Vec<_> =
        found.uncovered.iter().map(|uncovered| (uncovered.word.as_str(), uncovered.why)).collect();
    assert_eq!(why, [("$CURSOR_PROJECT_DIR/b.sh", Why::Variable), ("/ws/c.sh", Why::Outside)]);
}

#[cfg(unix)]
#[test]
fn a_home_that_is_not_text_hides_no_script() {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/home/\xff"));
    let found = coverage("sh guard.sh ~/x.sh", &Scope { home: odd, ..scope(Os::Linux) });
    assert!(found.named.contains(&Named { path: "/ws/guard.sh".into(), loose: false }), "{found:?}");
    assert_eq!(found.uncovered, [Uncovered { word: "~/x.sh".to_owned(), why: Why::Variable }]);
}

#[test]
fn no_command_line_is_too_odd() {
    let long = "a/".repeat(200_000);
    let quotes = "'\"".repeat(5_000);
    let words = "x/y ".repeat(20_000);
    for command in [
        "", "'", "\"", "\\", "$", "${", "${}", "%", "~", "`", ">", "$(", "\0/x", "=", "a=", &long, &quotes,
        &words,
    ] {
        for os in [Os::Linux, Os::Windows] {
            let _ = coverage(command, &scope(os));
        }
    }
}
