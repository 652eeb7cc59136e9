//! The team itself.

use std::ops::RangeInclusive;

use axum::Json;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Sent;
use crate::team::publish;
use crate::team::store::TeamRow;
use crate::team::wire::{Role, Team, TeamChange};

const LONGEST_NAME: usize = 200;
/// With 0 every gate would be stopped by a server that is away for a day; after
/// more than a year nobody remembers that there is a policy.
const STALE_DAYS: RangeInclusive<u32> = 1..=365;

/// `GET /api/v1/team`
pub async fn show(call: Call) -> Result<Json<Team>, Refusal> {
    shown(&call).await.map(Json)
}

/// `PATCH /api/v1/team`
pub async fn change(call: Call, Sent(change): Sent<TeamChange>) -> Result<Json<Team>, Refusal> {
    check(&change)?;
    publish::set(&call.team(), &call.app.signer, &change, call.now()).await?;
    shown(&call).await.map(Json)
}

/// The team as the caller sees it.
pub async fn shown(call: &Call) -> Result<Team, Refusal> {
    let row = call.team().info().await?;
    Ok(seen_by(row, call.caller.role, call.caller.email.clone()))
}

/// A team's row as somebody sees it.
pub fn seen_by(row: TeamRow, role: Role, email: Option<String>) -> Team {
    Team {
        id: row.id,
        name: row.name,
        mode: row.mode,
        repository: row.repository,
        channel: row.channel,
        root_fingerprint: row.root_fingerprint,
        root_version: row.root_version,
        stale: row.stale,
        halt_percent: row.halt_percent,
        halt_least: row.halt_least,
        role,
        email,
    }
}

/// Refuses what is no name for a team.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    match name.trim().is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        true => Err(Refusal::invalid("name: write the team's name in a few words")),
        false => Ok(()),
    }
}

fn check(change: &TeamChange) -> Result<(), Refusal> {
    change.name.as_deref().map_or(Ok(()), check_name)?;
    if change.stale.is_some_and(|stale| !STALE_DAYS.contains(&stale.days)) {
        let (least, most) = (STALE_DAYS.start(), STALE_DAYS.end());
        return Err(Refusal::invalid(format!("stale: days is a number from {least} to {most}")));
    }
    match change.halt_percent {
        Some(percent) if !(1..=100).contains(&percent) => {
            Err(Refusal::invalid("halt_percent: a number from 1 to 100"))
        }
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use boathook_engine::bundle::manifest::{Stale, StalePolicy};

    use super::*;

    #[test]
    fn a_policy_starts_after_a_day_at_least_and_a_year_at_most() {
        for (days, fits) in [(0, false), (1, true), (365, true), (366, false), (9999, false)] {
            let stale = Some(Stale { days, policy: StalePolicy::Warn });
            assert_eq!(check(&TeamChange { stale, ..TeamChange::default() }).is_ok(), fits, "{days}");
        }
    }
}
