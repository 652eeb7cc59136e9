#[cfg(unix)]
mod healing;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::{Hook, Release, Script, Stale, StalePolicy};
use super::*;
use crate::digest::Digest;
use crate::source::Os;
use crate::testing::TempDir;

const GUARD: &str = "#!/bin/sh\nexit 0\n";

/// A release and the contents of its scripts.
struct Made {
    release: Release,
    scripts: BTreeMap<Digest, Vec<u8>>,
}

impl Made {
    fn of(number: u64, scripts: &[(&str, &str)]) -> Made {
        let hook = |(at, (name, text)): (usize, &(&str, &str))| {
            let script = Script::of(name, text.as_bytes());
            Hook { fail_closed: true, ..Hook::plain(at as i64 + 1, "beforeShellExecution", script) }
        };
        let contents =
            scripts.iter().map(|(_, text)| (Digest::of(text.as_bytes()), text.as_bytes().to_vec()));
        Made {
            release: Release { number, rollout: None, hooks: scripts.iter().enumerate().map(hook).collect() },
            scripts: contents.collect(),
        }
    }

    fn offer(&self, sequence: u64) -> Offer<'_> {
        let (release, scripts) = (&self.release, &self.scripts);
        Offer { sequence, root: 1, release, os: Os::current(), scripts, path: None }
    }
}

fn marker(team: i64) -> Marker {
    Marker { format: 1, server: "https://hooks.example".into(), team, repository: "r1".into() }
}

fn claimed(home: &TempDir) -> Managed {
    let managed = Managed::of(home.path(), 5);
    managed.claim(&marker(5)).expect("claimed");
    managed
}

/// With a first release in force.
fn installed(home: &TempDir) -> Managed {
    let managed = claimed(home);
    managed.install(&Made::of(1, &[("guard.sh", GUARD)]).offer(1)).expect("installed");
    managed
}

fn names(folder: &Path) -> Vec<String> {
    let mut found = collect::names(folder);
    found.sort();
    found
}

#[test]
fn only_a_newer_root_brings_a_lower_sequence() {
    let far = 1 << 63;
    let cases =
        [("the same root", 2, 5, false), ("an older root", 1, 5, false), ("a newer root", 3, 5, true)];
    for (name, root, sequence, expected) in cases {
        let home = TempDir::new();
        let managed = claimed(&home);
        let ahead = Made::of(1, &[("guard.sh", GUARD)]);
        managed.install(&Offer { root: 2, ..ahead.offer(far) }).expect("installed");
        let back = Made::of(2, &[("guard.sh", GUARD)]);
        let installed = managed.install(&Offer { root, ..back.offer(sequence) });
        assert_eq!(installed.is_ok(), expected, "{name}: {installed:?}");
        let in_force = managed.current().map(|current| current.sequence);
        assert_eq!(in_force, Some(if expected { sequence } else { far }), "{name}");
    }
}

#[test]
fn what_is_installed_is_in_force_until_something_newer_is() {
    let home = TempDir::new();
    let managed = claimed(&home);
    assert_eq!(managed.current(), None);
    let one = Made::of(1, &[("guard.sh", GUARD)]);
    let installed = managed.install(&one.offer(1)).expect("installed");
    let current = managed.current().expect("in force");
    assert_eq!(installed, Installed::New(current.generation.clone()));
    assert_eq!((current.sequence, current.release), (1, 1));
    assert_eq!(managed.install(&one.offer(1)).expect("again"), Installed::Unchanged(current.generation));
    assert_eq!(managed.tampered(), []);
    assert_eq!(managed.script(&Digest::of(GUARD.as_bytes())).as_deref(), Some(GUARD.as_bytes()));

    let two = Made::of(2, &[]);
    managed.install(&two.offer(2)).expect("a release without hooks");
    assert_eq!(managed.current().expect("in force").release, 2);
    assert_eq!(managed.install(&one.offer(1)).expect_err("older").code(), "rollback");
    assert_eq!(Managed::all(home.path()), std::slice::from_ref(&managed));
    managed.remove().expect("removed");
    assert!(!managed.folder().exists());
    managed.remove().expect("nothing to remove");
}

