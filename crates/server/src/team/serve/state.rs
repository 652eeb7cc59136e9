//! What the server keeps: the database, and the secret that opens its keys.

use std::path::Path;
use std::sync::Arc;

use super::error::ServeError;
use crate::team::sign::{Secret, Signer};
use crate::team::store::Store;

/// Opens both, and refuses a secret that does not open the keys.
pub async fn open(database: &str, secret_file: &Path) -> Result<(Store, Arc<Signer>), ServeError> {
    let store = open_store(database).await?;
    let secret = Secret::at(secret_file)
        .map_err(|error| ServeError::state(error, "`--secret-file FILE` says where the secret is kept"))?;
    let signer = Arc::new(Signer::new(secret));
    signer.check(&store).await.map_err(|error| {
        let help = format!(
            "{} is not the secret this database was started with: write `--secret-file` with that one",
            secret_file.display()
        );
        ServeError::state(error, &help)
    })?;
    Ok((store, signer))
}

/// Opens the database alone.
pub async fn open_store(database: &str) -> Result<Store, ServeError> {
    let help = "`--database FILE` for SQLite, or `--database postgres://USER@HOST/NAME`";
    Store::open(database).await.map_err(|error| ServeError::state(error, help))
}
