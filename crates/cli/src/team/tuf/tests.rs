//! What is too many cases for a process each.

use std::cell::RefCell;
use std::collections::BTreeMap;

use boathook_engine::digest::Digest;

use super::*;

#[path = "../../../tests/all/team_client/repository.rs"]
mod repository;

use repository::{Edition, Files};

/// A shelf in memory.
#[derive(Debug, Default, Clone)]
struct Memory(BTreeMap<String, Vec<u8>>);

impl Shelf for Memory {
    fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.0.get(name).cloned()
    }

    fn put(&mut self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        self.0.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }
}

/// Serves files, one of them cut off or changed.
struct Mirror {
    files: Files,
    asked: RefCell<Vec<String>>,
}

impl Source for Mirror {
    fn fetch(&self, name: &str, limit: u64, _: Option<&str>) -> Result<Fetched, Refusal> {
        self.asked.borrow_mut().push(name.to_owned());
        let missing = || Refusal::new("missing", name);
        let bytes = self.files.get(name).cloned().ok_or_else(missing)?;
        if bytes.len() as u64 > limit {
            return Err(Refusal::new("too_large", name));
        }
        Ok(Fetched::File { bytes, etag: None, announced: false })
    }
}

fn ask(files: &Files, shelf: &mut Memory) -> Result<Verified, Refusal> {
    let mirror = Mirror { files: files.clone(), asked: RefCell::default() };
    refresh(&mirror, shelf, &first(), Time::now())
}

/// The first root of every edition here.
fn first() -> Pin {
    Pin { version: 1, fingerprint: Digest::parse(&Edition::number(1).fingerprint()).expect("a digest") }
}

/// The four files that are signed, of an edition with two roots.
fn signed() -> (Files, [&'static str; 4]) {
    let edition =
        Edition::number(2).roots(vec![repository::RootSpec::plain(1), repository::RootSpec::plain(2)]);
    (edition.files(), ["2.root.json", "timestamp.json", "2.snapshot.json", "2.targets.json"])
}

fn after_the_first() -> Memory {
    let mut shelf = Memory::default();
    ask(&Edition::number(1).files(), &mut shelf).expect("the first edition");
    shelf
}

#[test]
fn s01_a_file_that_is_cut_off_at_any_byte_is_truncated() {
    let (files, names) = signed();
    let before = after_the_first();
    for name in names {
        for end in 1..files[name].len() {
            let mut files = files.clone();
            files.entry(name.to_owned()).and_modify(|bytes| bytes.truncate(end));
            let code = ask(&files, &mut before.clone()).map_err(|refusal| refusal.code);
            assert_eq!(code, Err("truncated".to_owned()), "{name} cut off at {end}");
        }
    }
}

#[test]
fn a_file_with_a_bit_turned_is_refused() {
    let (files, names) = signed();
    let before = after_the_first();
    for name in names {
        for at in (0..files[name].len()).step_by(3) {
            let mut files = files.clone();
            // The lowest bit: a higher one may be the case of a hexadecimal digit.
            files.entry(name.to_owned()).and_modify(|bytes| bytes[at] ^= 1);
            assert!(ask(&files, &mut before.clone()).is_err(), "{name}: a bit of byte {at} was turned");
        }
    }
}

#[test]
fn what_is_kept_is_verified_again() {
    let (files, _) = signed();
    let mut whole = after_the_first();
    let known = ask(&files, &mut whole).expect("the second edition");
    for name in ["1.root.json", "2.root.json", "timestamp.json", "snapshot.json", "targets.json"] {
        for damage in [&b""[..], b"{}", b"{\"signed\":{},\"signatures\":[]}"] {
            let mut shelf = whole.clone();
            shelf.0.insert(name.to_owned(), damage.to_vec());
            assert_eq!(ask(&files, &mut shelf).as_ref(), Ok(&known), "{name} was {damage:?}");
            assert_eq!(shelf.get(name), whole.get(name), "{name} was {damage:?} and is whole again");
        }
    }
}

#[test]
fn what_is_known_is_not_asked_for_again() {
    let (files, _) = signed();
    let mut shelf = after_the_first();
    ask(&files, &mut shelf).expect("the second edition");
    let mirror = Mirror { files, asked: RefCell::default() };
    refresh(&mirror, &mut shelf, &first(), Time::now()).expect("the same again");
    assert_eq!(*mirror.asked.borrow(), ["3.root.json", "timestamp.json"]);
}

/// A thief of the keys of before shows the world as it was: without the roots
/// that came after, all signed with what they replaced.
#[test]
fn a_later_root_is_pinned_and_those_before_it_decide_nothing() {
    let taken = repository::RootSpec {
        root: (vec![21], 1),
        targets: (vec![22], 1),
        signed_by: vec![1, 21],
        ..repository::RootSpec::plain(2)
    };
    let honest = Edition::number(2)
        .roots(vec![repository::RootSpec::plain(1), taken])
        .with(|edition| edition.targets.signed_by = vec![22])
        .files();
    let pin = Pin { version: 2, fingerprint: Digest::of(&honest["2.root.json"]) };
    let of_before = Edition::number(3).files();
    let mut with_the_root = of_before.clone();
    with_the_root.insert("2.root.json".to_owned(), honest["2.root.json"].clone());
    let mut another = of_before.clone();
    another.insert("2.root.json".to_owned(), repository::RootSpec::plain(2).write(*repository::START));
    let cases = [
        ("the team's", &honest, None),
        ("the old world", &of_before, Some("missing")),
        ("the old world below the pinned root", &with_the_root, Some("wrong_key")),
        ("another root of that version", &another, Some("fingerprint")),
    ];
    for (name, files, code) in cases {
        let mirror = Mirror { files: files.clone(), asked: RefCell::default() };
        let found = refresh(&mirror, &mut Memory::default(), &pin, Time::now());
        assert_eq!(found.err().map(|refusal| refusal.code).as_deref(), code, "{name}");
        assert!(!mirror.asked.borrow().contains(&"1.root.json".to_owned()), "{name}");
    }
}
