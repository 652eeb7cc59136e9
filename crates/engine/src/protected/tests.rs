use super::*;
use crate::source::Os;

fn roots(os: Os, base: &Path) -> Roots {
    Roots {
        os,
        system: base.join("root"),
        home: base.join("home/me"),
        workspaces: vec![base.join("ws"), base.join("second")],
        state: base.join("home/me/.local/state/boathook"),
        plugins: Vec::new(),
    }
}

/// C23 and C24: names of files that do not exist yet.
#[test]
fn c23_every_spelling_of_a_protected_name_is_recognised() {
    let cases = [
        ("/w/ws/.cursor/hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor/hooks/deep/guard.sh", Some(PROJECT_SCRIPTS)),
        ("/w/ws/.cursor/hooks", Some(PROJECT_SCRIPTS)),
        ("/w/ws/.cursor", Some(PROJECT_DIRECTORY)),
        ("/w/ws/.cursor/", Some(PROJECT_DIRECTORY)),
        ("/w/ws/package/.cursor/hooks.json", Some(PROJECT_FILE)),
        ("/elsewhere/.cursor/hooks.json", Some(PROJECT_FILE)),
        (".cursor/hooks.json", Some(PROJECT_FILE)),
        ("./src/../.cursor/hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.CURSOR/hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor/HOOKS.JSON", Some(PROJECT_FILE)),
        ("/w/ws/.cur\u{17F}or/hoo\u{212A}s.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor./hooks.json. .", Some(PROJECT_FILE)),
        ("/w/ws/.cursor /hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.cur\u{200D}sor/hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor\u{FEFF}/hooks\u{200B}.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor/hooks.json::$DATA", Some(PROJECT_FILE)),
        ("/w/ws/CURSOR~1/hooks.json", Some(PROJECT_FILE)),
        ("/w/ws/.cursor/HOOKS~1.JSO", Some(PROJECT_FILE)),
        ("/w/ws/CU4F3A~1/HO12AB~12.JSO", Some(PROJECT_FILE)),
        ("/proc/self/root/w/ws/.cursor/hooks.json", Some(PROJECT_FILE)),
        ("/proc/self/root/proc/1/root/w/home/me/.cursor/x", Some(USER)),
        ("/proc/7/task/8/root/w/home/me/.cursor/x", Some(USER)),
        ("/w/home/me/.cursor/mcp.json", Some(USER)),
        ("/w/home/me/.cursor", Some(USER)),
        ("/W/Home/Me/.Cursor/mcp.json", Some(USER)),
        ("/w/home/me/.local/state/boathook/trust/x", Some(STATE)),
        ("/w/home/me/.local/state/BOATHO~1/trust/x", Some(STATE)),
        ("/w/root/etc/cursor/hooks.json", Some(MACHINE)),
        ("/w/ws/.claude/settings.json", Some(CLAUDE_SETTINGS)),
        ("/w/ws/.claude/settings.local.json", Some(CLAUDE_SETTINGS)),
        ("/w/home/me/.claude/SETTINGS.json", Some(CLAUDE_SETTINGS)),
        ("/w/home/me/.claude/hooks/guard.sh", Some(CLAUDE_SCRIPTS)),
        ("/w/ws/.claude/agents/a.md", None),
        ("/w/ws/settings.json", None),
        ("/w/ws/.cursor/rules/style.mdc", None),
        ("/w/ws/.cursor/mcp.json", None),
        ("/w/ws/hooks.json", None),
        ("/w/ws/cursor/hooks.json", None),
        ("/w/ws/src/hooks/guard.sh", None),
        ("/w/ws/HOOKS~1.JSO", None),
        ("/w/home/me/notes.txt", None),
        ("/w/home/me/.cursor-backup/x", None),
        ("/w/home/me/.local/state/other", None),
        ("/", None),
        ("", None),
    ];
    for (path, expected) in cases {
        assert_eq!(is_protected(Path::new(path), &roots(Os::Linux, Path::new("/w"))), expected, "{path}");
    }
}

