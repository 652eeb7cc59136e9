//! Releases: from the draft to what every device is offered, step by step, and
//! back.
//!
//! Each step reads what is there, changes the line of releases, and commits the
//! line together with the manifest and the signed files that offer it. When
//! another process was faster, it starts again. Where the admins hold the keys
//! (strict mode) the signed files wait for them instead.

mod compose;
mod hints;
mod lift;
mod line;
mod report;
mod review;
mod scene;
mod setup;
mod signing;
mod tick;

pub use hints::{Hints, PATIENCE, TooMany};
pub use lift::lift;
pub use line::{By, Line, LineError};
pub use report::report;
pub use review::{Review, review};
pub use setup::set_up;
pub use signing::{add_signature, propose, rotate, signing};
pub use tick::{Standing, tick};

use std::collections::BTreeMap;

use boathook_engine::bundle::manifest::Refused;

use crate::team::sign::{SignError, Signer};
use crate::team::store::{Publication, StoreError, TeamStore, TufRole};
use crate::team::wire::{Hook, HookDraft, Member, MemberChange, Mode, Publish, Release, TeamChange};
use scene::{Scene, attempt, change};

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The release cannot go there.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A client would refuse it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// No device could run it.
    #[error("{0}")]
    CannotRun(String),
    /// It could not be signed.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// A new table of keys waits for signatures.
    #[error("new keys wait for signatures of the admins: sign them first, with `boathook team admin sign`")]
    KeysWait,
    /// A signature does not fit.
    #[error("{0}")]
    Signature(String),
    /// Others publish all the time.
    #[error("others published again and again in the meantime; try again")]
    Busy,
}

impl From<StoreError> for PublishError {
    fn from(error: StoreError) -> PublishError {
        PublishError::Sign(SignError::Store(error))
    }
}

impl PublishError {
    fn is_conflict(&self) -> bool {
        matches!(self, PublishError::Sign(SignError::Store(StoreError::Conflict)))
    }
}

/// Publishes the draft.
pub async fn publish(
    team: &TeamStore,
    signer: &Signer,
    how: &Publish,
    by: &By,
) -> Result<Release, PublishError> {
    let (hooks, scripts) = compose::hooks_of(&team.hooks().await?);
    compose::check(&hooks, &scripts)?;
    change(team, signer, by.at, |line, work| {
        work.scripts.clone_from(&scripts);
        line.publish(hooks.clone(), how, by)
    })
    .await
}

/// Widens a release.
pub async fn advance(
    team: &TeamStore,
    signer: &Signer,
    number: i64,
    percent: u8,
    now: i64,
) -> Result<Release, PublishError> {
    change(team, signer, now, |line, _| line.advance(number, percent).map(|()| number)).await
}

/// Stops a release: devices that have it go back.
pub async fn halt(
    team: &TeamStore,
    signer: &Signer,
    number: i64,
    reason: &str,
    now: i64,
) -> Result<Release, PublishError> {
    change(team, signer, now, |line, _| line.halt(number, reason).map(|()| number)).await
}

/// Refuses a draft that no device could run.
pub fn check(draft: &HookDraft) -> Result<(), PublishError> {
    let draft = HookDraft { is_active: true, ..draft.clone() };
    let hook = Hook { id: 0, position: 0, version: 0, changed_at: 0, changed_by: String::new(), draft };
    let (hooks, scripts) = compose::hooks_of(&[hook]);
    compose::check(&hooks, &scripts)
}

/// Rolls back: a new release for everybody, with the content of an old one.
pub async fn restore(
    team: &TeamStore,
    signer: &Signer,
    number: i64,
    by: &By,
) -> Result<Release, PublishError> {
    if let Some(release) = team.release(number).await? {
        let mut scripts = BTreeMap::new();
        for digest in release.hooks.iter().map(|hook| hook.script.sha256) {
            scripts.extend(team.script(&digest).await?.map(|content| (digest, content)));
        }
        compose::check(&release.hooks, &scripts)?;
    }
    change(team, signer, by.at, |line, _| line.restore(number, by)).await
}

/// Changes a member. Who is in the canary group is part of what is signed while
/// a release is out for it alone: both go out together, or nothing is changed.
pub async fn set_member(
    team: &TeamStore,
    signer: &Signer,
    id: i64,
    change: &MemberChange,
    now: i64,
) -> Result<Option<Member>, PublishError> {
    let Some(before) = team.member(id).await? else { return Ok(None) };
    let Some(canary) = change.canary.filter(|canary| *canary != before.canary) else {
        return Ok(team.change_member(id, change).await?);
    };
    attempt(team, signer, now, |scene| {
        let mut work = Publication::after(scene.repository.newest);
        work.member = Some((id, change.clone()));
        scene.line.set_canary(id, canary);
        if scene.line.is_out_for_canaries() {
            offer_once_more(scene, &mut work)?;
        }
        Ok((work, ()))
    })
    .await?;
    Ok(team.member(id).await?)
}

/// Changes the team's settings. The policy for old hooks is part of what is
/// signed: both go out together, or nothing is changed.
pub async fn set(
    team: &TeamStore,
    signer: &Signer,
    change: &TeamChange,
    now: i64,
) -> Result<(), PublishError> {
    let before = team.info().await?.stale;
    let Some(stale) = change.stale.filter(|stale| *stale != before) else {
        return Ok(team.change(change).await?);
    };
    attempt(team, signer, now, |scene| {
        scene.team.stale = stale;
        let mut work = Publication::after(scene.repository.newest);
        work.settings = Some(change.clone());
        offer_once_more(scene, &mut work)?;
        Ok((work, ()))
    })
    .await
}

/// Offers what is out with what changed beside it, unless the admins have to
/// sign new keys first.
fn offer_once_more(scene: &Scene, work: &mut Publication) -> Result<(), PublishError> {
    let keys_wait = scene.waiting.iter().any(|waiting| waiting.file.role == TufRole::Root);
    match keys_wait && scene.team.mode == Mode::Strict {
        true => Err(PublishError::KeysWait),
        false => scene.again(work),
    }
}
