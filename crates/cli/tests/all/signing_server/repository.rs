//! The signed files of one team.

use std::collections::BTreeMap;

use boathook_engine::bundle::manifest;
use boathook_engine::digest::Digest;
use boathook_server::team::sign::key::SigningKey;
use boathook_server::team::sign::metadata::{self, FileRef, Roles, Signers};
use jiff::{SignedDuration, Timestamp};

/// A hook and its script's text.
#[derive(Debug, Clone)]
pub struct Hook {
    pub manifest: manifest::Hook,
    pub text: String,
}

/// One that runs on every system.
pub fn hook(event: &str, name: &str, text: &str) -> Hook {
    let script = manifest::Script::of(name, text.as_bytes());
    Hook { manifest: manifest::Hook::plain(1, event, script), text: text.to_owned() }
}

pub struct Repository {
    pub team: i64,
    pub name: String,
    pub sequence: u64,
    /// The version of the root that clients pin.
    pub pinned: u64,
    key: SigningKey,
    files: BTreeMap<String, Vec<u8>>,
}

impl Repository {
    pub fn new(team: i64) -> Repository {
        let key = SigningKey::generate().expect("randomness");
        let one = || Signers::one(key.public());
        let roles = Roles { root: one(), targets: one(), snapshot: one(), timestamp: one() };
        let root = metadata::sign(&metadata::root(1, in_days(300), &roles), &[&key]);
        let name = Digest::of(key.public().hex().as_bytes()).to_string();
        let files = BTreeMap::from([("1.root.json".to_owned(), root)]);
        let mut repository = Repository { team, name, sequence: 0, pinned: 1, key, files };
        repository.publish(&[]);
        repository
    }

    pub fn fingerprint(&self) -> String {
        Digest::of(&self.files[&format!("{}.root.json", self.pinned)]).to_string()
    }

    /// A new root, and from now on newcomers pin that; those before are gone.
    pub fn pin_next(&mut self) {
        let one = || Signers::one(self.key.public());
        let roles = Roles { root: one(), targets: one(), snapshot: one(), timestamp: one() };
        self.files.remove(&format!("{}.root.json", self.pinned));
        self.pinned += 1;
        let root = self.signed(&metadata::root(self.pinned, in_days(300), &roles));
        self.files.insert(format!("{}.root.json", self.pinned), root);
    }

    pub fn file(&self, name: &str) -> Option<Vec<u8>> {
        self.files.get(name).cloned()
    }

    pub fn publish(&mut self, hooks: &[Hook]) {
        self.sequence += 1;
        let number = self.sequence;
        let release = manifest::Release {
            number,
            rollout: None,
            hooks: hooks.iter().map(|it| it.manifest.clone()).collect(),
        };
        let manifest = manifest::Manifest {
            format: manifest::FORMAT,
            team: self.team,
            repository: self.name.clone(),
            channel: "stable".to_owned(),
            sequence: number,
            created: Timestamp::now().to_string(),
            stale: Default::default(),
            releases: vec![release],
        };
        let text = serde_json::to_vec(&manifest).expect("JSON");
        let mut targets = BTreeMap::from([(manifest::TARGET.to_owned(), text)]);
        targets.extend(
            hooks.iter().map(|it| (it.manifest.script.sha256.to_string(), it.text.clone().into_bytes())),
        );
        let listed = targets.iter().map(|(name, bytes)| (name.clone(), FileRef::of(bytes))).collect();
        for (name, bytes) in targets {
            self.files.insert(format!("targets/{}.{name}", Digest::of(&bytes)), bytes);
        }
        let targets = self.signed(&metadata::targets(number, in_days(300), &listed));
        let snapshot = self.signed(&metadata::snapshot(number, in_days(7), number, &targets));
        let timestamp = self.signed(&metadata::timestamp(number, in_days(1), number, &snapshot));
        self.files.insert(format!("{number}.targets.json"), targets);
        self.files.insert(format!("{number}.snapshot.json"), snapshot);
        self.files.insert("timestamp.json".to_owned(), timestamp);
    }

    fn signed(&self, signed: &serde_json::Value) -> Vec<u8> {
        metadata::sign(signed, &[&self.key])
    }
}

fn in_days(days: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_hours(24 * days)
}
