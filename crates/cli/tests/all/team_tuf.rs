//! The scenarios of The Update Framework's conformance suite, as our own: what
//! a repository does, the code of the refusal, and the hooks in force after it.
//! docs/design/tuf-scenarios.md lists them.

#![cfg(unix)]

mod roots;

use serde_json::{Value, json};

use crate::team_client::repository::{Edition, Files, HOUR, RootSpec, key, manifest, script};
use crate::team_client::{self, follow};

type Step = (Files, &'static str, &'static str);

fn first() -> Edition {
    Edition::number(1)
}

fn second() -> Edition {
    Edition::number(2)
}

/// Every scenario begins with the first edition in force.
fn after_the_first(name: &str, steps: Vec<Step>) {
    let mut all = vec![(first().files(), "applied", "v1")];
    all.extend(steps);
    follow(name, &all, &first());
}

fn refused(name: &str, edition: &Edition, code: &'static str) {
    after_the_first(name, vec![(edition.files(), code, "v1")]);
}

/// A file of one edition under the name it has in another.
fn swapped(mut files: Files, name: &str, other: &Files, others_name: &str) -> Files {
    files.insert(name.to_owned(), other[others_name].clone());
    files
}

#[test]
fn what_is_signed_is_applied_once_and_then_unchanged() {
    let steps = vec![
        (first().files(), "unchanged", "v1"),
        (second().files(), "applied", "v2"),
        (second().files(), "unchanged", "v2"),
        (Edition::number(9).files(), "applied", "v9"),
    ];
    after_the_first("three editions", steps);
}

#[test]
fn no_role_goes_back() {
    let third = || Edition::number(3);
    let cases: Vec<(&str, Vec<Step>)> = vec![
        ("the timestamp", vec![(third().files(), "applied", "v3"), (second().files(), "rollback", "v3")]),
        (
            "the snapshot, under a newer timestamp",
            vec![
                (third().files(), "applied", "v3"),
                (second().with(|it| it.timestamp.version = 4).files(), "rollback", "v3"),
            ],
        ),
        (
            "the targets, under a newer snapshot",
            vec![
                (third().files(), "applied", "v3"),
                (
                    second()
                        .with(|it| {
                            it.timestamp.version = 4;
                            it.snapshot.version = 4;
                        })
                        .files(),
                    "rollback",
                    "v3",
                ),
            ],
        ),
        (
            "the root",
            vec![(second().roots(vec![RootSpec::plain(1), RootSpec::plain(1)]).files(), "rollback", "v1")],
        ),
    ];
    for (name, steps) in cases {
        after_the_first(name, steps);
    }
}

#[test]
fn what_was_refused_raises_the_floor_all_the_same() {
    // The timestamp is good and its snapshot is not: the timestamp counts.
    let mut torn = Edition::number(3).files();
    torn.insert("3.snapshot.json".into(), b"{}".to_vec());
    let steps = vec![
        (torn, "length_mismatch", "v1"),
        (second().files(), "rollback", "v1"),
        (Edition::number(3).files(), "applied", "v3"),
    ];
    after_the_first("a torn third edition", steps);
}

#[test]
fn one_version_has_one_content() {
    let other = || second().with(|it| it.manifest["created"] = json!("2026-11-11T00:00:00Z"));
    let cases = [
        ("the timestamp", other().with(|it| it.timestamp.version = 1)),
        (
            "the snapshot",
            other().with(|it| {
                it.snapshot.version = 1;
            }),
        ),
        (
            "the targets",
            other().with(|it| {
                it.targets.version = 1;
            }),
        ),
    ];
    for (name, edition) in cases {
        refused(name, &edition, "conflict");
    }
}

