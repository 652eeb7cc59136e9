//! What the hooks of one happening came to, and the answer an agent gets.

use serde_json::{Map, Value};

/// What the hooks decided, after everything the agent cannot be told was
/// turned into something it can be told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// It is held back: the call, the prompt.
    pub refused: Option<Words>,
    /// The user is to be asked. Never set beside `refused`.
    pub ask: Option<Words>,
    /// A hook said `allow`, and the user wants that to skip the agent's own
    /// prompt.
    pub approved: bool,
    /// Another input for the call, by the agent's names. Never set beside `refused`.
    pub input: Option<Map<String, Value>>,
    /// For the model.
    pub context: Option<String>,
    /// In place of what an MCP tool returned.
    pub output: Option<Value>,
    /// The agent goes on with this message.
    pub follow_up: Option<String>,
    /// Variables for the session.
    pub env: Vec<(String, String)>,
    /// For the person: what a hook wants them to know, and what went wrong.
    pub notice: Option<String>,
    /// A refusal may end the run. Else a refused call is replaced by a harmless
    /// one where the agent has no other word for it.
    pub cancel_refused: bool,
}

/// Why something is held back. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// For the model.
    pub model: String,
    /// For the person.
    pub user: String,
}

impl Verdict {
    /// A refusal and nothing else.
    pub fn refusal(model: &str, user: &str) -> Verdict {
        let words = Words { model: model.to_owned(), user: user.to_owned() };
        Verdict { refused: Some(words), ..Verdict::default() }
    }
}

/// What we print and how we end. Never an abnormal end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// On stdout, without a newline behind it; empty prints nothing.
    pub stdout: String,
    /// On stderr.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Reply {
    /// Nothing to say.
    pub fn silence() -> Reply {
        Reply::default()
    }

    /// One JSON object, or nothing when it has no fields.
    pub fn json(object: Map<String, Value>) -> Reply {
        if object.is_empty() {
            return Reply::silence();
        }
        Reply { stdout: Value::Object(object).to_string(), ..Reply::default() }
    }
}
