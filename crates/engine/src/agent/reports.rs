//! What a person must know beside what hooks decided: whole sources that do not
//! run, and hooks of theirs that are not what they were.
//!
//! Nobody reads stderr inside an agent. When a session or a turn begins, this
//! goes where the agent shows it; where it shows nothing, it stays news for
//! `boathook list`, `check`, `doctor` and `run`.

use std::path::Path;

use super::Agent;
use super::happening::{Happening, Moment};
use super::verdict::{Reply, Verdict};
use crate::load::{Change, HookSet};
use crate::merge::join;
use crate::problem::Problem;

/// Problems of whole sources that are told even when no hook of the event at
/// hand stands there.
const WITHHELD: [&str; 3] = ["untrusted", "trust-changed", "trust-broken"];

/// Whether a session or a turn begins: a person looks.
pub fn begins(happening: &Happening) -> bool {
    matches!(happening.moment, Moment::SessionStart { .. } | Moment::Prompt { .. })
}

/// Puts what a person must know into a verdict, and says whether the agent
/// shows it. `notices` are the caller's own.
pub fn hand_over(
    agent: &Agent,
    happening: &Happening,
    hooks: &HookSet,
    changes: &[Change],
    notices: &[Problem],
    verdict: &mut Verdict,
) -> bool {
    let said = verdict.notice.clone().unwrap_or_default();
    let sources = if begins(happening) { &hooks.problems[..] } else { &[] };
    let withheld = sources.iter().filter(|problem| WITHHELD.contains(&problem.code));
    // The hooks of the event at hand have said it themselves.
    let unsaid = withheld.filter(|problem| !said.contains(&format!("{} withheld", place(problem))));
    let news = changes.iter().map(|change| &change.problem).chain(unsaid).chain(notices);
    let texts: Vec<String> = news.map(in_words).collect();
    if texts.is_empty() {
        return false;
    }
    let before = (agent.encode_decision)(happening, verdict);
    verdict.notice = join(verdict.notice.take().into_iter().chain(texts));
    is_shown(&before, &(agent.encode_decision)(happening, verdict))
}

/// What an agent shows stands in its answer. What stands on stderr is read by
/// nobody, unless it is the reason for a refusal.
fn is_shown(before: &Reply, with: &Reply) -> bool {
    before.stdout != with.stdout
}

fn place(problem: &Problem) -> String {
    format!("{}:", problem.file.as_deref().unwrap_or(Path::new("")).display())
}

fn in_words(problem: &Problem) -> String {
    let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    match problem.file {
        Some(_) => format!("{} {}{help}", place(problem), problem.message),
        None => format!("{}{help}", problem.message),
    }
}
