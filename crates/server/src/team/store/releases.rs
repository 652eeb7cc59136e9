//! Releases and their scripts. They are written by a publication alone.

use boathook_engine::digest::Digest;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::{TeamStore, words};
use crate::team::wire::Release;

impl TeamStore {
    /// All releases, the newest first.
    pub async fn releases(&self) -> Result<Vec<Release>, StoreError> {
        let sql = "SELECT number, state, canary, percent, published_by, published_at, note, restores,
            halted_because, hooks FROM releases WHERE team_id = $1 ORDER BY number DESC";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(release_row).collect()
    }

    /// One release.
    pub async fn release(&self, number: i64) -> Result<Option<Release>, StoreError> {
        let sql = "SELECT number, state, canary, percent, published_by, published_at, note, restores,
            halted_because, hooks FROM releases WHERE team_id = $1 AND number = $2";
        let row = sqlx::query(sql).bind(self.team).bind(number).fetch_optional(self.pool()).await?;
        row.as_ref().map(release_row).transpose()
    }

    /// A published script by its digest.
    pub async fn script(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT content FROM scripts WHERE team_id = $1 AND digest = $2";
        let query = sqlx::query(sql).bind(self.team).bind(digest.to_string());
        let row = query.fetch_optional(self.pool()).await?;
        row.map(|row| Ok(row.try_get("content")?)).transpose()
    }
}

/// Adds or changes a release.
pub(super) async fn put(
    work: &mut Transaction<'static, Any>,
    team: i64,
    release: &Release,
) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO releases (team_id, number, state, canary, percent, published_by, published_at, note,
        restores, halted_because, hooks) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (team_id, number) DO UPDATE SET state = excluded.state, canary = excluded.canary,
        percent = excluded.percent, published_by = excluded.published_by,
        published_at = excluded.published_at, note = excluded.note, restores = excluded.restores,
        halted_because = excluded.halted_because, hooks = excluded.hooks";
    let query = sqlx::query(sql).bind(team).bind(release.number).bind(words::word(&release.state)?);
    let query = query.bind(i64::from(release.canary)).bind(i64::from(release.percent));
    let query = query.bind(&release.published_by).bind(release.published_at).bind(&release.note);
    let query = query.bind(release.restores).bind(release.halted_because.clone());
    query.bind(words::json(&release.hooks)?).execute(&mut **work).await?;
    Ok(())
}

fn release_row(row: &AnyRow) -> Result<Release, StoreError> {
    Ok(Release {
        number: row.try_get("number")?,
        state: words::value(row.try_get("state")?)?,
        canary: words::flag(row, "canary")?,
        percent: words::number(row, "percent")?,
        published_by: row.try_get("published_by")?,
        published_at: row.try_get("published_at")?,
        note: row.try_get("note")?,
        restores: row.try_get("restores")?,
        halted_because: row.try_get("halted_because")?,
        hooks: words::from_json(row.try_get("hooks")?)?,
    })
}
