//! What the database is given and gives, beside the bodies of the API.

use std::collections::BTreeMap;

use boathook_engine::bundle::manifest::Stale;
use boathook_engine::digest::Digest;

use crate::team::wire::{MemberChange, Mode, Release, Role, TeamChange, TokenKind};

/// A team, without what depends on who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRow {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Who signs.
    pub mode: Mode,
    /// Its repository's name: no other installation of a server has it.
    pub repository: String,
    /// The line of releases.
    pub channel: String,
    /// The SHA-256 of the root that clients pin; empty before there is one.
    pub root_fingerprint: String,
    /// The version of that root.
    pub root_version: u64,
    /// What devices do when nothing new was signed for long.
    pub stale: Stale,
    /// When a release halts: this many in a hundred of those that tried it.
    pub halt_percent: u8,
    /// But not before this many failed.
    pub halt_least: u32,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
}

/// All that decides whether the holder of a token may come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// The team.
    pub team: i64,
    /// The token's number within it.
    pub id: i64,
    /// What it is for.
    pub kind: TokenKind,
    /// The most its holder may do.
    pub role: Role,
    /// When it was made.
    pub created_at: i64,
    /// Until when it is good.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When a sign-in token was used.
    pub used_at: Option<i64>,
    /// The member it belongs to.
    pub member: Option<TokenMember>,
    /// The device it belongs to.
    pub device: Option<TokenDevice>,
}

/// The member of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenMember {
    /// The number.
    pub id: i64,
    /// The address.
    pub email: String,
    /// The member's own role, the second limit.
    pub role: Role,
    /// When the member left.
    pub removed_at: Option<i64>,
}

/// The device of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenDevice {
    /// The device.
    pub id: String,
    /// Whether it belongs to the team itself.
    pub enrolled: bool,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

impl TokenRow {
    /// What its holder may do now: nothing when it, its member or its device
    /// is no longer good.
    pub fn role_at(&self, now: i64) -> Option<Role> {
        let expired = self.expires_at.is_some_and(|at| at <= now);
        let gone = self.revoked_at.is_some()
            || self.used_at.is_some()
            || self.member.as_ref().is_some_and(|member| member.removed_at.is_some())
            || self.device.as_ref().is_some_and(|device| device.revoked_at.is_some());
        let limit = self.member.as_ref().map_or(self.role, |member| member.role);
        (!expired && !gone).then(|| self.role.min(limit))
    }
}

/// A token to be kept: of its secret only the digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTokenRow {
    /// What it is for.
    pub kind: TokenKind,
    /// Its first characters, to recognise it by.
    pub prefix: String,
    /// What its holder called it.
    pub name: String,
    /// The most its holder may do.
    pub role: Role,
    /// The member it belongs to.
    pub member: Option<i64>,
    /// The device it belongs to.
    pub device: Option<String>,
    /// The token it is made with: when that is revoked, so is this.
    pub made_with: Option<i64>,
    /// The SHA-256 of the secret.
    pub digest: Digest,
    /// When, in milliseconds since 1970.
    pub created_at: i64,
    /// Until when.
    pub expires_at: Option<i64>,
}

/// A device to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDevice {
    /// Its name for us.
    pub id: String,
    /// Its host's name.
    pub name: String,
    /// `Windows`, `Macintosh` or `Linux`.
    pub os: String,
    /// Whose it is.
    pub member: Option<i64>,
    /// Whether it belongs to the team itself.
    pub enrolled: bool,
    /// When it came.
    pub added_at: i64,
}

/// How a release fares: each member, and each device that is nobody's, counts
/// once, with the newest reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Trials {
    /// Those that tried it.
    pub tried: u32,
    /// Those of them with a failure.
    pub failed: u32,
}

/// A permission to fetch one device token after a login in the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    /// The SHA-256 of the code and the name of the host it is for.
    pub digest: Digest,
    /// What the verifier must hash to.
    pub challenge: String,
    /// Where the browser was sent.
    pub redirect: String,
    /// Who logged in.
    pub member: i64,
    /// The token they did it with.
    pub made_with: Option<i64>,
    /// Until when it is good.
    pub expires_at: i64,
}

