//! A rule in words: what it does, and why it has nothing to say.

use super::condition::{Condition, Field, Operator};
use super::view::View;
use super::{Rule, WarnAs};
use crate::event::Call;
use crate::rule::Look;

/// A longer value is cut.
const LONGEST: usize = 60;

impl Rule {
    /// What it does, in a few words.
    pub fn summary(&self) -> String {
        let does = match (self.blocks, self.options.warn_as) {
            (true, _) => "blocks",
            (false, WarnAs::Message) => "warns",
            (false, WarnAs::Ask) => "asks",
            (false, WarnAs::Deny) => "denies",
        };
        if self.conditions.is_empty() {
            return format!("{does}, but never applies");
        }
        let tests = |condition: &Condition| match &condition.field {
            Field::Named(name) => format!("`{name}` {}", wants(condition)),
            Field::Subject => format!("what it looks at {}", wants(condition)),
        };
        let conditions: Vec<String> = self.conditions.iter().map(tests).collect();
        format!("{does} ({}) when {}", self.about.name().unwrap_or("nothing"), conditions.join(" and "))
    }

    /// Why it has nothing to say to an event; nothing when it speaks.
    pub fn why_silent(&self, look: &Look<'_>) -> Option<String> {
        let view = look.views.of(look, self.options.mode);
        if self.conditions.is_empty() {
            return Some("the rule has no condition, or is switched off".to_owned());
        }
        if let Some(reason) = self.why_not_for(view) {
            return Some(reason);
        }
        let failed = self.conditions.iter().find(|condition| !condition.holds(look, view))?;
        Some(why_not(failed, look, view))
    }

    fn why_not_for(&self, view: &View) -> Option<String> {
        if self.is_for(view) {
            return None;
        }
        let tool = view.tool();
        let tools = self.tools.as_deref();
        Some(if view.is_about(self.about, tools) && view.is_tool_of(tools) {
            "a command is refused at beforeShellExecution, and once is enough".to_owned()
        } else if view.is_about(self.about, tools) {
            let names = tools.unwrap_or_default().join("|");
            format!("its `tool_matcher` is `{names}`, and the tool is `{tool}`")
        } else {
            let (about, this) = (self.about.name().unwrap_or("nothing"), shown(tool));
            match view.call {
                Call::Tool | Call::Shell | Call::Read | Call::Edit => {
                    format!("the rule is about `{about}`, and the tool is {this}")
                }
                Call::Prompt | Call::Stop | Call::None => {
                    format!("the rule is about `{about}`, and this is not")
                }
            }
        })
    }
}

fn why_not(condition: &Condition, look: &Look<'_>, view: &View) -> String {
    let name = match &condition.field {
        Field::Named(name) => name.as_str(),
        Field::Subject => view.subject_name(),
    };
    match view.field(look, &condition.field) {
        Some(seen) => {
            format!("`{name}` is {}, and the rule wants one that {}", shown(&seen.text), wants(condition))
        }
        None => format!("`{name}` is not there"),
    }
}

fn wants(condition: &Condition) -> String {
    let pattern = condition.pattern.text();
    match condition.operator {
        Operator::RegexMatch => format!("matches `{pattern}`"),
        Operator::Contains => format!("contains `{pattern}`"),
        Operator::Equals => format!("equals `{pattern}`"),
        Operator::NotContains => format!("does not contain `{pattern}`"),
        Operator::StartsWith => format!("starts with `{pattern}`"),
        Operator::EndsWith => format!("ends with `{pattern}`"),
        Operator::Unknown => "passes an operator that is none".to_owned(),
    }
}

fn shown(text: &str) -> String {
    let short: String = text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("`{short}{more}`")
}
