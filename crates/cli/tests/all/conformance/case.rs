//! The format of the cases: what a group, a case and a step say.
//!
//! An unknown key is an error, so that a misspelt expectation cannot pass
//! for one that holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file of cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    #[serde(rename = "about")]
    _about: String,
    law: String,
    pub cases: Vec<Case>,
}

/// One situation, and one or more events in it.
#[derive(Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Case {
    pub name: String,
    pub edition: String,
    pub files: Map<String, Value>,
    pub workspaces: Vec<String>,
    pub cwd: String,
    pub trusted: Trusted,
    pub options: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub only: Option<Only>,
    pub steps: Vec<Step>,
}

/// One event, and what must hold after it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub event: String,
    #[serde(default)]
    pub payload: Option<Value>,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub write: Map<String, Value>,
    #[serde(default)]
    pub remove: Vec<String>,
    #[serde(default)]
    pub trust_again: bool,
    pub expect: Expect,
}

/// What must hold.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub answer: Option<Value>,
    pub answer_text: Option<String>,
    #[serde(default)]
    pub exit: i32,
    pub ran: Option<Vec<String>>,
    #[serde(default)]
    pub payload_seen: Map<String, Value>,
    #[serde(default)]
    pub keys_seen: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub stdin_text: Map<String, Value>,
    #[serde(default)]
    pub env_seen: BTreeMap<String, Map<String, Value>>,
    #[serde(default)]
    pub files: Map<String, Value>,
    #[serde(default)]
    pub stderr_contains: Vec<String>,
    pub trace: Option<Value>,
    pub within_seconds: Option<u64>,
}

/// Who a case is for, when not for both.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Only {
    Binary,
    Library,
}

/// Which workspaces are trusted before the first step.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Trusted {
    All(bool),
    These(Vec<String>),
}

/// The keys of a case besides those of its steps.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame {
    name: String,
    #[serde(rename = "about")]
    _about: String,
    #[serde(default = "docs")]
    edition: String,
    #[serde(default)]
    files: Map<String, Value>,
    #[serde(default = "project")]
    workspaces: Vec<String>,
    #[serde(default = "project_dir")]
    cwd: String,
    #[serde(default = "trusted")]
    trusted: Trusted,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    only: Option<Only>,
    steps: Vec<Step>,
}

/// Every group, in the order of the files' names.
pub fn read_groups() -> Vec<Group> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory())
        .expect("the directory of the cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files.iter().map(|file| read_group(file)).collect()
}

/// Where the cases are.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

impl Group {
    /// `4 and 8 (every event)` belongs to the laws 4 and 8.
    pub fn law_numbers(&self) -> impl Iterator<Item = &str> {
        self.law.split(" (").next().unwrap_or_default().split(" and ")
    }
}

impl TryFrom<Map<String, Value>> for Case {
    type Error = String;

    /// A case without `steps` is its own single step.
    fn try_from(mut keys: Map<String, Value>) -> Result<Case, String> {
        let name = keys.get("name").map(Value::to_string).unwrap_or_default();
        if !keys.contains_key("steps") {
            let step: Map<String, Value> =
                ["event", "payload", "expect"].iter().filter_map(|key| keys.remove_entry(*key)).collect();
            keys.insert("steps".to_owned(), Value::Array(vec![Value::Object(step)]));
        }
        let frame: Frame =
            serde_json::from_value(Value::Object(keys)).map_err(|error| format!("case {name}: {error}"))?;
        Ok(Case {
            name: frame.name,
            edition: frame.edition,
            files: frame.files,
            workspaces: frame.workspaces,
            cwd: frame.cwd,
            trusted: frame.trusted,
            options: frame.options,
            env: frame.env,
            only: frame.only,
            steps: frame.steps,
        })
    }
}

fn read_group(file: &Path) -> Group {
    let text = fs::read_to_string(file).expect("a group");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn docs() -> String {
    "docs".to_owned()
}

fn project_dir() -> String {
    "project".to_owned()
}

fn project() -> Vec<String> {
    vec![project_dir()]
}

fn trusted() -> Trusted {
    Trusted::All(true)
}
