//! `boathook panel`: who is let in, and who cannot hold it.

use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::context::{self, TestContext, one_hook};
use crate::visitor::{Panel, read_answer};

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
    form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const HEADERS: [(&str, &str); 5] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("cache-control", "no-store"),
];

#[test]
fn the_token_lets_one_browser_in_once() {
    let cx = TestContext::new();
    let panel = Panel::start(cx.command(["panel"]));
    assert!(panel.address.starts_with("127.0.0.1:"), "{}", panel.address);
    assert_eq!(panel.token.len(), 64);
    let wrong = panel.token.chars().rev().collect::<String>();
    for token in ["", "x", &wrong] {
        let answer = panel.get(&format!("/enter?token={token}"));
        assert_eq!((answer.status, answer.header("set-cookie")), (403, ""), "{token}");
    }
    let (host, token) = (&panel.address, &panel.token);
    let looked = panel.send(&format!("HEAD /enter?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert_eq!((looked.status, looked.header("set-cookie")), (405, ""), "who only looks uses nothing up");
    let answer = panel.get(&format!("/enter?token={}", panel.token));
    assert_eq!(answer.status, 303);
    let cookie = answer.header("set-cookie");
    let folder = answer.header("location").trim_end_matches('/');
    assert!(
        folder.len() == 17 && cookie.contains(&format!("Path={folder}; HttpOnly; SameSite=Strict")),
        "{cookie}"
    );
    assert!(!cookie.contains(&panel.token) && !answer.body.contains(&panel.token));
    let again = panel.get(&format!("/enter?token={}", panel.token));
    assert_eq!((again.status, again.header("set-cookie")), (403, ""));
    assert!(
        again.body.contains("This address was used") && again.body.contains("boathook panel"),
        "{}",
        again.body
    );
    let known =
        answer.headers.iter().filter(|(name, _)| name == "set-cookie").nth(1).expect("a second cookie");
    assert!(known.1.contains("Path=/enter; HttpOnly; SameSite=Strict"), "{known:?}");
    let known = known.1.split(';').next().unwrap_or_default();
    let host = format!("Host: {}\r\nCookie: {known}\r\n\r\n", panel.address);
    let back = panel.send(&format!("GET /enter?token={} HTTP/1.1\r\n{host}", panel.token));
    assert_eq!((back.status, back.header("location")), (303, answer.header("location")));
    assert_eq!(back.header("set-cookie"), "", "the door gives nothing twice");
    assert_eq!(panel.send(&format!("GET /enter?token={wrong} HTTP/1.1\r\n{host}")).status, 403);
    assert_eq!(panel.send(&format!("GET {folder}/ HTTP/1.1\r\n{host}")).status, 401, "it opens nothing else");
}

#[test]
fn who_is_in_is_led_back_from_a_page_that_is_not_there() {
    let cx = TestContext::new();
    let mut panel = Panel::enter(cx.command(["panel"]));
    let back = format!("href=\"{}/\"", panel.folder);
    assert!(panel.page("nothing").body.contains(&back));
    panel.cookie.clear();
    assert!(!panel.page("nothing").body.contains(&back));
}

#[test]
fn nobody_else_comes_in() {
    let cx = TestContext::new();
    cx.write("home/.cursor/hooks.json", one_hook("stop", "my-secret-hook"));
    let panel = Panel::enter(cx.command(["panel"]));
    let other = Panel::enter(cx.command(["panel"]));
    let (here, own) = (format!("Host: {}\r\n", panel.address), panel.cookie_line());
    let port = panel.address.split(':').nth(1).expect("a port");
    let cases = [
        ("no cookie", here.clone(), 401),
        ("an empty cookie", format!("{here}Cookie: boathook=\r\n"), 401),
        ("the cookie of another run", format!("{here}{}", other.cookie_line()), 401),
        ("the token as a cookie", format!("{here}Cookie: boathook={}\r\n", panel.token), 401),
        ("no host", own.clone(), 403),
        ("another host", format!("Host: evil.example:{port}\r\n{own}"), 403),
        ("another port", format!("Host: 127.0.0.1:1\r\n{own}"), 403),
        ("two hosts", format!("{here}Host: evil.example\r\n{own}"), 403),
        ("another origin", format!("{here}{own}Origin: http://evil.example\r\n"), 403),
        ("no origin at all", format!("{here}{own}Origin: null\r\n"), 403),
        ("the same over TLS", format!("{here}{own}Origin: https://{}\r\n", panel.address), 403),
        ("our own page", format!("{here}{own}Origin: http://{}\r\n", panel.address), 200),
        ("a second cookie beside it", format!("{here}Cookie: a=b; {}\r\n", panel.cookie), 200),
    ];
    for (name, headers, expected) in cases {
        let answer = panel.send(&format!("GET {}/ HTTP/1.1\r\n{headers}\r\n", panel.folder));
        // What is no HTTP at all is refused before us.
        let refused = answer.status == expected || (expected != 200 && answer.status == 400);
        assert!(refused, "{name}: {} {}", answer.status, answer.body);
        assert_eq!(answer.body.contains("my-secret-hook"), expected == 200, "{name}");
    }
}

#[test]
fn nothing_changes_without_our_own_form() {
    let cx = TestContext::new();
    let trace = cx.path("ran");
    cx.write("home/.cursor/hooks.json", one_hook("stop", &format!("touch '{}'", trace.display())));
    let panel = Panel::enter(cx.command(["panel"]));
    let token = panel.form_token();
    let origin = format!("Origin: http://{}\r\n", panel.address);
    let run = [("event", "stop"), ("payload", "{}"), ("action", "run")];
    let with = |token: &'static str| [&[("form_token", token)][..], &run[..]].concat();
    for (name, fields, headers) in [
        ("no form token", run.to_vec(), origin.as_str()),
        ("an empty one", with(""), &origin),
        ("another one", with("0000"), &origin),
    ] {
        assert_eq!(panel.post_with("try", &fields, headers).status, 403, "{name}");
    }
    let fields = [&[("form_token", token.as_str())][..], &run[..]].concat();
    for headers in ["", "Origin: http://evil.example\r\n", "Origin: null\r\n"] {
        assert_eq!(panel.post_with("try", &fields, headers).status, 403, "{headers}");
    }
    let mut stranger = Panel::enter(cx.command(["panel"]));
    stranger.cookie.clear();
    assert_eq!(
        stranger.post_with("try", &fields, &format!("Origin: http://{}\r\n", stranger.address)).status,
        401
    );
    assert!(!trace.exists(), "no hook ran");
    assert_eq!(panel.post_with("try", &fields, &origin).status, 200);
    assert!(trace.exists());
}

#[test]
fn every_answer_has_the_same_seals() {
    let cx = TestContext::new();
    let panel = Panel::enter(cx.command(["panel"]));
    let below = |name: &str| format!("{}/{name}", panel.folder);
    let mut paths: Vec<(String, u16)> = ["", "problems", "log", "try", "trust", "time", "sessions"]
        .iter()
        .map(|name| (below(name), 200))
        .collect();
    paths.extend([
        (below("run?id=x"), 404),
        (below("nothing"), 404),
        ("/".to_owned(), 404),
        ("/enter".to_owned(), 403),
    ]);
    paths.extend(["/panel.css", "/panel.js", "/panel.svg"].map(|path| (path.to_owned(), 200)));
    for (path, status) in paths {
        let answer = panel.get(&path);
        assert_eq!(answer.status, status, "{path}");
        for (name, value) in HEADERS {
            assert_eq!(answer.header(name), value, "{path}: {name}");
        }
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        let elsewhere = answer.body.replace("http://www.w3.org/", "").contains("http");
        assert!(
            !elsewhere || answer.body.contains("http-equiv"),
            "{path} names another place: {}",
            answer.body
        );
    }
    assert_eq!(panel.page("log").header("content-type"), "text/html; charset=utf-8");
}

#[test]
fn no_path_leads_out() {
    let cx = TestContext::new();
    cx.write("project/secret.txt", "my-secret-file");
    let panel = Panel::enter(cx.command(["panel"]));
    for path in [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc/passwd",
        "/panel.css/../../secret.txt",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/secret.txt",
    ] {
        for path in
            [path.to_owned(), format!("{}{path}", panel.folder), format!("{}/run?id={path}", panel.folder)]
        {
            let answer = panel.get(&path);
            assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
            assert!(!answer.body.contains("root:") && !answer.body.contains("my-secret-file"), "{path}");
        }
    }
}

#[test]
fn what_is_too_large_is_refused_and_others_are_served() {
    let cx = TestContext::new();
    let panel = Panel::enter(cx.command(["panel"]));
    let here = format!("Host: {}\r\n{}", panel.address, panel.cookie_line());
    let long = "x".repeat(1 << 20);
    let requests = [
        format!("GET {}/?{long} HTTP/1.1\r\n{here}\r\n", panel.folder),
        format!("GET {}/ HTTP/1.1\r\n{here}X-Long: {long}\r\n\r\n", panel.folder),
        format!("GET {}/ HTTP/1.1\r\n{here}{}\r\n", panel.folder, "X-Many: 1\r\n".repeat(5_000)),
        format!("{long}\r\n\r\n"),
    ];
    for request in requests {
        let status = panel.send(&request).status;
        assert!(matches!(status, 0 | 400 | 414 | 431), "{status}");
    }
    let body = "x".repeat(8 << 20);
    let answer = panel.post("try", &[("event", "stop"), ("payload", &body)]);
    assert!(matches!(answer.status, 0 | 413), "{}", answer.status);
    assert_eq!(panel.page("log").status, 200);
}

#[test]
fn slow_callers_hold_nobody_and_are_let_go() {
    let cx = TestContext::new();
    let panel = Panel::enter(cx.command(["panel"]));
    let mut slow: Vec<_> = (0..100).map(|_| panel.connect()).collect();
    for (number, stream) in slow.iter_mut().enumerate() {
        let part = if number % 2 == 0 { "GET / HT" } else { "POST /x HTTP/1.1\r\nContent-Length: 9\r\n" };
        stream.write_all(part.as_bytes()).expect("it listens");
    }
    assert_eq!(panel.page("log").status, 200);
    // A caller that never ends its request is not waited for.
    let last = slow.pop().expect("a stream");
    assert!(matches!(read_answer(last).status, 0 | 408), "the connection ends");
}

#[test]
fn silent_connections_keep_nobody_out() {
    let cx = TestContext::new();
    let panel = Panel::enter(cx.command(["panel"]));
    let mut silent: Vec<_> = (0..300).map(|_| panel.connect()).collect();
    for stream in &mut silent {
        // Who was let go already may hear so.
        let _ = stream.write_all(b"G");
    }
    let asked = Instant::now();
    assert_eq!(panel.page("log").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(10), "it took {:?}", asked.elapsed());
}

#[test]
fn a_hook_of_a_minute_holds_no_page_and_ends_with_its_caller() {
    let cx = TestContext::new();
    let (started, ended) = (cx.path("started"), cx.path("ended"));
    let command = format!("touch '{}'; sleep 60; touch '{}'", started.display(), ended.display());
    cx.write("home/.cursor/hooks.json", one_hook("stop", &command));
    let panel = Panel::enter(cx.command(["panel"]));
    let token = panel.form_token();
    let body = format!("form_token={token}&event=stop&action=run&payload=%7B%7D");
    let mut stream = panel.connect();
    let request = format!(
        "POST {}/try HTTP/1.1\r\nHost: {}\r\n{}Origin: http://{}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        panel.folder,
        panel.address,
        panel.cookie_line(),
        panel.address,
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it listens");
    let until = Instant::now() + Duration::from_secs(30);
    while !started.exists() {
        assert!(Instant::now() < until, "the hook did not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    let asked = Instant::now();
    for page in ["", "log", "problems", "trust", "time", "sessions"] {
        assert_eq!(panel.page(page).status, 200, "{page}");
    }
    assert!(asked.elapsed() < Duration::from_secs(30), "pages waited for the hook");
    drop(stream);
    let until = Instant::now() + Duration::from_secs(30);
    while !panel.page("log").body.contains("sleep 60") {
        assert!(Instant::now() < until, "the hook did not end with its caller");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(!ended.exists());
}

#[test]
fn an_interrupt_ends_it_and_a_port_that_is_taken_is_told() {
    let cx = TestContext::new();
    let panel = Panel::start(cx.command(["panel"]));
    let port = panel.address.split(':').nth(1).expect("a port").to_owned();
    let output = cx.output(["panel", "--port", &port]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        told.contains(&format!("cannot listen on 127.0.0.1:{port}")) && told.contains("--port 0"),
        "{told}"
    );
    let mut command = cx.command(["panel"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    std::io::BufRead::read_line(
        &mut std::io::BufReader::new(child.stdout.take().expect("a pipe")),
        &mut line,
    )
    .expect("an address");
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

/// A program of this name that notes that it ran, and with which PATH.
#[cfg(unix)]
fn opener(cx: &TestContext, folder: &str) {
    let ran = cx.path("ran");
    let name = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let note =
        format!("echo \"$0 PATH=$PATH BROWSER=$BROWSER\" >> '{0}.new'; mv '{0}.new' '{0}'", ran.display());
    cx.script(
        &format!("{folder}/{name}"),
        &format!("#!/bin/sh\nexport PATH=$PATH\n{note}\n").replace("; mv", "; /bin/mv"),
    );
}

#[cfg(unix)]
#[test]
fn red_team_l12_panel_opens_no_browser_that_a_workspace_brings() {
    let cx = TestContext::new();
    let folders = ["project/bin", "project/node_modules/.bin", "repository/bin", "second/bin", "good"];
    folders.iter().for_each(|folder| opener(&cx, folder));
    for marker in ["project/.git", "repository/.cursor"] {
        std::fs::create_dir_all(cx.path(marker)).expect("a folder");
    }
    let absolute: Vec<String> = folders.iter().map(|folder| cx.path(folder).display().to_string()).collect();
    let path = format!("bin:.:node_modules/.bin::{}", absolute.join(":"));
    let mut command = cx.command(["panel", "--open", "--workspace"]);
    command.arg(cx.path("second")).env("PATH", path).env("BROWSER", "./browser:firefox");
    let panel = Panel::start(command);
    let ran = cx.path("ran");
    let end = Instant::now() + Duration::from_secs(60);
    while !ran.exists() {
        assert!(Instant::now() < end, "no browser was opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    let good = cx.path("good").display().to_string();
    let seen = context::read(&ran);
    assert!(seen.starts_with(&good) && seen.contains(&format!(" PATH={good} BROWSER=\n")), "{seen}");
    drop(panel);
    // Only those of workspaces: nothing is started.
    std::fs::remove_file(&ran).expect("removed");
    let mut command = cx.command(["panel", "--open"]);
    let log = std::fs::File::create(cx.path("stderr")).expect("a file");
    command.env("PATH", cx.path("project/bin")).stderr(log);
    let _panel = Panel::start(command);
    let end = Instant::now() + Duration::from_secs(60);
    while !context::read(&cx.path("stderr")).contains("no browser could be opened") {
        assert!(Instant::now() < end, "it does not say that no browser could be opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!ran.exists());
}
