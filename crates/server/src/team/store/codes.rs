//! Codes of a login in the browser: each is taken once, and soon.

use boathook_engine::digest::Digest;
use sqlx::Row;

use super::TeamStore;
use super::error::StoreError;
use super::rows::Code;

impl TeamStore {
    /// Keeps a code.
    pub async fn add_code(&self, code: &Code) -> Result<(), StoreError> {
        let sql = "INSERT INTO codes (team_id, digest, challenge, redirect, member_id, expires_at,
            made_with) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let query = sqlx::query(sql).bind(self.team).bind(code.digest.to_string()).bind(&code.challenge);
        let query = query.bind(&code.redirect).bind(code.member).bind(code.expires_at);
        query.bind(code.made_with).execute(self.pool()).await?;
        Ok(())
    }

    /// Takes a code. Whoever comes second, or too late, gets nothing.
    pub async fn take_code(&self, digest: &Digest, now: i64) -> Result<Option<Code>, StoreError> {
        let forget = "DELETE FROM codes WHERE team_id = $1 AND expires_at <= $2";
        sqlx::query(forget).bind(self.team).bind(now).execute(self.pool()).await?;
        let sql = "DELETE FROM codes WHERE team_id = $1 AND digest = $2
            RETURNING challenge, redirect, member_id, expires_at, made_with";
        let query = sqlx::query(sql).bind(self.team).bind(digest.to_string());
        let Some(row) = query.fetch_optional(self.pool()).await? else { return Ok(None) };
        Ok(Some(Code {
            digest: *digest,
            challenge: row.try_get("challenge")?,
            redirect: row.try_get("redirect")?,
            member: row.try_get("member_id")?,
            expires_at: row.try_get("expires_at")?,
            made_with: row.try_get("made_with")?,
        }))
    }
}
