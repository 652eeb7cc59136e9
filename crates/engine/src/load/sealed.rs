//! A team's signed hooks as a source: what is in force of a generation, and
//! what is said and done when nothing new was signed for long.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::reading::Reading;
use super::{Hook, HookSet, Surroundings, states};
use crate::answer::Permission;
use crate::bundle::manifest::StalePolicy;
use crate::bundle::{
    Age, Expected, FRESH, Fault, Fresh, HOOKS, Managed, SEAL, Seal, age_in_words, expected_file, in_force,
    read_fresh, sealed_generation,
};
use crate::definition::{Action, Definition};
use crate::event::{EVENTS, EventKind};
use crate::ids;
use crate::problem::Problem;
use crate::read_file::{self, CONFIG_LIMIT, Glimpse, Owner};
use crate::rule::{Always, Rule};
use crate::source::{Format, Roots, Source};

/// A generation that was looked at.
pub(super) struct Opened {
    pub(super) seal: Option<Seal>,
    /// The seal and the record of what must be there, as they were before that.
    pub(super) made_from: Vec<(PathBuf, Glimpse)>,
    pub(super) content: Result<Vec<u8>, Broken>,
}

/// Hooks that are not what was signed.
pub(super) struct Broken {
    pub(super) reason: String,
    help: &'static str,
    /// What keeps its gate shut.
    pub(super) definitions: Vec<Definition>,
}

/// What a team's newest signed word was when it was last looked at.
#[derive(Debug, Default)]
pub(super) struct Freshness {
    look: Option<Glimpse>,
    known: Option<Fresh>,
}

const GONE: &str = "it is gone";

/// Adds the source of the team whose hooks must be on this machine, where its
/// folder is gone; one that lost its marker counts only as it was sealed.
pub(super) fn expect(sources: &mut Vec<Source>, roots: &Roots) {
    let Some(expected) = Expected::read(&roots.state) else { return };
    let is_sealed = |source: &Source| source.format == Format::Sealed;
    if !expected.is_known() && sources.iter().any(is_sealed) {
        return;
    }
    let wanted = Source::sealed(Managed::of(&roots.home, expected.team).folder());
    match sources.iter_mut().find(|source| source.file == wanted.file) {
        Some(found) => *found = wanted,
        None => {
            let above = sources.iter().take_while(|source| source.level.is_managed()).count();
            sources.insert(above, wanted);
        }
    }
}

/// Looks at the generation of a source.
pub(super) fn open(source: &Source, around: &Surroundings) -> Opened {
    let folder = &source.run_dir;
    let path = folder.join(SEAL);
    let record = expected_file(&around.roots.state);
    let made_from = [path, record].map(|path| (path.clone(), Glimpse::at_link(&path))).into();
    let seal = sealed_generation(folder).and_then(|seal| match expected_of(source, &around.roots) {
        Some(expected) if !expected.allows(&seal) => Err(Fault::Changed),
        Some(_) | None => Ok(seal),
    });
    let content = match &seal {
        Ok(seal) => seal.check(folder, HOOKS).map_err(|fault| broken(HOOKS, &fault, of_closed(seal))),
        Err(fault) => Err(unsealed(source, fault, around)),
    };
    Opened { seal: seal.ok(), made_from, content }
}

/// What of a generation does not fit its seal, beside its `hooks.json`.
pub(super) fn faults(reading: &Reading) -> Vec<Problem> {
    let Some(seal) = reading.seal.as_ref().filter(|_| !reading.tampered) else { return Vec::new() };
    let found = seal.faults(&reading.source.run_dir).into_iter();
    found.map(|tampered| of_file(&reading.source, tampered.words())).collect()
}

