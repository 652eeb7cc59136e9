//! Signatures of the admins, and new keys: who signs for a team from now on.
//!
//! A new table of keys (a root) goes out when the old keys and the new ones
//! have signed it, together with a list of targets that the new keys signed.
//! The moment the admins hold the keys for hooks, the server forgets its own.

use boathook_engine::digest::Digest;

use super::PublishError;
use super::scene::{Scene, attempt, offers};
use crate::team::sign::key::{PublicKey, Signature, SigningKey};
use crate::team::sign::metadata::{self, Roles, Signers};
use crate::team::sign::{Repository, SignError, Signer, end, roles_of, strict};
use crate::team::store::{KeyRow, ManifestFile, Publication, SignedFile, TeamStore, TufRole, Waiting};
use crate::team::wire::{KeySet, Mode, NewKeys, NewSignature, Signing, ToSign};

/// The most keys of a role.
const MOST_KEYS: usize = 50;

/// What waits for signatures.
pub async fn signing(team: &TeamStore, signer: &Signer) -> Result<Signing, PublishError> {
    Scene::read(team, signer, 0).await?.signing()
}

/// Takes a signature of an admin. What has enough of them goes out.
pub async fn add_signature(
    team: &TeamStore,
    signer: &Signer,
    new: &NewSignature,
    now: i64,
) -> Result<Signing, PublishError> {
    attempt(team, signer, now, |scene| {
        let mut scene = scene.clone_with(scene.take(new)?);
        let mut work = Publication::after(scene.repository.newest);
        work.waiting = Some(scene.waiting.clone());
        scene.put_out_complete(&mut work)?;
        scene.waiting = work.waiting.clone().unwrap_or_default();
        let left = scene.signing()?;
        Ok((work, left))
    })
    .await
}

/// Makes new keys for everything the server signs: after a key may have been
/// stolen, or after a stolen one was used to sign a version so high that none
/// could follow.
pub async fn rotate(team: &TeamStore, signer: &Signer, now: i64) -> Result<Signing, PublishError> {
    exchange(team, signer, &NewKeys { root: None, targets: None, online: true }, true, now).await
}

/// Hands the keys of a team to its admins, or exchanges them.
pub async fn propose(
    team: &TeamStore,
    signer: &Signer,
    keys: &NewKeys,
    now: i64,
) -> Result<Signing, PublishError> {
    exchange(team, signer, keys, false, now).await
}

async fn exchange(
    team: &TeamStore,
    signer: &Signer,
    keys: &NewKeys,
    all_own: bool,
    now: i64,
) -> Result<Signing, PublishError> {
    attempt(team, signer, now, |scene| {
        let old = scene.repository.roles()?;
        let mut made = Vec::new();
        let mut own = |role: TufRole, signers: &Signers, wanted: bool| -> Result<Signers, PublishError> {
            if !wanted || !scene.repository.holds(signers) {
                return Ok(signers.clone());
            }
            let (key, row) = signer.make_key(team.id(), role)?;
            let signers = Signers::one(key.public());
            made.push((key, row));
            Ok(signers)
        };
        let roles = Roles {
            root: chosen(keys.root.as_ref(), || own(TufRole::Root, &old.root, all_own))?,
            targets: chosen(keys.targets.as_ref(), || own(TufRole::Targets, &old.targets, all_own))?,
            snapshot: own(TufRole::Snapshot, &old.snapshot, keys.online)?,
            timestamp: own(TufRole::Timestamp, &old.timestamp, keys.online)?,
        };
        let (new_keys, rows): (Vec<SigningKey>, Vec<KeyRow>) = made.into_iter().unzip();
        let scene = scene.clone_with(scene.to_exchange(&old, &roles, &new_keys)?).with_keys(new_keys);
        let mut work = Publication::after(scene.repository.newest);
        (work.keys, work.waiting) = (rows, Some(scene.waiting.clone()));
        scene.put_out_complete(&mut work)?;
        let left = scene.clone_with(work.waiting.clone().unwrap_or_default()).signing()?;
        Ok((work, left))
    })
    .await
}

