//! One step of publishing: read, change, sign or let wait, commit; again when
//! another process was faster.

use std::collections::BTreeMap;

use jiff::Timestamp;

use boathook_engine::bundle::manifest::{self, Manifest};

use super::PublishError;
use super::compose::compose;
use super::line::{Line, LineError};
use crate::team::sign::metadata::FileRef;
use crate::team::sign::{Repository, Signer, metadata, strict};
use crate::team::store::{
    ManifestFile, Publication, SignedFile, StoreError, TeamRow, TeamStore, TufRole, Waiting,
};
use crate::team::wire::{Mode, Release};

/// How often a step starts again before it gives up.
const TRIES: usize = 50;

/// What a step starts from.
pub struct Scene {
    /// The team.
    pub team: TeamRow,
    /// Its releases.
    pub line: Line,
    /// What is signed, and the keys.
    pub repository: Repository,
    /// The manifest that is out.
    pub published: Option<ManifestFile>,
    /// What waits for signatures.
    pub waiting: Vec<Waiting>,
    /// The time of the step.
    pub now: Timestamp,
}

/// Changes the line of releases; gives the release whose number the change
/// gives.
pub async fn change(
    team: &TeamStore,
    signer: &Signer,
    now: i64,
    step: impl Fn(&mut Line, &mut Publication) -> Result<i64, LineError>,
) -> Result<Release, PublishError> {
    attempt(team, signer, now, |scene| {
        let mut line = scene.line.clone();
        let mut work = Publication::after(scene.repository.newest);
        let number = step(&mut line, &mut work)?;
        scene.settle(&mut line, &mut work)?;
        let release = line.get(number).cloned().ok_or(LineError::Missing(number))?;
        Ok((work, release))
    })
    .await
}

/// Reads, lets a step make a publication of it, and commits that, until nobody
/// was faster.
pub async fn attempt<T>(
    team: &TeamStore,
    signer: &Signer,
    now: i64,
    step: impl Fn(&mut Scene) -> Result<(Publication, T), PublishError>,
) -> Result<T, PublishError> {
    for _ in 0..TRIES {
        let (work, answer) = step(&mut Scene::read(team, signer, now).await?)?;
        match team.commit(work).await {
            Ok(()) => return Ok(answer),
            Err(StoreError::Conflict) => tokio::task::yield_now().await,
            Err(error) => return Err(error.into()),
        }
    }
    Err(PublishError::Busy)
}

impl Scene {
    /// Reads it.
    pub async fn read(team: &TeamStore, signer: &Signer, now: i64) -> Result<Scene, PublishError> {
        // First, because it holds the versions that the commit expects.
        let repository = signer.repository(team).await?;
        let mut releases = team.releases().await?;
        releases.sort_by_key(|release| release.number);
        let members = team.members().await?;
        let canaries = members.iter().filter(|member| member.canary).map(|member| member.id).collect();
        Ok(Scene {
            team: team.info().await?,
            line: Line { releases, canaries },
            repository,
            published: team.newest_manifest().await?,
            waiting: team.waiting().await?,
            now: Timestamp::from_millisecond(now).unwrap_or(Timestamp::UNIX_EPOCH),
        })
    }

    /// Makes a changed line what devices are offered, or lets it wait for the
    /// admins.
    pub fn settle(&self, line: &mut Line, work: &mut Publication) -> Result<(), PublishError> {
        match self.team.mode {
            Mode::Easy => self.offer(line, work)?,
            Mode::Strict => self.ask(line, work)?,
        }
        work.releases = line.changed_since(&self.line);
        Ok(())
    }

    /// Signs what the line offers with the server's keys.
    pub fn offer(&self, line: &mut Line, work: &mut Publication) -> Result<(), PublishError> {
        line.went_out();
        let composed = compose(&self.team, self.repository.next_sequence(), line.offered(), self.now)?;
        let targets = self.repository.sign_targets(&composed.targets, self.now)?;
        // Who waits to take over the keys signs the newest list, not an older.
        if let Some(keys) = self.waiting.iter().find(|waiting| waiting.file.role == TufRole::Root) {
            let next = self.unsigned_targets(targets.version + 1, &composed.targets);
            work.waiting = Some(vec![keys.clone(), Waiting { file: next, manifest: None }]);
        }
        self.put_out(targets, work)?;
        work.manifest = Some(composed.file);
        Ok(())
    }

