use std::fs;
use std::time::{Duration, Instant};

use super::*;
use crate::testing::TempDir;

#[test]
fn bytes_and_stamp_belong_together() {
    let dir = TempDir::new();
    let path = dir.write("hooks.json", "{}");
    let first = read(&path, CONFIG_LIMIT, Owner::UserOrRoot).expect("a plain file");
    assert_eq!(first.bytes, b"{}");
    assert_eq!(first.stamp.size, 2);
    assert_eq!(facts(&path).map(|facts| facts.stamp), Some(first.stamp));

    fs::write(&path, "{ }").expect("written");
    assert_ne!(facts(&path).map(|facts| facts.stamp), Some(first.stamp));
}

#[test]
fn what_is_not_there_is_absent() {
    let dir = TempDir::new();
    dir.write("file", "");
    for name in ["nothing", "no/such/directory", "file/below-a-file"] {
        let error = read(&dir.path().join(name), CONFIG_LIMIT, Owner::Anybody).expect_err(name);
        assert!(matches!(error, ReadError::Absent), "{name}: {error}");
    }
}

/// A busy machine is not busy five times in a row.
fn shortest_of_five(work: impl Fn()) -> Duration {
    let took = (0..5).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    took.min().unwrap_or_default()
}

/// C01 and C02: neither waits, neither reads anything.
#[cfg(target_os = "linux")]
#[test]
fn c01_c02_what_is_not_a_regular_file_is_refused_at_once() {
    let dir = TempDir::new();
    let pipe = dir.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o644),
        0,
    )
    .expect("a pipe");
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("/dev/zero", &link).expect("a link");
    let cases = [
        (pipe, "a pipe"),
        (socket, "a socket"),
        (dir.path().to_owned(), "a directory"),
        ("/dev/zero".into(), "a device"),
        (link, "a device"),
    ];
    for (path, what) in cases {
        let took = shortest_of_five(|| {
            for error in [
                read(&path, CONFIG_LIMIT, Owner::Anybody).expect_err(what),
                hash(&path, SCRIPT_LIMIT, Links::Followed).expect_err(what),
            ] {
                assert_eq!(error.to_string(), format!("not a regular file but {what}"));
            }
        });
        assert!(took < Duration::from_millis(50), "{what} took {took:?}");
    }
}

/// C07: the size is looked at before a byte is read.
#[test]
fn c07_a_file_above_the_limit_is_refused() {
    let dir = TempDir::new();
    let fits = dir.write("fits", vec![b' '; CONFIG_LIMIT as usize]);
    assert_eq!(read(&fits, CONFIG_LIMIT, Owner::Anybody).expect("fits").bytes.len() as u64, CONFIG_LIMIT);

    let over = dir.write("over", vec![b' '; CONFIG_LIMIT as usize + 1]);
    let huge = dir.write("huge", "");
    fs::File::options().write(true).open(&huge).expect("opened").set_len(2 << 30).expect("a sparse file");
    for path in [over, huge] {
        let took = shortest_of_five(|| {
            let error = read(&path, CONFIG_LIMIT, Owner::Anybody).expect_err("too large");
            assert!(matches!(error, ReadError::TooLarge(CONFIG_LIMIT)), "{error}");
        });
        assert!(took < Duration::from_millis(50), "{took:?}");
    }
}

#[test]
fn a_small_file_is_kept_and_a_large_one_only_hashed() {
    let dir = TempDir::new();
    for (size, kept) in [(0, true), (KEPT_LIMIT, true), (KEPT_LIMIT + 1, false)] {
        let bytes = vec![b'x'; size as usize];
        let hashed = hash(&dir.write("script", &bytes), SCRIPT_LIMIT, Links::Followed).expect("a plain file");
        assert_eq!(hashed.sha256, Digest::of(&bytes), "{size}");
        assert_eq!(hashed.bytes.is_some(), kept, "{size}");
    }
}