/// The four signed files of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TufRole {
    /// Who may sign what.
    Root,
    /// What there is.
    Targets,
    /// Which `targets` is the newest.
    Snapshot,
    /// Which `snapshot` is the newest, and until when that is believed.
    Timestamp,
}

impl TufRole {
    /// All, in the order in which a client reads them last.
    pub const ALL: [TufRole; 4] = [TufRole::Root, TufRole::Targets, TufRole::Snapshot, TufRole::Timestamp];

    /// As metadata spells it.
    pub fn name(self) -> &'static str {
        match self {
            TufRole::Root => "root",
            TufRole::Targets => "targets",
            TufRole::Snapshot => "snapshot",
            TufRole::Timestamp => "timestamp",
        }
    }

    /// The role of a name.
    pub fn named(name: &str) -> Option<TufRole> {
        TufRole::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// A key, for one role. Its private part is sealed, or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// Its name in metadata.
    pub key_id: String,
    /// What it signs.
    pub role: TufRole,
    /// Its public part.
    pub public: Vec<u8>,
    /// Its private part, sealed with the server's secret.
    pub sealed: Option<Vec<u8>>,
}

/// Numbers of a team's repository: what is newest, or what was ever given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Versions {
    /// Of `root`; 0 is none yet.
    pub root: u64,
    /// Of `targets`.
    pub targets: u64,
    /// Of `snapshot`.
    pub snapshot: u64,
    /// Of `timestamp`.
    pub timestamp: u64,
    /// Of the manifest.
    pub sequence: u64,
    /// Counts what was committed: a change that touches no signed file changes it too.
    pub revision: u64,
}

impl Versions {
    /// The version of a role.
    pub fn of(&self, role: TufRole) -> u64 {
        match role {
            TufRole::Root => self.root,
            TufRole::Targets => self.targets,
            TufRole::Snapshot => self.snapshot,
            TufRole::Timestamp => self.timestamp,
        }
    }

    pub(super) fn of_mut(&mut self, role: TufRole) -> &mut u64 {
        match role {
            TufRole::Root => &mut self.root,
            TufRole::Targets => &mut self.targets,
            TufRole::Snapshot => &mut self.snapshot,
            TufRole::Timestamp => &mut self.timestamp,
        }
    }
}

/// One signed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedFile {
    /// Its role.
    pub role: TufRole,
    /// Its version.
    pub version: u64,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Something that waits for signatures of the admins (strict mode).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The file with the signatures it has so far.
    pub file: SignedFile,
    /// The manifest it was made for, when it is `targets`.
    pub manifest: Option<ManifestFile>,
}

/// A manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManifestFile {
    /// Its sequence.
    pub sequence: u64,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// What is published together or not at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Publication {
    /// What was read before: when it is no longer so, nothing is written.
    pub expected: Versions,
    /// New scripts by their digest; those that are there already may be among them.
    pub scripts: BTreeMap<Digest, Vec<u8>>,
    /// New and changed releases.
    pub releases: Vec<Release>,
    /// New and changed keys. Without `sealed` the private part is forgotten.
    pub keys: Vec<KeyRow>,
    /// New signed files, each with a version above all before.
    pub metadata: Vec<SignedFile>,
    /// The new manifest.
    pub manifest: Option<ManifestFile>,
    /// Who signs from now on.
    pub mode: Option<Mode>,
    /// The root that clients pin from now on: its version and its fingerprint.
    pub pinned_root: Option<(u64, String)>,
    /// What waits for signatures from now on, in place of what waited before.
    pub waiting: Option<Vec<Waiting>>,
    /// What of the team's settings is another from now on.
    pub settings: Option<TeamChange>,
    /// Which member is another from now on, and in what.
    pub member: Option<(i64, MemberChange)>,
}

impl Publication {
    /// Nothing yet, on top of what was read.
    pub fn after(expected: Versions) -> Publication {
        Publication { expected, ..Publication::default() }
    }
}
