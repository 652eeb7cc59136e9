//! Roots: who may sign, and how that changes.

use boathook_server::team::sign::metadata;
use serde_json::{Value, json};

use super::{after_the_first, each_role, first, next_root, refused, second};
use crate::team_client::follow;
use crate::team_client::repository::{DAY, Edition, RootSpec, key};

#[test]
fn s05_a_root_needs_the_old_keys_and_its_own() {
    let cases: [(&str, Vec<u8>, (Vec<u8>, u32), &str); 7] = [
        ("no signature", vec![], (vec![1], 1), "unsigned"),
        ("new keys alone", vec![2], (vec![2], 1), "wrong_key"),
        ("old keys alone", vec![1], (vec![2], 1), "wrong_key"),
        ("both", vec![1, 2], (vec![2], 1), "applied"),
        ("too few of its own", vec![1, 2], (vec![2, 3], 2), "threshold"),
        ("one twice", vec![1, 2, 2], (vec![2, 3], 2), "duplicate_signature"),
        ("enough of its own", vec![1, 2, 3], (vec![2, 3], 2), "applied"),
    ];
    for (name, signed_by, root, code) in cases {
        let edition = second().roots(next_root(|it| {
            it.signed_by = signed_by;
            it.root = root;
        }));
        let word = if code == "applied" { "v2" } else { "v1" };
        after_the_first(name, vec![(edition.files(), code, word)]);
    }
}

#[test]
fn one_key_with_two_names_is_one_key() {
    fn twice(signed: &mut Value) {
        let id = key(13).public().id();
        signed["keys"]["another name"] = signed["keys"][&id].clone();
        signed["roles"]["timestamp"] = json!({ "keyids": [id, "another name"], "threshold": 2 });
    }
    refused("a root", &second().roots(next_root(|root| root.edit = twice)), "duplicate_signature");
}

#[test]
fn names_of_keys_are_the_repositorys_own_business() {
    // Keys for every role, so that the signatures of this edition carry odd names.
    for odd in ["x", "ключ", "00", "a key with spaces"] {
        let mut edition = second();
        edition.roots = next_root(|root| root.timestamp = (vec![13, 14], 1));
        let mut files = edition.files();
        let mut root: Value = serde_json::from_slice(&files["2.root.json"]).expect("JSON");
        let id = key(13).public().id();
        let moved = root["signed"]["keys"].as_object_mut().and_then(|keys| keys.remove(&id)).expect("a key");
        root["signed"]["keys"][odd] = moved;
        root["signed"]["roles"]["timestamp"]["keyids"] = json!([odd, key(14).public().id()]);
        let bytes = metadata::sign(&root["signed"], &[&key(1)]);
        files.insert("2.root.json".into(), bytes);
        let text = String::from_utf8(files["timestamp.json"].clone()).expect("text");
        files.insert("timestamp.json".into(), text.replace(&id, odd).into_bytes());
        after_the_first(odd, vec![(files, "applied", "v2")]);
    }
}

#[test]
fn keys_are_rotated_by_a_root() {
    for (role, sign, may, own) in each_role() {
        let rotated = |signer: u8| {
            let mut edition = second();
            sign(&mut edition, vec![signer]);
            edition.roots(next_root(|root| may(root, (vec![60], 1))))
        };
        after_the_first(&format!("{role}: the new key"), vec![(rotated(60).files(), "applied", "v2")]);
        after_the_first(&format!("{role}: the old key"), vec![(rotated(own).files(), "wrong_key", "v1")]);
    }
}

#[test]
fn a_threshold_is_raised_and_lowered_by_a_root() {
    let raised = |number: u64, signed_by: Vec<u8>| {
        Edition::number(number)
            .roots(next_root(|root| root.targets = (vec![11, 61], 2)))
            .with(|it| it.targets.signed_by = signed_by)
    };
    let lowered = |number: u64, signed_by: Vec<u8>| {
        let mut edition = raised(number, signed_by);
        edition.roots.push(RootSpec { targets: (vec![61], 1), ..RootSpec::plain(3) });
        edition
    };
    // The timestamp and the snapshot of an edition count when its targets do
    // not, so every next one has a number of its own.
    let steps = vec![
        (raised(2, vec![11]).files(), "threshold", "v1"),
        (raised(3, vec![11, 61]).files(), "applied", "v3"),
        (lowered(4, vec![11]).files(), "wrong_key", "v3"),
        (lowered(5, vec![61]).files(), "applied", "v5"),
    ];
    after_the_first("targets", steps);
}

