//! What a conversation keeps between events: the variables that sessionStart
//! hooks set, and how many follow-ups were sent. A value that can be saved.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::EventKind;
use crate::payload::Payload;
use crate::source::Level;

/// At most this many variables of a session,
pub const MOST_VARIABLES: usize = 64;
/// and this many bytes of names and values.
pub const MOST_BYTES: usize = 32 * 1024;

/// One conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Set by sessionStart hooks.
    #[serde(default)]
    pub env: Vec<Variable>,
    /// Automatic follow-ups so far, on `stop`.
    #[serde(default)]
    pub loops: u32,
    /// Automatic follow-ups so far, per subagent.
    #[serde(default)]
    pub subagent_loops: BTreeMap<String, u32>,
}

/// A variable, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The level of the hook that set it.
    pub level: Level,
}

impl Session {
    /// Automatic follow-ups so far. The payload's own count wins.
    pub fn loop_count(&self, event: EventKind, payload: &Payload) -> u32 {
        payload.count("loop_count").unwrap_or_else(|| self.counted(event, payload))
    }

    /// Those that were counted here.
    fn counted(&self, event: EventKind, payload: &Payload) -> u32 {
        match subagent(event, payload) {
            Some(id) => self.subagent_loops.get(&id).copied().unwrap_or(0),
            None => self.loops,
        }
    }

    /// A follow-up was sent: one more than were counted here, or than the host
    /// counted.
    pub fn count_follow_up(&mut self, event: EventKind, payload: &Payload, counted_by_us: bool) {
        let before =
            if counted_by_us { self.counted(event, payload) } else { self.loop_count(event, payload) };
        let next = before.saturating_add(1);
        match subagent(event, payload) {
            Some(id) => drop(self.subagent_loops.insert(id, next)),
            None => self.loops = next,
        }
    }

    /// Keeps variables; returns a sentence for each that was not kept.
    pub fn keep(&mut self, variables: Vec<Variable>) -> Vec<String> {
        let mut refused = Vec::new();
        for variable in variables {
            match self.problem_with(&variable) {
                Some(problem) => {
                    let name: String =
                        variable.name.chars().take(40).flat_map(char::escape_default).collect();
                    refused.push(format!("`env.{name}` was not kept: {problem}"));
                }
                None => {
                    self.env.retain(|other| other.name != variable.name);
                    self.env.push(variable);
                }
            }
        }
        refused
    }

    fn problem_with(&self, variable: &Variable) -> Option<&'static str> {
        let size = |variable: &Variable| variable.name.len() + variable.value.len();
        let others = self.env.iter().filter(|kept| kept.name != variable.name);
        let used: usize = others.clone().map(size).sum();
        let is_taken = |other: &Variable| other.name == variable.name && other.level < variable.level;
        if self.env.iter().any(is_taken) {
            Some("a hook of a higher priority has set it")
        } else if !is_identifier(&variable.name) {
            Some("its name is not a plain identifier")
        } else if variable.name.starts_with("BOATHOOK_") {
            Some("names that begin with BOATHOOK_ are our own")
        } else if variable.value.contains('\0') {
            Some("its value holds a NUL")
        } else if others.count() >= MOST_VARIABLES {
            Some("a session has at most 64 variables")
        } else if used + size(variable) > MOST_BYTES {
            Some("a session's variables have at most 32 KiB")
        } else {
            None
        }
    }
}

/// The subagent an event speaks of; none on events of the conversation itself.
fn subagent(event: EventKind, payload: &Payload) -> Option<String> {
    event.of_subagent().then(|| payload.text("subagent_id").unwrap_or_default())
}

fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, value: &str) -> Variable {
        Variable { name: name.to_owned(), value: value.to_owned(), level: Level::User }
    }

    #[test]
    fn only_sane_variables_are_kept() {
        let cases = [
            ("TICKET", "1", true),
            ("_x9", "A=B=C", true),
            ("A=B", "1", false),
            ("9A", "1", false),
            ("A\nB", "1", false),
            ("", "1", false),
            ("BOATHOOK_DEPTH", "0", false),
            ("X", "a\0b", false),
        ];
        for (name, value, expected) in cases {
            let mut session = Session::default();
            assert_eq!(session.keep(vec![variable(name, value)]).is_empty(), expected, "{name:?}");
            assert_eq!(session.env.len(), usize::from(expected), "{name:?}");
        }
        let mut session = Session::default();
        let many = (0..70).map(|number| variable(&format!("V{number}"), "x")).collect();
        assert_eq!(session.keep(many).len(), 6);
        assert_eq!(session.keep(vec![variable("V1", &"x".repeat(40_000))]).len(), 1);
        assert_eq!(session.env.len(), MOST_VARIABLES);
    }

    #[test]
    fn the_payloads_own_count_wins() {
        let mut session = Session::default();
        let silent = Payload::default();
        session.count_follow_up(EventKind::Stop, &silent, true);
        session.count_follow_up(EventKind::Stop, &silent, true);
        assert_eq!(session.loop_count(EventKind::Stop, &silent), 2);
        let given = Payload::parse(br#"{"loop_count":7}"#).expect("an object");
        assert_eq!(session.loop_count(EventKind::Stop, &given), 7);
        assert_eq!(session.loop_count(EventKind::SubagentStop, &silent), 0);
    }
}
