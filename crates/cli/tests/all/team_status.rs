//! What a member sees of the team: `status`, `hooks`, `sync`, and what `doctor`,
//! `list` and hooks themselves are told.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::context::{TestContext, read};
use crate::signing_server::{self, Hook, SIGN_IN, TeamServer, hook};

/// Keeps what it was told, and says nothing. The bell in it must not ring.
fn witness() -> Hook {
    let mut hook =
        hook("beforeShellExecution", "witness.sh", "#!/bin/sh\n# \u{7}bell\ncat > \"$HOME/told\"\n");
    hook.manifest.matcher = Some("ls".to_owned());
    hook.manifest.fail_closed = true;
    hook
}

fn member() -> (TestContext, TeamServer) {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[witness()]);
    server.log_in(&cx, SIGN_IN);
    (cx, server)
}

fn json(cx: &TestContext, words: &[&str]) -> Value {
    let output = cx.output(words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: {output:?}"))
}

#[test]
fn a_machine_in_no_team_says_so() {
    let cx = TestContext::new();
    for (words, code) in [("status", 1), ("sync", 1), ("hooks", 1), ("logout", 1)] {
        let output = cx.output(["team", words]);
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("this machine is in no team"), "{words}");
    }
    assert_eq!(cx.output(["team", "sync", "--quiet"]).status.code(), Some(0));
    assert!(!cx.path("home/.local/state/boathook/team").exists(), "asking leaves nothing behind");
}

