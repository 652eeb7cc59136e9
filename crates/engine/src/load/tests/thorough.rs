//! What `check` finds beyond the text.

use super::*;

fn problems(files: &Files, level: &str, command: &str) -> Vec<(&'static str, String)> {
    let file = match level {
        "project" => "ws/.cursor/hooks.json",
        "user" => "home/.cursor/hooks.json",
        _ => "root/etc/cursor/hooks.json",
    };
    files.write(file, &hooks_json("stop", &[command]));
    let options = LoadOptions { thorough: true, trust: TrustMode::Once, ..LoadOptions::default() };
    let set = files.load(options);
    fs::remove_file(files.path(file)).expect("removed");
    set.problems.iter().map(|problem| (problem.code, problem.help.clone().unwrap_or_default())).collect()
}

#[cfg(unix)]
#[test]
fn scripts_are_looked_for_where_the_hook_runs() {
    let files = Files::new();
    files.dir.script("ws/.cursor/hooks/guard.sh", "");
    files.dir.script("home/.cursor/hooks/mine.sh", "");
    files.dir.script("root/etc/cursor/policy.sh", "");
    files.write("ws/plain.sh", "");
    files.dir.script("ws/my tools/guard.sh", "");
    files.dir.script("home/my tools/mine.sh", "");
    let ws = files.path("ws");
    let home = files.path("home/.cursor");
    let plain = files.path("ws/plain.sh");
    let cases: [(&str, &str, Option<(&str, String)>); 15] = [
        ("project", ".cursor/hooks/guard.sh --strict", None),
        ("project", "bash .cursor/hooks/guard.sh", None),
        ("project", "\"my tools/guard.sh\"", None),
        ("project", "sh plain.sh", None),
        ("project", "jq . > out.sh", None),
        ("project", "git status", None),
        ("user", "./hooks/mine.sh", None),
        ("enterprise", "./policy.sh", None),
        (
            "project",
            "./hooks/guard.sh",
            Some((
                "missing-script",
                format!("project hooks run from {}: write `.cursor/hooks/guard.sh`", ws.display()),
            )),
        ),
        (
            "user",
            "python3 .cursor/hooks/mine.sh",
            Some((
                "missing-script",
                format!("user hooks run from {}: write `./hooks/mine.sh`", home.display()),
            )),
        ),
        (
            "project",
            "node tools/none.mjs",
            Some(("missing-script", format!("project hooks run from {}", ws.display()))),
        ),
        (
            "enterprise",
            "./none",
            Some((
                "missing-script",
                format!("enterprise hooks run from {}", files.path("root/etc/cursor").display()),
            )),
        ),
        ("project", "./plain.sh", Some(("not-executable", format!("`chmod +x '{}'`", plain.display())))),
        (
            "project",
            "bash my tools/guard.sh -v",
            Some(("unquoted-space", "write `bash \"my tools/guard.sh\" -v`".to_owned())),
        ),
        (
            "project",
            "~/my tools/mine.sh",
            Some(("unquoted-space", "write `\"$HOME/my tools/mine.sh\"`".to_owned())),
        ),
    ];
    for (level, command, expected) in cases {
        assert_eq!(problems(&files, level, command), Vec::from_iter(expected), "{level}: {command}");
    }
}

#[test]
fn a_run_does_not_look_for_scripts() {
    let files = Files::new();
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["./none.sh"]));
    assert!(files.load(LoadOptions::default()).problems.is_empty());
}
