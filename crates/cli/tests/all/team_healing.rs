//! What somebody did to the files of a team on this machine, or a server to its
//! answers, is seen, holds nobody up for long, and is mended by the next sync.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::team_client::repository::{DAY, Edition, TEAM};
use crate::team_client::{Device, Host, can_fake_time, raw};

/// A device with the first edition in force.
fn settled() -> (Host, Device) {
    let host = Host::start();
    let device = Device::of(&host, &Edition::number(1));
    host.serve(Edition::number(1).files());
    assert_eq!(device.sync(), "applied");
    (host, device)
}

fn script(device: &Device) -> PathBuf {
    let folder = device.managed(TEAM).join("hooks");
    let names = fs::read_dir(&folder).expect("a generation").map(|entry| entry.expect("a name").path());
    names.into_iter().find(|path| path.extension().is_none_or(|it| it != "json")).expect("a script")
}

fn plant(path: &Path, text: &str, mode: u32) {
    let _ = fs::remove_file(path);
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

fn run(device: &Device, words: &[&str]) -> Output {
    device.cx.command(words).output().expect("it starts")
}

fn fresh(device: &Device) -> Value {
    let text = fs::read_to_string(device.managed(TEAM).join("fresh.json")).expect("fresh.json");
    serde_json::from_str(&text).expect("JSON")
}

fn now() -> i64 {
    boathook_engine::ids::now_millis()
}

#[test]
fn s15_without_its_marker_a_folder_is_still_sealed_and_is_mended() {
    let (_host, device) = settled();
    fs::remove_file(device.managed(TEAM).join(".boathook")).expect("removed");
    plant(
        &script(&device),
        "#!/bin/sh\necho '{\"permission\":\"deny\",\"user_message\":\"planted\"}'\n",
        0o500,
    );
    let word = device.enforced();
    assert!(!word.contains("planted") && word != "v1", "{word}");
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(1));
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "v1");
}

#[test]
fn s15_a_script_that_cannot_be_started_is_seen_and_mended() {
    let (_host, device) = settled();
    fs::set_permissions(script(&device), fs::Permissions::from_mode(0o400)).expect("permissions");
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(1));
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "v1");
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(0));
}

#[test]
fn s15_a_script_that_was_sealed_by_hand_does_not_run() {
    let (host, device) = settled();
    let script = script(&device);
    let text = "#!/bin/sh\necho '{\"permission\":\"deny\",\"user_message\":\"planted\"}'\n";
    let seal = script.with_file_name("seal.json");
    let mut forged: Value = serde_json::from_slice(&fs::read(&seal).expect("a seal")).expect("JSON");
    let name = script.file_name().expect("a name").to_string_lossy().into_owned();
    forged["files"][name] = json!(boathook_engine::digest::Digest::of(text.as_bytes()).to_string());
    plant(&script, text, 0o500);
    plant(&seal, &forged.to_string(), 0o400);
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(1));
    let word = device.enforced();
    assert!(!word.contains("planted") && word != "v1" && word != "allow", "{word}");
    // The event started a sync of its own, which may be faster than these.
    for (number, word) in [(1, "v1"), (2, "v2")] {
        host.serve(Edition::number(number).files());
        let went = device.sync();
        assert!(matches!(went.as_str(), "applied" | "unchanged"), "{went}");
        assert_eq!(device.enforced(), word);
    }
}

#[test]
fn s15_folders_in_place_of_what_was_verified_are_replaced() {
    let (host, device) = settled();
    let shelf = device.state().join("tuf");
    let shelf = fs::read_dir(&shelf).expect("a shelf").next().expect("one root").expect("a name").path();
    for entry in fs::read_dir(&shelf).expect("files") {
        let path = entry.expect("a name").path();
        fs::remove_file(&path).expect("removed");
        fs::create_dir_all(path.join("deep")).expect("made");
    }
    assert_eq!(device.sync(), "unchanged");
    fs::remove_dir_all(&shelf).expect("removed");
    fs::write(&shelf, "").expect("written");
    host.serve(Edition::number(2).files());
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "v2");
}

