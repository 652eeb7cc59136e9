use std::collections::BTreeMap;
use std::path::PathBuf;

use super::manifest::{Hook, Release, Script};
use super::*;
use crate::digest::Digest;
use crate::source::Os;
use crate::testing::TempDir;

/// A release and the contents of its scripts.
pub(super) struct Made {
    release: Release,
    scripts: BTreeMap<Digest, Vec<u8>>,
}

impl Made {
    fn of(number: u64, scripts: &[(&str, &str)]) -> Made {
        let hook = |(at, (name, text)): (usize, &(&str, &str))| Hook {
            id: at as i64 + 1,
            event: "beforeShellExecution".into(),
            script: Script {
                name: (*name).into(),
                sha256: Digest::of(text.as_bytes()),
                length: text.len() as u64,
            },
            operating_systems: Vec::new(),
            matcher: None,
            timeout: None,
            fail_closed: true,
            loop_limit: None,
            monitor: false,
        };
        let contents =
            scripts.iter().map(|(_, text)| (Digest::of(text.as_bytes()), text.as_bytes().to_vec()));
        Made {
            release: Release { number, rollout: None, hooks: scripts.iter().enumerate().map(hook).collect() },
            scripts: contents.collect(),
        }
    }

    fn offer(&self, sequence: u64) -> Offer<'_> {
        Offer { sequence, release: &self.release, os: Os::current(), scripts: &self.scripts, path: None }
    }
}

fn marker(team: i64) -> Marker {
    Marker { format: 1, server: "https://hooks.example".into(), team, repository: "r1".into() }
}

fn claimed(home: &TempDir) -> Managed {
    let managed = Managed::of(home.path(), 5);
    managed.claim(&marker(5)).expect("claimed");
    managed
}

fn generations(managed: &Managed) -> Vec<PathBuf> {
    let folder = managed.folder().join("generations");
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("listed").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}

#[test]
fn what_is_installed_is_in_force_until_something_newer_is() {
    let home = TempDir::new();
    let managed = claimed(&home);
    assert_eq!(managed.current(), None);
    let one = Made::of(1, &[("guard.sh", "#!/bin/sh\nexit 0\n")]);
    let installed = managed.install(&one.offer(1)).expect("installed");
    let current = managed.current().expect("in force");
    assert_eq!(installed, Installed::New(current.generation.clone()));
    assert_eq!((current.sequence, current.release), (1, 1));
    assert_eq!(managed.install(&one.offer(1)).expect("again"), Installed::Unchanged(current.generation));
    assert_eq!(managed.tampered(), []);
    let digest = Digest::of(b"#!/bin/sh\nexit 0\n");
    assert_eq!(managed.script(&digest).as_deref(), Some(&b"#!/bin/sh\nexit 0\n"[..]));

    let two = Made::of(2, &[]);
    managed.install(&two.offer(2)).expect("a release without hooks");
    assert_eq!(managed.current().expect("in force").release, 2);
    assert_eq!(managed.install(&one.offer(1)).expect_err("older").code(), "rollback");
    assert_eq!(Managed::all(home.path()), [managed.clone()]);
    managed.remove().expect("removed");
    assert!(!managed.folder().exists());
    managed.remove().expect("nothing to remove");
}
