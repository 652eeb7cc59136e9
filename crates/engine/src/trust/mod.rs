//! What is trusted, pinned to content.
//!
//! Hooks of a workspace run only after somebody looked at them. What was
//! looked at is a `Subject`: the bytes of the file, and every file that its
//! commands name, each with its contents and executable bits. Its SHA-256 is
//! what is trusted; one byte more or less, and it is another subject. No file
//! decides its own trust: the store stands outside every workspace.
//!
//! Reads files and writes to its store. Starts nothing, connects to nothing.

mod ancestors;
mod checked_files;
mod coverage;
mod difference;
mod followed_path;
mod interpreters;
mod named;
mod pin;
mod record;
mod seen;
pub(crate) mod shell;
mod subject;
mod witness;
mod words;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::clock;
use crate::definition::{Action, Definition};
use crate::digest::Digest;
use crate::read_file::{Folders, Looked};
use crate::source::{Os, Roots, Source};
use crate::state::{Durability, StateDir, StateError};
use subject::Place;
use witness::IndexCache;

pub(crate) use checked_files::CheckedFiles;
pub use checked_files::TrustedFiles;
pub use coverage::{Coverage, Named, Scope, Uncovered, Why};
pub use difference::{Change, ChangeKind, Difference};
pub use named::NamedFiles;
pub use pin::{Content, Pin, Pinned};
pub use record::Record;
pub use seen::Looking;
pub(crate) use seen::Seeing;
pub(crate) use shell::expand;
pub use subject::Subject;
pub use words::coverage;

const RECORDS: &str = "trust";
const BLOBS: &str = "trust/blobs";
/// The store of what is trusted.
#[derive(Debug, Clone)]
pub struct Trust {
    os: Os,
    home: PathBuf,
    /// Its records decide.
    state: StateDir,
    /// Its records prove that something was trusted once.
    second: Option<StateDir>,
    index: Arc<Mutex<IndexCache>>,
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
    /// A command names a file that cannot be read.
    #[error("{} cannot be read, so it cannot be trusted", .0.display())]
    Unreadable(PathBuf),
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

/// When the files that commands name are compared with what was trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scripts {
    /// With their source.
    #[default]
    Checked,
    /// By whoever runs a hook, for its own files alone.
    Deferred,
}

/// What the loader needs to know of a source's trust, and for how long.
#[derive(Debug)]
pub(crate) struct Examination {
    pub(crate) state: TrustState,
    /// What was looked at; none when there was nothing to compare it with.
    pub(crate) subject: Option<Subject>,
    /// The configuration that was trusted, when another one stands there now.
    pub(crate) trusted_config: Option<Vec<u8>>,
    /// What the files of its hooks must be, while it is trusted.
    pub(crate) files: Option<Arc<TrustedFiles>>,
    /// The record it was compared with, in the store, and whose that is.
    record: Option<(Looked, Place)>,
}

impl Trust {
    /// The store below these roots. Touches nothing.
    pub fn new(roots: &Roots) -> Trust {
        Trust {
            os: roots.os,
            home: roots.home.clone(),
            state: StateDir::new(roots.state.clone()),
            second: witness::second_store(&roots.home),
            index: Arc::default(),
        }
    }

    /// Looks at a source: its bytes, and every file its commands name.
    pub fn subject(&self, source: &Source, bytes: &[u8], definitions: &[Definition]) -> Subject {
        self.look(source, &Place::of(source), bytes, definitions)
    }

    /// How a source with these bytes stands.
    pub fn status(&self, source: &Source, bytes: &[u8], definitions: &[Definition]) -> TrustState {
        self.examine(source, Some(bytes), definitions, Scripts::Checked).state
    }

