//! What the server keeps: the database, and the secret that opens its keys.

use std::path::Path;
use std::sync::Arc;

use super::error::ServeError;
use crate::team::sign::{Secret, SecretError, Signer};
use crate::team::store::{Store, StoreError};

/// Opens both, makes what is not there, and refuses a secret that does not open
/// the keys.
pub async fn open(database: &str, secret_file: &Path) -> Result<(Store, Arc<Signer>), ServeError> {
    let store = open_store(database).await?;
    // In this order: who starts at the same time makes the secret before the team.
    let has_teams = !store.teams().await.map_err(unread)?.is_empty();
    if has_teams && !secret_file.exists() {
        let problem =
            format!("the secret file {} is missing, and this database has one", secret_file.display());
        return Err(ServeError::state(
            problem,
            "put it back from your backup, or write `--secret-file FILE` with where it is",
        ));
    }
    let signer = signer(&store, secret_file, Secret::at(secret_file)).await?;
    Ok((store, signer))
}

/// The same for what a server was started with: makes neither.
pub async fn open_existing(database: &str, secret_file: &Path) -> Result<(Store, Arc<Signer>), ServeError> {
    let store = open_existing_store(database).await?;
    let signer = signer(&store, secret_file, Secret::existing(secret_file)).await?;
    Ok((store, signer))
}

async fn signer(
    store: &Store,
    secret_file: &Path,
    secret: Result<Secret, SecretError>,
) -> Result<Arc<Signer>, ServeError> {
    let secret = secret
        .map_err(|error| ServeError::state(error, "`--secret-file FILE` says where the secret is kept"))?;
    let signer = Arc::new(Signer::new(secret));
    signer.check(store).await.map_err(|error| {
        let help = format!(
            "{} is not the secret this database was started with: write `--secret-file` with that one",
            secret_file.display()
        );
        ServeError::state(error, &help)
    })?;
    Ok(signer)
}

/// Opens the database alone, which must be there.
pub async fn open_existing_store(database: &str) -> Result<Store, ServeError> {
    let help = "`--database` names the database that the server runs on; `boathook serve` makes a new one";
    Store::open_existing(database).await.map_err(|error| ServeError::state(error, help))
}

fn unread(error: StoreError) -> ServeError {
    ServeError::state(error, "the database does not say whether it has teams; try again")
}

/// Opens the database alone.
pub async fn open_store(database: &str) -> Result<Store, ServeError> {
    let help = "`--database FILE` for SQLite, or `--database postgres://USER@HOST/NAME`";
    Store::open(database).await.map_err(|error| ServeError::state(error, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_secret_is_made_for_a_new_database_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (database, secret) = (folder.path().join("team.db"), folder.path().join("secret"));
        let database = database.to_str().expect("UTF-8");
        let (store, _) = open(database, &secret).await.expect("a new database");
        store.create_team("ours", "ann@example.com", 1).await.expect("a team");
        store.close().await;
        std::fs::remove_file(&secret).expect("it was made");
        let refused = open(database, &secret).await.map(drop).expect_err("the secret is missing");
        assert!(refused.to_string().contains("is missing"), "{refused}");
        assert!(!secret.exists(), "a wrong one was made");
    }
}
