//! A file that cannot be read keeps the hooks of its last good copy.

use std::time::{Duration, Instant};

use super::*;
use crate::read_file::{self, Stamp};
use crate::trust::Looking;

#[cfg(unix)]
type Breakage = fn(&Path);

/// Breaks a file in each of the ways a file can be broken.
#[cfg(unix)]
const BREAKAGES: &[(&str, Breakage)] = &[
    ("half written", |file| fs::write(file, "{\"version\": 1, \"hooks\": {\"st").expect("written")),
    ("emptied", |file| fs::write(file, "").expect("written")),
    ("too large", |file| fs::write(file, vec![b' '; 2 << 20]).expect("written")),
    ("a directory", |file| {
        fs::remove_file(file).expect("removed");
        fs::create_dir(file).expect("a directory");
    }),
    ("a link to a device", |file| {
        fs::remove_file(file).expect("removed");
        std::os::unix::fs::symlink("/dev/zero", file).expect("a link");
    }),
    ("a link to nothing", |file| {
        fs::remove_file(file).expect("removed");
        std::os::unix::fs::symlink("nowhere", file).expect("a link");
    }),
    ("writable by everybody", |file| {
        use std::os::unix::fs::PermissionsExt;
        fs::write(file, hooks_json("stop", &["planted"])).expect("written");
        fs::set_permissions(file, fs::Permissions::from_mode(0o666)).expect("permissions");
    }),
];

/// C01, C02, C05, C07, C13: in one process.
#[cfg(unix)]
#[test]
fn c05_a_file_that_broke_keeps_its_hooks() {
    for (name, break_it) in BREAKAGES {
        let files = Files::new();
        let file = files.write("home/.cursor/hooks.json", &hooks_json("stop", &["guard"]));
        let mut loader = files.loader(LoadOptions::default());
        let workspaces = [files.path("ws")];
        assert_eq!(ready(&loader.hooks(&workspaces)), ["guard"], "{name}");
        break_it(&file);
        for _ in 0..2 {
            let set = loader.hooks(&workspaces);
            assert_eq!(ready(&set), ["guard"], "{name}");
            assert!(matches!(source_state(&set, Level::User), SourceState::LastGood(_)), "{name}");
            assert_eq!(codes(&set).last(), Some(&"last-good"), "{name}");
            assert!(set.problems.iter().all(|problem| problem.file.as_ref() == Some(&file)), "{name}");
        }
    }
}

/// The same, for a process that starts when the file is already broken.
#[cfg(unix)]
#[test]
fn c05_the_next_process_has_the_copy_of_the_one_before() {
    for (name, break_it) in BREAKAGES {
        let files = Files::new();
        let file = files.write("home/.cursor/hooks.json", &hooks_json("stop", &["guard"]));
        let mut before = files.loader(LoadOptions::default());
        before.hooks(&[files.path("ws")]);
        before.remember_good();
        break_it(&file);
        let set = files.load(LoadOptions::default());
        assert_eq!(ready(&set), ["guard"], "{name}");
        assert!(matches!(source_state(&set, Level::User), SourceState::LastGood(_)), "{name}");
    }
}

#[test]
fn without_a_copy_a_broken_file_has_no_hooks_and_says_so() {
    let files = Files::new();
    files.write("home/.cursor/hooks.json", "nonsense");
    let set = files.load(LoadOptions::default());
    assert!(set.hooks.is_empty());
    assert_eq!(codes(&set), ["syntax", "unreadable"]);
    assert!(matches!(source_state(&set, Level::User), SourceState::Unreadable(_)));
}

#[test]
fn a_copy_that_was_damaged_is_no_copy() {
    let files = Files::new();
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["guard"]));
    let mut before = files.loader(LoadOptions::default());
    before.hooks(&[files.path("ws")]);
    before.remember_good();
    let folder = files.path("state/last-good");
    let copy = fs::read_dir(&folder).expect("listed").next().expect("a copy").expect("an entry").path();
    let text = fs::read_to_string(&copy).expect("read").replace("guard", "gourd");
    fs::write(&copy, text).expect("damaged");
    files.write("home/.cursor/hooks.json", "nonsense");
    assert!(files.load(LoadOptions::default()).hooks.is_empty());
}

#[test]
fn a_file_that_is_gone_has_no_hooks_and_no_copy() {
    let files = Files::new();
    let file = files.write("home/.cursor/hooks.json", &hooks_json("stop", &["guard"]));
    let mut loader = files.loader(LoadOptions::default());
    loader.hooks(&[files.path("ws")]);
    loader.remember_good();
    loader.changes(Looking::Noting);
    fs::remove_file(&file).expect("removed");
    let mut next = files.loader(LoadOptions::default());
    assert!(next.hooks(&[files.path("ws")]).hooks.is_empty());
    next.remember_good();
    let reported: Vec<_> =
        next.changes(Looking::Noting).into_iter().map(|change| change.problem.code).collect();
    assert_eq!(reported, ["user-hooks-changed"]);
    files.write("home/.cursor/hooks.json", "nonsense");
    assert!(files.load(LoadOptions::default()).hooks.is_empty(), "what was removed does not come back");
}

