//! Brings the tables of a database up to date, step by step.
//!
//! A step and the note that it was done are one transaction: whenever the
//! process dies, the next start goes on where the last complete step ended.
//! Two processes that start together wait for each other.

use sqlx::{Any, AssertSqlSafe, Executor, Row, Transaction};

use super::Store;
use super::error::StoreError;
use super::open::Kind;
use super::schema::Step;

/// Names our lock among those of other programs in the same PostgreSQL.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7020094218831)";

/// Does every step that was not done yet.
pub async fn migrate(store: &Store, steps: &[Step]) -> Result<(), StoreError> {
    while advance(store, steps).await? {}
    Ok(())
}

/// Whether a first step was done. Changes nothing.
pub async fn was_begun(store: &Store) -> Result<bool, StoreError> {
    has_steps(store.kind, &store.pool).await
}

async fn has_steps<'a>(kind: Kind, database: impl Executor<'a, Database = Any>) -> Result<bool, StoreError> {
    let table = match kind {
        Kind::Sqlite => "SELECT COUNT(*) AS tables FROM sqlite_master WHERE name = 'schema_steps'",
        Kind::Postgres => "SELECT COUNT(to_regclass('schema_steps')) AS tables",
    };
    Ok(sqlx::query(table).fetch_one(database).await?.try_get::<i64, _>("tables")? > 0)
}

/// Does the next step. Says whether there was one.
async fn advance(store: &Store, steps: &[Step]) -> Result<bool, StoreError> {
    let mut work = store.write().await?;
    let found = newest_step(store, &mut work).await?;
    let known = steps.last().map_or(0, |step| step.number);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    let Some(step) = steps.iter().find(|step| step.number > found) else { return Ok(false) };
    for statement in step.statements {
        sqlx::query(AssertSqlSafe(in_dialect(store.kind, statement))).execute(&mut *work).await?;
    }
    let done = "INSERT INTO schema_steps (number) VALUES ($1)";
    sqlx::query(done).bind(step.number).execute(&mut *work).await?;
    work.commit().await?;
    Ok(true)
}

/// The number of the last step that was done, with nobody else at work.
async fn newest_step(store: &Store, work: &mut Transaction<'static, Any>) -> Result<i64, StoreError> {
    if store.kind == Kind::Postgres {
        sqlx::query(LOCK).execute(&mut **work).await?;
    }
    // Asked first: PostgreSQL tells the log of a table that it need not make.
    if !has_steps(store.kind, &mut **work).await? {
        let table = "CREATE TABLE IF NOT EXISTS schema_steps (number BIGINT PRIMARY KEY)";
        sqlx::query(table).execute(&mut **work).await?;
    }
    let newest = "SELECT COALESCE(MAX(number), 0) AS number FROM schema_steps";
    Ok(sqlx::query(newest).fetch_one(&mut **work).await?.try_get("number")?)
}

fn in_dialect(kind: Kind, statement: &str) -> String {
    let bytes = match kind {
        Kind::Sqlite => "BLOB",
        Kind::Postgres => "BYTEA",
    };
    statement.replace("{BYTES}", bytes)
}

#[cfg(test)]
mod tests;
