//! What travels between the team server and those who call it: the bodies of
//! the API, written once for the server, the terminal's `team admin` and the
//! client on a device.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::api::shape;
use boathook_engine::bundle::manifest::Stale;

/// What somebody may do. Each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Runs the team's hooks.
    Member,
    /// Reads everything, changes nothing.
    Auditor,
    /// Writes and publishes hooks, invites members.
    Admin,
    /// Also appoints admins and owners, and sets up the team.
    Owner,
}

/// What a hook consists of, as somebody writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HookDraft {
    /// Its event's name.
    pub hook_step: String,
    /// Its script's file name.
    pub script_name: String,
    /// Its script.
    pub script_content: String,
    /// `Windows`, `Macintosh`, `Linux`; none is all.
    #[serde(default)]
    pub operating_systems: Vec<String>,
    /// Whether it takes part in the next release.
    #[serde(default = "yes")]
    pub is_active: bool,
    /// When it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// Whether a failure blocks.
    #[serde(default)]
    pub fail_closed: bool,
    /// How many automatic follow-ups; nothing is the default, -1 no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_limit: Option<i64>,
    /// Whether a refusal is only reported.
    #[serde(default)]
    pub monitor: bool,
}

fn yes() -> bool {
    true
}

/// A hook as the server keeps it. What is published is a release; this is the
/// draft of the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hook {
    /// Its number within the team.
    pub id: i64,
    /// Its place in the order.
    pub position: i64,
    /// Grows with every change.
    pub version: i64,
    /// When it was changed, in milliseconds since 1970.
    pub changed_at: i64,
    /// Who changed it.
    pub changed_by: String,
    /// What it consists of.
    #[serde(flatten)]
    pub draft: HookDraft,
}

/// A change of a hook: the versions that went before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookVersion {
    /// The version.
    pub version: i64,
    /// When.
    pub changed_at: i64,
    /// Who.
    pub changed_by: String,
    /// Whether the hook was deleted by it.
    pub deleted: bool,
    /// What it consisted of.
    #[serde(flatten)]
    pub draft: HookDraft,
}

/// The order of all hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Every hook's number once.
    pub ids: Vec<i64>,
}

/// How far a release has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReleaseState {
    /// It waits for signatures of the admins (strict mode).
    Waiting,
    /// A part of the team has it.
    Rolling,
    /// Everybody has it.
    Stable,
    /// It was stopped; those who had it went back.
    Halted,
    /// A later one is stable.
    Superseded,
}

/// A release, without its scripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Release {
    /// Its number within the team.
    pub number: i64,
    /// How far it has come.
    pub state: ReleaseState,
    /// Whether the canary group has it.
    pub canary: bool,
    /// How many in a hundred of the others have it.
    pub percent: u8,
    /// Who published it.
    pub published_by: String,
    /// When, in milliseconds since 1970.
    pub published_at: i64,
    /// What its author said of it.
    pub note: String,
    /// The release whose content it repeats, after a roll back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restores: Option<i64>,
    /// Why it was halted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted_because: Option<String>,
    /// Its hooks.
    #[schema(value_type = Vec<shape::PublishedHook>)]
    pub hooks: Vec<boathook_engine::bundle::manifest::Hook>,
}

/// Publishes the draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Publish {
    /// What to say of it.
    #[serde(default)]
    pub note: String,
    /// Whether the canary group gets it now.
    #[serde(default)]
    pub canary: bool,
    /// How many in a hundred of the others get it now.
    #[serde(default = "everybody")]
    pub percent: u8,
}

fn everybody() -> u8 {
    100
}

/// Widens a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Advance {
    /// How many in a hundred; 100 makes it stable.
    pub percent: u8,
}

/// Stops a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Halt {
    /// Why.
    #[serde(default)]
    pub reason: String,
}

/// Who holds the key that signs hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The server: publishing is one call.
    Easy,
    /// The admins: the server cannot publish alone.
    Strict,
}

/// The team a token belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Team {
    /// Its number.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Who signs.
    pub mode: Mode,
    /// Its repository's name.
    pub repository: String,
    /// The line of releases.
    pub channel: String,
    /// The SHA-256 of the root that clients pin.
    pub root_fingerprint: String,
    /// The version of that root: the first, or the newest that the admins signed.
    #[serde(default = "first_root")]
    pub root_version: u64,
    /// What devices do when nothing new was signed for long.
    #[schema(value_type = shape::Stale)]
    pub stale: Stale,
    /// A rolling release halts when this many in a hundred of the devices that
    /// tried it reported a failure.
    pub halt_percent: u8,
    /// But not before this many devices failed.
    pub halt_least: u32,
    /// What the caller may do.
    pub role: Role,
    /// Who the caller is, when a member is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

fn first_root() -> u64 {
    1
}

