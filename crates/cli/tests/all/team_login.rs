//! `boathook team login` and `logout`: whose hooks a machine runs, and that
//! nobody else decides it.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use crate::context::{TestContext, pipe, read};
use crate::signing_server::{CODE, DEVICE, ENROL, Hook, SIGN_IN, TeamServer, hook};
use crate::terminal::Terminal;

const LOCK: &str = "home/.local/state/boathook/team/lock";
const LOGIN: &str = "home/.local/state/boathook/team/login.json";

/// Refuses every command.
fn guard() -> Hook {
    hook("beforeShellExecution", "guard.sh", "#!/bin/sh\ncat >/dev/null\necho 'not here' >&2\nexit 2\n")
}

/// Whether the team's hook holds a command back.
fn is_guarded(cx: &TestContext) -> bool {
    cx.output(["run", "beforeShellExecution", "--field", "command=ls"]).status.code() == Some(2)
}

#[test]
fn a_login_puts_the_teams_hooks_in_force_at_once() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    assert!(!is_guarded(&cx));
    let said = server.log_in(&cx, SIGN_IN);
    assert!(said.contains("signed in to team «Harbour»"), "{said}");
    assert!(said.contains("1 hook in release 2 of team «Harbour»") && said.contains("guard.sh"), "{said}");
    assert!(is_guarded(&cx));
    let mode = fs::metadata(cx.path(LOGIN)).expect("a login").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let login =
        server.requests().into_iter().find(|it| it.line.starts_with("POST /api/v1/login")).expect("a login");
    assert_eq!(login.json(), serde_json::json!({ "name": "box", "os": "Linux" }));
}

/// The README's team is called `team`, and its release is the first.
#[test]
fn the_readme_shows_what_a_login_says() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[hook("beforeShellExecution", "no-push.sh", "#!/bin/sh\n")]);
    let said = server.log_in(&cx, SIGN_IN).replace(&server.url(), "http://127.0.0.1:8787");
    let said = said.replace("Harbour", "team").replace("release 2", "release 1");
    let shown =
        include_str!("../../../../README.md").split("$ boathook team login ").nth(1).expect("a login");
    let shown = shown.lines().skip(1).take_while(|line| !line.starts_with("$ "));
    // The hook of this server has no matcher.
    let shown: Vec<&str> = shown.filter(|line| !line.contains("matcher")).collect();
    assert_eq!(shown.len(), 6, "{shown:?}");
    for line in shown {
        assert!(said.lines().any(|other| other.trim_end() == line), "README.md: {line}: {said}");
    }
}

#[test]
fn a_newcomer_pins_the_root_that_is_given_out_today_and_not_the_first() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    server.pin_next();
    server.log_in(&cx, SIGN_IN);
    assert!(is_guarded(&cx));
    assert!(!server.asked().contains(&"GET /tuf/1/1.root.json".to_owned()), "{:?}", server.asked());
    let login: serde_json::Value = serde_json::from_str(&read(&cx.path(LOGIN))).expect("JSON");
    assert_eq!((&login["root_version"], &login["fingerprint"]), (&2.into(), &server.fingerprint().into()));
}

#[test]
fn nobody_joins_a_team_whose_fingerprint_is_another() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    let other = "0".repeat(64);
    let url = server.url();
    let output = cx.output(["team", "login", &url, "--token", SIGN_IN, "--fingerprint", &other]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&other) && said.contains(&server.fingerprint()), "{said}");
    assert!(!cx.path(LOGIN).exists() && !cx.path("home/.cursor/managed").exists());
    assert_eq!(server.asked(), ["GET /api/v1/team"], "the token is not used");
    assert!(!said.contains("signed in to"), "{said}");
}

#[test]
fn where_nobody_can_be_asked_everything_must_be_given() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    let (url, fingerprint) = (server.url(), server.fingerprint());
    let cases: [(&[&str], &str); 5] = [
        (&["--token", SIGN_IN], "--fingerprint SHA256"),
        (&["--fingerprint", &fingerprint], "--token-file FILE"),
        (&["--token", SIGN_IN, "--fingerprint", "abc"], "64 hexadecimal digits"),
        (&["--token", "two words", "--fingerprint", &fingerprint], "a token is one word"),
        (&["--token-file", "nowhere", "--fingerprint", &fingerprint], "nowhere"),
    ];
    for (more, expected) in cases {
        let output = cx.output([&["team", "login", &url], more].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{more:?}: {said}");
        assert!(said.contains(expected), "{more:?}: {said}");
    }
    assert_eq!(server.asked(), [""; 0], "nothing was asked of the server");
    let piped = pipe(
        cx.command(["team", "login", &url, "--token", "-", "--fingerprint", &fingerprint]),
        format!("{SIGN_IN}\n").as_bytes(),
    );
    assert!(piped.status.success(), "{}", String::from_utf8_lossy(&piped.stderr));
}

