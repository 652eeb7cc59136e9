//! The file of an admin's own key, which never leaves this machine.

use std::fs;
use std::path::Path;

use boathook_server::team::sign::key::{PublicKey, SigningKey, from_hex, hex};

use crate::error::Failed;
use crate::write_file::{Access, write_new};

/// Makes a key; a file that is there is never overwritten.
pub fn make(file: &Path) -> Result<SigningKey, Failed> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let problem = format!("{} is no folder", folder.display());
        return Err(Failed::other(problem, "make it first, or name a file in another"));
    }
    let help = "start it again";
    let key = SigningKey::generate().map_err(|error| Failed::other(error.to_string(), help))?;
    let text = format!("{}\n", hex(&key.seed()));
    match write_new(file, &text, Access::Nothing).map_err(|error| Failed::file(file, error))? {
        true => Ok(key),
        false => Err(Failed::other(format!("{} is there already", file.display()), "name another file")),
    }
}

/// The key of a file.
pub fn read(file: &Path) -> Result<SigningKey, Failed> {
    let text = fs::read_to_string(file).map_err(|error| Failed::file(file, error))?;
    let seed = from_hex(text.trim()).and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    seed.map(|seed| SigningKey::from_seed(&seed)).ok_or_else(|| {
        Failed::other(
            format!("{} holds no key", file.display()),
            "`boathook team admin key new FILE` makes one",
        )
    })
}

/// A public key is typed as digits; the file of a key stays where it is.
pub fn is_public(key: &str) -> Result<(), Failed> {
    if PublicKey::parse(key).is_some() {
        return Ok(());
    }
    let (problem, help) = match Path::new(key).is_file() {
        true => (
            format!("{key} is the file of a private key"),
            format!("`boathook team admin key show {key}` prints its public half; write that after `--key`"),
        ),
        false => (
            format!("{key:?} is no public key"),
            "64 hexadecimal digits, as `boathook team admin key new FILE` prints them".to_owned(),
        ),
    };
    Err(Failed::other(problem, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        let made = make(&file).expect("a key").public().hex();
        assert_eq!(read(&file).expect("the key").public().hex(), made);
        assert!(PublicKey::parse(&made).is_some() && make(&file).is_err(), "never overwritten");
        let error = make(&folder.path().join("none/key")).expect_err("there is no such folder");
        assert!(error.to_string().ends_with("none is no folder"), "{error}");
        fs::write(&file, "no key").expect("a file");
        assert!(read(&file).is_err());
    }

    #[test]
    fn the_file_of_a_key_is_no_public_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("key");
        let public = make(&file).expect("a key").public().hex();
        let file = file.to_str().expect("a path");
        assert!(is_public(&public).is_ok());
        let error = is_public(file).expect_err("a file");
        assert!(error.help().is_some_and(|help| help.contains(&format!("key show {file}"))), "{error}");
        assert!(is_public("abc").is_err());
    }
}
