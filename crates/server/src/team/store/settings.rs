//! Teams, and how each is set up.

use boathook_engine::bundle::manifest::Stale;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::rows::TeamRow;
use super::{TeamStore, words};
use crate::random;
use crate::team::wire::{Mode, TeamChange};

/// Adds a team. Gives its number.
pub(super) async fn insert(
    work: &mut Transaction<'static, Any>,
    name: &str,
    now: i64,
) -> Result<i64, StoreError> {
    let next = "INSERT INTO settings (name, value) VALUES ('teams', 1)
        ON CONFLICT (name) DO UPDATE SET value = settings.value + 1 RETURNING value";
    let team: i64 = sqlx::query(next).fetch_one(&mut **work).await?.try_get("value")?;
    let stale = Stale::default();
    let sql = "INSERT INTO teams (team_id, name, mode, repository, channel, root_fingerprint,
        stale_days, stale_policy, halt_percent, halt_least, created_at)
        VALUES ($1, $2, $3, $4, 'stable', '', $5, $6, 5, 3, $7)";
    let query = sqlx::query(sql).bind(team).bind(name).bind(words::word(&Mode::Easy)?);
    let query = query.bind(repository()?).bind(i64::from(stale.days));
    query.bind(words::word(&stale.policy)?).bind(now).execute(&mut **work).await?;
    Ok(team)
}

/// Changes how a team is set up; what is absent stays.
pub(super) async fn update(
    work: &mut Transaction<'static, Any>,
    team: i64,
    change: &TeamChange,
) -> Result<(), StoreError> {
    let sql = "UPDATE teams SET name = COALESCE($2, name), stale_days = COALESCE($3, stale_days),
        stale_policy = COALESCE($4, stale_policy), halt_percent = COALESCE($5, halt_percent),
        halt_least = COALESCE($6, halt_least) WHERE team_id = $1";
    let policy = change.stale.map(|stale| words::word(&stale.policy)).transpose()?;
    let query = sqlx::query(sql).bind(team).bind(change.name.clone());
    let query = query.bind(change.stale.map(|stale| i64::from(stale.days))).bind(policy);
    let query = query.bind(change.halt_percent.map(i64::from)).bind(change.halt_least.map(i64::from));
    query.execute(&mut **work).await?;
    Ok(())
}

/// A name that no other repository has, on any server.
fn repository() -> Result<String, StoreError> {
    let random = random::secret().map_err(|error| StoreError::Unfit(error.to_string()))?;
    Ok(random.chars().take(24).collect())
}

impl TeamStore {
    /// The team.
    pub async fn info(&self) -> Result<TeamRow, StoreError> {
        let sql = "SELECT team_id, name, mode, repository, channel, root_fingerprint, stale_days,
            stale_policy, halt_percent, halt_least, created_at, COALESCE((SELECT value FROM counters
            WHERE counters.team_id = teams.team_id AND counters.name = 'pinned_root'), 1) AS root_version
            FROM teams WHERE team_id = $1";
        team_row(&sqlx::query(sql).bind(self.team).fetch_one(self.pool()).await?)
    }

    /// Changes how the team is set up; what is absent stays.
    pub async fn change(&self, change: &TeamChange) -> Result<(), StoreError> {
        let mut work = self.write().await?;
        update(&mut work, self.team, change).await?;
        Ok(work.commit().await?)
    }
}

fn team_row(row: &AnyRow) -> Result<TeamRow, StoreError> {
    Ok(TeamRow {
        id: row.try_get("team_id")?,
        name: row.try_get("name")?,
        mode: words::value(row.try_get("mode")?)?,
        repository: row.try_get("repository")?,
        channel: row.try_get("channel")?,
        root_fingerprint: row.try_get("root_fingerprint")?,
        root_version: words::number(row, "root_version")?,
        stale: Stale {
            days: words::number(row, "stale_days")?,
            policy: words::value(row.try_get("stale_policy")?)?,
        },
        halt_percent: words::number(row, "halt_percent")?,
        halt_least: words::number(row, "halt_least")?,
        created_at: row.try_get("created_at")?,
    })
}
