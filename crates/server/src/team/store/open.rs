//! Opens a database, and refuses one that could not keep what it is given.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, AnyPool, Connection, Executor, Row};

use super::Store;
use super::error::StoreError;

/// The oldest SQLite that does not lose writes when a write-ahead log is reset.
const OLDEST_SQLITE: (u32, u32, u32) = (3, 51, 3);
/// How long a call waits for a connection before it gives up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One file, for one process or a few on one machine.
    Sqlite,
    /// A server, for as many processes as there are.
    Postgres,
}

/// Connects, without looking at the tables.
pub async fn open(url: &str) -> Result<Store, StoreError> {
    sqlx::any::install_default_drivers();
    let Some(path) = file_of(url) else { return open_postgres(url).await };
    let text = path.to_string_lossy();
    if text.is_empty() || text.contains("://") {
        return Err(StoreError::Unfit(format!(
            "{} is no database: write the path of a SQLite file, or postgres://USER@HOST/DATABASE",
            without_password(url)
        )));
    }
    open_sqlite(path).await
}

/// The path of a SQLite file; nothing when it is PostgreSQL.
pub fn file_of(url: &str) -> Option<&Path> {
    let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let path = url.strip_prefix("sqlite://").or_else(|| url.strip_prefix("sqlite:")).unwrap_or(url);
    (!is_postgres).then(|| Path::new(path))
}

/// Refuses a file that is not there: opening it would make it.
pub fn must_exist(url: &str) -> Result<(), StoreError> {
    match file_of(url) {
        Some(path) if !path.to_string_lossy().contains("://") && !path.exists() => {
            Err(StoreError::Unfit(format!("{}: no such database", path.display())))
        }
        Some(_) | None => Ok(()),
    }
}

async fn open_postgres(url: &str) -> Result<Store, StoreError> {
    knock(url).await?;
    let options = AnyPoolOptions::new().max_connections(8).acquire_timeout(PATIENCE);
    let pool = options.connect(url).await?;
    Ok(Store::on(pool.clone(), pool, Kind::Postgres))
}

/// One connection before the pool: that would try again and again, and in the
/// end not say why.
async fn knock(url: &str) -> Result<(), StoreError> {
    let unfit = |why: String| StoreError::Unfit(format!("{}: {why}", without_password(url)));
    let start = Instant::now();
    loop {
        match tokio::time::timeout(PATIENCE, AnyConnection::connect(url)).await {
            Ok(Ok(connection)) => return Ok(connection.close().await?),
            // It is there, and starts or ends just now.
            Ok(Err(error @ sqlx::Error::Database(_))) => match StoreError::from(error) {
                error if error.is_passing() && start.elapsed() < PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                StoreError::Database(sqlx::Error::Database(error)) => {
                    return Err(unfit(error.message().to_owned()));
                }
                other => return Err(other),
            },
            Ok(Err(sqlx::Error::Io(error))) => return Err(unfit(error.to_string())),
            Ok(Err(error)) => return Err(unfit(error.to_string())),
            Err(_) => return Err(unfit(format!("no answer within {} seconds", PATIENCE.as_secs()))),
        }
    }
}

async fn open_sqlite(path: &Path) -> Result<Store, StoreError> {
    let path = prepare_file(path)?;
    let url = sqlite_url(&path)?;
    check_sqlite(&url).await?;
    let (pool, writers) = (sqlite_pool(&url, 4).await?, sqlite_pool(&url, 1).await?);
    Ok(Store::on(pool, writers, Kind::Sqlite))
}

async fn sqlite_pool(url: &str, most: u32) -> Result<AnyPool, StoreError> {
    let options = AnyPoolOptions::new().max_connections(most).acquire_timeout(PATIENCE);
    let options = options.after_connect(|connection, _| Box::pin(set_up_sqlite(connection)));
    let options =
        options.before_acquire(|connection, _| Box::pin(async move { Ok(is_whole(connection).await) }));
    Ok(options.connect(url).await?)
}

/// Whether a connection can begin something. After a disk was full the database
/// has rolled back by itself what the driver believes to be under way; such a
/// connection is never whole again and is replaced by a new one.
async fn is_whole(connection: &mut AnyConnection) -> bool {
    match connection.begin_with("BEGIN").await {
        Ok(begun) => begun.rollback().await.is_ok(),
        Err(_) => false,
    }
}

/// Whether this is a database, and the library fit to write it. The pool would
/// try again and again, and in the end not say why.
async fn check_sqlite(url: &str) -> Result<(), StoreError> {
    let start = Instant::now();
    loop {
        // Who turns the log on while another does the same is refused at once,
        // whatever the patience of the connection.
        match turn_log_on(url).await {
            Err(error) if error.is_passing() && start.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            checked => return checked,
        }
    }
}

