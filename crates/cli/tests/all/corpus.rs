//! Reads every public configuration of a corpus, when the environment names one.
//!
//! No result is written down here. What a strict reading of the JSON says about
//! a file, by a parser of its own, must agree with what our reader says.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use boathook_engine::config::{self, Config, apply_fixes};
use boathook_engine::definition::Action;
use boathook_engine::edition::Edition;
use boathook_engine::event::EventKind;
use boathook_engine::matcher::{Matcher, Verdict};
use boathook_engine::problem::Severity;
use serde_json::Value;

/// What a strict reader stumbles over, with the number of files the published
/// findings count in the larger set this corpus is a part of.
const DEFECTS: [(Defect, usize); 8] = [
    (Defect::VersionMissing, 37),
    (Defect::HooksIsAList, 15),
    (Defect::UnknownEvent, 10),
    (Defect::EventNotAList, 8),
    (Defect::ClaudeNesting, 5),
    (Defect::VersionIsText, 3),
    (Defect::CommandMissing, 2),
    (Defect::MatcherNotAString, 1),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Defect {
    VersionMissing,
    HooksIsAList,
    UnknownEvent,
    EventNotAList,
    ClaudeNesting,
    VersionIsText,
    CommandMissing,
    MatcherNotAString,
}

impl Defect {
    /// What our reader says about it.
    fn codes(self) -> &'static [&'static str] {
        match self {
            Defect::VersionMissing => &["version-missing"],
            Defect::HooksIsAList => &["hooks-is-a-list"],
            Defect::UnknownEvent => &["unknown-event", "event-spelling"],
            Defect::EventNotAList => &["event-not-a-list"],
            Defect::ClaudeNesting => &["claude-nesting"],
            Defect::VersionIsText => &["version-is-text"],
            Defect::CommandMissing => &["command-missing"],
            Defect::MatcherNotAString => &["matcher-not-a-string"],
        }
    }
}