/// C13: whose file it is, and who may change it.
#[test]
fn c13_a_file_that_others_control_is_refused() {
    use Owner::*;
    let stamp = Stamp { device: 0, inode: 0, size: 0, modified: 0, changed: 0 };
    let facts = |uid, gid, mode| Facts { kind: Kind::File, mode, uid, gid, links: 1, stamp };
    let cases = [
        ("the user's own", facts(1000, 1000, 0o644), UserOrRoot, None),
        ("the user's own, shared with a group", facts(1000, 100, 0o664), UserOrRoot, None),
        ("root's", facts(0, 0, 0o644), UserOrRoot, None),
        ("another user's", facts(1001, 1001, 0o644), UserOrRoot, Some("owned by another user (uid 1001)")),
        ("writable by all", facts(1000, 1000, 0o666), UserOrRoot, Some("writable by everybody")),
        ("anybody's will do", facts(1001, 1001, 0o777), Anybody, None),
        ("the machine's", facts(0, 0, 0o644), Root, None),
        ("the machine's, root's group may write", facts(0, 0, 0o664), Root, None),
        ("the machine's, another group may write", facts(0, 80, 0o664), Root, Some("writable by its group")),
        ("the machine's, all may write", facts(0, 0, 0o646), Root, Some("writable by everybody")),
        (
            "the user's in the machine's place",
            facts(1000, 0, 0o644),
            Root,
            Some("owned by another user (uid 1000)"),
        ),
    ];
    for (name, facts, owner, expected) in cases {
        let error = check_owner(&facts, owner, || 1000).err();
        assert_eq!(error.as_ref().map(ToString::to_string).as_deref(), expected, "{name}");
        assert_eq!(error.is_some(), error.and_then(|error| error.help(Path::new("F"))).is_some(), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn c13_a_file_that_everybody_may_write_says_how_to_mend_it() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new();
    let path = dir.write("hooks.json", "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o646)).expect("permissions");
    let error = read(&path, CONFIG_LIMIT, Owner::UserOrRoot).expect_err("refused");
    assert_eq!(error.help(&path), Some(format!("`chmod o-w {}`", path.display())));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_a_link_to_nothing_is_no_silence() {
    let dir = TempDir::new();
    dir.write("real.json", "{}");
    for (target, expected) in
        [("real.json", None), ("gone.json", Some("a symbolic link to a file that does not exist"))]
    {
        let link = dir.path().join(format!("to-{target}"));
        std::os::unix::fs::symlink(target, &link).expect("a link");
        let error = read(&link, CONFIG_LIMIT, Owner::Anybody).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), expected, "{target}");
        let refused = hash(&link, SCRIPT_LIMIT, Links::Refused).expect_err(target);
        assert!(matches!(refused, ReadError::NotRegular(Kind::Link)), "{target}: {refused}");
    }
}

#[test]
fn a_young_file_is_never_taken_for_unchanged() {
    let stamp = |changed| Stamp { device: 1, inode: 2, size: 3, modified: 0, changed };
    let second = 1_000_000_000;
    let cases = [
        ("long ago", 0, 10 * second, false),
        ("two seconds ago", 8 * second, 10 * second, false),
        ("just now", 9 * second, 10 * second, true),
        ("in the future", 11 * second, 10 * second, true),
        ("at the end of time", i64::MAX, 10 * second, true),
    ];
    for (name, changed, now, young) in cases {
        assert_eq!(stamp(changed).is_young(now), young, "{name}");
    }
    let dir = TempDir::new();
    // A busy machine is not so slow five times in a row that it is settled.
    let is_doubted = |_| {
        let path = dir.write("script", "x");
        !Glimpse::at(&path).holds(&path)
    };
    assert!((0..5).any(is_doubted), "it was just written");
    assert!(Glimpse::at(&dir.path().join("none")).holds(&dir.path().join("none")), "nothing is not young");
}

/// C04: whichever of two files a name leads to, the hash is that of the bytes.
#[cfg(unix)]
#[test]
fn c04_the_stamp_and_hash_belong_to_the_bytes_while_the_name_is_swapped() {
    let dir = TempDir::new();
    let texts = [vec![b'a'; 5000], vec![b'b'; 7000]];
    dir.write("0", &texts[0]);
    dir.write("1", &texts[1]);
    let name = dir.path().join("hooks.json");
    std::os::unix::fs::symlink("0", &name).expect("a link");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                if stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return;
                }
                let fresh = dir.path().join("fresh");
                std::os::unix::fs::symlink(if turn % 2 == 0 { "1" } else { "0" }, &fresh).expect("a link");
                fs::rename(&fresh, &name).expect("swapped");
            }
        });
        for _ in 0..2000 {
            let hashed = hash(&name, SCRIPT_LIMIT, Links::Followed).expect("one of the two");
            let bytes = hashed.bytes.expect("small");
            assert!(texts.contains(&bytes));
            assert_eq!(hashed.sha256, Digest::of(&bytes));
            assert_eq!(hashed.stamp.size, bytes.len() as u64);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
