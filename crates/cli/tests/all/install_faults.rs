//! An installation that is killed at any system call, or meets a full or
//! broken disk at any of them, or is not alone: the old generation or the new
//! one is in force, complete, and nothing is left lying about.
//!
//! The installer is this program itself, started again with a home in its
//! environment.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use boathook_engine::bundle::Installed;

use crate::generation::{Generation, hook, managed};

/// Whose home the installer works in.
const HOME: &str = "BOATHOOK_TEST_INSTALL_HOME";
/// The calls by which an installation changes the disk.
const CALLS: [&str; 9] =
    ["mkdir", "openat", "write", "fchmod", "chmod", "fsync", "rename", "symlink", "flock"];

/// Two scripts; every release has another text.
fn release(number: u64) -> Generation {
    let text = |part: &str| format!("#!/bin/sh\n# {part} of release {number}\necho '{{}}'\n");
    Generation::of(
        number,
        [hook("beforeShellExecution", "one.sh", &text("one")), hook("stop", "two.sh", &text("two"))],
    )
}

/// Whether this process is the installer; it is done then.
fn is_installer() -> bool {
    let Some(home) = std::env::var_os(HOME) else { return false };
    let said = match release(2).install(Path::new(&home)) {
        Ok(Installed::New(_)) => "new".to_owned(),
        Ok(Installed::Unchanged(_)) => "unchanged".to_owned(),
        Err(error) => error.code().to_owned(),
    };
    eprintln!("INSTALLER: {said}");
    true
}

/// The installer, to be started for a test of this file by its name.
fn installer(test: &str, home: &Path, through: &[&str]) -> Command {
    let this = std::env::current_exe().expect("this program");
    let (program, rest) =
        through.split_first().map_or((this.as_os_str(), &[][..]), |(first, rest)| (OsStr::new(*first), rest));
    let test = format!("install_faults::{test}");
    let mut command = Command::new(program);
    command.args(rest);
    if !through.is_empty() {
        command.arg(&this);
    }
    command.args(["--exact", &test, "--nocapture", "--test-threads=1"]).env(HOME, home);
    command
}

fn strace(test: &str, home: &Path, inject: &str, call: &str) -> Output {
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:{inject}"));
    let through = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
    installer(test, home, &through).output().expect("strace starts")
}

/// How often an installation that nothing happens to makes a call.
fn calls(test: &str, call: &str, prepare: impl Fn(&Path)) -> usize {
    let temp = tempfile::tempdir().expect("a directory");
    let (home, lines) = (temp.path().join("home"), temp.path().join("trace"));
    fs::create_dir(&home).expect("a home");
    prepare(&home);
    let (file, trace) = (lines.display().to_string(), format!("trace={call}"));
    let output = installer(test, &home, &["strace", "-f", "-o", &file, "-e", &trace]).output();
    let output = output.expect("strace starts: `cargo xtask test` installs it");
    assert_eq!(said(&output).as_deref(), Some("new"), "{output:?}");
    let text = fs::read_to_string(lines).expect("what strace saw");
    text.lines().filter(|line| line.contains(&format!("{call}("))).count()
}

fn said(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = text.lines().find_map(|line| line.split("INSTALLER: ").nth(1)).map(str::to_owned);
    words.filter(|words| !words.is_empty())
}

fn no_strace() -> bool {
    let none = std::env::var_os("BOATHOOK_TEST_STRACE").is_some_and(|name| name.is_empty());
    if none {
        eprintln!("SKIPPED: no strace, and no permission to install it");
    }
    none
}

/// The release in force, which is all there and nothing but what was sealed.
fn whole(home: &Path, what: &str) -> u64 {
    let managed = managed(home);
    let current = managed.current().unwrap_or_else(|| panic!("{what}: something is in force"));
    assert_eq!(managed.tampered(), [], "{what}");
    assert_eq!(current.release, current.sequence, "{what}");
    let text = fs::read_to_string(current.folder.join("two.sh")).expect("a script");
    assert!(text.contains(&format!("of release {}\n", current.release)), "{what}: {text}");
    current.release
}

