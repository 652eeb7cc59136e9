//! Every example of the manual, the cookbook and the README does what the page
//! says it does.
//!
//! A code block says behind its language what it is; a section's blocks are laid
//! out and run in their order, in a home and a workspace of their own.
//!
//! | Block | What happens with it |
//! |---|---|
//! | `LANGUAGE file=PATH` | it is written there: in the workspace, the home (`~/…`) or the system (`/etc/…`) |
//! | `json payload event=EVENT` | it is given to `boathook run EVENT --trust`; on an event's page the event is known |
//! | `json answer exit=2` | the answer to the payload before it, and the exit code unless it is 0 |
//! | `json hooks` | a hooks.json: the reader has nothing against it, and it fits the schema |
//! | `console` | what follows `$ ` is typed, the lines below are what is seen |
//! | `LANGUAGE not-run` | nothing: it cannot be run here, and the text says why |
//! | `text` | nothing: it is no example |
//!
//! A block without such a mark is refused.
#![cfg(unix)]

mod block;
mod place;
mod session;

use std::path::{Path, PathBuf};

use block::{Block, block_of};
use boathook_engine::config;
use boathook_engine::edition::Edition;
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::input::COMMON;
use boathook_engine::problem::Severity;
use boathook_engine::schema;
use place::Place;
use serde_json::Value;

use crate::pages::{Fence, fences, files, page, root};

