//! A sync that is killed at any call by which it changes the disk: what decides
//! is the old generation or the new one, whole, and the next sync makes up for
//! it and leaves nothing lying about.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use boathook_engine::bundle::Managed;

use crate::team_client::repository::{Edition, TEAM};
use crate::team_client::{Device, Host};

/// The calls by which a program changes the disk.
const CALLS: [&str; 22] = [
    "openat",
    "write",
    "pwrite64",
    "writev",
    "ftruncate",
    "fsync",
    "fdatasync",
    "fchmod",
    "chmod",
    "fchmodat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "unlink",
    "unlinkat",
    "flock",
];

/// Everything that a device has when nothing is under way: in the folder of its
/// state, beside the signed files, and in the team's folder.
const STATE: [&str; 5] = ["expected.json", "lock", "login.json", "status.json", "tuf"];
const SIGNED: [&str; 6] =
    ["1.root.json", "timestamp.json", "etag", "snapshot.json", "targets.json", "manifest.json"];
const MANAGED: [&str; 5] = [".boathook", ".lock", "fresh.json", "generations", "hooks"];

/// A call of a sync: its name, and which of its thread's calls of this name it
/// is, which is how strace counts.
type Moment = (&'static str, usize);

fn no_strace() -> bool {
    let none = std::env::var_os("BOATHOOK_TEST_STRACE").is_some_and(|name| name.is_empty());
    if none {
        eprintln!("SKIPPED: no strace, and no permission to install it");
    }
    none
}

/// A sync of this device through strace.
fn strace(device: &Device, options: &[&str]) -> Output {
    let plain = device.cx.command(["team", "sync", "--now"]);
    let mut traced = Command::new("strace");
    traced.arg("-f").args(options).arg(plain.get_program()).args(plain.get_args());
    traced.current_dir(device.cx.project());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    traced.output().expect("strace starts: `cargo xtask test` installs it")
}

/// Every call of a sync to which nothing happens.
fn moments(device: &Device) -> Vec<Moment> {
    let lines = device.cx.path("trace");
    // A processor that lacks one of the calls does not know its name.
    let names: Vec<String> = CALLS.iter().map(|call| format!("?{call}")).collect();
    let (file, trace) = (lines.display().to_string(), format!("trace={}", names.join(",")));
    let output = strace(device, &["-o", &file, "-e", &trace]);
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(lines).expect("what strace saw");
    let (mut moments, mut counts) = (Vec::new(), BTreeMap::<(&str, &str), usize>::new());
    for line in text.lines() {
        let Some((thread, made)) = line.split_once(' ') else { continue };
        let Some((name, rest)) = made.trim_start().split_once('(') else { continue };
        let Some(call) = CALLS.into_iter().find(|call| *call == name) else { continue };
        let count = counts.entry((thread, call)).or_default();
        *count += 1;
        // What is opened to be read changes nothing.
        let reads = call == "openat" && !rest.contains("O_CREAT");
        if !reads && !moments.contains(&(call, *count)) {
            moments.push((call, *count));
        }
    }
    moments
}

/// Kills a sync at this moment; whether it was killed.
fn kill_at(device: &Device, (call, when): Moment) -> bool {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:signal=KILL:when={when}"));
    let output = strace(device, &["-o", "/dev/null", "-e", &trace, "-e", &inject]);
    !output.status.success()
}

/// The edition that decides, which is all there: the hook that refuses says
/// its number.
fn decides(device: &Device, what: &str) -> u64 {
    let word = device.enforced();
    let number = word.strip_prefix('v').and_then(|number| number.parse().ok());
    let number = number.unwrap_or_else(|| panic!("{what}: no hook of the team decided, but {word:?}"));
    let managed = Managed::of(&device.cx.path("home"), TEAM);
    assert_eq!(managed.tampered(), [], "{what}");
    let current = managed.current().unwrap_or_else(|| panic!("{what}: something is in force"));
    assert_eq!((current.sequence, current.release), (number, number), "{what}");
    number
}

/// What is in a device's folders and does not belong there.
fn leftovers(device: &Device) -> Vec<String> {
    let (state, managed) = (device.state(), device.managed(TEAM));
    let mut left = strange(&state, |name| STATE.contains(&name));
    for folder in names(&state.join("tuf")) {
        left.extend(strange(&state.join("tuf").join(folder), |name| SIGNED.contains(&name)));
    }
    left.extend(strange(&managed, |name| MANAGED.contains(&name)));
    left.extend(strange(&managed.join("generations"), |name| !name.starts_with('.')));
    left
}

fn strange(folder: &Path, belongs: impl Fn(&str) -> bool) -> Vec<String> {
    names(folder).into_iter().filter(|name| !belongs(name)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The n-th; each is good for a little longer, so that this is kept anew, too.
fn edition(number: u64) -> Edition {
    Edition::number(number).with(|it| it.timestamp.expires += number as i64)
}

/// A sync to which nothing happens brings this edition and tidies up.
fn makes_up(device: &Device, number: u64, what: &str) {
    let code = device.sync();
    assert!(["applied", "unchanged"].contains(&code.as_str()), "{what}: {code}");
    assert_eq!(decides(device, what), number, "{what}");
    assert_eq!(leftovers(device), Vec::<String>::new(), "{what}");
}

#[test]
fn s13_a_sync_killed_at_any_call_leaves_the_old_or_the_new_hooks() {
    if no_strace() {
        return;
    }
    let host = Host::start();
    let device = Device::of(&host, &edition(1));
    host.serve(edition(1).files());
    makes_up(&device, 1, "the first");
    host.serve(edition(2).files());
    let (mut number, mut killed, mut old) = (2, 0, 0);
    for moment in moments(&device) {
        let what = format!("killed at {} {}", moment.0, moment.1);
        number += 1;
        host.serve(edition(number).files());
        killed += usize::from(kill_at(&device, moment));
        let decided = decides(&device, &what);
        assert!([number - 1, number].contains(&decided), "{what}: {decided} of {number}");
        old += usize::from(decided < number);
        makes_up(&device, number, &what);
    }
    assert!(killed > 50 && old > 30, "killed {killed} times, {old} times the old ones stayed");
}

#[test]
fn s13_a_first_sync_that_is_killed_is_made_up_for() {
    if no_strace() {
        return;
    }
    let (host, edition) = (Host::start(), edition(1));
    host.serve(edition.files());
    let makes = ["mkdir", "mkdirat", "rename", "renameat", "symlink"];
    let mut killed = 0;
    for moment in moments(&Device::of(&host, &edition)) {
        if makes.contains(&moment.0) {
            let device = Device::of(&host, &edition);
            killed += usize::from(kill_at(&device, moment));
            makes_up(&device, 1, &format!("killed at {} {}", moment.0, moment.1));
        }
    }
    assert!(killed > 10, "killed {killed} times");
}
