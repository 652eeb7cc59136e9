//! What goes through the pipes, and who holds them.

use super::super::{STDERR_KEPT, STDOUT_LIMIT, Status};
use super::{SOON, hook, ms, timed, timed_out, wait_until};
use crate::testing::TempDir;

#[test]
fn input_of_any_size_arrives_as_it_is() {
    let dir = TempDir::new();
    for size in [0, 1, 4096, 65_536, 65_537, 97 * 1024, 128 * 1024, 2 << 20, 15 << 20] {
        let input: Vec<u8> = (0..size).map(|n: u32| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let exit = hook(dir.path(), "cat").reading(input.clone()).run();
        assert!(exit.status == Status::Code(0) && exit.stdout == input, "{size} bytes: {:?}", exit.status);
    }
    let exit = hook(dir.path(), "wc -c").reading(vec![b'x'; 64 << 20]).run();
    assert_eq!(exit.out().trim(), (64 << 20).to_string());
}

#[test]
fn stdin_is_a_pipe_that_ends() {
    let dir = TempDir::new();
    for size in [3, 100_000] {
        let exit =
            hook(dir.path(), "test -p /dev/stdin && cat /dev/stdin | wc -c").reading(vec![b'x'; size]).run();
        assert_eq!(exit.out().trim(), size.to_string());
    }
}

#[test]
pub fn writing_before_reading_is_no_deadlock() {
    let dir = TempDir::new();
    let many = "dd if=/dev/zero bs=300000 count=1 2>/dev/null";
    let commands = [
        format!("{many}; cat"),
        format!("{many} >&2; {many}; cat"),
        format!("{many}; cat >/dev/null; {many}"),
    ];
    for command in commands {
        let (exit, waited) = timed(hook(dir.path(), &command).reading(vec![b'y'; 300_000]));
        assert_eq!((exit.status, exit.stdout.len()), (Status::Code(0), 600_000), "{command}");
        assert!(waited < ms(SOON), "{command}: {waited:?}");
    }
}

#[test]
fn a_hook_that_does_not_read_is_fine() {
    let dir = TempDir::new();
    let big = vec![b'x'; 64 << 20];
    let cases = [
        ("exits at once", "echo {}", 0),
        ("closes its stdin", "exec <&-; sleep 0.1; echo {}", 100),
        ("reads a little", "head -c 10 >/dev/null; echo {}", 0),
        ("takes its time", "sleep 0.2; echo {}", 200),
    ];
    for (name, command, least) in cases {
        let (exit, waited) = timed(hook(dir.path(), command).reading(big.clone()));
        assert_eq!((exit.status.clone(), exit.out()), (Status::Code(0), "{}\n"), "{name}");
        assert!(waited >= ms(least) && waited < ms(SOON), "{name}: {waited:?}");
    }
    let (exit, waited) = timed(hook(dir.path(), "sleep 300").reading(big).within(200));
    assert_eq!(exit.status, timed_out(200));
    assert!(waited < ms(SOON), "{waited:?}");
}

#[test]
pub fn a_background_child_cannot_hold_the_answer() {
    let dir = TempDir::new();
    let cases = [
        ("a whole answer", "sleep 60 & echo {}", "{}\n", 0),
        ("not an answer", "sleep 60 & echo text", "text\n", 0),
        ("silent", "sleep 60 &", "", 0),
        ("only stderr is held", "sleep 60 >/dev/null & echo text", "text\n", 0),
        ("a failure", "sleep 60 & echo no >&2; exit 2", "", 2),
        (
            "only stdin is held",
            // It has let go of the others when it has come to `touch`.
            "sh -c 'touch held; exec sleep 60' >/dev/null 2>&1 & until [ -e held ]; do sleep 0.02; done; echo {}",
            "{}\n",
            0,
        ),
        ("it talks on", "(sleep 0.02; echo more; sleep 60) & echo text", "text\nmore\n", 0),
        ("it never stops talking", "(while sleep 0.01; do echo x >&2; done) & echo text", "text\n", 0),
    ];
    for (name, command, out, code) in cases {
        let (exit, waited) = timed(hook(dir.path(), command));
        assert_eq!(exit.status, Status::Code(code), "{name}");
        // On a busy machine the child may be too late with what it says.
        assert!(
            exit.out() == out || (name == "it talks on" && exit.out() == "text\n"),
            "{name}: {}",
            exit.out()
        );
        assert_eq!(exit.leaked, name != "only stdin is held", "{name}");
        assert!(waited < ms(SOON), "{name}: {waited:?}");
    }
    // `sleep 60` and its like are left alive on purpose; they end by themselves,
    // and the one that talks is told by its broken pipe.
}

#[test]
fn work_left_in_the_background_goes_on() {
    let dir = TempDir::new();
    let command = "(until [ -e go ]; do sleep 0.02; done; echo done > later) & echo {}";
    assert!(hook(dir.path(), command).run().leaked);
    dir.write("go", "");
    wait_until("it went on", || dir.path().join("later").exists());
}

#[test]
fn a_pipe_inside_a_hook_ends_as_usual() {
    let dir = TempDir::new();
    let exit = hook(dir.path(), "yes | head -n 1").run();
    assert_eq!((exit.status.clone(), exit.out(), exit.err()), (Status::Code(0), "y\n", ""));
}

#[test]
fn too_much_on_stdout_is_a_failure_and_on_stderr_is_not() {
    let dir = TempDir::new();
    let exit = hook(dir.path(), "head -c 16777216 /dev/zero").run();
    assert_eq!((exit.status, exit.stdout.len()), (Status::Code(0), STDOUT_LIMIT));
    let (exit, waited) = timed(hook(dir.path(), "head -c 16777217 /dev/zero; sleep 50"));
    assert_eq!((exit.status, exit.stdout.len()), (Status::TooMuchOutput, STDOUT_LIMIT));
    assert!(waited < ms(SOON), "{waited:?}");
    let exit = hook(dir.path(), "echo head >&2; head -c 3000000 /dev/zero >&2; echo tail >&2; echo {}").run();
    assert_eq!((exit.status.clone(), exit.out()), (Status::Code(0), "{}\n"));
    assert!(exit.stderr.starts_with(b"head\n") && exit.stderr.ends_with(b"tail\n"));
    assert!(exit.stderr.len() < 2 * STDERR_KEPT + 100, "{}", exit.stderr.len());
    assert!(exit.err().contains("bytes left out"));
}