fn chosen(
    keys: Option<&KeySet>,
    own: impl FnOnce() -> Result<Signers, PublishError>,
) -> Result<Signers, PublishError> {
    let Some(set) = keys else { return own() };
    let wrong = |text: String| Err(PublishError::Signature(text));
    let mut keys = Vec::new();
    for text in &set.keys {
        let Some(key) = PublicKey::parse(text) else {
            return wrong(format!("{text:?} is no Ed25519 public key of 64 hexadecimal digits"));
        };
        if keys.contains(&key) {
            return wrong(format!("the key {text} is named twice"));
        }
        keys.push(key);
    }
    let threshold = set.threshold as usize;
    if threshold == 0 || threshold > keys.len() || keys.len() > MOST_KEYS {
        return wrong(format!(
            "{threshold} of {} keys cannot be: say a threshold from 1 to the number of keys, at most {MOST_KEYS}",
            keys.len()
        ));
    }
    Ok(Signers { keys, threshold: set.threshold })
}

impl Scene {
    fn clone_with(&self, waiting: Vec<Waiting>) -> Scene {
        let Repository { newest, floor, reserved, ref files, ref keys } = self.repository;
        let keys = keys.iter().map(|key| SigningKey::from_seed(&key.seed())).collect();
        Scene {
            team: self.team.clone(),
            line: self.line.clone(),
            repository: Repository { newest, floor, reserved, files: files.clone(), keys },
            published: self.published.clone(),
            waiting,
            now: self.now,
        }
    }

    fn with_keys(mut self, keys: Vec<SigningKey>) -> Scene {
        self.repository.keys.extend(keys);
        self
    }

    /// The root and the targets of new keys, as far as the server can sign them.
    fn to_exchange(
        &self,
        old: &Roles,
        new: &Roles,
        made: &[SigningKey],
    ) -> Result<Vec<Waiting>, PublishError> {
        let version = self.repository.next(TufRole::Root);
        let root = metadata::root(version, end(TufRole::Root, self.now), new);
        let mut own = self.repository.own(&old.root);
        own.extend(made.iter().filter(|key| new.root.keys.contains(&key.public())));
        let root = SignedFile { role: TufRole::Root, version, content: metadata::sign(&root, &own) };
        let mut waiting = vec![Waiting { file: root, manifest: None }];
        if new.targets != old.targets {
            let version = self.repository.next(TufRole::Targets);
            let signed = self.repository.next_targets(version, &self.repository.targets()?, self.now);
            let own: Vec<_> = made.iter().filter(|key| new.targets.keys.contains(&key.public())).collect();
            let file = SignedFile { role: TufRole::Targets, version, content: metadata::sign(&signed, &own) };
            waiting.push(Waiting { file, manifest: None });
        }
        Ok(waiting)
    }

    /// What waits, with one more signature.
    fn take(&self, new: &NewSignature) -> Result<Vec<Waiting>, PublishError> {
        let wrong = |text: String| Err(PublishError::Signature(text));
        let mut waiting = self.waiting.clone();
        let fits = |one: &&mut Waiting| one.file.role.name() == new.role && one.file.version == new.version;
        let Some(found) = waiting.iter_mut().find(fits) else {
            return wrong(format!(
                "no {} {} waits for signatures; ask again what does",
                new.role, new.version
            ));
        };
        let signers = self.signers_of(&found.file)?;
        let Some(key) = signers.iter().flat_map(|one| &one.keys).find(|key| key.id() == new.key) else {
            return wrong(format!("the key {} may not sign {} {}", new.key, new.role, new.version));
        };
        let signature = Signature { key: new.key.clone(), sig: new.sig.clone() };
        let bytes = strict::bytes_of(&found.file).ok_or(SignError::Unreadable(found.file.role))?;
        if !key.verifies(bytes.as_bytes(), &signature) {
            return wrong(
                "the signature does not fit the bytes that wait; fetch them again and sign them".into(),
            );
        }
        found.file =
            strict::with_signature(&found.file, signature).ok_or(SignError::Unreadable(found.file.role))?;
        Ok(waiting)
    }

    /// Whose signatures a waiting file needs: all of these.
    fn signers_of(&self, file: &SignedFile) -> Result<Vec<Signers>, PublishError> {
        let now = self.repository.roles()?;
        let next = self.waiting.iter().find(|waiting| waiting.file.role == TufRole::Root);
        let next = next.map(|root| roles_of(&root.file.content)).transpose()?;
        Ok(match file.role {
            TufRole::Root => [Some(now.root), next.map(|next| next.root)].into_iter().flatten().collect(),
            _ => vec![next.unwrap_or(now).targets],
        })
    }

    fn is_complete(&self, waiting: &Waiting) -> Result<bool, PublishError> {
        let signers = self.signers_of(&waiting.file)?;
        Ok(signers.iter().all(|signers| strict::is_complete(&waiting.file, signers)))
    }