/// The three roles that a root names, by what a test changes of them.
fn each_role() -> [(&'static str, fn(&mut Edition, Vec<u8>), fn(&mut RootSpec, (Vec<u8>, u32)), u8); 3] {
    [
        ("timestamp", |it, keys| it.timestamp.signed_by = keys, |root, may| root.timestamp = may, 13),
        ("snapshot", |it, keys| it.snapshot.signed_by = keys, |root, may| root.snapshot = may, 12),
        ("targets", |it, keys| it.targets.signed_by = keys, |root, may| root.targets = may, 11),
    ]
}

fn next_root(change: impl FnOnce(&mut RootSpec)) -> Vec<RootSpec> {
    let mut root = RootSpec::plain(2);
    change(&mut root);
    vec![RootSpec::plain(1), root]
}

#[test]
fn s05_signatures_that_are_not_enough_are_told_apart() {
    for (role, sign, may, own) in each_role() {
        let cases: [(&str, Vec<u8>, Option<(Vec<u8>, u32)>, &str); 7] = [
            ("no signature", vec![], None, "unsigned"),
            ("a stranger's", vec![99], None, "wrong_key"),
            ("another role's", vec![1], None, "wrong_key"),
            ("one of two", vec![own], Some((vec![own, 50], 2)), "threshold"),
            ("one of two, and a stranger's", vec![own, 99], Some((vec![own, 50], 2)), "threshold"),
            ("one twice", vec![own, own], Some((vec![own, 50], 2)), "duplicate_signature"),
            ("two of three", vec![own, 51], Some((vec![own, 50, 51], 2)), "applied"),
        ];
        for (name, keys, allowed, code) in cases {
            let mut edition = second();
            sign(&mut edition, keys);
            if let Some(allowed) = allowed {
                edition.roots = next_root(|root| may(root, allowed));
            }
            let word = if code == "applied" { "v2" } else { "v1" };
            after_the_first(&format!("{role}: {name}"), vec![(edition.files(), code, word)]);
        }
    }
}

#[test]
fn s05_a_key_of_an_unknown_scheme_signs_for_nobody() {
    fn of_another_scheme(signed: &mut Value) {
        let id = key(13).public().id();
        signed["keys"][&id]["scheme"] = json!("rsassa-pss-sha256");
        signed["keys"][&id]["keytype"] = json!("rsa");
    }
    fn of_no_scheme(signed: &mut Value) {
        signed["keys"][&key(13).public().id()]["scheme"] = json!("made-up");
    }
    for edit in [of_another_scheme as fn(&mut Value), of_no_scheme] {
        let edition = second().roots(next_root(|root| root.edit = edit));
        refused("a timestamp", &edition, "unknown_scheme");
    }
}

#[test]
fn what_has_expired_is_not_applied() {
    let cases = [
        ("the timestamp", second().with(|it| it.timestamp.expires = -HOUR)),
        ("the snapshot", second().with(|it| it.snapshot.expires = -HOUR)),
        ("the targets", second().with(|it| it.targets.expires = -HOUR)),
        ("the root", second().roots(next_root(|root| root.expires = -HOUR))),
    ];
    for (name, edition) in cases {
        refused(name, &edition, "expired");
        // And it is not what keeps the next one out.
        let steps = vec![
            (edition.files(), "expired", "v1"),
            (
                Edition::number(3)
                    .roots(vec![RootSpec::plain(1), RootSpec::plain(2), RootSpec::plain(3)])
                    .files(),
                "applied",
                "v3",
            ),
        ];
        if name != "the root" {
            after_the_first(name, steps);
        }
    }
}

#[test]
fn files_of_two_editions_are_not_mixed() {
    let (one, two) = (first().files(), second().files());
    let longer = second().with(|it| it.manifest["releases"][0]["number"] = json!(20_000)).files();
    let cases = [
        (
            "an old snapshot",
            swapped(two.clone(), "2.snapshot.json", &one, "1.snapshot.json"),
            "hash_mismatch",
        ),
        ("old targets", swapped(two.clone(), "2.targets.json", &one, "1.targets.json"), "hash_mismatch"),
        (
            "targets for a snapshot",
            swapped(two.clone(), "2.snapshot.json", &two, "2.targets.json"),
            "length_mismatch",
        ),
        (
            "a snapshot for a timestamp",
            swapped(two.clone(), "timestamp.json", &two, "2.snapshot.json"),
            "bad_format",
        ),
        (
            "other targets of this version",
            swapped(two.clone(), "2.targets.json", &longer, "2.targets.json"),
            "hash_mismatch",
        ),
    ];
    for (name, files, code) in cases {
        after_the_first(name, vec![(files, code, "v1")]);
    }
}

#[test]
fn a_file_that_another_names_must_be_there() {
    for (name, gone) in
        [("snapshot", "2.snapshot.json"), ("targets", "2.targets.json"), ("timestamp", "timestamp.json")]
    {
        let mut files = second().files();
        files.remove(gone);
        after_the_first(name, vec![(files, "missing", "v1"), (second().files(), "applied", "v2")]);
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    let edited = |edit: fn(&mut Value)| second().with(|it| it.timestamp.edit = edit);
    let cases = [
        ("another kind", edited(|signed| signed["_type"] = json!("snapshot"))),
        ("a later standard", edited(|signed| signed["spec_version"] = json!("2.0.0"))),
        ("no version", edited(|signed| drop(signed.as_object_mut().map(|it| it.remove("version"))))),
        ("a version below nothing", edited(|signed| signed["version"] = json!(-1))),
        ("no snapshot", edited(|signed| signed["meta"] = json!({}))),
        ("an expiry that is no time", edited(|signed| signed["expires"] = json!("tomorrow"))),
        ("no manifest", second().with(|it| it.targets.edit = |signed| signed["targets"] = json!({}))),
        ("nobody need sign", second().roots(next_root(|root| root.timestamp = (vec![13], 0)))),
    ];
    for (name, edition) in cases {
        refused(name, &edition, "bad_format");
    }
    let without = second().with(|it| it.snapshot.edit = |signed| signed["meta"] = json!({}));
    refused("targets that were named and are not any more", &without, "conflict");
    for (name, text) in [("a list", "[]"), ("a word", "null"), ("no JSON", "<html>"), ("two", "{}{}")] {
        let mut files = second().files();
        files.insert("timestamp.json".into(), text.as_bytes().to_vec());
        after_the_first(name, vec![(files, "bad_format", "v1")]);
    }
}

#[test]
fn fields_that_nobody_knows_are_signed_like_the_others() {
    let edition = second().with(|it| {
        it.timestamp.edit = |signed| signed["x-note"] = json!({ "ключ": [1, "\"\\"] });
        it.targets.edit = |signed| signed["targets"]["manifest.json"]["custom"] = json!({ "a": 1 });
    });
    after_the_first("extra fields", vec![(edition.files(), "applied", "v2")]);
}

#[test]
fn delegations_lead_nowhere() {
    fn delegated(signed: &mut Value) {
        let id = key(80).public().id();
        signed["delegations"] = json!({
            "keys": { id.clone(): key(80).public().object() },
            "roles": [{ "name": "other", "keyids": [id], "threshold": 1, "terminating": false, "paths": ["*"] }],
        });
    }
    fn only_delegated(signed: &mut Value) {
        delegated(signed);
        signed["targets"] = json!({});
    }
    after_the_first(
        "beside",
        vec![(second().with(|it| it.targets.edit = delegated).files(), "applied", "v2")],
    );
    refused("instead", &second().with(|it| it.targets.edit = only_delegated), "bad_format");
}

#[test]
fn one_manifest_can_hold_many_hooks_and_one_script_twice() {
    let guard = script("v2");
    let edition = second().with(|it| {
        let one = team_client::repository::hook(1, "guard.sh", &guard);
        let mut other = team_client::repository::hook(2, "again.sh", &guard);
        other["event"] = json!("beforeMCPExecution");
        it.manifest = manifest(2, &guard);
        it.manifest["releases"][0]["hooks"] = json!([one, other]);
    });
    after_the_first("two hooks", vec![(edition.files(), "applied", "v2")]);
}
