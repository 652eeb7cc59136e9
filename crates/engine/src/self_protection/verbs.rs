//! Commands of ours that change what decides, however they are started, and programs that stop our daemon.

use super::Touched;
use super::command::PROGRAM;
use super::options::{is_partly_unknown, operands};
use super::programs::{RUNS_INPUT, TEXT_TOOLS, carries_text, is_interpreter};
use crate::rule::shell::{Command, Reading, Word};

const SETTINGS_COMMAND: &str = "what Boathook trusts, connects or protects";
const DAEMON: &str = "Boathook's daemon";

/// One command of ours.
struct OurVerb {
    words: &'static [&'static str],
    /// It changes something only with this option.
    needs: Option<&'static str>,
    /// Arguments that make it harmless.
    harmless: &'static [&'static str],
}

const fn verb(words: &'static [&'static str], harmless: &'static [&'static str]) -> OurVerb {
    OurVerb { words, needs: None, harmless }
}

/// Commands of ours that change what decides.
const OUR_VERBS: [OurVerb; 18] = [
    verb(&["unlock"], &["--status"]),
    verb(&["trust"], &["--status"]),
    verb(&["agent", "install"], &["--dry-run"]),
    verb(&["agent", "uninstall"], &["--dry-run"]),
    // An event that no agent sent changes the state of a session.
    verb(&["agent", "hook"], &[]),
    verb(&["run", "sessionstart"], &[]),
    verb(&["run", "sessionend"], &[]),
    verb(&["team", "login"], &[]),
    verb(&["team", "logout"], &[]),
    verb(&["team", "admin"], &[]),
    verb(&["team", "bundle"], &[]),
    verb(&["daemon", "install"], &[]),
    verb(&["daemon", "uninstall"], &[]),
    verb(&["daemon", "stop"], &[]),
    OurVerb { words: &["doctor"], needs: Some("--fix"), harmless: &[] },
    // Without `--project`, these write the user's hooks.
    verb(&["init"], &["--project"]),
    OurVerb { words: &["new"], needs: Some("--user"), harmless: &[] },
    OurVerb { words: &["convert"], needs: Some("--user"), harmless: &[] },
];
/// Programs that start and stop services.
const SERVICE_MANAGERS: [&str; 6] = ["systemctl", "service", "launchctl", "rc-service", "sv", "initctl"];
/// Their verbs that only look.
const SERVICE_LOOKS: [&str; 7] = ["status", "show", "cat", "is-active", "is-enabled", "list", "print"];
/// Programs that end processes by name.
const KILLERS: [&str; 6] = ["pkill", "killall", "skill", "snice", "killall5", "taskkill"];

/// What a program that is known does to our settings or our daemon.
pub(super) fn by_program(program: &str, command: &Command) -> Option<Touched> {
    let stops = || {
        let what = command.line();
        Some(Touched { what: DAEMON, place: what })
    };
    let words = || operands(command).into_iter().map(Word::text);
    match program {
        PROGRAM => our_verb(command),
        _ if SERVICE_MANAGERS.contains(&program) => {
            let names_us = words().any(|word| word.contains(PROGRAM));
            if names_us && !words().any(|word| SERVICE_LOOKS.contains(&word.as_str())) {
                stops()
            } else {
                None
            }
        }
        _ if KILLERS.contains(&program) && words().any(|word| names_daemon(&word)) => stops(),
        _ => None,
    }
}

/// A program whose name is not known, behind which one of our verbs is.
pub(super) fn by_unknown_program(command: &Command) -> Option<Touched> {
    let words: Vec<String> = command.args().iter().map(Word::text).collect();
    found_verb(&words).map(touched_by)
}

/// A command of ours that is in the words or in the text of a line without being a command of it.
pub(super) fn in_text(line: &str, reading: &Reading) -> Option<Touched> {
    if !line.contains(PROGRAM) {
        return None;
    }
    let by_words = reading.commands.iter().filter(|it| !carries_text(it) && it.program() != Some(PROGRAM));
    let found = by_words.flat_map(Command::args).find_map(|word| {
        let text = word.text();
        text.contains(char::is_whitespace).then(|| verb_in(&text)).flatten().map(touched_by)
    });
    let wrapped = || reading.commands.iter().filter(|it| !carries_text(it)).find_map(behind_our_name);
    let runs_input = |command: &Command| {
        command
            .program()
            .is_some_and(|it| RUNS_INPUT.contains(&it) || is_interpreter(it) || TEXT_TOOLS.contains(&it))
    };
    let in_input = || {
        let has_input = line.contains("<<") || line.contains('|');
        let runs = has_input && reading.commands.iter().any(runs_input);
        verb_in(line).filter(|_| runs).map(touched_by)
    };
    let is_killed = || {
        let kills = |command: &Command| {
            command.program() == Some("kill")
                && (command.args().is_empty() || command.args().iter().any(is_partly_unknown))
        };
        let by_feed =
            line.contains("xargs") && reading.commands.iter().any(|it| it.program() == Some("kill"));
        let ends = reading.commands.iter().any(kills) || by_feed;
        ends.then(|| Touched { what: DAEMON, place: PROGRAM.to_owned() })
    };
    let in_doubt = || {
        let is_open = reading.unclear.is_some() && names_program(line);
        is_open.then(|| Touched { what: SETTINGS_COMMAND, place: PROGRAM.to_owned() })
    };
    found.or_else(wrapped).or_else(in_input).or_else(is_killed).or_else(in_doubt)
}

