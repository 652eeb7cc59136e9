//! What an operator does with a database beside serving it: nothing is made by
//! mistake, and what fails leaves nothing behind.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use boathook_server::team::sign::{Secret, Signer};
use boathook_server::team::store::Store;
use boathook_server::team::{publish, serve};

/// A folder with the database of one team and its secret.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: tempfile::tempdir().expect("a folder") };
        let store = place.block_on(Store::open(&place.text("hooks.db"))).expect("a database");
        let signer = Signer::new(Secret::at(&place.path("secret")).expect("a secret"));
        place.block_on(async {
            let (team, _) = store.create_team("ours", "ann@example.com", 1).await.expect("a team");
            let team = store.team(team);
            publish::set_up(&team, &signer, 1).await.expect("keys");
            store.close().await;
        });
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(work)
    }
}

fn said<T: std::fmt::Debug>(done: Result<T, serve::ServeError>) -> String {
    let error = done.expect_err("it is refused");
    format!("{error}\n{}", error.help())
}

#[test]
fn a_mistyped_database_is_refused_and_not_made() {
    let place = Place::new();
    let (typo, secret, backup) = (place.text("hoks.db"), place.path("secret"), place.path("bk"));
    fs::write(place.path("empty.db"), "").expect("a file");
    let before = place.names();
    let cases = [
        ("backup", said(serve::backup(&typo, &backup))),
        ("sign-in", said(serve::sign_in(&typo, &secret, "ann@example.com"))),
        ("new-team", said(serve::new_team(&typo, &secret, "theirs", "bob@example.com"))),
    ];
    for (name, said) in cases {
        assert!(said.contains("hoks.db") && said.contains("no such database"), "{name}: {said}");
    }
    assert!(said(serve::backup(&place.text("empty.db"), &backup)).contains("no team"));
    assert_eq!(place.names(), before, "nothing was made");
}

#[test]
fn a_database_without_a_team_is_not_backed_up() {
    let place = Place::new();
    place.block_on(async {
        let store = Store::open(&place.text("new.db")).await.expect("a database");
        store.close().await;
    });
    let refused = said(serve::backup(&place.text("new.db"), &place.path("bk")));
    assert!(refused.contains("no team"), "{refused}");
    assert!(!place.path("bk").exists());
}

#[test]
fn a_backup_comes_back_whole_or_not_at_all() {
    let place = Place::new();
    let (backup, secret, copy) = (place.path("bk"), place.path("secret"), place.text("copy.db"));
    serve::backup(&place.text("hooks.db"), &backup).expect("a backup");
    let other = place.path("other");
    Secret::at(&other).expect("another secret");
    let before = place.names();
    let cases: [(&str, &Path, &Path, &str); 4] = [
        ("no backup", &secret, &place.path("nobk"), "nobk"),
        ("something else", &secret, &secret, "no export"),
        ("no secret", &place.path("gone"), &backup, "gone"),
        ("another secret", &other, &backup, "is not the secret this backup was made with"),
    ];
    for (name, secret, from, expected) in cases {
        let refused = said(serve::restore(&copy, secret, from));
        assert!(refused.contains(expected), "{name}: {refused}");
        assert_eq!(place.names(), before, "{name}: nothing was made");
    }
    serve::restore(&copy, &secret, &backup).expect("restored at the second try");
    let again = said(serve::restore(&copy, &secret, &backup));
    assert!(again.contains("is there already"), "{again}");
    serve::sign_in(&copy, &secret, "ann@example.com").expect("a member of the team that came back");
}

#[test]
fn a_team_that_nobody_could_tell_or_enter_is_not_made() {
    let place = Place::new();
    let (database, secret) = (place.text("hooks.db"), place.path("secret"));
    let cases = [
        ("", "bob@example.com", "no name for a team"),
        ("theirs", "not an email", "is no address"),
        ("Ours", "bob@example.com", "there is a team"),
    ];
    for (name, owner, expected) in cases {
        let refused = said(serve::new_team(&database, &secret, name, owner));
        assert!(refused.contains(expected), "{name:?} {owner:?}: {refused}");
    }
    serve::new_team(&database, &secret, "theirs", "bob@example.com").expect("another team");
}

#[test]
fn a_postgresql_that_is_not_there_is_named_with_the_reason() {
    let place = Place::new();
    // Nobody listens on it, and while it is ours nobody else will.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
    let address = socket.local_addr().expect("an address");
    let refused = said(serve::backup(&format!("postgres://me:hush@{address}/x"), &place.path("bk")));
    assert!(refused.contains(&address.to_string()) && refused.contains("refused"), "{refused}");
    assert!(!refused.contains("hush"), "{refused}");
}