fn leftovers(home: &Path) -> Vec<String> {
    let managed = managed(home);
    let mut found = Vec::new();
    let above = managed.folder().parent().expect("it stands in a folder").to_owned();
    for folder in [above, managed.folder().to_owned(), managed.folder().join("generations")] {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        found.extend(entries.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    }
    found.retain(|name| name.starts_with(".unfinished"));
    found
}

#[test]
fn s13_killed_at_any_call_the_old_or_the_new_one_is_whole() {
    if is_installer() || no_strace() {
        return;
    }
    let test = "s13_killed_at_any_call_the_old_or_the_new_one_is_whole";
    let (mut killed, mut old) = (0, 0);
    for call in CALLS {
        for when in 1..=calls(test, call, |home| drop(release(1).put(home))) {
            let temp = tempfile::tempdir().expect("a directory");
            let home = temp.path();
            release(1).put(home);
            let output = strace(test, home, &format!("signal=KILL:when={when}"), call);
            let what = format!("{call} {when}");
            old += usize::from(whole(home, &what) == 1);
            // Whoever installs next finds nothing in the way, and leaves nothing.
            release(3).install(home).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(whole(home, &what), 3);
            assert_eq!(leftovers(home), Vec::<String>::new(), "{what}");
            match output.status.success() {
                true => assert_eq!(said(&output).as_deref(), Some("new"), "{what}"),
                false => killed += 1,
            }
        }
    }
    assert!(killed > 30 && old > 20, "killed {killed} times, {old} times the old one stayed");
}

#[test]
fn s13_a_first_installation_that_is_killed_is_made_up_for() {
    if is_installer() || no_strace() {
        return;
    }
    let test = "s13_a_first_installation_that_is_killed_is_made_up_for";
    let mut killed = 0;
    for call in ["mkdir", "write", "fsync", "rename", "symlink"] {
        for when in 1..=calls(test, call, |_| ()) {
            let temp = tempfile::tempdir().expect("a directory");
            let output = strace(test, temp.path(), &format!("signal=KILL:when={when}"), call);
            let what = format!("{call} {when}");
            release(3).install(temp.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(whole(temp.path(), &what), 3);
            assert_eq!(leftovers(temp.path()), Vec::<String>::new(), "{what}");
            killed += usize::from(!output.status.success());
        }
    }
    assert!(killed > 20, "killed {killed} times");
}

#[test]
fn s14_a_disk_that_fails_at_any_call_leaves_the_old_one_and_no_mess() {
    if is_installer() || no_strace() {
        return;
    }
    let test = "s14_a_disk_that_fails_at_any_call_leaves_the_old_one_and_no_mess";
    let faults = [
        ("write", "ENOSPC"),
        ("fsync", "EIO"),
        ("mkdir", "EROFS"),
        ("mkdir", "ENOSPC"),
        ("symlink", "ENOSPC"),
        ("rename", "EIO"),
        ("fchmod", "EPERM"),
        ("openat", "ENOSPC"),
    ];
    for (call, error) in faults {
        let mut refused = 0;
        for when in 1..=calls(test, call, |home| drop(release(1).put(home))) {
            let temp = tempfile::tempdir().expect("a directory");
            let home = temp.path();
            release(1).put(home);
            let output = strace(test, home, &format!("error={error}:when={when}"), call);
            let what = format!("{call} {when} {error}");
            let release = whole(home, &what);
            let said = said(&output);
            match said.as_deref() {
                // A folder that cannot be synced after the swap takes nothing back.
                Some("new") => assert_eq!(release, 2, "{what}"),
                Some(code) => {
                    assert_eq!(release, 1, "{what}: {code}");
                    assert!(["disk", "foreign", "self_check"].contains(&code), "{what}: {code}");
                    assert_eq!(leftovers(home), Vec::<String>::new(), "{what}: {code}");
                    refused += usize::from(code == "disk");
                }
                // The fault came before the installation, or to what it said.
                None => {}
            }
        }
        assert!(refused > 0, "{call} {error}: it was never refused");
    }
}

#[test]
fn s14_a_limit_on_the_size_of_files_leaves_the_old_one() {
    if is_installer() {
        return;
    }
    let test = "s14_a_limit_on_the_size_of_files_leaves_the_old_one";
    let temp = tempfile::tempdir().expect("a directory");
    release(1).put(temp.path());
    let output = installer(test, temp.path(), &["sh", "-c", "ulimit -f 0; exec \"$0\" \"$@\""]).output();
    assert!(!output.expect("it starts").status.success());
    assert_eq!(whole(temp.path(), "ulimit"), 1);
    release(3).install(temp.path()).expect("installed");
    assert_eq!(leftovers(temp.path()), Vec::<String>::new());
}

#[test]
fn s12_processes_that_install_at_once_end_in_one_generation() {
    if is_installer() {
        return;
    }
    let test = "s12_processes_that_install_at_once_end_in_one_generation";
    let temp = tempfile::tempdir().expect("a directory");
    let start = || installer(test, temp.path(), &[]).output().expect("it starts");
    let outputs: Vec<Output> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        started.into_iter().map(|thread| thread.join().expect("it ends")).collect()
    });
    let new = outputs.iter().filter(|output| said(output).as_deref() == Some("new")).count();
    let unchanged = outputs.iter().filter(|output| said(output).as_deref() == Some("unchanged")).count();
    assert_eq!((new, unchanged), (1, 7), "{outputs:?}");
    assert_eq!(whole(temp.path(), "eight at once"), 2);
    let generations = fs::read_dir(managed(temp.path()).folder().join("generations")).expect("a folder");
    assert_eq!(generations.count(), 1);
    assert_eq!(leftovers(temp.path()), Vec::<String>::new());
}
