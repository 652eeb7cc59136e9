//! Puts a verified release in force, whole, and leaves the team before.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsStr;
use std::fs;
use std::time::Instant;

use boathook_engine::bundle::manifest::{Manifest, Release, Script};
use boathook_engine::bundle::{Expected, Fresh, InstallError, Installed, Managed, Marker, Offer};
use boathook_engine::digest::Digest;
use boathook_engine::ids;

use super::{Files, Verified, target, time};
use crate::team::{Login, Place, Refusal, Server};

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Something else is in force than before.
    New,
    /// It was in force already.
    Same,
}

/// Where it is put.
pub struct In<'a> {
    pub place: &'a Place,
    pub login: &'a Login,
    pub managed: &'a Managed,
    /// When the round has to be over.
    pub end: Instant,
}

impl In<'_> {
    /// Gets the scripts and installs the release.
    pub fn put(
        &self,
        files: &Files<'_>,
        verified: &Verified,
        manifest: &Manifest,
        release: &Release,
    ) -> Result<Put, Refusal> {
        let scripts = self.scripts(files, release)?;
        let path = self.place.environment.iter().find(|(name, _)| name == "PATH");
        let offer = Offer {
            sequence: manifest.sequence,
            root: verified.root,
            release,
            os: self.place.os,
            scripts: &scripts,
            path: path.map(|(_, value)| OsStr::new(value)),
        };
        self.make_room(&offer)?;
        self.managed.claim(&self.marker()).map_err(refusal)?;
        self.expect_also(&offer)?;
        match self.managed.install(&offer).map_err(refusal)? {
            Installed::New(_) => Ok(Put::New),
            Installed::Unchanged(_) => Ok(Put::Same),
        }
    }

    /// Keeps how old the newest signed word is.
    pub fn keep_fresh(&self, verified: &Verified, manifest: &Manifest) -> Result<(), Refusal> {
        let created = manifest.created.parse::<jiff::Timestamp>().map_or(i64::MIN, |at| at.as_millisecond());
        let signed = verified.signed_at.as_millisecond().max(created);
        let seen = time::seen(signed, ids::now_millis());
        let fresh = Fresh { until: verified.until.as_millisecond(), seen, stale: manifest.stale };
        match self.managed.fresh() {
            Some(before) if fresh.after(Some(before)) == before => Ok(()),
            _ => self.managed.write_fresh(&fresh).map_err(refusal),
        }
    }

    /// An event between the swap and the record of it finds both allowed.
    fn expect_also(&self, offer: &Offer<'_>) -> Result<(), Refusal> {
        let state = self.place.above();
        let Some(mut expected) = Expected::read(&state) else { return Ok(()) };
        let seal = offer.seal().map_err(refusal)?;
        if expected.team != self.login.team || expected.allows(&seal) {
            return Ok(());
        }
        expected.seals.push(seal.digest());
        expected.write(&state).map_err(|error| Refusal::new("disk", error.to_string()))
    }

    /// Writes down that these hooks must be here, where whoever removes them
    /// does not find it.
    pub fn keep_expected(&self) -> Result<(), Refusal> {
        let Some(current) = self.managed.current() else { return Ok(()) };
        let expected = Expected::of(self.login.team, &current.seal.closed).sealed(&current.seal);
        expected.write(&self.place.above()).map_err(|error| Refusal::new("disk", error.to_string()))
    }

    /// Leaves the teams before this one: only now is everything of this one in
    /// force.
    pub fn leave_others(&self) -> Result<(), Refusal> {
        Managed::all(&self.place.home)
            .iter()
            .filter(|other| other.folder() != self.managed.folder())
            .try_for_each(|other| other.remove().map_err(refusal))
    }

    fn marker(&self) -> Marker {
        let Login { server, team, repository, .. } = self.login;
        Marker { format: 1, server: server.clone(), team: *team, repository: repository.clone() }
    }

    /// Teams of two servers can have the same number, and then the same folder.
    /// The other's hooks go when it is certain that ours can come.
    fn make_room(&self, offer: &Offer<'_>) -> Result<(), Refusal> {
        if self.managed.marker().is_none_or(|marker| marker == self.marker()) {
            return Ok(());
        }
        let aside = self.place.state.join("rehearsal");
        let _ = fs::remove_dir_all(&aside);
        let rehearsal = Managed::of(&aside, self.login.team);
        let went = rehearsal.claim(&self.marker()).and_then(|()| rehearsal.install(offer));
        let _ = rehearsal.remove();
        let _ = fs::remove_dir_all(&aside);
        went.map_err(refusal)?;
        self.managed.remove().map_err(refusal)
    }

    fn scripts(&self, files: &Files<'_>, release: &Release) -> Result<BTreeMap<Digest, Vec<u8>>, Refusal> {
        let mut scripts = BTreeMap::new();
        for script in release.scripts_on(self.place.os) {
            if let Entry::Vacant(room) = scripts.entry(script.sha256) {
                room.insert(self.script(files, script)?);
            }
        }
        Ok(scripts)
    }

    /// From the generation in force, from the cache, from the server. A cache
    /// is never asked with a token, and one that lies is passed over.
    fn script(&self, files: &Files<'_>, script: &Script) -> Result<Vec<u8>, Refusal> {
        if let Some(bytes) = self.managed.script(&script.sha256) {
            return Ok(bytes);
        }
        let name = script.sha256.to_string();
        let cached = self.login.cache.as_ref().and_then(|cache| {
            let cache = Server::new(cache, self.login.ca.as_deref(), None, &self.place.environment).ok()?;
            let cache = cache.until(self.end);
            target(&cache, self.login.team, &name, &script.sha256, script.length).ok()
        });
        match cached {
            Some(bytes) => Ok(bytes),
            None => files.target(&name, &script.sha256, script.length),
        }
    }
}

fn refusal(error: InstallError) -> Refusal {
    Refusal::new(error.code(), error.to_string())
}
