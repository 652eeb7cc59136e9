//! Where a rule stands in a hooks.json: the events of its entries, and their
//! matchers.

use super::condition::Field;
use super::{About, Rule};
use crate::event::{Call, EVENTS, EventKind};

/// The product's words for the plugin's tools.
const TOOLS: [(&str, &str); 4] =
    [("Bash", "Shell"), ("Edit", "Write"), ("MultiEdit", "Write"), ("NotebookEdit", "Write")];

/// One entry of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its event.
    pub event: EventKind,
    /// Its matcher, if it needs one.
    pub matcher: Option<String>,
}

impl Rule {
    /// The entries that ask this rule wherever it is to be asked, each call once.
    ///
    /// A rule about edits that tests nothing but a path is asked about reads
    /// too; one that tests the text is asked again when the edit was made.
    pub fn places(&self) -> Vec<Place> {
        let mut places: Vec<Place> = EVENTS
            .iter()
            .filter(|spec| self.calls().contains(&spec.call))
            .map(|spec| Place { event: spec.kind, matcher: self.tool_matcher(spec.call) })
            .collect();
        if self.about == About::File {
            let beside = if self.tests_only_paths() { Call::Read } else { Call::Edit };
            let of = |call: Call| EVENTS.iter().find(|spec| spec.call == call).map(|spec| spec.kind);
            places.extend(of(beside).map(|event| Place { event, matcher: None }));
        }
        places
    }

    /// Whether every condition is about the path of a file.
    pub fn tests_only_paths(&self) -> bool {
        let is_path =
            |field: &Field| matches!(field, Field::Named(name) if name == "file_path" || name == "path");
        !self.conditions.is_empty() && self.conditions.iter().all(|condition| is_path(&condition.field))
    }

    fn tool_matcher(&self, call: Call) -> Option<String> {
        if call != Call::Tool {
            return None;
        }
        let tools: Vec<String> = self.tools.iter().flatten().map(|name| in_product(name)).collect();
        let any = tools.iter().any(|name| name == "*");
        match (self.about, tools.as_slice()) {
            (About::Bash, _) => Some("^Shell$".to_owned()),
            (About::File, []) => Some("^Write$".to_owned()),
            (_, []) if self.refuses() => Some("^(?!Shell$)".to_owned()),
            (_, []) => None,
            (_, _) if any => None,
            (_, tools) => {
                let mut names = tools.to_vec();
                names.dedup();
                Some(format!("^({})$", names.join("|")))
            }
        }
    }
}

fn in_product(tool: &str) -> String {
    let known = TOOLS.iter().find(|(plugin, _)| *plugin == tool);
    known.map_or(tool, |(_, product)| product).to_owned()
}
