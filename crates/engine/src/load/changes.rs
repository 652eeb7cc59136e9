//! Changes of the user's own hooks: news until a person was told of them.

use super::Loader;
use crate::problem::Problem;
use crate::source::Level;
use crate::trust::{Looking, Seeing};

/// A change of the user's own hooks, which nobody was told of yet.
#[derive(Debug)]
pub struct Change {
    /// In words.
    pub problem: Problem,
    /// Which of the user's files it is.
    pub level: Level,
    pub(super) seeing: Seeing,
}

impl Change {
    /// Whether it is not in the log yet.
    pub fn is_fresh(&self) -> bool {
        self.seeing.fresh
    }
}

impl Loader {
    /// What changed in the user's hooks since a person was last told; it is
    /// said again until it was `told`.
    pub fn changes(&self, looking: Looking) -> Vec<Change> {
        self.readings.iter().filter_map(|reading| reading.change(&self.surroundings, looking)).collect()
    }

    /// A person was told of these changes.
    pub fn told(&self, changes: &[Change]) {
        changes.iter().for_each(|change| self.surroundings.trust.told(&change.seeing));
    }
}
