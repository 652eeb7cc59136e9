//! The first team: made once, however many processes start at the same time.

use sqlx::Row;

use super::error::StoreError;
use super::open::Kind;
use super::{Store, members, settings};
use crate::team::wire::{Member, Role};

/// Whoever makes the first team holds this lock of PostgreSQL's.
const LOCK: i64 = 0x626f_6174_0002;

impl Store {
    /// Makes a team and its owner where there is none; nothing where there is.
    pub async fn create_first_team(
        &self,
        name: &str,
        owner: &str,
        now: i64,
    ) -> Result<Option<(i64, Member)>, StoreError> {
        let mut work = self.write().await?;
        match self.kind {
            // It is alone from its first statement on.
            Kind::Sqlite => {}
            Kind::Postgres => {
                let lock = sqlx::query("SELECT CAST(pg_advisory_xact_lock($1) AS TEXT)").bind(LOCK);
                lock.execute(&mut *work).await?;
            }
        }
        // Every team is looked at, whosever it is: team_id is what is counted.
        let count = sqlx::query("SELECT COUNT(team_id) AS teams FROM teams").fetch_one(&mut *work).await?;
        if count.try_get::<i64, _>("teams")? > 0 {
            return Ok(None);
        }
        let team = settings::insert(&mut work, name, now).await?;
        let member = members::insert(&mut work, team, owner, Role::Owner, now).await?;
        work.commit().await?;
        Ok(Some((team, member)))
    }
}
