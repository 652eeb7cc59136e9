//! What is trusted, pinned to content.
//!
//! Hooks of a workspace run only after somebody looked at them. What was
//! looked at is a `Subject`: the bytes of the file, and every file that its
//! commands name, each with its contents and executable bits. Its SHA-256 is
//! what is trusted; one byte more or less, and it is another subject. No file
//! decides its own trust: the store stands outside every workspace.
//!
//! Reads files and writes to its store. Starts nothing, connects to nothing.

mod difference;
mod named;
mod pin;
mod record;
mod seen;
pub(crate) mod shell;
mod subject;
mod words;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::clock;
use crate::definition::Definition;
use crate::digest::Digest;
use crate::read_file::{Folders, Looked};
use crate::source::{Os, Roots, Source};
use crate::state::{Durability, StateDir, StateError};
use subject::Place;

pub use difference::{Change, ChangeKind, Difference};
pub use named::NamedFiles;
pub use pin::{Content, Pin, Pinned};
pub use record::Record;
pub use seen::Looking;
pub(crate) use seen::Seeing;
pub(crate) use shell::expand;
pub use subject::Subject;
pub use words::{Coverage, Named, Scope, Uncovered, Why, coverage};

const RECORDS: &str = "trust";
const BLOBS: &str = "trust/blobs";
/// The store of what is trusted.
#[derive(Debug, Clone)]
pub struct Trust {
    os: Os,
    home: PathBuf,
    state: StateDir,
}

/// How a source stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// It is what somebody looked at.
    Trusted,
    /// Nobody ever looked at it.
    New,
    /// It is no longer what somebody looked at.
    Changed(Difference),
    /// That it was trusted cannot be established, for this reason.
    Broken(String),
}

/// Why something could not be trusted, or trust not be taken back.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The store cannot be used.
    #[error("the trust store cannot be used: {0}")]
    State(#[from] StateError),
    /// The record says nothing we understand.
    #[error("the record of trust {} cannot be read: {}", .0.display(), .1)]
    Record(PathBuf, String),
    /// Not 64 hexadecimal digits.
    #[error("`{0}` is not a SHA-256; `boathook trust --status` shows the one to accept")]
    NotADigest(String),
    /// What stands there is not what was accepted.
    #[error("the hooks have the SHA-256 {found}, not {wanted}; they changed since somebody looked at them")]
    NotTheSame {
        /// What was to be accepted.
        wanted: Digest,
        /// What stands there.
        found: Digest,
    },
}

/// What the loader needs to know of a source's trust, and for how long.
#[derive(Debug)]
pub(crate) struct Examination {
    pub(crate) state: TrustState,
    /// What was looked at; none when there was nothing to compare it with.
    pub(crate) subject: Option<Subject>,
    /// The configuration that was trusted, when another one stands there now.
    pub(crate) trusted_config: Option<Vec<u8>>,
    /// A large file's stamp in the record is out of date, its hash is not.
    pub(crate) stale_stamps: bool,
    /// The record it was compared with, in the store, and whose that is.
    record: Option<(Looked, Place)>,
}

impl Trust {
    /// The store below these roots. Touches nothing.
    pub fn new(roots: &Roots) -> Trust {
        Trust { os: roots.os, home: roots.home.clone(), state: StateDir::new(roots.state.clone()) }
    }

    /// Looks at a source: its bytes, and every file its commands name.
    pub fn subject(&self, source: &Source, bytes: &[u8], definitions: &[Definition]) -> Subject {
        self.look(source, &Place::of(source), bytes, definitions, &[])
    }

    /// How a source with these bytes stands.
    pub fn status(&self, source: &Source, bytes: &[u8], definitions: &[Definition]) -> TrustState {
        self.examine(source, Some(bytes), definitions).state
    }

    /// How what was looked at stands.
    pub fn status_of(&self, subject: &Subject) -> TrustState {
        match self.record_named(&subject.record_name) {
            Ok(None) => TrustState::New,
            Ok(Some(record)) => {
                Examination::compared(&record, &subject.file, Some(subject.clone()), &|digest| {
                    self.copy(digest)
                })
                .state
            }
            Err(error) => TrustState::Broken(error.to_string()),
        }
    }

