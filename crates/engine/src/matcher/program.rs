//! A pattern as a list of steps for the backtracking engine.
//!
//! Counted repetitions are written out; `ecma::MAX_SIZE` keeps that small.

use super::set::CharSet;
use super::syntax::{Case, Edge, Node, Repeat, Tree};

/// The steps of a pattern.
#[derive(Debug)]
pub struct Program {
    /// Begins with the first and ends at `Found`.
    pub steps: Vec<Step>,
    /// How many values a run remembers: two per group, one per loop.
    pub slots: usize,
    /// About how many bytes it takes.
    pub memory: u64,
}

/// One step. Targets are indexes of steps.
#[derive(Debug)]
pub enum Step {
    /// Takes one character.
    One { set: CharSet, way: Way },
    /// Goes on only at such a place.
    Edge(Edge),
    /// Takes the text of a group again.
    Back { groups: Vec<u32>, case: Case, unset_fits: bool, way: Way },
    /// Looks with the steps that follow, up to `Found`, and goes on at `then`.
    Look { negated: bool, then: usize },
    /// Takes what the steps that follow, up to `Found`, take first, and goes
    /// on at `then`.
    Atomic { then: usize },
    /// Goes on with the next step when a group took part, else elsewhere.
    If { group: u32, otherwise: usize },
    /// Goes on elsewhere.
    Jump(usize),
    /// Tries one way, and the other when that fails.
    Try { first: usize, second: usize },
    /// Remembers where we are.
    Remember(usize),
    /// Forgets the texts of groups: from, and up to.
    Forget(u32, u32),
    /// Goes on only when we are no longer where this slot says: a turn of a
    /// loop that took nothing would be taken for ever.
    Moved(usize),
    /// The end.
    Found,
}

/// Which way a step takes text: look-behinds read backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As written.
    Forward,
    /// From right to left.
    Backward,
}

impl Program {
    /// The steps of a pattern.
    pub fn new(tree: &Tree) -> Program {
        let mut program =
            Program { steps: Vec::new(), slots: tree.groups as usize * 2, memory: tree.memory() };
        program.add(&tree.root, Way::Forward);
        program.steps.push(Step::Found);
        program
    }

    /// Whether it can only be found at the very start.
    pub fn starts_at_start(&self) -> bool {
        matches!(self.steps.first(), Some(Step::Edge(Edge::Start)))
    }

    fn add(&mut self, node: &Node, way: Way) {
        match node {
            Node::Empty => {}
            Node::One(set) => self.steps.push(Step::One { set: set.clone(), way }),
            Node::Edge(edge) => self.steps.push(Step::Edge(*edge)),
            Node::Back { groups, case, unset_fits } => {
                let (groups, case, unset_fits) = (groups.clone(), *case, *unset_fits);
                self.steps.push(Step::Back { groups, case, unset_fits, way });
            }
            Node::Atomic(body) => self.add_atomic(body, way),
            Node::If { group, then, otherwise } => self.add_if(*group, then, otherwise, way),
            Node::Group(index, body) => self.add_group(*index as usize, body, way),
            Node::Look { behind, negated, body } => {
                self.add_look(*negated, body, if *behind { Way::Backward } else { Way::Forward });
            }
            Node::Repeat(repeat) => self.add_repeat(repeat, way),
            Node::All(parts) => match way {
                Way::Forward => parts.iter().for_each(|part| self.add(part, way)),
                Way::Backward => parts.iter().rev().for_each(|part| self.add(part, way)),
            },
            Node::Any(branches) => self.add_branches(branches, way),
        }
    }

    fn add_group(&mut self, index: usize, body: &Node, way: Way) {
        let (opening, closing) = match way {
            Way::Forward => (index * 2, index * 2 + 1),
            Way::Backward => (index * 2 + 1, index * 2),
        };
        self.steps.push(Step::Remember(opening));
        self.add(body, way);
        self.steps.push(Step::Remember(closing));
    }

    fn add_look(&mut self, negated: bool, body: &Node, way: Way) {
        let look = self.reserve();
        self.add(body, way);
        self.steps.push(Step::Found);
        self.steps[look] = Step::Look { negated, then: self.steps.len() };
    }

    fn add_atomic(&mut self, body: &Node, way: Way) {
        let atomic = self.reserve();
        self.add(body, way);
        self.steps.push(Step::Found);
        self.steps[atomic] = Step::Atomic { then: self.steps.len() };
    }

    fn add_if(&mut self, group: u32, then: &Node, otherwise: &Node, way: Way) {
        let choice = self.reserve();
        self.add(then, way);
        let jump = self.reserve();
        self.steps[choice] = Step::If { group, otherwise: self.steps.len() };
        self.add(otherwise, way);
        self.steps[jump] = Step::Jump(self.steps.len());
    }

    fn add_branches(&mut self, branches: &[Node], way: Way) {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.add(branch, way);
                continue;
            }
            let choice = self.reserve();
            self.add(branch, way);
            ends.push(self.reserve());
            self.steps[choice] = Step::Try { first: choice + 1, second: self.steps.len() };
        }
        let end = self.steps.len();
        ends.into_iter().for_each(|jump| self.steps[jump] = Step::Jump(end));
    }

    fn add_repeat(&mut self, repeat: &Repeat, way: Way) {
        for _ in 0..repeat.min {
            self.add_turn(repeat, way);
        }
        let choices: Vec<usize> = match repeat.max {
            None => vec![self.add_loop(repeat, way)],
            Some(max) => (repeat.min..max).map(|_| self.add_optional_turn(repeat, way)).collect(),
        };
        let end = self.steps.len();
        for choice in choices {
            let (first, second) = if repeat.greedy { (choice + 1, end) } else { (end, choice + 1) };
            self.steps[choice] = Step::Try { first, second };
        }
    }

    fn add_loop(&mut self, repeat: &Repeat, way: Way) -> usize {
        let choice = self.add_optional_turn(repeat, way);
        self.steps.push(Step::Jump(choice));
        choice
    }

    fn add_optional_turn(&mut self, repeat: &Repeat, way: Way) -> usize {
        let choice = self.reserve();
        if repeat.body.takes_something() {
            self.add_turn(repeat, way);
            return choice;
        }
        let slot = self.slots;
        self.slots += 1;
        self.steps.push(Step::Remember(slot));
        self.add_turn(repeat, way);
        self.steps.push(Step::Moved(slot));
        choice
    }

    fn add_turn(&mut self, repeat: &Repeat, way: Way) {
        let (from, to) = repeat.groups;
        if from < to {
            self.steps.push(Step::Forget(from, to));
        }
        self.add(&repeat.body, way);
    }

    /// A step whose target is not known yet.
    fn reserve(&mut self) -> usize {
        self.steps.push(Step::Found);
        self.steps.len() - 1
    }
}