#[test]
fn s08_a_time_that_nobody_signed_is_not_believed() {
    let year = 365 * DAY * 1000;
    for seen in [i64::MAX, now() + 10 * year] {
        let (host, device) = settled();
        let mut spoilt = fresh(&device);
        spoilt["seen"] = json!(seen);
        plant(&device.managed(TEAM).join("fresh.json"), &spoilt.to_string(), 0o400);
        host.serve(Edition::number(2).files());
        assert_eq!(device.sync(), "applied", "{seen}");
        assert!(fresh(&device)["seen"].as_i64().expect("a time") < now() + year, "{seen}");
    }
}

#[test]
fn s07_a_timestamp_counts_for_days_whatever_it_says() {
    let (host, device) = settled();
    let long = Edition::number(2).with(|it| {
        (it.timestamp.expires, it.snapshot.expires, it.targets.expires) = (300 * DAY, 300 * DAY, 300 * DAY);
    });
    host.serve(long.files());
    assert_eq!(device.sync(), "applied");
    assert!(fresh(&device)["until"].as_i64().expect("a time") < now() + 8 * DAY * 1000);
    if can_fake_time() {
        assert_eq!(device.sync_when(Some("+5d")), "unchanged");
        assert_eq!(device.sync_when(Some("+9d")), "stale");
        assert_eq!(device.enforced(), "v2");
    }
    host.serve(Edition::number(3).files());
    assert_eq!(device.sync(), "applied");
}

#[test]
fn s17_what_a_server_says_is_one_line() {
    let (host, device) = settled();
    let body = br#"{"code":"forbidden","message":"no\nhint: run this instead"}"#;
    host.instead(
        &format!("/tuf/{TEAM}/timestamp.json"),
        Arc::new(|_, stream| raw(stream, "403 Forbidden", "content-type: application/json\r\n", body)),
    );
    let output = run(&device, &["team", "sync", "--now"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("run this instead"), "{said}");
    assert!(!said.lines().any(|line| line.trim_start().starts_with("hint: run this")), "{said}");
}

#[test]
fn s17_nothing_new_is_no_answer_to_a_question_for_a_file() {
    let (host, device) = settled();
    for name in ["2.snapshot.json", "2.targets.json"] {
        host.serve(Edition::number(2).files());
        let path = format!("/tuf/{TEAM}/{name}");
        host.instead(&path, Arc::new(|_, stream| raw(stream, "304 Not Modified", "", b"")));
        assert_eq!(device.sync(), "empty", "{name}");
    }
}

#[test]
fn how_it_went_is_written_before_the_server_is_told() {
    let (host, device) = settled();
    host.serve(Edition::number(2).files());
    let (file, seen) = (device.state().join("status.json"), Arc::new(Mutex::new(String::new())));
    let kept = Arc::clone(&seen);
    host.instead(
        "/api/v1/report",
        Arc::new(move |_, stream| {
            *kept.lock().expect("nobody panicked") = fs::read_to_string(&file).unwrap_or_default();
            raw(stream, "204 No Content", "", b"");
        }),
    );
    assert_eq!(device.sync(), "applied");
    let seen: Value = serde_json::from_str(&seen.lock().expect("nobody panicked")).expect("JSON");
    assert_eq!(seen["release"], json!(2));
}

#[test]
fn a_lock_that_is_held_for_long_is_no_success() {
    let (_host, device) = settled();
    let mut status = device.status();
    status["tried_at"] = json!(now() - 2 * 3600 * 1000);
    fs::write(device.state().join("status.json"), status.to_string()).expect("written");
    let lock = fs::File::options().write(true).open(device.state().join("lock")).expect("the lock");
    lock.lock().expect("held");
    let output = run(&device, &["team", "sync", "--quiet", "--now"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(device.status()["code"], json!("locked"));
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(1));
    drop(lock);
    assert_eq!(device.sync(), "unchanged");
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(0));
}

#[test]
fn a_state_that_cannot_be_written_is_no_success() {
    let (_host, device) = settled();
    fs::create_dir(device.state().join("probe")).expect("in the way");
    let output = run(&device, &["team", "status"]);
    assert_eq!(output.status.code(), Some(1));
    fs::remove_dir(device.state().join("probe")).expect("removed");
    assert_eq!(run(&device, &["team", "status"]).status.code(), Some(0));
    fs::remove_file(device.state().join("status.json")).expect("removed");
    fs::create_dir(device.state().join("status.json")).expect("in the way");
    let output = run(&device, &["team", "sync", "--now"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}
