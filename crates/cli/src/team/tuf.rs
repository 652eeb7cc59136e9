//! Verifies what a team's server signed, as The Update Framework says: the
//! chain of roots from the one that was pinned, then timestamp, snapshot and
//! targets.
//!
//! The state machine is `sigstore-tuf`'s. Here is what it is fed with, in which
//! order, and what its refusals are called. What was verified is kept on the
//! `shelf` and verified again at every start. The time is an argument.
//!
//! Delegations are not followed: a team's repository has none. File names carry
//! their versions, whatever a root says of that.

mod shelf;
#[cfg(test)]
mod tests;
mod verdict;

use boathook_engine::bundle::manifest;
use boathook_engine::digest::Digest;
use jiff::Timestamp as Time;
use sigstore_tuf::{Error, MetaFile, Metadata, Role, Root, Snapshot, Targets, Timestamp, TrustedMetadataSet};

use self::verdict::{refused, refused_root};
use super::Refusal;
use super::http::Fetched;

pub use self::shelf::{OnDisk, Shelf};

const LARGEST_ROOT: u64 = 512 * 1024;
const LARGEST_TIMESTAMP: u64 = 64 * 1024;
const LARGEST_SNAPSHOT: u64 = 1024 * 1024;
const LARGEST_TARGETS: u64 = 8 * 1024 * 1024;
/// How many roots are walked in one go.
const MOST_ROOTS: usize = 256;
/// How long a timestamp is good: it was signed no earlier than that before it
/// expires.
const LIFETIME: i64 = 24 * 60 * 60;

/// Where files of the repository come from.
pub trait Source {
    /// A file of at most so many bytes; one that is not the one with this tag.
    fn fetch(&self, name: &str, limit: u64, etag: Option<&str>) -> Result<Fetched, Refusal>;
}

/// The root that a person agreed on at the login: everything is verified from
/// it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// Its version.
    pub version: u64,
    /// Its SHA-256.
    pub fingerprint: Digest,
}

/// The server's newest word, verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The version of the root that stands for it.
    pub root: u64,
    /// The manifest's digest.
    pub manifest: Digest,
    /// The manifest's length.
    pub length: u64,
    /// When the first of its parts expires.
    pub until: Time,
    /// About when the timestamp was signed.
    pub signed_at: Time,
    /// What of it has expired: then it stands for what is in force, and for
    /// nothing else.
    pub expired: Option<String>,
}

/// Asks for everything that may be newer and verifies it. What was verified
/// before stays on the shelf whatever happens.
pub fn refresh(
    source: &dyn Source,
    shelf: &mut dyn Shelf,
    pin: &Pin,
    now: Time,
) -> Result<Verified, Refusal> {
    let mut round = Round::begin(source, shelf, pin, now)?;
    round.walk_roots()?;
    round.remember();
    let fresh = round.timestamp()?;
    let fresh = round.snapshot()? || fresh;
    let fresh = round.targets()? || fresh;
    round.verified(fresh)
}

/// One refresh: what is trusted so far.
struct Round<'a> {
    source: &'a dyn Source,
    shelf: &'a mut dyn Shelf,
    now: Time,
    set: TrustedMetadataSet,
    /// The snapshot of last time. No newer one may go back behind it.
    floor: Option<Snapshot>,
}

