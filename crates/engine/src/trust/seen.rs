//! What hooks were when they were last used, for those that nobody has to
//! trust but whose changes are reported.

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

#[derive(Serialize, Deserialize)]
struct Seen {
    record: Record,
    /// While these hold, nothing needs to be hashed.
    watches: Vec<Watch>,
}

impl Trust {
    /// What changed since the last call for this source, and remembers how it
    /// stands now. No bytes: the file is gone. The first call finds nothing.
    pub(crate) fn seen(
        &self,
        source: &Source,
        bytes: Option<&[u8]>,
        definitions: &[Definition],
    ) -> Option<Difference> {
        let place = Place::of(source);
        // A note that cannot be read is no note: it is written anew.
        let noted = self.state.read_sealed(FOLDER, &place.record_name).ok().flatten();
        let noted: Option<Seen> = noted.and_then(|body| serde_json::from_slice(&body).ok());
        let Some(bytes) = bytes else {
            let _ = self.state.remove(FOLDER, &place.record_name);
            return noted.map(|noted| difference::find(&source.file, &noted.record, None, &|_| None));
        };
        if noted.as_ref().is_some_and(|noted| noted.holds(bytes)) {
            return None;
        }
        let known = noted.as_ref().map_or(&[][..], |noted| &noted.record.files);
        let subject = self.look(source, &place, bytes, definitions, known);
        self.note(&place, &subject);
        let before = noted?.record;
        let changed = before.sha256 != subject.sha256;
        changed.then(|| difference::find(&source.file, &before, Some(&subject), &|_| None))
    }

    fn note(&self, place: &Place, subject: &Subject) {
        let seen =
            Seen { record: Record::new(subject, clock::seconds()), watches: subject.watches().to_vec() };
        // Unwritten, the change is reported again: better twice than never.
        let body = serde_json::to_vec(&seen).unwrap_or_default();
        let _ = self.state.write_sealed(FOLDER, &place.record_name, &body, Durability::Relaxed);
    }
}

impl Seen {
    fn holds(&self, bytes: &[u8]) -> bool {
        self.record.config == Digest::of(bytes) && self.watches.iter().all(Watch::holds)
    }
}
