//! Composes what is signed: hooks from their drafts, the manifest from the
//! releases, and the list of targets from the manifest.

use std::collections::BTreeMap;

use jiff::Timestamp;

use boathook_engine::bundle::could_run;
use boathook_engine::bundle::manifest::{self, FORMAT, LARGEST, Manifest, Refused, Script, TARGET};
use boathook_engine::digest::Digest;
use boathook_engine::source::Os;

use super::PublishError;
use crate::team::sign::metadata::FileRef;
use crate::team::store::{ManifestFile, TeamRow};
use crate::team::wire::Hook;

/// A manifest and every target it needs.
pub struct Composed {
    /// The manifest.
    pub file: ManifestFile,
    /// The list of targets: the manifest, and every script of its releases.
    pub targets: BTreeMap<String, FileRef>,
}

/// The hooks of a release and their scripts, from the active drafts.
pub fn hooks_of(drafts: &[Hook]) -> (Vec<manifest::Hook>, BTreeMap<Digest, Vec<u8>>) {
    let mut scripts = BTreeMap::new();
    let mut active: Vec<&Hook> = drafts.iter().filter(|hook| hook.draft.is_active).collect();
    active.sort_by_key(|hook| (hook.position, hook.id));
    let hooks = active.into_iter().map(|hook| {
        let content = hook.draft.script_content.as_bytes();
        let script = Script::of(&hook.draft.script_name, content);
        scripts.insert(script.sha256, content.to_vec());
        hook_of(hook, script)
    });
    (hooks.collect(), scripts)
}

/// Refuses hooks that could run on no machine of a system they are for: every
/// device would refuse the whole release.
pub fn check(hooks: &[manifest::Hook], scripts: &BTreeMap<Digest, Vec<u8>>) -> Result<(), PublishError> {
    let release = manifest::Release { number: 0, rollout: None, hooks: hooks.to_vec() };
    let systems = [Os::Linux, Os::Macos, Os::Windows];
    systems.into_iter().try_for_each(|os| could_run(&release, os, scripts)).map_err(PublishError::CannotRun)
}

fn hook_of(hook: &Hook, script: Script) -> manifest::Hook {
    let draft = &hook.draft;
    manifest::Hook {
        id: hook.id,
        event: draft.hook_step.clone(),
        script,
        operating_systems: draft.operating_systems.clone(),
        matcher: draft.matcher.clone(),
        timeout: draft.timeout,
        fail_closed: draft.fail_closed,
        loop_limit: draft.loop_limit,
        monitor: draft.monitor,
    }
}

/// The manifest that offers these releases. What a client would refuse is
/// refused here, before it is signed.
pub fn compose(
    team: &TeamRow,
    sequence: u64,
    releases: Vec<manifest::Release>,
    now: Timestamp,
) -> Result<Composed, PublishError> {
    let manifest = Manifest {
        format: FORMAT,
        team: team.id,
        repository: team.repository.clone(),
        channel: team.channel.clone(),
        sequence,
        created: now.to_string(),
        stale: team.stale,
        releases,
    };
    manifest.check()?;
    let content = serde_json::to_vec(&manifest).map_err(|error| Refused::Format(error.to_string()))?;
    if content.len() as u64 > LARGEST {
        let reason = format!("the manifest would be larger than {LARGEST} bytes; publish fewer hooks");
        return Err(Refused::Format(reason).into());
    }
    let targets = targets_of(&manifest, &content);
    Ok(Composed { file: ManifestFile { sequence, content }, targets })
}

/// The list of targets for a manifest.
pub fn targets_of(manifest: &Manifest, content: &[u8]) -> BTreeMap<String, FileRef> {
    let scripts = manifest.releases.iter().flat_map(|release| &release.hooks).map(|hook| &hook.script);
    let script = |script: &Script| {
        let file = FileRef { length: script.length, sha256: script.sha256 };
        (script.sha256.to_string(), file)
    };
    let mut targets: BTreeMap<String, FileRef> = scripts.map(script).collect();
    targets.insert(TARGET.to_owned(), FileRef::of(content));
    targets
}
