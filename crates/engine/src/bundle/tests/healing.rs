//! What somebody did to our own files in a team's folder is mended by the next
//! one who claims and installs, and holds nobody up.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;

type Spoil = fn(&Path);

fn pipe(path: &Path) {
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    );
    made.expect("a pipe");
}

fn rewrite(path: &Path, text: &str) {
    fs::remove_file(path).expect("removed");
    fs::write(path, text).expect("written");
}

#[test]
fn a_marker_that_is_lost_is_written_again_where_generations_are_ours() {
    let cases: [(&str, Spoil); 6] = [
        ("gone", |it| fs::remove_file(it).expect("removed")),
        ("garbage", |it| rewrite(it, "{")),
        ("empty", |it| rewrite(it, "")),
        ("a pipe", |it| {
            fs::remove_file(it).expect("removed");
            pipe(it);
        }),
        ("a folder", |it| {
            fs::remove_file(it).expect("removed");
            fs::create_dir_all(it.join("deep")).expect("made");
        }),
        ("open to all", |it| fs::set_permissions(it, fs::Permissions::from_mode(0o777)).expect("open")),
    ];
    for (name, spoil) in cases {
        let home = TempDir::new();
        let managed = installed(&home);
        spoil(&managed.folder().join(".boathook"));
        assert!(is_ours(managed.folder()), "{name}: what we sealed stays sealed");
        assert_eq!(Managed::all(home.path()), std::slice::from_ref(&managed), "{name}");
        managed.claim(&marker(5)).expect(name);
        assert_eq!(managed.marker(), Some(marker(5)), "{name}");
        managed.install(&Made::of(2, &[("guard.sh", GUARD)]).offer(2)).expect(name);
        assert_eq!(managed.current().expect("in force").release, 2, "{name}");
        assert_eq!(names(managed.folder()), [".boathook", ".lock", "generations", "hooks"], "{name}");
    }
}

#[test]
fn a_seal_beside_the_hooks_is_enough_to_count_as_sealed() {
    let home = TempDir::new();
    home.write(".cursor/managed/team_5/hooks/hooks.json", "{}");
    let managed = Managed::of(home.path(), 5);
    assert!(!is_ours(managed.folder()), "the product's own");
    home.write(".cursor/managed/team_5/hooks/seal.json", "{}");
    assert!(is_ours(managed.folder()));
    assert_eq!(managed.claim(&marker(5)).expect_err("no generations of ours").code(), "foreign");
}

#[test]
fn a_folder_that_somebody_holds_is_not_waited_for_without_end() {
    let home = TempDir::new();
    fs::create_dir_all(home.path().join(".cursor/managed")).expect("folders");
    let theirs = fs::File::open(home.path().join(".cursor/managed")).expect("a folder");
    theirs.lock().expect("held");
    let managed = Managed { patience: Duration::from_millis(50), ..Managed::of(home.path(), 5) };
    assert_eq!(managed.claim(&marker(5)).expect_err("held").code(), "locked");
    drop(theirs);
    managed.claim(&marker(5)).expect("free");
}

#[test]
fn our_files_come_back_whatever_stands_in_their_place() {
    let folder: Spoil = |it| {
        let _ = fs::remove_file(it);
        fs::create_dir_all(it.join("deep")).expect("made");
    };
    let link: Spoil = |it| {
        let _ = fs::remove_file(it);
        symlink("elsewhere", it).expect("a link");
    };
    let cases = [
        ("fresh.json", "a folder", folder),
        ("fresh.json", "a link", link),
        (".lock", "a folder", folder),
        (".lock", "a link", link),
    ];
    for (file, name, spoil) in cases {
        let home = TempDir::new();
        let managed = installed(&home);
        let fresh = Fresh { until: 2, seen: 1, stale: Stale::default() };
        managed.write_fresh(&fresh).expect("written");
        spoil(&managed.folder().join(file));
        managed.write_fresh(&fresh).unwrap_or_else(|error| panic!("{file}, {name}: {error}"));
        managed.install(&Made::of(2, &[]).offer(2)).expect("installed");
        assert_eq!(managed.fresh(), Some(fresh), "{file}, {name}");
        let expected = [".boathook", ".lock", "fresh.json", "generations", "hooks"];
        assert_eq!(names(managed.folder()), expected, "{file}, {name}");
    }
}

#[test]
fn times_that_were_never_signed_are_not_kept() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let stale = Stale::default();
    let signed = Fresh { until: 20_000 * DAY, seen: 19_999 * DAY, stale };
    let cases = [
        ("the end of time was seen", Fresh { seen: i64::MAX, ..signed }, None),
        ("good until the end of time", Fresh { until: i64::MAX, ..signed }, None),
        ("both", Fresh { until: i64::MAX, seen: i64::MAX, stale }, None),
        (
            "ten years ahead",
            Fresh { seen: 23_650 * DAY, ..signed },
            Some(Fresh { seen: 23_650 * DAY, ..signed }),
        ),
    ];
    for (name, written, read) in cases {
        let home = TempDir::new();
        let managed = installed(&home);
        let text = serde_json::to_string(&written).expect("JSON");
        let path = managed.folder().join("fresh.json");
        fs::write(&path, text).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("permissions");
        assert_eq!(managed.fresh(), read, "{name}");
        managed.write_fresh(&signed).expect("written");
        assert_eq!(managed.fresh(), Some(signed), "{name}");
    }
}

#[test]
fn what_a_killed_sync_left_goes_with_the_next_one_even_when_nothing_is_new() {
    let home = TempDir::new();
    let managed = installed(&home);
    let places = ["team_5/generations/.unfinished-1", "team_5/.unfinished-2", ".unfinished-3"];
    let left = places.map(|place| home.write(&format!(".cursor/managed/{place}/half"), "half"));
    managed.claim(&marker(5)).expect("ours");
    let again = managed.install(&Made::of(1, &[("guard.sh", GUARD)]).offer(1)).expect("the same");
    assert!(matches!(again, Installed::Unchanged(_)));
    for path in left {
        assert!(!path.exists(), "{}", path.display());
    }
}