#[test]
fn the_hooks_are_written_as_the_release_says() {
    let mut made = Made::of(3, &[("guard.sh", GUARD), ("other.py", "#!/bin/sh\n")]);
    let hooks = &mut made.release.hooks;
    (hooks[0].matcher, hooks[0].timeout) = (Some("rm|mv".into()), Some(7));
    (hooks[1].event, hooks[1].fail_closed, hooks[1].monitor) = ("stop".into(), false, true);
    hooks[1].loop_limit = Some(-1);
    let mut elsewhere = hooks[0].clone();
    elsewhere.operating_systems = vec!["Windows".into()];
    hooks.push(elsewhere);
    let read: serde_json::Value =
        serde_json::from_str(&hooks_json(&made.release, Os::Linux, "./")).expect("JSON");
    let expected = serde_json::json!({ "version": 1, "hooks": {
        "beforeShellExecution": [
            { "command": "./guard.sh", "matcher": "rm|mv", "timeout": 7, "failClosed": true },
        ],
        "stop": [{ "command": "./other.py", "loop_limit": null, "monitor": true }],
    } });
    assert_eq!(read, expected);
}

/// S10, S11, S20: a release is installed whole or not at all.
#[test]
fn s10_s11_s20_what_cannot_be_installed_leaves_the_old_one_in_force() {
    type Spoil = fn(&mut Made);
    let cases: [(&str, Spoil, &str); 9] = [
        ("a name that leaves the folder", |it| it.release.hooks[1].script.name = "../x".into(), "bad_name"),
        ("a name of ours", |it| it.release.hooks[1].script.name = "seal.json".into(), "bad_name"),
        ("a script that is not there", |it| it.scripts.clear(), "hash_mismatch"),
        (
            "a script of other content",
            |it| it.scripts.values_mut().for_each(|text| text[3] ^= 1),
            "hash_mismatch",
        ),
        ("another length", |it| it.release.hooks[1].script.length = 1, "length_mismatch"),
        (
            "a matcher that does not compile",
            |it| it.release.hooks[0].matcher = Some("(".into()),
            "self_check",
        ),
        ("a timeout of nothing", |it| it.release.hooks[0].timeout = Some(0), "self_check"),
        ("an event that is none", |it| it.release.hooks[0].event = "beforeAll".into(), "self_check"),
        (
            "an interpreter that is not here",
            |it| *it = Made::of(2, &[("a", "#!/no/such/thing\n")]),
            "self_check",
        ),
    ];
    for (name, spoil, code) in cases {
        let home = TempDir::new();
        let managed = installed(&home);
        let before = names(&managed.folder().join("generations"));
        let mut made = Made::of(2, &[("guard.sh", GUARD), ("b.sh", "#!/bin/sh\nexit 1\n")]);
        spoil(&mut made);
        let error = managed.install(&made.offer(2)).expect_err(name);
        assert_eq!(error.code(), code, "{name}: {error}");
        assert_eq!(managed.current().expect("in force").release, 1, "{name}");
        assert_eq!(managed.tampered(), [], "{name}");
        assert_eq!(names(&managed.folder().join("generations")), before, "{name}: nothing is left");
    }
}

#[test]
fn an_interpreter_is_looked_for_on_the_path_it_is_given() {
    let home = TempDir::new();
    let managed = claimed(&home);
    let made = Made::of(1, &[("a.py", "#!/usr/bin/env -S no-such-python -u\n")]);
    let empty = home.path().as_os_str();
    let error = managed.install(&Offer { path: Some(empty), ..made.offer(1) });
    if cfg!(unix) {
        assert_eq!(error.expect_err("not there").code(), "self_check");
        managed.install(&made.offer(1)).expect("nobody said where to look");
    }
}

#[test]
fn a_folder_that_is_not_ours_is_never_touched() {
    let home = TempDir::new();
    let theirs = home.write(".cursor/managed/team_5/hooks/hooks.json", "{}");
    let managed = Managed::of(home.path(), 5);
    assert_eq!(managed.claim(&marker(5)).expect_err("theirs").code(), "foreign");
    assert_eq!(managed.install(&Made::of(1, &[]).offer(1)).expect_err("theirs").code(), "foreign");
    assert_eq!(managed.remove().expect_err("theirs").code(), "foreign");
    assert!(theirs.exists());
    assert_eq!(Managed::all(home.path()), []);

    let other = Managed::of(home.path(), 6);
    other.claim(&marker(6)).expect("claimed");
    other.claim(&marker(6)).expect("ours already");
    let moved = Marker { repository: "r2".into(), ..marker(6) };
    assert_eq!(other.claim(&moved).expect_err("another repository").code(), "foreign");
    home.write(".cursor/managed/team_6/notes.txt", "somebody's");
    other.remove().expect("removed");
    assert_eq!(names(other.folder()), ["notes.txt"], "what is not ours stays");
}

