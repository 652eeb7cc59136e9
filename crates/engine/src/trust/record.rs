//! One record of the store: what was trusted, and when.

use serde::{Deserialize, Serialize};

use super::pin::{Content, Pin};
use super::subject::Subject;
use super::witness;
use crate::digest::Digest;

/// The form of a record; another number is another form.
const FORMAT: u32 = 1;

/// What was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    format: u32,
    name: Digest,
    /// Of all of it.
    pub sha256: Digest,
    /// What kind of source it is.
    pub level: String,
    /// The workspace.
    pub workspace: String,
    /// The file with the hooks.
    pub file: String,
    /// The file below its workspace.
    #[serde(default)]
    pub(super) inside: String,
    /// Which folder the workspace was, wherever it is moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) identity: Option<String>,
    /// When, in seconds since 1970.
    pub when: u64,
    /// Of the file with the hooks.
    pub config: Digest,
    /// The files its commands name.
    pub files: Vec<Pin>,
}

impl Record {
    pub(super) fn new(subject: &Subject, when: u64) -> Record {
        Record {
            format: FORMAT,
            name: Digest::parse(&subject.record_name).unwrap_or(subject.sha256),
            sha256: subject.sha256,
            level: subject.level.name().to_owned(),
            workspace: subject.workspace.to_string_lossy().into_owned(),
            file: subject.file.to_string_lossy().into_owned(),
            inside: subject.inside.to_string_lossy().into_owned(),
            identity: witness::identity(&subject.workspace),
            when,
            config: Digest::of(&subject.config),
            files: subject.files.iter().map(|file| file.pin.clone()).collect(),
        }
    }

    pub(super) fn from_json(body: &[u8]) -> Result<Record, String> {
        let record: Record = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        match record.format {
            FORMAT => Ok(record),
            other => Err(format!("its format {other} is not known")),
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        // A struct of texts and numbers always has a JSON form.
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Whether it is of a configuration with these bytes.
    pub(super) fn is_of(&self, config: &[u8]) -> bool {
        self.config == Digest::of(config)
    }

    /// A record copied to the name of another one vouches for nothing.
    pub(super) fn is_named(&self, name: &str) -> bool {
        Digest::parse(name) == Some(self.name)
    }

    /// Its name in a store.
    pub(super) fn name(&self) -> String {
        self.name.to_string()
    }

    /// Every copy it refers to.
    pub(super) fn copies(&self) -> Vec<Digest> {
        let scripts = self.files.iter().filter_map(|pin| match pin.content {
            Content::File { sha256, .. } => Some(sha256),
            Content::NoFile | Content::Special | Content::Unreadable => None,
        });
        std::iter::once(self.config).chain(scripts).collect()
    }
}