/// Says how old the hooks are; a policy of the team's becomes a hook on every
/// gate.
pub(super) fn add_age(set: &mut HookSet, reading: &Reading, nth: usize, around: &Surroundings) {
    // Where nothing is in force, nothing can be of an unknown age.
    if reading.source.format != Format::Sealed || (reading.seal.is_none() && reading.age.is_none()) {
        return;
    }
    let Some(words) = age_in_words(reading.age) else { return };
    let mut problem = Problem::warning("team-stale", words.clone());
    problem.file = Some(reading.source.file.clone());
    set.problems.push(problem.help("`boathook team status` says why; `boathook team sync` tries again"));
    let Some(permission) = reading.age.and_then(permission) else { return };
    for event in EVENTS.iter().map(|spec| spec.kind).filter(|kind| kind.can_block()) {
        let rule = Rule::Always(Always {
            label: "the team's policy for hooks that are too old".to_owned(),
            permission,
            message: format!("{words}, and the team's policy for that is `{}`", permission.name()),
        });
        let definition =
            Definition { action: Action::Rule(Arc::new(rule)), ..Definition::command(event, "") };
        set.hooks.push(Hook {
            id: format!("{}:{nth}:{}:stale", reading.source.level.name(), event.name()),
            state: states::state(&definition, &reading.source, None, around),
            definition,
            source: reading.source.clone(),
        });
    }
}

fn permission(age: Age) -> Option<Permission> {
    match age {
        Age::TooOld(_, StalePolicy::Ask) => Some(Permission::Ask),
        Age::TooOld(_, StalePolicy::Deny) => Some(Permission::Deny),
        Age::TooOld(_, StalePolicy::Warn) | Age::Fresh | Age::Stale(_) => None,
    }
}

impl Freshness {
    /// How old the hooks of a team's folder are now; none when nobody knows.
    pub(super) fn age(&mut self, folder: &Path) -> Option<Age> {
        let path = folder.join(FRESH);
        if !self.look.is_some_and(|look| look.holds_link(&path)) {
            self.look = Some(Glimpse::at_link(&path));
            self.known = read_fresh(folder);
        }
        self.known.map(|fresh| fresh.age(ids::now_millis()))
    }
}

/// The seal is what says which events must refuse. Without it the file is
/// asked, which nobody vouches for: it can only close.
fn unsealed(source: &Source, fault: &Fault, around: &Surroundings) -> Broken {
    let expected = expected_of(source, &around.roots);
    let expects = expected.is_some();
    let mut closed: Vec<Definition> = expected.iter().flat_map(|it| closing(&it.closed, GONE)).collect();
    if source.team_folder().and_then(in_force).is_none() {
        if expects {
            return broken("what the team installed", &Fault::Gone, closed);
        }
        let reason = "no generation of the team's hooks is in force".to_owned();
        return Broken {
            reason,
            help: "`boathook team sync` installs one, or says why not",
            definitions: Vec::new(),
        };
    }
    let text = read_file::read(&source.text_file(), CONFIG_LIMIT, Owner::Anybody);
    let found = text.map(|text| (around.read)(&text.bytes, source, &around.options).definitions);
    closed.extend(found.unwrap_or_default().into_iter().filter(Definition::failure_refuses));
    broken(SEAL, fault, closed)
}

/// The record of this source's team.
fn expected_of(source: &Source, roots: &Roots) -> Option<Expected> {
    let expected = Expected::read(&roots.state)?;
    (source.team_folder() == Some(Managed::of(&roots.home, expected.team).folder())).then_some(expected)
}

fn of_closed(seal: &Seal) -> Vec<Definition> {
    closing(&seal.closed, "it is not what was signed")
}

/// What keeps these events shut.
fn closing(events: &[String], reason: &str) -> Vec<Definition> {
    let gate = |event: EventKind| {
        let action = Action::Broken { text: HOOKS.to_owned(), reason: reason.to_owned() };
        Definition { action, fail_closed: true, ..Definition::command(event, "") }
    };
    events.iter().filter_map(|name| EventKind::named(name)).map(gate).collect()
}

fn broken(file: &str, fault: &Fault, definitions: Vec<Definition>) -> Broken {
    let reason = format!("tampered with: {file} {fault}");
    Broken { reason, help: "`boathook team sync` puts back what was signed", definitions }
}

impl Broken {
    /// What is said of the source.
    pub(super) fn problem(&self, source: &Source) -> Problem {
        of_file(source, format!("cannot be read: {}; none of its hooks run", self.reason)).help(self.help)
    }
}

fn of_file(source: &Source, message: String) -> Problem {
    let mut problem = Problem::error("tampered", message);
    problem.file = Some(source.file.clone());
    problem
}
