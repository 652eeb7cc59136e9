//! What an operator does with the database beside serving it.

use std::fs;
use std::future::Future;
use std::io::{BufReader, Read};
use std::path::Path;

use boathook_engine::ids::now_millis;

use super::error::ServeError;
use super::first::{self, Invitation};
use super::state;
use crate::team::publish;
use crate::team::store::{Store, StoreError};

/// How a backup of SQLite begins; the other kind is text.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

/// Makes another team.
pub fn new_team(
    database: &str,
    secret_file: &Path,
    name: &str,
    owner: &str,
) -> Result<Invitation, ServeError> {
    alone(async {
        let (store, signer) = state::open(database, secret_file).await?;
        let invitation = first::new_team(&store, &signer, name, owner).await;
        store.close().await;
        invitation
    })
}

/// A new token to sign in with, in every team of this member.
pub fn sign_in(database: &str, secret_file: &Path, email: &str) -> Result<Vec<Invitation>, ServeError> {
    alone(async {
        let (store, signer) = state::open(database, secret_file).await?;
        let invitations = first::sign_in(&store, &signer, email).await;
        store.close().await;
        invitations
    })
}

/// Copies a running database into a file that is not there yet.
pub fn backup(database: &str, to: &Path) -> Result<(), ServeError> {
    alone(async {
        let store = state::open_store(database).await?;
        let written = store.backup(to).await;
        store.close().await;
        written.map_err(|error| ServeError::state(error, "name a file that is not there yet"))
    })
}

/// Reads a backup into a database without teams, and signs everything anew
/// above what devices have seen since.
pub fn restore(database: &str, secret_file: &Path, from: &Path) -> Result<(), ServeError> {
    alone(async {
        let store = state::open_store(database).await?;
        let read = read_into(&store, from).await;
        store.close().await;
        read.map_err(|error| ServeError::state(error, "a backup is read into a database without teams"))?;
        let (store, signer) = state::open(database, secret_file).await?;
        for team in store.teams().await.map_err(unlifted)? {
            let team = store.team(team);
            let seen = team.highest_reported().await.map_err(unlifted)?;
            publish::lift(&team, &signer, seen, now_millis()).await.map_err(unlifted)?;
        }
        store.close().await;
        Ok(())
    })
}

async fn read_into(store: &Store, from: &Path) -> Result<(), StoreError> {
    let unfit = |error: std::io::Error| StoreError::Unfit(format!("{}: {error}", from.display()));
    let mut start = Vec::new();
    let file = fs::File::open(from).map_err(unfit)?;
    file.take(SQLITE.len() as u64).read_to_end(&mut start).map_err(unfit)?;
    if start != SQLITE {
        return store.restore(from).await.map(drop);
    }
    // A database that is opened is brought up to date, and a backup stays as
    // it is: a copy is opened.
    let copy = from.with_extension("reading");
    fs::copy(from, &copy).map_err(unfit)?;
    let moved = moved(store, &copy).await;
    for end in ["", "-wal", "-shm"] {
        let mut name = copy.clone().into_os_string();
        name.push(end);
        let _ = fs::remove_file(name);
    }
    moved
}

async fn moved(store: &Store, copy: &Path) -> Result<(), StoreError> {
    let source = Store::open(&copy.to_string_lossy()).await?;
    let mut text = Vec::new();
    let exported = source.export(&mut text).await;
    source.close().await;
    exported?;
    store.import(&mut BufReader::new(text.as_slice())).await.map(drop)
}

fn unlifted(error: impl std::fmt::Display) -> ServeError {
    ServeError::state(error, "the backup is read; the next start of the server signs it")
}

fn alone<T>(work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