    /// Lets what the line offers wait for signatures, unless they are there
    /// already: the way back from a release is signed together with it.
    fn ask(&self, line: &mut Line, work: &mut Publication) -> Result<(), PublishError> {
        let offered = line.offered();
        if let Some(found) = self.waiting.iter().find(|waiting| offers(waiting.manifest.as_ref(), &offered)) {
            return self.ask_for(found.clone(), line, work);
        }
        if self.waiting.iter().any(|waiting| waiting.file.role == TufRole::Root) {
            return Err(PublishError::KeysWait);
        }
        if offers(self.published.as_ref(), &offered) {
            line.went_out();
            work.waiting = Some(Vec::new());
            return Ok(());
        }
        work.waiting = Some(self.to_wait(line)?);
        Ok(())
    }

    /// What the admins have to sign for a line: what it offers, and the way
    /// back from its newest release.
    fn to_wait(&self, line: &Line) -> Result<Vec<Waiting>, PublishError> {
        let version = self.repository.next(TufRole::Targets);
        let sequence = self.repository.next_sequence();
        let mut waiting = vec![self.to_be_signed(version, sequence, line.offered())?];
        if let Some(back) = line.way_back() {
            waiting.push(self.to_be_signed(version + 1, sequence + 1, back)?);
        }
        Ok(waiting)
    }

    fn ask_for(&self, found: Waiting, line: &mut Line, work: &mut Publication) -> Result<(), PublishError> {
        if strict::is_complete(&found.file, &self.repository.roles()?.targets) {
            return self.release_signed(found, line, work);
        }
        work.waiting = Some(vec![found]);
        Ok(())
    }

    /// Puts out what the admins have signed. What waited for later stays.
    pub fn release_signed(
        &self,
        found: Waiting,
        line: &mut Line,
        work: &mut Publication,
    ) -> Result<(), PublishError> {
        line.went_out();
        let later = |other: &&Waiting| other.manifest.is_some() && other.file.version > found.file.version;
        work.waiting = Some(self.waiting.iter().filter(later).cloned().collect());
        work.manifest = found.manifest;
        self.put_out(found.file, work)
    }

    /// A list of targets for the admins to sign.
    fn to_be_signed(
        &self,
        version: u64,
        sequence: u64,
        offered: Vec<manifest::Release>,
    ) -> Result<Waiting, PublishError> {
        let composed = compose(&self.team, sequence, offered, self.now)?;
        let file = self.unsigned_targets(version, &composed.targets);
        Ok(Waiting { file, manifest: Some(composed.file) })
    }

    /// A list of targets that nobody has signed yet.
    pub fn unsigned_targets(&self, version: u64, files: &BTreeMap<String, FileRef>) -> SignedFile {
        let signed = self.repository.next_targets(version, files, self.now);
        SignedFile { role: TufRole::Targets, version, content: metadata::assemble(&signed, &[]) }
    }

    /// Makes what is out, or is to be out, once more, above all that was seen.
    pub fn again(&self, work: &mut Publication) -> Result<(), PublishError> {
        let mut line = self.line.clone();
        match self.team.mode {
            Mode::Easy => self.offer(&mut line, work)?,
            Mode::Strict => work.waiting = Some(self.to_wait(&line)?),
        }
        work.releases = line.changed_since(&self.line);
        Ok(())
    }

    /// Adds the snapshot and the timestamp that make these targets the newest.
    fn put_out(&self, targets: SignedFile, work: &mut Publication) -> Result<(), PublishError> {
        let roles = self.repository.roles()?;
        let below = self.repository.sign_below(&roles, (targets.version, &targets.content), self.now)?;
        work.metadata.push(targets);
        work.metadata.extend(below);
        Ok(())
    }
}

/// Whether a manifest offers these releases, to as many. Who is in the canary
/// group may have changed since it was made.
pub fn offers(file: Option<&ManifestFile>, offered: &[manifest::Release]) -> bool {
    let Some(file) = file else { return false };
    let Ok(found) = serde_json::from_slice::<Manifest>(&file.content) else { return false };
    let share = |release: &manifest::Release| {
        (release.number, release.rollout.as_ref().map(|rollout| rollout.percent))
    };
    found.releases.iter().map(share).eq(offered.iter().map(share))
}
