//! What hooks were when a person was last told of them, for those that nobody
//! has to trust but whose changes are reported.
//!
//! A change is news until somebody was told: looking for it does not use it up.

use serde::{Deserialize, Serialize};

use super::Trust;
use super::difference::{self, Difference};
use super::pin::Watch;
use super::record::Record;
use super::subject::{Place, Subject};
use crate::clock;
use crate::definition::Definition;
use crate::digest::Digest;
use crate::source::Source;
use crate::state::Durability;

const FOLDER: &str = "seen";
/// The log's mark for a file that is gone.
const GONE: &str = "gone";

#[derive(Serialize, Deserialize)]
struct Seen {
    record: Record,
    /// While these hold, nothing needs to be hashed.
    watches: Vec<Watch>,
    /// The change that stands in the log already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    logged: Option<String>,
}

/// Whether a look may write down what it saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looking {
    /// A first look is noted, and what the log is told.
    Noting,
    /// Nothing is written.
    Only,
}

/// A change that nobody was told of.
#[derive(Debug)]
pub(crate) struct Seeing {
    /// What it is.
    pub(crate) difference: Difference,
    /// It is not in the log yet.
    pub(crate) fresh: bool,
    place: Place,
    /// How it stands now; none when the file is gone.
    subject: Option<Subject>,
}

impl Trust {
    /// What changed of a source since a person was last told. No bytes: the
    /// file is gone. The first look finds nothing.
    pub(crate) fn seen(
        &self,
        source: &Source,
        bytes: Option<&[u8]>,
        definitions: &[Definition],
        looking: Looking,
    ) -> Option<Seeing> {
        let place = Place::of(source);
        // A note that cannot be read is no note: it is written anew.
        let noted = self.state.read_sealed(FOLDER, &place.record_name).ok().flatten();
        let noted: Option<Seen> = noted.and_then(|body| serde_json::from_slice(&body).ok());
        if let Some((noted, bytes)) = noted.as_ref().zip(bytes)
            && noted.holds(bytes)
        {
            return None;
        }
        let subject = bytes.map(|bytes| self.look(source, &place, bytes, definitions));
        let noting = looking == Looking::Noting;
        let same = |noted: &Seen| subject.as_ref().is_some_and(|it| it.sha256 == noted.record.sha256);
        let Some(mut noted) = noted.filter(|noted| !same(noted)) else {
            subject.iter().filter(|_| noting).for_each(|subject| self.note(&place, &Seen::of(subject)));
            return None;
        };
        let difference = difference::find(&source.file, &noted.record, subject.as_ref(), &|_| None);
        let mark = subject.as_ref().map_or_else(|| GONE.to_owned(), |subject| subject.sha256.to_string());
        let fresh = noted.logged.as_ref() != Some(&mark);
        if fresh && noting {
            noted.logged = Some(mark);
            self.note(&place, &noted);
        }
        Some(Seeing { difference, fresh, place, subject })
    }

    /// Somebody was told of a change: from here on the next one counts.
    pub(crate) fn told(&self, seeing: &Seeing) {
        match &seeing.subject {
            Some(subject) => self.note(&seeing.place, &Seen::of(subject)),
            None => {
                let _ = self.state.remove(FOLDER, &seeing.place.record_name);
            }
        }
    }

    fn note(&self, place: &Place, seen: &Seen) {
        // Unwritten, the change is reported again: better twice than never.
        let body = serde_json::to_vec(seen).unwrap_or_default();
        let _ = self.state.write_sealed(FOLDER, &place.record_name, &body, Durability::Relaxed);
    }
}

impl Seen {
    fn of(subject: &Subject) -> Seen {
        let record = Record::new(subject, clock::seconds());
        Seen { record, watches: subject.watches().to_vec(), logged: None }
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        self.record.config == Digest::of(bytes) && self.watches.iter().all(Watch::holds)
    }
}
