//! What is said on the daemon's socket: JSON-RPC 2.0, one object on each line.
//!
//! Both ends read it from here. Values that hooks wrote travel as they were
//! written.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::decision::{Decision, HookReport};

/// A line may have this many bytes. A longer event is asked in process.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;
/// How often a caller that wants to know hears that its event is being worked on.
pub const BEAT: std::time::Duration = std::time::Duration::from_millis(500);

/// A call, or a notice when it has no id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Request {
    /// `2.0`.
    pub jsonrpc: String,
    /// A number or a text that comes back with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// What is wanted.
    pub method: String,
    /// What goes with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Box<RawValue>>,
}

/// What comes back: a result or an error.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Response {
    /// `2.0`.
    pub jsonrpc: String,
    /// The id of the call; `null` when it could not be read.
    pub id: Value,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RpcError>,
}

/// Why there is no result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RpcError {
    /// One of `codes`.
    pub code: i32,
    /// What is wrong, and what to write instead.
    pub message: String,
}

/// The codes of errors: those of JSON-RPC, and ours.
pub mod codes {
    /// The line is no JSON.
    pub const PARSE: i32 = -32_700;
    /// It is no request.
    pub const REQUEST: i32 = -32_600;
    /// There is no such method.
    pub const METHOD: i32 = -32_601;
    /// Its parameters are wrong.
    pub const PARAMS: i32 = -32_602;
    /// The daemon failed.
    pub const INTERNAL: i32 = -32_603;
    /// The caller is of another version, or lives elsewhere: it asks itself.
    pub const OTHER: i32 = -32_001;
    /// There is too much to do: the caller waits, or asks itself.
    pub const BUSY: i32 = -32_002;
    /// The caller cancelled.
    pub const CANCELLED: i32 = -32_003;
    /// The line is longer than `LONGEST_LINE`.
    pub const TOO_LONG: i32 = -32_004;
    /// The daemon is about to end.
    pub const ENDING: i32 = -32_005;
}

/// What goes with `handle`. An event and its payload are enough.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleParams {
    /// The event's name.
    pub event: String,
    /// Its payload: one object.
    pub payload: Box<RawValue>,
    /// The workspaces; the payload's own when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<PathBuf>,
    /// Where the caller is: its workspace is the nearest folder with `.cursor` or
    /// `.git` from there, when nothing else names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// `desktop` or `cloud`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Whether the workspace is remote.
    #[serde(default)]
    pub remote: bool,
    /// Nobody can be asked: `ask` is a refusal.
    #[serde(default)]
    pub cannot_ask: bool,
    /// Which generation of the hook system to follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// Who calls, when it could do the work itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// The caller wants a `working` notice every `BEAT` until the answer comes.
    #[serde(default)]
    pub beat: bool,
}

/// A caller that would ask the same hooks itself if the daemon were not there.
/// One that differs in any of these would get another answer than its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// Its version.
    pub version: String,
    /// Its home.
    pub home: PathBuf,
    /// Where its config.toml stands.
    pub config: PathBuf,
    /// The prefix of its system paths.
    pub root: PathBuf,
}

/// The result of `handle`: the decision, whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Handled {
    /// The event's name.
    pub event: String,
    /// The answer in the product's format, as it is written to stdout.
    pub answer: Box<RawValue>,
    /// The action, the prompt or the response is held back.
    pub blocked: bool,
    /// `ERROR_HOOKS_BLOCKED` when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `ask` on an event where the product does not ask.
    #[serde(default)]
    pub host_must_ask: bool,
    /// What to tell the user of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_text: Option<String>,
    /// What to tell the model of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_text: Option<String>,
    /// Every hook of the event, and what became of it.
    pub hooks: Vec<Box<RawValue>>,
    /// What somebody should know.
    pub warnings: Vec<String>,
    /// Files that were trusted for this once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted_once: Vec<PathBuf>,
    /// Why the daemon was not asked, or did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl Handled {
    /// What one decision comes to.
    pub fn of(decision: &Decision) -> Handled {
        let reports = decision.hooks.iter().cloned().chain(decision.skips.reports());
        Handled {
            event: decision.event.name().to_owned(),
            answer: raw(decision.answer_line()),
            blocked: decision.blocked,
            code: decision.code().map(str::to_owned),
            host_must_ask: decision.host_must_ask,
            user_text: decision.user_message.clone().filter(|_| decision.blocked),
            model_text: decision.model_text.clone(),
            hooks: reports.map(|report: HookReport| raw(to_json(&report))).collect(),
            warnings: decision.warnings.clone(),
            trusted_once: decision.trusted_once.clone(),
            fallback: None,
        }
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn raw(json: String) -> Box<RawValue> {
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
