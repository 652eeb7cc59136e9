//! What is signed for a team now, which keys the server has for it, and what
//! the next signed files are.
//!
//! Pure: what was read from the database in, signed files out. Whoever calls
//! commits them.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sigstore_tuf::{Metadata, Role, Root, Snapshot, Targets};

use boathook_engine::digest::Digest;

use super::error::SignError;
use super::key::{PublicKey, SigningKey};
use super::metadata::{self, FileRef, Roles, Signers};
use crate::team::store::{SignedFile, TufRole, Versions};

/// How often the timestamp is signed anew.
pub const TIMESTAMP_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// How long before its end a file of a year is signed anew.
pub const YEARLY_BEFORE: SignedDuration = SignedDuration::from_hours(24 * 30);

/// How long a file is good for.
pub fn lifetime(role: TufRole) -> SignedDuration {
    SignedDuration::from_hours(match role {
        TufRole::Root | TufRole::Targets => 24 * 365,
        TufRole::Snapshot => 24 * 7,
        TufRole::Timestamp => 24,
    })
}

/// A team's repository.
#[derive(Debug)]
pub struct Repository {
    /// The newest versions.
    pub newest: Versions,
    /// The highest versions that anybody may have seen.
    pub floor: Versions,
    /// The highest versions that wait for signatures, and may be signed by now.
    pub reserved: Versions,
    /// The newest file of each role.
    pub files: BTreeMap<TufRole, Vec<u8>>,
    /// The private keys that the server has.
    pub keys: Vec<SigningKey>,
}

impl Repository {
    /// The version after all that were given out.
    pub fn next(&self, role: TufRole) -> u64 {
        match role {
            // Clients walk roots one by one: a gap would strand them.
            TufRole::Root => self.newest.root + 1,
            TufRole::Targets | TufRole::Snapshot | TufRole::Timestamp => {
                self.newest.of(role).max(self.floor.of(role)).max(self.reserved.of(role)) + 1
            }
        }
    }

    /// The sequence after all that were given out.
    pub fn next_sequence(&self) -> u64 {
        self.newest.sequence.max(self.floor.sequence).max(self.reserved.sequence) + 1
    }

    /// Who may sign what, by the newest root.
    pub fn roles(&self) -> Result<Roles, SignError> {
        roles_of(self.file(TufRole::Root)?)
    }

    /// What the newest list of targets names.
    pub fn targets(&self) -> Result<BTreeMap<String, FileRef>, SignError> {
        let read = Metadata::<Targets>::from_slice(self.file(TufRole::Targets)?);
        let targets = read.map_err(|_| SignError::Unreadable(TufRole::Targets))?.into_signed().targets;
        let file = |file: &sigstore_tuf::TargetFile| {
            let sha256 = file.hashes.get("sha256").and_then(|text| Digest::parse(text))?;
            Some(FileRef { length: file.length, sha256 })
        };
        let files = targets.iter().map(|(name, target)| Some((name.clone(), file(target)?)));
        files.collect::<Option<_>>().ok_or(SignError::Unreadable(TufRole::Targets))
    }

    /// The newest file of a role.
    pub fn file(&self, role: TufRole) -> Result<&[u8], SignError> {
        self.files.get(&role).map(Vec::as_slice).ok_or(SignError::NotSetUp)
    }

    /// When the newest file of a role stops being good.
    pub fn expires(&self, role: TufRole) -> Result<Timestamp, SignError> {
        expires_of(role, self.file(role)?)
    }

    /// Whether the server alone can sign for a role.
    pub fn holds(&self, signers: &Signers) -> bool {
        self.own(signers).len() >= signers.threshold as usize
    }

    /// The list of targets that comes next, without signatures.
    pub fn next_targets(&self, version: u64, files: &BTreeMap<String, FileRef>, now: Timestamp) -> Value {
        metadata::targets(version, end(TufRole::Targets, now), files)
    }

    /// The list of targets that comes next, signed by the server.
    pub fn sign_targets(
        &self,
        files: &BTreeMap<String, FileRef>,
        now: Timestamp,
    ) -> Result<SignedFile, SignError> {
        let version = self.next(TufRole::Targets);
        let signed = self.next_targets(version, files, now);
        let content = self.sign(TufRole::Targets, &self.roles()?.targets, &signed)?;
        Ok(SignedFile { role: TufRole::Targets, version, content })
    }

    /// The snapshot and the timestamp that make a list of targets the newest.
    pub fn sign_below(
        &self,
        roles: &Roles,
        targets: (u64, &[u8]),
        now: Timestamp,
    ) -> Result<[SignedFile; 2], SignError> {
        let version = self.next(TufRole::Snapshot);
        let signed = metadata::snapshot(version, end(TufRole::Snapshot, now), targets.0, targets.1);
        let content = self.sign(TufRole::Snapshot, &roles.snapshot, &signed)?;
        let timestamp = self.sign_timestamp(roles, (version, &content), now)?;
        Ok([SignedFile { role: TufRole::Snapshot, version, content }, timestamp])
    }