#[test]
fn a_token_the_server_does_not_take_says_what_to_do() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    let (url, fingerprint) = (server.url(), server.fingerprint());
    let output = cx.output(["team", "login", &url, "--token", "used-up", "--fingerprint", &fingerprint]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("a sign-in token works once"), "{said}");
    assert!(!cx.path(LOGIN).exists());
}

#[test]
fn at_a_terminal_the_fingerprint_is_confirmed_and_the_token_is_not_shown() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    let (url, fingerprint) = (server.url(), server.fingerprint());
    let words = ["team", "login", &url, "--token", "-"];
    let mut refusing = Terminal::start(&cx.command(words));
    refusing.expect("Token (it is not shown): ").types(SIGN_IN);
    refusing.expect(&fingerprint[..4]).expect("first 8 digits: ").types("yes");
    refusing.expect("first 8 digits: ").types("12345678").expect("first 8 digits: ").types("");
    let (code, screen) = refusing.end();
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("was not confirmed") && !cx.path(LOGIN).exists(), "{screen}");
    let mut agreeing = Terminal::start(&cx.command(words));
    agreeing.expect("not shown): ").types(SIGN_IN);
    agreeing.expect("first 8 digits: ").types("mistyped");
    agreeing.expect("first 8 digits: ").types(&fingerprint[..8]);
    agreeing.expect("This team uses admin-enabled hooks").expect("[l]og out? ").types("c");
    let (code, screen) = agreeing.end();
    assert_eq!(code, 0, "{screen}");
    assert!(!screen.contains(SIGN_IN) && !screen.contains(DEVICE), "{screen}");
    assert!(is_guarded(&cx));
}

#[test]
fn a_browser_signs_in_with_a_proof_that_only_we_have() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    cx.script("bin/xdg-open", &format!("#!/bin/sh\necho \"$1\" > '{}'\n", cx.path("opened").display()));
    let (url, fingerprint) = (server.url(), server.fingerprint());
    let mut command = cx.command(["team", "login", &url, "--name", "box", "--fingerprint", &fingerprint]);
    command.env("PATH", format!("{}:/usr/bin:/bin", cx.path("bin").display()));
    let mut terminal = Terminal::start(&command);
    terminal.expect("Sign in with your browser").expect("Waiting for your answer");
    let address = until_there(&cx.path("opened"));
    assert!(
        address.starts_with(&format!("{url}/authorize?response_type=code&client_id=boathook-cli&")),
        "{address}"
    );
    let value = |name: &str| {
        let pairs = address.trim().split(['?', '&']).filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_owned()).expect(name)
    };
    let back = value("redirect_uri").replace("%3A", ":").replace("%2F", "/");
    let host =
        back.strip_prefix("http://").and_then(|rest| rest.split('/').next()).expect("an address").to_owned();
    let come_back = |state: &str| {
        let mut stream = TcpStream::connect(&host).expect("it listens");
        let path = back.split_once(&host).expect("a path").1;
        write!(stream, "GET {path}?code={CODE}&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n")
            .expect("sent");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    assert!(come_back("guessed").starts_with("HTTP/1.1 404"));
    assert!(come_back(&value("state")).starts_with("HTTP/1.1 200"));
    terminal.expect("[l]og out? ").types("c");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    let exchange =
        server.requests().into_iter().find(|it| it.line.starts_with("POST /oauth/token")).expect("a code");
    let verifier = exchange.json()["code_verifier"].as_str().expect("a proof").to_owned();
    assert!(verifier.len() >= 43 && !address.contains(&verifier));
    assert_eq!(exchange.json()["redirect_uri"], back);
    assert!(is_guarded(&cx));
}

