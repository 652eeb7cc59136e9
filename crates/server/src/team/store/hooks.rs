//! The draft: hooks in their order, and every version that each ever had.

use std::collections::BTreeSet;

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::{TeamStore, counters, words};
use crate::team::wire::{Hook, HookDraft, HookVersion};

impl TeamStore {
    /// All hooks, in their order.
    pub async fn hooks(&self) -> Result<Vec<Hook>, StoreError> {
        let sql = "SELECT hook_id, position, version, changed_at, changed_by, draft FROM hooks
            WHERE team_id = $1 ORDER BY position, hook_id";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(hook_row).collect()
    }

    /// One hook.
    pub async fn hook(&self, id: i64) -> Result<Option<Hook>, StoreError> {
        let sql = "SELECT hook_id, position, version, changed_at, changed_by, draft FROM hooks
            WHERE team_id = $1 AND hook_id = $2";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(self.pool()).await?;
        row.as_ref().map(hook_row).transpose()
    }

    /// Adds a hook behind all others.
    pub async fn add_hook(&self, draft: &HookDraft, who: &str, now: i64) -> Result<Hook, StoreError> {
        let mut work = self.write().await?;
        let id = counters::next(&mut work, self.team, "hooks").await?;
        let last = "SELECT COALESCE(MAX(position), 0) AS position FROM hooks WHERE team_id = $1";
        let last = sqlx::query(last).bind(self.team).fetch_one(&mut *work).await?;
        let position = last.try_get::<i64, _>("position")? + 1;
        let draft = draft.clone();
        let hook = Hook { id, position, version: 1, changed_at: now, changed_by: who.to_owned(), draft };
        let sql = "INSERT INTO hooks (team_id, hook_id, position, version, changed_at, changed_by, draft)
            VALUES ($1, $2, $3, 1, $4, $5, $6)";
        let query = sqlx::query(sql).bind(self.team).bind(id).bind(position).bind(now).bind(who);
        query.bind(words::json(&hook.draft)?).execute(&mut *work).await?;
        self.remember(&mut work, &hook, false).await?;
        work.commit().await?;
        Ok(hook)
    }

    /// Replaces a hook.
    pub async fn put_hook(
        &self,
        id: i64,
        draft: &HookDraft,
        who: &str,
        now: i64,
    ) -> Result<Option<Hook>, StoreError> {
        let mut work = self.write().await?;
        let sql = "UPDATE hooks SET version = version + 1, changed_at = $3, changed_by = $4, draft = $5
            WHERE team_id = $1 AND hook_id = $2
            RETURNING hook_id, position, version, changed_at, changed_by, draft";
        let query = sqlx::query(sql).bind(self.team).bind(id).bind(now).bind(who).bind(words::json(draft)?);
        let Some(row) = query.fetch_optional(&mut *work).await? else { return Ok(None) };
        let hook = hook_row(&row)?;
        self.remember(&mut work, &hook, false).await?;
        work.commit().await?;
        Ok(Some(hook))
    }

    /// Deletes a hook; its versions stay. Says whether there was one.
    pub async fn delete_hook(&self, id: i64, who: &str, now: i64) -> Result<bool, StoreError> {
        let mut work = self.write().await?;
        let sql = "DELETE FROM hooks WHERE team_id = $1 AND hook_id = $2
            RETURNING hook_id, position, version, changed_at, changed_by, draft";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(&mut *work).await?;
        let Some(row) = row else { return Ok(false) };
        let last = hook_row(&row)?;
        let deletion =
            Hook { version: last.version + 1, changed_at: now, changed_by: who.to_owned(), ..last };
        self.remember(&mut work, &deletion, true).await?;
        work.commit().await?;
        Ok(true)
    }

    /// Puts the hooks in another order; `Order` unless each is named once.
    pub async fn reorder(&self, ids: &[i64]) -> Result<(), StoreError> {
        let mut work = self.write().await?;
        // Nobody adds a hook in the meantime.
        let lock = "UPDATE counters SET value = value WHERE team_id = $1 AND name = 'hooks'";
        sqlx::query(lock).bind(self.team).execute(&mut *work).await?;
        let sql = "SELECT hook_id FROM hooks WHERE team_id = $1";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(&mut *work).await?;
        let found: BTreeSet<i64> = rows.iter().map(|row| row.try_get("hook_id")).collect::<Result<_, _>>()?;
        if ids.len() != found.len() || ids.iter().copied().collect::<BTreeSet<i64>>() != found {
            return Err(StoreError::Order);
        }
        for (position, id) in (1i64..).zip(ids) {
            let sql = "UPDATE hooks SET position = $3 WHERE team_id = $1 AND hook_id = $2";
            sqlx::query(sql).bind(self.team).bind(*id).bind(position).execute(&mut *work).await?;
        }
        work.commit().await?;
        Ok(())
    }

    /// Every version of a hook, the newest first; nothing when there never was one.
    pub async fn versions(&self, id: i64) -> Result<Option<Vec<HookVersion>>, StoreError> {
        let sql = "SELECT version, changed_at, changed_by, deleted, draft FROM hook_versions
            WHERE team_id = $1 AND hook_id = $2 ORDER BY version DESC";
        let rows = sqlx::query(sql).bind(self.team).bind(id).fetch_all(self.pool()).await?;
        let versions: Vec<HookVersion> = rows.iter().map(version_row).collect::<Result<_, _>>()?;
        Ok((!versions.is_empty()).then_some(versions))
    }

    async fn remember(
        &self,
        work: &mut Transaction<'static, Any>,
        hook: &Hook,
        deleted: bool,
    ) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO hook_versions (team_id, hook_id, version, changed_at, changed_by, deleted, draft)
            VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let query = sqlx::query(sql).bind(self.team).bind(hook.id).bind(hook.version).bind(hook.changed_at);
        let query = query.bind(&hook.changed_by).bind(i64::from(deleted)).bind(words::json(&hook.draft)?);
        query.execute(&mut **work).await?;
        Ok(())
    }
}

fn hook_row(row: &AnyRow) -> Result<Hook, StoreError> {
    Ok(Hook {
        id: row.try_get("hook_id")?,
        position: row.try_get("position")?,
        version: row.try_get("version")?,
        changed_at: row.try_get("changed_at")?,
        changed_by: row.try_get("changed_by")?,
        draft: words::from_json(row.try_get("draft")?)?,
    })
}

fn version_row(row: &AnyRow) -> Result<HookVersion, StoreError> {
    Ok(HookVersion {
        version: row.try_get("version")?,
        changed_at: row.try_get("changed_at")?,
        changed_by: row.try_get("changed_by")?,
        deleted: words::flag(row, "deleted")?,
        draft: words::from_json(row.try_get("draft")?)?,
    })
}