#[test]
fn two_old_generations_stay_and_leftovers_go() {
    let home = TempDir::new();
    let managed = claimed(&home);
    let generations = managed.folder().join("generations");
    home.write(".cursor/managed/team_5/generations/.unfinished-1/guard.sh", "half");
    home.write(".cursor/managed/team_5/.unfinished-2", "half");
    for sequence in 1..=11 {
        managed.install(&Made::of(sequence, &[("guard.sh", GUARD)]).offer(sequence)).expect("installed");
    }
    let kept: Vec<String> =
        names(&generations).iter().map(|name| name.split('-').next().unwrap_or_default().into()).collect();
    assert_eq!(kept, ["10", "11", "9"]);
    assert_eq!(names(managed.folder()), [".boathook", ".lock", "generations", "hooks"]);
}

/// S16: a generation that hooks run from is collected later.
#[test]
fn s16_a_generation_in_use_is_collected_when_it_is_not() {
    let home = TempDir::new();
    let managed = installed(&home);
    let first = managed.current().expect("in force").folder;
    let held = lease(&first).expect("it is there");
    let also = lease(&first).expect("hooks of another event");
    let install = |sequence: u64| {
        managed.install(&Made::of(sequence, &[("guard.sh", GUARD)]).offer(sequence)).expect("installed");
    };
    (2..8).for_each(install);
    assert_eq!(fs::read_to_string(first.join("guard.sh")).expect("still there"), GUARD);
    drop((held, also));
    install(8);
    assert!(!first.exists());
    assert!(lease(&first).is_none());
}

/// S12: whoever installs at once ends in one generation.
#[test]
fn s12_those_who_install_at_once_end_in_one_generation() {
    let home = TempDir::new();
    let managed = Managed::of(home.path(), 5);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                managed.claim(&marker(5)).expect("claimed");
                managed.install(&Made::of(4, &[("guard.sh", GUARD)]).offer(4)).expect("installed");
            });
        }
    });
    assert_eq!(names(&managed.folder().join("generations")).len(), 1);
    assert_eq!(managed.tampered(), []);
    assert_eq!(names(&home.path().join(".cursor/managed")), ["team_5"]);
}

