//! Entries whose command is `boathook hookify FILE`: the rule is read here and
//! decided inside, where the original product starts a process.
//!
//! Reads the files that such entries name, and nothing else.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Hook, HookSet, HookState, left_behind};
use crate::config::Config;
use crate::definition::{Action, Definition};
use crate::event::EventKind;
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Glimpse, Owner};
use crate::rule::Rule;
use crate::rule::hookify::{self, Mode, Options, Spelled};
use crate::source::{Format, Source};

/// Puts rules in the place of the commands that name them.
pub(super) fn resolve(mut config: Config, source: &Source, mode: Mode) -> Config {
    for definition in &mut config.definitions {
        let Action::Command(command) = &definition.action else { continue };
        let Some(spelled) = hookify::spelled(command) else { continue };
        let file = source.run_dir.join(&spelled.file);
        config.made_from.push((file.clone(), Glimpse::at(&file)));
        let (action, problem) = action(command, &file, &spelled, mode);
        definition.action = action;
        config.problems.extend(problem.map(|problem| placed(problem, definition)));
    }
    config
}

/// A rule that a hooks.json names, itself or as the script that was made of
/// it, is not asked a second time for its own file on that event. On every
/// other event it stays: what an entry does not guard must not stop being
/// guarded. An entry that may not run itself takes nobody's place.
pub(super) fn drop_named_twice(set: &mut HookSet) {
    if !set.hooks.iter().any(|hook| hook.source.format == Format::Hookify) {
        return;
    }
    let ready = |hook: &&Hook| hook.state == HookState::Ready && hook.source.format == Format::Cursor;
    let named: Vec<(EventKind, PathBuf)> = set.hooks.iter().filter(ready).filter_map(named_file).collect();
    let is_named = |hook: &Hook| {
        let script = hook.source.run_dir.join(".cursor/hooks").join(hookify::script_name(&hook.source.file));
        named.iter().any(|(event, file)| {
            *event == hook.definition.event && (*file == script || same_file(file, &hook.source.file))
        })
    };
    for report in set.sources.iter_mut().filter(|report| report.source.format == Format::Hookify) {
        let mut hooks = set.hooks.iter().filter(|hook| hook.source == report.source).peekable();
        report.named_elsewhere = hooks.peek().is_some() && hooks.all(is_named);
    }
    set.hooks.retain(|hook| hook.source.format != Format::Hookify || !is_named(hook));
}

/// The rule, or the script of one, that an entry names, and where it is asked.
fn named_file(hook: &Hook) -> Option<(EventKind, PathBuf)> {
    let file = match &hook.definition.action {
        Action::Rule(rule) => hookify::spelled(rule.command()?)?.file,
        Action::Command(_) => left_behind::script(&hook.definition)?,
        Action::Prompt { .. } | Action::Broken { .. } => return None,
    };
    Some((hook.definition.event, hook.source.run_dir.join(file)))
}

fn action(command: &str, file: &Path, spelled: &Spelled, mode: Mode) -> (Action, Option<Problem>) {
    let broken = |reason: String| Action::Broken { text: command.to_owned(), reason };
    let read = match read_file::read(file, CONFIG_LIMIT, Owner::UserOrRoot) {
        Ok(read) => read,
        Err(error) => {
            let message = format!("the rule `{}` cannot be read: {error}", spelled.file.display());
            let problem = Problem::error("hookify-file", message.clone()).help("name a rule that is there");
            return (broken(message), Some(problem));
        }
    };
    let options = Options { mode: spelled.mode.unwrap_or(mode), warn_as: spelled.warn_as };
    let found = hookify::read_rule(&read.bytes, file, options);
    let first = found.problems.first().map(|problem| problem.message.clone());
    match (found.rule, found.broken) {
        (Some(_), Some(reason)) => {
            let message = format!("`{}` cannot be decided: {reason}", spelled.file.display());
            let problem = Problem::error("hookify-file", message).help("repair the rule it names");
            (broken(reason), Some(problem))
        }
        (Some(rule), None) => {
            let mut rule = rule;
            if !found.enabled {
                // A rule without conditions never applies.
                rule.conditions.clear();
            }
            (Action::Rule(Arc::new(Rule::Hookify(rule.at_entry(command)))), None)
        }
        (None, _) => {
            let message = format!("`{}` is no rule: {}", spelled.file.display(), first.unwrap_or_default());
            let problem = Problem::error("hookify-file", message.clone());
            (broken(message), Some(problem))
        }
    }
}

fn placed(problem: Problem, definition: &Definition) -> Problem {
    match definition.action_place.clone().or_else(|| definition.place.clone()) {
        Some(place) => problem.at(place),
        None => problem,
    }
}

/// Whether two paths lead to one file, however they are spelt.
fn same_file(one: &Path, other: &Path) -> bool {
    let settled = |path: &Path| path.canonicalize().ok();
    one == other
        || (one.file_name() == other.file_name() && settled(one).is_some() && settled(one) == settled(other))
}