/// The write-ahead log lets readers go on while somebody writes. A file keeps
/// it once it is on.
async fn turn_log_on(url: &str) -> Result<(), StoreError> {
    let mut connection = AnyConnection::connect(url).await?;
    set_up_sqlite(&mut connection).await?;
    connection.execute("PRAGMA journal_mode = WAL").await?;
    let version = sqlx::query("SELECT sqlite_version() AS version").fetch_one(&mut connection).await?;
    check_version(version.try_get("version")?)?;
    Ok(connection.close().await?)
}

/// What was answered is on the disk, a row cannot name another that is not
/// there, and who finds somebody else writing waits.
async fn set_up_sqlite(connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
    for statement in [
        "PRAGMA busy_timeout = 10000",
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        "PRAGMA trusted_schema = OFF",
        // What is deleted is overwritten: there are private keys among it.
        "PRAGMA secure_delete = ON",
    ] {
        connection.execute(statement).await?;
    }
    Ok(())
}

fn check_version(version: &str) -> Result<(), StoreError> {
    let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    if (next(), next(), next()) >= OLDEST_SQLITE {
        return Ok(());
    }
    let (major, minor, patch) = OLDEST_SQLITE;
    Err(StoreError::Unfit(format!(
        "SQLite {version} is older than {major}.{minor}.{patch} and can lose what was written"
    )))
}

/// The file's full path; a new file belongs to its owner alone.
fn prepare_file(path: &Path) -> Result<PathBuf, StoreError> {
    let unfit = |error: std::io::Error| StoreError::Unfit(format!("{}: {error}", path.display()));
    let path = std::path::absolute(path).map_err(unfit)?;
    let Some(folder) = path.parent() else {
        return Err(StoreError::Unfit(format!("{} is a folder", path.display())));
    };
    check_folder(folder)?;
    close_file(&path).map_err(unfit)?;
    Ok(path)
}

#[cfg(unix)]
fn check_folder(folder: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = folder.metadata();
    let metadata = metadata.map_err(|error| StoreError::Unfit(format!("{}: {error}", folder.display())))?;
    match metadata.permissions().mode() & 0o002 {
        0 => Ok(()),
        _ => Err(StoreError::Unfit(format!(
            "everybody may write in {}: keep the database in a folder of its own (mkdir -m 700)",
            folder.display()
        ))),
    }
}

#[cfg(not(unix))]
fn check_folder(folder: &Path) -> Result<(), StoreError> {
    match folder.is_dir() {
        true => Ok(()),
        false => Err(StoreError::Unfit(format!("{} is no folder", folder.display()))),
    }
}

/// SQLite gives the files beside it the same permissions.
#[cfg(unix)]
fn close_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let mut options = std::fs::OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    let mode = file.metadata()?.permissions().mode();
    match mode & 0o077 {
        0 => Ok(()),
        _ => file.set_permissions(std::fs::Permissions::from_mode(0o600)),
    }
}

#[cfg(not(unix))]
fn close_file(path: &Path) -> std::io::Result<()> {
    std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map(drop)
}

/// A path as the driver reads it: whatever could mean something else is spelled out.
fn sqlite_url(path: &Path) -> Result<String, StoreError> {
    let Some(text) = path.to_str() else {
        return Err(StoreError::Unfit(format!("{} is not UTF-8", path.display())));
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-:".contains(&byte);
    let spelled: String = text
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect();
    Ok(format!("sqlite://{spelled}?mode=rw"))
}

/// An address that may be shown.
pub fn without_password(url: &str) -> String {
    match (url.find("://"), url.rfind('@')) {
        (Some(start), Some(end)) if start + 3 <= end => format!("{}…{}", &url[..start + 3], &url[end..]),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_connection_whose_transaction_was_lost_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("team.db");
        let store = Store::open(path.to_str().expect("UTF-8")).await.expect("a database");
        let mut lost = store.write().await.expect("a transaction");
        // As SQLite does by itself when the disk is full.
        sqlx::query("ROLLBACK").execute(&mut *lost).await.expect("rolled back");
        lost.commit().await.expect_err("nothing is under way");
        for round in 0..8 {
            let team = store.create_team("ours", "ann@example.com", round).await;
            team.unwrap_or_else(|error| panic!("round {round}: {error}"));
        }
        store.probe().await.expect("it can be written");
    }

    #[tokio::test]
    async fn a_database_that_cannot_be_written_is_not_ready() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("team.db");
        let store = Store::open(path.to_str().expect("UTF-8")).await.expect("a database");
        let mut writer = store.writers.acquire().await.expect("a connection");
        writer.execute("PRAGMA query_only = ON").await.expect("set");
        drop(writer);
        store.ping().await.expect("it can be read");
        store.probe().await.expect_err("it cannot be written");
    }

    #[test]
    fn an_sqlite_that_can_lose_writes_is_refused() {
        for (version, fits) in [
            ("3.51.3", true),
            ("3.51.2", false),
            ("3.52.0", true),
            ("3.9.9", false),
            ("4.0", true),
            ("", false),
        ] {
            assert_eq!(check_version(version).is_ok(), fits, "{version}");
        }
    }
}
