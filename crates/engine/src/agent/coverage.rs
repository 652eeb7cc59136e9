//! What of our events and answers an agent has: data of each dialect, from
//! which `agent status` and the manual make their tables.

use crate::event::{AnswerField, EventKind};

/// One event of ours in an agent.
#[derive(Debug, Clone, Copy)]
pub struct Covered {
    /// Ours.
    pub event: EventKind,
    /// How far it reaches.
    pub reach: Reach,
    /// What becomes of each field that an answer on it may carry.
    pub fields: &'static [(AnswerField, Effect)],
    /// What differs from the original product; empty when nothing does.
    pub note: &'static str,
}

/// How far an event reaches in an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It fires, and a refusal holds.
    Enforced,
    /// It fires.
    Observed,
    /// It does not exist there.
    NotAvailable,
}

/// What becomes of a field of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// As in the original product.
    Applied,
    /// Otherwise, in this way.
    Degraded(&'static str),
    /// Not at all, for this reason; said aloud when it happens.
    Lost(&'static str),
}