/// Changes the team's settings; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamChange {
    /// The name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The policy for old hooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::Stale>)]
    pub stale: Option<Stale>,
    /// When a release halts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt_percent: Option<u8>,
    /// When a release halts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt_least: Option<u32>,
}

/// A person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// Its number within the team.
    pub id: i64,
    /// The address.
    pub email: String,
    /// What the person may do.
    pub role: Role,
    /// Whether the person is in the canary group.
    pub canary: bool,
    /// When, in milliseconds since 1970.
    pub added_at: i64,
}

/// Adds a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewMember {
    /// The address.
    pub email: String,
    /// What the person may do.
    pub role: Role,
}

/// A person who was added, and the one token to sign in with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AddedMember {
    /// The person.
    pub member: Member,
    /// Shown this once.
    pub sign_in_token: String,
}

/// Changes a person; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberChange {
    /// The role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether in the canary group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<bool>,
}

/// What a token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// Signs a member in, once.
    #[serde(rename = "sign-in")]
    SignIn,
    /// Calls the API for a member.
    Api,
    /// Enrols devices that belong to the team, not to a person.
    Enrolment,
    /// Belongs to one device.
    Device,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Its number within the team.
    pub id: i64,
    /// What it is for.
    pub kind: TokenKind,
    /// Its first characters, to recognise it by.
    pub prefix: String,
    /// What its holder called it.
    pub name: String,
    /// The most its holder may do with it.
    pub role: Role,
    /// The member it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<i64>,
    /// The device it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// When, in milliseconds since 1970.
    pub created_at: i64,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// When it was used, for one that works once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<i64>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
    /// The token it was made with: when that is revoked, so is this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_with: Option<i64>,
}

/// Makes a token for the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// `api`, `enrolment`, or `sign-in` for a member.
    pub kind: TokenKind,
    /// What to call it.
    pub name: String,
    /// The most its holder may do; at most the caller's own role. Nothing is all that
    /// the member may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// For a sign-in token, whose; nothing is the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<i64>,
    /// After how many days it expires; nothing is the default of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// A token that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MadeToken {
    /// The token.
    pub token: Token,
    /// Shown this once.
    pub secret: String,
}

/// A machine that runs the team's hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Device {
    /// Its name for us, made by the server.
    pub id: String,
    /// Its host's name.
    pub name: String,
    /// `Windows`, `Macintosh` or `Linux`.
    pub os: String,
    /// Whose it is; nobody's when it was enrolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<i64>,
    /// Whether it belongs to the team itself: a log-out keeps its hooks.
    pub enrolled: bool,
    /// When it came.
    pub added_at: i64,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<i64>,
    /// When it last reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen_at: Option<i64>,
    /// The sequence and release it last reported, and how that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_report: Option<Report>,
}

/// Signs a device in, with a sign-in, API or enrolment token as the bearer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The host's name.
    pub name: String,
    /// `Windows`, `Macintosh` or `Linux`.
    pub os: String,
}

/// A device that signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoggedIn {
    /// The device.
    pub device: Device,
    /// Its token, shown this once.
    pub device_token: String,
    /// The team.
    pub team: Team,
}

/// How a sync went on a device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The manifest.
    pub sequence: u64,
    /// The release of it.
    pub release: u64,
    /// `applied`, or the code of the refusal.
    pub code: String,
    /// What was wrong, in a sentence.
    #[serde(default)]
    pub detail: String,
}

/// The newest manifest, answered at once or when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Hint {
    /// Its sequence.
    pub sequence: u64,
}

/// Every refusal of the API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A stable word.
    pub code: String,
    /// What is wrong and what to do instead.
    pub message: String,
}

/// Keys that sign for something, and how many of them must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeySet {
    /// Ed25519 public keys, in hexadecimal digits.
    pub keys: Vec<String>,
    /// How many of them must sign.
    pub threshold: u32,
}

/// Hands the keys of a team to its admins, or exchanges them. What is absent
/// stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKeys {
    /// Who signs the table of keys itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<KeySet>,
    /// Who signs hooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<KeySet>,
    /// Whether the server makes new keys for what it signs itself.
    #[serde(default)]
    pub online: bool,
}

/// What waits for signatures of the admins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Signing {
    /// Each file by itself; all of them are to be signed.
    pub waiting: Vec<ToSign>,
}

/// A file that waits for signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToSign {
    /// `root` or `targets`.
    pub role: String,
    /// Its version.
    pub version: u64,
    /// The bytes to sign, exactly as they stand.
    pub bytes: String,
    /// The manifest that `targets` vouches for, to be looked at before signing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The ids of the keys that may sign it.
    pub keys: Vec<String>,
    /// The ids of those that did.
    pub signed: Vec<String>,
    /// How many must.
    pub threshold: u32,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSignature {
    /// `root` or `targets`.
    pub role: String,
    /// The version that was signed.
    pub version: u64,
    /// The id of the key.
    pub key: String,
    /// The signature of the exact bytes, in hexadecimal digits.
    pub sig: String,
}
