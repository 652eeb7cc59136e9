//! The server's side of signing: opens the private keys of the database, and
//! makes new ones.

use super::error::SignError;
use super::key::SigningKey;
use super::metadata::{self, Roles, Signers};
use super::provider;
use super::repository::{Repository, end};
use super::secret::Secret;
use crate::team::store::{KeyRow, SignedFile, Store, TeamStore, TufRole, Versions};

/// Signs with the keys that the server's secret opens.
pub struct Signer {
    secret: Secret,
}

impl Signer {
    /// With this secret.
    pub fn new(secret: Secret) -> Signer {
        provider::install();
        Signer { secret }
    }

    /// Whether the secret opens every key of the database. A server asks at its
    /// start: it is better to refuse then than to find out an hour later.
    pub async fn check(&self, store: &Store) -> Result<(), SignError> {
        for team in store.teams().await? {
            self.open_keys(&store.team(team)).await?;
        }
        Ok(())
    }

    /// What is signed for a team, and the keys for what comes next.
    pub async fn repository(&self, team: &TeamStore) -> Result<Repository, SignError> {
        // The versions are read before everything else: whoever publishes in
        // between makes the commit a conflict.
        let newest = team.newest_versions().await?;
        let (floor, mut reserved) = (team.floor().await?, Versions::default());
        for waiting in team.waiting().await? {
            raise(&mut reserved, waiting.file.role, waiting.file.version);
            reserved.sequence =
                reserved.sequence.max(waiting.manifest.map_or(0, |manifest| manifest.sequence));
        }
        let mut repository =
            Repository { newest, floor, reserved, files: Default::default(), keys: Vec::new() };
        for role in TufRole::ALL {
            if let Some((_, content)) = team.newest(role).await? {
                repository.files.insert(role, content);
            }
        }
        repository.keys = self.open_keys(team).await?;
        Ok(repository)
    }

    /// A new key, and how the database keeps it.
    pub fn make_key(&self, team: i64, role: TufRole) -> Result<(SigningKey, KeyRow), SignError> {
        let key = SigningKey::generate()?;
        let key_id = key.public().id();
        let sealed = self.secret.seal(&place(team, role, &key_id), &key)?;
        let row = KeyRow { key_id, role, public: key.public().hex().into_bytes(), sealed: Some(sealed) };
        Ok((key, row))
    }

    /// The first root of a team whose keys are all the server's: the root, the
    /// keys, and how the database keeps them.
    pub fn found(
        &self,
        team: i64,
        now: jiff::Timestamp,
    ) -> Result<(SignedFile, Vec<SigningKey>, Vec<KeyRow>), SignError> {
        let made = TufRole::ALL.map(|role| self.make_key(team, role));
        let made = made.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (keys, rows): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let [root, targets, snapshot, timestamp] = keys.as_slice() else { return Err(SignError::NotSetUp) };
        let roles = Roles {
            root: Signers::one(root.public()),
            targets: Signers::one(targets.public()),
            snapshot: Signers::one(snapshot.public()),
            timestamp: Signers::one(timestamp.public()),
        };
        let content = metadata::sign(&metadata::root(1, end(TufRole::Root, now), &roles), &[root]);
        Ok((SignedFile { role: TufRole::Root, version: 1, content }, keys, rows))
    }

    async fn open_keys(&self, team: &TeamStore) -> Result<Vec<SigningKey>, SignError> {
        let rows = team.keys().await?;
        let sealed = rows.iter().filter_map(|row| Some((row, row.sealed.as_deref()?)));
        let open = |(row, sealed): (&KeyRow, &[u8])| {
            let opened = self.secret.open(&place(team.id(), row.role, &row.key_id), sealed);
            opened.map_err(|_| SignError::OtherSecret { team: team.id() })
        };
        sealed.map(open).collect()
    }
}

/// What a sealed key is bound to: it cannot be moved to another team or role.
fn place(team: i64, role: TufRole, key_id: &str) -> String {
    format!("{team}:{}:{key_id}", role.name())
}

fn raise(versions: &mut Versions, role: TufRole, version: u64) {
    let place = match role {
        TufRole::Root => &mut versions.root,
        TufRole::Targets => &mut versions.targets,
        TufRole::Snapshot => &mut versions.snapshot,
        TufRole::Timestamp => &mut versions.timestamp,
    };
    *place = (*place).max(version);
}
