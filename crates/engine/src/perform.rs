//! Does what a plan says: processes together, models beside them, each
//! outcome read as soon as all have ended.

mod deadline;
mod kept;
mod line;

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::{Answer, Permission};
use crate::dialect::Dialect;
use crate::dialect::claude::decode_answer;
use crate::edition::Rules;
use crate::event::{EventKind, Gate};
use crate::fill::Event;
use crate::judge::{Judge, Verdict};
use crate::load::Hook;
use crate::merge::{Heard, only_watched};
use crate::outcome::{Failure, Outcome, ReadOutcome, read_outcome};
use crate::plan::{Step, Work};
use crate::run::{Cancel, Exit};
use crate::shortage;
pub use deadline::Deadline;
pub use kept::Kept;
use kept::Told;

/// A judge that keeps to its timeout can say what it waited for: it is given
/// this much longer to say it.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often somebody who waits for a model looks whether the user cancelled.
const LOOK_UP: Duration = Duration::from_millis(50);
/// Longer than anybody waits: a timeout may be any number.
const A_YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// What performing needs beside the plan.
pub struct Performer<'p> {
    /// The edition's rules.
    pub rules: &'p Rules,
    /// The model behind prompt hooks.
    pub judge: Option<Arc<dyn Judge>>,
    /// Ends the work early.
    pub cancel: &'p Cancel,
    /// When all must be done; none when the timeouts of hooks decide alone.
    pub deadline: Option<Deadline>,
    /// Who keeps processes from event to event; none where each event starts its own.
    pub kept: Option<Kept<'p>>,
}