/// C05: readers and a writer that rewrites in the worst way.
#[test]
fn c05_no_call_finds_zero_hooks_while_the_file_is_rewritten() {
    // One that is gone for more than 200 ms is gone. Where a busy machine took so
    // long, that says nothing.
    let in_time =
        (0..20).map(|_| fewest_while_rewritten()).find(|(_, gone)| *gone < Duration::from_millis(200));
    assert_eq!(in_time.map(|(fewest, _)| fewest), Some(1));
}

/// The fewest hooks that a call found, and how long the file was gone at most.
fn fewest_while_rewritten() -> (usize, Duration) {
    use std::sync::atomic::{AtomicBool, Ordering};
    let files = Files::new();
    let texts = [hooks_json("stop", &["first"]), hooks_json("stop", &["second guard"])];
    let file = files.write("home/.cursor/hooks.json", &texts[0]);
    let mut loader = files.loader(LoadOptions::default());
    loader.hooks(&[files.path("ws")]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut longest = Duration::ZERO;
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let begun = Instant::now();
                if turn % 3 == 0 {
                    fs::remove_file(&file).expect("removed");
                }
                // In two halves, the second one later.
                let text = &texts[turn % 2];
                fs::write(&file, &text[..20]).expect("half");
                longest = longest.max(begun.elapsed());
                std::thread::yield_now();
                fs::write(&file, text).expect("whole");
            }
            longest
        });
        let found = (0..500).map(|_| ready(&loader.hooks(&[files.path("ws")])).len());
        let fewest = found.min().unwrap_or_default();
        stop.store(true, Ordering::Relaxed);
        (fewest, writer.join().expect("it wrote"))
    })
}

#[test]
fn copies_are_private_and_written_only_when_they_differ() {
    let files = Files::new();
    files.write("root/etc/cursor/hooks.json", &hooks_json("stop", &["enterprise"]));
    files.write("ws/.cursor/hooks.json", &hooks_json("stop", &["project"]));
    let mut loader = files.loader(LoadOptions::default());
    loader.hooks(&[files.path("ws")]);
    loader.remember_good();
    let copies: Vec<_> = fs::read_dir(files.path("state/last-good")).expect("listed").collect();
    assert_eq!(copies.len(), 1, "a project's copy is kept by trust alone");
    let copy = copies[0].as_ref().expect("an entry").path();
    let stamp = stamp_of(&copy);
    std::thread::sleep(std::time::Duration::from_millis(30));
    loader.remember_good();
    assert_eq!(stamp, stamp_of(&copy));
}

fn stamp_of(path: &Path) -> Stamp {
    read_file::facts(path).expect("a file").stamp
}

#[test]
fn changes_of_the_users_hooks_are_news_until_somebody_was_told() {
    let files = Files::new();
    let config = files.write("home/.cursor/hooks.json", &hooks_json("stop", &["./hooks/guard.sh"]));
    let script = files.write("home/.cursor/hooks/guard.sh", "exit 0\n");
    let report = |looking: Looking, is_told: bool| {
        let mut loader = files.loader(LoadOptions::default());
        loader.hooks(&[files.path("ws")]);
        loader.remember_good();
        let changes = loader.changes(looking);
        if is_told {
            loader.told(&changes);
        }
        changes.iter().map(|change| (change.problem.message.clone(), change.is_fresh())).collect::<Vec<_>>()
    };
    let said = |what: &str, fresh: bool| vec![(format!("changed since they were last used: {what}"), fresh)];
    assert_eq!(report(Looking::Only, false), [], "a look alone leaves no note");
    fs::write(&script, "exit 0 # 1\n").expect("changed");
    assert_eq!(report(Looking::Noting, false), [], "the first time there is nothing to compare with");
    assert_eq!(report(Looking::Noting, false), []);
    fs::write(&script, "exit 1\n").expect("patched");
    let patched = format!("{} (changed)", script.display());
    assert_eq!(report(Looking::Only, false), said(&patched, true));
    assert_eq!(report(Looking::Noting, false), said(&patched, true));
    assert_eq!(report(Looking::Noting, false), said(&patched, false), "the log has it, nobody was told");
    fs::write(&script, "exit 3\n").expect("patched again");
    assert_eq!(report(Looking::Noting, true), said(&patched, true), "another change is news for the log");
    assert_eq!(report(Looking::Noting, false), []);
    fs::remove_file(&config).expect("removed");
    let gone = report(Looking::Noting, false);
    assert_eq!(gone.len(), 1, "{gone:?}");
    assert_eq!(report(Looking::Noting, true).len(), 1, "also a file that is gone is news until then");
    assert_eq!(report(Looking::Noting, false), []);
}