#[test]
fn the_newest_time_seen_never_goes_back_and_age_follows_it() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let home = TempDir::new();
    let managed = claimed(&home);
    let stale = Stale { days: 14, policy: StalePolicy::Deny };
    managed.write_fresh(&Fresh { until: 100 * DAY, seen: 99 * DAY, stale }).expect("written");
    managed.write_fresh(&Fresh { until: 100 * DAY, seen: 50 * DAY, stale }).expect("written");
    let fresh = managed.fresh().expect("read");
    assert_eq!(fresh.seen, 99 * DAY);
    let cases = [
        ("good", 99 * DAY, Age::Fresh),
        ("S07: an hour late", 100 * DAY + DAY / 24, Age::Stale(0)),
        ("two weeks late", 114 * DAY, Age::Stale(14)),
        ("S07: fifteen days late", 115 * DAY, Age::TooOld(15, StalePolicy::Deny)),
        ("S08: twenty years ahead", (100 + 7300) * DAY, Age::TooOld(7300, StalePolicy::Deny)),
        ("S08: twenty years back", -7300 * DAY, Age::Fresh),
        ("the end of time", i64::MAX, Age::TooOld((i64::MAX - 100 * DAY) / DAY, StalePolicy::Deny)),
    ];
    for (name, clock, expected) in cases {
        assert_eq!(fresh.age(clock), expected, "{name}");
    }
    let seen_late = Fresh { seen: 120 * DAY, ..fresh };
    assert_eq!(seen_late.age(0), Age::TooOld(20, StalePolicy::Deny), "a clock that was turned back");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it exists").permissions().mode() & 0o7777
    }

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }

    /// S11: modes come from our table.
    #[test]
    fn s11_modes_are_ours() {
        let home = TempDir::new();
        let managed = installed(&home);
        managed.write_fresh(&Fresh { until: 1, seen: 1, stale: Stale::default() }).expect("written");
        let current = managed.current().expect("in force").folder;
        let expected: [(PathBuf, u32); 8] = [
            (managed.folder().to_owned(), 0o700),
            (managed.folder().join("generations"), 0o700),
            (managed.folder().join(".boathook"), 0o400),
            (managed.folder().join("fresh.json"), 0o400),
            (current.clone(), 0o700),
            (current.join("guard.sh"), 0o500),
            (current.join("hooks.json"), 0o400),
            (current.join("seal.json"), 0o400),
        ];
        for (path, expected) in expected {
            assert_eq!(mode(&path), expected, "{}", path.display());
        }
    }

    /// S15: what somebody changed is found, and mended by the next one who
    /// installs.
    #[test]
    fn s15_what_is_not_what_was_sealed_is_found_and_mended() {
        type Spoil = fn(&Path);
        let cases: [(&str, Spoil, &str); 9] = [
            (
                "a folder in place of the link",
                |it| {
                    let link = it.join("../../hooks");
                    fs::remove_file(&link).expect("removed");
                    fs::create_dir(&link).expect("made");
                    fs::write(link.join("hooks.json"), "{}").expect("written");
                },
                "it is no link to a generation",
            ),
            (
                "edited",
                |it| {
                    chmod(&it.join("guard.sh"), 0o700);
                    fs::write(it.join("guard.sh"), "#!/bin/sh\n").expect("written");
                },
                "is not what was signed",
            ),
            ("deleted", |it| fs::remove_file(it.join("guard.sh")).expect("removed"), "is gone"),
            ("open to all", |it| chmod(&it.join("guard.sh"), 0o777), "may be written by others"),
            ("made harmless", |it| chmod(&it.join("guard.sh"), 0o400), "may not be executed"),
            (
                "a link to the same text",
                |it| {
                    fs::rename(it.join("guard.sh"), it.join("../../guard.sh")).expect("moved");
                    symlink("../../guard.sh", it.join("guard.sh")).expect("a link");
                },
                "is not a regular file but",
            ),
            (
                "hooks.json edited",
                |it| {
                    chmod(&it.join("hooks.json"), 0o600);
                    fs::write(it.join("hooks.json"), "{}").expect("written");
                },
                "is not what was signed",
            ),
            ("no seal", |it| fs::remove_file(it.join("seal.json")).expect("removed"), "is gone"),
            ("the folder open to all", |it| chmod(it, 0o777), "may be written by others"),
        ];
        for (name, spoil, expected) in cases {
            let home = TempDir::new();
            let managed = installed(&home);
            spoil(&managed.current().expect("in force").folder);
            let found = managed.tampered();
            assert_eq!(found.len(), 1, "{name}: {found:?}");
            assert!(found[0].fault.to_string().contains(expected), "{name}: {found:?}");
            managed.install(&Made::of(1, &[("guard.sh", GUARD)]).offer(1)).expect("mended");
            assert_eq!(managed.tampered(), [], "{name}");
        }
    }

    #[test]
    fn links_in_the_way_are_not_followed() {
        let home = TempDir::new();
        let elsewhere = home.path().join("elsewhere");
        fs::create_dir_all(&elsewhere).expect("a folder");
        fs::create_dir_all(home.path().join(".cursor/managed")).expect("folders");
        symlink(&elsewhere, home.path().join(".cursor/managed/team_5")).expect("a link");
        let managed = Managed::of(home.path(), 5);
        assert_eq!(managed.claim(&marker(5)).expect_err("a link").code(), "foreign");
        let six = Managed::of(home.path(), 6);
        six.claim(&marker(6)).expect("claimed");
        fs::remove_dir(six.folder().join("generations")).expect("empty");
        symlink(&elsewhere, six.folder().join("generations")).expect("a link");
        assert_eq!(six.install(&Made::of(1, &[]).offer(1)).expect_err("a link").code(), "foreign");
        assert_eq!(names(&elsewhere), [] as [String; 0]);

        // The link leads where we put it, or nowhere.
        let home = TempDir::new();
        let managed = installed(&home);
        fs::remove_file(managed.folder().join("hooks")).expect("removed");
        symlink("../../../elsewhere", managed.folder().join("hooks")).expect("a link");
        assert_eq!(managed.current(), None);
    }

    #[test]
    fn the_users_own_links_to_the_managed_folder_are_followed() {
        let home = TempDir::new();
        fs::create_dir_all(home.path().join("dotfiles/managed")).expect("folders");
        fs::create_dir_all(home.path().join(".cursor")).expect("a folder");
        symlink("../dotfiles/managed", home.path().join(".cursor/managed")).expect("a link");
        assert_eq!(installed(&home).tampered(), []);
        chmod(&home.path().join("dotfiles/managed"), 0o777);
        let error = Managed::of(home.path(), 7).claim(&marker(7)).expect_err("open to all");
        assert_eq!(error.code(), "foreign");
    }
}
