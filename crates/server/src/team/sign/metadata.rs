//! Writes the four signed files of a team's repository, as The Update
//! Framework 1.0 defines them.
//!
//! Pure: numbers, times and keys in, bytes out. Nothing here knows which
//! version comes next or whether a key may sign; tests use that to write
//! repositories that lie.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use boathook_engine::digest::Digest;

use super::key::{PublicKey, Signature, SigningKey};

/// The edition of The Update Framework that is written.
pub const SPEC: &str = "1.0.31";

/// Who signs for a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signers {
    /// The keys.
    pub keys: Vec<PublicKey>,
    /// How many of them must sign.
    pub threshold: u32,
}

/// Who signs for which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Roles {
    /// Changes this very table.
    pub root: Signers,
    /// Says which hooks there are.
    pub targets: Signers,
    /// Says which targets are the newest.
    pub snapshot: Signers,
    /// Says which snapshot is the newest, every hour.
    pub timestamp: Signers,
}

/// A file that another file vouches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRef {
    /// Its length in bytes.
    pub length: u64,
    /// Its digest.
    pub sha256: Digest,
}

impl Signers {
    /// One key, which signs alone.
    pub fn one(key: PublicKey) -> Signers {
        Signers { keys: vec![key], threshold: 1 }
    }
}

impl FileRef {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> FileRef {
        FileRef { length: bytes.len() as u64, sha256: Digest::of(bytes) }
    }

    fn object(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("length".into(), json!(self.length));
        object.insert("hashes".into(), json!({ "sha256": self.sha256 }));
        object
    }
}

/// The signed part of a root.
pub fn root(version: u64, expires: Timestamp, roles: &Roles) -> Value {
    let table = [
        ("root", &roles.root),
        ("targets", &roles.targets),
        ("snapshot", &roles.snapshot),
        ("timestamp", &roles.timestamp),
    ];
    let keys: Map<String, Value> =
        table.iter().flat_map(|(_, signers)| &signers.keys).map(|key| (key.id(), key.object())).collect();
    let roles: Map<String, Value> = table
        .iter()
        .map(|(name, signers)| {
            let ids: Vec<String> = signers.keys.iter().map(PublicKey::id).collect();
            ((*name).to_owned(), json!({ "keyids": ids, "threshold": signers.threshold }))
        })
        .collect();
    let mut signed = head("root", version, expires);
    signed.insert("consistent_snapshot".into(), json!(true));
    signed.insert("keys".into(), Value::Object(keys));
    signed.insert("roles".into(), Value::Object(roles));
    Value::Object(signed)
}

/// The signed part of a list of targets.
pub fn targets(version: u64, expires: Timestamp, files: &BTreeMap<String, FileRef>) -> Value {
    let files: Map<String, Value> =
        files.iter().map(|(name, file)| (name.clone(), Value::Object(file.object()))).collect();
    let mut signed = head("targets", version, expires);
    signed.insert("targets".into(), Value::Object(files));
    Value::Object(signed)
}

/// The signed part of a snapshot, which names the targets' file.
pub fn snapshot(version: u64, expires: Timestamp, targets_version: u64, targets: &[u8]) -> Value {
    naming("snapshot", version, expires, "targets.json", targets_version, targets)
}

/// The signed part of a timestamp, which names the snapshot's file.
pub fn timestamp(version: u64, expires: Timestamp, snapshot_version: u64, snapshot: &[u8]) -> Value {
    naming("timestamp", version, expires, "snapshot.json", snapshot_version, snapshot)
}

fn naming(role: &str, version: u64, expires: Timestamp, name: &str, named: u64, bytes: &[u8]) -> Value {
    let mut file = FileRef::of(bytes).object();
    file.insert("version".into(), json!(named));
    let mut signed = head(role, version, expires);
    signed.insert("meta".into(), json!({ name: file }));
    Value::Object(signed)
}