    fn sign_timestamp(
        &self,
        roles: &Roles,
        snapshot: (u64, &[u8]),
        now: Timestamp,
    ) -> Result<SignedFile, SignError> {
        let version = self.next(TufRole::Timestamp);
        let signed = metadata::timestamp(version, end(TufRole::Timestamp, now), snapshot.0, snapshot.1);
        let content = self.sign(TufRole::Timestamp, &roles.timestamp, &signed)?;
        Ok(SignedFile { role: TufRole::Timestamp, version, content })
    }

    /// What has to be signed anew, whether or not anything else happened. A
    /// role whose keys the admins have is left to them.
    pub fn renewed(&self, now: Timestamp) -> Result<Vec<SignedFile>, SignError> {
        let roles = self.roles()?;
        let mut files = Vec::new();
        if self.holds(&roles.root) && self.left(TufRole::Root, now)? < YEARLY_BEFORE {
            let version = self.next(TufRole::Root);
            let signed = metadata::root(version, end(TufRole::Root, now), &roles);
            let content = self.sign(TufRole::Root, &roles.root, &signed)?;
            files.push(SignedFile { role: TufRole::Root, version, content });
        }
        let renews_targets =
            self.left(TufRole::Targets, now)? < YEARLY_BEFORE || self.is_low(TufRole::Targets);
        let targets = match self.holds(&roles.targets) && renews_targets {
            true => Some(self.sign_targets(&self.targets()?, now)?),
            false => None,
        };
        if let Some(targets) = &targets {
            files.extend(self.sign_below(&roles, (targets.version, &targets.content), now)?);
        } else if self.left(TufRole::Snapshot, now)? * 2 <= lifetime(TufRole::Snapshot)
            || self.is_low(TufRole::Snapshot)
        {
            let targets = (self.newest.targets, self.file(TufRole::Targets)?);
            files.extend(self.sign_below(&roles, targets, now)?);
        } else if self.left(TufRole::Timestamp, now)? <= lifetime(TufRole::Timestamp) - TIMESTAMP_EVERY
            || self.is_low(TufRole::Timestamp)
        {
            let snapshot = (self.newest.snapshot, self.file(TufRole::Snapshot)?);
            files.push(self.sign_timestamp(&roles, snapshot, now)?);
        }
        files.extend(targets);
        Ok(files)
    }

    /// Whether devices may have seen a version above the newest: the database
    /// is an old one that was put back.
    fn is_low(&self, role: TufRole) -> bool {
        self.floor.of(role) > self.newest.of(role)
    }

    fn left(&self, role: TufRole, now: Timestamp) -> Result<SignedDuration, SignError> {
        Ok(self.expires(role)?.duration_since(now))
    }

    /// The server's own keys among those of a role.
    pub fn own(&self, signers: &Signers) -> Vec<&SigningKey> {
        self.keys.iter().filter(|key| signers.keys.contains(&key.public())).collect()
    }

    fn sign(&self, role: TufRole, signers: &Signers, signed: &Value) -> Result<Vec<u8>, SignError> {
        if !self.holds(signers) {
            return Err(SignError::NoKey(role));
        }
        Ok(metadata::sign(signed, &self.own(signers)))
    }
}

/// When a file that is signed now stops being good.
pub fn end(role: TufRole, now: Timestamp) -> Timestamp {
    now.checked_add(lifetime(role)).unwrap_or(Timestamp::MAX)
}

/// When a file stops being good.
pub fn expires_of(role: TufRole, bytes: &[u8]) -> Result<Timestamp, SignError> {
    fn read<T: Role>(bytes: &[u8]) -> sigstore_tuf::Result<Timestamp> {
        Metadata::<T>::from_slice(bytes).map(|file| file.signed().expires())
    }
    let expires = match role {
        TufRole::Root => read::<Root>(bytes),
        TufRole::Targets => read::<Targets>(bytes),
        TufRole::Snapshot => read::<Snapshot>(bytes),
        TufRole::Timestamp => read::<sigstore_tuf::Timestamp>(bytes),
    };
    expires.map_err(|_| SignError::Unreadable(role))
}

/// Who may sign what, by a root.
pub fn roles_of(root: &[u8]) -> Result<Roles, SignError> {
    let unreadable = || SignError::Unreadable(TufRole::Root);
    let root = Metadata::<Root>::from_slice(root).map_err(|_| unreadable())?.into_signed();
    let signers = |role: TufRole| -> Option<Signers> {
        let named = root.role(role.name())?;
        let key = |id: &String| PublicKey::parse(&root.keys.get(id)?.keyval.public);
        let keys = named.keyids.iter().map(key).collect::<Option<Vec<_>>>()?;
        Some(Signers { keys, threshold: u32::try_from(named.threshold).ok()? })
    };
    Ok(Roles {
        root: signers(TufRole::Root).ok_or_else(unreadable)?,
        targets: signers(TufRole::Targets).ok_or_else(unreadable)?,
        snapshot: signers(TufRole::Snapshot).ok_or_else(unreadable)?,
        timestamp: signers(TufRole::Timestamp).ok_or_else(unreadable)?,
    })
}
