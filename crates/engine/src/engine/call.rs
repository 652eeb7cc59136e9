//! What one caller of several wants of its own event.

use crate::perform::Deadline;
use crate::run::Cancel;
use crate::shortage::Watch;

/// What one caller of several wants of its own event.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// When it must be answered; none when the timeouts of hooks decide alone.
    pub deadline: Option<Deadline>,
    /// Ends this call alone. The engine's own cancel does not count beside it,
    /// so it should hear of that, too.
    pub cancel: Option<Cancel>,
    /// Begun before its files were looked at, by a process that serves many: what
    /// it decides while the machine is short of something does not count, and the
    /// decision says so (`undecided`).
    pub watch: Option<Watch>,
}

impl Call {
    /// Whether something was short since it was begun to be looked at.
    pub(super) fn is_short(&self) -> bool {
        self.watch.is_some_and(|watch| !watch.holds())
    }
}
