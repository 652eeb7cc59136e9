//! What a team's server publishes: `manifest.json`, the one file whose content
//! decides which hooks a device runs. It is a target of the team's signed
//! repository, and so is every script it names.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::name;
use crate::digest::Digest;
use crate::event::EventKind;
use crate::source::Os;

/// The name of the manifest among the targets.
pub const TARGET: &str = "manifest.json";
/// The format this version writes and reads.
pub const FORMAT: u32 = 1;
/// The most hooks of one release.
pub const MOST_HOOKS: usize = 1000;
/// The largest script.
pub const LARGEST_SCRIPT: u64 = 1024 * 1024;
/// The largest manifest.
pub const LARGEST: u64 = 4 * 1024 * 1024;

/// A team's hooks, as they are signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format: 1.
    pub format: u32,
    /// The team.
    pub team: i64,
    /// The repository of the team: another installation of a server has
    /// another, even for a team of the same number.
    pub repository: String,
    /// `stable`, or what else a server calls its lines.
    pub channel: String,
    /// Grows by one with every manifest.
    pub sequence: u64,
    /// When it was made, in RFC 3339.
    pub created: String,
    /// What devices do when nothing new was signed for long.
    pub stale: Stale,
    /// Newest first. A device takes the first that is meant for it; the last
    /// is for everybody.
    pub releases: Vec<Release>,
}

/// What a device does when its newest signed word is old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stale {
    /// How many days after the timestamp's expiry the policy starts.
    pub days: u32,
    /// The policy.
    pub policy: StalePolicy,
}

/// What happens on a gate when the hooks are too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StalePolicy {
    /// The hooks go on, and a warning is shown.
    Warn,
    /// The hooks go on, and every gate asks.
    Ask,
    /// Every gate refuses.
    Deny,
}

impl Default for Stale {
    fn default() -> Stale {
        Stale { days: 14, policy: StalePolicy::Warn }
    }
}

/// One published list of hooks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Its number within the team.
    pub number: u64,
    /// Whom it is for; nothing is everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Rollout>,
    /// Its hooks, in the order in which they are asked.
    pub hooks: Vec<Hook>,
}

/// The part of a team that gets a release first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rollout {
    /// Members of the canary group.
    #[serde(default)]
    pub members: Vec<i64>,
    /// Of the devices of all others, how many in a hundred.
    pub percent: u8,
}

/// One hook of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Its number within the team.
    pub id: i64,
    /// Its event's name.
    pub event: String,
    /// What it runs.
    pub script: Script,
    /// `Windows`, `Macintosh`, `Linux`; none is all.
    #[serde(default)]
    pub operating_systems: Vec<String>,
    /// When it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// Whether a failure blocks.
    #[serde(default)]
    pub fail_closed: bool,
    /// How many automatic follow-ups; nothing is the default, -1 no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_limit: Option<i64>,
    /// Whether a refusal is only reported.
    #[serde(default)]
    pub monitor: bool,
}

/// A script, by its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Its file's name.
    pub name: String,
    /// The digest of its content, in hexadecimal digits; also the name of the
    /// target that holds it.
    pub sha256: Digest,
    /// Its length in bytes.
    pub length: u64,
}

impl Script {
    /// The script with this content.
    pub fn of(name: &str, content: &[u8]) -> Script {
        Script { name: name.to_owned(), sha256: Digest::of(content), length: content.len() as u64 }
    }
}

/// Whom a client will take a manifest from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// The team.
    pub team: i64,
    /// The repository that was named at the login.
    pub repository: String,
    /// The line that was chosen.
    pub channel: String,
}

/// Why a manifest is refused as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no manifest.
    #[error("the manifest cannot be read: {0}")]
    Format(String),
    /// It is for somebody else.
    #[error("the manifest is for {0}")]
    Audience(String),
    /// A script has a name that some system could not store, or would take for something else.
    #[error("hook {hook}: the script name {name:?} {reason}")]
    Name {
        /// The hook.
        hook: i64,
        /// Its script's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A hook says something that has no meaning.
    #[error("hook {hook}: {reason}")]
    Hook {
        /// The hook.
        hook: i64,
        /// What is wrong.
        reason: String,
    },
}

impl Refused {
    /// The stable word for it.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::Format(_) | Refused::Hook { .. } => "bad_format",
            Refused::Audience(_) => "audience",
            Refused::Name { .. } => "bad_name",
        }
    }
}

