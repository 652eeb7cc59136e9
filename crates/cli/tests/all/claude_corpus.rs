//! Reads every settings file of a corpus, when the environment names one.
//!
//! Every hook of every file is a definition that can run or a problem with a
//! place; nothing is lost without a word.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use boathook_engine::config::{self, add_entries};
use boathook_engine::definition::Action;
use boathook_engine::dialect::claude::{ClaudeEvent, Shape, to_native};
use boathook_engine::edition::Edition;
use serde_json::Value;

/// The files of the corpus; nothing, said loudly, when there is none.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let Some(root) = env::var_os("BOATHOOK_CORPUS") else {
        // Written past the test harness, which hides what a passing test prints.
        let _ =
            writeln!(io::stderr(), "\n*** THE CORPUS WAS NOT READ: BOATHOOK_CORPUS names no directory ***\n");
        return Vec::new();
    };
    let directory = Path::new(&root).join("claude");
    let files = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a directory entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds files", directory.display());
    let name = |file: &Path| file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    files.iter().map(|file| (name(file), fs::read(file).expect("a file of the corpus"))).collect()
}

/// The hooks of a file by a plain reading of its JSON: those of events that
/// have a counterpart, and how many events have none.
fn strict(tree: &Value) -> (usize, usize) {
    let (mut hooks, mut foreign) = (0, 0);
    for (event, groups) in tree.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        if ClaudeEvent::named(event).is_none() {
            foreign += 1;
            continue;
        }
        let groups = groups.as_array().into_iter().flatten();
        hooks += groups.filter_map(|group| group.get("hooks")?.as_array()).map(Vec::len).sum::<usize>();
    }
    (hooks, foreign)
}

#[test]
fn every_hook_can_run_or_is_named() {
    let (mut running, mut named) = (0, 0);
    for (file, bytes) in corpus() {
        let config = config::read_settings(&bytes, Edition::Docs, Shape::Claude);
        assert!(config.readable, "{file}: {:?}", config.problems);
        for problem in &config.problems {
            let place = problem.place.as_ref().unwrap_or_else(|| panic!("{file}: {problem:?}"));
            assert!(
                place.line >= 1 && place.bytes.end <= bytes.len() && problem.help.is_some(),
                "{file}: {problem:?}"
            );
        }
        let tree: Value = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{file}: {error}"));
        let (hooks, foreign) = strict(&tree);
        let runs = config.definitions.iter().all(|hook| !matches!(hook.action, Action::Broken { .. }));
        assert!(runs && config.definitions.iter().all(|hook| hook.loop_limit.is_none()), "{file}");
        let refused = [
            "claude-handler",
            "hook-is-a-string",
            "command-missing",
            "prompt-missing",
            "type-unknown",
            "args-not-strings",
            "if-without-tool",
            "calls-boathook",
        ];
        let lost = config.problems.iter().filter(|problem| refused.contains(&problem.code)).count();
        assert_eq!(config.definitions.len() + lost, hooks, "{file}: {:?}", config.problems);
        let events = config.problems.iter().filter(|it| matches!(it.code, "claude-event" | "unknown-event"));
        assert_eq!(events.count(), foreign, "{file}");
        running += config.definitions.len();
        named += lost + foreign;
    }
    eprintln!("{running} hooks can run, {named} problems name what does not");
}

#[test]
fn every_matcher_compiles() {
    for (file, bytes) in corpus() {
        let config = config::read_settings(&bytes, Edition::Docs, Shape::Claude);
        let problems = config::check_matchers(&config.definitions);
        let invalid = problems.iter().find(|problem| problem.code == "matcher-invalid");
        assert!(invalid.is_none(), "{file}: {invalid:?}");
    }
}

#[test]
fn what_is_converted_is_a_good_hooks_file() {
    for (file, bytes) in corpus() {
        let config = config::read_settings(&bytes, Edition::Docs, Shape::Claude);
        let native =
            config.definitions.iter().filter_map(|hook| Some((hook.event, to_native(hook, false).ok()?)));
        let entries: Vec<_> =
            native.map(|(event, native)| config::NewEntry { event, fields: native.fields }).collect();
        let text = add_entries("", &entries).unwrap_or_else(|problem| panic!("{file}: {problem:?}"));
        let read = config::read(text.as_bytes(), Edition::Docs);
        assert!(read.readable, "{file}: {:?}", read.problems);
        assert_eq!(read.definitions.len(), entries.len(), "{file}");
        let speaks = read.definitions.iter().all(|hook| hook.dialect.claude().is_some());
        assert!(
            speaks && read.problems.iter().all(|it| it.code != "unknown-key"),
            "{file}: {:?}",
            read.problems
        );
    }
}
