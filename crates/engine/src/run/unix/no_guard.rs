//! Stands for the guard where there is no `/proc` in which it could look.

use std::time::Duration;

use super::marker::Marker;

/// Never.
pub const GUARD_AFTER: Duration = Duration::MAX;

/// A guard that is never set up.
pub enum Guard {}

impl Guard {
    pub fn new(_marker: &Marker) -> Option<Guard> {
        None
    }
}
