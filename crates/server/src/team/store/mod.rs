//! The team server's database: SQLite or PostgreSQL, through the same
//! statements.
//!
//! Everything that belongs to a team is reached through a [`TeamStore`], and
//! every statement of it names the team. The one lookup across teams is that of
//! a token, which says which team its holder belongs to.
//!
//! Times are milliseconds since 1970, and come from the caller. Of a secret
//! only the SHA-256 is kept.

mod backup;
mod codes;
mod commit;
mod counters;
mod devices;
mod error;
mod export;
mod first;
mod hooks;
mod lineage;
mod members;
mod metadata;
mod migrate;
mod open;
mod releases;
mod rows;
mod schema;
mod settings;
mod tables;
mod tokens;
mod words;

pub use error::StoreError;
pub use open::Kind;
pub use rows::{
    Code, KeyRow, ManifestFile, NewDevice, NewTokenRow, Publication, SignedFile, TeamRow, TokenDevice,
    TokenMember, TokenRow, Trials, TufRole, Versions, Waiting,
};

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{Any, AnyPool, Row, Transaction};
use tokio::sync::Mutex;

use crate::team::wire::Member;

/// The database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    pool: AnyPool,
    /// What is written together goes through here. SQLite has one writer at a
    /// time: those who wait for their turn wait for this pool's one connection,
    /// and hold none that readers could use.
    writers: AnyPool,
    kind: Kind,
    /// When the database was last seen to take something.
    written: Arc<Mutex<Option<Instant>>>,
}

/// So long a database that took something is believed to take more: everybody
/// may ask, and not everybody may keep the disk busy.
const BELIEVED: Duration = Duration::from_secs(2);

/// What one team has in the database.
#[derive(Debug, Clone)]
pub struct TeamStore {
    store: Store,
    team: i64,
}

impl Store {
    /// Opens a database and brings its tables up to date: the path of a SQLite
    /// file, which is made when it is not there, or `postgres://…`.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        let store = open::open(url).await?;
        migrate::migrate(&store, schema::STEPS).await?;
        Ok(store)
    }

    /// Opens a database that a server was started on. A name that was mistyped
    /// makes nothing.
    pub async fn open_existing(url: &str) -> Result<Store, StoreError> {
        open::must_exist(url)?;
        let store = open::open(url).await?;
        if !migrate::was_begun(&store).await? {
            store.close().await;
            return Err(StoreError::Unfit(format!("{} holds no team", open::without_password(url))));
        }
        migrate::migrate(&store, schema::STEPS).await?;
        Ok(store)
    }

    /// The path of a SQLite file; nothing when it is PostgreSQL.
    pub fn file_of(url: &str) -> Option<&std::path::Path> {
        open::file_of(url)
    }

    fn on(pool: AnyPool, writers: AnyPool, kind: Kind) -> Store {
        Store { pool, writers, kind, written: Arc::default() }
    }

    /// Which database it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Whether the database takes something: a full disk can still be read.
    pub async fn probe(&self) -> Result<(), StoreError> {
        let mut written = self.written.lock().await;
        if written.is_some_and(|at| at.elapsed() < BELIEVED) {
            return Ok(());
        }
        *written = None;
        let mut work = self.write().await?;
        let note = "INSERT INTO settings (name, value) VALUES ('probe', 1)
            ON CONFLICT (name) DO UPDATE SET value = settings.value + 1";
        sqlx::query(note).execute(&mut *work).await?;
        sqlx::query("DELETE FROM settings WHERE name = 'probe'").execute(&mut *work).await?;
        work.commit().await?;
        *written = Some(Instant::now());
        Ok(())
    }

    /// Takes what was deleted out of the write-ahead log too: a private key
    /// that nobody holds any more must not be found there. What was written is
    /// written; where a reader stands in the way, it is said and not refused.
    async fn forget(&self) {
        if self.kind == Kind::Postgres {
            return;
        }
        let checkpoint = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.pool).await;
        match checkpoint.and_then(|row| row.try_get::<i64, _>("busy")) {
            Ok(0) => {}
            Ok(_) => {
                tracing::warn!("a forgotten key is still in the log of the database: restart the server")
            }
            Err(error) => {
                tracing::warn!(%error, "a forgotten key is still in the log of the database: restart the server");
            }
        }
    }

    /// Lets go of the database, after what is being done.
    pub async fn close(&self) {
        self.writers.close().await;
        self.pool.close().await;
    }

    /// Every team's number.
    pub async fn teams(&self) -> Result<Vec<i64>, StoreError> {
        let rows = sqlx::query("SELECT team_id FROM teams ORDER BY team_id").fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("team_id")?)).collect()
    }

    /// Makes a team and its first owner.
    pub async fn create_team(&self, name: &str, owner: &str, now: i64) -> Result<(i64, Member), StoreError> {
        let mut work = self.write().await?;
        let team = settings::insert(&mut work, name, now).await?;
        let member = members::insert(&mut work, team, owner, crate::team::wire::Role::Owner, now).await?;
        work.commit().await?;
        Ok((team, member))
    }

    /// The newest manifest of every team that has one.
    pub async fn sequences(&self) -> Result<Vec<(i64, u64)>, StoreError> {
        let sql = "SELECT team_id, MAX(sequence) AS sequence FROM manifests GROUP BY team_id";
        let rows = sqlx::query(sql).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("team_id")?, words::number(row, "sequence")?))).collect()
    }

    /// How many machines there are in all teams, without those that were revoked.
    pub async fn count_devices(&self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) AS devices FROM devices WHERE revoked_at IS NULL";
        Ok(sqlx::query(sql).fetch_one(&self.pool).await?.try_get("devices")?)
    }

    /// What one team has.
    pub fn team(&self, team: i64) -> TeamStore {
        TeamStore { store: self.clone(), team }
    }

    /// Begins what is written together or not at all.
    async fn write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        let begin = match self.kind {
            // A reader that turns into a writer can be refused for good; who
            // says at once that it will write only waits for its turn.
            Kind::Sqlite => "BEGIN IMMEDIATE",
            Kind::Postgres => "BEGIN",
        };
        Ok(self.writers.begin_with(begin).await?)
    }
}

impl TeamStore {
    /// The team's number.
    pub fn id(&self) -> i64 {
        self.team
    }

    fn pool(&self) -> &AnyPool {
        &self.store.pool
    }

    async fn write(&self) -> Result<Transaction<'static, Any>, StoreError> {
        self.store.write().await
    }
}
