//! Keeps what is signed fresh, and says aloud when that fails.
//!
//! Called often; it signs only what is due: the timestamp every hour, the
//! snapshot at half its life, root and targets a month before their end. A
//! client of a team whose timestamp ran out goes on with the hooks it has.

use jiff::{SignedDuration, Timestamp};

use super::PublishError;
use super::lift::lift_if_seen;
use super::scene::{Scene, offers};
use crate::team::sign::{SignError, Signer, YEARLY_BEFORE, expires_of, lifetime};
use crate::team::store::{Publication, SignedFile, Store, StoreError, TeamStore, TufRole};
use crate::team::wire::Mode;

/// How often a team is tried when others sign at the same time.
const TRIES: usize = 3;

/// How a signed file of a team stands after a tick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The team.
    pub team: i64,
    /// The file.
    pub role: TufRole,
    /// Until when it is good.
    pub expires: Timestamp,
    /// Why it could not be signed anew, if so.
    pub failed: Option<String>,
}

impl Standing {
    /// Whether somebody has to look: half of the life of what the server signs
    /// every hour is gone, or the end of what is good for a year is near.
    pub fn is_alarming(&self, now: i64) -> bool {
        let left = self.left(now);
        match self.role {
            TufRole::Root | TufRole::Targets => left < YEARLY_BEFORE,
            TufRole::Snapshot | TufRole::Timestamp => left * 2 < lifetime(self.role),
        }
    }

    /// How long it is still good; negative when it ran out.
    pub fn left(&self, now: i64) -> SignedDuration {
        self.expires.duration_since(Timestamp::from_millisecond(now).unwrap_or(Timestamp::UNIX_EPOCH))
    }
}

/// Signs anew what is due, for every team. One team's failure is not
/// another's: it is logged and stands in the answer.
pub async fn tick(store: &Store, signer: &Signer, now: i64) -> Result<Vec<Standing>, StoreError> {
    let mut standings = Vec::new();
    for number in store.teams().await? {
        let team = store.team(number);
        let failed = match renew(&team, signer, now).await {
            Ok(()) | Err(PublishError::Sign(SignError::NotSetUp)) => None,
            Err(error) => Some(error.to_string()),
        };
        for standing in standing(&team, failed).await? {
            say(&standing, now);
            standings.push(standing);
        }
    }
    Ok(standings)
}

async fn renew(team: &TeamStore, signer: &Signer, now: i64) -> Result<(), PublishError> {
    lift_if_seen(team, signer, now).await?;
    for _ in 0..TRIES {
        let scene = Scene::read(team, signer, now).await?;
        let mut work = Publication::after(scene.repository.newest);
        work.metadata = scene.repository.renewed(scene.now)?;
        let ends = scene.repository.expires(TufRole::Targets)?.duration_since(scene.now) < YEARLY_BEFORE;
        let offered = scene.line.offered();
        let waits = scene
            .waiting
            .iter()
            .any(|waiting| waiting.file.role == TufRole::Root || offers(waiting.manifest.as_ref(), &offered));
        if scene.team.mode == Mode::Strict && ends && !waits {
            scene.again(&mut work)?;
        }
        // New keys that wait were made for the files before these.
        let yearly = |file: &SignedFile| matches!(file.role, TufRole::Root | TufRole::Targets);
        if !scene.waiting.is_empty() && work.metadata.iter().any(yearly) {
            work.waiting = Some(Vec::new());
        }
        if work.metadata.is_empty() && work.waiting.is_none() {
            return Ok(());
        }
        match team.commit(work).await {
            Err(StoreError::Conflict) => {}
            done => return Ok(done?),
        }
    }
    // Others sign all the time: what they signed is fresh.
    Ok(())
}

async fn standing(team: &TeamStore, failed: Option<String>) -> Result<Vec<Standing>, StoreError> {
    let mut standings = Vec::new();
    for role in TufRole::ALL {
        let Some((_, content)) = team.newest(role).await? else { continue };
        let (expires, failed) = match expires_of(role, &content) {
            Ok(expires) => (expires, failed.clone()),
            Err(error) => (Timestamp::UNIX_EPOCH, Some(error.to_string())),
        };
        standings.push(Standing { team: team.id(), role, expires, failed });
    }
    Ok(standings)
}

fn say(standing: &Standing, now: i64) {
    let (team, role, expires) = (standing.team, standing.role.name(), standing.expires.to_string());
    let failed = standing.failed.as_deref().unwrap_or("it waits for the admins");
    if standing.is_alarming(now) {
        tracing::error!(
            team,
            role,
            expires,
            failed,
            "a signed file runs out; devices will call their hooks stale"
        );
    } else if standing.failed.is_some() {
        tracing::warn!(team, role, expires, failed, "a signed file could not be signed anew");
    }
}
