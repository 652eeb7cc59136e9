//! One case of an author's tests: an event, and what is expected of it.

use std::path::PathBuf;

use boathook_engine::event::EventKind;
use boathook_engine::matcher::{Matcher, Verdict};
use serde_json::{Map, Value};

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    pub name: String,
    /// The file it stands in,
    pub file: PathBuf,
    /// and the line it begins on.
    pub line: usize,
    pub event: EventKind,
    pub payload: Map<String, Value>,
    /// Variables for its hooks.
    pub env: Vec<(String, String)>,
    /// Files of the scratch workspace, by their path in it.
    pub files: Vec<(PathBuf, String)>,
    /// Whether it runs in a copy of the workspace.
    pub scratch: bool,
    pub expect: Expect,
}

/// What is expected. What is not said is not looked at, but for failures:
/// a hook that fails is a difference unless it is expected to.
#[derive(Debug, Clone, Default)]
pub struct Expect {
    /// 0, or 2 when the event is refused.
    pub exit: Option<u8>,
    /// The whole answer.
    pub answer: Option<Map<String, Value>>,
    /// The hooks that run, by their commands.
    pub ran: Option<Vec<String>>,
    /// Those of them that fail.
    pub failed: Vec<String>,
}

/// An expectation of a text, where a text could stand.
#[derive(Debug)]
pub enum Pattern<'v> {
    Contains(&'v str),
    Matches(&'v str),
}

impl<'v> Pattern<'v> {
    /// `{"contains": "…"}` and `{"matches": "…"}`.
    pub fn of(value: &'v Value) -> Option<Pattern<'v>> {
        let object = value.as_object().filter(|object| object.len() == 1)?;
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        text("contains").map(Pattern::Contains).or_else(|| text("matches").map(Pattern::Matches))
    }

    pub fn fits(&self, text: &str) -> bool {
        match self {
            Pattern::Contains(part) => text.contains(part),
            Pattern::Matches(pattern) => Matcher::new(*pattern).matches(text) == Verdict::Match,
        }
    }

    /// Why it never can fit anything.
    pub fn error(&self) -> Option<String> {
        match self {
            Pattern::Contains(_) => None,
            Pattern::Matches(pattern) => Matcher::new(*pattern).error(),
        }
    }
}
