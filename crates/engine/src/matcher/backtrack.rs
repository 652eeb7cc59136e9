//! The backtracking engine, for patterns that look around or refer back.
//!
//! Follows ECMAScript where engines of other languages differ: a reference to
//! a group that took no part fits, each turn of a loop forgets the groups in
//! it, look-behinds read from right to left. Work is counted, and a run that
//! passes `STEP_LIMIT` ends without an answer.

use super::budget::{self, OverBudget};
use super::fold;
use super::program::{Program, Step, Way};
use super::python;
use super::set;
use super::syntax::{Case, Edge};

/// How many steps one test may take: enough for a few on every character of
/// 1 MiB, and over in a fraction of a second.
pub const STEP_LIMIT: usize = 4_000_000;

/// Whether the pattern fits anywhere in the subject.
pub fn is_match(program: &Program, subject: &str) -> Result<bool, OverBudget> {
    let text: Vec<char> = subject.chars().collect();
    let limit = budget::steps_left(STEP_LIMIT);
    let mut run =
        Run { program, text: &text, slots: vec![NONE; program.slots], trail: Vec::new(), left: limit };
    let found = run.anywhere();
    budget::charge_steps((limit - run.left) as u64)?;
    found
}

/// What a slot holds before anything was remembered.
const NONE: usize = usize::MAX;

struct Run<'a> {
    program: &'a Program,
    text: &'a [char],
    slots: Vec<usize>,
    trail: Vec<Trail>,
    left: usize,
}

/// What is undone or tried next when a step fails.
enum Trail {
    /// Go on with this step at this place.
    Try { step: usize, at: usize },
    /// Give a slot its former value back.
    Restore { slot: usize, value: usize },
}

