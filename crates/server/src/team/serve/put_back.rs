//! A backup becomes a database again: all of it, or nothing.
//!
//! It is read into a database of its own beside the target first. Whether it is
//! whole, and whether the secret opens its keys, is known before the target is
//! touched; and what is written there in one transaction is signed already.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

use boathook_engine::ids::now_millis;

use super::error::ServeError;
use super::state;
use crate::random;
use crate::team::publish;
use crate::team::sign::{Secret, SignError, Signer};
use crate::team::store::{Store, StoreError};

/// How a backup of SQLite begins; the other kind is text.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Reads a backup into a database without teams.
pub async fn restore(database: &str, secret_file: &Path, from: &Path) -> Result<(), ServeError> {
    let secret = Secret::existing(secret_file).map_err(|error| {
        ServeError::state(error, "`--secret-file FILE` names the secret that the backup was made with")
    })?;
    File::open(from).map_err(|error| unread(StoreError::Unfit(format!("{}: {error}", from.display()))))?;
    // Keys are sealed in it; the secret's own folder is as private as it must be.
    let beside = Store::file_of(database).unwrap_or(secret_file);
    let room = Room::beside(beside)?;
    let text = room.folder.join("text");
    rehearse(&room, &Signer::new(secret), secret_file, from, &text).await?;
    let is_new = Store::file_of(database).is_some_and(|file| !file.exists());
    let store = state::open_store(database).await?;
    let read = import(&store, &text).await;
    store.close().await;
    if let (Err(_), true, Some(file)) = (&read, is_new, Store::file_of(database)) {
        remove_database(file);
    }
    read.map_err(unread)
}

/// Reads the backup where nobody serves it, signs it, and writes it out again.
async fn rehearse(
    room: &Room,
    signer: &Signer,
    secret_file: &Path,
    from: &Path,
    text: &Path,
) -> Result<(), ServeError> {
    let store = opened(&room.folder.join("database"), from).await.map_err(unread)?;
    let done = sign(&store, signer, secret_file).await;
    let done = match done {
        Ok(()) => export(&store, text).await.map_err(unread),
        Err(error) => Err(error),
    };
    store.close().await;
    done
}

/// The backup as a database. A database that is opened is brought up to date,
/// and a backup stays as it is: a copy is opened.
async fn opened(copy: &Path, from: &Path) -> Result<Store, StoreError> {
    let unfit = |error: std::io::Error| StoreError::Unfit(format!("{}: {error}", from.display()));
    let mut start = Vec::new();
    File::open(from).map_err(unfit)?.take(SQLITE.len() as u64).read_to_end(&mut start).map_err(unfit)?;
    if start == SQLITE {
        fs::copy(from, copy).map_err(unfit)?;
        return Store::open(&copy.to_string_lossy()).await;
    }
    let store = Store::open(&copy.to_string_lossy()).await?;
    match store.restore(from).await {
        Ok(_) => Ok(store),
        Err(error) => {
            store.close().await;
            Err(error)
        }
    }
}

async fn sign(store: &Store, signer: &Signer, secret_file: &Path) -> Result<(), ServeError> {
    let teams = store.teams().await.map_err(unread)?;
    if teams.is_empty() {
        return Err(ServeError::state("the backup holds no team", "name another file that `backup` wrote"));
    }
    signer.check(store).await.map_err(|error| other_secret(&error, secret_file))?;
    for team in teams {
        let team = store.team(team);
        let seen = team.highest_reported().await.map_err(unread)?;
        let lifted = publish::lift(&team, signer, seen, now_millis()).await;
        lifted.map_err(|error| ServeError::state(error, "nothing was restored"))?;
    }
    Ok(())
}

fn other_secret(error: &SignError, secret_file: &Path) -> ServeError {
    let help = format!(
        "{} is not the secret this backup was made with: write `--secret-file` with that one",
        secret_file.display()
    );
    ServeError::state(error, &help)
}

async fn export(store: &Store, text: &Path) -> Result<(), StoreError> {
    let file = File::create_new(text).map_err(|error| StoreError::Unfit(error.to_string()))?;
    store.export(&mut BufWriter::new(file)).await.map(drop)
}

async fn import(store: &Store, text: &Path) -> Result<(), StoreError> {
    let file = File::open(text).map_err(|error| StoreError::Unfit(error.to_string()))?;
    store.import(&mut BufReader::new(file)).await.map(drop)
}

fn unread(error: StoreError) -> ServeError {
    ServeError::state(error, "nothing was restored: a backup is read into a database without teams")
}

/// SQLite keeps two files beside its own.
fn remove_database(file: &Path) {
    for end in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(end);
        let _ = fs::remove_file(name);
    }
}

/// A folder of its owner's alone, which goes with everything in it.
struct Room {
    folder: PathBuf,
}

impl Room {
    fn beside(file: &Path) -> Result<Room, ServeError> {
        let folder = file.with_file_name(format!(".boathook-restore-{}", random::name()?));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder).map_err(|error| {
            ServeError::state(
                format!("{}: {error}", folder.display()),
                "a backup is read in a folder beside the database, which must be writable",
            )
        })?;
        Ok(Room { folder })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
