//! Each case lays out real files, waits until they are settled, and changes one thing.

use std::fs;
use std::time::Duration;

use super::*;
use crate::testing::TempDir;

/// Longer than a folder counts as just changed.
const SETTLING: Duration = Duration::from_millis(2100);

/// A path with nothing at it, and how something comes to be there.
#[cfg(unix)]
struct Case {
    name: &'static str,
    path: &'static str,
    appear: fn(&Path),
}

/// Asks for one event after another, so that every search for a witness has its turn.
fn asked_often(looked: &mut Looked, folders: &mut Folders) -> bool {
    (0..=SEARCH_EVERY).all(|_| {
        folders.next_event();
        looked.holds(folders)
    })
}

fn is_spoken_for(looked: &Looked, folders: &Folders) -> bool {
    looked.witness.is_some_and(|witness| folders.is_there(witness))
}

/// What was found in a new folder. Where a busy machine was so slow that it was
/// settled meanwhile, another one is looked at.
fn in_a_new_folder<T>(look: impl Fn(&Path) -> T) -> (TempDir, T) {
    let tries = (0..5).map(|_| {
        let dir = TempDir::new();
        let found = look(dir.path());
        (dir, found)
    });
    tries.into_iter().find(|(dir, _)| Glimpse::at(dir.path()).young).expect("one that is still new")
}

fn write(path: &Path) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, "{}").expect("written");
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) {
    std::os::unix::fs::symlink(target, path).expect("linked");
}

/// `full` stands beside what changes, with the same names and a file in it.
#[cfg(unix)]
const CASES: &[Case] = &[
    Case { name: "a file is made", path: "ws/hooks.json", appear: |top| write(&top.join("ws/hooks.json")) },
    Case { name: "and the folders above it", path: "ws/a/b/c", appear: |top| write(&top.join("ws/a/b/c")) },
    Case {
        name: "a folder is moved there with what it holds",
        path: "ws/a/hooks.json",
        appear: |top| fs::rename(top.join("full"), top.join("ws/a")).expect("moved"),
    },
    Case {
        name: "the folder is replaced by one that has it",
        path: "ws/hooks.json",
        appear: |top| {
            fs::rename(top.join("ws"), top.join("before")).expect("moved");
            fs::rename(top.join("full"), top.join("ws")).expect("moved");
        },
    },
    Case {
        name: "a second name is given to a file",
        path: "ws/hooks.json",
        appear: |top| fs::hard_link(top.join("full/hooks.json"), top.join("ws/hooks.json")).expect("linked"),
    },
    Case {
        name: "a link is made",
        path: "ws/hooks.json",
        appear: |top| link(&top.join("full/hooks.json"), &top.join("ws/hooks.json")),
    },
    Case {
        name: "a folder above becomes a link",
        path: "ws/a/hooks.json",
        appear: |top| link(&top.join("full"), &top.join("ws/a")),
    },
    Case {
        name: "a link above leads elsewhere",
        path: "turned/hooks.json",
        appear: |top| {
            fs::remove_file(top.join("turned")).expect("removed");
            link(&top.join("full"), &top.join("turned"));
        },
    },
    Case {
        name: "what a link above leads to gets it",
        path: "turned/hooks.json",
        appear: |top| write(&top.join("empty/hooks.json")),
    },
    Case {
        name: "what a link to nothing leads to appears",
        path: "ws/dangling",
        appear: |top| write(&top.join("elsewhere/missing")),
    },
    Case {
        name: "the folder that a link to nothing leads to appears",
        path: "ws/dangling/hooks.json",
        appear: |top| write(&top.join("elsewhere/missing/hooks.json")),
    },
];

#[cfg(unix)]
fn laid_out(dir: &TempDir, number: usize) -> PathBuf {
    let top = dir.path().join(number.to_string());
    write(&top.join("full/hooks.json"));
    for name in ["ws", "empty", "elsewhere"] {
        fs::create_dir(top.join(name)).expect("made");
    }
    link(&top.join("empty"), &top.join("turned"));
    link(&top.join("elsewhere/missing"), &top.join("ws/dangling"));
    top
}

#[cfg(unix)]
#[test]
fn nothing_appears_unseen_where_a_folder_speaks_for_what_is_not_there() {
    let dir = TempDir::new();
    let tops: Vec<PathBuf> = (0..CASES.len()).map(|number| laid_out(&dir, number)).collect();
    std::thread::sleep(SETTLING);
    for (Case { name, path, appear }, top) in CASES.iter().zip(&tops) {
        let mut folders = Folders::default();
        let mut looked = Looked::at(top.join(path));
        assert!(asked_often(&mut looked, &mut folders), "{name}: nothing changed");
        // Of what a link to nothing leads to, the folder with the link knows nothing.
        let knows = os::folder_tells(top) && !path.contains("dangling");
        assert_eq!(is_spoken_for(&looked, &folders), knows, "{name}");
        appear(top);
        folders.next_event();
        assert!(!looked.holds(&mut folders), "{name}: not seen");
    }
}

