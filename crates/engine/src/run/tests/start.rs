//! How processes start, and what they are told when they do not.

use std::process::Command;
use std::time::Instant;

use super::super::{Cancel, Invocation, Status, run_all};
use super::{PATH, hook, is_answer};
use crate::testing::TempDir;

/// Some files that are wrong in different ways.
fn strange_files() -> TempDir {
    let dir = TempDir::new();
    dir.script("ok.sh", "#!/bin/sh\necho \"$0 $# $1\"; exit 3\n");
    dir.script("no-shebang", "echo plain \"$1\"; exit 4\n");
    dir.script("crlf", "#!/bin/sh\r\necho x\r\n");
    dir.script("crlf-env", "#!/usr/bin/env sh\r\necho x\r\n");
    dir.script("no-interpreter", "#!/no/such/interpreter\n");
    dir.script("empty", "");
    dir.script("binary", "\x7fELF and nothing more");
    dir.write("not-executable", "#!/bin/sh\necho x\n");
    dir.write("folder/file", "");
    dir
}

#[test]
pub fn a_command_does_what_it_does_in_a_shell() {
    let dir = strange_files();
    #[rustfmt::skip]
    let commands = [
        "./ok.sh", "./ok.sh a b", "ok.sh", "sh ok.sh a", "./no-shebang a", "./crlf", "./crlf-env",
        "./no-interpreter", "./empty", "./binary", "./not-executable", "./folder", "folder/", "./missing a",
        "missing a", "/", "./ok.sh/x", "pwd", "printenv PWD", "env -u HOME printenv HOME", "./ok.sh | cat",
        "echo $HOME", "exit 5", "", "true", "X=1 ./ok.sh", "printenv PATH", "ls",
    ];
    for command in commands {
        let exit = hook(dir.path(), command).run();
        let shell = Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir(dir.path())
            .env_clear()
            .env("PATH", PATH)
            .env("HOME", dir.path())
            .output()
            .expect("a shell");
        let code = Status::Code(shell.status.code().expect("no signal"));
        assert_eq!((exit.status, exit.stdout), (code, shell.stdout), "{command:?}");
        assert_eq!(
            String::from_utf8_lossy(&exit.stderr),
            String::from_utf8_lossy(&shell.stderr),
            "{command:?}"
        );
    }
}

#[test]
fn what_cannot_be_executed_fails_as_in_a_shell() {
    let dir = strange_files();
    let cases = [
        ("./missing", 127, "not found"),
        ("missing", 127, "not found"),
        ("./not-executable", 126, "ermission denied"),
        ("./folder", 126, ""),
        ("./crlf", 127, "not found"),
        ("./no-interpreter", 127, "not found"),
        ("./no-shebang", 4, ""),
        ("./empty", 0, ""),
    ];
    for (command, code, text) in cases {
        let exit = hook(dir.path(), command).run();
        assert_eq!(exit.status, Status::Code(code), "{command}");
        assert!(exit.err().contains(text), "{command}: {}", exit.err());
    }
}

#[test]
pub fn a_directory_that_cannot_be_entered_is_named_and_no_other_is_used() {
    let dir = TempDir::new();
    let file = dir.write("file", "");
    for (run_dir, cause) in [(dir.path().join("gone"), "No such file"), (file, "Not a directory")] {
        for command in ["/bin/pwd", "pwd; touch started"] {
            let exit = hook(&run_dir, command).run();
            let Status::NotStarted(text) = &exit.status else { panic!("{:?}", exit.status) };
            assert!(text.contains(cause) && text.contains(run_dir.to_str().unwrap()), "{text}");
            assert_eq!(exit.out(), "");
        }
    }
    assert!(!dir.path().join("started").exists());
}

#[test]
fn the_directory_is_called_what_a_shell_would_call_it() {
    let dir = TempDir::new();
    dir.write("real/file", "");
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let cases = [
        ("nothing inherited: the real name", None, &real),
        ("the same directory by another name stays", Some(link.to_str().unwrap()), &link),
        ("another directory goes", Some("/"), &real),
        ("a relative name goes", Some("."), &real),
        ("what does not exist goes", Some("/no/such"), &real),
    ];
    for (name, inherited, expected) in cases {
        // The first is started directly, the second by a shell.
        for command in ["printenv PWD", "printenv PWD;"] {
            let mut hook = hook(&link, command);
            if let Some(inherited) = inherited {
                hook = hook.with("PWD", inherited);
            }
            assert_eq!(hook.run().out().trim_end(), expected.to_str().unwrap(), "{name}: {command}");
        }
    }
}

