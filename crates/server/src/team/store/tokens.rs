//! Tokens: of each the SHA-256 of its secret, whose it is, and until when it is good.

use boathook_engine::digest::Digest;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::error::StoreError;
use super::lineage::{self, Reach};
use super::rows::{NewTokenRow, TokenDevice, TokenMember, TokenRow};
use super::{Store, TeamStore, counters, words};
use crate::team::wire::Token;

impl Store {
    /// The token with this digest, and all that decides whether its holder may
    /// come in. The one lookup that does not know the team beforehand.
    pub async fn token(&self, secret_digest: &Digest) -> Result<Option<TokenRow>, StoreError> {
        let sql = "SELECT t.team_id, t.token_id, t.kind, t.role, t.created_at, t.expires_at, t.revoked_at,
                t.used_at, t.member_id, t.device_id, m.email, m.role AS member_role, m.removed_at,
                d.enrolled, d.revoked_at AS device_revoked_at
            FROM tokens t
            LEFT JOIN members m ON m.team_id = t.team_id AND m.member_id = t.member_id
            LEFT JOIN devices d ON d.team_id = t.team_id AND d.device_id = t.device_id
            WHERE t.digest = $1";
        let row = sqlx::query(sql).bind(secret_digest.to_string()).fetch_optional(&self.pool).await?;
        row.as_ref().map(holder_row).transpose()
    }
}

impl TeamStore {
    /// All tokens, the newest first; those that are no longer good too.
    pub async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        let sql = "SELECT token_id, kind, prefix, name, role, member_id, device_id, created_at, expires_at,
            used_at, revoked_at, made_with FROM tokens WHERE team_id = $1 ORDER BY token_id DESC";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(token_row).collect()
    }

    /// One token.
    pub async fn token(&self, id: i64) -> Result<Option<Token>, StoreError> {
        let sql = "SELECT token_id, kind, prefix, name, role, member_id, device_id, created_at, expires_at,
            used_at, revoked_at, made_with FROM tokens WHERE team_id = $1 AND token_id = $2";
        let row = sqlx::query(sql).bind(self.team).bind(id).fetch_optional(self.pool()).await?;
        row.as_ref().map(token_row).transpose()
    }

    /// Keeps a token; `Revoked` when the one it is made with is.
    pub async fn add_token(&self, new: &NewTokenRow) -> Result<Token, StoreError> {
        let mut work = self.write().await?;
        let token = insert(&mut work, self.team, new).await?;
        work.commit().await?;
        Ok(token)
    }

    /// Revokes a token and what was made with it. Says whether any of that was
    /// not revoked yet.
    pub async fn revoke_token(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        lineage::revoke(self, id, Reach::Below, now).await
    }

    /// Revokes a token that is not lost, only no longer needed: what was made
    /// with it stays. Says whether it was not revoked yet.
    pub async fn revoke_token_alone(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        lineage::revoke(self, id, Reach::Alone, now).await
    }

    /// Uses up a sign-in token. Of several who try at once one is told yes.
    pub async fn use_token_once(&self, id: i64, now: i64) -> Result<bool, StoreError> {
        let mut work = self.write().await?;
        let used = use_once(&mut work, self.team, id, now).await?;
        work.commit().await?;
        Ok(used)
    }
}

/// Adds a token.
pub(super) async fn insert(
    work: &mut Transaction<'static, Any>,
    team: i64,
    new: &NewTokenRow,
) -> Result<Token, StoreError> {
    // Counting comes first: who revokes waits for it, so that nothing is made behind their back.
    let id = counters::next(work, team, "tokens").await?;
    if let Some(maker) = new.made_with {
        lineage::refuse_revoked(work, team, maker).await?;
    }
    let sql = "INSERT INTO tokens (team_id, token_id, kind, prefix, name, role, member_id, device_id, digest,
        created_at, expires_at, made_with) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let query = sqlx::query(sql).bind(team).bind(id).bind(words::word(&new.kind)?);
    let query = query.bind(&new.prefix).bind(&new.name).bind(words::word(&new.role)?);
    let query = query.bind(new.member).bind(new.device.clone()).bind(new.digest.to_string());
    let query = query.bind(new.created_at).bind(new.expires_at).bind(new.made_with);
    let inserted = query.execute(&mut **work).await;
    inserted.map_err(|error| StoreError::from(error).exists(|| "a token with this secret".to_owned()))?;
    Ok(Token {
        id,
        kind: new.kind,
        prefix: new.prefix.clone(),
        name: new.name.clone(),
        role: new.role,
        member: new.member,
        device: new.device.clone(),
        created_at: new.created_at,
        expires_at: new.expires_at,
        used_at: None,
        revoked_at: None,
        made_with: new.made_with,
    })
}

/// Marks a sign-in token as used, when it is still good.
pub(super) async fn use_once(
    work: &mut Transaction<'static, Any>,
    team: i64,
    id: i64,
    now: i64,
) -> Result<bool, StoreError> {
    let sql = "UPDATE tokens SET used_at = $3
        WHERE team_id = $1 AND token_id = $2 AND kind = 'sign-in' AND used_at IS NULL
        AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)";
    let query = sqlx::query(sql).bind(team).bind(id).bind(now);
    Ok(query.execute(&mut **work).await?.rows_affected() == 1)
}

fn token_row(row: &AnyRow) -> Result<Token, StoreError> {
    Ok(Token {
        id: row.try_get("token_id")?,
        kind: words::value(row.try_get("kind")?)?,
        prefix: row.try_get("prefix")?,
        name: row.try_get("name")?,
        role: words::value(row.try_get("role")?)?,
        member: row.try_get("member_id")?,
        device: row.try_get("device_id")?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        used_at: row.try_get("used_at")?,
        revoked_at: row.try_get("revoked_at")?,
        made_with: row.try_get("made_with")?,
    })
}

fn holder_row(row: &AnyRow) -> Result<TokenRow, StoreError> {
    Ok(TokenRow {
        team: row.try_get("team_id")?,
        id: row.try_get("token_id")?,
        kind: words::value(row.try_get("kind")?)?,
        role: words::value(row.try_get("role")?)?,
        created_at: row.try_get("created_at")?,
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        used_at: row.try_get("used_at")?,
        member: holding_member(row)?,
        device: holding_device(row)?,
    })
}

fn holding_member(row: &AnyRow) -> Result<Option<TokenMember>, StoreError> {
    let Some(id) = row.try_get("member_id")? else { return Ok(None) };
    Ok(Some(TokenMember {
        id,
        email: row.try_get("email")?,
        role: words::value(row.try_get("member_role")?)?,
        removed_at: row.try_get("removed_at")?,
    }))
}

fn holding_device(row: &AnyRow) -> Result<Option<TokenDevice>, StoreError> {
    let Some(id) = row.try_get("device_id")? else { return Ok(None) };
    let (enrolled, revoked_at) = (words::flag(row, "enrolled")?, row.try_get("device_revoked_at")?);
    Ok(Some(TokenDevice { id, enrolled, revoked_at }))
}
