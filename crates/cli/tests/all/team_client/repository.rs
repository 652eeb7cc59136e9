//! Repositories of a team as a server would write them, and as it would not:
//! every version, signer, expiry and byte is the test's to choose.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use boathook_engine::digest::Digest;
use boathook_server::team::sign::key::SigningKey;
use boathook_server::team::sign::metadata::{self, FileRef, Roles, Signers};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// The files below `/tuf/{team}/`, by name.
pub type Files = BTreeMap<String, Vec<u8>>;

/// One moment for all editions of a test, so that their roots are the same.
pub static START: LazyLock<Timestamp> = LazyLock::new(Timestamp::now);

pub const TEAM: i64 = 7;
pub const HOUR: i64 = 3600;
pub const DAY: i64 = 24 * HOUR;

/// Who may sign for a role, and how many must.
pub type May = (Vec<u8>, u32);

/// One root.
#[derive(Clone)]
pub struct RootSpec {
    pub version: u64,
    /// Seconds from now.
    pub expires: i64,
    pub root: May,
    pub targets: May,
    pub snapshot: May,
    pub timestamp: May,
    pub signed_by: Vec<u8>,
    /// A last change of the signed part.
    pub edit: fn(&mut Value),
}

/// One of the other three files.
#[derive(Clone)]
pub struct RoleSpec {
    pub version: u64,
    /// Seconds from now.
    pub expires: i64,
    pub signed_by: Vec<u8>,
    /// A last change of the signed part.
    pub edit: fn(&mut Value),
}

/// Everything that is published at one moment.
#[derive(Clone)]
pub struct Edition {
    pub roots: Vec<RootSpec>,
    pub targets: RoleSpec,
    pub snapshot: RoleSpec,
    pub timestamp: RoleSpec,
    pub manifest: Value,
    pub scripts: Vec<Vec<u8>>,
    /// What every expiry counts from.
    pub now: Timestamp,
}

pub fn key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32])
}

fn same(_: &mut Value) {}

impl RootSpec {
    /// The n-th root with the keys that every test starts with.
    pub fn plain(version: u64) -> RootSpec {
        RootSpec {
            version,
            expires: 365 * DAY,
            root: (vec![1], 1),
            targets: (vec![11], 1),
            snapshot: (vec![12], 1),
            timestamp: (vec![13], 1),
            signed_by: vec![1],
            edit: same,
        }
    }

    pub fn write(&self, now: Timestamp) -> Vec<u8> {
        let signers = |(keys, threshold): &May| Signers {
            keys: keys.iter().map(|number| key(*number).public()).collect(),
            threshold: *threshold,
        };
        let roles = Roles {
            root: signers(&self.root),
            targets: signers(&self.targets),
            snapshot: signers(&self.snapshot),
            timestamp: signers(&self.timestamp),
        };
        let mut signed = metadata::root(self.version, later(now, self.expires), &roles);
        (self.edit)(&mut signed);
        signed_by(&signed, &self.signed_by)
    }
}

impl RoleSpec {
    fn plain(version: u64, expires: i64, key: u8) -> RoleSpec {
        RoleSpec { version, expires, signed_by: vec![key], edit: same }
    }

    fn write(&self, mut signed: Value) -> Vec<u8> {
        (self.edit)(&mut signed);
        signed_by(&signed, &self.signed_by)
    }
}

impl Edition {
    /// The n-th: its one hook refuses every command, saying its number.
    pub fn number(number: u64) -> Edition {
        let script = script(&format!("v{number}"));
        Edition {
            roots: vec![RootSpec::plain(1)],
            targets: RoleSpec::plain(number, 365 * DAY, 11),
            snapshot: RoleSpec::plain(number, 7 * DAY, 12),
            timestamp: RoleSpec::plain(number, DAY, 13),
            manifest: manifest(number, &script),
            scripts: vec![script],
            now: *START,
        }
    }

    /// The same, with a change.
    pub fn with(mut self, change: impl FnOnce(&mut Edition)) -> Edition {
        change(&mut self);
        self
    }

    /// The same with these roots, one after the other.
    pub fn roots(self, roots: Vec<RootSpec>) -> Edition {
        Edition { roots, ..self }
    }

    /// As a server would serve it.
    pub fn files(&self) -> Files {
        let mut files = Files::new();
        for (index, root) in self.roots.iter().enumerate() {
            files.insert(format!("{}.root.json", index + 1), root.write(self.now));
        }
        let manifest = serde_json::to_vec(&self.manifest).expect("JSON");
        let mut targets = BTreeMap::from([("manifest.json".to_owned(), FileRef::of(&manifest))]);
        for script in &self.scripts {
            let digest = Digest::of(script).to_string();
            targets.insert(digest.clone(), FileRef::of(script));
            files.insert(format!("targets/{digest}.{digest}"), script.clone());
        }
        files.insert(format!("targets/{}.manifest.json", Digest::of(&manifest)), manifest);
        let end = |role: &RoleSpec| later(self.now, role.expires);
        let signed = metadata::targets(self.targets.version, end(&self.targets), &targets);
        let targets = self.targets.write(signed);
        let signed =
            metadata::snapshot(self.snapshot.version, end(&self.snapshot), self.targets.version, &targets);
        let snapshot = self.snapshot.write(signed);
        let signed = metadata::timestamp(
            self.timestamp.version,
            end(&self.timestamp),
            self.snapshot.version,
            &snapshot,
        );
        files.insert("timestamp.json".into(), self.timestamp.write(signed));
        files.insert(format!("{}.snapshot.json", self.snapshot.version), snapshot);
        files.insert(format!("{}.targets.json", self.targets.version), targets);
        files
    }

    /// What a device agrees on when it signs in.
    pub fn fingerprint(&self) -> String {
        Digest::of(&self.roots[0].write(self.now)).to_string()
    }
}

/// A hook that refuses, and says which one it is.
pub fn script(word: &str) -> Vec<u8> {
    let answer = json!({ "permission": "deny", "user_message": word });
    format!("#!/bin/sh\ncat >/dev/null\necho '{answer}'\n").into_bytes()
}

/// A manifest with one release of one hook.
pub fn manifest(sequence: u64, script: &[u8]) -> Value {
    json!({
        "format": 1,
        "team": TEAM,
        "repository": "repository-of-the-test",
        "channel": "stable",
        "sequence": sequence,
        "created": "2026-11-10T00:00:00Z",
        "stale": { "days": 14, "policy": "deny" },
        "releases": [{ "number": sequence, "hooks": [hook(1, "guard.sh", script)] }],
    })
}

/// One hook of a manifest.
pub fn hook(id: i64, name: &str, script: &[u8]) -> Value {
    json!({
        "id": id,
        "event": "beforeShellExecution",
        "script": { "name": name, "sha256": Digest::of(script), "length": script.len() },
        "fail_closed": true,
    })
}

fn later(now: Timestamp, seconds: i64) -> Timestamp {
    now.checked_add(SignedDuration::from_secs(seconds)).expect("a time")
}

/// A file with the signatures of these keys.
fn signed_by(signed: &Value, keys: &[u8]) -> Vec<u8> {
    let bytes = metadata::canonical(signed);
    let signatures: Vec<_> = keys.iter().map(|number| key(*number).sign(&bytes)).collect();
    metadata::assemble(signed, &signatures)
}
