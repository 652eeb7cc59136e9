//! What the host notices of a run: nothing, afterwards.
//!
//! What is counted here belongs to the whole process, and other tests run
//! beside; so each of these starts the test program again for itself alone.
#![allow(unsafe_code)]

use std::fs;
use std::process::Command;

use super::super::{Cancel, Invocation, Status, run_all};
use super::{hook, is_answer, lives, ms, wait_until};
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

/// What this process has: descriptors, threads and children.
fn belongings() -> (usize, usize, String) {
    (count("/proc/self/fd"), count("/proc/self/task"), children())
}

/// The kernel wakes those who wait for a thread before it takes the thread off
/// its list, so for a moment there may seem to be one more. And what was killed
/// and took its time to die is fetched by a later run.
fn assert_has_only((fds, threads, children): (usize, usize, String)) {
    wait_until("its threads have ended", || count("/proc/self/task") <= threads);
    wait_until("its children have ended", fetched_all_but(&children));
    assert_eq!(belongings(), (fds, threads, children));
}

fn fetched_all_but(expected: &str) -> impl FnMut() -> bool + '_ {
    move || {
        run_all(&[], is_answer, &Cancel::default());
        children() == expected
    }
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
            hooks.push(hook(dir.path(), "sleep 0.3"));
            hooks.push(hook(&dir.path().join("gone"), "echo"));
            hooks
        };
        let cancelled = Cancel::default();
        cancelled.cancel();
        run_all(&hooks(), is_answer, &Cancel::default());
        wait_until("no children are left", fetched_all_but(""));
        let before = belongings();
        for _ in 0..20 {
            let exits = run_all(&hooks(), is_answer, &Cancel::default());
            assert_eq!(exits[6].status, Status::TooMuchOutput);
            run_all(&hooks(), is_answer, &cancelled);
        }
        assert_has_only(before);
    });
}

#[test]
fn a_gigabyte_of_output_needs_little_memory() {
    alone("a_gigabyte_of_output_needs_little_memory", |dir| {
        // What may be kept, and as much again for whatever else grows meanwhile.
        let limit = 2 * 16 * 1024;
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
        // 3 is the directory that `ls` reads.
        assert_eq!(words[..7], ["0", "1", "2", "3", "SigBlk:", "0000000000000000", "SigIgn:"]);
        let ignored = u64::from_str_radix(words[7], 16).unwrap();
        assert_eq!(ignored & (1 << (libc::SIGPIPE - 1)), 0, "SIGPIPE has its default");
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
        assert!(text.contains("(os error 24)"), "{text}");

        // Room for a few at a time: the others wait for it, also when one that
        // needs much follows the end of one that needed little.
        let waiting =
            |size| hook(dir.path(), "cat >/dev/null; sleep 0.05; echo {}").reading(vec![b'x'; size]);
        let hooks: Vec<Invocation> = [1, 1, 1, 1 << 20, 1, 1 << 20, 1 << 20, 1].map(waiting).into();
        let open = count("/proc/self/fd") as libc::rlim_t;
        for more in 9..=18 {
            let some = libc::rlimit { rlim_cur: open + more, rlim_max: 4096 };
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &some) };
            let exits = run_all(&hooks, is_answer, &Cancel::default());
            unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &normal) };
            let started = exits.iter().filter(|exit| exit.status == Status::Code(0)).count();
            assert_eq!(started, hooks.len(), "{more} descriptors: {exits:?}");
        }

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
fn hooks_do_not_outlive_a_host_that_is_killed() {
    alone("hooks_do_not_outlive_a_host_that_is_killed", |dir| {
        let cases = [
            ("a program, at once", "./sleeper.sh", false),
            ("a shell and its child", "./sleeper.sh; true", true),
            ("a daemon", "(setsid ./sleeper.sh &); sleep 40", true),
        ];
        dir.script("sleeper.sh", "#!/bin/sh\necho $$ > pid; exec sleep 40\n");
        for (name, command, guarded) in cases {
            let pid = pid_of_killed_host(dir, command, guarded);
            wait_until(&format!("{name}: it is gone"), || !lives(&pid));
        }
    });
}

/// Whether the guard of this host is there: until then only the hook itself
/// dies with it.
fn has_guard(host: libc::pid_t) -> bool {
    let tasks = fs::read_dir(format!("/proc/{host}/task")).unwrap();
    let children = tasks.map(|task| fs::read_to_string(task.unwrap().path().join("children")));
    let children: String = children.map(Result::unwrap_or_default).collect();
    let command = |pid: &str| fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    children.split_ascii_whitespace().any(|pid| command(pid).contains("boathook-guard"))
}