    /// Trusts what was looked at, and nothing that changed since.
    pub fn accept(&self, subject: &Subject) -> Result<(), TrustError> {
        self.accept_all(&[subject])
    }

    /// The same for several, each with a record of its own.
    pub fn accept_all(&self, subjects: &[&Subject]) -> Result<(), TrustError> {
        let _lock = self.state.lock(RECORDS)?;
        for subject in subjects {
            self.keep_copies(subject)?;
            self.write_record(subject, clock::seconds())?;
        }
        self.sweep();
        Ok(())
    }

    /// Trusts without a person: only when the SHA-256 is that of all of them
    /// [together](Subject::together).
    pub fn accept_hash(&self, subjects: &[&Subject], sha256: &str) -> Result<(), TrustError> {
        let wanted = Digest::parse(sha256.trim()).ok_or_else(|| TrustError::NotADigest(sha256.to_owned()))?;
        let found = Subject::together(subjects);
        if wanted != found {
            return Err(TrustError::NotTheSame { wanted, found });
        }
        self.accept_all(subjects)
    }

    /// Takes trust back; says whether there was any.
    pub fn revoke(&self, source: &Source) -> Result<bool, TrustError> {
        if !self.state.path().exists() {
            return Ok(false);
        }
        let _lock = self.state.lock(RECORDS)?;
        let removed = self.state.remove(RECORDS, &Place::of(source).record_name)?;
        self.sweep();
        Ok(removed)
    }

    /// Everything that is trusted, or was and cannot be read any more.
    pub fn list(&self) -> Result<Vec<Result<Record, TrustError>>, TrustError> {
        let names = self.state.names(RECORDS)?;
        let records = names.iter().filter(|name| Digest::parse(name).is_some());
        Ok(records.filter_map(|name| self.record_named(name).transpose()).collect())
    }

    /// What was trusted of a source.
    pub fn record(&self, source: &Source) -> Result<Option<Record>, TrustError> {
        self.record_named(&Place::of(source).record_name)
    }

    /// The configuration as it was trusted; none when it never was.
    pub(crate) fn trusted_config(&self, source: &Source) -> Option<Vec<u8>> {
        let record = self.record(source).ok()??;
        self.copy(record.config)
    }

    /// Where the record of a source stands, or would stand.
    pub(crate) fn record_file(&self, source: &Source) -> PathBuf {
        self.state.file(RECORDS, &Place::of(source).record_name)
    }

    /// How a source stands, with everything the loader keeps. No bytes: the
    /// file is gone.
    pub(crate) fn examine(
        &self,
        source: &Source,
        bytes: Option<&[u8]>,
        definitions: &[Definition],
    ) -> Examination {
        let place = Place::of(source);
        // Looked at before it is read, so that a change in between is seen.
        let looked = Looked::at(self.state.file(RECORDS, &place.record_name));
        let mut examination = match self.record_named(&place.record_name) {
            Ok(None) => Examination::of(TrustState::New),
            Ok(Some(record)) => {
                let now = bytes.map(|bytes| self.look(source, &place, bytes, definitions, &record.files));
                Examination::compared(&record, &source.file, now, &|digest| self.copy(digest))
            }
            Err(error) => Examination::of(TrustState::Broken(error.to_string())),
        };
        examination.record = Some((looked, place));
        examination
    }

    /// How a source stands beside what the caller trusted without storing it.
    pub(crate) fn examine_once(
        &self,
        source: &Source,
        trusted: &Subject,
        bytes: Option<&[u8]>,
        definitions: &[Definition],
    ) -> Examination {
        let record = Record::new(trusted, 0);
        let now = bytes.map(|bytes| self.look(source, &Place::of(source), bytes, definitions, &record.files));
        Examination::compared(&record, &source.file, now, &|digest| trusted.copy(digest))
    }

    /// Writes the stamps of large files anew, so that they need not be hashed
    /// again; what is trusted stays the same.
    pub(crate) fn restamp(&self, source: &Source, subject: &Subject) {
        // Nothing is lost when this fails: the next run hashes again. The lock
        // keeps a record that is revoked meanwhile from coming back.
        if let Ok(_lock) = self.state.lock(RECORDS)
            && let Ok(Some(record)) = self.record(source)
            && record.sha256 == subject.sha256
        {
            let _ = self.write_record(subject, record.when);
        }
    }