#[test]
fn a_folder_that_just_changed_says_nothing_and_a_settled_one_speaks_for_all() {
    let below = ["a/hooks.json", "b/hooks.json", "c"];
    let (dir, found) = in_a_new_folder(|dir| {
        let mut folders = Folders::default();
        below.map(|name| {
            let mut one = Looked::at(dir.join(name));
            assert!(asked_often(&mut one, &mut folders));
            (is_spoken_for(&one, &folders), one.witness.is_some())
        })
    });
    assert_eq!(
        found.map(|(spoken_for, _)| spoken_for),
        [false; 3],
        "it may change again with the same times"
    );
    assert_eq!(found.map(|(_, has_witness)| has_witness), [true, true, false]);
    std::thread::sleep(SETTLING);
    let mut folders = Folders::default();
    let mut looked = below.map(|name| Looked::at(dir.path().join(name)));
    for one in &mut looked {
        assert!(asked_often(one, &mut folders));
        assert_eq!(is_spoken_for(one, &folders), os::folder_tells(dir.path()));
    }
    assert!(folders.known.len() == 1 || !os::folder_tells(dir.path()), "{folders:?}");
}

/// A witness for as long as there is none better.
#[test]
fn a_missing_folder_gives_way_to_the_one_above_it_once_that_is_settled() {
    let (dir, (mut looked, mut folders)) = in_a_new_folder(|dir| {
        let (mut looked, mut folders) = (Looked::at(dir.join("a/hooks.json")), Folders::default());
        assert!(asked_often(&mut looked, &mut folders) && looked.witness.is_some());
        (looked, folders)
    });
    assert!(!is_spoken_for(&looked, &folders));
    std::thread::sleep(SETTLING);
    assert!(asked_often(&mut looked, &mut folders));
    assert_eq!(is_spoken_for(&looked, &folders), os::folder_tells(dir.path()));
    // Another change of the folder is no news of the path, and costs it the witness.
    // A busy machine is not so slow five times in a row that it is settled again.
    let costs_it = |number: usize| {
        fs::write(dir.path().join(format!("other{number}")), "").expect("written");
        assert!(asked_often(&mut looked, &mut folders));
        !is_spoken_for(&looked, &folders)
    };
    assert!((0..5).any(costs_it));
    write(&dir.path().join("a/hooks.json"));
    folders.next_event();
    assert!(!looked.holds(&mut folders));
}

#[test]
fn a_folder_that_is_a_witness_is_not_looked_at_for_itself_as_well() {
    let dir = TempDir::new();
    std::thread::sleep(SETTLING);
    let mut folders = Folders::default();
    let mut itself = Looked::at(dir.path().to_owned());
    let mut below = Looked::at(dir.path().join("hooks.json"));
    for _ in 0..2 {
        assert!(asked_often(&mut itself, &mut folders) && asked_often(&mut below, &mut folders));
    }
    assert_eq!(is_spoken_for(&itself, &folders), os::folder_tells(dir.path()));
    write(&dir.path().join("hooks.json"));
    folders.next_event();
    assert!(!itself.holds(&mut folders) && !below.holds(&mut folders));
}

/// What a folder is now is no answer to whoever knew it before.
#[test]
fn a_folder_that_is_known_anew_speaks_for_those_alone_who_asked_since() {
    let dir = TempDir::new();
    std::thread::sleep(SETTLING);
    let mut folders = Folders::default();
    let [mut one, mut other] = ["one", "other"].map(|name| Looked::at(dir.path().join(name)));
    assert!(asked_often(&mut one, &mut folders) && asked_often(&mut other, &mut folders));
    write(&dir.path().join("one"));
    std::thread::sleep(SETTLING);
    assert!(asked_often(&mut other, &mut folders));
    assert_eq!(is_spoken_for(&other, &folders), os::folder_tells(dir.path()));
    assert!(!one.holds(&mut folders));
}

#[test]
fn what_is_there_is_looked_at_itself() {
    let dir = TempDir::new();
    let file = dir.write("hooks.json", "{}");
    std::thread::sleep(SETTLING);
    let mut folders = Folders::default();
    let mut looked = Looked::at(file.clone());
    assert!(asked_often(&mut looked, &mut folders) && looked.witness.is_none());
    fs::write(&file, "{ }").expect("written in place: its folder does not change");
    folders.next_event();
    assert!(!looked.holds(&mut folders));
}
