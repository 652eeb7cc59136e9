//! The verbs beside `handle`: what goes with them, and what comes back.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::wire::HandleParams;

/// Everything a daemon can be asked.
pub const VERBS: [&str; 10] =
    ["handle", "list", "problems", "log", "subscribe", "reload", "has_hook", "sessions", "status", "cancel"];

/// For whom: what goes with `list`, `problems` and `has_hook`, and with
/// `handle` beside its event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Circumstances {
    /// The event, where one is asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The workspaces.
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
}

impl Circumstances {
    /// Those of an event.
    pub fn of(params: &HandleParams) -> Circumstances {
        Circumstances {
            event: None,
            workspaces: params.workspaces.clone(),
            cwd: params.cwd.clone(),
            surface: params.surface.clone(),
            remote: params.remote,
            cannot_ask: params.cannot_ask,
            edition: params.edition.clone(),
        }
    }
}

/// What goes with `log` and `subscribe`: which records are wanted, as the
/// options of `boathook log` say it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogParams {
    /// Only the last so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    /// Only of these events,
    pub event: Vec<String>,
    /// of hooks from these sources,
    pub source: Vec<String>,
    /// that came out so,
    pub outcome: Vec<String>,
    /// that these agents told,
    pub agent: Vec<String>,
    /// of hooks whose command or prompt holds this text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// What goes with `cancel`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelParams {
    /// The id of a call on the same connection, or of its `subscribe`.
    pub id: Value,
}

/// The result of `status`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Status {
    /// The daemon's version,
    pub version: String,
    /// its process,
    pub pid: u32,
    /// when it began, RFC 3339,
    pub started: String,
    /// and how many seconds ago that was.
    pub uptime: f64,
    /// Where it keeps its state.
    pub state: PathBuf,
    /// The home whose hooks it runs.
    pub home: PathBuf,
    /// How much it was asked so far,
    pub requests: u64,
    /// how many events it works on,
    pub in_flight: usize,
    /// how many wait for a place,
    pub waiting: usize,
    /// how many are connected,
    pub connections: usize,
    /// and how many of these hear of every record.
    pub subscribers: usize,
    /// Processes of hooks that outlived their events.
    #[serde(default)]
    pub kept: usize,
    /// The workspaces it has at hand.
    pub workspaces: Vec<PathBuf>,
    /// Files that cannot be read, and what is in force in their place.
    pub broken: Vec<BrokenSource>,
    /// Where it answers over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<String>,
    /// The team whose hooks it keeps fresh, and how that went last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
}

/// A file of hooks that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenSource {
    /// Which file.
    pub file: PathBuf,
    /// The word for its source.
    pub source: String,
    /// An earlier copy is in force; else none of its hooks run.
    pub last_good: bool,
    /// Why.
    pub reason: String,
}

/// One conversation, as far as the log and its saved session tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// Its first record,
    pub first: String,
    /// and its last.
    pub last: String,
    /// How often a hook ran.
    pub runs: usize,
    /// How many records say that something was refused.
    pub blocked: usize,
    /// How long hooks took in all, in milliseconds.
    pub hooks_ms: f64,
    /// The agent that told of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The names of the variables that hooks of it get.
    pub variables: Vec<String>,
    /// Automatic follow-ups so far.
    pub follow_ups: u32,
}
