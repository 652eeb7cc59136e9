//! Files that wait for signatures of the admins: whether they have enough, and
//! taking one more.
//!
//! Pure. The server checks each signature when it comes, so that nobody waits
//! for one that no client would accept; clients check them again.

use std::collections::BTreeSet;

use serde_json::Value;

use super::key::{PublicKey, Signature};
use super::metadata::{self, Signers};
use crate::team::store::SignedFile;

/// Whether enough of these keys have signed a file.
pub fn is_complete(file: &SignedFile, signers: &Signers) -> bool {
    let signed = signed_by(file, signers);
    signers.threshold > 0 && signed.len() >= signers.threshold as usize
}

/// Which of these keys have signed a file, each once.
pub fn signed_by(file: &SignedFile, signers: &Signers) -> BTreeSet<PublicKey> {
    let Some((signed, signatures)) = read(&file.content) else { return BTreeSet::new() };
    let bytes = metadata::canonical(&signed);
    let has_signed = |key: &&PublicKey| signatures.iter().any(|signature| key.verifies(&bytes, signature));
    signers.keys.iter().filter(has_signed).copied().collect()
}

/// The bytes that are signed, as text: canonical JSON is text.
pub fn bytes_of(file: &SignedFile) -> Option<String> {
    let (signed, _) = read(&file.content)?;
    String::from_utf8(metadata::canonical(&signed)).ok()
}

/// The file with one more signature. A key signs once: the newer signature
/// takes the place of an older.
pub fn with_signature(file: &SignedFile, signature: Signature) -> Option<SignedFile> {
    let (signed, mut signatures) = read(&file.content)?;
    signatures.retain(|one| one.key != signature.key);
    signatures.push(signature);
    Some(SignedFile { content: metadata::assemble(&signed, &signatures), ..file.clone() })
}

fn read(content: &[u8]) -> Option<(Value, Vec<Signature>)> {
    let mut file: Value = serde_json::from_slice(content).ok()?;
    let signatures = file.get("signatures")?.as_array()?.iter().map(|one| {
        let text = |name: &str| one.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Signature { key: text("keyid")?, sig: text("sig")? })
    });
    let signatures = signatures.collect::<Option<Vec<_>>>()?;
    Some((file.get_mut("signed")?.take(), signatures))
}
