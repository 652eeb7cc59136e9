//! The first-time notice: people are asked until they answer, programs never.
#![cfg(unix)]

use crate::context::{TestContext, pipe};
use crate::signing_server::{Hook, SIGN_IN, TeamServer, hook};
use crate::terminal::Terminal;

const NOTICE: &str = "This team uses admin-enabled hooks";
const QUESTION: &str = "[c]ontinue, [v]iew hooks, [l]og out? ";

fn guard() -> Hook {
    hook("beforeShellExecution", "guard.sh", "#!/bin/sh\ncat >/dev/null\nexit 2\n")
}

fn member() -> (TestContext, TeamServer) {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.publish(&[guard()]);
    server.log_in(&cx, SIGN_IN);
    (cx, server)
}

fn at_a_terminal(cx: &TestContext, words: &[&str]) -> Terminal {
    Terminal::start(&cx.command(words))
}

#[test]
fn it_is_shown_by_every_command_until_it_is_answered() {
    let (cx, _server) = member();
    for words in [&["list"][..], &["doctor"], &["team", "status"], &["team", "sync"], &["team", "hooks"]] {
        let mut terminal = at_a_terminal(&cx, words);
        terminal.expect(NOTICE).expect(QUESTION).types("");
        let (_, screen) = terminal.end();
        assert!(screen.contains("Not answered: this is asked again."), "{words:?}: {screen}");
    }
    let mut terminal = at_a_terminal(&cx, &["team", "status"]);
    terminal.expect(QUESTION).types("v").expect("guard.sh").expect(QUESTION).types("c");
    assert_eq!(terminal.end().0, 0);
    let (code, screen) = at_a_terminal(&cx, &["team", "status"]).end();
    assert!(code == 0 && !screen.contains(NOTICE), "{screen}");
}

/// The command in a terminal of so many columns.
fn in_columns(cx: &TestContext, columns: usize, words: &[&str]) -> Terminal {
    let plain = cx.command(words);
    let narrow = format!("stty cols {columns} rows 50; exec \"$@\"");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &narrow, "sh"]).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(cx.project());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    Terminal::start(&command)
}

#[test]
fn it_fits_the_terminal_and_an_end_of_the_input_has_a_line_of_its_own() {
    let (cx, _server) = member();
    for columns in [40, 80] {
        let mut terminal = in_columns(&cx, columns, &["team", "sync", "--now"]);
        terminal.expect(NOTICE).expect(QUESTION).presses("\u{4}");
        let (_, screen) = terminal.end();
        let (_, notice) = screen.split_once("\n\n").expect("a line between");
        assert!(notice.lines().all(|line| line.chars().count() <= columns), "{columns}: {notice}");
        let words = notice.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("It sees what your agents do, and may hold it back."), "{words}");
        assert!(notice.contains("\nNot answered: this is asked again."), "{columns}: {notice}");
    }
}

/// Types something while nobody reads it yet.
#[test]
fn what_was_typed_ahead_is_no_answer() {
    let (cx, _server) = member();
    let plain = cx.command(["team", "status"]);
    let wait = "echo begun; until [ -e \"$HOME/go\" ]; do sleep 0.05; done; exec \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", wait, "sh"]).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(cx.project());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = Terminal::start(&command);
    // The terminal shows what it got, so it has it.
    terminal.expect("begun").types("logout").expect("logout");
    cx.write("home/go", "");
    terminal.expect("1 hook of team «Harbour»").expect("is in force").expect(QUESTION).types("");
    let (_, screen) = terminal.end();
    assert!(screen.contains("Not answered: this is asked again."), "{screen}");
    assert!(cx.output(["team", "status"]).status.success());
}

#[test]
fn no_program_ever_sees_it() {
    let (cx, _server) = member();
    for words in [&["list"][..], &["doctor"], &["team", "status"], &["team", "sync"], &["team", "hooks"]] {
        let output = cx.output(words);
        let said = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains(NOTICE), "{words:?}");
    }
    let data: [&[&str]; 4] = [
        &["run", "beforeShellExecution", "--field", "command=ls"],
        &["team", "status", "--json"],
        &["team", "hooks", "--json"],
        &["list", "--json"],
    ];
    for words in data {
        let (_, screen) = at_a_terminal(&cx, words).end();
        assert!(!screen.contains(NOTICE), "{words:?}: {screen}");
    }
}

#[test]
fn it_holds_nothing_back_and_needs_hooks_to_be_there() {
    let (cx, server) = (TestContext::new(), TeamServer::start(1));
    server.log_in(&cx, SIGN_IN);
    let (_, screen) = at_a_terminal(&cx, &["team", "status"]).end();
    assert!(!screen.contains(NOTICE), "a team without hooks: {screen}");
    server.publish(&[guard()]);
    let mut terminal = at_a_terminal(&cx, &["team", "sync", "--now"]);
    terminal.expect(NOTICE).expect(QUESTION);
    let output = pipe(cx.command(["run", "beforeShellExecution", "--field", "command=ls"]), b"");
    assert_eq!(output.status.code(), Some(2), "the hooks apply while the question stands");
    terminal.types("c");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn log_out_is_one_of_the_answers() {
    let (cx, server) = member();
    let mut terminal = at_a_terminal(&cx, &["list"]);
    terminal.expect(QUESTION).types("l").expect("has left team «Harbour»");
    assert_eq!(terminal.end().0, 0);
    assert!(server.asked().contains(&"DELETE /api/v1/login".to_owned()));
    assert_eq!(cx.output(["run", "beforeShellExecution", "--field", "command=ls"]).status.code(), Some(0));
    // Whoever comes back is asked again.
    server.log_in(&cx, SIGN_IN);
    at_a_terminal(&cx, &["team", "status"]).expect(NOTICE);
}
