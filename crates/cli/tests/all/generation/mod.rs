//! A team's hooks on a machine, installed without a server.

use std::collections::BTreeMap;
use std::path::Path;

use boathook_engine::bundle::manifest::{Hook, Release, Script, Stale};
use boathook_engine::bundle::{Fresh, InstallError, Installed, Managed, Marker, Offer};
use boathook_engine::digest::Digest;
use boathook_engine::source::Os;

/// As late as a test needs; in milliseconds.
const YEAR_2100: i64 = 4_102_444_800_000;

pub const TEAM: i64 = 5;
pub const DENY: &str = "#!/bin/sh\necho '{\"permission\":\"deny\",\"user_message\":\"the team says no\"}'\n";
pub const ALLOW: &str = "#!/bin/sh\necho '{\"permission\":\"allow\"}'\n";

/// A release and the contents of its scripts.
pub struct Generation {
    pub release: Release,
    pub scripts: BTreeMap<Digest, Vec<u8>>,
}

/// A hook of a release on an event, with its script.
pub fn hook(event: &str, name: &str, text: &str) -> (Hook, Vec<u8>) {
    (Hook::plain(1, event, Script::of(name, text.as_bytes())), text.as_bytes().to_vec())
}

impl Generation {
    pub fn of(number: u64, hooks: impl IntoIterator<Item = (Hook, Vec<u8>)>) -> Generation {
        let mut made = Generation {
            release: Release { number, rollout: None, hooks: Vec::new() },
            scripts: BTreeMap::new(),
        };
        for (hook, text) in hooks {
            made.scripts.insert(hook.script.sha256, text);
            made.release.hooks.push(hook);
        }
        made
    }

    /// One hook that refuses commands, and refuses when it fails.
    pub fn gate(number: u64) -> Generation {
        let (gate, text) = hook("beforeShellExecution", "guard.sh", DENY);
        Generation::of(number, [(Hook { fail_closed: true, ..gate }, text)])
    }

    pub fn install(&self, home: &Path) -> Result<Installed, InstallError> {
        let managed = managed(home);
        managed.claim(&marker())?;
        let (sequence, os) = (self.release.number, Os::current());
        let (release, scripts) = (&self.release, &self.scripts);
        managed.install(&Offer { sequence, root: 1, release, os, scripts, path: None })
    }

    /// Installs it, and says that it is fresh.
    pub fn put(&self, home: &Path) -> Managed {
        self.install(home).expect("installed");
        let managed = managed(home);
        let fresh = Fresh { until: YEAR_2100, seen: 0, stale: Stale::default() };
        managed.write_fresh(&fresh).expect("written");
        managed
    }
}

pub fn managed(home: &Path) -> Managed {
    Managed::of(home, TEAM)
}

pub fn marker() -> Marker {
    Marker { format: 1, server: "https://hooks.example".into(), team: TEAM, repository: "r".into() }
}