/// Runs a hook in a host of its own, kills the host, and gives the number that
/// the hook wrote down.
fn pid_of_killed_host(dir: &TempDir, command: &str, guarded: bool) -> String {
    let file = dir.path().join("pid");
    let _ = fs::remove_file(&file);
    // SAFETY: the fork runs one hook and nothing that needs other threads.
    let host = unsafe { libc::fork() };
    if host == 0 {
        hook(dir.path(), command).run();
        // SAFETY: ends the fork without the test harness's ways.
        unsafe { libc::_exit(0) };
    }
    wait_until("the hook runs", || fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n')));
    if guarded {
        wait_until("there is a guard", || has_guard(host));
    }
    // SAFETY: our own child.
    unsafe {
        libc::kill(host, libc::SIGKILL);
        libc::waitpid(host, std::ptr::null_mut(), 0);
    }
    fs::read_to_string(&file).unwrap().trim().to_owned()
}

#[test]
fn hosts_that_are_forks_of_one_have_runs_of_their_own() {
    alone("hosts_that_are_forks_of_one_have_runs_of_their_own", |dir| {
        // As any host has that ever had a map: the seed of this thread goes into both forks.
        let _seed = std::hash::RandomState::new();
        for file in ["one", "other"] {
            // SAFETY: the fork runs one hook and nothing that needs other threads.
            let host = unsafe { libc::fork() };
            if host == 0 {
                hook(dir.path(), &format!("echo $BOATHOOK_RUN > {file}")).run();
                // SAFETY: ends the fork without the test harness's ways.
                unsafe { libc::_exit(0) };
            }
            // SAFETY: our own child.
            unsafe { libc::waitpid(host, std::ptr::null_mut(), 0) };
        }
        let name_in = |file| fs::read_to_string(dir.path().join(file)).unwrap();
        assert_ne!(name_in("one"), name_in("other"));
    });
}

#[test]
fn a_signal_cancels_and_a_second_one_ends_the_program() {
    alone("a_signal_cancels_and_a_second_one_ends_the_program", |dir| {
        let cancel = super::super::cancel_on_signals();
        // The hook asks its host to end, as a person would.
        let exits = run_all(&[hook(dir.path(), "kill -TERM $PPID; sleep 40")], is_answer, &cancel);
        assert_eq!(exits[0].status, Status::Cancelled);
        let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: asks for an action.
        let now = unsafe {
            libc::sigaction(libc::SIGTERM, std::ptr::null(), action.as_mut_ptr());
            action.assume_init().sa_sigaction
        };
        assert_eq!(now, libc::SIG_DFL, "a second signal is not caught");
    });
}

#[test]
fn a_thousand_questions_leave_nothing_behind() {
    alone("a_thousand_questions_leave_nothing_behind", |dir| {
        use super::super::{Asked, Keeper, Limits, Read, Wish};
        let read = |line: &[u8]| Ok(Read { exit_code: 0, stdout: line.to_vec(), stderr: Vec::new() });
        let before = belongings();
        let keeper = Keeper::new(Limits { ahead: ms(0), ..Limits::default() });
        let stays = hook(dir.path(), "while read -r line; do echo \"$line\"; done");
        let breaks = hook(dir.path(), "read -r line; sleep 20 & exit 4");
        let ask = |hook: &Invocation| {
            let look = || -> super::super::Unchanged { Box::new(|| true) };
            let wish = Wish { owner: dir.path(), invocation: hook, look: &look };
            keeper.ask(&wish, b"a\n", &Cancel::default(), read)
        };
        ask(&stays);
        // It ends the processes should we be killed, and is started meanwhile.
        wait_until("there is a guard", || has_guard(std::process::id() as libc::pid_t));
        let kept = (count("/proc/self/fd"), count("/proc/self/task"));
        for _ in 0..1000 {
            assert!(matches!(ask(&stays), Asked::Told(exit, _) if exit.stdout == b"a"));
        }
        for _ in 0..3 {
            ask(&breaks);
        }
        // While the guard was being started there may have been more open.
        let after = (count("/proc/self/fd"), count("/proc/self/task"));
        assert!(after.0 <= kept.0 && after.1 <= kept.1, "{after:?}, and {kept:?} at first");
        drop(keeper);
        assert_has_only(before);
    });
}

#[test]
fn what_is_kept_does_not_outlive_a_host_that_is_killed() {
    alone("what_is_kept_does_not_outlive_a_host_that_is_killed", |dir| {
        use super::super::{Keeper, Limits, Read, Unchanged, Wish};
        let command = "(setsid sh -c 'echo $$ > daemon; exec sleep 40' &); echo $$ > pid; cat";
        // SAFETY: the fork keeps a process, and uses nothing that another thread had.
        let host = unsafe { libc::fork() };
        if host == 0 {
            let keeper = Keeper::new(Limits::default());
            let hook = hook(dir.path(), command);
            let look = || -> Unchanged { Box::new(|| true) };
            let wish = Wish { owner: dir.path(), invocation: &hook, look: &look };
            let read = |line: &[u8]| Ok(Read { exit_code: 0, stdout: line.to_vec(), stderr: Vec::new() });
            keeper.ask(&wish, b"a\n", &Cancel::default(), read);
            std::thread::sleep(ms(40_000));
            // SAFETY: ends the fork without the test harness's ways.
            unsafe { libc::_exit(0) };
        }
        let pid_in = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap_or_default();
        wait_until("the hook and its daemon run", || {
            ["pid", "daemon"].iter().all(|name| pid_in(name).ends_with('\n'))
        });
        wait_until("there is a guard", || has_guard(host));
        // SAFETY: our own child.
        unsafe {
            libc::kill(host, libc::SIGKILL);
            libc::waitpid(host, std::ptr::null_mut(), 0);
        }
        for name in ["pid", "daemon"] {
            let pid = pid_in(name);
            wait_until(&format!("{name} is gone"), || !lives(pid.trim()));
        }
    });
}
