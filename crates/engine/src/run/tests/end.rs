//! How processes end: by themselves, by the clock, by the caller.

use std::time::Instant;

use super::super::{Cancel, Exit, Invocation, Status, run_all, signal_name};
use super::{SOON, hook, is_answer, ms, timed, timed_out};
use crate::testing::TempDir;

#[test]
pub fn exit_codes_and_signals_are_told_apart() {
    let dir = TempDir::new();
    dir.script("signal.sh", "#!/bin/sh\nkill -$1 $$\n");
    let cases = [
        ("exit 0", Status::Code(0)),
        ("exit 2", Status::Code(2)),
        ("exit 139", Status::Code(139)),
        ("exit 255", Status::Code(255)),
        ("./signal.sh SEGV", Status::Signal(11)),
        ("./signal.sh KILL", Status::Signal(9)),
        ("kill -TERM $$", Status::Signal(15)),
    ];
    for (command, expected) in cases {
        assert_eq!(hook(dir.path(), command).run().status, expected, "{command}");
    }
    assert_eq!(signal_name(11), "SIGSEGV");
}

#[test]
fn nothing_printed_before_an_exit_is_lost() {
    let dir = TempDir::new();
    let hooks = |command: &str| -> Vec<Invocation> { vec![hook(dir.path(), command).reading("{}"); 250] };
    for command in ["printf {\"permission\":\"deny\"}", "/bin/echo deny"] {
        let command = command.replace("printf", "/usr/bin/printf %s");
        let exits: Vec<Exit> =
            (0..2).flat_map(|_| run_all(&hooks(&command), is_answer, &Cancel::default())).collect();
        let denied =
            exits.iter().filter(|exit| exit.out().contains("deny") && exit.status == Status::Code(0)).count();
        assert_eq!(denied, 500, "{command}");
    }
}

#[test]
fn the_clock_ends_what_does_not_end_itself() {
    let dir = TempDir::new();
    let cases = [
        ("sleeps", "sleep 300"),
        ("sleeps behind a shell", "sleep 300; echo done"),
        ("traps TERM", "trap '' TERM HUP INT; sleep 300; sleep 300"),
        ("a child traps TERM", "sh -c 'trap \"\" TERM; sleep 300' & wait"),
        ("stops itself", "kill -STOP $$; echo woke"),
        ("closes its stdout", "exec >&- 2>&-; sleep 300"),
        ("closes everything", "exec <&- >&- 2>&-; sleep 300"),
        (
            "reads byte by byte",
            "while dd bs=1 count=1 2>/dev/null | grep -q x; do sleep 0.01; done; sleep 300",
        ),
        ("prints for ever", "while :; do echo line; sleep 0.01; done"),
        ("exits with success when told to end", "trap 'exit 0' TERM; sleep 300 & wait"),
        ("spins", "while :; do :; done"),
    ];
    for (name, command) in cases {
        let (exit, waited) = timed(hook(dir.path(), command).reading("x".repeat(5000)).within(200));
        assert_eq!(exit.status, timed_out(200), "{name}");
        assert!(waited >= ms(200) && waited < ms(SOON), "{name}: {waited:?}");
    }
}

#[test]
fn each_has_its_own_clock() {
    let dir = TempDir::new();
    let hooks = [
        hook(dir.path(), "sleep 30").within(100),
        // So long that a busy machine has ended the first by then.
        hook(dir.path(), "sleep 5; echo late"),
        hook(dir.path(), "sleep 30").within(300),
    ];
    let exits = run_all(&hooks, is_answer, &Cancel::default());
    let statuses: Vec<&Status> = exits.iter().map(|exit| &exit.status).collect();
    assert_eq!(statuses, [&timed_out(100), &Status::Code(0), &timed_out(300)]);
    assert_eq!(exits[1].out(), "late\n");
    assert!(exits[0].duration < exits[1].duration && exits[1].duration >= ms(5000));
}

#[test]
fn a_timeout_beyond_the_end_of_time_is_no_timeout() {
    let dir = TempDir::new();
    let mut hook = hook(dir.path(), "echo x");
    hook.timeout = std::time::Duration::MAX;
    assert_eq!(hook.run().status, Status::Code(0));
}

#[test]
pub fn what_was_printed_before_the_clock_ran_out_is_kept() {
    // A busy machine may need more time until it is printed.
    let printed = [1000, 5000, 25_000].into_iter().any(|timeout| {
        let dir = TempDir::new();
        let exit = hook(dir.path(), "echo out; echo err >&2; touch printed; sleep 30").within(timeout).run();
        assert_eq!(exit.status, timed_out(timeout));
        let printed = dir.path().join("printed").exists();
        assert!(!printed || (exit.out(), exit.err()) == ("out\n", "err\n"), "{exit:?}");
        printed
    });
    assert!(printed);
}

#[test]
fn a_cancelled_run_ends_soon_and_starts_nothing_more() {
    let dir = TempDir::new();
    let hooks: Vec<Invocation> =
        (0..70).map(|n| hook(dir.path(), &format!("touch {n}; sleep 300; echo x"))).collect();
    let cancel = Cancel::default();
    let other = cancel.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(ms(300));
        other.cancel();
        Instant::now()
    });
    let exits = run_all(&hooks, is_answer, &cancel);
    let end = Instant::now();
    let cancelled = canceller.join().unwrap();
    assert!(exits.iter().all(|exit| exit.status == Status::Cancelled));
    assert!(end - cancelled < ms(SOON), "{:?}", end - cancelled);
    assert!(!dir.path().join("64").exists(), "the 65th was waiting for a place");
    assert!(run_all(&hooks, is_answer, &cancel).iter().all(|exit| exit.status == Status::Cancelled));
}
