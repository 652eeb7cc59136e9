//! One rule asked by itself, as the command of a hook.

use std::path::PathBuf;
use std::sync::Arc;

use super::read_transcript;
use crate::decision::Decision;
use crate::definition::{Action, Definition};
use crate::edition::Edition;
use crate::fill::Event;
use crate::load::{Hook, HookState};
use crate::merge::{Case, Heard, merge};
use crate::rule::{Look, Rule};
use crate::source::{Format, Level, Source};

/// What one rule decides about an event.
pub fn decide_alone(rule: Rule, event: &Event, edition: Edition) -> Decision {
    let definition =
        Definition { action: Action::Rule(Arc::new(rule.clone())), ..Definition::command(event.kind, "") };
    let source = Source {
        level: Level::Host,
        format: Format::Cursor,
        file: PathBuf::from("(rule)"),
        run_dir: PathBuf::new(),
        workspace: None,
    };
    let hook = Hook { id: "rule".to_owned(), definition, source: Arc::new(source), state: HookState::Ready };
    let said = rule.apply(&Look::new(event, &read_transcript));
    let heard: Vec<Heard<'_>> = said
        .into_iter()
        .map(|read| Heard { hook: &hook, read, exit: None, process: None, runs: 1 })
        .collect();
    let case = Case {
        event,
        rules: edition.rules(),
        loop_count: event.payload.count("loop_count").unwrap_or(0),
        loop_ceiling: u32::MAX,
        can_ask: true,
    };
    merge(&heard, &case)
}
