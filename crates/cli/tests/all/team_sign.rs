//! `boathook team admin sign` at a terminal: only who types what is asked for
//! signs.

#![cfg(unix)]

use std::process::Command;

use crate::serving::{Person, Server};
use crate::terminal::Terminal;

const KEYS: &str = "This decides who may sign. Type the first 8 digits of the digest: ";
const HOOKS: &str = "Sign all of this? Type yes: ";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

/// A team whose keys wait to be handed to one admin.
fn team() -> (Person, Server) {
    let person = Person::new();
    let server = Server::start(&person, &["--database", &person.database()]);
    person.must(&["team", "admin", "login", &server.url, "--token", &server.sign_in_token()]);
    let file = key(&person);
    let public = person.must(&["team", "admin", "key", "new", &file]);
    person.must(&["team", "admin", "strict", "--key", public.trim()]);
    (person, server)
}

fn key(person: &Person) -> String {
    person.path("me.key").display().to_string()
}

fn sign(person: &Person) -> Command {
    person.command(["--color", "never", "team", "admin", "sign", "--key", &key(person)])
}

fn digest(person: &Person) -> String {
    let shown: serde_json::Value =
        serde_json::from_str(&person.must(&["team", "admin", "sign", "--json"])).expect("JSON");
    shown["accept"].as_str().expect("something waits").to_owned()
}

/// Whatever else is typed, nothing is signed, and that is said on a line of its own.
fn refuses(person: &Person, question: &str, typed: &[&str]) {
    let waits = digest(person);
    for keys in typed {
        let mut terminal = Terminal::start(&sign(person));
        terminal.expect(question).presses(keys);
        let (code, screen) = terminal.end();
        assert_ne!(code, 0, "{keys:?}: {screen}");
        let said = screen.lines().any(|line| line == "error: nothing was signed");
        assert!(said || *keys == CTRL_C, "{keys:?}: {screen}");
        assert_eq!(digest(person), waits, "{keys:?}");
    }
}

#[test]
fn only_who_types_what_is_asked_for_signs() {
    let (person, _server) = team();
    refuses(&person, KEYS, &["yes\n", "y\n", "\n", "00000000\n", CTRL_D, CTRL_C]);
    let digits = digest(&person)[..8].to_owned();
    let mut terminal = Terminal::start(&sign(&person));
    terminal.expect(KEYS).types(&digits).expect("root 2 has all its signatures and is out");
    assert_eq!(terminal.end().0, 0);

    person.publish_guard();
    refuses(&person, HOOKS, &["y\n", "n\n", "YES\n", "\n", "yes please\n", CTRL_D, CTRL_C]);
    let mut terminal = Terminal::start(&sign(&person));
    terminal.expect("guard.sh").expect(HOOKS).types("yes").expect("has all its signatures and is out");
    assert_eq!(terminal.end().0, 0);

    // Where nothing waits that is said, once.
    let (code, screen) = Terminal::start(&sign(&person)).end();
    assert_eq!((code, screen.matches("nothing waits").count()), (1, 1), "{screen}");
}

#[test]
fn what_was_typed_before_the_question_signs_nothing() {
    let (person, _server) = team();
    let digits = digest(&person)[..8].to_owned();
    let plain = sign(&person);
    let wait = "echo begun; until [ -e \"$HOME/go\" ]; do sleep 0.05; done; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", wait, "sh"]).arg(plain.get_program()).args(plain.get_args());
    command.current_dir(person.project());
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = Terminal::start(&command);
    // The terminal shows what it got, so it has it.
    terminal.expect("begun").types(&digits).expect(&digits);
    person.write("home/go", "");
    terminal.expect(KEYS).types("");
    let (code, screen) = terminal.end();
    assert_eq!(code, 1, "{screen}");
    assert!(screen.contains("nothing was signed"), "{screen}");
}
