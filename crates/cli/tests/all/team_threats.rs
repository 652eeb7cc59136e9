//! A hostile or failing server, by the ids of the catalogue of threats: each is
//! refused with a code of its own, and the last good hooks are still enforced.

#![cfg(unix)]

mod wire;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::thread;

use boathook_engine::digest::Digest;
use serde_json::{Value, json};

use crate::model::server::Behaviour;
use crate::team_client::repository::{Edition, TEAM, hook, manifest, script};
use crate::team_client::{Device, Host, can_fake_time, follow, raw};

fn first() -> Edition {
    Edition::number(1)
}

fn second() -> Edition {
    Edition::number(2)
}

/// A device with the first edition in force.
fn settled() -> (Host, Device) {
    let host = Host::start();
    let device = Device::of(&host, &first());
    host.serve(first().files());
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "v1");
    (host, device)
}

fn path(name: &str) -> String {
    format!("/tuf/{TEAM}/{name}")
}

fn answers(status: &'static str, headers: &'static str, body: &'static [u8]) -> Behaviour {
    Arc::new(move |_, stream| raw(stream, status, headers, body))
}

#[test]
fn s03_a_rollback_is_reported_and_blames_no_release() {
    let (host, device) = settled();
    host.serve(second().files());
    assert_eq!(device.sync(), "applied");
    host.serve(first().files());
    assert_eq!(device.sync(), "rollback");
    assert_eq!(device.enforced(), "v2");
    let told: Vec<_> = host.reports().iter().map(|it| (it["code"].clone(), it["release"].clone())).collect();
    let expected =
        [(json!("applied"), json!(1)), (json!("applied"), json!(2)), (json!("rollback"), json!(0))];
    assert_eq!(told, expected);
    assert_eq!(device.sync(), "rollback");
    assert_eq!(host.reports().len(), 3, "the same is told once");
}

#[test]
fn s07_a_server_that_is_frozen_leaves_hooks_stale_and_in_force() {
    if !can_fake_time() {
        return;
    }
    let (_host, device) = settled();
    for (when, policy) in [("+25h", false), ("+16d", true)] {
        assert_eq!(device.sync_when(Some(when)), "stale", "{when}");
        assert!(device.status()["stale_since"].is_i64(), "{when}");
        let word = device.enforced_when(Some(when));
        // After the days that the team allows, its policy refuses beside the hook.
        assert!(word.contains("v1"), "{when}: {word}");
        assert_eq!(word != "v1", policy, "{when}: {word}");
    }
    assert_eq!(device.sync(), "unchanged");
    assert_eq!(device.enforced(), "v1");
}

#[test]
fn s08_a_wrong_clock_never_leaves_no_hooks_and_wedges_nothing() {
    if !can_fake_time() {
        return;
    }
    let (host, device) = settled();
    // By then even the root has expired.
    let cases = [("-20y", "unchanged"), ("+20y", "expired")];
    for (when, code) in cases {
        assert_eq!(device.sync_when(Some(when)), code, "{when}");
        assert!(device.enforced_when(Some(when)).contains("v1"), "{when}");
    }
    host.serve(second().files());
    assert_eq!(device.sync_when(Some("+20y")), "expired");
    assert_eq!(device.enforced(), "v1");
    assert_eq!(device.sync_when(Some("-20y")), "applied");
    assert_eq!(device.enforced(), "v2");
    // A freeze is not hidden by a clock that was turned back.
    let frozen = Edition::number(3).with(|it| it.timestamp.expires = -30 * 24 * 3600);
    host.serve(frozen.files());
    assert_eq!(device.sync_when(Some("-20y")), "expired");
    host.serve(Edition::number(4).files());
    assert_eq!(device.sync(), "applied");
}

#[test]
fn s09_a_manifest_for_somebody_else_is_refused() {
    let changed = |key: &str, value: Value| second().with(|it| it.manifest[key] = value);
    let cases = [
        ("another team", changed("team", json!(8)), "audience"),
        ("another repository", changed("repository", json!("staging")), "audience"),
        ("another channel", changed("channel", json!("beta")), "audience"),
        ("a later format", changed("format", json!(2)), "bad_format"),
        ("a word that nobody knows", changed("pause", json!(true)), "bad_format"),
    ];
    for (name, edition, code) in cases {
        follow(name, &[(first().files(), "applied", "v1"), (edition.files(), code, "v1")], &first());
    }
    // A hook for another system is no hook here.
    let elsewhere = second().with(|it| {
        it.manifest["releases"][0]["hooks"][0]["operating_systems"] = json!(["Windows", "Macintosh"]);
    });
    follow(
        "another system",
        &[(first().files(), "applied", "v1"), (elsewhere.files(), "applied", "")],
        &first(),
    );
}

#[test]
fn s10_a_name_that_some_system_could_not_store_refuses_the_whole() {
    let (host, device) = settled();
    let long = "n".repeat(300);
    let names = [
        "../x",
        "/abs",
        "a/b",
        "a\\b",
        "con",
        "CON.sh",
        "x.",
        "",
        "-rf",
        ".hidden",
        "é.sh",
        "hooks.json",
        "seal.json",
        &long,
    ];
    // The timestamp of a refused edition counts, so each is a newer one.
    for (number, name) in (2..).zip(names) {
        let guard = script(&format!("v{number}"));
        let edition = Edition::number(number)
            .with(|it| it.manifest["releases"][0]["hooks"] = json!([hook(1, name, &guard)]));
        host.serve(edition.files());
        assert_eq!(device.sync(), "bad_name", "{name:?}");
        assert_eq!(device.enforced(), "v1", "{name:?}");
    }
    let (one, other) = (script("one"), script("other"));
    let clash = Edition::number(100).with(|it| {
        it.manifest["releases"][0]["hooks"] = json!([hook(1, "A.sh", &one), hook(2, "a.sh", &other)]);
        it.scripts = vec![one, other];
    });
    host.serve(clash.files());
    assert_eq!(device.sync(), "bad_name", "A.sh and a.sh");
    assert_eq!(device.enforced(), "v1");
}

