//! The runner on Windows, with what every Windows has.

use super::super::{Cancel, Invocation, STDOUT_LIMIT, Status, run_all};
use super::{hook, is_answer, ms, timed, timed_out};
use crate::testing::TempDir;

/// Sleeps so many seconds without reading or printing.
fn nap(seconds: u32) -> String {
    format!("ping -n {} 127.0.0.1 >nul", seconds + 1)
}

#[test]
fn cmd_runs_what_nothing_else_does() {
    let dir = TempDir::new();
    dir.write("script.bat", "@echo off\r\necho %1\r\nexit /b 7\r\n");
    let cases = [
        ("echo {}", Status::Code(0), "{}\r\n"),
        ("exit 3", Status::Code(3), ""),
        ("echo a&& echo b", Status::Code(0), "a\r\nb\r\n"),
        (r#".\script.bat "a b""#, Status::Code(7), "\"a b\"\r\n"),
    ];
    for (command, status, out) in cases {
        let exit = hook(dir.path(), command).run();
        assert_eq!((exit.status.clone(), exit.out()), (status, out), "{command}");
    }
    let exit = hook(dir.path(), "no-such-program").run();
    assert!(exit.status != Status::Code(0) && exit.err().contains("no-such-program"), "{exit:?}");
}

#[test]
fn what_cannot_start_says_why() {
    let dir = TempDir::new();
    let gone = hook(&dir.path().join("gone"), "echo").run();
    assert!(matches!(gone.status, Status::NotStarted(_)), "{:?}", gone.status);
}

/// The hook here is this very test, which then counts what it reads.
#[test]
fn input_of_any_size_arrives_and_nobody_has_to_read_it() {
    const COUNTING: &str = "BOATHOOK_TEST_COUNTING";
    if std::env::var_os(COUNTING).is_some() {
        let count = std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
        return println!("<{count}>");
    }
    let dir = TempDir::new();
    let test = "run::tests::on_windows::input_of_any_size_arrives_and_nobody_has_to_read_it";
    let program = std::env::current_exe().unwrap();
    let command = format!("\"{}\" --exact {test} --nocapture", program.display());
    for size in [0, 1, 4096, 100_000, 20 << 20] {
        let exit = hook(dir.path(), &command).reading(vec![b'x'; size]).with(COUNTING, "1").run();
        assert!(exit.out().contains(&format!("<{size}>")), "{size} bytes: {exit:?}");
        assert_eq!(hook(dir.path(), "exit 0").reading(vec![b'x'; size]).run().status, Status::Code(0));
    }
}

#[test]
fn the_clock_ends_a_whole_tree() {
    let dir = TempDir::new();
    let late = format!("{} & echo x>late", nap(2));
    dir.write("late.bat", &late);
    let (exit, waited) =
        timed(hook(dir.path(), &format!("start /b cmd /c late.bat & {}", nap(20))).within(700));
    assert_eq!(exit.status, timed_out(700));
    assert!(waited < ms(3700), "{waited:?}");
    std::thread::sleep(ms(4000));
    assert!(!dir.path().join("late").exists(), "nothing of the tree is left");
}

#[test]
fn work_in_the_background_goes_on_and_holds_nothing() {
    let dir = TempDir::new();
    dir.write("late.bat", format!("@{} & @echo x>late", nap(2)));
    let (exit, waited) = timed(hook(dir.path(), "start /b cmd /c late.bat & echo {}"));
    assert_eq!((exit.status.clone(), exit.out().trim_end()), (Status::Code(0), "{}"));
    assert!(exit.leaked && waited < ms(2000), "{waited:?}");
    std::thread::sleep(ms(5000));
    assert!(dir.path().join("late").exists());
}

#[test]
fn too_much_output_is_a_failure() {
    let dir = TempDir::new();
    let line = "x".repeat(4000);
    dir.write("flood.bat", format!("@echo off\r\n:again\r\necho {line}\r\ngoto again\r\n"));
    let exit = hook(dir.path(), r".\flood.bat").within(60_000).run();
    assert_eq!((exit.status, exit.stdout.len()), (Status::TooMuchOutput, STDOUT_LIMIT));
}

#[test]
fn hooks_run_together_and_a_cancel_ends_them() {
    let dir = TempDir::new();
    let hooks: Vec<Invocation> = (0..8).map(|_| hook(dir.path(), &nap(30))).collect();
    let cancel = Cancel::default();
    let canceller = std::thread::spawn({
        let cancel = cancel.clone();
        move || {
            std::thread::sleep(ms(1500));
            cancel.cancel();
        }
    });
    let exits = run_all(&hooks, is_answer, &cancel);
    canceller.join().unwrap();
    assert!(exits.iter().all(|exit| exit.status == Status::Cancelled), "{exits:?}");
}