#[test]
fn hooks_of_a_machine_that_lost_its_login_are_seen_and_can_be_removed() {
    for lost in ["", "/login.json"] {
        let (cx, server) = member();
        let state = cx.path(&format!("home/.local/state/boathook/team{lost}"));
        match lost.is_empty() {
            true => fs::remove_dir_all(&state).expect("removed"),
            false => fs::remove_file(&state).expect("removed"),
        }
        let output = cx.output(["team", "status"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        for word in ["hooks of team 1", &server.url(), "boathook team logout", "boathook team login"] {
            assert!(said.contains(word), "{word}: {said}");
        }
        let data = json(&cx, &["team", "status", "--json"]);
        assert_eq!(data["stranded"].as_array().map(Vec::len), Some(1), "{data}");
        let output = cx.output(["team", "logout"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(!cx.path("home/.cursor/managed/team_1").exists());
        let run = cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
        assert_eq!(run.status.code(), Some(0), "{run:?}");
        assert_eq!(cx.output(["team", "logout"]).status.code(), Some(1));
    }
}

#[test]
fn the_doctor_names_stranded_hooks_with_what_mends_them() {
    const LOGIN: &str = "home/.local/state/boathook/team/login.json";
    const FOLDER: &str = "home/.cursor/managed/team_1";
    const MARKER: &str = "home/.cursor/managed/team_1/.boathook";
    let mends = "`boathook team login URL` joins the team again; `boathook team logout` removes its hooks";
    let back = "`boathook team sync` puts";
    for (name, lost, said, help) in [
        ("the login", &[LOGIN][..], "hooks of team 1 (http", mends),
        ("the login and the folder", &[LOGIN, FOLDER], "hooks of a team were here and are gone", mends),
        ("the login and the marker", &[LOGIN, MARKER], "nothing says which one's", mends),
        ("the folder", &[FOLDER], "what the team installed is gone", back),
        ("the marker", &[MARKER], "lost the marker", back),
    ] {
        let (cx, _server) = member();
        for path in lost {
            let path = cx.path(path);
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.expect("removed");
        }
        let output = cx.output(["doctor"]);
        let page = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{name}: {page}");
        assert!(page.contains(said) && page.contains(help), "{name}: {page}");
        assert!(!page.contains("not enrolled"), "{name}: {page}");
        let problems = json(&cx, &["doctor", "--json"])["problems"].to_string();
        assert!(problems.contains(said) && problems.contains(help), "{name}: {problems}");
        // What it says to type mends it.
        let mended = cx.output(["team", if help == back { "sync" } else { "logout" }]);
        assert!(mended.status.success(), "{name}: {mended:?}");
        let output = cx.output(["doctor"]);
        let page = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && page.contains("nothing to repair"), "{name}: {page}");
    }
}

#[test]
fn status_says_whose_hooks_run_and_how_old_they_are() {
    let (cx, server) = member();
    let output = cx.output(["team", "status"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    for line in [
        format!("server      {}", server.url()),
        "team        «Harbour» (number 1)".to_owned(),
        "device      d-1 of mate@example.com".to_owned(),
        "release     2 (sequence 2), 1 hook".to_owned(),
        "signed      good for ".to_owned(),
        "applied (what the team published is in force)".to_owned(),
        "next try    in ".to_owned(),
    ] {
        assert!(said.contains(&line), "{line}\n{said}");
    }
    let status = json(&cx, &["team", "status", "--json"]);
    assert_eq!(
        (status["release"].as_u64(), status["age"].as_str(), status["last_sync"]["code"].as_str()),
        (Some(2), Some("fresh"), Some("applied"))
    );
    assert!(!status.to_string().contains(signing_server::DEVICE), "the token is nobody's business");
}

#[test]
fn what_went_wrong_is_said_with_what_to_do() {
    let (cx, server) = member();
    server.close();
    let output = cx.output(["team", "sync", "--now"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("the server no longer knows this machine (unauthorized)"), "{said}");
    assert!(said.contains("release 2 stays in force"), "{said}");
    let output = cx.output(["team", "status"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("(unauthorized)") && said.contains("team login URL --switch"), "{said}");
    let before = server.asked().len();
    let output = cx.output(["team", "sync"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("--now"), "{output:?}");
    assert_eq!(cx.output(["team", "sync", "--quiet"]).status.code(), Some(0));
    assert_eq!(server.asked().len(), before, "a server that refused is left alone for a while");
}

#[test]
fn hooks_are_listed_and_scripts_are_shown_harmless() {
    let (cx, _server) = member();
    let output = cx.output(["team", "hooks"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "1 hook in release 2 of team «Harbour»",
        "beforeShellExecution",
        "witness.sh",
        "matcher ls",
        "failClosed",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    let output = cx.output(["team", "hooks", "--show", "witness.sh"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(said, "#!/bin/sh\n# \\u{7}bell\ncat > \"$HOME/told\"\n");
    let output = cx.output(["team", "hooks", "--show", "../login.json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("there is witness.sh"), "{said}");
    let hooks = json(&cx, &["team", "hooks", "--json"]);
    assert_eq!(hooks["hooks"][0]["script"], "witness.sh");
    assert_eq!(hooks["hooks"][0]["fail_closed"], true);
}

#[test]
fn hooks_that_somebody_changed_here_are_said_and_put_right() {
    let (cx, _server) = member();
    let script =
        fs::canonicalize(cx.path("home/.cursor/managed/team_1/hooks")).expect("a link").join("witness.sh");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).expect("permissions");
    fs::write(&script, "#!/bin/sh\n").expect("a file");
    let output = cx.output(["team", "status"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("witness.sh is not what was signed"), "{said}");
    let doctor = cx.output(["doctor"]);
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(doctor.status.code() == Some(1) && said.contains("witness.sh"), "{said}");
    let shown = cx.output(["team", "hooks", "--show", "witness.sh"]);
    assert!(String::from_utf8_lossy(&shown.stderr).contains("is not what was signed"), "{shown:?}");
    assert!(cx.output(["team", "sync", "--now"]).status.success());
    assert_eq!(cx.output(["team", "status"]).status.code(), Some(0));
}

#[test]
fn doctor_and_list_show_the_team() {
    let (cx, server) = member();
    let said = String::from_utf8_lossy(&cx.output(["doctor"]).stdout).into_owned();
    assert!(said.contains(&format!("  server      {}", server.url())), "{said}");
    assert!(said.contains("  release     2 (sequence 2), 1 hook"), "{said}");
    assert_eq!(json(&cx, &["doctor", "--json"])["team"]["release"], 2);
    let said = String::from_utf8_lossy(&cx.output(["list"]).stdout).into_owned();
    assert!(said.contains("release 2 of the team"), "{said}");
    assert_eq!(json(&cx, &["list", "--json"])["hooks"][0]["release"], 2);
}

#[test]
fn hooks_learn_who_works_here_from_the_login_unless_the_user_says_it() {
    let (cx, _server) = member();
    let email = || {
        cx.output(["run", "beforeShellExecution", "--field", "command=ls"]);
        let told: Value = serde_json::from_str(&read(&cx.path("home/told"))).expect("a payload");
        told["user_email"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(email(), "mate@example.com");
    cx.write("home/.config/boathook/config.toml", "user_email = \"other@example.com\"\n");
    assert_eq!(email(), "other@example.com");
}
