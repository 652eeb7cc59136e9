//! Runs a program on all its ways at once: linear time, for the places that
//! the borrowed engines do not know.
//!
//! Only for programs that neither look around, nor refer back, nor keep what
//! they took first.

use super::backtrack::is_at;
use super::budget::{self, OverBudget};
use super::linear::COST_LIMIT;
use super::program::{Program, Step};

/// Whether every step of a program can be run here.
pub fn can_run(program: &Program) -> bool {
    program.steps.iter().all(|step| match step {
        Step::One { .. }
        | Step::Edge(_)
        | Step::Jump(_)
        | Step::Try { .. }
        | Step::Remember(_)
        | Step::Forget(..)
        | Step::Moved(_)
        | Step::Found => true,
        Step::Back { .. } | Step::Look { .. } | Step::Atomic { .. } | Step::If { .. } => false,
    })
}

/// Whether the pattern fits anywhere in the subject.
pub fn is_match(program: &Program, subject: &str) -> Result<bool, OverBudget> {
    let text: Vec<char> = subject.chars().collect();
    if (program.steps.len() as u64).saturating_mul(text.len() as u64) > COST_LIMIT {
        return Err(OverBudget);
    }
    budget::timed(|| search(program, &text))
}

fn search(program: &Program, text: &[char]) -> bool {
    let mut run = Run { program, text, seen: vec![usize::MAX; program.steps.len()], here: Vec::new() };
    let mut waiting = Vec::new();
    for at in 0..=text.len() {
        for step in waiting.drain(..) {
            run.reach(step, at);
        }
        run.reach(0, at);
        if run.found() {
            return true;
        }
        let Some(character) = text.get(at) else { break };
        let here = std::mem::take(&mut run.here);
        waiting
            .extend(here.into_iter().filter(|&step| takes(&program.steps[step], *character)).map(|s| s + 1));
    }
    false
}

struct Run<'a> {
    program: &'a Program,
    text: &'a [char],
    /// Where each step was last reached: once at each place is enough, which
    /// also ends loops that take nothing.
    seen: Vec<usize>,
    /// The steps that wait for a character, or have found.
    here: Vec<usize>,
}

impl Run<'_> {
    /// Follows everything that takes no character.
    fn reach(&mut self, first: usize, at: usize) {
        let mut open = vec![first];
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut self.seen[step], at) == at {
                continue;
            }
            match &self.program.steps[step] {
                Step::One { .. } | Step::Found => self.here.push(step),
                Step::Edge(edge) if is_at(*edge, self.text, at) => open.push(step + 1),
                Step::Edge(_) => {}
                Step::Jump(to) => open.push(*to),
                Step::Try { first, second } => open.extend([*second, *first]),
                Step::Remember(_) | Step::Forget(..) | Step::Moved(_) => open.push(step + 1),
                Step::Back { .. } | Step::Look { .. } | Step::Atomic { .. } | Step::If { .. } => {}
            }
        }
    }

    fn found(&self) -> bool {
        self.here.iter().any(|&step| matches!(self.program.steps[step], Step::Found))
    }
}

fn takes(step: &Step, character: char) -> bool {
    matches!(step, Step::One { set, .. } if set.contains(u32::from(character)))
}
