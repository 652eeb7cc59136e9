//! Which tokens were made with which, and what goes when one is revoked.
//!
//! With a token go those that its member made with it, the member's devices
//! that came with them, enrolment tokens, and invitations that nobody has used.
//! Two things stay: what another person made of an invitation is that
//! person's, and a machine of the team's has nobody to bring it back.

use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::{TeamStore, words};
use crate::team::wire::TokenKind;

/// How far revoking goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// What was made with it goes too.
    Below,
    /// It alone.
    Alone,
}

/// What decides whether a token goes with another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Link {
    id: i64,
    kind: TokenKind,
    member: Option<i64>,
    device: Option<String>,
    used: bool,
}

impl Link {
    fn goes_with(&self, maker: &Link) -> bool {
        match self.kind {
            TokenKind::Enrolment => true,
            TokenKind::SignIn if !self.used => true,
            TokenKind::SignIn | TokenKind::Api | TokenKind::Device => {
                self.member.is_some() && self.member == maker.member
            }
        }
    }
}

/// Revokes, in one transaction. Says whether anything was not revoked yet.
pub(super) async fn revoke(team: &TeamStore, id: i64, reach: Reach, now: i64) -> Result<bool, StoreError> {
    let mut work = team.write().await?;
    let lock = "UPDATE counters SET value = value WHERE team_id = $1 AND name = 'tokens'";
    sqlx::query(lock).bind(team.id()).execute(&mut *work).await?;
    let Some(first) = link(&mut work, team.id(), id).await? else { return Ok(false) };
    let mut going = vec![first];
    let mut any = false;
    while let Some(one) = going.pop() {
        any |= end(&mut work, team.id(), &one, now).await?;
        if reach == Reach::Below {
            let made = made_with(&mut work, team.id(), one.id).await?;
            going.extend(made.into_iter().filter(|child| child.goes_with(&one)));
        }
    }
    work.commit().await?;
    Ok(any)
}

/// Refuses to make something with a token that is revoked, or is not there.
pub(super) async fn refuse_revoked(
    work: &mut Transaction<'static, Any>,
    team: i64,
    maker: i64,
) -> Result<(), StoreError> {
    let sql = "SELECT token_id FROM tokens WHERE team_id = $1 AND token_id = $2 AND revoked_at IS NULL";
    let good = sqlx::query(sql).bind(team).bind(maker).fetch_optional(&mut **work).await?;
    good.map(drop).ok_or(StoreError::Revoked)
}

/// Ends one token, and the device that has no other.
async fn end(
    work: &mut Transaction<'static, Any>,
    team: i64,
    one: &Link,
    now: i64,
) -> Result<bool, StoreError> {
    let token = "UPDATE tokens SET revoked_at = $3
        WHERE team_id = $1 AND token_id = $2 AND revoked_at IS NULL";
    let ended = sqlx::query(token).bind(team).bind(one.id).bind(now).execute(&mut **work).await?;
    if let Some(device) = &one.device {
        let sql = "UPDATE devices SET revoked_at = $3
            WHERE team_id = $1 AND device_id = $2 AND revoked_at IS NULL";
        sqlx::query(sql).bind(team).bind(device).bind(now).execute(&mut **work).await?;
    }
    Ok(ended.rows_affected() == 1)
}

async fn link(work: &mut Transaction<'static, Any>, team: i64, id: i64) -> Result<Option<Link>, StoreError> {
    let sql = "SELECT token_id, kind, member_id, device_id, used_at FROM tokens
        WHERE team_id = $1 AND token_id = $2";
    let row = sqlx::query(sql).bind(team).bind(id).fetch_optional(&mut **work).await?;
    row.as_ref().map(link_row).transpose()
}

/// What was made with a token. Numbers go up, so that this ends even where
/// somebody wrote a circle into the database.
async fn made_with(
    work: &mut Transaction<'static, Any>,
    team: i64,
    id: i64,
) -> Result<Vec<Link>, StoreError> {
    let sql = "SELECT token_id, kind, member_id, device_id, used_at FROM tokens
        WHERE team_id = $1 AND made_with = $2 AND token_id > $2";
    let rows = sqlx::query(sql).bind(team).bind(id).fetch_all(&mut **work).await?;
    rows.iter().map(link_row).collect()
}

fn link_row(row: &AnyRow) -> Result<Link, StoreError> {
    Ok(Link {
        id: row.try_get("token_id")?,
        kind: words::value(row.try_get("kind")?)?,
        member: row.try_get("member_id")?,
        device: row.try_get("device_id")?,
        used: row.try_get::<Option<i64>, _>("used_at")?.is_some(),
    })
}