impl Manifest {
    /// Reads a manifest and checks all of it: one bad name refuses the whole.
    pub fn read(bytes: &[u8], audience: &Audience) -> Result<Manifest, Refused> {
        let manifest: Manifest =
            serde_json::from_slice(bytes).map_err(|error| Refused::Format(error.to_string()))?;
        manifest.check_audience(audience)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check_audience(&self, audience: &Audience) -> Result<(), Refused> {
        let other = |what: &str, found: &str, wanted: &str| {
            Err(Refused::Audience(format!("{what} {found}, and this device belongs to {wanted}")))
        };
        if self.format != FORMAT {
            return Err(Refused::Format(format!("format {}, and this version reads {FORMAT}", self.format)));
        }
        if self.team != audience.team {
            return other("team", &self.team.to_string(), &audience.team.to_string());
        }
        if self.repository != audience.repository {
            return other("repository", &self.repository, &audience.repository);
        }
        if self.channel != audience.channel {
            return other("channel", &self.channel, &audience.channel);
        }
        Ok(())
    }

    /// Whether every release can be installed as it stands, on any system.
    /// Servers ask this before they sign.
    pub fn check(&self) -> Result<(), Refused> {
        let Some(last) = self.releases.last() else {
            return Err(Refused::Format(
                "no release; an empty list of hooks is a release without hooks".into(),
            ));
        };
        if last.rollout.is_some() {
            return Err(Refused::Format("no release is for everybody".into()));
        }
        self.releases.iter().try_for_each(Release::check)
    }

    /// The release a device runs.
    pub fn release_for(&self, device: &str, member: Option<i64>) -> Option<&Release> {
        self.releases.iter().find(|release| release.is_for(device, member))
    }
}

impl Release {
    fn check(&self) -> Result<(), Refused> {
        if self.hooks.len() > MOST_HOOKS {
            return Err(Refused::Format(format!("release {} has more than {MOST_HOOKS} hooks", self.number)));
        }
        let mut names: Vec<(String, &Hook)> = Vec::new();
        for hook in &self.hooks {
            hook.check()?;
            let folded = hook.script.name.to_ascii_lowercase();
            let clash = names.iter().find(|(name, _)| *name == folded).map(|(_, other)| *other);
            if let Some(other) = clash.filter(|other| other.script != hook.script) {
                let reason = format!("is the name of another script already, of hook {}", other.id);
                return Err(Refused::Name { hook: hook.id, name: hook.script.name.clone(), reason });
            }
            names.push((folded, hook));
        }
        Ok(())
    }

    /// Whether a device takes it.
    fn is_for(&self, device: &str, member: Option<i64>) -> bool {
        let Some(rollout) = &self.rollout else { return true };
        member.is_some_and(|member| rollout.members.contains(&member))
            || share(device, self.number) < u64::from(rollout.percent) * 100
    }

    /// The hooks of this release that run on a system.
    pub fn hooks_on(&self, os: Os) -> impl Iterator<Item = &Hook> {
        self.hooks.iter().filter(move |hook| hook.runs_on(os))
    }

    /// The scripts of those, each once.
    pub fn scripts_on(&self, os: Os) -> Vec<&Script> {
        let mut seen = BTreeSet::new();
        self.hooks_on(os).map(|hook| &hook.script).filter(|script| seen.insert(&script.name)).collect()
    }
}

/// Where a device stands among ten thousand, anew for each release.
fn share(device: &str, release: u64) -> u64 {
    let digest = Digest::of(format!("{device}:{release}").as_bytes());
    let [a, b, c, d, ..] = digest.as_bytes();
    u64::from(u32::from_be_bytes([*a, *b, *c, *d])) % 10_000
}

impl Hook {
    /// One without options: it runs always and everywhere, and lets through
    /// when it fails.
    pub fn plain(id: i64, event: &str, script: Script) -> Hook {
        Hook {
            id,
            event: event.to_owned(),
            script,
            operating_systems: Vec::new(),
            matcher: None,
            timeout: None,
            fail_closed: false,
            loop_limit: None,
            monitor: false,
        }
    }

    fn check(&self) -> Result<(), Refused> {
        let refuse = |reason: String| Err(Refused::Hook { hook: self.id, reason });
        if let Some(reason) = name::refusal(&self.script.name).map(str::to_owned) {
            return Err(Refused::Name { hook: self.id, name: self.script.name.clone(), reason });
        }
        if EventKind::named(&self.event).is_none() {
            return refuse(format!("there is no event {:?}", self.event));
        }
        if let Some(other) = self.operating_systems.iter().find(|name| os_named(name).is_none()) {
            return refuse(format!("{other:?} is none of Windows, Macintosh and Linux"));
        }
        if self.script.length > LARGEST_SCRIPT {
            return refuse(format!("its script is larger than {LARGEST_SCRIPT} bytes"));
        }
        Ok(())
    }

    /// Whether it runs on a system.
    pub fn runs_on(&self, os: Os) -> bool {
        self.operating_systems.is_empty()
            || self.operating_systems.iter().any(|name| os_named(name) == Some(os))
    }
}

/// The system of a name as the interface spells it.
pub fn os_named(name: &str) -> Option<Os> {
    match name {
        "Windows" => Some(Os::Windows),
        "Macintosh" => Some(Os::Macos),
        "Linux" => Some(Os::Linux),
        _ => None,
    }
}
