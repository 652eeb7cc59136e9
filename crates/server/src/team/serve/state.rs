//! What the server keeps: the database, and the secret that opens its keys.

use std::path::Path;
use std::sync::Arc;

use super::error::ServeError;
use crate::team::sign::{Secret, SecretError, Signer};
use crate::team::store::Store;

/// Opens both, makes what is not there, and refuses a secret that does not open
/// the keys.
pub async fn open(database: &str, secret_file: &Path) -> Result<(Store, Arc<Signer>), ServeError> {
    let store = open_store(database).await?;
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

/// Opens the database alone.
pub async fn open_store(database: &str) -> Result<Store, ServeError> {
    let help = "`--database FILE` for SQLite, or `--database postgres://USER@HOST/NAME`";
    Store::open(database).await.map_err(|error| ServeError::state(error, help))
}