#[test]
fn the_environment_is_the_given_one_and_the_name_of_the_run() {
    let dir = TempDir::new();
    let text = hook(dir.path(), "env").with("A", "1 2\n3").with("ÄÖ.x", "=").run();
    let mut names: Vec<&str> =
        text.out().lines().filter_map(|line| line.split_once('=')).map(|pair| pair.0).collect();
    names.sort_unstable();
    assert_eq!(names, ["A", "BOATHOOK_RUN", "HOME", "PATH", "PWD", "ÄÖ.x"]);
    assert!(text.out().contains("A=1 2\n3\n") && text.out().contains("ÄÖ.x==\n"), "{}", text.out());
}

#[test]
pub fn a_nul_character_is_refused_and_named() {
    let dir = TempDir::new();
    let cases = [
        (hook(dir.path(), "echo a\0b"), "the command"),
        (hook(dir.path(), "echo").with("NAME", "a\0b"), "NAME"),
        (hook("a\0b".as_ref(), "echo"), "the directory"),
    ];
    for (hook, place) in cases {
        let Status::NotStarted(text) = hook.run().status else { panic!("{place} was accepted") };
        assert!(text.contains(place) && text.contains("NUL"), "{text}");
    }
}

#[test]
pub fn an_environment_beyond_the_systems_limit_does_not_start() {
    let dir = TempDir::new();
    let exit = hook(dir.path(), "/bin/true").with("BIG", &"x".repeat(200 * 1024)).run();
    let Status::NotStarted(text) = exit.status else { panic!("{:?}", exit.status) };
    assert!(text.contains("too long"), "{text}");
}

#[test]
fn a_program_that_is_still_being_written_is_tried_again() {
    let dir = TempDir::new();
    let program = dir.path().join("busy");
    std::fs::copy("/bin/true", &program).unwrap();
    // It is tried for 63 ms. Where a busy machine closed it later, that says nothing.
    let status = (0..100).find_map(|_| {
        let open = std::fs::OpenOptions::new().append(true).open(&program).unwrap();
        let begun = Instant::now();
        let closer = std::thread::spawn(move || {
            std::thread::sleep(super::ms(15));
            drop(open);
            begun.elapsed()
        });
        let status = hook(dir.path(), "./busy").run().status;
        (closer.join().unwrap() < super::ms(60)).then_some(status)
    });
    assert_eq!(status, Some(Status::Code(0)));
}

#[test]
pub fn hooks_run_together_and_answer_in_order() {
    let dir = TempDir::new();
    dir.script("meet.sh", "#!/bin/sh\ntouch $1; while [ ! -e $2 ]; do sleep 0.01; done; sleep $3; echo $1\n");
    let hooks: Vec<Invocation> =
        ["./meet.sh a b 0.1", "./missing", "./meet.sh b a 0"].map(|command| hook(dir.path(), command)).into();
    let exits = run_all(&hooks, is_answer, &Cancel::default());
    let outs: Vec<&str> = exits.iter().map(|exit| exit.out()).collect();
    assert_eq!(outs, ["a\n", "", "b\n"]);
    assert_eq!(run_all(&[], is_answer, &Cancel::default()), []);
}

#[test]
fn seventy_hooks_find_sixty_four_places() {
    let dir = TempDir::new();
    dir.script("count.sh", "#!/bin/sh\nmkdir run/$1; ls run | wc -l; sleep 0.3; rmdir run/$1\n");
    std::fs::create_dir(dir.path().join("run")).unwrap();
    let hooks: Vec<Invocation> = (0..70).map(|n| hook(dir.path(), &format!("./count.sh {n}"))).collect();
    let exits = run_all(&hooks, is_answer, &Cancel::default());
    assert!(exits.iter().all(|exit| exit.status == Status::Code(0)), "{exits:?}");
    let most = exits.iter().map(|exit| exit.out().trim().parse::<usize>().unwrap()).max();
    assert!(most <= Some(64), "{most:?} at once");
}