    /// How what was looked at of a source stands.
    pub fn status_of(&self, source: &Source, subject: &Subject) -> TrustState {
        match self.record_named(&subject.record_name) {
            Ok(None) => self.examine_unrecorded(source, &Place::of(source)).state,
            Ok(Some(record)) => {
                self.compared(&record, &subject.file, Some(subject.clone()), &|digest| self.copy(digest))
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
        if let Some(path) = subjects.iter().find_map(|subject| subject.unreadable()) {
            return Err(TrustError::Unreadable(path.to_owned()));
        }
        let _lock = self.state.lock(RECORDS)?;
        for subject in subjects {
            self.accept_in(&self.state, subject)?;
            // Trust holds without the second record; only the loss of the first one is then not noticed.
            self.second.iter().for_each(|second| drop(self.accept_in(second, subject)));
        }
        self.stores().for_each(|store| self.sweep(store));
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
        let place = Place::of(source);
        let misplaced = self.misplaced(source, &place).into_iter().map(|misplaced| misplaced.name);
        let names: Vec<String> = std::iter::once(place.record_name).chain(misplaced).collect();
        let mut removed = false;
        for store in self.stores().filter(|store| store.path().join(RECORDS).exists()) {
            let _lock = store.lock(RECORDS)?;
            for name in &names {
                removed |= store.remove(RECORDS, name)?;
            }
            self.sweep(store);
        }
        Ok(removed)
    }

    /// Everything that is trusted, or was and cannot be read any more.
    pub fn list(&self) -> Result<Vec<Result<Record, TrustError>>, TrustError> {
        self.list_in(&self.state)
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
        scripts: Scripts,
    ) -> Examination {
        let place = Place::of(source);
        // Looked at before it is read, so that a change in between is seen.
        let looked = Looked::at(self.state.file(RECORDS, &place.record_name));
        let mut examination = match self.record_named(&place.record_name) {
            Ok(None) => self.examine_unrecorded(source, &place),
            Ok(Some(record)) => {
                let now = bytes.map(|bytes| {
                    let deferred = (scripts == Scripts::Deferred)
                        .then(|| self.deferred(&record, Subject::unseen(source, &place, bytes), definitions));
                    deferred.flatten().unwrap_or_else(|| self.look(source, &place, bytes, definitions))
                });
                self.compared(&record, &source.file, now, &|digest| self.copy(digest))
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
        let now = bytes.map(|bytes| self.look(source, &Place::of(source), bytes, definitions));
        self.compared(&record, &source.file, now, &|digest| trusted.copy(digest))
    }

    fn look(&self, source: &Source, place: &Place, bytes: &[u8], definitions: &[Definition]) -> Subject {
        let mut subject = Subject::unseen(source, place, bytes);
        subject.look_at(definitions, self.os, &subject::settled(&self.home));
        subject
    }

    /// The subject without a look at scripts, which are checked when they run; none where that cannot wait: the
    /// configuration is another one, or a rule that it names is.
    fn deferred(&self, record: &Record, subject: Subject, definitions: &[Definition]) -> Option<Subject> {
        let subject = subject.into_recorded(record)?;
        let is_checked_later = |definition: &&Definition| matches!(definition.action, Action::Command(_));
        let mut now = definitions.iter().filter(|definition| !is_checked_later(definition)).peekable();
        if now.peek().is_some() {
            let files = self.trusted_files(&subject, record.files.clone());
            now.all(|definition| files.check(definition).is_ok()).then_some(())?;
        }
        Some(subject)
    }

    /// Compares what was trusted with what is there now; `None` when there is no configuration any more.
    fn compared(
        &self,
        trusted: &Record,
        file: &Path,
        now: Option<Subject>,
        copy: &dyn Fn(Digest) -> Option<Vec<u8>>,
    ) -> Examination {
        let mut examination = Examination::compared(trusted, file, now, copy);
        if let (TrustState::Trusted, Some(subject)) = (&examination.state, &examination.subject) {
            examination.files = Some(self.trusted_files(subject, trusted.files.clone()));
        }
        examination
    }

    /// What the files of a trusted source must be.
    pub(crate) fn trusted_files(&self, subject: &Subject, pins: Vec<Pin>) -> Arc<TrustedFiles> {
        let home = subject::settled(&self.home);
        Arc::new(TrustedFiles::new(subject.places(self.os, &home), pins))
    }

    /// A source without a record: never trusted, or trusted where its record cannot be found any more.
    fn examine_unrecorded(&self, source: &Source, place: &Place) -> Examination {
        let misplaced = self.misplaced(source, place);
        let Some(first) = misplaced.first() else { return Examination::of(TrustState::New) };
        let trusted_config = misplaced.iter().find_map(|misplaced| self.misplaced_config(misplaced));
        Examination { trusted_config, ..Examination::of(TrustState::Broken(first.reason.clone())) }
    }

    fn record_named(&self, name: &str) -> Result<Option<Record>, TrustError> {
        self.record_in(&self.state, name)
    }

    fn list_in(&self, store: &StateDir) -> Result<Vec<Result<Record, TrustError>>, TrustError> {
        let names = store.names(RECORDS)?;
        let records = names.iter().filter(|name| Digest::parse(name).is_some());
        Ok(records.filter_map(|name| self.record_in(store, name).transpose()).collect())
    }

    fn record_in(&self, store: &StateDir, name: &str) -> Result<Option<Record>, TrustError> {
        let Some(body) = store.read_sealed(RECORDS, name)? else { return Ok(None) };
        let unreadable = |cause: String| TrustError::Record(store.file(RECORDS, name), cause);
        let record = Record::from_json(&body).map_err(unreadable)?;
        if record.is_named(name) {
            Ok(Some(record))
        } else {
            Err(unreadable("it belongs to another file".to_owned()))
        }
    }

    fn accept_in(&self, store: &StateDir, subject: &Subject) -> Result<(), TrustError> {
        let scripts = subject.files.iter().filter_map(|file| file.bytes.as_deref());
        for bytes in std::iter::once(subject.config.as_slice()).chain(scripts) {
            let digest = Digest::of(bytes);
            if self.copy_in(store, digest).is_none() {
                store.write(BLOBS, &digest.to_string(), bytes, Durability::Synced)?;
            }
        }
        let record = Record::new(subject, clock::seconds());
        store.write_sealed(RECORDS, &subject.record_name, &record.to_json(), Durability::Synced)?;
        Ok(())
    }

    fn copy(&self, digest: Digest) -> Option<Vec<u8>> {
        self.copy_in(&self.state, digest)
    }

    fn copy_in(&self, store: &StateDir, digest: Digest) -> Option<Vec<u8>> {
        let bytes = store.read(BLOBS, &digest.to_string()).ok()??;
        (Digest::of(&bytes) == digest).then_some(bytes)
    }

    /// Removes copies that no record refers to. A record that cannot be read
    /// may refer to any of them, so then all stay.
    fn sweep(&self, store: &StateDir) {
        self.write_index(store);
        let Ok(records) = self.list_in(store) else { return };
        let Ok(records) = records.into_iter().collect::<Result<Vec<_>, _>>() else { return };
        let used: Vec<String> =
            records.iter().flat_map(Record::copies).map(|digest| digest.to_string()).collect();
        for name in store.names(BLOBS).unwrap_or_default() {
            if !used.contains(&name) {
                let _ = store.remove(BLOBS, &name);
            }
        }
    }
}

impl Examination {
    /// Of what the caller trusts here and now.
    pub(crate) fn trusted(subject: Subject, files: Arc<TrustedFiles>) -> Examination {
        Examination { subject: Some(subject), files: Some(files), ..Examination::of(TrustState::Trusted) }
    }

    fn of(state: TrustState) -> Examination {
        Examination { state, subject: None, trusted_config: None, files: None, record: None }
    }

    fn compared(
        trusted: &Record,
        file: &Path,
        now: Option<Subject>,
        copy: &dyn Fn(Digest) -> Option<Vec<u8>>,
    ) -> Examination {
        let same = now.as_ref().filter(|subject| subject.sha256 == trusted.sha256);
        let mut examination = Examination::of(TrustState::Trusted);
        if same.is_none() {
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