fn head(role: &str, version: u64, expires: Timestamp) -> Map<String, Value> {
    // The format has whole seconds only.
    let expires = Timestamp::from_second(expires.as_second()).unwrap_or(expires);
    let mut signed = Map::new();
    signed.insert("_type".into(), json!(role));
    signed.insert("spec_version".into(), json!(SPEC));
    signed.insert("version".into(), json!(version));
    signed.insert("expires".into(), json!(expires.to_string()));
    signed
}

/// The bytes that are signed: canonical JSON as The Update Framework has it.
pub fn canonical(signed: &Value) -> Vec<u8> {
    // Only a number with a fraction has no canonical form, and none is written.
    sigstore_tuf::canonical_json::to_canonical_bytes(signed).unwrap_or_default()
}

/// The file: the signed part with the signatures of these keys.
pub fn sign(signed: &Value, keys: &[&SigningKey]) -> Vec<u8> {
    let bytes = canonical(signed);
    let signatures: Vec<Signature> = keys.iter().map(|key| key.sign(&bytes)).collect();
    assemble(signed, &signatures)
}

/// The file: the signed part with these signatures.
pub fn assemble(signed: &Value, signatures: &[Signature]) -> Vec<u8> {
    let signatures: Vec<Value> =
        signatures.iter().map(|one| json!({ "keyid": one.key, "sig": one.sig })).collect();
    canonical(&json!({ "signatures": signatures, "signed": signed }))
}

#[cfg(test)]
mod tests {
    use sigstore_tuf::TrustedMetadataSet;

    use super::*;
    use crate::team::sign::provider;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn key(number: u8) -> SigningKey {
        SigningKey::from_seed(&[number; 32])
    }

    fn roles(root: &[&SigningKey], threshold: u32) -> Roles {
        let one = |number| Signers::one(key(number).public());
        let root = Signers { keys: root.iter().map(|key| key.public()).collect(), threshold };
        Roles { root, targets: one(11), snapshot: one(12), timestamp: one(13) }
    }

    const LATER: &str = "2030-01-01T00:00:00Z";
    const NOW: &str = "2029-12-31T12:00:00Z";

    #[test]
    fn another_implementation_reads_what_is_written() {
        provider::install();
        let first = sign(&root(1, at(LATER), &roles(&[&key(1)], 1)), &[&key(1)]);
        let second = sign(&root(2, at(LATER), &roles(&[&key(2), &key(3)], 2)), &[&key(1), &key(2), &key(3)]);
        let files = BTreeMap::from([("manifest.json".to_owned(), FileRef::of(b"{}"))]);
        let targets = sign(&targets(4, at(LATER), &files), &[&key(11)]);
        let snapshot = sign(&snapshot(5, at(LATER), 4, &targets), &[&key(12)]);
        let timestamp = sign(&timestamp(6, at(LATER), 5, &snapshot), &[&key(13)]);

        let mut trusted = TrustedMetadataSet::from_root(&first).expect("the first root");
        trusted.update_root(&second).expect("the second root");
        trusted.check_root_expired(at(NOW)).expect("a fresh root");
        trusted.update_timestamp(&timestamp, at(NOW)).expect("the timestamp");
        trusted.update_snapshot(&snapshot, at(NOW)).expect("the snapshot");
        let read = trusted.update_targets(&targets, at(NOW)).expect("the targets");
        assert_eq!(read.target("manifest.json").map(|file| file.length), Some(2));
    }

    #[test]
    fn s05_a_root_with_too_few_signatures_is_refused() {
        provider::install();
        let signed = root(1, at(LATER), &roles(&[&key(1), &key(2)], 2));
        let (one, two, three) = (key(1), key(2), key(3));
        let cases: [(&str, Vec<&SigningKey>, bool); 4] = [
            ("both", vec![&one, &two], true),
            ("one of two", vec![&one], false),
            ("one twice", vec![&one, &one], false),
            ("a stranger's", vec![&one, &three], false),
        ];
        for (name, keys, accepted) in cases {
            assert_eq!(TrustedMetadataSet::from_root(&sign(&signed, &keys)).is_ok(), accepted, "{name}");
        }
    }
}
