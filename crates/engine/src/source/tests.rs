use std::fs;

use super::*;
use crate::testing::TempDir;

fn roots(os: Os, system: &str, home: &str) -> Roots {
    Roots {
        os,
        system: system.into(),
        home: home.into(),
        workspaces: Vec::new(),
        state: "/state".into(),
        plugins: Vec::new(),
    }
}

/// The product's own sources alone.
const NATIVE: ThirdParty = ThirdParty { claude: false, shape: Shape::Claude };

#[test]
fn claude_codes_settings_come_behind_and_run_in_the_workspace() {
    let roots = roots(Os::Linux, "/nowhere", "/home/me");
    let found = sources(&roots, &["/one".into(), "/two".into()], ThirdParty::default());
    let of_claude: Vec<_> =
        found[4..].iter().map(|it| (it.level, it.file.clone(), it.run_dir.clone())).collect();
    let expected = [
        (Level::ClaudeLocal, "/one/.claude/settings.local.json", "/one"),
        (Level::ClaudeLocal, "/two/.claude/settings.local.json", "/two"),
        (Level::ClaudeProject, "/one/.claude/settings.json", "/one"),
        (Level::ClaudeProject, "/two/.claude/settings.json", "/two"),
        (Level::ClaudeUser, "/home/me/.claude/settings.json", "/one"),
    ];
    assert_eq!(of_claude, expected.map(|(level, file, directory)| (level, file.into(), directory.into())));
    assert_eq!(found.iter().filter(|source| source.needs_trust()).count(), 6);
    assert_eq!(
        sources(&roots, &[], ThirdParty::default()).last().map(|it| it.run_dir.clone()),
        Some("/home/me".into())
    );
}

#[test]
fn a_plugin_inside_a_workspace_belongs_to_it() {
    let dir = TempDir::new();
    let workspace = dir.path().join("ws");
    dir.write("ws/plugin/hooks/hooks.json", "{}");
    dir.write("elsewhere/hooks/hooks.json", "{}");
    for (root, inside) in [("ws/plugin", true), ("elsewhere", false)] {
        let root = dir.path().join(root);
        let source = Source::plugin(
            &root,
            root.join("hooks/hooks.json"),
            std::slice::from_ref(&workspace),
            Shape::Claude,
        );
        assert_eq!(source.needs_trust(), inside, "{}", root.display());
        assert_eq!(source.run_dir, root);
    }
}

#[test]
fn every_system_has_the_products_own_paths() {
    let cases = [
        (
            roots(Os::Linux, "/", "/home/me"),
            "/src/app",
            ["/etc/cursor/hooks.json", "/src/app/.cursor/hooks.json", "/home/me/.cursor/hooks.json"],
            ["/etc/cursor", "/src/app", "/home/me/.cursor"],
        ),
        (
            roots(Os::Macos, "/", "/Users/me"),
            "/src/app",
            [
                "/Library/Application Support/Cursor/hooks.json",
                "/src/app/.cursor/hooks.json",
                "/Users/me/.cursor/hooks.json",
            ],
            ["/Library/Application Support/Cursor", "/src/app", "/Users/me/.cursor"],
        ),
        (
            roots(Os::Windows, "/", r"C:\Users\me"),
            r"D:\src\app",
            [
                r"C:\ProgramData\Cursor\hooks.json",
                r"D:\src\app\.cursor\hooks.json",
                r"C:\Users\me\.cursor\hooks.json",
            ],
            [r"C:\ProgramData\Cursor", r"D:\src\app", r"C:\Users\me\.cursor"],
        ),
        (
            roots(Os::Linux, "/test/root", "/home/me"),
            "/src/app",
            [
                "/test/root/etc/cursor/hooks.json",
                "/src/app/.cursor/hooks.json",
                "/home/me/.cursor/hooks.json",
            ],
            ["/test/root/etc/cursor", "/src/app", "/home/me/.cursor"],
        ),
        (
            roots(Os::Windows, "/test/root", "/test/home"),
            "/test/app",
            [
                "/test/root/ProgramData/Cursor/hooks.json",
                "/test/app/.cursor/hooks.json",
                "/test/home/.cursor/hooks.json",
            ],
            ["/test/root/ProgramData/Cursor", "/test/app", "/test/home/.cursor"],
        ),
    ];
    for (roots, workspace, files, run_dirs) in cases {
        let found = sources(&roots, &[workspace.into()], NATIVE);
        let levels: Vec<_> = found.iter().map(|source| source.level).collect();
        assert_eq!(levels, [Level::Enterprise, Level::Project, Level::User]);
        for ((source, file), run_dir) in found.iter().zip(files).zip(run_dirs) {
            assert_eq!(source.file.to_str(), Some(file), "{:?}", roots.os);
            assert_eq!(source.run_dir.to_str(), Some(run_dir), "{:?}", roots.os);
            assert_eq!(source.workspace.is_some(), source.level == Level::Project);
        }
    }
}

