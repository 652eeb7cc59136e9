//! Nothing of a killed tree is left, whatever it does to hide.

use std::fs;
use std::path::Path;

use super::super::{Cancel, Status, run_all};
use super::{dies, hook, is_answer, ms, timed_out};
use crate::testing::TempDir;

/// Each hidden process notes its number in a file of this directory and then
/// sleeps for longer than any test.
const HIDE: &str = "#!/bin/sh\nsh -c 'echo $$ > pids/$0; exec sleep 40' \"$1\"\n";

/// Commands start the script as `sh ./hide.sh`. Executing it directly fails with
/// ETXTBSY while a child that another thread just forked still holds the
/// descriptor the script was written through.
fn den() -> TempDir {
    let dir = TempDir::new();
    dir.script("hide.sh", HIDE);
    fs::create_dir(dir.path().join("pids")).unwrap();
    dir
}

fn hidden(dir: &Path) -> Vec<String> {
    let files = fs::read_dir(dir.join("pids")).unwrap();
    // One that was killed before it wrote its number is not among them.
    let numbers = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap().trim().to_owned());
    numbers.filter(|number| !number.is_empty()).collect()
}

/// Runs a command until its time is over, and gives those that hid. A busy
/// machine may need more time until so many have started.
fn hidden_from_the_clock(name: &str, command: &str, at_least: usize) -> Vec<String> {
    let tries = [3000, 10_000, 20_000].into_iter().map(|timeout| {
        let dir = den();
        let exit = hook(dir.path(), command).within(timeout).run();
        assert_eq!(exit.status, timed_out(timeout), "{name}: {}", exit.err());
        let pids = hidden(dir.path());
        let left: Vec<&String> = pids.iter().filter(|pid| !dies(pid)).collect();
        assert!(left.is_empty(), "{name}: {left:?} are alive");
        pids
    });
    let mut enough = tries.filter(|pids| pids.len() >= at_least);
    enough.next().unwrap_or_else(|| panic!("{name}: all had started"))
}

#[test]
fn a_killed_hook_leaves_nothing_behind() {
    let cases = [
        ("children", 3, "sh ./hide.sh a & sh ./hide.sh b & sh ./hide.sh c"),
        ("children that ignore signals", 1, "trap '' TERM HUP INT; sh ./hide.sh a & wait"),
        ("an orphan in the group", 1, "(sh ./hide.sh a &); sleep 40"),
        ("another session", 1, "setsid -w sh ./hide.sh a"),
        ("another session, in the background", 1, "setsid sh ./hide.sh a & sleep 40"),
        ("an orphan in another session", 1, "(setsid sh ./hide.sh a &); sleep 40"),
        (
            "a daemon with its pipes closed",
            1,
            "(setsid sh ./hide.sh a </dev/null >/dev/null 2>&1 &); sleep 40",
        ),
        (
            "a session in a session",
            2,
            "setsid sh -c 'sh ./hide.sh a & exec setsid -w sh ./hide.sh b' & sleep 40",
        ),
        ("without its environment", 1, "env -i /usr/bin/setsid -w sh ./hide.sh a"),
        (
            "a stopped daemon",
            1,
            "(setsid sh ./hide.sh a &); until [ -s pids/a ]; do sleep 0.02; done; kill -STOP $(cat pids/a); sleep 40",
        ),
    ];
    let leaves_nothing = |(name, expected, command): (&str, usize, &str)| {
        assert_eq!(hidden_from_the_clock(name, command, expected).len(), expected, "{name}");
    };
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || leaves_nothing(case));
        }
    });
}

#[test]
fn many_processes_die_at_once() {
    hidden_from_the_clock("many", "for i in $(seq 200); do sh ./hide.sh $i & done; wait", 51);
}

#[test]
fn too_much_output_and_a_cancel_kill_trees_too() {
    let dir = den();
    let started = "while [ ! -s pids/a ]; do sleep 0.01; done";
    let flood = hook(dir.path(), &format!("(setsid sh ./hide.sh a &); {started}; exec yes"));
    assert_eq!(flood.run().status, Status::TooMuchOutput);
    assert!(dies(&hidden(dir.path())[0]));

    let dir = den();
    let cancel = Cancel::default();
    let canceller = std::thread::spawn({
        let (cancel, file) = (cancel.clone(), dir.path().join("pids/a"));
        move || {
            while fs::read_to_string(&file).unwrap_or_default().is_empty() {
                std::thread::sleep(ms(5));
            }
            cancel.cancel();
        }
    });
    let exits = run_all(&[hook(dir.path(), "(setsid sh ./hide.sh a &); sleep 40")], is_answer, &cancel);
    canceller.join().unwrap();
    assert_eq!(exits[0].status, Status::Cancelled);
    assert!(dies(&hidden(dir.path())[0]));
}

#[test]
fn a_neighbour_is_not_touched() {
    let dir = den();
    let hooks = [
        hook(dir.path(), "sleep 40").within(200),
        hook(dir.path(), "setsid -w sh -c 'sleep 0.6; echo lived'"),
    ];
    let exits = run_all(&hooks, is_answer, &Cancel::default());
    assert_eq!((&exits[0].status, exits[1].out()), (&timed_out(200), "lived\n"));
}

#[test]
fn an_inner_run_dies_with_the_outer_one() {
    // What an inner Boathook does: its hook's marker begins with its own.
    let inner = "(env BOATHOOK_RUN=$BOATHOOK_RUN/00ff.0 setsid sh ./hide.sh a &); sleep 40";
    hidden_from_the_clock("an inner run", inner, 1);
}