impl Run<'_> {
    /// Runs from every place of the text.
    fn anywhere(&mut self) -> Result<bool, OverBudget> {
        let last_start = if self.program.starts_at_start() { 0 } else { self.text.len() };
        for start in 0..=last_start {
            if self.from(0, start)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs from a step at a place up to `Found`, and says where that was.
    /// After a failure everything is as it was before.
    fn from(&mut self, step: usize, at: usize) -> Result<Option<usize>, OverBudget> {
        let base = self.trail.len();
        let (mut step, mut at) = (step, at);
        loop {
            if let Step::Found = self.program.steps[step] {
                self.keep_only_restores(base);
                return Ok(Some(at));
            }
            (step, at) = match self.take(step, at)? {
                Some(next) => next,
                None => match self.undo(base) {
                    Some(next) => next,
                    None => return Ok(None),
                },
            };
        }
    }

    /// The next step and place; none when this step fails.
    fn take(&mut self, step: usize, at: usize) -> Result<Option<(usize, usize)>, OverBudget> {
        self.spend(1)?;
        let program = self.program;
        let goes_on = |fits: bool| fits.then_some((step + 1, at));
        Ok(match &program.steps[step] {
            Step::One { set, way } => self
                .neighbour(at, *way)
                .filter(|(one, _)| set.contains(u32::from(*one)))
                .map(|(_, to)| (step + 1, to)),
            Step::Edge(edge) => goes_on(self.is_at(*edge, at)),
            Step::Back { groups, case, unset_fits, way } => match self.bounds(groups) {
                None => goes_on(*unset_fits),
                Some(taken) => self.again(taken, *case, *way, at)?.map(|to| (step + 1, to)),
            },
            Step::Atomic { then } => self.from(step + 1, at)?.map(|to| (*then, to)),
            Step::If { group, otherwise } => {
                let next = if self.bounds(&[*group]).is_some() { step + 1 } else { *otherwise };
                Some((next, at))
            }
            Step::Look { negated, then } => self.look(step + 1, at, *negated)?.then_some((*then, at)),
            Step::Jump(to) => Some((*to, at)),
            Step::Try { first, second } => {
                self.trail.push(Trail::Try { step: *second, at });
                Some((*first, at))
            }
            Step::Remember(slot) => {
                self.set(*slot, at);
                goes_on(true)
            }
            Step::Forget(from, to) => {
                self.spend((to - from) as usize)?;
                (*from as usize * 2..*to as usize * 2).for_each(|slot| self.set(slot, NONE));
                goes_on(true)
            }
            Step::Moved(slot) => goes_on(self.slots[*slot] != at),
            Step::Found => goes_on(false),
        })
    }

    fn spend(&mut self, steps: usize) -> Result<(), OverBudget> {
        self.left = self.left.checked_sub(steps).ok_or(OverBudget)?;
        Ok(())
    }

    fn set(&mut self, slot: usize, value: usize) {
        let former = std::mem::replace(&mut self.slots[slot], value);
        if former != value {
            self.trail.push(Trail::Restore { slot, value: former });
        }
    }

    /// Undoes down to the last choice above `base`.
    fn undo(&mut self, base: usize) -> Option<(usize, usize)> {
        while self.trail.len() > base {
            match self.trail.pop()? {
                Trail::Try { step, at } => return Some((step, at)),
                Trail::Restore { slot, value } => self.slots[slot] = value,
            }
        }
        None
    }

    /// What was found is final, but must be undone if something later fails.
    fn keep_only_restores(&mut self, base: usize) {
        let mut kept = base;
        for index in base..self.trail.len() {
            if let Trail::Restore { .. } = self.trail[index] {
                self.trail.swap(kept, index);
                kept += 1;
            }
        }
        self.trail.truncate(kept);
    }

    fn look(&mut self, step: usize, at: usize, negated: bool) -> Result<bool, OverBudget> {
        let base = self.trail.len();
        let found = self.from(step, at)?.is_some();
        if negated {
            while self.undo(base).is_some() {}
        }
        Ok(found != negated)
    }

    /// Where the text of the group stands that took part.
    fn bounds(&self, groups: &[u32]) -> Option<(usize, usize)> {
        let mut bounds = groups.iter().map(|&group| {
            let start = group as usize * 2;
            (self.slots[start], self.slots[start + 1])
        });
        bounds.find(|&(start, end)| start != NONE && end != NONE)
    }

    /// Where a text that was taken ends when it stands here again.
    fn again(
        &mut self,
        (start, end): (usize, usize),
        case: Case,
        way: Way,
        at: usize,
    ) -> Result<Option<usize>, OverBudget> {
        let length = end - start;
        self.spend(length)?;
        let place = match way {
            Way::Forward => at.checked_add(length).filter(|&end| end <= self.text.len()).map(|end| (at, end)),
            Way::Backward => at.checked_sub(length).map(|start| (start, at)),
        };
        let Some((from, to)) = place else { return Ok(None) };
        let same = |(one, other): (&char, &char)| {
            one == other
                || match case {
                    Case::Kept => false,
                    Case::Ecma => fold::canonical(*one) == fold::canonical(*other),
                    Case::Python => python::lower(*one) == python::lower(*other),
                }
        };
        let fits = self.text[start..end].iter().zip(&self.text[from..to]).all(same);
        Ok(fits.then_some(match way {
            Way::Forward => to,
            Way::Backward => from,
        }))
    }

    /// The character next to a place, and the place behind it.
    fn neighbour(&self, at: usize, way: Way) -> Option<(char, usize)> {
        let (index, to) = match way {
            Way::Forward => (at, at + 1),
            Way::Backward => (at.checked_sub(1)?, at - 1),
        };
        self.text.get(index).map(|one| (*one, to))
    }

    fn is_at(&self, edge: Edge, at: usize) -> bool {
        is_at(edge, self.text, at)
    }
}

/// Whether a place in a text is such an edge.
pub fn is_at(edge: Edge, text: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|index| text.get(index)).copied();
    let after = text.get(at).copied();
    let between = |is_word: fn(char) -> bool| before.is_some_and(is_word) != after.is_some_and(is_word);
    match edge {
        Edge::Start => before.is_none(),
        Edge::End => after.is_none(),
        Edge::LineStart => before.is_none_or(set::ends_line),
        Edge::LineEnd => after.is_none_or(set::ends_line),
        Edge::Word => between(set::is_word),
        Edge::NotWord => !between(set::is_word),
        Edge::LastLineEnd => after.is_none() || (after == Some('\n') && at + 1 == text.len()),
        Edge::AfterNewline => before.is_none_or(|one| one == '\n'),
        Edge::BeforeNewline => after.is_none_or(|one| one == '\n'),
        Edge::WideWord => between(python::is_word),
        Edge::NotWideWord => !text.is_empty() && !between(python::is_word),
        Edge::NotWordInText => !text.is_empty() && !between(set::is_word),
    }
}
