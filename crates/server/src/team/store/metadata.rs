//! The files of a team's signed repository, its keys, and what waits for signatures.

use boathook_engine::bundle::manifest;
use boathook_engine::digest::Digest;
use sqlx::any::AnyRow;
use sqlx::{Executor, Row};

use super::error::StoreError;
use super::rows::{KeyRow, ManifestFile, SignedFile, TufRole, Versions, Waiting};
use super::{TeamStore, words};

impl TeamStore {
    /// All keys.
    pub async fn keys(&self) -> Result<Vec<KeyRow>, StoreError> {
        let sql = "SELECT key_id, role, public, sealed FROM keys WHERE team_id = $1 ORDER BY role, key_id";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(key_row).collect()
    }

    /// One signed file.
    pub async fn metadata(&self, role: TufRole, version: u64) -> Result<Option<Vec<u8>>, StoreError> {
        // A number that no database can hold was never given out.
        let Ok(version) = i64::try_from(version) else { return Ok(None) };
        let sql = "SELECT content FROM metadata WHERE team_id = $1 AND role = $2 AND version = $3";
        let query = sqlx::query(sql).bind(self.team).bind(role.name()).bind(version);
        let row = query.fetch_optional(self.pool()).await?;
        row.map(|row| Ok(row.try_get("content")?)).transpose()
    }

    /// The newest signed file of a role, and its version.
    pub async fn newest(&self, role: TufRole) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        let sql = "SELECT version, content FROM metadata WHERE team_id = $1 AND role = $2
            ORDER BY version DESC LIMIT 1";
        let row = sqlx::query(sql).bind(self.team).bind(role.name()).fetch_optional(self.pool()).await?;
        row.map(|row| Ok((words::number(&row, "version")?, row.try_get("content")?))).transpose()
    }

    /// The newest manifest.
    pub async fn newest_manifest(&self) -> Result<Option<ManifestFile>, StoreError> {
        let sql = "SELECT sequence, content FROM manifests WHERE team_id = $1 ORDER BY sequence DESC LIMIT 1";
        let row = sqlx::query(sql).bind(self.team).fetch_optional(self.pool()).await?;
        row.map(|row| {
            Ok(ManifestFile { sequence: words::number(&row, "sequence")?, content: row.try_get("content")? })
        })
        .transpose()
    }

    /// A target as a client asks for it: `{sha256}.manifest.json`, or
    /// `{sha256}.{sha256}` for a script.
    pub async fn target(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some((digest, name)) = name.split_once('.') else { return Ok(None) };
        let Some(digest) = Digest::parse(digest) else { return Ok(None) };
        if name == digest.to_string() {
            return self.script(&digest).await;
        }
        if name != manifest::TARGET {
            return Ok(None);
        }
        let sql = "SELECT content FROM manifests WHERE team_id = $1 AND digest = $2 ORDER BY sequence DESC";
        let query = sqlx::query(sql).bind(self.team).bind(digest.to_string());
        let row = query.fetch_optional(self.pool()).await?;
        row.map(|row| Ok(row.try_get("content")?)).transpose()
    }

    /// What waits for signatures.
    pub async fn waiting(&self) -> Result<Vec<Waiting>, StoreError> {
        let sql = "SELECT role, version, content, sequence, manifest FROM waiting
            WHERE team_id = $1 ORDER BY role, version";
        let rows = sqlx::query(sql).bind(self.team).fetch_all(self.pool()).await?;
        rows.iter().map(waiting_row).collect()
    }

    /// The newest versions: what a publication has to expect.
    pub async fn newest_versions(&self) -> Result<Versions, StoreError> {
        newest_versions(self.pool(), self.team).await
    }

    /// The highest versions that were ever given out. The next is above both
    /// these and the newest.
    pub async fn floor(&self) -> Result<Versions, StoreError> {
        floor(self.pool(), self.team).await
    }
}

/// The newest versions, in one statement so that they fit together.
pub(super) async fn newest_versions<'c>(
    database: impl Executor<'c, Database = sqlx::Any>,
    team: i64,
) -> Result<Versions, StoreError> {
    let sql = "SELECT role AS name, MAX(version) AS value FROM metadata WHERE team_id = $1 GROUP BY role
        UNION ALL SELECT 'sequence', MAX(sequence) FROM manifests WHERE team_id = $1 GROUP BY team_id
        UNION ALL SELECT name, value FROM counters WHERE team_id = $1 AND name = 'revision'";
    numbered(&sqlx::query(sql).bind(team).fetch_all(database).await?)
}

/// What was ever given out.
pub(super) async fn floor<'c>(
    database: impl Executor<'c, Database = sqlx::Any>,
    team: i64,
) -> Result<Versions, StoreError> {
    let sql = "SELECT name, value FROM floors WHERE team_id = $1";
    numbered(&sqlx::query(sql).bind(team).fetch_all(database).await?)
}

fn numbered(rows: &[AnyRow]) -> Result<Versions, StoreError> {
    let mut versions = Versions::default();
    for row in rows {
        let (name, value): (String, u64) = (row.try_get("name")?, words::number(row, "value")?);
        match (TufRole::named(&name), name.as_str()) {
            (Some(role), _) => *versions.of_mut(role) = value,
            (None, "sequence") => versions.sequence = value,
            (None, "revision") => versions.revision = value,
            (None, _) => return Err(StoreError::Unreadable { what: format!("a version of {name:?}") }),
        }
    }
    Ok(versions)
}

fn role_of(row: &AnyRow) -> Result<TufRole, StoreError> {
    let name: String = row.try_get("role")?;
    TufRole::named(&name).ok_or_else(|| StoreError::Unreadable { what: format!("the role {name:?}") })
}

fn key_row(row: &AnyRow) -> Result<KeyRow, StoreError> {
    Ok(KeyRow {
        key_id: row.try_get("key_id")?,
        role: role_of(row)?,
        public: row.try_get("public")?,
        sealed: row.try_get("sealed")?,
    })
}

fn waiting_row(row: &AnyRow) -> Result<Waiting, StoreError> {
    let file = SignedFile {
        role: role_of(row)?,
        version: words::number(row, "version")?,
        content: row.try_get("content")?,
    };
    let Some(content) = row.try_get("manifest")? else { return Ok(Waiting { file, manifest: None }) };
    let manifest = ManifestFile { sequence: words::number(row, "sequence")?, content };
    Ok(Waiting { file, manifest: Some(manifest) })
}