#[test]
fn s11_a_script_that_is_not_what_was_signed_is_refused() {
    let (host, device) = settled();
    let script = script("v2");
    let name = Digest::of(&script).to_string();
    let mut other = script.clone();
    other[20] ^= 1;
    let longer = [&script[..], b"\n"].concat();
    let shorter = script[..script.len() - 1].to_vec();
    for (what, bytes, code) in [
        ("changed", other, "hash_mismatch"),
        ("longer", longer, "length_mismatch"),
        ("shorter", shorter, "length_mismatch"),
    ] {
        let mut files = second().files();
        files.insert(format!("targets/{name}.{name}"), bytes);
        host.serve(files);
        assert_eq!(device.sync(), code, "{what}");
        assert_eq!(device.enforced(), "v1", "{what}");
    }
    host.serve(second().files());
    assert_eq!(device.sync(), "applied");
    let guard = device.managed(TEAM).join("hooks/guard.sh");
    let mode = fs::metadata(guard).expect("the script").permissions().mode();
    assert_eq!(mode & 0o7777, 0o500, "modes are ours");
}

#[test]
fn s12_two_syncs_at_once_end_alike() {
    let (host, device) = settled();
    host.serve(second().files());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| device.cx.output(["team", "sync", "--now"]));
        }
    });
    assert_eq!(device.enforced(), "v2");
    assert_eq!(device.sync(), "unchanged");
}

#[test]
fn s15_what_was_tampered_with_is_repaired_by_the_next_sync() {
    let (_host, device) = settled();
    let guard = device.managed(TEAM).join("hooks/guard.sh");
    fs::set_permissions(&guard, fs::Permissions::from_mode(0o700)).expect("permissions");
    fs::write(&guard, "#!/bin/sh\nexit 0\n").expect("a file");
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "v1");
}

#[test]
fn s20_what_could_not_run_here_is_not_put_in_force_and_is_reported() {
    let (host, device) = settled();
    let broken = b"#!/nonexistent/interpreter\n".to_vec();
    host.serve(
        second()
            .with(|it| {
                it.manifest = manifest(2, &broken);
                it.scripts = vec![broken];
            })
            .files(),
    );
    assert_eq!(device.sync(), "self_check");
    assert_eq!(device.enforced(), "v1");
    let report = host.reports().pop().expect("a report");
    assert_eq!((&report["code"], &report["release"]), (&json!("self_check"), &json!(2)));
}

#[test]
fn s21_a_device_that_was_revoked_keeps_its_hooks() {
    let (host, device) = settled();
    host.instead("*", answers("401 Unauthorized", "content-type: application/json\r\n", b"{}"));
    assert_eq!(device.sync(), "unauthorized");
    assert_eq!(device.enforced(), "v1");
}

#[test]
fn s21_another_team_comes_only_when_all_of_it_was_verified() {
    let (_host, device) = settled();
    let other = Host::start();
    let of_team = |team: i64, word: &str| {
        let script = script(word);
        let mut edition = Edition::number(1).with(|it| {
            it.manifest = manifest(1, &script);
            it.scripts = vec![script];
            // Another installation has another root.
            it.roots[0].expires = (200 + team) * 24 * 3600;
        });
        edition.manifest["team"] = json!(team);
        edition.manifest["repository"] = json!("another repository");
        edition
    };
    for (team, word) in [(8, "eight"), (TEAM, "the other seven")] {
        let edition = of_team(team, word);
        device.sign_in(&other.server.url(), &edition, |login| {
            login["team"] = json!(team);
            login["repository"] = json!("another repository");
        });
        let before = device.enforced();
        other.serve_team(team, edition.clone().with(|it| it.targets.signed_by = vec![99]).files());
        assert_eq!(device.sync(), "wrong_key", "{word}");
        assert_eq!(device.enforced(), before, "{word}");
        other.serve_team(team, edition.with(|it| it.timestamp.version = 2).files());
        // The first targets never counted, so these are the first of their version.
        assert_eq!(device.sync(), "conflict", "{word}: one snapshot, two contents");
        let third = of_team(team, word).with(|it| {
            it.timestamp.version = 3;
            it.snapshot.version = 3;
        });
        other.serve_team(team, third.files());
        assert_eq!(device.sync(), "applied", "{word}");
        assert_eq!(device.enforced(), word);
        let others: Vec<_> =
            fs::read_dir(device.cx.path("home/.cursor/managed")).expect("a folder").collect();
        assert_eq!(others.len(), 1, "one team at a time: {others:?}");
    }
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let host = Host::start();
    let device = Device::of(&host, &first());
    let file = device.cx.write(&format!("home/.cursor/managed/team_{TEAM}/hooks/hooks.json"), "{}");
    host.serve(first().files());
    assert_eq!(device.sync(), "foreign");
    assert_eq!(fs::read_to_string(file).expect("it is there"), "{}");
}
