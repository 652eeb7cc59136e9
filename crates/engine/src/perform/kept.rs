//! Hooks whose process outlives an event, where somebody keeps processes:
//! which are asked, which are taken, and which run as ever.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use super::{Deadline, line};
use crate::config::{mentioned, script_of};
use crate::decision::Process;
use crate::definition::Lifetime;
use crate::load::Hook;
use crate::outcome::is_whole_answer;
use crate::plan::{Step, Work};
use crate::run::{
    Asked, Cancel, Exit, Invocation, Keeper, Status, Unchanged, Wish, run_all, run_prepared, speaks_no_lines,
};
use crate::source::{Level, Roots};
use crate::trust::{NamedFiles, Scope, Trust};

/// Who keeps processes, and where the files are that they start from.
#[derive(Clone, Copy)]
pub struct Kept<'p> {
    /// Who keeps them.
    pub keeper: &'p Keeper,
    /// Whose home, which system.
    pub roots: &'p Roots,
    /// When all must be done.
    pub deadline: Option<Deadline>,
}

/// Who has no more time than this is not started.
const TOO_LATE: Duration = Duration::from_millis(100);

/// How a process ended, and what its author should know.
pub(super) struct Told {
    pub exit: Exit,
    /// None when it was started for this event.
    pub process: Option<Process>,
    pub warnings: Vec<String>,
}

impl From<Exit> for Told {
    fn from(exit: Exit) -> Told {
        Told { exit, process: None, warnings: Vec::new() }
    }
}

/// A hook and the process it wants.
#[derive(Clone, Copy)]
struct Want<'w> {
    hook: &'w Hook,
    invocation: &'w Invocation,
    lifetime: Lifetime,
}

/// Runs the processes of these steps, in their order.
pub(super) fn run(kept: Option<Kept<'_>>, steps: &[Step<'_>], cancel: &Cancel) -> Vec<Told> {
    let wants: Vec<Want> = steps.iter().filter_map(Want::of).collect();
    match kept.filter(|_| wants.iter().any(|want| want.lifetime != Lifetime::Event)) {
        None => {
            let all: Vec<Invocation> = wants.iter().map(|want| want.invocation.clone()).collect();
            run_all(&all, is_whole_answer, cancel).into_iter().map(Told::from).collect()
        }
        Some(kept) => kept.run(&wants, cancel),
    }
}

impl<'w> Want<'w> {
    fn of(step: &'w Step<'_>) -> Option<Want<'w>> {
        let Work::Run(invocation) = &step.work else { return None };
        // What its event says stands in the environment of such a hook.
        let lifetime = match step.hook.definition.lifetime {
            Lifetime::Event => Lifetime::Event,
            other if mentioned(&invocation.command).next().is_none() => other,
            Lifetime::Ahead | Lifetime::Stays => Lifetime::Event,
        };
        Some(Want { hook: step.hook, invocation, lifetime })
    }
}

