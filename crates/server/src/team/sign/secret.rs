//! The server's secret: a file that every process on one database shares, and
//! what private keys in the database are sealed with.

use std::io::{self, Write as _};
use std::path::Path;

use graviola::aead::XChaCha20Poly1305;

use super::key::{NoRandomness, SigningKey, from_hex, hex};

/// The way of sealing, as the first byte of what is sealed.
const FORMAT: u8 = 1;
const NONCE: usize = 24;
const TAG: usize = 16;

/// What private keys are sealed with.
pub struct Secret([u8; 32]);

/// Why there is no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read or written.
    #[error("the secret file {path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("the secret file {0} does not hold 64 hexadecimal digits; restore it from your backup")]
    Content(String),
    /// The file is not private.
    #[error("others can read the secret file {0}; run `chmod 600` on it")]
    Open(String),
    /// No new secret can be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// The seal does not open: another secret made it, or for another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherSecret;

impl Secret {
    /// Reads the secret, or makes it when there is no file yet.
    pub fn at(path: &Path) -> Result<Secret, SecretError> {
        let failed = |source| SecretError::File { path: path.display().to_string(), source };
        match std::fs::read_to_string(path) {
            Ok(text) => Secret::read(path, &text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => match Secret::make(path)? {
                Some(secret) => Ok(secret),
                // Another process made it in the meantime.
                None => Secret::read(path, &std::fs::read_to_string(path).map_err(failed)?),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// Reads the secret that is there.
    pub fn existing(path: &Path) -> Result<Secret, SecretError> {
        let failed = |source| SecretError::File { path: path.display().to_string(), source };
        Secret::read(path, &std::fs::read_to_string(path).map_err(failed)?)
    }

    /// The secret of these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Secret {
        Secret(bytes)
    }

    fn read(path: &Path, text: &str) -> Result<Secret, SecretError> {
        let shown = || path.display().to_string();
        let failed = |source| SecretError::File { path: shown(), source };
        if is_open(&std::fs::metadata(path).map_err(failed)?) {
            return Err(SecretError::Open(shown()));
        }
        let bytes = from_hex(text.trim()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Secret).ok_or_else(|| SecretError::Content(shown()))
    }

    /// Nothing when the file appeared in the meantime. The content is written
    /// to another name first: nobody ever reads half a secret.
    fn make(path: &Path) -> Result<Option<Secret>, SecretError> {
        let failed = |source| SecretError::File { path: path.display().to_string(), source };
        let bytes = random::<32>()?;
        let draft = path.with_extension(format!("new-{}", hex(&random::<8>()?)));
        let made = write_private(&draft, &format!("{}\n", hex(&bytes))).and_then(|()| {
            // A link refuses where a rename would replace.
            std::fs::hard_link(&draft, path)
        });
        let _ = std::fs::remove_file(&draft);
        match made {
            Ok(()) => Ok(Some(Secret(bytes))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Seals a private key for its place: a team and a key id.
    pub fn seal(&self, place: &str, key: &SigningKey) -> Result<Vec<u8>, NoRandomness> {
        let (nonce, mut body, mut tag) = (random::<NONCE>()?, key.seed(), [0; TAG]);
        XChaCha20Poly1305::new(self.0).encrypt(&nonce, place.as_bytes(), &mut body, &mut tag);
        Ok([&[FORMAT][..], &nonce, &body, &tag].concat())
    }

    /// Opens what was sealed for the same place.
    pub fn open(&self, place: &str, sealed: &[u8]) -> Result<SigningKey, OtherSecret> {
        let [FORMAT, rest @ ..] = sealed else { return Err(OtherSecret) };
        let (nonce, rest) = rest.split_first_chunk::<NONCE>().ok_or(OtherSecret)?;
        let (body, tag) = rest.split_last_chunk::<TAG>().ok_or(OtherSecret)?;
        let mut seed: [u8; 32] = body.try_into().map_err(|_| OtherSecret)?;
        XChaCha20Poly1305::new(self.0)
            .decrypt(nonce, place.as_bytes(), &mut seed, tag)
            .map_err(|_| OtherSecret)?;
        Ok(SigningKey::from_seed(&seed))
    }
}

/// Writes a file that only its owner reads; it must not exist yet.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], NoRandomness> {
    let mut bytes = [0; LENGTH];
    graviola::random::fill(&mut bytes).map_err(|error| NoRandomness(format!("{error:?}")))?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_open(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open(_: &std::fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_opens_with_its_secret_and_for_its_place_alone() {
        let (ours, theirs) = (Secret([1; 32]), Secret([2; 32]));
        let sealed = ours.seal("1:key", &SigningKey::from_seed(&[9; 32])).expect("random bytes");
        let mut bent = sealed.clone();
        bent[30] ^= 1;
        let cases = [
            ("its own", ours.open("1:key", &sealed).map(|key| key.seed()).ok(), Some([9; 32])),
            ("another secret", theirs.open("1:key", &sealed).map(|key| key.seed()).ok(), None),
            ("another place", ours.open("2:key", &sealed).map(|key| key.seed()).ok(), None),
            ("a changed byte", ours.open("1:key", &bent).map(|key| key.seed()).ok(), None),
            ("cut short", ours.open("1:key", &sealed[..40]).map(|key| key.seed()).ok(), None),
            ("nothing", ours.open("1:key", b"").map(|key| key.seed()).ok(), None),
        ];
        for (name, found, expected) in cases {
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_secret_is_made_once_and_kept_private() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("secret");
        let first = Secret::at(&path).expect("a new secret").0;
        assert_eq!(Secret::at(&path).expect("the same secret").0, first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).expect("permissions");
            assert!(matches!(Secret::at(&path), Err(SecretError::Open(_))));
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("permissions");
        }
        std::fs::write(&path, "no secret").expect("writes");
        assert!(matches!(Secret::at(&path), Err(SecretError::Content(_))));
        assert_eq!(std::fs::read_dir(dir.path()).expect("a folder").count(), 1, "nothing is left beside it");
    }
}
