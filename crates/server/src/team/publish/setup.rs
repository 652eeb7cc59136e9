//! The first manifest of a team, and the way up after an old backup was put
//! back.

use jiff::Timestamp;

use boathook_engine::digest::Digest;

use super::PublishError;
use super::scene::{Scene, attempt};
use crate::team::sign::{SignError, Signer};
use crate::team::store::{Publication, TeamStore, TufRole, Versions};

/// How far a device may raise the sequence: what it says is a word, not a proof.
const HIGHEST_JUMP: u64 = 10_000;

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
    let time = Timestamp::from_millisecond(now).unwrap_or(Timestamp::UNIX_EPOCH);
    let (root, keys, rows) = signer.found(team.id(), time)?;
    let mut scene = Scene::read(team, signer, now).await?;
    scene.repository.files.insert(TufRole::Root, root.content.clone());
    scene.repository.keys = keys;
    let mut work = Publication::after(scene.repository.newest);
    work.keys = rows;
    work.root_fingerprint = Some(Digest::of(&root.content).to_string());
    work.metadata.push(root);
    scene.offer(&mut scene.line.clone(), &mut work)?;
    Ok(team.commit(work).await?)
}

/// Signs everything above what devices have seen, after a backup was put back
/// (an operator says so, or a device reports a sequence that this database
/// never gave out).
///
/// Devices report sequences, not versions; but versions count events, and no
/// repository has an event every second: the seconds since 1970 are above all
/// of them, and will be again after the next time.
pub async fn lift(team: &TeamStore, signer: &Signer, seen: u64, now: i64) -> Result<(), PublishError> {
    let newest = team.newest_versions().await?.sequence;
    let seconds = u64::try_from(now / 1000).unwrap_or(0);
    let sequence = seen.min(newest.saturating_add(HIGHEST_JUMP));
    let above =
        Versions { root: 0, targets: seconds, snapshot: seconds, timestamp: seconds, sequence, revision: 0 };
    team.raise_floor(&above).await?;
    tracing::warn!(
        team = team.id(),
        sequence,
        "devices have seen newer hooks: signing everything above them"
    );
    attempt(team, signer, now, |scene| {
        let (mut line, mut work) = (scene.line.clone(), Publication::after(scene.repository.newest));
        match scene.offer(&mut line, &mut work) {
            Ok(()) => work.releases = line.changed_since(&scene.line),
            // The admins sign: until they do, at least what the server may
            // sign is above what devices have seen.
            Err(PublishError::Sign(SignError::NoKey(_))) => {
                work = Publication::after(scene.repository.newest);
                work.metadata = scene.repository.renewed(scene.now)?;
                scene.ask_again(&mut work)?;
            }
            Err(error) => return Err(error),
        }
        Ok((work, ()))
    })
    .await
}
