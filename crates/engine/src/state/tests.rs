use std::fs;

use super::*;
use crate::testing::TempDir;

fn append(state: &StateDir, folder: &str) -> Result<File, StateError> {
    state.open_folder(folder)?.append("log")
}

fn state(dir: &TempDir) -> StateDir {
    StateDir::new(dir.path().join("below/state"))
}

#[test]
fn what_was_written_is_read_and_nothing_is_made_by_looking() {
    let dir = TempDir::new();
    let state = state(&dir);
    assert!(state.read("trust", "a").expect("nothing there").is_none());
    assert!(state.names("trust").expect("nothing there").is_empty());
    assert!(!state.remove("trust", "a").expect("nothing there"));
    assert!(state.check().is_ok());
    assert!(!state.path().exists(), "looking makes no directory");

    state.write("trust/blobs", "b", b"deep", Durability::Relaxed).expect("written");
    state.write("trust", "a", b"one", Durability::Synced).expect("written");
    state.write("trust", "a", b"two", Durability::Synced).expect("replaced");
    append(&state, "").expect("made").write_all(b"x").expect("appended");
    append(&state, "").expect("opened").write_all(b"y").expect("appended");
    assert_eq!(state.read("trust", "a").expect("read").as_deref(), Some(&b"two"[..]));
    assert_eq!(state.read("trust/blobs", "b").expect("read").as_deref(), Some(&b"deep"[..]));
    assert_eq!(state.read("", "log").expect("read").as_deref(), Some(&b"xy"[..]));
    assert_eq!(state.names("trust").expect("listed"), ["a", "blobs"]);
    assert!(state.remove("trust", "a").expect("removed"));
    assert!(state.read("trust", "a").expect("gone").is_none());
}

