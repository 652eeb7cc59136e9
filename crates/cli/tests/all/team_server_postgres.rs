//! Two server processes on one PostgreSQL: whatever one of them goes through,
//! the team's hooks go on.

#![cfg(unix)]

#[allow(dead_code)] // the tests of the server use the rest
#[path = "../../../server/tests/all/postgres/mod.rs"]
mod postgres;

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::serving::{self, Person, Server};

/// What stands before several processes: hands each connection to the next one
/// that answers.
fn in_front_of(servers: &[&Server]) -> String {
    let backends: Vec<String> = servers.iter().map(|server| server.url.replace("http://", "")).collect();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let turn = AtomicUsize::new(0);
        for caller in listener.incoming().map_while(Result::ok) {
            let first = turn.fetch_add(1, Ordering::Relaxed);
            let order = (0..backends.len()).map(|step| &backends[(first + step) % backends.len()]);
            let Some(server) = order.into_iter().find_map(|backend| TcpStream::connect(backend).ok()) else {
                continue;
            };
            let (up, down) = (caller.try_clone().expect("a stream"), server.try_clone().expect("a stream"));
            thread::spawn(move || carry(up, server));
            thread::spawn(move || carry(down, caller));
        }
    });
    url
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}

fn started(person: &Person, database: &str) -> Server {
    let secret = person.path("server/secret").display().to_string();
    Server::start(person, &["--database", database, "--secret-file", &secret])
}

#[test]
fn those_who_start_at_once_make_one_team() {
    let Some(cluster) = postgres::shared() else { return };
    let (person, database) = (Person::new(), cluster.database());
    let servers: Vec<Server> = thread::scope(|scope| {
        let starts: Vec<_> = (0..3).map(|_| scope.spawn(|| started(&person, &database))).collect();
        starts.into_iter().map(|start| start.join().expect("it begins")).collect()
    });
    let tokens: Vec<String> = servers.iter().filter_map(|server| server.said("sign-in token ")).collect();
    assert_eq!(tokens.len(), 1, "one of them made the team");
    person.must(&["team", "admin", "login", &servers[0].url, "--token", &tokens[0]]);
    person.publish_guard();
    let other = Person::new();
    let line = person.must(&["team", "admin", "token", "new", "sign-in"]);
    let line = line.replace(&servers[0].url, &servers[2].url);
    other.must(&line.split_whitespace().skip(1).collect::<Vec<_>>());
    other.waits_for(2, Duration::from_secs(10));
}

#[test]
fn one_of_two_servers_is_killed_and_nobody_is_without_hooks() {
    let Some(cluster) = postgres::shared() else { return };
    let (person, database) = (Person::new(), cluster.database());
    let first = started(&person, &database);
    let second = started(&person, &database);
    assert_eq!(second.said("sign-in token "), None);
    let url = in_front_of(&[&first, &second]);
    person.must(&["team", "admin", "login", &url, "--token", &first.sign_in_token()]);
    person.publish_guard();
    let line = person.must(&["team", "admin", "token", "new", "sign-in"]);
    person.must(&line.split_whitespace().skip(1).collect::<Vec<_>>());
    person.waits_for(2, Duration::from_secs(10));

    let over = AtomicBool::new(false);
    let (mut polls, mut published) = (0, 0);
    thread::scope(|scope| {
        let syncing = scope.spawn(|| {
            let mut done = 0;
            while !over.load(Ordering::SeqCst) {
                done += usize::from(person.try_to(&["team", "sync", "--now"]).status.success());
                assert_eq!(person.asks(), Some(2), "the guard is in force at every moment");
            }
            done
        });
        for round in 0..6 {
            if round == 2 {
                first.signal("KILL");
            }
            // The one that was being answered may be lost; the next is not.
            let note = format!("round {round}");
            let publish = ["team", "admin", "publish", "--note", &note];
            published += usize::from(person.try_to(&publish).status.success());
        }
        over.store(true, Ordering::SeqCst);
        polls = syncing.join().expect("every event was refused");
    });
    assert!(published >= 5 && polls > 0, "{published} of 6 published, {polls} polls");

    let script = person.write("guard.sh", serving::GUARD.replace("Not in this team.", "Still not."));
    let script = script.to_str().expect("a path");
    person.must(&["team", "admin", "hook", "edit", "1", "--script", script]);
    person.must(&["team", "admin", "publish"]);
    person.must(&["team", "sync", "--now"]);
    let answer = person.output_with(["run", "beforeShellExecution"], br#"{"command":"ls"}"#);
    assert!(String::from_utf8_lossy(&answer.stdout).contains("Still not."), "{answer:?}");
    let releases = person.must(&["team", "admin", "release", "list", "--json"]);
    let releases: serde_json::Value = serde_json::from_str(&releases).expect("JSON");
    let stable = releases.as_array().expect("a list").iter().filter(|one| one["state"] == "stable");
    assert_eq!(stable.count(), 1, "one release is everybody's: {releases}");
}
