//! A copy of a running database, for the day it is lost.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read};
use std::path::Path;

use boathook_engine::digest::Digest;

use super::Store;
use super::error::StoreError;
use super::open::Kind;

/// How a SQLite file begins.
const SQLITE: &[u8; 16] = b"SQLite format 3\0";

impl Store {
    /// Writes a copy into a file that is not there yet, while others go on: of
    /// SQLite a database, of PostgreSQL an export.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let unfit = |error: std::io::Error| StoreError::Unfit(format!("{}: {error}", to.display()));
        if self.teams().await?.is_empty() {
            return Err(StoreError::Unfit("the database holds no team: there is nothing to keep".to_owned()));
        }
        let file = create(to).map_err(unfit)?;
        let written = match self.kind {
            Kind::Sqlite => self.copy_sqlite(to).await,
            Kind::Postgres => self.export(&mut BufWriter::new(&file)).await.map(drop),
        };
        // On the disk, not only on its way there.
        let kept = written.and_then(|()| file.sync_all().map_err(unfit));
        if kept.is_err() {
            let _ = std::fs::remove_file(to);
        }
        kept
    }

    async fn copy_sqlite(&self, to: &Path) -> Result<(), StoreError> {
        let Some(path) = to.to_str() else {
            return Err(StoreError::Unfit(format!("{} is not UTF-8", to.display())));
        };
        sqlx::query("VACUUM INTO $1").bind(path).execute(&self.pool).await?;
        Ok(())
    }

    /// Reads an export into a database without teams. A copy of SQLite needs no
    /// reading: it is a database.
    pub async fn restore(&self, from: &Path) -> Result<Digest, StoreError> {
        let unfit = |error: std::io::Error| StoreError::Unfit(format!("{}: {error}", from.display()));
        if starts_like_sqlite(from).map_err(unfit)? {
            return Err(StoreError::Unfit(format!(
                "{} is a SQLite database already: stop the server and put it in the place of the old one",
                from.display()
            )));
        }
        self.import(&mut BufReader::new(File::open(from).map_err(unfit)?)).await
    }
}

fn starts_like_sqlite(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(SQLITE.len() as u64).read_to_end(&mut start)?;
    Ok(start == SQLITE)
}

/// A new file of its owner's alone.
fn create(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
