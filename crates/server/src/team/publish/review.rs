//! What an admin is about to sign, read from the bytes themselves.
//!
//! The server says what waits, and the server may be a thief's by then: nothing
//! of what it says beside the bytes is believed. Runs on the admin's machine;
//! pure.

use std::collections::BTreeMap;

use serde_json::Value;

use boathook_engine::bundle::manifest::Manifest;
use boathook_engine::digest::Digest;

use super::compose::targets_of;
use crate::team::sign::metadata::{self, FileRef, Roles};
use crate::team::sign::roles_of;
use crate::team::wire::ToSign;

/// What the bytes mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Review {
    /// Devices will be offered this.
    Hooks(Box<Manifest>),
    /// These keys will sign from then on.
    Keys(Roles),
}

/// Reads what waits. What is not plainly what it says it is must not be signed,
/// and the answer says why.
pub fn review(file: &ToSign) -> Result<Review, String> {
    let wrong = |what: &str| Err(format!("do not sign {} {}: {what}", file.role, file.version));
    let Ok(signed) = serde_json::from_str::<Value>(&file.bytes) else { return wrong("it is not JSON") };
    if metadata::canonical(&signed) != file.bytes.as_bytes() {
        return wrong("its bytes can be read in more than one way");
    }
    let says = |name: &str| signed.get(name).cloned().unwrap_or_default();
    if says("_type") != file.role.as_str() || says("version") != file.version {
        return wrong("its bytes are those of another file");
    }
    match file.role.as_str() {
        "root" => match roles_of(&metadata::assemble(&signed, &[])) {
            Ok(roles) => Ok(Review::Keys(roles)),
            Err(_) => wrong("it is no table of Ed25519 keys"),
        },
        "targets" => match manifest_of(file, &signed) {
            Some(manifest) => Ok(Review::Hooks(Box::new(manifest))),
            None => wrong("it does not vouch for the manifest that is shown with it"),
        },
        _ => wrong("admins sign root and targets, nothing else"),
    }
}

/// The manifest, when the list of targets is exactly what it needs.
fn manifest_of(file: &ToSign, signed: &Value) -> Option<Manifest> {
    let text = file.manifest.as_ref()?;
    let manifest: Manifest = serde_json::from_str(text).ok()?;
    let listed: Option<BTreeMap<String, FileRef>> =
        signed.get("targets")?.as_object()?.iter().map(listed).collect();
    manifest.check().ok()?;
    (listed? == targets_of(&manifest, text.as_bytes())).then_some(manifest)
}

fn listed((name, target): (&String, &Value)) -> Option<(String, FileRef)> {
    let sha256 = Digest::parse(target.get("hashes")?.get("sha256")?.as_str()?)?;
    Some((name.clone(), FileRef { length: target.get("length")?.as_u64()?, sha256 }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use boathook_engine::bundle::manifest::{FORMAT, Release, Stale};

    use super::*;
    use crate::team::sign::key::SigningKey;
    use crate::team::sign::metadata::Signers;

    fn manifest(sequence: u64) -> String {
        let releases = vec![Release { number: 1, rollout: None, hooks: Vec::new() }];
        let (repository, channel, created) = ("r".into(), "stable".into(), "2026-01-01T00:00:00Z".into());
        let stale = Stale::default();
        let manifest =
            Manifest { format: FORMAT, team: 1, repository, channel, sequence, created, stale, releases };
        serde_json::to_string(&manifest).expect("JSON")
    }

    fn file(role: &str, signed: &Value, manifest: Option<String>) -> ToSign {
        let bytes = String::from_utf8(metadata::canonical(signed)).expect("text");
        let (keys, signed) = (Vec::new(), Vec::new());
        ToSign { role: role.into(), version: 3, bytes, manifest, keys, signed, threshold: 1 }
    }

    #[test]
    fn a_server_that_shows_one_thing_and_lets_sign_another_is_found_out() {
        let time = "2030-01-01T00:00:00Z".parse().expect("a time");
        let (shown, other) = (manifest(7), manifest(8));
        let one = |text: &str| BTreeMap::from([("manifest.json".to_owned(), FileRef::of(text.as_bytes()))]);
        let honest = metadata::targets(3, time, &one(&shown));
        let mut more = one(&shown);
        more.insert("extra".into(), FileRef::of(b"extra"));
        let key = Signers::one(SigningKey::from_seed(&[1; 32]).public());
        let roles = Roles { root: key.clone(), targets: key.clone(), snapshot: key.clone(), timestamp: key };
        let root = metadata::root(3, time, &roles);
        let spaced = ToSign { bytes: honest.to_string(), ..file("targets", &honest, Some(shown.clone())) };
        let cases = [
            ("honest targets", file("targets", &honest, Some(shown.clone())), None),
            ("an honest root", file("root", &root, None), None),
            ("another manifest", file("targets", &honest, Some(other)), Some("vouch")),
            ("no manifest", file("targets", &honest, None), Some("vouch")),
            (
                "a file that no hook needs",
                file("targets", &metadata::targets(3, time, &more), Some(shown.clone())),
                Some("vouch"),
            ),
            ("a root as targets", file("targets", &root, Some(shown.clone())), Some("another file")),
            (
                "another version",
                file("targets", &metadata::targets(4, time, &one(&shown)), Some(shown.clone())),
                Some("another file"),
            ),
            (
                "a timestamp",
                file("timestamp", &metadata::timestamp(3, time, 1, b""), None),
                Some("nothing else"),
            ),
            (
                "a root without roles",
                file("root", &json!({ "_type": "root", "version": 3 }), None),
                Some("no table"),
            ),
            ("bytes that are not canonical", spaced, Some("more than one way")),
            ("no JSON", ToSign { bytes: "{".into(), ..file("root", &root, None) }, Some("not JSON")),
        ];
        for (name, file, expected) in cases {
            match (review(&file), expected) {
                (Ok(_), None) => {}
                (Err(text), Some(expected)) => assert!(text.contains(expected), "{name}: {text}"),
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
    }
}
