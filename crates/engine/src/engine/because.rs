//! Why a hook does not run: a rule says which of its conditions is not so.

use super::{Explanation, read_transcript};
use crate::definition::Action;
use crate::plan::{Plan, Skipped, Why};
use crate::rule::Look;

impl Explanation {
    /// Why a hook would not run, in a sentence.
    pub fn because(&self, plan: &Plan<'_>, skipped: &Skipped<'_>) -> String {
        because(skipped, &Look::new(&self.event, &read_transcript), plan.subject.as_deref())
    }
}

/// Why a hook did not run. What rules look at is read once for all of them; the
/// subject is what matchers were applied to.
pub(super) fn because(skipped: &Skipped<'_>, look: &Look<'_>, subject: Option<&str>) -> String {
    if let (Why::NotMet, Action::Rule(rule)) = (skipped.why, &skipped.hook.definition.action)
        && let Some(reason) = rule.why_silent(look)
    {
        return reason;
    }
    skipped.why.sentence(skipped.hook, subject)
}