impl Kept<'_> {
    /// Those that stay are asked beside the others. One alone is asked here: a
    /// thread would cost more than many an answer.
    fn run(&self, wants: &[Want<'_>], cancel: &Cancel) -> Vec<Told> {
        if let [want] = wants
            && want.lifetime == Lifetime::Stays
        {
            return vec![self.ask(*want, cancel)];
        }
        let stays = |want: &&Want| want.lifetime == Lifetime::Stays;
        let asked: Vec<&Want> = wants.iter().filter(stays).collect();
        let others: Vec<&Want> = wants.iter().filter(|want| !stays(want)).collect();
        let (beside, here) = match asked.split_last() {
            Some((last, rest)) if others.is_empty() => (rest, Some(*last)),
            Some(_) | None => (&asked[..], None),
        };
        let (mut answers, mut exits) = thread::scope(|scope| {
            let threads: Vec<_> = beside.iter().map(|want| self.ask_beside(scope, **want, cancel)).collect();
            let exits = self.run_others(&others, cancel);
            let last = here.map(|want| self.ask(*want, cancel));
            let mut answers: Vec<Told> = threads
                .into_iter()
                .zip(beside)
                .map(|(thread, want)| self.join(thread, **want, cancel))
                .collect();
            answers.extend(last);
            (answers.into_iter(), exits.into_iter())
        });
        let never = || Told::from(never_reached());
        wants
            .iter()
            .map(|want| match want.lifetime {
                Lifetime::Stays => answers.next().unwrap_or_else(never),
                Lifetime::Event | Lifetime::Ahead => exits.next().unwrap_or_else(never),
            })
            .collect()
    }

    fn ask_beside<'scope, 'env>(
        &'env self,
        scope: &'scope thread::Scope<'scope, 'env>,
        want: Want<'env>,
        cancel: &'env Cancel,
    ) -> Option<ScopedJoinHandle<'scope, Told>> {
        let builder = thread::Builder::new().name("hook that stays".to_owned());
        builder.spawn_scoped(scope, move || self.ask(want, cancel)).ok()
    }

    /// Without a thread it is asked here and now.
    fn join(&self, thread: Option<ScopedJoinHandle<'_, Told>>, want: Want<'_>, cancel: &Cancel) -> Told {
        match thread {
            Some(thread) => thread.join().unwrap_or_else(|_| Told::from(never_reached())),
            None => self.ask(want, cancel),
        }
    }

    fn ask(&self, want: Want<'_>, cancel: &Cancel) -> Told {
        static ASKED: AtomicU64 = AtomicU64::new(1);
        let id = ASKED.fetch_add(1, Ordering::Relaxed).to_string();
        let question = line::question(&id, &want.invocation.stdin);
        let look = || self.look(want);
        let wish = Wish { owner: &want.hook.source.file, invocation: want.invocation, look: &look };
        match self.keeper.ask(&wish, &question, cancel, |said| line::answer(&id, said)) {
            Asked::Told(exit, warnings) => Told { exit, process: Some(Process::Stayed), warnings },
            Asked::Mute(exit, warnings) => {
                let mute = Told { exit, process: Some(Process::Stayed), warnings };
                self.ask_alone(&wish, mute, cancel)
            }
            Asked::NotKept(warnings) => {
                Told { exit: alone(want.invocation, cancel), process: None, warnings }
            }
        }
    }

    /// A gate that is asked beats one that fails open: whoever never answered a
    /// line gets the event as a process of its own, and its whole time again.
    fn ask_alone(&self, wish: &Wish<'_>, mut mute: Told, cancel: &Cancel) -> Told {
        let what = line::why_mute(&mute.exit.status);
        let mut invocation = wish.invocation.clone();
        let left = self.deadline.map_or(invocation.timeout, |deadline| deadline.left());
        invocation.timeout = invocation.timeout.min(left);
        let exit = (left > TOO_LATE).then(|| alone(&invocation, cancel));
        let took = mute.exit.duration + exit.as_ref().map_or(Duration::ZERO, |exit| exit.duration);
        let answered = exit.filter(line::answers_alone);
        let may_be = answered.is_some() || left <= TOO_LATE;
        let no_lines = what.as_deref().filter(|_| may_be).map(speaks_no_lines);
        let no_lines = no_lines.filter(|why| self.keeper.speaks_no_lines(wish, why));
        let asked = (left > TOO_LATE).then_some(answered.is_some());
        let first = || line::failed_first(what.as_deref(), asked);
        mute.warnings.push(no_lines.unwrap_or_else(first));
        let (exit, process) = match answered {
            Some(exit) => (exit, None),
            None => (mute.exit, mute.process),
        };
        Told { exit: Exit { duration: took, ..exit }, process, warnings: mute.warnings }
    }

    fn run_others(&self, wants: &[&Want<'_>], cancel: &Cancel) -> Vec<Told> {
        let all: Vec<Invocation> = wants.iter().map(|want| want.invocation.clone()).collect();
        let (mut prepared, mut next, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for want in wants {
            let ahead = (want.lifetime == Lifetime::Ahead).then(|| {
                let look = || self.look(**want);
                self.keeper.take(&Wish {
                    owner: &want.hook.source.file,
                    invocation: want.invocation,
                    look: &look,
                })
            });
            let (waits, following, said) = match ahead {
                Some(ahead) => (ahead.prepared, Some(ahead.next), ahead.warnings),
                None => (None, None, Vec::new()),
            };
            prepared.push(waits);
            next.push(following);
            warnings.push(said);
        }
        let ahead: Vec<_> = prepared.iter().map(|waits| waits.as_ref().map(|_| Process::Ahead)).collect();
        let exits = run_prepared(&all, prepared, is_whole_answer, cancel);
        for (want, next) in wants.iter().zip(next) {
            if let Some(next) = next {
                let look = || self.look(**want);
                let owner = &want.hook.source.file;
                self.keeper.prepare(&Wish { owner, invocation: want.invocation, look: &look }, next);
            }
        }
        let told = exits.into_iter().zip(ahead).zip(warnings);
        told.map(|((exit, process), warnings)| Told { exit, process, warnings }).collect()
    }

    /// Looks at the files that a command names, and at what its trust rests on,
    /// before its process is started. They are looked at between events, too:
    /// nothing stays of a workspace that is no longer trusted.
    fn look(&self, want: Want<'_>) -> Unchanged {
        let source = &want.hook.source;
        let plugin = (source.level == Level::Plugin).then_some(source.run_dir.as_path());
        let scope = Scope {
            os: self.roots.os,
            run_dir: &want.invocation.run_dir,
            workspace: source.workspace.as_deref(),
            plugin,
            home: &self.roots.home,
        };
        let trust = source.needs_trust().then(|| Trust::new(self.roots).record_file(source));
        let beside = trust.map(|record| [record, source.file.clone()]).into_iter().flatten();
        let script = script_of(&want.hook.definition, &scope);
        Box::new(NamedFiles::look(&want.hook.definition.command_line(), script, &scope, beside))
    }
}

fn alone(invocation: &Invocation, cancel: &Cancel) -> Exit {
    run_all(std::slice::from_ref(invocation), is_whole_answer, cancel).pop().unwrap_or_else(never_reached)
}

fn never_reached() -> Exit {
    Exit {
        status: Status::NotStarted("it was never reached".to_owned()),
        stdout: Vec::new(),
        stderr: Vec::new(),
        duration: Duration::ZERO,
        leaked: false,
    }
}
