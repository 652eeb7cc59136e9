//! Publishing: everything that belongs together in one transaction, and only
//! when nobody else published since it was prepared.

use boathook_engine::digest::Digest;
use sqlx::{Any, Transaction};

use super::error::StoreError;
use super::rows::{KeyRow, ManifestFile, Publication, SignedFile, TufRole, Versions, Waiting};
use super::{TeamStore, metadata, releases, settings, words};

/// How many files of a role a client may still be reading. Every root stays:
/// a client walks them one by one.
fn kept(role: TufRole) -> Option<i64> {
    match role {
        TufRole::Root => None,
        TufRole::Targets | TufRole::Snapshot => Some(20),
        TufRole::Timestamp => Some(2),
    }
}

/// How many manifests a client may still be reading.
const MANIFESTS: i64 = 20;

impl TeamStore {
    /// Publishes. `Conflict` when the versions are no longer those that were
    /// expected, `Floor` when one would not go up; then nothing was written.
    pub async fn commit(&self, publication: Publication) -> Result<(), StoreError> {
        let mut work = self.write().await?;
        self.claim(&mut work, &publication.expected).await?;
        self.put_scripts(&mut work, &publication).await?;
        for release in &publication.releases {
            releases::put(&mut work, self.team, release).await?;
        }
        for key in &publication.keys {
            self.put_key(&mut work, key).await?;
        }
        for file in &publication.metadata {
            self.put_metadata(&mut work, file).await?;
        }
        if let Some(manifest) = &publication.manifest {
            self.put_manifest(&mut work, manifest).await?;
        }
        if let Some(waiting) = &publication.waiting {
            self.replace_waiting(&mut work, waiting).await?;
        }
        if let Some(change) = &publication.settings {
            settings::update(&mut work, self.team, change).await?;
        }
        if let Some((member, change)) = &publication.member {
            self.update_member(&mut work, *member, change).await?;
        }
        self.set_up(&mut work, &publication).await?;
        work.commit().await?;
        if publication.keys.iter().any(|key| key.sealed.is_none()) {
            self.store.forget().await;
        }
        Ok(())
    }

    /// Raises what was ever given out, after a backup was put back. Nothing goes down.
    pub async fn raise_floor(&self, to: &Versions) -> Result<(), StoreError> {
        let mut work = self.write().await?;
        for role in TufRole::ALL {
            self.raise(&mut work, role.name(), to.of(role)).await?;
        }
        self.raise(&mut work, "sequence", to.sequence).await?;
        work.commit().await?;
        Ok(())
    }

    /// Counts this publication, which makes every other wait, and then looks
    /// whether all is as it was.
    async fn claim(
        &self,
        work: &mut Transaction<'static, Any>,
        expected: &Versions,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO counters (team_id, name, value) VALUES ($1, 'revision', 1)
            ON CONFLICT (team_id, name) DO UPDATE SET value = counters.value + 1";
        sqlx::query(sql).bind(self.team).execute(&mut **work).await?;
        let mut found = metadata::newest_versions(&mut **work, self.team).await?;
        found.revision = found.revision.saturating_sub(1);
        match found == *expected {
            true => Ok(()),
            false => Err(StoreError::Conflict),
        }
    }

    async fn put_scripts(
        &self,
        work: &mut Transaction<'static, Any>,
        publication: &Publication,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO scripts (team_id, digest, content) VALUES ($1, $2, $3)
            ON CONFLICT (team_id, digest) DO NOTHING";
        for (digest, content) in &publication.scripts {
            if Digest::of(content) != *digest {
                return Err(StoreError::Unfit(format!("a script does not have the digest {digest}")));
            }
            let query = sqlx::query(sql).bind(self.team).bind(digest.to_string());
            query.bind(content.clone()).execute(&mut **work).await?;
        }
        Ok(())
    }

    async fn put_key(&self, work: &mut Transaction<'static, Any>, key: &KeyRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO keys (team_id, role, key_id, public, sealed) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (team_id, role, key_id)
            DO UPDATE SET public = excluded.public, sealed = excluded.sealed";
        let query = sqlx::query(sql).bind(self.team).bind(key.role.name()).bind(&key.key_id);
        query.bind(key.public.clone()).bind(key.sealed.clone()).execute(&mut **work).await?;
        Ok(())
    }