    fn look(
        &self,
        source: &Source,
        place: &Place,
        bytes: &[u8],
        definitions: &[Definition],
        known: &[Pin],
    ) -> Subject {
        let mut subject = Subject::unseen(source, place, bytes);
        subject.look_at(definitions, self.os, &subject::settled(&self.home), known);
        subject
    }

    fn record_named(&self, name: &str) -> Result<Option<Record>, TrustError> {
        let Some(body) = self.state.read_sealed(RECORDS, name)? else { return Ok(None) };
        let unreadable = |cause: String| TrustError::Record(self.state.file(RECORDS, name), cause);
        let record = Record::from_json(&body).map_err(unreadable)?;
        if record.is_named(name) {
            Ok(Some(record))
        } else {
            Err(unreadable("it belongs to another file".to_owned()))
        }
    }

    fn write_record(&self, subject: &Subject, when: u64) -> Result<(), TrustError> {
        let record = Record::new(subject, when);
        self.state.write_sealed(RECORDS, &subject.record_name, &record.to_json(), Durability::Synced)?;
        Ok(())
    }

    fn keep_copies(&self, subject: &Subject) -> Result<(), TrustError> {
        let scripts = subject.files.iter().filter_map(|file| file.bytes.as_deref());
        for bytes in std::iter::once(subject.config.as_slice()).chain(scripts) {
            let digest = Digest::of(bytes);
            if self.copy(digest).is_none() {
                self.state.write(BLOBS, &digest.to_string(), bytes, Durability::Synced)?;
            }
        }
        Ok(())
    }

    fn copy(&self, digest: Digest) -> Option<Vec<u8>> {
        let bytes = self.state.read(BLOBS, &digest.to_string()).ok()??;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    /// Removes copies that no record refers to. A record that cannot be read
    /// may refer to any of them, so then all stay.
    fn sweep(&self) {
        let Ok(records) = self.list() else { return };
        let Ok(records) = records.into_iter().collect::<Result<Vec<_>, _>>() else { return };
        let used: Vec<String> =
            records.iter().flat_map(Record::copies).map(|digest| digest.to_string()).collect();
        for name in self.state.names(BLOBS).unwrap_or_default() {
            if !used.contains(&name) {
                let _ = self.state.remove(BLOBS, &name);
            }
        }
    }
}

impl Examination {
    /// Of what the caller trusts here and now.
    pub(crate) fn trusted(subject: Subject) -> Examination {
        Examination { subject: Some(subject), ..Examination::of(TrustState::Trusted) }
    }

    fn of(state: TrustState) -> Examination {
        Examination { state, subject: None, trusted_config: None, stale_stamps: false, record: None }
    }

    fn compared(
        trusted: &Record,
        file: &Path,
        now: Option<Subject>,
        copy: &dyn Fn(Digest) -> Option<Vec<u8>>,
    ) -> Examination {
        let same = now.as_ref().filter(|subject| subject.sha256 == trusted.sha256);
        let mut examination = Examination::of(TrustState::Trusted);
        if let Some(subject) = same {
            let mut pairs = subject.files.iter().zip(&trusted.files);
            examination.stale_stamps = pairs.any(|(now, then)| now.pin.stamp() != then.stamp());
        } else {
            examination.trusted_config = copy(trusted.config);
            examination.state = match &examination.trusted_config {
                Some(_) => TrustState::Changed(difference::find(file, trusted, now.as_ref(), copy)),
                None => TrustState::Broken("the trusted copy of the hooks is missing or damaged".to_owned()),
            };
        }
        examination.subject = now;
        examination
    }

    /// Whether everything that was looked at certainly is what it was.
    pub(crate) fn holds(&mut self, folders: &mut Folders) -> bool {
        self.record.as_mut().is_none_or(|(record, place)| record.holds(folders) && place.holds())
            && self.subject.as_ref().is_none_or(Subject::holds)
    }
}
