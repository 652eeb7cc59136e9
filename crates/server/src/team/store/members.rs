//! The people of a team. Who left keeps the number: old releases name it.

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::{TeamStore, counters, words};
use crate::team::wire::{Member, MemberChange, Role};

/// Adds somebody.
pub(super) async fn insert(
    work: &mut Transaction<'static, Any>,
    team: i64,
    email: &str,
    role: Role,
    now: i64,
) -> Result<Member, StoreError> {
    let id = counters::next(work, team, "members").await?;
    let sql = "INSERT INTO members (team_id, member_id, email, email_key, role, canary, added_at)
        VALUES ($1, $2, $3, $4, $5, 0, $6)";
    let query = sqlx::query(sql).bind(team).bind(id).bind(email).bind(key_of(email));
    let inserted = query.bind(words::word(&role)?).bind(now).execute(&mut **work).await;
    inserted.map_err(|error| StoreError::from(error).exists(|| format!("the member {email}")))?;
    Ok(Member { id, email: email.to_owned(), role, canary: false, added_at: now })
}

/// Addresses that differ only in case are one person's.
fn key_of(email: &str) -> String {
    email.trim().to_lowercase()
}

impl TeamStore {
    /// Everybody who is in the team.
    pub async fn members(&self) -> Result<Vec<Member>, StoreError> {
        let sql = "SELECT member_id, email, role, canary, added_at FROM members
            WHERE team_id = $1 AND removed_at IS NULL ORDER BY member_id";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(member_row).collect()
    }

    /// One of them.
    pub async fn member(&self, id: i64) -> Result<Option<Member>, StoreError> {
        let sql = "SELECT member_id, email, role, canary, added_at FROM members
            WHERE team_id = $1 AND member_id = $2 AND removed_at IS NULL";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(self.pool()).await?;
        row.as_ref().map(member_row).transpose()
    }

    /// One of them, by the address.
    pub async fn member_of(&self, email: &str) -> Result<Option<Member>, StoreError> {
        let sql = "SELECT member_id, email, role, canary, added_at FROM members
            WHERE team_id = $1 AND email_key = $2 AND removed_at IS NULL";
        let query = sqlx::query(sql).bind(self.team).bind(key_of(email));
        query.fetch_optional(self.pool()).await?.as_ref().map(member_row).transpose()
    }

    /// Adds somebody; `Exists` when the address is a member's already.
    pub async fn add_member(&self, email: &str, role: Role, now: i64) -> Result<Member, StoreError> {
        let mut work = self.write().await?;
        let member = insert(&mut work, self.team, email, role, now).await?;
        work.commit().await?;
        Ok(member)
    }

    /// Changes somebody; the last owner stays one.
    pub async fn change_member(&self, id: i64, change: &MemberChange) -> Result<Option<Member>, StoreError> {
        let mut work = self.write().await?;
        let member = self.update_member(&mut work, id, change).await?;
        work.commit().await?;
        Ok(member)
    }

    /// The same, as a part of something larger.
    pub(super) async fn update_member(
        &self,
        work: &mut Transaction<'static, Any>,
        id: i64,
        change: &MemberChange,
    ) -> Result<Option<Member>, StoreError> {
        let Some(mut member) = self.locked(work, id).await? else { return Ok(None) };
        if change.role.is_some_and(|role| role != Role::Owner) {
            self.refuse_last_owner(work, &member).await?;
        }
        member.role = change.role.unwrap_or(member.role);
        member.canary = change.canary.unwrap_or(member.canary);
        let sql = "UPDATE members SET role = $3, canary = $4 WHERE team_id = $1 AND member_id = $2";
        let query = sqlx::query(sql).bind(self.team).bind(id).bind(words::word(&member.role)?);
        query.bind(i64::from(member.canary)).execute(&mut **work).await?;
        Ok(Some(member))
    }

    /// Removes somebody, and with them their tokens and devices; not the last owner.
    /// Says whether there was such a member.
    pub async fn remove_member(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        let mut work = self.write().await?;
        let Some(member) = self.locked(&mut work, id).await? else { return Ok(false) };
        self.refuse_last_owner(&mut work, &member).await?;
        for sql in [
            "UPDATE members SET removed_at = $3 WHERE team_id = $1 AND member_id = $2",
            "UPDATE tokens SET revoked_at = $3 WHERE team_id = $1 AND member_id = $2 AND revoked_at IS NULL",
            "UPDATE devices SET revoked_at = $3 WHERE team_id = $1 AND member_id = $2 AND revoked_at IS NULL",
        ] {
            sqlx::query(sql).bind(self.team).bind(id).bind(now).execute(&mut *work).await?;
        }
        work.commit().await?;
        Ok(true)
    }

    /// A member whom nobody else changes until this work is done. Whoever
    /// changes members of the team waits: two owners cannot remove each other.
    async fn locked(
        &self,
        work: &mut Transaction<'static, Any>,
        id: i64,
    ) -> Result<Option<Member>, StoreError> {
        let lock = "UPDATE counters SET value = value WHERE team_id = $1 AND name = 'members'";
        sqlx::query(lock).bind(self.team).execute(&mut **work).await?;
        let sql = "SELECT member_id, email, role, canary, added_at FROM members
            WHERE team_id = $1 AND member_id = $2 AND removed_at IS NULL";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(&mut **work).await?;
        row.as_ref().map(member_row).transpose()
    }

    async fn refuse_last_owner(
        &self,
        work: &mut Transaction<'static, Any>,
        member: &Member,
    ) -> Result<(), StoreError> {
        let sql = "SELECT COUNT(*) AS others FROM members
            WHERE team_id = $1 AND member_id <> $2 AND role = 'owner' AND removed_at IS NULL";
        let row = sqlx::query(sql).bind(self.team).bind(member.id).fetch_one(&mut **work).await?;
        match member.role == Role::Owner && row.try_get::<i64, _>("others")? == 0 {
            true => Err(StoreError::LastOwner),
            false => Ok(()),
        }
    }
}

fn member_row(row: &AnyRow) -> Result<Member, StoreError> {
    Ok(Member {
        id: row.try_get("member_id")?,
        email: row.try_get("email")?,
        role: words::value(row.try_get("role")?)?,
        canary: words::flag(row, "canary")?,
        added_at: row.try_get("added_at")?,
    })
}
