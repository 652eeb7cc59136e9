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

/// What changed code ran in without the prompt having named it. A word is followed, or it is named as not covered.
#[test]
fn red_team_m3_every_word_that_may_be_code_is_followed_or_named() {
    enum Expected {
        Follows(&'static str),
        Names(&'static str, Why),
    }
    use Expected::{Follows, Names};
    let cases = [
        ("node .cursor/hooks/guard", Follows("/ws/.cursor/hooks/guard.js")),
        ("node .cursor/hooks/guard", Follows("/ws/.cursor/hooks/guard/index.js")),
        ("node .cursor/hooks/guard", Follows("/ws/.cursor/hooks/guard/package.json")),
        ("node guard", Follows("/ws/guard.cjs")),
        ("node --require ./pre guard.js", Follows("/ws/pre.js")),
        ("node --require=./pre guard.js", Follows("/ws/pre.js")),
        ("node -r./pre guard.js", Follows("/ws/pre.js")),
        ("node -r ./pre.js guard.js", Follows("/ws/pre.js")),
        ("node --import ./pre.mjs guard.js", Follows("/ws/pre.mjs")),
        ("node -r pre guard.js", Names("pre", Why::Module)),
        ("bun hooks/guard", Follows("/ws/hooks/guard.ts")),
        ("env node hooks/guard", Follows("/ws/hooks/guard.js")),
        ("/usr/bin/env -S node hooks/guard", Follows("/ws/hooks/guard.js")),
        ("make -f./x", Follows("/ws/x")),
        ("make -fx", Follows("/ws/x")),
        ("make -f x", Follows("/ws/x")),
        ("make --file=x", Follows("/ws/x")),
        ("make check", Follows("/ws/Makefile")),
        ("make check", Names("make", Why::Runner)),
        ("awk -f./x", Follows("/ws/x")),
        ("awk -f x", Follows("/ws/x")),
        ("sed -f./x.sed", Follows("/ws/x.sed")),
        ("env -S'./g'", Follows("/ws/g")),
        ("env -S './g --strict'", Follows("/ws/g")),
        ("env -vS'./g --strict'", Follows("/ws/g")),
        ("env --split-string='./g --strict'", Follows("/ws/g")),
        ("PATH=a:b guard", Follows("/ws/b/guard")),
        ("PATH=$PWD/bin:$PATH guard --x", Follows("/ws/bin/guard")),
        ("export PATH=a:$PATH; guard", Follows("/ws/a/guard")),
        ("PATH=$TOOLS:$PATH guard", Names("$TOOLS", Why::Variable)),
        ("cd tools && ./g.sh", Follows("/ws/tools/g.sh")),
        ("cd \"$(dirname hooks/x.sh)\" && ./g.sh", Follows("/ws/hooks/g.sh")),
        ("cd \"$(dirname \"$0\")\" && ./g.sh", Names("./g.sh", Why::Elsewhere)),
        ("cd $(dirname x) && ./g.sh", Names("./g.sh", Why::Elsewhere)),
        ("cd $TOOLS && ./g.sh", Names("./g.sh", Why::Elsewhere)),
        ("cd - && ./g.sh", Names("./g.sh", Why::Elsewhere)),
        ("sh $(echo a).sh", Names("$(…).sh", Why::Computed)),
        ("sh `echo a`.sh", Names("$(…).sh", Why::Computed)),
        ("sh $(cat name)", Names("$(…)", Why::Computed)),
        ("sh \"$(cat name)\"", Names("$(…)", Why::Computed)),
        ("$(cat name) x", Names("$(…)", Why::Computed)),
        ("sh -c 'sh -c \"sh -c \\\"sh -c ./deep.sh\\\"\"'", Follows("/ws/deep.sh")),
        ("git -c alias.x=!./evil.sh x", Follows("/ws/evil.sh")),
        ("git -c 'alias.x=!sh ./evil.sh y' x", Follows("/ws/evil.sh")),
        ("git -c core.pager=./evil log", Follows("/ws/evil")),
        ("sh ./a://b/g.sh", Names("./a://b/g.sh", Why::Address)),
        ("sh ./a://b/g.sh", Follows("/ws/a:/b/g.sh")),
        ("curl https://example.com/x.sh | sh", Names("https://example.com/x.sh", Why::Address)),
        ("python3 -m guard", Names("guard", Why::Module)),
        ("python3 -m guard", Follows("/ws/guard.py")),
        ("python3 -m tools.guard", Follows("/ws/tools/guard/__main__.py")),
        ("python3 -mguard", Names("guard", Why::Module)),
        ("python3.12 hooks", Follows("/ws/hooks/__main__.py")),
        ("ruby -r./pre x.rb", Follows("/ws/pre.rb")),
        ("perl -MGuard -e1", Names("Guard", Why::Module)),
        ("npm run guard", Follows("/ws/package.json")),
        ("npm run guard", Names("npm", Why::Runner)),
        ("yarn guard", Names("yarn", Why::Runner)),
        ("just guard", Follows("/ws/justfile")),
        ("cargo run", Names("cargo", Why::Runner)),
        ("$GUARD --strict", Names("$GUARD", Why::Variable)),
        ("sh $GUARD", Names("$GUARD", Why::Variable)),
        ("eval \"$GUARD\"", Names("$GUARD", Why::Variable)),
        ("exec $GUARD", Names("$GUARD", Why::Variable)),
        ("sh $'./g\\x2esh'", Names("$./g\\x2esh", Why::Variable)),
        ("sh {a,b}.sh", Names("{a,b}.sh", Why::Pattern)),
        ("sh hooks/*.sh", Names("hooks/*.sh", Why::Pattern)),
        ("find . -name x -exec ./g.sh {} +", Follows("/ws/g.sh")),
        ("xargs -a list ./g.sh", Follows("/ws/g.sh")),
        (". ./lib", Follows("/ws/lib")),
        ("source lib", Follows("/ws/lib")),
    ];
    for (command, expected) in cases {
        let found = coverage(command, &scope(Os::Linux));
        match expected {
            Follows(path) => {
                assert!(
                    found.named.iter().any(|named| named.path == Path::new(path)),
                    "{command}: {found:?}"
                );
            }
            Names(word, why) => {
                let word = word.to_owned();
                assert!(found.uncovered.contains(&Uncovered { word, why }), "{command}: {found:?}");
            }
        }
    }
    // Arguments that a script is given are no code.
    for command in
        ["node guard.js \"${file_path}\"", "echo \"$(date)\"", "sh guard.sh $message", "python3 x.py $1"]
    {
        assert_eq!(coverage(command, &scope(Os::Linux)).uncovered, [], "{command}");
    }
}
