//! What an operator does with the database beside serving it.

use std::future::Future;
use std::path::Path;

use super::error::ServeError;
use super::first::{self, Invitation};
use super::{put_back, state};

/// Makes another team.
pub fn new_team(
    database: &str,
    secret_file: &Path,
    name: &str,
    owner: &str,
) -> Result<Invitation, ServeError> {
    alone(async {
        let (store, signer) = state::open_existing(database, secret_file).await?;
        let invitation = first::new_team(&store, &signer, name, owner).await;
        store.close().await;
        invitation
    })
}

/// A new token to sign in with, in every team of this member.
pub fn sign_in(database: &str, secret_file: &Path, email: &str) -> Result<Vec<Invitation>, ServeError> {
    alone(async {
        let (store, signer) = state::open_existing(database, secret_file).await?;
        let invitations = first::sign_in(&store, &signer, email).await;
        store.close().await;
        invitations
    })
}

/// Copies a running database into a file that is not there yet.
pub fn backup(database: &str, to: &Path) -> Result<(), ServeError> {
    alone(async {
        let store = state::open_existing_store(database).await?;
        let written = store.backup(to).await;
        store.close().await;
        written.map_err(|error| ServeError::state(error, "name a file that is not there yet"))
    })
}

/// Reads a backup into a database without teams, and signs everything anew
/// above what devices have seen since.
pub fn restore(database: &str, secret_file: &Path, from: &Path) -> Result<(), ServeError> {
    alone(put_back::restore(database, secret_file, from))
}

fn alone<T>(work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}