    /// Puts out what has all its signatures, if it is what is to be out.
    fn put_out_complete(&self, work: &mut Publication) -> Result<(), PublishError> {
        if let Some(root) = self.waiting.iter().find(|waiting| waiting.file.role == TufRole::Root) {
            for waiting in &self.waiting {
                if !self.is_complete(waiting)? {
                    return Ok(());
                }
            }
            return self.put_out_keys(root, work);
        }
        let offered = self.line.offered();
        for waiting in &self.waiting {
            if offers(waiting.manifest.as_ref(), &offered) && self.is_complete(waiting)? {
                let mut line = self.line.clone();
                self.release_signed(waiting.clone(), &mut line, work)?;
                work.releases = line.changed_since(&self.line);
                return Ok(());
            }
        }
        Ok(())
    }

    /// From now on the keys of this root sign.
    fn put_out_keys(&self, root: &Waiting, work: &mut Publication) -> Result<(), PublishError> {
        let (old, new) = (self.repository.roles()?, roles_of(&root.file.content)?);
        let targets = self.waiting.iter().find(|waiting| waiting.file.role == TufRole::Targets);
        let newest = self.repository.file(TufRole::Targets)?;
        let named = targets.map_or((self.repository.newest.targets, newest), |targets| {
            (targets.file.version, targets.file.content.as_slice())
        });
        let below = self.repository.sign_below(&new, named, self.now)?;
        work.metadata.push(root.file.clone());
        work.metadata.extend(targets.map(|targets| targets.file.clone()));
        work.metadata.extend(below);
        work.keys.extend(self.forgotten(&old, &new));
        work.mode = Some(match self.repository.holds(&new.targets) && self.repository.holds(&new.root) {
            true => Mode::Easy,
            false => Mode::Strict,
        });
        // What the server's old key signed no longer decides for newcomers.
        if !self.repository.holds(&new.root) {
            let fingerprint = Digest::of(&root.file.content).to_string();
            work.pinned_root = Some((root.file.version, fingerprint));
        }
        work.waiting = Some(Vec::new());
        Ok(())
    }

    /// The server's keys that no longer sign, without their private part.
    fn forgotten(&self, old: &Roles, new: &Roles) -> Vec<KeyRow> {
        let table = [
            (TufRole::Root, &old.root, &new.root),
            (TufRole::Targets, &old.targets, &new.targets),
            (TufRole::Snapshot, &old.snapshot, &new.snapshot),
            (TufRole::Timestamp, &old.timestamp, &new.timestamp),
        ];
        let gone = table.iter().flat_map(|(role, old, new)| {
            let own = self.repository.own(old).into_iter().map(SigningKey::public);
            own.filter(|key| !new.keys.contains(key)).map(|key| (*role, key))
        });
        gone.map(|(role, key)| KeyRow {
            key_id: key.id(),
            role,
            public: key.hex().into_bytes(),
            sealed: None,
        })
        .collect()
    }

    fn signing(&self) -> Result<Signing, PublishError> {
        let waiting = self.waiting.iter().map(|waiting| self.to_sign(waiting)).collect::<Result<_, _>>()?;
        Ok(Signing { waiting })
    }

    fn to_sign(&self, waiting: &Waiting) -> Result<ToSign, PublishError> {
        let signers = self.signers_of(&waiting.file)?;
        let mut keys: Vec<PublicKey> = signers.iter().flat_map(|one| &one.keys).copied().collect();
        keys.sort();
        keys.dedup();
        let signed = signers.iter().flat_map(|one| strict::signed_by(&waiting.file, one));
        let mut signed: Vec<String> = signed.map(|key| key.id()).collect();
        signed.sort();
        signed.dedup();
        let text = |manifest: &ManifestFile| String::from_utf8(manifest.content.clone()).ok();
        // Without a manifest of its own it is the one that is out, signed anew.
        let shown = waiting.manifest.as_ref().or(self.published.as_ref());
        let shown = shown.filter(|_| waiting.file.role == TufRole::Targets);
        Ok(ToSign {
            role: waiting.file.role.name().to_owned(),
            version: waiting.file.version,
            bytes: strict::bytes_of(&waiting.file).ok_or(SignError::Unreadable(waiting.file.role))?,
            manifest: shown.and_then(text),
            keys: keys.iter().map(PublicKey::id).collect(),
            signed,
            threshold: signers.iter().map(|one| one.threshold).max().unwrap_or(1),
        })
    }
}
