//! `boathook serve` and `boathook team admin` with the real binary: from the
//! first start to a command that is refused on a member's machine.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::serving::{Person, Server, get};

fn sign_in(person: &Person, server: &Server) {
    person.must(&["team", "admin", "login", &server.url, "--token", &server.sign_in_token()]);
}

#[test]
fn a_hook_is_written_published_and_refuses_on_a_members_machine() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database(), "--owner", "me@example.com"]);
    sign_in(&person, &server);
    person.publish_guard();
    assert_eq!(person.asks(), Some(0), "this machine is in no team yet");
    person.join(&server, &[]);
    person.waits_for(2, Duration::from_secs(10));

    let list = person.must(&["team", "admin", "device", "list", "--json"]);
    let devices: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    assert_eq!(devices[0]["last_report"]["code"], "applied", "{list}");
    assert!(person.must(&["team", "admin", "settings", "show"]).contains(&server.fingerprint()));
    assert!(person.must(&["team", "admin", "release", "list"]).contains("everybody"));

    // What was published later arrives, and what is removed goes.
    person.must(&["team", "admin", "hook", "remove", "1"]);
    person.must(&["team", "admin", "publish"]);
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(0), "a signed empty list removes");
    person.must(&["team", "admin", "release", "restore", "1"]);
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(2), "what was published first is back");
}

#[test]
fn the_first_start_makes_the_team_and_the_second_prints_no_token() {
    let person = Person::new();
    let database = person.database();
    let first = Server::start(&person, &["--database", &database]);
    let token = first.sign_in_token();
    first.signal("TERM");
    assert_eq!(first.end().0, Some(0));
    for name in ["server/hooks.db", "server/hooks.db.secret"] {
        let mode = fs::metadata(person.path(name)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name} is its owner's alone");
    }
    let second = Server::start(&person, &["--database", &database]);
    assert_eq!(second.said("sign-in token "), None, "{:?}", second.printed);
    person.must(&["team", "admin", "login", &second.url, "--token", &token]);
    let again = person.must_not(&["team", "admin", "login", &second.url, "--token", &token]);
    assert!(again.contains("the token is wrong, used, revoked or expired"), "{again}");

    // An owner who lost everything gets another one from the operator.
    let printed = person.must(&["serve", "sign-in", "owner@localhost", "--database", &database]);
    let fresh = printed.lines().find_map(|line| line.strip_prefix("sign-in token ")).expect("a token");
    person.must(&["team", "admin", "login", &second.url, "--token", fresh]);
}

#[test]
fn what_the_operator_prints_can_be_typed_as_it_is() {
    let person = Person::new();
    let database = person.database();
    let server = Server::start(&person, &["--database", &database]);
    sign_in(&person, &server);
    let at = format!("{}/", server.url);
    let again = ["serve", "sign-in", "owner@localhost", "--database", &database];
    let team = ["serve", "new-team", "Other", "--owner", "other@example.com", "--database", &database];
    for words in [&again[..], &team] {
        let printed = person.must(&[words, &["--url", &at]].concat());
        let line = printed.lines().find(|line| line.contains("team admin login")).expect("a line");
        let token = printed.split_whitespace().find(|word| word.starts_with("bh_signin_")).expect("a token");
        // What asks for the token at a terminal is given it here.
        let said = |word| if word == "-" { token } else { word };
        let typed: Vec<&str> = line.split_whitespace().skip(1).map(said).collect();
        assert_eq!(typed[3], server.url, "{line}");
        person.must(&typed);
    }
    let output = person.try_to(&again);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(String::from_utf8_lossy(&output.stdout).contains("team login URL --token"), "{said}");
    assert!(said.contains("in place of URL stands the server's address"), "{said}");

    let added = person.must(&["team", "admin", "member", "add", "new@example.com"]);
    assert!(added.contains(&format!("boathook team login {} --token ", server.url)), "{added}");
    assert!(added.ends_with('\n'), "{added:?}");
}