/// Our program among the arguments of another one, with a verb of ours behind it.
fn behind_our_name(command: &Command) -> Option<Touched> {
    /// What is behind these is the name of a package.
    const PACKAGE: [&str; 4] = ["-p", "--package", "--bin", "--exclude"];
    let words: Vec<String> = command.args().iter().map(Word::text).collect();
    let is_ours = |at: &usize| {
        let name = words[*at].rsplit('/').next().unwrap_or_default();
        let is_package = at.checked_sub(1).is_some_and(|before| PACKAGE.contains(&words[before].as_str()));
        name == PROGRAM && !is_package
    };
    (0..words.len()).filter(is_ours).find_map(|at| found_verb(&words[at + 1..])).map(touched_by)
}

/// One of our verbs in a text, behind our name.
fn verb_in(text: &str) -> Option<&'static OurVerb> {
    text.match_indices(PROGRAM).find_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = &text[at + PROGRAM.len()..];
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if before.is_some_and(is_part) || behind.starts_with(|c: char| is_part(c) || matches!(c, '/' | '.')) {
            return None;
        }
        // Behind `;`, a new line or a pipe is another command.
        let end = behind.find([';', '\n', '|', '&']).unwrap_or(behind.len());
        let is_separator = |c: char| !is_part(c);
        let words: Vec<String> =
            behind[..end].split(is_separator).filter(|it| !it.is_empty()).map(str::to_owned).collect();
        found_verb(&words)
    })
}

/// The verb with which these words begin. Options may come first; their values are not verbs.
fn found_verb(words: &[String]) -> Option<&'static OurVerb> {
    let plain = |word: &String| word.to_ascii_lowercase().replace(['-', '_'], "");
    let words_of_verbs: Vec<String> = words.iter().filter(|word| !word.starts_with('-')).map(plain).collect();
    OUR_VERBS.iter().find(|verb| {
        // An option before it may have a value.
        const MAX_VALUES: usize = 3;
        let starts = words_of_verbs.windows(verb.words.len()).take(MAX_VALUES);
        let found =
            starts.into_iter().any(|some| some.iter().map(String::as_str).eq(verb.words.iter().copied()));
        found && takes_effect(verb, words)
    })
}

fn takes_effect(verb: &OurVerb, words: &[String]) -> bool {
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    verb.needs.is_none_or(has) && !verb.harmless.iter().any(|it| has(it)) && !has("--help") && !has("-h")
}

fn our_verb(command: &Command) -> Option<Touched> {
    let words: Vec<String> = command.args().iter().map(Word::text).collect();
    // Words that are only known when it runs may be any verb.
    let unknown = command.args().first().is_some_and(is_partly_unknown);
    let choices = command.args().first().into_iter().flat_map(|word| &word.choices);
    let by_choice = choices.map(|word| [word.text()]).find_map(|words| found_verb(&words));
    let found = found_verb(&words).or(by_choice).or(unknown.then_some(&OUR_VERBS[0]))?;
    Some(touched_by(found))
}

fn touched_by(verb: &OurVerb) -> Touched {
    Touched { what: SETTINGS_COMMAND, place: format!("{PROGRAM} {}", verb.words.join(" ")) }
}

/// Whether a line names our program rather than a folder or a package of that name.
fn names_program(line: &str) -> bool {
    line.match_indices(PROGRAM).any(|(at, _)| {
        let behind = line[at + PROGRAM.len()..].chars().next();
        let before = &line[..at];
        let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
        let is_in_folder = before.ends_with('/')
            && !["bin/", "./", "debug/", "release/"].iter().any(|it| before.ends_with(it));
        let is_longer = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        !behind.is_some_and(goes_on) && !is_in_folder && !is_longer
    })
}

/// Whether a pattern for processes may be ours.
fn names_daemon(pattern: &str) -> bool {
    const DAEMON_LINE: &str = "boathook daemon";
    match regex_lite::Regex::new(pattern) {
        Ok(pattern) => pattern.is_match(DAEMON_LINE),
        Err(_) => pattern.contains(PROGRAM),
    }
}
