//! Numbers within a team. They are given out once: what was deleted leaves a
//! gap.

use sqlx::{Any, Row, Transaction};

use super::error::StoreError;

/// The next number of a kind. Who asks second waits for the first to finish.
pub async fn next(work: &mut Transaction<'static, Any>, team: i64, name: &str) -> Result<i64, StoreError> {
    let sql = "INSERT INTO counters (team_id, name, value) VALUES ($1, $2, 1)
        ON CONFLICT (team_id, name) DO UPDATE SET value = counters.value + 1 RETURNING value";
    let row = sqlx::query(sql).bind(team).bind(name).fetch_one(&mut **work).await?;
    Ok(row.try_get("value")?)
}