#[test]
fn a_desk_asks_once_for_its_token_and_gets_all_that_its_holder_may_do() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    sign_in(&person, &server);
    let metrics = person.must(&["team", "admin", "token", "new", "api", "--role", "auditor"]);
    for role in ["owner", "admin", "auditor", "member"] {
        let email = format!("{role}@example.com");
        let added = person.must(&["team", "admin", "member", "add", &email, "--role", role, "--json"]);
        let added: serde_json::Value = serde_json::from_str(&added).expect("JSON");
        let token = added["sign_in_token"].as_str().expect("a token");
        let other = Person::new();
        let said = other.must(&["team", "admin", "login", &server.url, "--token", token]);
        assert!(said.contains(&format!("{email} is {role} of ")), "{said}");
    }
    let (status, counted) = get(&server.url, "/metrics", Some(metrics.trim()));
    assert_eq!(status, 200, "{counted}");
    let refused = counted.lines().filter(|line| line.contains("/api/v1/tokens") && line.contains("403"));
    assert_eq!(refused.collect::<Vec<_>>(), [""; 0], "nobody asked for more than they may");
    assert!(counted.lines().any(|line| line.contains("/api/v1/tokens") && line.contains("201")), "{counted}");
}

#[test]
fn a_hangup_does_not_end_it() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    for _ in 0..2 {
        server.signal("HUP");
        assert_eq!(get(&server.url, "/healthz", None).0, 200);
    }
    server.signal("TERM");
    let (code, log) = server.end();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn another_secret_is_refused_before_anything_is_signed() {
    let person = Person::new();
    let database = person.database();
    let other = person.path("server/other.db").display().to_string();
    for database in [&database, &other] {
        drop(Server::start(&person, &["--database", database]));
    }
    let other = format!("{other}.secret");
    let said = Server::of(person.command(["serve", "--database", &database, "--secret-file", &other]));
    let said = said.err().expect("it does not begin");
    assert!(said.contains("is not the secret this database was started with"), "{said}");
}

#[test]
fn plain_http_stays_on_this_machine() {
    let person = Person::new();
    let database = person.database();
    let plain = person.command(["serve", "--database", &database, "--listen", "0.0.0.0:0"]);
    let said = Server::of(plain).err().expect("it does not begin");
    assert!(said.contains("nothing would encrypt") && said.contains("--tls-self-signed"), "{said}");
    let proxied =
        person.command(["serve", "--database", &database, "--listen", "0.0.0.0:0", "--behind-proxy"]);
    assert!(Server::of(proxied).is_ok());
}

#[test]
fn an_authority_of_its_own_is_believed_with_ca_and_by_nobody_else() {
    let person = Person::new();
    let (database, folder) = (person.database(), person.path("tls").display().to_string());
    let server = Server::start(&person, &["--database", &database, "--tls-self-signed", &folder]);
    assert!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
    let authority = server.said("authority ").expect("the authority's file");
    let token = server.sign_in_token();
    let login = ["team", "admin", "login", &server.url, "--token", &token];
    let refused = person.must_not(&login);
    assert!(refused.contains("--ca FILE"), "{refused}");
    person.must(&[&login[..], &["--ca", &authority]].concat());
    person.publish_guard();
    // The line that invites has all that it takes.
    person.join(&server, &[]);
    // What was given at the login is kept: the file may go.
    let given = fs::read(&authority).expect("the authority's file");
    fs::remove_file(&authority).expect("removed");
    person.must(&["team", "sync", "--now"]);
    person.must(&["team", "admin", "hook", "list"]);
    fs::write(&authority, given).expect("put back");
    person.waits_for(2, Duration::from_secs(10));
    let key = fs::metadata(person.path("tls/authority.key")).expect("a key").permissions().mode();
    assert_eq!(key & 0o077, 0);

    // The next start has a certificate of the same authority.
    drop(server);
    let server = Server::start(&person, &["--database", &database, "--tls-self-signed", &folder]);
    let at = ["--server", &server.url, "--ca", &authority];
    let refused = person.must_not(&[&["team", "admin", "hook", "list"][..], &at].concat());
    assert!(refused.contains("no token for"), "a token goes to the server it is of: {refused}");
}

