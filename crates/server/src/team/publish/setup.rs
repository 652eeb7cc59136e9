//! The keys of a team and its first manifest.

use jiff::Timestamp;

use boathook_engine::digest::Digest;

use super::PublishError;
use super::scene::Scene;
use crate::team::sign::Signer;
use crate::team::store::{Publication, TeamStore, TufRole};

/// Makes the keys of a team, its first root and a manifest without hooks, so
/// that devices can sign in before anything is published. A team that has them
/// keeps them. Gives the fingerprint that clients pin.
pub async fn set_up(team: &TeamStore, signer: &Signer, now: i64) -> Result<String, PublishError> {
    let info = team.info().await?;
    if !info.root_fingerprint.is_empty() {
        return Ok(info.root_fingerprint);
    }
    let made = found(team, signer, now).await;
    match made {
        // Another process made them at the same time.
        Err(error) if error.is_conflict() => {}
        Err(error) => return Err(error),
        Ok(()) => {}
    }
    Ok(team.info().await?.root_fingerprint)
}

async fn found(team: &TeamStore, signer: &Signer, now: i64) -> Result<(), PublishError> {
    let mut scene = Scene::read(team, signer, now).await?;
    // Another process made them since somebody looked.
    if scene.repository.files.contains_key(&TufRole::Root) {
        return Ok(());
    }
    let time = Timestamp::from_millisecond(now).unwrap_or(Timestamp::UNIX_EPOCH);
    let (root, keys, rows) = signer.found(team.id(), time)?;
    scene.repository.files.insert(TufRole::Root, root.content.clone());
    scene.repository.keys = keys;
    let mut work = Publication::after(scene.repository.newest);
    work.keys = rows;
    work.pinned_root = Some((root.version, Digest::of(&root.content).to_string()));
    work.metadata.push(root);
    scene.offer(&mut scene.line.clone(), &mut work)?;
    Ok(team.commit(work).await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::sign::Secret;
    use crate::team::store::Store;

    #[tokio::test]
    async fn who_comes_second_keeps_what_the_first_one_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("hooks.db").display().to_string();
        let store = Store::open(&file).await.expect("a database");
        let (team, _) = store.create_team("ours", "ann@example.com", 1).await.expect("a team");
        let (team, signer) = (store.team(team), Signer::new(Secret::from_bytes([5; 32])));
        let first = set_up(&team, &signer, 1).await.expect("keys");
        // Another process that had looked before that.
        found(&team, &signer, 2).await.expect("nothing to do");
        assert_eq!(team.info().await.expect("a team").root_fingerprint, first);
    }
}