/// C22: any damage is noticed.
#[test]
fn c22_a_sealed_file_notices_every_damage() {
    let dir = TempDir::new();
    let state = state(&dir);
    state.write_sealed("", "record", b"{\"trusted\": true}", Durability::Synced).expect("written");
    let path = state.file("", "record");
    let whole = fs::read(&path).expect("read");
    assert_eq!(state.read_sealed("", "record").expect("whole").as_deref(), Some(&b"{\"trusted\": true}"[..]));

    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).expect("cut off");
        assert!(matches!(state.read_sealed("", "record"), Err(StateError::Damaged(_))), "cut at {length}");
    }
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &flipped).expect("flipped");
        match state.read_sealed("", "record") {
            // Digits of the checksum are read in either case.
            Ok(body) => assert_eq!(body.as_deref(), Some(&b"{\"trusted\": true}"[..]), "bit {bit}"),
            Err(error) => assert!(matches!(error, StateError::Damaged(_)), "bit {bit}: {error}"),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::read_file::our_uid;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it exists").permissions().mode() & 0o7777
    }

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }

    #[test]
    fn directories_and_files_are_private() {
        let dir = TempDir::new();
        let state = state(&dir);
        state.write("trust", "a", b"", Durability::Relaxed).expect("written");
        append(&state, "").expect("made");
        assert_eq!(mode(state.path()), 0o700);
        assert_eq!(mode(&state.path().join("trust")), 0o700);
        assert_eq!(mode(&state.file("trust", "a")), 0o600);
        assert_eq!(mode(&state.file("", "log")), 0o600);
    }

    /// E04: what others could have prepared is refused, with the reason.
    #[test]
    fn e04_a_directory_that_is_not_ours_alone_is_refused() {
        type Spoil = fn(&StateDir);
        let cases: [(&str, Spoil, &str); 6] = [
            ("a link to a directory", |s| link_away(s.path()), "is a symbolic link"),
            (
                "a link to nothing",
                |s| symlink("nowhere", fresh(s.path())).expect("a link"),
                "is a symbolic link",
            ),
            ("a file", |s| fs::write(fresh(s.path()), "").expect("a file"), "is not a directory"),
            ("open to all", |s| chmod(s.path(), 0o777), "is writable by others (mode 0777)"),
            ("open to the group", |s| chmod(s.path(), 0o770), "is writable by others (mode 0770)"),
            ("a linked folder inside", |s| link_away(&s.path().join("trust")), "is a symbolic link"),
        ];
        for (name, spoil, expected) in cases {
            let dir = TempDir::new();
            let state = state(&dir);
            state.write("trust", "a", b"planted", Durability::Relaxed).expect("written");
            spoil(&state);
            for error in [
                state.read("trust", "a").expect_err(name),
                state.write("trust", "a", b"", Durability::Relaxed).expect_err(name),
                append(&state, "trust").expect_err(name),
                state.remove("trust", "a").expect_err(name),
                state.names("trust").expect_err(name),
            ] {
                assert!(error.to_string().contains(expected), "{name}: {error}");
            }
        }
    }

    fn fresh(path: &Path) -> &Path {
        fs::rename(path, path.with_extension("old")).expect("moved away");
        path
    }

    fn link_away(path: &Path) {
        symlink(path.with_extension("old"), fresh(path)).expect("a link");
    }

    #[test]
    fn a_file_that_is_not_ours_alone_is_refused() {
        let dir = TempDir::new();
        let state = state(&dir);
        state.write("trust", "a", b"x", Durability::Relaxed).expect("written");
        chmod(&state.file("trust", "a"), 0o606);
        let error = state.read("trust", "a").expect_err("writable by others");
        assert!(error.to_string().contains("is writable by others (mode 0606)"), "{error}");

        let target = dir.write("target", "mine");
        symlink(&target, state.file("trust", "b")).expect("a link");
        symlink(&target, state.file("", "log")).expect("a link");
        assert!(matches!(state.read("trust", "b"), Err(StateError::Link(_))));
        assert!(matches!(append(&state, ""), Err(StateError::Link(_))));
        state.write("trust", "b", b"new", Durability::Relaxed).expect("the link is replaced, not followed");
        assert_eq!(fs::read(&target).expect("read"), b"mine");
    }

    #[test]
    fn another_users_directory_is_refused() {
        let dir = TempDir::new();
        let (state, owner) = if our_uid() == 0 {
            let state = state(&dir);
            state.write("", "a", b"x", Durability::Relaxed).expect("written");
            std::os::unix::fs::chown(state.path(), Some(4242), None).expect("given away");
            (state, 4242)
        } else {
            (StateDir::new("/usr"), 0)
        };
        let error = state.read("", "a").expect_err("not ours");
        assert!(error.to_string().contains(&format!("owned by another user (uid {owner})")), "{error}");
    }

    #[test]
    fn one_holds_a_folder_at_a_time() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let dir = TempDir::new();
        let state = state(&dir);
        let first = state.lock("trust").expect("held");
        let released = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _second = state.lock("trust").expect("held");
                assert!(released.load(Ordering::SeqCst), "both hold it");
            });
            std::thread::sleep(std::time::Duration::from_millis(50));
            released.store(true, Ordering::SeqCst);
            drop(first);
        });
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_rest() {
        let dir = TempDir::new();
        let state = state(&dir);
        state.write("", "a", b"old", Durability::Relaxed).expect("written");
        fs::create_dir(state.file("", "taken")).expect("a directory");
        assert!(matches!(state.write("", "taken", b"new", Durability::Relaxed), Err(StateError::Io(..))));
        let mut left: Vec<_> =
            fs::read_dir(state.path()).expect("listed").map(|e| e.expect("entry").file_name()).collect();
        left.sort();
        assert_eq!(left, ["a", "taken"]);
    }
}

#[test]
fn what_a_killed_writer_left_is_removed_and_nothing_else() {
    let dir = TempDir::new();
    let state = state(&dir);
    let put = |name: &str| state.write("a", name, b"x", Durability::Relaxed).expect("written");
    let (left, of_another) = (unfinished("ours.json"), unfinished("theirs.json"));
    let others = [
        "ours.json",
        "theirs.json",
        &of_another,
        ".ours.json",
        ".ours.json.1f",
        ".ours.json.ghijghijghijghij",
    ];
    for name in others.into_iter().chain([left.as_str()]) {
        put(name);
    }
    state.forget_unfinished("a", |name| name == "ours.json");
    assert!(!state.file("a", &left).exists());
    for name in others {
        assert!(state.file("a", name).exists(), "{name}");
    }
    state.forget_unfinished("nowhere", |_| true);
    assert!(!state.file("nowhere", "").exists());
}

#[test]
fn names_of_unfinished_files_cannot_be_guessed() {
    let names: std::collections::HashSet<u64> = (0..1000).map(|_| unpredictable()).collect();
    assert_eq!(names.len(), 1000);
}