#[test]
fn sigterm_ends_what_waits_and_lets_requests_end() {
    let person = Person::new();
    let server =
        Server::start(&person, &["--database", &person.database(), "--metrics-listen", "127.0.0.1:0"]);
    sign_in(&person, &server);
    let made = person.must(&["team", "admin", "token", "new", "api", "--json"]);
    let made: serde_json::Value = serde_json::from_str(&made).expect("JSON");
    let (url, token) = (server.url.clone(), made["secret"].as_str().expect("a token").to_owned());
    let waiting = std::thread::spawn(move || get(&url, "/api/v1/hint?sequence=999", Some(&token)));
    let metrics = server.said("metrics ").expect("an address");
    let metrics = metrics.strip_suffix("/metrics").expect("a path");
    let waits = r#"boathook_requests_at_work{route="/api/v1/hint"} 1"#;
    while !get(metrics, "/metrics", None).1.contains(waits) {
        assert!(!waiting.is_finished(), "it was answered before the end");
        std::thread::sleep(Duration::from_millis(20));
    }
    server.signal("TERM");
    let (code, log) = server.end();
    assert_eq!(code, Some(0), "{log}");
    let (status, body) = waiting.join().expect("an answer");
    assert!(status == 200 || status == 503, "{status} {body}");
    assert!(log.contains("the team server ended"), "{log}");
}

#[test]
fn health_readiness_and_metrics_are_told_and_no_secret_is_in_the_log() {
    let person = Person::new();
    let server =
        Server::start(&person, &["--database", &person.database(), "--metrics-listen", "127.0.0.1:0"]);
    let token = server.sign_in_token();
    sign_in(&person, &server);
    let made = person.must(&["team", "admin", "token", "new", "api", "--role", "auditor", "--json"]);
    let made: serde_json::Value = serde_json::from_str(&made).expect("JSON");
    let auditor = made["secret"].as_str().expect("a token");
    assert_eq!(get(&server.url, "/healthz", None).0, 200);
    assert_eq!(get(&server.url, "/readyz", None).0, 200);
    assert_eq!(get(&server.url, "/metrics", None).0, 401);
    assert_eq!(get(&server.url, "/no/such/thing?secret=4711", None).0, 404);
    let (status, text) = get(&server.url, "/metrics", Some(auditor));
    assert_eq!(status, 200, "{text}");
    for line in
        ["boathook_requests_total{method=\"POST\",route=\"/api/v1/tokens\"", "boathook_signing_alarms 0"]
    {
        assert!(text.contains(line), "{line}: {text}");
    }
    let alone = server.said("metrics ").expect("an address");
    let (status, text) = get(alone.strip_suffix("/metrics").expect("a path"), "/metrics", None);
    assert!(status == 200 && text.contains("boathook_devices"), "{status} {text}");
    server.signal("INT");
    let (code, log) = server.end();
    assert_eq!(code, Some(0));
    assert!(!log.contains(&token) && !log.contains(auditor) && !log.contains("4711"), "{log}");
    let first: serde_json::Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    assert!(first["timestamp"].is_string() && first["message"].is_string(), "{first}");
}

