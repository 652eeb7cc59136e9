//! The cryptography behind `sigstore-tuf`: graviola's SHA-2 and Ed25519, the
//! only scheme a team's repository uses. Every other scheme is refused by name.

use graviola::hashing::sha2::{Sha256Context, Sha384Context, Sha512Context};
use graviola::signing::eddsa::Ed25519VerifyingKey;
use sigstore_crypto::{CryptoProvider, Error, HashContext, Result, SigningScheme};
use sigstore_types::HashAlgorithm;

/// Makes graviola the cryptography of this process. Calling it again changes
/// nothing.
pub fn install() {
    // The only refusal is that a provider is there already, and only this
    // function ever sets one.
    let _ = sigstore_crypto::install_default_provider(&Graviola);
}

#[derive(Debug)]
struct Graviola;

impl CryptoProvider for Graviola {
    fn hash(&self, algorithm: HashAlgorithm) -> Result<Box<dyn HashContext>> {
        match algorithm {
            HashAlgorithm::Sha2256 => Ok(Box::new(Sha256(Sha256Context::new()))),
            HashAlgorithm::Sha2384 => Ok(Box::new(Sha384(Sha384Context::new()))),
            HashAlgorithm::Sha2512 => Ok(Box::new(Sha512(Sha512Context::new()))),
            other => Err(Error::UnsupportedAlgorithm(format!("{other:?}"))),
        }
    }

    fn verify_raw(&self, scheme: SigningScheme, key: &[u8], data: &[u8], signature: &[u8]) -> Result<()> {
        if scheme != SigningScheme::Ed25519 {
            return Err(unsupported(scheme));
        }
        let key = Ed25519VerifyingKey::from_bytes(key)
            .map_err(|error| Error::InvalidKey(format!("not an Ed25519 key: {error:?}")))?;
        key.verify(signature, data).map_err(|error| Error::Verification(format!("{error:?}")))
    }

    fn verify_prehashed(&self, scheme: SigningScheme, _: &[u8], _: &[u8], _: &[u8]) -> Result<()> {
        Err(unsupported(scheme))
    }
}

fn unsupported(scheme: SigningScheme) -> Error {
    Error::UnsupportedAlgorithm(format!("{}; a team's repository is signed with Ed25519", scheme.name()))
}

macro_rules! hash_context {
    ($name:ident, $context:ty) => {
        struct $name($context);

        impl HashContext for $name {
            fn update(&mut self, data: &[u8]) {
                self.0.update(data);
            }

            fn finalize(self: Box<Self>) -> Vec<u8> {
                self.0.finish().to_vec()
            }
        }
    };
}

hash_context!(Sha256, Sha256Context);
hash_context!(Sha384, Sha384Context);
hash_context!(Sha512, Sha512Context);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        install();
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let cases = [
            (hex(sigstore_crypto::sha256(b"abc").as_bytes()), "ba7816bf8f01cfea"),
            (hex(sigstore_crypto::sha384(b"abc").as_bytes()), "cb00753f45a35e8b"),
            (hex(sigstore_crypto::sha512(b"abc").as_bytes()), "ddaf35a193617aba"),
        ];
        for (found, start) in cases {
            assert!(found.starts_with(start), "{found} starts with {start}");
        }
    }

    #[test]
    fn every_scheme_but_ed25519_is_refused_by_name() {
        for scheme in [SigningScheme::EcdsaP256Sha256, SigningScheme::RsaPssSha256, SigningScheme::MlDsa44] {
            let refused = Graviola.verify_raw(scheme, &[0; 32], b"", &[0; 64]);
            assert!(matches!(refused, Err(Error::UnsupportedAlgorithm(_))), "{scheme:?}: {refused:?}");
        }
    }
}