impl Performer<'_> {
    /// Performs all steps together; or, where the edition says so, one at a
    /// time until one gives a valid answer.
    pub fn perform<'a>(&self, steps: Vec<Step<'a>>, event: &Event) -> Vec<Heard<'a>> {
        if !self.rules.one_at_a_time {
            return self.together(steps, event);
        }
        let mut heard = Vec::new();
        for step in steps {
            heard.extend(self.together(vec![step], event));
            let answered = heard.last().is_some_and(|last: &Heard<'_>| {
                matches!(last.read.outcome, Outcome::Answer(_) | Outcome::NoOpinion)
            });
            if answered {
                break;
            }
        }
        heard
    }

    fn together<'a>(&self, mut steps: Vec<Step<'a>>, event: &Event) -> Vec<Heard<'a>> {
        self.deadline.iter().for_each(|deadline| deadline.cut(&mut steps));
        let questions: Vec<_> = steps.iter().map(|step| self.start_asking(&step.work)).collect();
        let kept = self.kept.map(|kept| Kept { deadline: self.deadline, ..kept });
        let mut exits = kept::run(kept, &steps, self.cancel).into_iter();
        steps
            .into_iter()
            .zip(questions)
            .map(|(step, question)| self.hear(step, question, &mut exits, event))
            .collect()
    }

    fn hear<'a>(
        &self,
        step: Step<'a>,
        question: Option<Asked>,
        exits: &mut impl Iterator<Item = Told>,
        event: &Event,
    ) -> Heard<'a> {
        let given = time_of(&step.work);
        let mut process = None;
        let (read, exit) = match step.work {
            Work::Run(_) => match exits.next() {
                Some(Told { exit, process: which, warnings }) => {
                    process = which;
                    let mut read = self.read(&exit, step.hook, event);
                    read.warnings.extend(warnings);
                    (read, Some(exit))
                }
                None => (ReadOutcome::failed(Failure::NotStarted("it was never reached".to_owned())), None),
            },
            Work::Ask(_) => (self.read_verdict(question, event.kind), None),
            Work::Said(read) => (*read, None),
            Work::Fail { failure, blocks } => (ReadOutcome { blocks, ..ReadOutcome::failed(failure) }, None),
        };
        let read = only_watched(&step.hook.definition, read, event.kind);
        let mut heard = Heard { hook: step.hook, read, exit, process, runs: 1 };
        if let Some((deadline, given)) = self.deadline.zip(given) {
            deadline.explain(&mut heard, given);
        }
        heard
    }

    fn read(&self, exit: &Exit, hook: &Hook, event: &Event) -> ReadOutcome {
        match &hook.definition.dialect {
            Dialect::Cursor => read_outcome(exit, event.kind, &event.payload, self.rules),
            Dialect::Claude(options) => decode_answer(exit, event, options, self.rules),
        }
    }

    /// Models are asked in threads of their own, so that one that hangs holds
    /// nobody longer than its timeout.
    fn start_asking(&self, work: &Work) -> Option<Asked> {
        let (Work::Ask(question), Some(judge)) = (work, self.judge.clone()) else { return None };
        let (sender, receiver) = mpsc::channel();
        let asked = question.clone();
        let started = thread::Builder::new().name("judge".to_owned()).spawn(move || {
            let _ = sender.send(judge.judge(&asked));
        });
        let started = started.map_err(shortage::noted);
        let deadline = Instant::now() + question.timeout.min(A_YEAR) + LAST_WORDS;
        Some(Asked { timeout: question.timeout, deadline, receiver: started.is_ok().then_some(receiver) })
    }

    fn read_verdict(&self, asked: Option<Asked>, event: EventKind) -> ReadOutcome {
        let Some(asked) = asked else { return ReadOutcome::failed(Failure::NoJudge) };
        let Some(receiver) = asked.receiver else {
            return ReadOutcome::failed(Failure::Judge("no thread could be started".to_owned()));
        };
        loop {
            if self.cancel.is_cancelled() {
                // As for a process: who cancels wants nothing to happen.
                return ReadOutcome { blocks: true, ..ReadOutcome::failed(Failure::Cancelled) };
            }
            let left = asked.deadline.saturating_duration_since(Instant::now());
            let failure = match receiver.recv_timeout(left.min(LOOK_UP)) {
                Ok(Ok(mut verdict)) => {
                    let warnings = std::mem::take(&mut verdict.warnings);
                    return ReadOutcome { warnings, ..ReadOutcome::plain(meaning(verdict, event)) };
                }
                Ok(Err(problem)) => Failure::Judge(problem),
                Err(mpsc::RecvTimeoutError::Timeout) if !left.is_zero() => continue,
                Err(mpsc::RecvTimeoutError::Timeout) => Failure::TimedOut(asked.timeout),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    Failure::Judge("it ended without a word".to_owned())
                }
            };
            return ReadOutcome::failed(failure);
        }
    }
}

/// How long a step may take; none when it takes no time.
fn time_of(work: &Work) -> Option<Duration> {
    match work {
        Work::Run(invocation) => Some(invocation.timeout),
        Work::Ask(question) => Some(question.timeout),
        Work::Said(_) | Work::Fail { .. } => None,
    }
}

struct Asked {
    timeout: Duration,
    deadline: Instant,
    receiver: Option<mpsc::Receiver<Result<Verdict, String>>>,
}

/// Not ok refuses on a gate and is a follow-up at a stop.
fn meaning(verdict: Verdict, event: EventKind) -> Outcome {
    if verdict.ok {
        return Outcome::NoOpinion;
    }
    let answer = match event.spec().gate {
        Gate::None if event.loops() => Answer {
            followup_message: Some(verdict.reason.unwrap_or_else(|| "Go on.".to_owned())),
            ..Answer::default()
        },
        Gate::None => return Outcome::NoOpinion,
        Gate::Continue => Answer { proceed: Some(false), user_message: verdict.reason, ..Answer::default() },
        Gate::Permission | Gate::ExitCode => Answer {
            permission: Some(Permission::Deny),
            user_message: verdict.reason,
            by_exit_code: true,
            ..Answer::default()
        },
    };
    Outcome::Answer(Box::new(answer))
}