#[test]
fn a_backup_is_a_server_again() {
    let person = Person::new();
    let database = person.database();
    let server = Server::start(&person, &["--database", &database]);
    sign_in(&person, &server);
    person.publish_guard();
    person.join(&server, &[]);
    let backup = person.path("server/backup").display().to_string();
    person.must(&["serve", "backup", &backup, "--database", &database]);
    let again = person.must_not(&["serve", "backup", &backup, "--database", &database]);
    assert!(again.contains("not there yet"), "a backup is never overwritten: {again}");
    // Machines see more than the backup holds.
    person.must(&["team", "admin", "publish", "--note", "later"]);
    person.must(&["team", "sync", "--now"]);
    let address = server.url.clone();
    drop(server);

    let (copy, secret) = (person.path("server/copy.db"), format!("{database}.secret"));
    let copy = copy.display().to_string();
    person.must(&["serve", "restore", &backup, "--database", &copy, "--secret-file", &secret]);
    let listen = address.strip_prefix("http://").expect("plain HTTP");
    let again = ["serve", "--listen", listen, "--database", &copy, "--secret-file", &secret];
    let server = Server::of(person.command(again)).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(server.said("sign-in token "), None);
    // What it has is older than what the machine saw, and is signed above that.
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(2), "hooks are in force all the time");
    person.must(&["team", "admin", "publish", "--note", "after the backup"]);
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(2));
}

#[test]
fn what_admins_sign_goes_out_with_enough_signatures_and_not_before() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    sign_in(&person, &server);
    person.must(&["team", "admin", "publish"]);
    person.join(&server, &[]);
    let (one, two) = (person.path("one.key"), person.path("two.key"));
    let (one, two) = (one.to_str().expect("a path"), two.to_str().expect("a path"));
    let keys = [one, two].map(|file| person.must(&["team", "admin", "key", "new", file]).trim().to_owned());
    let strict = ["team", "admin", "strict", "--key", &keys[0], "--key", &keys[1], "--threshold", "2"];
    person.must(&strict);
    let sign_with = |args: &[&str]| {
        let output = person.try_to(&[&["team", "admin", "sign"], args].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text + &String::from_utf8_lossy(&output.stderr))
    };
    // What is signed is what was looked at.
    let sign = |files: &[&str]| {
        let (_, shown) = sign_with(&[]);
        let digest = shown.lines().find_map(|line| line.strip_prefix("digest of all this: "));
        let mut args: Vec<&str> = files.iter().flat_map(|&file| ["--key", file]).collect();
        args.extend(digest.iter().flat_map(|&digest| ["--accept", digest]));
        sign_with(&args)
    };
    let unseen = "0".repeat(64);
    for args in [&["--key", one][..], &["--key", one, "--accept", &unseen]] {
        let (done, said) = sign_with(args);
        assert!(!done && said.contains("nothing was signed"), "{said}");
        assert!(said.contains("0 of 2 of the new keys"), "{said}");
    }
    let (_, said) = sign(&[]);
    for expected in
        ["root 2: 1 of 1 of the keys until now, 0 of 2 of the new keys", &format!("+ {}", keys[0])]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let (done, said) = sign(&[one, two]);
    assert!(done && said.contains("root 2 has all its signatures and is out"), "{said}");
    person.publish_guard();
    let (_, said) = sign(&[one]);
    assert!(said.contains("1 of 2 signatures"), "{said}");
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(0), "one signature of two publishes nothing");
    let (done, said) = sign(&[one]);
    assert!(done && said.contains("signed already"), "{said}");
    let (done, said) = sign(&[two]);
    assert!(done && said.contains("has all its signatures and is out"), "{said}");
    person.must(&["team", "sync", "--now"]);
    assert_eq!(person.asks(), Some(2));

    // A taken-over server cannot have the guard switched off unseen.
    person.must(&["team", "admin", "hook", "edit", "1", "--monitor", "--matcher", "^$"]);
    person.must(&["team", "admin", "settings", "set", "--stale-policy", "ask"]);
    person.must(&["team", "admin", "publish"]);
    let (_, said) = sign(&[]);
    for expected in [
        "difference to what is in force",
        "~ hook 1 guard.sh: monitor: no → yes",
        "~ hook 1 guard.sh: matcher: none → \"^$\"",
        "hooks that are too old: warn after 14 days → ask after 14 days",
        "monitor yes, failClosed no, matcher \"^$\", systems all, timeout default, loop limit default",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let other = person.path("other.key");
    let other = other.to_str().expect("a path");
    person.must(&["team", "admin", "key", "new", other]);
    let (done, said) = sign(&[other]);
    assert!(!done && said.contains("none of those that sign what waits"), "{said}");

    // What a script does can be read before it is signed.
    let script = person.write("new.sh", "#!/bin/sh\necho a-new-script\n");
    let script = script.to_str().expect("a path");
    person.must(&["team", "admin", "hook", "edit", "1", "--script", script]);
    person.must(&["team", "admin", "publish"]);
    let shown = person.must(&["team", "admin", "sign", "--scripts"]);
    assert!(shown.contains("echo a-new-script"), "{shown}");
    assert!(!sign(&[]).1.contains("echo a-new-script"));
}

