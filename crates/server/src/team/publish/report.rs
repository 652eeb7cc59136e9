//! What devices say of a release, and when that stops it.

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
    let (info, trials) = (team.info().await?, team.reports_of(number).await?);
    if release.state != ReleaseState::Rolling || !is_too_bad(&info, &trials) {
        return Ok(None);
    }
    let reason = format!(
        "{} of {} devices that tried it failed, the last with {}",
        trials.failed, trials.tried, report.code
    );
    tracing::warn!(team = team.id(), release = number, reason, "a release halts by itself");
    match halt(team, signer, number, &reason, now).await {
        Ok(release) => Ok(Some(release)),
        // Another report halted it at the same time.
        Err(PublishError::Line(LineError::State { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_too_bad(team: &TeamRow, trials: &Trials) -> bool {
    let share = u64::from(trials.failed) * 100 >= u64::from(team.halt_percent) * u64::from(trials.tried);
    trials.failed > 0 && trials.failed >= team.halt_least && share
}
