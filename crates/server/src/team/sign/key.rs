//! Ed25519 keys as The Update Framework names and writes them.

use std::fmt;

use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};
use serde_json::{Value, json};

use boathook_engine::digest::Digest;

/// A key that signs.
pub struct SigningKey(Ed25519SigningKey);

/// What others know of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

/// One signature of a metadata file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The key that made it.
    pub key: String,
    /// The signature, in hexadecimal digits.
    pub sig: String,
}

/// The system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the system's random source gave nothing: {0}")]
pub struct NoRandomness(pub String);

impl SigningKey {
    /// A new key.
    pub fn generate() -> Result<SigningKey, NoRandomness> {
        Ed25519SigningKey::generate().map(SigningKey).map_err(|error| NoRandomness(format!("{error:?}")))
    }

    /// The key of a seed.
    pub fn from_seed(seed: &[u8; 32]) -> SigningKey {
        SigningKey(Ed25519SigningKey::from_bytes(seed).expect("a seed is 32 bytes"))
    }

    /// Its seed: whoever has it can sign.
    pub fn seed(&self) -> [u8; 32] {
        self.0.as_seed()
    }

    /// Its public half.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key().as_bytes())
    }

    /// Signs bytes as they are.
    pub fn sign(&self, bytes: &[u8]) -> Signature {
        Signature { key: self.public().id(), sig: hex(&self.0.sign(bytes)) }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().id())
    }
}

impl PublicKey {
    /// Reads 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<PublicKey> {
        // A digest has the same length and the same digits.
        let bytes = *Digest::parse(text)?.as_bytes();
        Ed25519VerifyingKey::from_bytes(&bytes).ok()?;
        Some(PublicKey(bytes))
    }

    /// Its 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    /// Its name in metadata: the SHA-256 of the canonical key object.
    pub fn id(&self) -> String {
        let canonical =
            format!(r#"{{"keytype":"ed25519","keyval":{{"public":"{}"}},"scheme":"ed25519"}}"#, self.hex());
        Digest::of(canonical.as_bytes()).to_string()
    }

    /// The key object of a root.
    pub fn object(&self) -> Value {
        json!({ "keytype": "ed25519", "scheme": "ed25519", "keyval": { "public": self.hex() } })
    }

    /// Whether a signature of this key stands for these bytes.
    pub fn verifies(&self, bytes: &[u8], signature: &Signature) -> bool {
        let Some(raw) = from_hex(&signature.sig) else { return false };
        signature.key == self.id()
            && Ed25519VerifyingKey::from_bytes(&self.0).is_ok_and(|key| key.verify(&raw, bytes).is_ok())
    }
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hexadecimal digits as bytes.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::sign::provider;

    #[test]
    fn a_key_has_the_name_that_other_implementations_give_it() {
        provider::install();
        let public = SigningKey::from_seed(&[7; 32]).public();
        let theirs: sigstore_tuf::Key = serde_json::from_value(public.object()).expect("a key object");
        assert_eq!(theirs.key_id().expect("a key id"), public.id());
        assert_eq!(PublicKey::parse(&public.hex()), Some(public));
    }

    #[test]
    fn a_signature_stands_for_its_bytes_and_its_key_alone() {
        let (key, other) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
        let signature = key.sign(b"word");
        let renamed = Signature { key: other.public().id(), ..signature.clone() };
        let cut = Signature { sig: signature.sig[2..].to_owned(), ..signature.clone() };
        let text = Signature { sig: "é".into(), ..signature.clone() };
        let cases = [
            ("the key's own", key.public().verifies(b"word", &signature), true),
            ("other bytes", key.public().verifies(b"words", &signature), false),
            ("another key", other.public().verifies(b"word", &signature), false),
            ("under another key's name", other.public().verifies(b"word", &renamed), false),
            ("cut short", key.public().verifies(b"word", &cut), false),
            ("no digits", key.public().verifies(b"word", &text), false),
        ];
        for (name, found, expected) in cases {
            assert_eq!(found, expected, "{name}");
        }
    }
}