#[test]
fn every_team_counts_and_every_root_in_its_order() {
    let dir = TempDir::new();
    let home = dir.path().join("home");
    for team in ["team_9", "team_10", "other", "team_b"] {
        dir.write(&format!("home/.cursor/managed/{team}/hooks/hooks.json"), "{}");
    }
    let roots = Roots { home: home.clone(), ..roots(Os::Linux, "/nowhere", "") };
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    fs::create_dir(&one).expect("a directory");
    let found = sources(&roots, &[two.clone(), one.clone(), two.clone()], NATIVE);
    let files: Vec<_> = found.iter().map(|source| source.file.clone()).collect();
    let managed = home.join(".cursor/managed");
    assert_eq!(
        files,
        [
            "/nowhere/etc/cursor/hooks.json".into(),
            managed.join("team_10/hooks/hooks.json"),
            managed.join("team_9/hooks/hooks.json"),
            managed.join("team_b/hooks/hooks.json"),
            two.join(".cursor/hooks.json"),
            one.join(".cursor/hooks.json"),
            home.join(".cursor/hooks.json"),
        ]
    );
    assert_eq!(found[1].run_dir, managed.join("team_10/hooks"));
}

#[cfg(unix)]
#[test]
fn the_home_is_no_workspace_however_it_is_spelt() {
    let dir = TempDir::new();
    let home = dir.path().join("home");
    fs::create_dir(&home).expect("a directory");
    std::os::unix::fs::symlink("home", dir.path().join("alias")).expect("a link");
    let roots = Roots { home: home.clone(), ..roots(Os::Linux, "/nowhere", "") };
    for spelling in [home.clone(), home.join("."), dir.path().join("alias"), home.join("../home")] {
        let levels: Vec<_> = sources(&roots, std::slice::from_ref(&spelling), NATIVE)
            .iter()
            .map(|source| source.level)
            .collect();
        assert_eq!(levels, [Level::Enterprise, Level::User], "{}", spelling.display());
    }
}

#[test]
fn the_workspace_is_the_nearest_directory_with_a_mark() {
    let dir = TempDir::new();
    for name in
        ["home/.cursor", "home/plain/deep", "home/app/.git", "home/app/src/deep", "home/app/pkg/.cursor"]
    {
        fs::create_dir_all(dir.path().join(name)).expect("a directory");
    }
    dir.write("home/worktree/.git", "gitdir: /somewhere/else");
    dir.write("home/odd/.cursor", "a file is no mark");
    fs::create_dir_all(dir.path().join("dotfiles/.git")).expect("a directory");
    fs::create_dir_all(dir.path().join("dotfiles/.cursor")).expect("a directory");
    fs::create_dir_all(dir.path().join("dotfiles/sub")).expect("a directory");
    let cases = [
        ("home", "home/app/src/deep", "home/app"),
        ("home", "home/app", "home/app"),
        ("home", "home/app/pkg", "home/app/pkg"),
        ("home", "home/worktree", "home/worktree"),
        ("home", "home/odd", "home/odd"),
        ("home", "home/plain/deep", "home/plain/deep"),
        ("home", "home", "home"),
        ("dotfiles", "dotfiles/sub", "dotfiles"),
        ("elsewhere", "home/plain/deep", "home"),
    ];
    for (home, cwd, expected) in cases {
        let found = find_workspace(&dir.path().join(cwd), &dir.path().join(home));
        assert_eq!(found, dir.path().join(expected), "{cwd} with home {home}");
    }
}

#[test]
fn a_root_is_written_as_its_system_writes_it() {
    let cases = [
        (Os::Windows, "/c:/Users/me/app", r"C:\Users\me\app"),
        (Os::Windows, "/C:/Users/me/app/", r"C:\Users\me\app"),
        (Os::Windows, "c:/Users/me", r"C:\Users\me"),
        (Os::Windows, r"d:\work", r"D:\work"),
        (Os::Windows, "/d:", r"D:\"),
        (Os::Windows, r"D:\", r"D:\"),
        (Os::Windows, "//server/share/app", r"\\server\share\app"),
        (Os::Windows, r"\\wsl.localhost\Debian\src", r"\\wsl.localhost\Debian\src"),
        (Os::Windows, "/cd:/x", r"\cd:\x"),
        (Os::Windows, "/c:x", r"\c:x"),
        (Os::Windows, "", ""),
        (Os::Windows, "/é:/x", r"\é:\x"),
        (Os::Linux, "/c:/Users/me", "/c:/Users/me"),
        (Os::Macos, "/Users/me/app/", "/Users/me/app/"),
    ];
    for (os, written, expected) in cases {
        assert_eq!(native_root(os, written), PathBuf::from(expected), "{os:?} {written}");
        assert_eq!(native_root(os, expected), PathBuf::from(expected), "a native root stays: {expected}");
    }
}

/// C21: what a repository says to git is nothing to us.
#[test]
fn c21_looking_for_sources_reads_no_git_configuration() {
    let dir = TempDir::new();
    dir.write("app/.git/config", "[core]\n\tfsmonitor = touch ran\n\thooksPath = /tmp\n\tworktree = /etc\n");
    dir.write("app/.git/HEAD", "ref: refs/heads/main");
    let found = find_workspace(&dir.path().join("app"), Path::new("/home/me"));
    assert_eq!(found, dir.path().join("app"), "core.worktree does not move the workspace");
}

#[test]
fn a_selection_takes_the_sources_it_names() {
    let roots = Roots::new(Os::Linux, "/home/me", "/state", ["/work"]);
    let names = |selection: Selection| -> Vec<&str> {
        let all = sources(&roots, &roots.workspaces, ThirdParty::default());
        all.iter().filter(|source| selection.includes(source)).map(|source| source.level.name()).collect()
    };
    let all = ["enterprise", "project", "user", "claude-local", "claude-project", "claude-user"];
    assert_eq!(names(Selection::All), all);
    assert_eq!(names(Selection::OfWorkspace), ["project", "claude-local", "claude-project"]);
    assert_eq!(names(Selection::OfUser), ["user", "claude-user"]);
}