#[test]
fn s06_roots_are_walked_one_by_one() {
    let walk = |last: u64| {
        let mut roots = vec![RootSpec::plain(1)];
        for version in 2..=last {
            // Each hands over to another key.
            let (old, new) = (version as u8 + 99, version as u8 + 100);
            let signed_by = if version == 2 { vec![1, new] } else { vec![old, new] };
            roots.push(RootSpec { root: (vec![new], 1), signed_by, ..RootSpec::plain(version) });
        }
        roots
    };
    let change = |last: u64, at: usize, change: fn(&mut RootSpec)| {
        let mut roots = walk(last);
        change(&mut roots[at]);
        second().roots(roots)
    };
    let cases = [
        ("from 1 to 5 in one go", second().roots(walk(5)), "applied"),
        ("an expired one in between", change(5, 2, |root| root.expires = -DAY), "applied"),
        ("an expired one at the end", change(5, 4, |root| root.expires = -DAY), "expired"),
        ("a version is left out", change(3, 1, |root| root.version = 3), "root_skipped"),
        ("a version far ahead", change(3, 1, |root| root.version = 9), "root_skipped"),
        ("a chain that breaks in the middle", change(5, 2, |root| root.signed_by = vec![103]), "wrong_key"),
    ];
    for (name, edition, code) in cases {
        let word = if code == "applied" { "v2" } else { "v1" };
        after_the_first(name, vec![(edition.files(), code, word)]);
    }
    let mut gap = second().roots(walk(5)).files();
    gap.remove("3.root.json");
    after_the_first("one that is not there ends the walk", vec![(gap, "applied", "v2")]);
}

#[test]
fn s06_a_root_of_another_team_is_not_the_one_that_was_agreed_on() {
    let other = second().roots(vec![RootSpec { expires: 100 * DAY, ..RootSpec::plain(1) }]);
    follow("the first root", &[(other.files(), "fingerprint", "")], &first());
    // Once the right one was seen, nobody is asked for it again.
    after_the_first("later", vec![(other.files(), "applied", "v2")]);
}

#[test]
fn s04_a_role_that_was_run_far_ahead_comes_back_with_new_keys() {
    const FAR: u64 = 1 << 62;
    let ahead = |it: &mut Edition| {
        it.timestamp.version = FAR;
        it.snapshot.version = FAR;
    };
    let rotated = |number: u64, roots: Vec<RootSpec>| {
        Edition::number(number).roots(roots).with(|it| {
            it.timestamp.signed_by = vec![70];
            it.snapshot.signed_by = vec![71];
        })
    };
    let roots = || {
        next_root(|root| {
            root.timestamp = (vec![70], 1);
            root.snapshot = (vec![71], 1);
        })
    };
    let steps = vec![
        (second().with(ahead).files(), "applied", "v2"),
        (Edition::number(3).files(), "rollback", "v2"),
        (rotated(3, roots()).files(), "applied", "v3"),
    ];
    after_the_first("timestamp and snapshot", steps);
    let steps = vec![
        (second().with(|it| it.targets.version = FAR).files(), "applied", "v2"),
        (Edition::number(3).files(), "rollback", "v2"),
        (rotated(3, roots()).with(|it| it.timestamp.version = 4).files(), "applied", "v3"),
    ];
    after_the_first("targets", steps);
}

#[test]
fn s04_a_sequence_that_was_run_far_ahead_comes_back_with_a_new_root() {
    const FAR: u64 = 1 << 63;
    let ahead = second().with(|it| it.manifest["sequence"] = json!(FAR));
    let rotated = |number: u64| Edition::number(number).roots(next_root(|_| {}));
    let steps = vec![
        (ahead.files(), "applied", "v2"),
        (Edition::number(3).files(), "rollback", "v2"),
        (rotated(4).files(), "applied", "v4"),
        (rotated(5).with(|it| it.manifest["sequence"] = json!(3)).files(), "rollback", "v4"),
        (rotated(6).files(), "applied", "v6"),
    ];
    after_the_first("the sequence", steps);
}

#[test]
fn a_new_timestamp_key_does_not_lower_what_a_snapshot_says_of_targets() {
    let roots = next_root(|root| root.timestamp = (vec![70], 1));
    let back = second().roots(roots).with(|it| {
        it.timestamp.signed_by = vec![70];
        it.snapshot.version = 4;
    });
    let steps = vec![(Edition::number(3).files(), "applied", "v3"), (back.files(), "rollback", "v3")];
    after_the_first("targets", steps);
}