    async fn put_metadata(
        &self,
        work: &mut Transaction<'static, Any>,
        file: &SignedFile,
    ) -> Result<(), StoreError> {
        let floor = metadata::floor(&mut **work, self.team).await?.of(file.role);
        self.above(work, file.role.name(), file.version, floor).await?;
        let version = words::stored(file.version)?;
        let sql = "INSERT INTO metadata (team_id, role, version, content) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(self.team).bind(file.role.name()).bind(version);
        query.bind(file.content.clone()).execute(&mut **work).await?;
        if let Some(kept) = kept(file.role) {
            let sql = "DELETE FROM metadata WHERE team_id = $1 AND role = $2 AND version <= $3";
            let query = sqlx::query(sql).bind(self.team).bind(file.role.name()).bind(version - kept);
            query.execute(&mut **work).await?;
        }
        Ok(())
    }

    async fn put_manifest(
        &self,
        work: &mut Transaction<'static, Any>,
        manifest: &ManifestFile,
    ) -> Result<(), StoreError> {
        let floor = metadata::floor(&mut **work, self.team).await?.sequence;
        self.above(work, "sequence", manifest.sequence, floor).await?;
        let sequence = words::stored(manifest.sequence)?;
        let sql = "INSERT INTO manifests (team_id, sequence, digest, content) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(self.team).bind(sequence);
        let query = query.bind(Digest::of(&manifest.content).to_string()).bind(manifest.content.clone());
        query.execute(&mut **work).await?;
        let sql = "DELETE FROM manifests WHERE team_id = $1 AND sequence <= $2";
        sqlx::query(sql).bind(self.team).bind(sequence - MANIFESTS).execute(&mut **work).await?;
        Ok(())
    }

    async fn replace_waiting(
        &self,
        work: &mut Transaction<'static, Any>,
        waiting: &[Waiting],
    ) -> Result<(), StoreError> {
        let forget = "DELETE FROM waiting WHERE team_id = $1";
        sqlx::query(forget).bind(self.team).execute(&mut **work).await?;
        let sql = "INSERT INTO waiting (team_id, role, version, content, sequence, manifest)
            VALUES ($1, $2, $3, $4, $5, $6)";
        for Waiting { file, manifest } in waiting {
            let sequence = manifest.as_ref().map(|manifest| words::stored(manifest.sequence)).transpose()?;
            let query = sqlx::query(sql).bind(self.team).bind(file.role.name());
            let query = query.bind(words::stored(file.version)?).bind(file.content.clone()).bind(sequence);
            let content = manifest.as_ref().map(|manifest| manifest.content.clone());
            query.bind(content).execute(&mut **work).await?;
        }
        Ok(())
    }

    async fn set_up(
        &self,
        work: &mut Transaction<'static, Any>,
        publication: &Publication,
    ) -> Result<(), StoreError> {
        let mode = publication.mode.as_ref().map(words::word).transpose()?;
        let sql =
            "UPDATE teams SET mode = COALESCE($2, mode), root_fingerprint = COALESCE($3, root_fingerprint)
            WHERE team_id = $1";
        let query = sqlx::query(sql).bind(self.team).bind(mode);
        let (version, fingerprint) = publication.pinned_root.clone().unzip();
        query.bind(fingerprint).execute(&mut **work).await?;
        let Some(version) = version else { return Ok(()) };
        let sql = "INSERT INTO counters (team_id, name, value) VALUES ($1, 'pinned_root', $2)
            ON CONFLICT (team_id, name) DO UPDATE SET value = excluded.value";
        sqlx::query(sql).bind(self.team).bind(words::stored(version)?).execute(&mut **work).await?;
        Ok(())
    }

    /// Refuses a version that is not above everything given out, and makes it the new floor.
    async fn above(
        &self,
        work: &mut Transaction<'static, Any>,
        what: &'static str,
        version: u64,
        floor: u64,
    ) -> Result<(), StoreError> {
        if version <= floor {
            return Err(StoreError::Floor { what, version, floor });
        }
        self.raise(work, what, version).await
    }

    async fn raise(
        &self,
        work: &mut Transaction<'static, Any>,
        name: &str,
        version: u64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO floors (team_id, name, value) VALUES ($1, $2, $3)
            ON CONFLICT (team_id, name) DO UPDATE SET value = excluded.value
            WHERE floors.value < excluded.value";
        let query = sqlx::query(sql).bind(self.team).bind(name).bind(words::stored(version)?);
        query.execute(&mut **work).await?;
        Ok(())
    }
}