/// The files of the corpus; nothing, said loudly, when there is none.
fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let Some(root) = env::var_os("BOATHOOK_CORPUS") else {
        // Written past the test harness, which hides what a passing test prints.
        let _ =
            writeln!(io::stderr(), "\n*** THE CORPUS WAS NOT READ: BOATHOOK_CORPUS names no directory ***\n");
        return Vec::new();
    };
    let directory = Path::new(&root).join("cursor");
    let files = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<_> = files.map(|file| file.expect("a directory entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds files", directory.display());
    files.into_iter().map(|file| (file.clone(), fs::read(&file).expect("a file of the corpus"))).collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn has(config: &Config, code: &str) -> bool {
    config.problems.iter().any(|problem| problem.code == code)
}

#[test]
fn every_file_is_read_or_refused_precisely() {
    for (file, bytes) in corpus() {
        let file = name(&file);
        for edition in Edition::ALL {
            let config = config::read(&bytes, edition);
            let error = config.problems.iter().any(|problem| problem.severity == Severity::Error);
            assert!(config.readable || error, "{file}: unreadable without a word");
            for problem in &config.problems {
                let place = problem.place.as_ref().unwrap_or_else(|| panic!("{file}: {problem:?}"));
                assert!(place.line >= 1 && place.column >= 1, "{file}: {problem:?}");
                assert!(place.bytes.end <= bytes.len() && problem.help.is_some(), "{file}: {problem:?}");
            }
            for definition in &config.definitions {
                let place = definition.place.as_ref().expect("a place in its file");
                let inside = |problem: &&boathook_engine::problem::Problem| {
                    let at = problem.place.as_ref().map_or(usize::MAX, |found| found.bytes.start);
                    problem.severity == Severity::Error && place.bytes.contains(&at)
                };
                let named = config.problems.iter().find(inside);
                match &definition.action {
                    Action::Command(text) | Action::Prompt { prompt: text, .. } => {
                        assert!(
                            !text.trim().is_empty() && named.is_none(),
                            "{file}: {definition:?} {named:?}"
                        );
                    }
                    Action::Rule(rule) => assert!(!rule.label().is_empty(), "{file}: {definition:?}"),
                    Action::Broken { reason, .. } => {
                        assert!(!reason.is_empty() && named.is_some(), "{file}: {definition:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn our_reader_agrees_with_a_strict_reading_of_the_json() {
    let mut counted: BTreeMap<Defect, usize> = BTreeMap::new();
    let files = corpus();
    for (file, bytes) in &files {
        let file = name(file);
        let config = config::read(bytes, Edition::Docs);
        let Ok(tree) = serde_json::from_slice::<Value>(bytes) else {
            let tolerated = has(&config, "comment") || has(&config, "trailing-comma");
            assert!(!config.readable || tolerated, "{file}: read, although it is not JSON");
            continue;
        };
        let strict = defects(&tree);
        for (defect, _) in DEFECTS {
            let said = defect.codes().iter().any(|code| has(&config, code));
            assert_eq!(said, strict.contains(&defect), "{file}: {defect:?}\n{:?}", config.problems);
        }
        if strict.is_empty() {
            let off = config.definitions.iter().find(|hook| matches!(hook.action, Action::Broken { .. }));
            assert!(config.readable && off.is_none(), "{file}: {off:?}");
            assert_eq!(config.definitions.len(), entries(&tree), "{file}: an entry was lost");
        }
        strict.into_iter().for_each(|defect| *counted.entry(defect).or_default() += 1);
    }
    for (defect, published) in DEFECTS {
        let count = counted.get(&defect).copied().unwrap_or(0);
        assert!(count <= published, "{defect:?}: {count} files in a part, {published} in the whole");
        assert!(count > 0 || files.is_empty(), "{defect:?}: the corpus has an example");
    }
    eprintln!("{} files, defects by kind: {counted:?}", files.len());
}

/// What the published findings call strict: their table, on a plain JSON value.
fn defects(tree: &Value) -> Vec<Defect> {
    let mut found = Vec::new();
    match tree.get("version") {
        None => found.push(Defect::VersionMissing),
        Some(Value::String(_)) => found.push(Defect::VersionIsText),
        Some(_) => {}
    }
    match tree.get("hooks") {
        Some(Value::Array(_)) => found.push(Defect::HooksIsAList),
        Some(Value::Object(events)) => {
            for (event, value) in events {
                event_defects(event, value, &mut found);
            }
        }
        _ => {}
    }
    found.sort();
    found.dedup();
    found
}

fn event_defects(event: &str, value: &Value, found: &mut Vec<Defect>) {
    if EventKind::named(event).is_none() {
        found.push(Defect::UnknownEvent);
        // Only names that differ in case are read any further.
        if !EventKind::named(&lower_first(event)).is_some_and(|kind| kind.name().eq_ignore_ascii_case(event))
        {
            return;
        }
    }
    let Value::Array(entries) = value else {
        found.push(Defect::EventNotAList);
        return;
    };
    for entry in entries {
        if entry.get("hooks").is_some_and(Value::is_array) {
            found.push(Defect::ClaudeNesting);
        } else if entry.get("command").is_none() && entry.get("type") != Some(&Value::from("prompt")) {
            found.push(Defect::CommandMissing);
        }
        if entry.get("matcher").is_some_and(|matcher| !matcher.is_string()) {
            found.push(Defect::MatcherNotAString);
        }
    }
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// How many entries a file without defects has.
fn entries(tree: &Value) -> usize {
    let events = tree.get("hooks").and_then(Value::as_object);
    events.map_or(0, |events| events.values().filter_map(Value::as_array).map(Vec::len).sum())
}

#[test]
fn every_matcher_compiles_and_never_surprises() {
    for (file, bytes) in corpus() {
        let config = config::read(&bytes, Edition::Docs);
        for definition in config.definitions {
            let matcher: &Matcher = &definition.matcher;
            assert_eq!(matcher.error(), None, "{}: {}", name(&file), matcher.pattern());
            assert!(!matches!(matcher.matches("Shell"), Verdict::Invalid(_)), "{}", matcher.pattern());
        }
    }
}

#[test]
fn a_repair_keeps_every_hook_and_leaves_nothing_to_repair() {
    for (file, bytes) in corpus() {
        let (file, Ok(text)) = (name(&file), String::from_utf8(bytes)) else { continue };
        let before = config::read(text.as_bytes(), Edition::Docs);
        let fixed = apply_fixes(&text, &before.problems);
        let after = config::read(fixed.as_bytes(), Edition::Docs);
        assert!(after.problems.iter().all(|problem| problem.fix.is_none()), "{file}: {:?}", after.problems);
        assert_eq!(apply_fixes(&fixed, &after.problems), fixed, "{file}");
        let commands = |config: &Config| -> Vec<_> {
            let running = config.definitions.iter().filter(|hook| matches!(hook.action, Action::Command(_)));
            running.map(|hook| (hook.event, hook.label().replace(['"', '\''], ""), hook.timeout)).collect()
        };
        let (before, after) = (commands(&before), commands(&after));
        let lost = before.iter().find(|hook| !after.contains(hook));
        assert_eq!(lost, None, "{file}: a hook was lost by its repair");
    }
}
