//! The team itself.

use axum::Json;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::Sent;
use crate::team::publish;
use crate::team::store::TeamRow;
use crate::team::wire::{Role, Team, TeamChange};

const LONGEST_NAME: usize = 200;

/// `GET /api/v1/team`
pub async fn show(call: Call) -> Result<Json<Team>, Refusal> {
    shown(&call).await.map(Json)
}

/// `PATCH /api/v1/team`
pub async fn change(call: Call, Sent(change): Sent<TeamChange>) -> Result<Json<Team>, Refusal> {
    check(&change)?;
    let before = call.team().info().await?.stale;
    call.team().change(&change).await?;
    // The policy for old hooks is part of what is signed.
    if change.stale.is_some_and(|stale| stale != before) {
        publish::reissue(&call.team(), &call.app.signer, call.now()).await?;
    }
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

fn check(change: &TeamChange) -> Result<(), Refusal> {
    let unfit = |name: &String| {
        name.trim().is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control)
    };
    if change.name.as_ref().is_some_and(unfit) {
        return Err(Refusal::invalid("name: write the team's name in a few words"));
    }
    match change.halt_percent {
        Some(percent) if !(1..=100).contains(&percent) => {
            Err(Refusal::invalid("halt_percent: a number from 1 to 100"))
        }
        Some(_) | None => Ok(()),
    }
}
