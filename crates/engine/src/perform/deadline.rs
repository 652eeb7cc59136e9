//! The moment by which hooks must be done, whatever their timeouts say: an agent
//! that waits no longer goes on by itself, and the gate would be open.
//!
//! One deadline holds for all events of one happening.

use std::time::{Duration, Instant};

use crate::merge::Heard;
use crate::outcome::{Failure, Outcome};
use crate::plan::{Step, Work};

/// What is kept of an agent's patience for ending hooks and for the answer's
/// way: a tree that resists takes three seconds to end.
const MARGIN: Duration = Duration::from_secs(5);
/// A hook that has no time left is still a hook that ran out of time.
const SHORTEST: Duration = Duration::from_millis(1);

/// By when hooks must be done, and who does not wait longer.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    at: Instant,
    patience: Duration,
    waits: &'static str,
}

impl Deadline {
    /// For somebody who waits so long from now on.
    pub fn from_now(patience: Duration, waits: &'static str) -> Deadline {
        let margin = MARGIN.min(patience / 3);
        Deadline { at: Instant::now() + patience.saturating_sub(margin), patience, waits }
    }

    pub(super) fn left(&self) -> Duration {
        self.at.saturating_duration_since(Instant::now()).max(SHORTEST)
    }

    /// Leaves no step more time than there is.
    pub(crate) fn cut(&self, steps: &mut [Step<'_>]) {
        let left = self.left();
        for step in steps {
            match &mut step.work {
                Work::Run(invocation) => invocation.timeout = invocation.timeout.min(left),
                Work::Ask(question) => question.timeout = question.timeout.min(left),
                Work::Said(_) | Work::Fail { .. } => {}
            }
        }
    }

    /// Says of a hook why it had less time than its timeout.
    pub(super) fn explain(&self, heard: &mut Heard<'_>, given: Duration) {
        let own = heard.hook.definition.timeout;
        let late = match &heard.read.outcome {
            Outcome::Failed(Failure::TimedOut(_) | Failure::Judge(_)) => given < own,
            Outcome::Failed(_) | Outcome::Answer(_) | Outcome::NoOpinion | Outcome::Silent => false,
        };
        if late {
            heard.read.warnings.push(format!(
                "its timeout of {} s was cut to {:.1} s: {} waits {} s for all hooks together, and then goes on without an answer",
                own.as_secs_f64(),
                given.as_secs_f64(),
                self.waits,
                self.patience.as_secs_f64(),
            ));
        }
    }
}