#[test]
fn every_block_says_what_it_is() {
    let faults: Vec<String> = all_pages()
        .iter()
        .flat_map(|(path, text)| {
            fences(text).into_iter().filter_map(move |fence| {
                let fault = block_of(&fence, path).err()?;
                Some(format!("{}:{}: {fault}", path.display(), fence.line))
            })
        })
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_event_has_an_example_of_its_own() {
    for spec in EVENTS {
        let path = PathBuf::from(format!("docs/manual/events/{}.md", spec.name));
        let blocks: Vec<Block> =
            fences(&page(&path.to_string_lossy())).iter().filter_map(|it| block_of(it, &path).ok()).collect();
        let asked =
            blocks.iter().any(|block| matches!(block, Block::Payload(event) if event.name() == spec.name));
        let answered = blocks.iter().any(|block| matches!(block, Block::Answer { .. }));
        let configured =
            blocks.iter().any(|block| matches!(block, Block::File(path) if path.ends_with("hooks.json")));
        assert!(asked && answered && configured, "{}: hooks.json, payload and answer", path.display());
    }
}

#[test]
fn the_examples_of_the_events_do_what_they_say() {
    run_all(files(&root().join("docs/manual/events"), "md"));
}

#[test]
fn the_examples_of_the_manual_do_what_they_say() {
    let events = root().join("docs/manual/events");
    let manual = files(&root().join("docs/manual"), "md");
    run_all(manual.into_iter().filter(|(path, _)| !path.starts_with(&events)).collect());
}

#[test]
fn the_examples_of_the_cookbook_do_what_they_say() {
    run_all(files(&root().join("docs/cookbook"), "md"));
}

#[test]
fn the_examples_of_the_readme_do_what_they_say() {
    run_all(vec![(root().join("README.md"), page("README.md"))]);
}

#[test]
fn a_page_that_says_something_else_is_found() {
    let hook = "```json file=~/.cursor/hooks.json\n{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"echo {}\"}]}}\n```\n";
    let payload = "```json payload event=stop\n{\"status\": \"completed\"}\n```\n";
    let cases = [
        (
            "a page that is right",
            0,
            format!("{hook}{payload}```json answer\n{{}}\n```\n```console\n$ echo a\na\n```\n"),
        ),
        (
            "another answer",
            1,
            format!("{hook}{payload}```json answer\n{{\"followup_message\": \"x\"}}\n```\n"),
        ),
        ("another exit code", 1, format!("{hook}{payload}```json answer exit=2\n{{}}\n```\n")),
        ("no answer", 1, format!("{hook}{payload}")),
        (
            "a field the event lacks",
            1,
            "```json payload event=stop\n{\"command\": \"x\"}\n```\n```json answer\n{}\n```\n".into(),
        ),
        ("other words on the terminal", 1, "```console\n$ echo a\nb\n```\n".into()),
        ("more words on the terminal", 1, "```console\n$ echo a; echo b\na\n```\n".into()),
        (
            "a hooks.json with a problem",
            1,
            "```json hooks\n{\"version\": 1, \"hooks\": {\"stopp\": []}}\n```\n".into(),
        ),
        ("a block without a mark", 1, "```sh\nrm -rf x\n```\n".into()),
    ];
    for (name, faults, text) in cases {
        let found = run_page(Path::new("docs/manual/page.md"), &text);
        assert_eq!(found.len(), faults, "{name}: {found:?}");
    }
}

fn all_pages() -> Vec<(PathBuf, String)> {
    let mut pages = vec![(root().join("README.md"), page("README.md"))];
    for folder in ["docs/manual", "docs/cookbook"] {
        pages.extend(files(&root().join(folder), "md"));
    }
    pages
}

fn run_all(pages: Vec<(PathBuf, String)>) {
    let faults: Vec<String> = pages.iter().flat_map(|(path, text)| run_page(path, text)).collect();
    assert!(faults.is_empty(), "{} faults\n\n{}", faults.len(), faults.join("\n\n"));
}

/// Runs the sections of a page, each in a place of its own.
fn run_page(path: &Path, text: &str) -> Vec<String> {
    let fences = fences(text);
    let mut faults = Vec::new();
    for section in fences.chunk_by(|a, b| a.section == b.section) {
        if let Some(program) = place::lacking(path, section) {
            eprintln!("{}:{}: not run, `{program}` is missing", path.display(), section[0].line);
            continue;
        }
        let place = Place::new(path);
        for (number, fence) in section.iter().enumerate() {
            let next = section.get(number + 1);
            if let Err(fault) = run_block(&place, path, fence, next) {
                faults.push(format!("{}:{}: {fault}", path.display(), fence.line));
            }
        }
    }
    faults
}

fn run_block(place: &Place, path: &Path, fence: &Fence, next: Option<&Fence>) -> Result<(), String> {
    match block_of(fence, path)? {
        Block::Picture => Ok(()),
        Block::Hooks => fits(&fence.text),
        Block::File(name) => {
            place.write(&name, &fence.text);
            if name.ends_with("hooks.json") { fits(&fence.text) } else { Ok(()) }
        }
        Block::Payload(event) => {
            only_known_fields(event, &fence.text)?;
            let answer = next.ok_or("a payload without an answer behind it")?;
            let Block::Answer { exit } = block_of(answer, path)? else {
                return Err("a payload without an answer behind it".to_owned());
            };
            answers(place, event, &fence.text, &answer.text, exit)
        }
        // Compared when its payload was sent.
        Block::Answer { .. } => Ok(()),
        Block::Session => session::run(place, &fence.text),
    }
}

fn answers(place: &Place, event: EventKind, payload: &str, expected: &str, exit: i32) -> Result<(), String> {
    let (code, stdout, stderr) = place.event(event.name(), payload);
    let answer: Value =
        serde_json::from_str(&stdout).map_err(|error| format!("{error}: {stdout}\n{stderr}"))?;
    let expected: Value =
        serde_json::from_str(expected).map_err(|error| format!("the answer is no JSON: {error}"))?;
    if code != Some(exit) || answer != expected {
        return Err(format!("expected {exit} {expected}\n   got {code:?} {answer}\n{stderr}"));
    }
    let schema = jsonschema::draft202012::new(&schema::output(event)).expect("a schema");
    let faults: Vec<String> = schema.iter_errors(&answer).map(|error| error.to_string()).collect();
    if faults.is_empty() { Ok(()) } else { Err(format!("the answer does not fit its schema: {faults:?}")) }
}

fn only_known_fields(event: EventKind, payload: &str) -> Result<(), String> {
    let payload: Value =
        serde_json::from_str(payload).map_err(|error| format!("the payload is no JSON: {error}"))?;
    let known = |name: &str| event.spec().inputs.iter().chain(COMMON).any(|field| field.name == name);
    let unknown: Vec<&String> =
        payload.as_object().into_iter().flat_map(|it| it.keys()).filter(|name| !known(name)).collect();
    if unknown.is_empty() { Ok(()) } else { Err(format!("{} has no field {unknown:?}", event.name())) }
}

/// A hooks.json that is shown is one that nobody complains about.
fn fits(text: &str) -> Result<(), String> {
    let read = config::read(text.as_bytes(), Edition::Docs);
    let bad: Vec<_> = read.problems.iter().filter(|problem| problem.severity > Severity::Hint).collect();
    let file: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let schema = jsonschema::draft202012::new(&schema::hooks_json()).expect("a schema");
    let faults: Vec<String> = schema.iter_errors(&file).map(|error| error.to_string()).collect();
    if bad.is_empty() && faults.is_empty() { Ok(()) } else { Err(format!("{bad:?} {faults:?}")) }
}
