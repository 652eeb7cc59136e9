//! What of our events and answers an agent has: data of each dialect, from
//! which `agent status` and the manual make their tables.

use super::Agent;
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

impl Agent {
    /// What becomes of a field of an answer on an event.
    pub fn effect(&self, event: EventKind, field: AnswerField) -> Option<Effect> {
        let row = self.coverage.iter().find(|row| row.event == event)?;
        row.fields.iter().find(|(of, _)| *of == field).map(|(_, effect)| *effect)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::agent::AGENTS;
    use crate::event::EVENTS;

    #[test]
    fn every_agent_says_of_every_event_what_becomes_of_it() {
        for agent in AGENTS {
            for spec in EVENTS {
                let rows: Vec<&Covered> =
                    agent.coverage.iter().filter(|row| row.event == spec.kind).collect();
                let [row] = rows[..] else {
                    panic!("{} rows of {} in {}", rows.len(), spec.name, agent.name)
                };
                let told: Vec<&str> = row.fields.iter().map(|(field, _)| field.name()).collect();
                let may: Vec<&str> = spec.answers.iter().map(|field| field.name()).collect();
                let both = (told.iter().collect::<HashSet<_>>(), may.iter().collect::<HashSet<_>>());
                assert_eq!(both.0, both.1, "{} in {}", spec.name, agent.name);
                assert_eq!(told.len(), may.len(), "{} in {} says a field twice", spec.name, agent.name);
            }
            assert_eq!(agent.coverage.len(), EVENTS.len(), "{}", agent.name);
        }
    }

    #[test]
    fn only_a_gate_is_enforced_and_what_is_not_there_applies_nothing() {
        for (agent, row) in AGENTS.iter().flat_map(|agent| agent.coverage.iter().map(move |row| (agent, row)))
        {
            let name = format!("{} in {}", row.event.name(), agent.name);
            let applied = row.fields.iter().any(|(_, effect)| *effect == Effect::Applied);
            match row.reach {
                Reach::Enforced => assert!(row.event.can_block(), "{name}"),
                Reach::Observed => {}
                Reach::NotAvailable => {
                    assert!(!applied, "{name}");
                    assert!(!row.note.is_empty(), "{name} does not say why");
                }
            }
            for (_, effect) in row.fields {
                match effect {
                    Effect::Applied => {}
                    Effect::Degraded(how) | Effect::Lost(how) => assert!(!how.is_empty(), "{name}"),
                }
            }
        }
    }
}