impl<'a> Round<'a> {
    /// With the root that was pinned, from the shelf or from the server.
    fn begin(
        source: &'a dyn Source,
        shelf: &'a mut dyn Shelf,
        pin: &Pin,
        now: Time,
    ) -> Result<Round<'a>, Refusal> {
        boathook_server::team::sign::provider::install();
        let Pin { version, fingerprint } = pin;
        let name = format!("{version}.root.json");
        let kept = shelf.get(&name).filter(|bytes| Digest::of(bytes) == *fingerprint);
        let bytes = match &kept {
            Some(bytes) => bytes.clone(),
            None => fetched(source, &name, LARGEST_ROOT)?,
        };
        if Digest::of(&bytes) != *fingerprint {
            let message = format!(
                "the team's root {version} is {}, and {fingerprint} was agreed on at the login",
                Digest::of(&bytes)
            );
            return Err(Refusal::new("fingerprint", message));
        }
        let set =
            TrustedMetadataSet::from_root(&bytes).map_err(|error| refused_root(&error, &bytes, None))?;
        verdict::check_root(set.root())?;
        if kept.is_none() {
            shelf.put(&name, &bytes)?;
        }
        Ok(Round { source, shelf, now, set, floor: None })
    }

    /// Every root after the trusted one, one by one.
    fn walk_roots(&mut self) -> Result<(), Refusal> {
        for _ in 0..MOST_ROOTS {
            let next = self.set.root().version.saturating_add(1);
            let name = format!("{next}.root.json");
            // One that was kept and does not fit any more is asked for again.
            if let Some(kept) = self.shelf.get(&name)
                && self.add_root(&kept).is_ok()
            {
                continue;
            }
            let bytes = match fetched(self.source, &name, LARGEST_ROOT) {
                Err(refusal) if refusal.code == "missing" => return self.check_root(),
                other => other?,
            };
            self.add_root(&bytes)?;
            self.shelf.put(&name, &bytes)?;
        }
        Err(Refusal::new("too_large", format!("more than {MOST_ROOTS} roots to walk at once")))
    }

    fn add_root(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let mut set = self.set.clone();
        set.update_root(bytes).map_err(|error| refused_root(&error, bytes, Some(self.set.root())))?;
        verdict::check_root(set.root())?;
        self.set = set;
        Ok(())
    }

    /// Only the last root must not have expired.
    fn check_root(&self) -> Result<(), Refusal> {
        self.set.check_root_expired(self.now).map_err(|error| self.refused::<Root>(&error, "root", &[]))
    }

    /// Takes up what was verified before, as far as the root still stands for
    /// it. Its age does not matter: nothing older is accepted after it.
    fn remember(&mut self) {
        let whenever = Time::MIN;
        if let Some(bytes) = self.shelf.get("timestamp.json") {
            let _ = self.set.update_timestamp(&bytes, whenever);
        }
        if let Some(bytes) = self.shelf.get("snapshot.json") {
            self.floor = self.vouched::<Snapshot>(&bytes, "snapshot").map(Metadata::into_signed);
            let _ = self.set.update_snapshot(&bytes, whenever);
        }
        if let Some(bytes) = self.shelf.get("targets.json") {
            let _ = self.set.update_targets(&bytes, whenever);
        }
    }

    /// Says whether there is a newer one.
    fn timestamp(&mut self) -> Result<bool, Refusal> {
        let known = self.set.timestamp().is_some();
        let etag = self.shelf.etag().filter(|_| known);
        let (bytes, etag) = match self.source.fetch("timestamp.json", LARGEST_TIMESTAMP, etag.as_deref())? {
            Fetched::Unchanged => return Ok(false),
            Fetched::File { bytes, etag, .. } => (bytes, etag),
        };
        let newer = match self.set.update_timestamp(&bytes, self.now) {
            Ok(()) => true,
            Err(Error::EqualVersion { version, .. }) => {
                self.must_be_the_same(&bytes, version)?;
                false
            }
            Err(error) => return Err(self.refused::<Timestamp>(&error, "timestamp", &bytes)),
        };
        if newer {
            self.shelf.put("timestamp.json", &bytes)?;
        }
        self.shelf.put_etag(etag.as_deref())?;
        Ok(newer)
    }

    /// A version stands for one content.
    fn must_be_the_same(&self, bytes: &[u8], version: u64) -> Result<(), Refusal> {
        let signed = |bytes: &[u8]| {
            Metadata::<Timestamp>::from_slice(bytes).ok().map(|file| file.signed_canonical().to_vec())
        };
        let kept = self.shelf.get("timestamp.json").and_then(|kept| signed(&kept));
        if kept.is_some() && kept == signed(bytes) {
            return Ok(());
        }
        Err(conflict("timestamp", version))
    }

    /// The snapshot that the timestamp names. Says whether it had to be got.
    fn snapshot(&mut self) -> Result<bool, Refusal> {
        let named = self.set.timestamp().and_then(Timestamp::snapshot_meta).cloned();
        let named = named.ok_or_else(|| Refusal::new("bad_format", "the timestamp names no snapshot"))?;
        let kept = self.kept::<Snapshot>("snapshot", &named)?;
        if kept && self.set.snapshot().is_some_and(|snapshot| snapshot.version == named.version) {
            return Ok(false);
        }
        let bytes = self.named("snapshot", &named, LARGEST_SNAPSHOT, kept)?;
        let mut set = self.set.clone();
        set.update_snapshot(&bytes, self.now)
            .map_err(|error| self.refused::<Snapshot>(&error, "snapshot", &bytes))?;
        self.above_floor(set.snapshot())?;
        self.set = set;
        self.shelf.put("snapshot.json", &bytes)?;
        Ok(true)
    }

    /// The state machine knows the last snapshot only as long as the last
    /// timestamp's key stands; this one counts as long as its own does.
    fn above_floor(&self, snapshot: Option<&Snapshot>) -> Result<(), Refusal> {
        let (Some(floor), Some(new)) = (&self.floor, snapshot) else { return Ok(()) };
        for (name, before) in &floor.meta {
            let now = new.meta.get(name).map_or(0, |file| file.version);
            if now < before.version {
                let message = format!("{name}: version {now} after version {}", before.version);
                return Err(Refusal::new("rollback", message));
            }
        }
        Ok(())
    }

    /// The targets that the snapshot names. Says whether they had to be got.
    fn targets(&mut self) -> Result<bool, Refusal> {
        let named = self.set.snapshot().and_then(|snapshot| snapshot.meta.get("targets.json")).cloned();
        let named = named.ok_or_else(|| Refusal::new("bad_format", "the snapshot names no targets"))?;
        let kept = self.kept::<Targets>("targets", &named)?;
        if kept && self.set.targets_role("targets").is_some_and(|targets| targets.version == named.version) {
            return Ok(false);
        }
        let bytes = self.named("targets", &named, LARGEST_TARGETS, kept)?;
        let mut set = self.set.clone();
        set.update_targets(&bytes, self.now)
            .map_err(|error| self.refused::<Targets>(&error, "targets", &bytes))?;
        self.set = set;
        self.shelf.put("targets.json", &bytes)?;
        Ok(true)
    }

    /// Whether the file on the shelf is the one that is named. One of the same
    /// version, properly signed, with another content is a server that says
    /// different things to different people.
    fn kept<T: Role>(&self, role: &str, named: &MetaFile) -> Result<bool, Refusal> {
        let Some(bytes) = self.shelf.get(&format!("{role}.json")) else { return Ok(false) };
        let Some(file) = self.vouched::<T>(&bytes, role) else { return Ok(false) };
        if file.signed().version() != named.version {
            return Ok(false);
        }
        match verdict::check_named(&bytes, named, role, true) {
            Ok(()) => Ok(true),
            Err(_) => Err(conflict(role, named.version)),
        }
    }

    /// The bytes of a file that is named by another.
    fn named(&self, role: &str, named: &MetaFile, largest: u64, kept: bool) -> Result<Vec<u8>, Refusal> {
        if kept && let Some(bytes) = self.shelf.get(&format!("{role}.json")) {
            return Ok(bytes);
        }
        let name = format!("{}.{role}.json", named.version);
        // One byte more tells a longer file from the right one.
        let limit = named.length.map_or(largest, |length| length.saturating_add(1).min(largest));
        let (bytes, announced) = match self.source.fetch(&name, limit, None) {
            Ok(Fetched::File { bytes, announced, .. }) => (bytes, announced),
            Ok(Fetched::Unchanged) => return Err(Refusal::new("empty", format!("{name}: no content"))),
            Err(refusal) if refusal.code == "too_large" && limit < largest => {
                return Err(Refusal::new("length_mismatch", format!("{name} is longer than was signed")));
            }
            Err(refusal) => return Err(refusal),
        };
        verdict::check_named(&bytes, named, &name, announced)?;
        Ok(bytes)
    }

    /// A file that the present root stands for.
    fn vouched<T: Role>(&self, bytes: &[u8], role: &str) -> Option<Metadata<T>> {
        let file = Metadata::<T>::from_slice(bytes).ok()?;
        let root = self.set.root();
        file.verify_threshold(&root.keys, root.role(role)?, role).ok()?;
        Some(file)
    }

    fn verified(&self, fresh: bool) -> Result<Verified, Refusal> {
        let missing = || Refusal::new("bad_format", "the repository is not complete");
        let (Some(timestamp), Some(snapshot)) = (self.set.timestamp(), self.set.snapshot()) else {
            return Err(missing());
        };
        let targets = self.set.targets_role("targets").ok_or_else(missing)?;
        let ends =
            [("timestamp", timestamp.expires), ("snapshot", snapshot.expires), ("targets", targets.expires)];
        let expired = ends.iter().find(|(_, end)| *end < self.now);
        let expired = expired.map(|(role, end)| format!("the {role} expired at {end}"));
        if let Some(expired) = expired.clone().filter(|_| fresh) {
            return Err(Refusal::new("expired", expired));
        }
        let manifest = targets
            .target(manifest::TARGET)
            .ok_or_else(|| Refusal::new("bad_format", format!("the targets hold no {}", manifest::TARGET)))?;
        let digest = manifest.hashes.get("sha256").and_then(|digits| Digest::parse(digits));
        let until = ends.iter().map(|(_, end)| *end).min().unwrap_or(timestamp.expires);
        let signed = timestamp.expires.as_second().saturating_sub(LIFETIME);
        Ok(Verified {
            root: self.set.root().version,
            manifest: digest.ok_or_else(|| Refusal::new("bad_format", "the manifest has no SHA-256"))?,
            length: manifest.length,
            until,
            signed_at: Time::from_second(signed).unwrap_or(Time::MIN),
            expired,
        })
    }

    fn refused<T: Role>(&self, error: &Error, role: &str, bytes: &[u8]) -> Refusal {
        refused::<T>(error, self.set.root(), role, bytes)
    }
}

fn fetched(source: &dyn Source, name: &str, limit: u64) -> Result<Vec<u8>, Refusal> {
    match source.fetch(name, limit, None)? {
        Fetched::File { bytes, .. } => Ok(bytes),
        Fetched::Unchanged => Err(Refusal::new("empty", format!("{name}: no content"))),
    }
}

fn conflict(role: &str, version: u64) -> Refusal {
    Refusal::new("conflict", format!("there are two files of the {role}'s version {version}"))
}