#[test]
fn paths_of_windows_are_read_as_windows_reads_them() {
    let roots = Roots {
        os: Os::Windows,
        system: "/".into(),
        home: r"C:\Users\me".into(),
        workspaces: vec![r"D:\ws".into()],
        state: r"C:\Users\me\AppData\Local\boathook".into(),
        plugins: Vec::new(),
    };
    let cases = [
        (r"D:\ws\.cursor\hooks.json", Some(PROJECT_FILE)),
        (r"d:\WS\.Cursor\Hooks\x.ps1", Some(PROJECT_SCRIPTS)),
        (r"c:/users/ME/.cursor/hooks.json", Some(USER)),
        (r"\\?\C:\Users\me\.cursor\x", Some(USER)),
        (r"C:\ProgramData\Cursor\hooks.json", Some(MACHINE)),
        (r"C:\PROGRA~3\Cursor\hooks.json", Some(MACHINE)),
        (r"C:\Users\me\AppData\Local\boathook\trust\x", Some(STATE)),
        (r"D:\ws\src\main.rs", None),
    ];
    for (path, expected) in cases {
        assert_eq!(is_protected(Path::new(path), &roots), expected, "{path}");
    }
}

/// C23: names that say nothing, of files that do exist.
#[cfg(unix)]
#[test]
fn c23_another_way_to_the_same_file_is_recognised() {
    use std::fs;
    use std::os::unix::fs::symlink;

    use crate::testing::TempDir;

    let dir = TempDir::new();
    let base = dir.path();
    let roots = roots(Os::Linux, base);
    dir.write("ws/.cursor/hooks.json", "{}");
    dir.write("ws/.cursor/hooks/deep/guard.sh", "");
    dir.write("ws/.cursor/rules/style.mdc", "");
    dir.write("home/me/.cursor/hooks/mine.sh", "");
    dir.write("home/me/.local/state/boathook/trust/record", "");
    dir.write("shared/hooks.json", "{}");
    dir.write("ws/src/main.rs", "");
    fs::create_dir_all(base.join("second/.cursor")).expect("a directory");
    symlink(base.join("shared/hooks.json"), base.join("second/.cursor/hooks.json")).expect("a link");
    symlink("ws", base.join("alias")).expect("a link");
    symlink(".cursor", base.join("ws/dot")).expect("a link");
    symlink("hooks", base.join("ws/.cursor/h")).expect("a link");
    symlink(base.join("home/me/.cursor"), base.join("ws/mine")).expect("a link");
    symlink("ws/.cursor/hooks.json", base.join("innocent.txt")).expect("a link");
    symlink("ws/src/main.rs", base.join("harmless.txt")).expect("a link");
    for (from, to) in [
        ("ws/.cursor/hooks.json", "hard.json"),
        ("ws/.cursor/hooks/deep/guard.sh", "hard.sh"),
        ("home/me/.cursor/hooks/mine.sh", "hard-mine.sh"),
        ("home/me/.local/state/boathook/trust/record", "hard-record"),
        ("ws/src/main.rs", "hard-main.rs"),
    ] {
        fs::hard_link(base.join(from), base.join(to)).expect("a hard link");
    }
    let cases = [
        ("alias/.cursor/hooks.json", Some(PROJECT_FILE)),
        ("ws/dot/hooks.json", Some(PROJECT_FILE)),
        ("ws/dot/hooks/new.sh", Some(PROJECT_SCRIPTS)),
        ("ws/dot/HOOKS/new.sh", Some(PROJECT_SCRIPTS)),
        ("ws/.cursor/h/new.sh", Some(PROJECT_SCRIPTS)),
        ("ws/dot", Some(PROJECT_DIRECTORY)),
        ("ws/mine/anything", Some(USER)),
        ("innocent.txt", Some(PROJECT_FILE)),
        ("shared/hooks.json", Some(PROJECT_FILE)),
        ("hard.json", Some(PROJECT_FILE)),
        ("hard.sh", Some(PROJECT_SCRIPTS)),
        ("hard-mine.sh", Some(USER)),
        ("hard-record", Some(STATE)),
        ("ws/dot/rules/style.mdc", None),
        ("harmless.txt", None),
        ("hard-main.rs", None),
        ("ws/src/main.rs", None),
        ("ws/new/file.rs", None),
    ];
    for (path, expected) in cases {
        assert_eq!(is_protected(&base.join(path), &roots), expected, "{path}");
    }
}
