//! What the host notices of a run: nothing, afterwards.
//!
//! What is counted here belongs to the whole process, and other tests run
//! beside; so each of these starts the test program again for itself alone.
#![allow(unsafe_code)]

use std::fs;
use std::process::Command;

use super::super::{Cancel, Invocation, Status, run_all};
use super::{hook, is_answer, ms};
use crate::testing::TempDir;

const ALONE: &str = "BOATHOOK_TEST_ALONE";

/// Runs the body in a process of its own.
fn alone(test: &str, body: fn(&TempDir)) {
    if std::env::var_os(ALONE).is_some() {
        return body(&TempDir::new());
    }
    let name = format!("run::tests::resources::{test}");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &name, "--test-threads=1", "--nocapture"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("1 passed"), "the test exists: {text}");
}

fn count(directory: &str) -> usize {
    fs::read_dir(directory).unwrap().count()
}

fn children() -> String {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    tasks.map(|task| fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default()).collect()
}

/// The greatest memory this process ever had, in KiB.
fn peak_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn nothing_leaks_on_any_path() {
    alone("nothing_leaks_on_any_path", |dir| {
        let hooks = || -> Vec<Invocation> {
            let commands =
                ["echo {}", "./missing", "exit 3", "kill -9 $$", "sleep 0.1 & echo text", "/bin/cat", "yes"];
            let mut hooks: Vec<Invocation> = commands
                .iter()
                .map(|command| hook(dir.path(), command).reading(vec![b'x'; 100_000]))
                .collect();
            hooks.push(hook(dir.path(), "sleep 20").within(10));
            hooks.push(hook(dir.path(), "(setsid sleep 20 &); sleep 20").within(30));
            hooks.push(hook(&dir.path().join("gone"), "echo"));
            hooks
        };
        let cancelled = Cancel::default();
        cancelled.cancel();
        run_all(&hooks(), is_answer, &Cancel::default());
        let before = (count("/proc/self/fd"), count("/proc/self/task"), children());
        for _ in 0..20 {
            let exits = run_all(&hooks(), is_answer, &Cancel::default());
            assert_eq!(exits[6].status, Status::TooMuchOutput);
            run_all(&hooks(), is_answer, &cancelled);
        }
        assert_eq!((count("/proc/self/fd"), count("/proc/self/task"), children()), before);
        assert_eq!(before.2, "", "no children are left");
    });
}

#[test]
fn a_gigabyte_of_output_needs_little_memory() {
    alone("a_gigabyte_of_output_needs_little_memory", |dir| {
        let limit = 16 * 1024 + 4 * 1024;
        let before = peak_memory();
        let flood = hook(dir.path(), "head -c 1000000000 /dev/zero").run();
        assert_eq!(flood.status, Status::TooMuchOutput);
        drop(flood);
        let command = "head -c 1000000000 /dev/zero >&2; echo {}";
        let exit = hook(dir.path(), command).run();
        assert_eq!((exit.status.clone(), exit.out()), (Status::Code(0), "{}\n"));
        let grown = peak_memory() - before;
        assert!(grown < limit, "{grown} KiB more");
    });
}

#[test]
fn a_closed_stdin_never_kills_a_host_with_default_signals() {
    alone("a_closed_stdin_never_kills_a_host_with_default_signals", |dir| {
        // SAFETY: sets a signal to its default, as programs in C have it.
        unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        for command in [
            "exec <&-; sleep 0.2; echo {}",
            "echo {}",
            "head -c 70000 >/dev/null; exec <&-; sleep 0.1; echo {}",
        ] {
            let exit = hook(dir.path(), command).reading(vec![b'x'; 5 << 20]).run();
            assert_eq!(exit.out(), "{}\n", "{command}");
        }
    });
}

#[test]
fn a_hook_gets_nothing_the_host_left_open_or_blocked() {
    alone("a_hook_gets_nothing_the_host_left_open_or_blocked", |dir| {
        // SAFETY: a descriptor that everything inherits, and signals that are
        // blocked or ignored in this process.
        unsafe {
            libc::dup2(1, 77);
            let mut all = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, std::ptr::null_mut());
            libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        }
        let exit = hook(dir.path(), "ls /proc/self/fd; grep -E 'Sig(Blk|Ign)' /proc/self/status").run();
        let words: Vec<&str> = exit.out().split_ascii_whitespace().collect();
        let zero = "0000000000000000";
        // 3 is the directory that `ls` reads.
        assert_eq!(words, ["0", "1", "2", "3", "SigBlk:", zero, "SigIgn:", zero]);
    });
}

#[test]
fn a_host_without_descriptors_or_standard_files_is_told_so() {
    alone("a_host_without_descriptors_or_standard_files_is_told_so", |dir| {
        let small = libc::rlimit { rlim_cur: 3, rlim_max: 4096 };
        let normal = libc::rlimit { rlim_cur: 1024, rlim_max: 4096 };
        // SAFETY: limits of this process, and its own descriptors.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &small) };
        let exit = hook(dir.path(), "echo {}").run();
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &normal) };
        let Status::NotStarted(text) = exit.status else { panic!("{:?}", exit.status) };
        assert!(text.contains("open files"), "{text}");

        // SAFETY: stdin is closed; the pipes of a hook may take its number.
        unsafe { libc::close(0) };
        for size in [3, 100_000] {
            let exit = hook(dir.path(), "wc -c").reading(vec![b'x'; size]).run();
            assert_eq!(exit.out().trim(), size.to_string());
        }
    });
}

#[test]
fn a_host_that_ignores_its_children_sees_no_success() {
    alone("a_host_that_ignores_its_children_sees_no_success", |dir| {
        // SAFETY: the kernel then reaps children by itself.
        unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
        let exit = hook(dir.path(), "echo {}").run();
        assert!(matches!(exit.status, Status::NotStarted(_)), "{:?}", exit.status);
    });
}

#[test]
fn a_hook_dies_with_its_host() {
    alone("a_hook_dies_with_its_host", |dir| {
        let pid_file = dir.path().join("pid");
        if std::env::var_os("BOATHOOK_TEST_HOST").is_some() {
            return;
        }
        // A thread is a host of its own: when it ends, so does its hook. Here
        // the host is a fork of this process that is killed.
        // SAFETY: the child runs one hook and nothing that needs other threads.
        let host = unsafe { libc::fork() };
        if host == 0 {
            hook(dir.path(), "/bin/sh -c 'echo $$ > pid; exec sleep 40'").run();
            unsafe { libc::_exit(0) };
        }
        while fs::read_to_string(&pid_file).unwrap_or_default().is_empty() {
            std::thread::sleep(ms(5));
        }
        let pid = fs::read_to_string(&pid_file).unwrap();
        // SAFETY: our own child.
        unsafe {
            libc::kill(host, libc::SIGKILL);
            libc::waitpid(host, std::ptr::null_mut(), 0);
        }
        std::thread::sleep(ms(200));
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    });
}
