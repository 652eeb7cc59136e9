//! Scripts are looked for where their hooks run.

use super::*;
use crate::config::{apply_fixes, read};
use crate::edition::Edition;
use crate::event::EventKind;
use crate::source::Os;
use crate::testing::TempDir;

fn found(dir: &TempDir, command: &str) -> Option<(&'static str, Option<String>)> {
    let definition = Definition::command(EventKind::Stop, command);
    let (run, home, work) = (dir.path().join("run"), dir.path().join("home"), dir.path().join("work"));
    let scope =
        Scope { os: Os::Linux, run_dir: &run, workspace: Some(&work), plugin: Some(&run), home: &home };
    let problems = check_scripts(&[definition], &scope);
    problems.into_iter().next().map(|problem| (problem.code, problem.help))
}

#[test]
fn scripts_are_looked_for_where_the_hook_runs() {
    let dir = TempDir::new();
    dir.script("run/hooks/ok.sh", "");
    dir.write("run/hooks/plain.sh", "");
    dir.write("run/here.py", "");
    dir.write("run/bare.py", "print(1)\n");
    dir.script("run/bare.mjs", "console.log(1)\n");
    dir.script("run/said.py", "#!/usr/bin/env python3\n");
    dir.script("run/.cursor/hooks/inner.sh", "");
    dir.script("run/my scripts/a b.sh", "");
    dir.script("home/bin/tool.sh", "");
    dir.script("home/my bin/tool.sh", "");
    dir.script("work/hooks/there.sh", "");
    let run = dir.path().join("run");
    let absent =
        |path: &str| Some(("script-not-found", format!("looked for {}", dir.path().join(path).display())));
    let nobody = |help: &str| Some(("script-without-interpreter", help.to_owned()));
    let (in_project, in_plugin) = (absent("work/.claude/hooks/no.sh"), absent("run/hooks/g.sh"));
    let cases = [
        ("./hooks/ok.sh --flag", None),
        ("hooks/ok.sh", None),
        ("bash hooks/plain.sh", None),
        ("FOO=1 exec ./hooks/ok.sh", None),
        ("~/bin/tool.sh", None),
        ("$HOME/bin/tool.sh", None),
        ("\"${HOME}/my bin/tool.sh\"", None),
        ("\"my scripts/a b.sh\" x", None),
        ("node -e 'process.exit()'", None),
        ("./said.py", None),
        ("python3 ./bare.py", None),
        ("./bare.py", nobody("write python3 ./bare.py, or begin the script with #!/usr/bin/env python3")),
        ("./bare.mjs", nobody("write node ./bare.mjs, or begin the script with #!/usr/bin/env node")),
        ("python3 -m http.server", None),
        ("bash -c './nothing.sh'", None),
        ("$TOOLS/nothing.sh", None),
        ("\"$CLAUDE_PROJECT_DIR\"/hooks/there.sh", None),
        ("${CURSOR_PROJECT_DIR:-.}/hooks/there.sh", None),
        ("\"${CLAUDE_PLUGIN_ROOT}/hooks/ok.sh\"", None),
        ("$CURSOR_PROJECT_DIR/$TOOLS/nothing.sh", None),
        ("'$CURSOR_PROJECT_DIR/hooks/there.sh'", {
            let literal = run.join("$CURSOR_PROJECT_DIR/hooks/there.sh");
            Some(("script-not-found", format!("looked for {}", literal.display())))
        }),
        ("jq .x", None),
        ("[ -x ./nothing.sh ] && ./nothing.sh", None),
        ("command -v ./nothing.sh", None),
        ("C:/tools/x.exe", None),
        ("", None),
        (
            "./hooks/plain.sh",
            Some(("script-not-executable", format!("chmod +x {}", run.join("./hooks/plain.sh").display()))),
        ),
        ("./hooks", Some(("script-is-a-directory", "name the file in it".to_owned()))),
        (
            "./hooks/no.sh",
            Some(("script-not-found", format!("looked for {}", run.join("./hooks/no.sh").display()))),
        ),
        (
            "node hooks/no.js",
            Some(("script-not-found", format!("looked for {}", run.join("hooks/no.js").display()))),
        ),
        ("bun run no.ts", Some(("script-not-found", format!("looked for {}", run.join("no.ts").display())))),
        ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/no.sh", in_project.clone()),
        ("bash $CURSOR_PROJECT_DIR/.claude/hooks/no.sh", in_project),
        ("${CLAUDE_PLUGIN_ROOT}/hooks/g.sh", in_plugin.clone()),
        ("\"$CURSOR_PLUGIN_ROOT/hooks/g.sh\"", in_plugin),
        ("./hooks/inner.sh", Some(("script-elsewhere", "write .cursor/hooks/inner.sh".to_owned()))),
        (".cursor/hooks/ok.sh", Some(("script-elsewhere", "write ./hooks/ok.sh".to_owned()))),
        ("my scripts/a b.sh --x", Some(("path-with-space", "write \\\"my scripts/a b.sh\\\"".to_owned()))),
        (
            "bash ./my scripts/a b.sh",
            Some(("path-with-space", "write \\\"./my scripts/a b.sh\\\"".to_owned())),
        ),
        ("~/my bin/tool.sh", Some(("path-with-space", "write ~/\\\"my bin/tool.sh\\\"".to_owned()))),
        ("'~/bin/tool.sh'", Some(("quoted-tilde", "write \"$HOME/bin/tool.sh\"".to_owned()))),
        ("here.py", Some(("script-not-on-path", "write ./here.py".to_owned()))),
    ];
    for (command, expected) in cases {
        let expected = expected.map(|(code, help)| (code, Some(help)));
        assert_eq!(found(&dir, command), expected, "{command}");
    }
}

#[test]
fn a_wrong_path_is_repaired_in_the_file() {
    let dir = TempDir::new();
    dir.script("my scripts/a.sh", "");
    dir.script(".cursor/hooks/b.sh", "");
    let text = r#"{"version": 1, "hooks": {"stop": [{"command": "my scripts/a.sh -x"}, {"command": "./hooks/b.sh"}]}}"#;
    let config = read(text.as_bytes(), Edition::Docs);
    let (os, here) = (Os::Linux, dir.path());
    let scope = Scope { os, run_dir: here, workspace: None, plugin: None, home: here };
    let problems = check_scripts(&config.definitions, &scope);
    let places: Vec<_> =
        problems.iter().map(|problem| problem.place.clone().expect("placed").column).collect();
    assert_eq!(places, [47, 82]);
    let expected = r#"{"version": 1, "hooks": {"stop": [{"command": "\"my scripts/a.sh\" -x"}, {"command": ".cursor/hooks/b.sh"}]}}"#;
    let repaired = apply_fixes(text, &problems);
    assert_eq!(repaired, expected);
    let definitions = read(repaired.as_bytes(), Edition::Docs).definitions;
    assert!(check_scripts(&definitions, &scope).is_empty());
}