#[test]
fn an_invited_admin_can_administer() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    sign_in(&person, &server);
    let said =
        person.must(&["team", "admin", "member", "add", "boss@example.com", "--role", "admin", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["fingerprint"], server.fingerprint());
    let command = |number: usize| said["commands"][number].as_str().expect("a command").to_owned();
    assert!(command(0).starts_with(&format!("boathook team login {} --token ", server.url)), "{said}");
    let login = command(1);
    let next =
        person.must(&["team", "admin", "token", "new", "sign-in", "--member", "boss@example.com", "--json"]);
    let next: serde_json::Value = serde_json::from_str(&next).expect("JSON");
    assert_eq!(next["token"]["role"], "admin", "the member's own role");
    person.must(&login.split_whitespace().skip(1).collect::<Vec<_>>());
    person.publish_guard();
    let listed = person.must(&["team", "admin", "token", "list"]);
    assert!(listed.contains("boss@example.com") && listed.contains("used "), "{listed}");
}

#[test]
fn a_wrong_fingerprint_leaves_the_token_good() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    sign_in(&person, &server);
    for kind in ["sign-in", "enrolment"] {
        let made = person.must(&["team", "admin", "token", "new", kind, "--json"]);
        let made: serde_json::Value = serde_json::from_str(&made).expect("JSON");
        let token = made["secret"].as_str().expect("a token");
        let login = ["team", "login", &server.url, "--token", token, "--fingerprint"];
        let said = person.must_not(&[&login[..], &["0".repeat(64).as_str()]].concat());
        assert!(said.contains("another fingerprint") && !said.contains("signed in to"), "{said}");
        let devices = person.must(&["team", "admin", "device", "list", "--json"]);
        if kind == "sign-in" {
            assert_eq!(devices.trim(), "[]", "no machine is left behind");
            person.must(&[&login[..], &[server.fingerprint().as_str()]].concat());
            person.must(&["team", "logout"]);
        } else {
            let devices: serde_json::Value = serde_json::from_str(&devices).expect("JSON");
            assert_eq!(devices.as_array().map(Vec::len), Some(1), "no machine is left behind: {devices}");
        }
    }
}

#[test]
fn what_cannot_be_meant_is_said_before_the_server_is_asked() {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    sign_in(&person, &server);
    person.publish_guard();
    let cases: [(&[&str], &str); 7] = [
        (&["hook", "add", "stopp", "--script", "guard.sh"], "did you mean `stop`?"),
        (&["hook", "add", "stop", "--script", "none.sh"], "there is no such file"),
        (&["hook", "edit", "1"], "nothing was changed"),
        (&["hook", "order", "2"], "there is no hook 2"),
        (&["hook", "show", "x"], "write the number that `list` shows"),
        (&["login", "127.0.0.1:1", "--token", "x"], "such as https://hooks.example.com"),
        (&["login", "http://127.0.0.1:1", "--token", "two\nlines"], "a token is one word"),
    ];
    for (words, expected) in cases {
        let said = person.must_not(&[&["team", "admin"], words].concat());
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    let removed = person.must(&["team", "admin", "hook", "remove", "1", "--json"]);
    assert_eq!(removed.trim(), r#"{"removed":1}"#);
}
