//! What devices say of a release, and when that stops it.

use boathook_engine::bundle::manifest::{self, Manifest};

use super::lift::lift_for;
use super::line::LineError;
use super::{PublishError, halt};
use crate::team::sign::Signer;
use crate::team::store::{TeamRow, TeamStore, Trials};
use crate::team::wire::{Release, ReleaseState, Report};

/// Codes of a sync that went well.
const FINE: [&str; 3] = ["applied", "unchanged", "stale"];

/// Keeps a device's report. When too many devices fail with a release that is
/// rolling out, it halts; the halted release is given back.
pub async fn report(
    team: &TeamStore,
    signer: &Signer,
    device: &str,
    report: &Report,
    now: i64,
) -> Result<Option<Release>, PublishError> {
    // No database ever gave out a number that none can hold.
    let (Ok(_), Ok(number)) = (i64::try_from(report.sequence), i64::try_from(report.release)) else {
        return Ok(None);
    };
    team.save_report(device, report, now).await?;
    lift_for(team, signer, report, now).await?;
    if FINE.contains(&report.code.as_str()) {
        return Ok(None);
    }
    let Some(release) = team.release(number).await? else { return Ok(None) };
    if release.state != ReleaseState::Rolling {
        return Ok(None);
    }
    let info = team.info().await?;
    let offered = offered(team, &info, &release).await?;
    let is_for = |device: &str, member| offered.release_for(device, member).is_some();
    let trials = team.reports_of(number, is_for).await?;
    if !is_too_bad(&info, &trials) {
        return Ok(None);
    }
    let reason =
        format!("{} of {} that tried it failed, the last with {}", trials.failed, trials.tried, report.code);
    tracing::warn!(team = team.id(), release = number, reason, "a release halts by itself");
    match halt(team, signer, number, &reason, now).await {
        Ok(release) => Ok(Some(release)),
        // Another report halted it at the same time.
        Err(PublishError::Line(LineError::State { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The release as a device reads whether it is for it. The word of those that
/// were never offered it does not count.
async fn offered(team: &TeamStore, info: &TeamRow, release: &Release) -> Result<Manifest, PublishError> {
    let members = team.members().await?.into_iter();
    let members = members.filter(|member| release.canary && member.canary).map(|member| member.id).collect();
    let rollout = Some(manifest::Rollout { members, percent: release.percent });
    let release = manifest::Release { number: release.number.unsigned_abs(), rollout, hooks: Vec::new() };
    Ok(Manifest {
        format: manifest::FORMAT,
        team: info.id,
        repository: info.repository.clone(),
        channel: info.channel.clone(),
        sequence: 0,
        created: String::new(),
        stale: info.stale,
        releases: vec![release],
    })
}

fn is_too_bad(team: &TeamRow, trials: &Trials) -> bool {
    let share = u64::from(trials.failed) * 100 >= u64::from(team.halt_percent) * u64::from(trials.tried);
    trials.failed > 0 && trials.failed >= team.halt_least && share
}
