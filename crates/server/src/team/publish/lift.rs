//! The way up after an old backup was put back: devices have seen higher
//! versions, and would refuse everything until the server had counted up to
//! them again.

use super::PublishError;
use super::scene::attempt;
use crate::team::sign::Signer;
use crate::team::store::{Publication, TeamStore, Versions};
use crate::team::wire::{Mode, Report};

/// How far devices may raise the sequence at once: what they say is a word,
/// not a proof.
const HIGHEST_JUMP: u64 = 10_000;
/// Seconds until a word of devices raises it again.
const PAUSE: u64 = 60;

/// Raises everything when a device has seen what this database never gave out.
pub async fn lift_for(
    team: &TeamStore,
    signer: &Signer,
    report: &Report,
    now: i64,
) -> Result<(), PublishError> {
    let newest = team.newest_versions().await?.sequence;
    let behind = report.sequence > newest || report.code == "rollback";
    match behind && report.sequence <= newest.saturating_add(HIGHEST_JUMP) && has_rested(team, now).await? {
        true => lift_by_word(team, signer, report.sequence, now).await,
        false => Ok(()),
    }
}

/// The same for what all devices said before.
pub async fn lift_if_seen(team: &TeamStore, signer: &Signer, now: i64) -> Result<(), PublishError> {
    let sequence = team.highest_reported().await?;
    let newest = team.newest_versions().await?.sequence;
    match newest < sequence
        && sequence <= newest.saturating_add(HIGHEST_JUMP)
        && has_rested(team, now).await?
    {
        true => lift_by_word(team, signer, sequence, now).await,
        false => Ok(()),
    }
}

/// Where the admins sign, a device's word must not make their signatures
/// worthless: only what the server signs itself is raised.
async fn lift_by_word(team: &TeamStore, signer: &Signer, seen: u64, now: i64) -> Result<(), PublishError> {
    match team.info().await?.mode {
        Mode::Easy => lift(team, signer, seen, now).await,
        Mode::Strict => {
            tracing::error!(
                team = team.id(),
                sequence = seen,
                "devices have seen newer hooks: the admins have to publish anew"
            );
            let version = seconds(now);
            let above = Versions { snapshot: version, timestamp: version, ..Versions::default() };
            team.raise_floor(&above).await?;
            attempt(team, signer, now, |scene| {
                let mut work = Publication::after(scene.repository.newest);
                work.metadata = scene.repository.renewed(scene.now)?;
                Ok((work, ()))
            })
            .await
        }
    }
}

async fn has_rested(team: &TeamStore, now: i64) -> Result<bool, PublishError> {
    Ok(team.floor().await?.timestamp.saturating_add(PAUSE) < seconds(now))
}

fn seconds(now: i64) -> u64 {
    u64::try_from(now / 1000).unwrap_or(0)
}

/// Signs everything above what devices have seen, after a backup was put back
/// (an operator says so, or a device reports a sequence that this database
/// never gave out).
///
/// Devices report sequences, not versions; but versions count events, and no
/// repository has an event every second: the seconds since 1970 are above all
/// of them, and will be again after the next time.
pub async fn lift(team: &TeamStore, signer: &Signer, seen: u64, now: i64) -> Result<(), PublishError> {
    let (version, sequence) = (seconds(now), seen);
    let above =
        Versions { targets: version, snapshot: version, timestamp: version, sequence, ..Versions::default() };
    team.raise_floor(&above).await?;
    tracing::warn!(
        team = team.id(),
        sequence,
        "devices have seen newer hooks: signing everything above them"
    );
    attempt(team, signer, now, |scene| {
        let mut work = Publication::after(scene.repository.newest);
        // Until the admins have signed, at least what the server may sign is
        // above what devices have seen.
        if scene.team.mode == Mode::Strict {
            work.metadata = scene.repository.renewed(scene.now)?;
        }
        scene.again(&mut work)?;
        Ok((work, ()))
    })
    .await
}