#[test]
fn s21_another_team_comes_only_when_all_of_it_is_verified() {
    let (cx, old, new) = (TestContext::new(), TeamServer::start(1), TeamServer::start(1));
    old.publish(&[guard()]);
    old.log_in(&cx, SIGN_IN);
    let (url, fingerprint) = (new.url(), new.fingerprint());
    let words = ["team", "login", &url, "--token", SIGN_IN, "--fingerprint", &fingerprint];
    let output = cx.output(words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is in team «Harbour» already") && said.contains("--switch"), "{said}");
    // A hook whose interpreter is nowhere cannot be put in force.
    new.publish(&[hook("beforeShellExecution", "x.sh", "#!/nowhere/at/all\n")]);
    let switch = [&words[..], &["--switch"]].concat();
    let output = cx.output(&switch);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("stays in its team"), "{said}");
    assert!(is_guarded(&cx), "the old team's hooks stay in force");
    assert!(read(&cx.path(LOGIN)).contains(&old.url()));
    new.publish(&[hook("beforeShellExecution", "kind.sh", "#!/bin/sh\ncat >/dev/null\n")]);
    let output = cx.output(&switch);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("has left team «Harbour»"), "{said}");
    assert!(!is_guarded(&cx));
    assert!(read(&cx.path(LOGIN)).contains(&url));
    assert!(old.asked().contains(&"DELETE /api/v1/login".to_owned()));
}

#[test]
fn whoever_waits_for_the_lock_never_sees_one_teams_hooks_and_anothers_login() {
    let cx = TestContext::new();
    let (old, new) = (TeamServer::start(1), TeamServer::start(2));
    old.publish(&[guard()]);
    new.publish(&[guard()]);
    old.log_in(&cx, SIGN_IN);
    let (url, fingerprint) = (new.url(), new.fingerprint());
    let words = ["team", "login", &url, "--token", SIGN_IN, "--fingerprint", &fingerprint, "--switch"];
    let over = std::sync::atomic::AtomicBool::new(false);
    let seen: Vec<(bool, bool)> = std::thread::scope(|scope| {
        // As a daemon that polls for the old team does.
        let watching = scope.spawn(|| {
            let mut seen = Vec::new();
            while !over.load(std::sync::atomic::Ordering::SeqCst) {
                let lock = fs::File::options().write(true).open(cx.path(LOCK)).expect("the lock");
                lock.lock().expect("it is free again");
                let hooks_are_new = cx.path("home/.cursor/managed/team_2/hooks").exists();
                seen.push((hooks_are_new, read(&cx.path(LOGIN)).contains(&url)));
                drop(lock);
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            seen
        });
        let output = cx.output(words);
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        watching.join().expect("it ends")
    });
    assert!(seen.iter().all(|(hooks, login)| hooks == login), "(new hooks, new login): {seen:?}");
    assert!(!cx.path("home/.cursor/managed/team_1").exists());
}

#[test]
fn a_logout_removes_the_hooks_and_tells_the_server() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    server.log_in(&cx, SIGN_IN);
    let output = cx.output(["team", "logout"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("has left team «Harbour»"), "{said}");
    assert!(!is_guarded(&cx));
    assert!(!cx.path(LOGIN).exists() && !cx.path("home/.cursor/managed/team_1").exists());
    assert_eq!(server.asked().last().map(String::as_str), Some("DELETE /api/v1/login"));
    let again = cx.output(["team", "logout"]);
    assert_eq!(again.status.code(), Some(1), "there is nothing left to do");
}

#[test]
fn a_logout_works_without_the_server() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    server.log_in(&cx, SIGN_IN);
    let login = read(&cx.path(LOGIN)).replace(&server.url(), "http://127.0.0.1:9");
    fs::write(cx.path(LOGIN), login).expect("a login");
    let output = cx.output(["team", "logout"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("the server could not be told") && said.contains("d-1"), "{said}");
    assert!(!is_guarded(&cx) && !cx.path(LOGIN).exists());
}

#[test]
fn s21_an_enrolled_machine_keeps_its_hooks() {
    let (cx, server, other) = (TestContext::new(), TeamServer::start(1), TeamServer::start(2));
    server.publish(&[guard()]);
    server.log_in(&cx, ENROL);
    let (url, fingerprint) = (other.url(), other.fingerprint());
    let switch = ["team", "login", &url, "--token", SIGN_IN, "--fingerprint", &fingerprint, "--switch"];
    for words in [&["team", "logout"][..], &switch] {
        let output = cx.output(words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.contains("was enrolled by team «Harbour»"), "{words:?}: {said}");
        assert!(is_guarded(&cx), "{words:?}");
    }
    assert_eq!(other.asked(), ["GET /api/v1/team"], "the token of the other team is not used");
    server.close();
    assert_eq!(cx.output(["team", "sync", "--now"]).status.code(), Some(1));
    assert!(is_guarded(&cx), "a machine that was revoked keeps what it has");
}

/// What a file holds, as soon as there is one.
fn until_there(path: &std::path::Path) -> String {
    let start = std::time::Instant::now();
    loop {
        let text = read(path);
        if text.ends_with('\n') {
            return text;
        }
        assert!(start.elapsed().as_secs() < 60, "{} never came", path.display());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
