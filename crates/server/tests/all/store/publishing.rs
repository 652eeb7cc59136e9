//! What is published together, and that it never goes back.

use boathook_engine::bundle::manifest::{Hook, Script};
use boathook_engine::digest::Digest;
use boathook_server::team::store::{
    KeyRow, ManifestFile, Publication, SignedFile, StoreError, TeamStore, TufRole, Versions, Waiting,
};
use boathook_server::team::wire::{Mode, Release, ReleaseState};

use super::Place;

pub const SCRIPT: &[u8] = b"#!/bin/sh\nexit 0\n";

pub fn release(number: i64) -> Release {
    let script = Script { name: "guard.sh".into(), sha256: Digest::of(SCRIPT), length: SCRIPT.len() as u64 };
    Release {
        number,
        state: ReleaseState::Rolling,
        canary: true,
        percent: 10,
        published_by: "a@example.com".into(),
        published_at: 5,
        note: "first".into(),
        restores: None,
        halted_because: None,
        hooks: vec![Hook {
            id: 1,
            event: "beforeShellExecution".into(),
            script,
            operating_systems: vec![],
            matcher: None,
            timeout: None,
            fail_closed: true,
            loop_limit: None,
            monitor: false,
        }],
    }
}

fn file(role: TufRole, version: u64) -> SignedFile {
    SignedFile { role, version, content: format!("{} {version}", role.name()).into_bytes() }
}

fn manifest(sequence: u64) -> ManifestFile {
    ManifestFile { sequence, content: format!("manifest {sequence}").into_bytes() }
}

/// Publishes one of everything, on top of what is there.
pub async fn publish(team: &TeamStore) -> Result<Versions, StoreError> {
    let now = team.newest_versions().await?;
    let mut next = Publication::after(now);
    next.scripts = [(Digest::of(SCRIPT), SCRIPT.to_vec())].into();
    next.releases = vec![release(i64::try_from(now.sequence).expect("a small number") + 1)];
    next.keys = vec![KeyRow {
        key_id: "k1".into(),
        role: TufRole::Root,
        public: vec![1],
        sealed: Some(vec![0, 255]),
    }];
    next.metadata = TufRole::ALL.into_iter().map(|role| file(role, now.of(role) + 1)).collect();
    next.manifest = Some(manifest(now.sequence + 1));
    team.commit(next).await?;
    team.newest_versions().await
}

pub async fn a_publication_is_there_as_a_whole(place: Place) {
    let team = place.team().await;
    assert_eq!(team.newest_versions().await.expect("versions"), Versions::default());
    let versions = publish(&team).await.expect("published");
    assert_eq!(
        versions,
        Versions { root: 1, targets: 1, snapshot: 1, timestamp: 1, sequence: 1, revision: 1 }
    );
    assert_eq!(team.releases().await.expect("releases"), [release(1)]);
    assert_eq!(team.release(1).await.expect("a release"), Some(release(1)));
    assert_eq!(team.release(2).await.expect("none"), None);
    assert_eq!(team.metadata(TufRole::Root, 1).await.expect("a file"), Some(b"root 1".to_vec()));
    assert_eq!(team.metadata(TufRole::Root, u64::MAX).await.expect("none"), None);
    assert_eq!(team.newest(TufRole::Timestamp).await.expect("a file"), Some((1, b"timestamp 1".to_vec())));
    assert_eq!(team.newest_manifest().await.expect("a manifest"), Some(manifest(1)));
    assert_eq!(team.keys().await.expect("keys")[0].sealed, Some(vec![0, 255]));
    assert_eq!(place.open().await.sequences().await.expect("sequences"), [(team.id(), 1)]);

    let (script, listed) = (Digest::of(SCRIPT), Digest::of(b"manifest 1"));
    for (name, expected) in [
        (format!("{script}.{script}"), Some(SCRIPT.to_vec())),
        (format!("{listed}.manifest.json"), Some(b"manifest 1".to_vec())),
        (format!("{script}.manifest.json"), None),
        (format!("{listed}.{listed}"), None),
        (format!("{script}.guard.sh"), None),
        (script.to_string(), None),
        (String::new(), None),
        ("../secret".to_owned(), None),
    ] {
        assert_eq!(team.target(&name).await.expect("an answer"), expected, "{name}");
    }
    // A key without its private part, a release that went on, and a mode.
    let mut next = Publication::after(versions);
    next.keys = vec![KeyRow { key_id: "k1".into(), role: TufRole::Root, public: vec![1], sealed: None }];
    let halted = Release {
        state: ReleaseState::Halted,
        percent: 0,
        halted_because: Some("it fails".into()),
        restores: Some(1),
        ..release(1)
    };
    next.releases = vec![halted.clone()];
    next.mode = Some(Mode::Strict);
    next.pinned_root = Some((3, "f00d".into()));
    team.commit(next).await.expect("published");
    assert_eq!(team.keys().await.expect("keys")[0].sealed, None);
    assert_eq!(team.releases().await.expect("releases"), [halted]);
    let info = team.info().await.expect("a team");
    assert_eq!((info.mode, info.root_fingerprint.as_str(), info.root_version), (Mode::Strict, "f00d", 3));
    assert_eq!(team.newest_versions().await.expect("versions").revision, 2);
}

pub async fn a_publication_that_fails_leaves_nothing(place: Place) {
    let team = place.team().await;
    let before = publish(&team).await.expect("published");
    let store = place.open().await;
    let untouched = store.export(&mut Vec::new()).await.expect("an export");
    let good = || {
        let mut next = Publication::after(before);
        next.releases = vec![release(2)];
        next.metadata = vec![file(TufRole::Targets, 2)];
        next.manifest = Some(manifest(2));
        next
    };
    let mut false_script = good();
    false_script.scripts = [(Digest::of(b"other"), SCRIPT.to_vec())].into();
    let mut lower = good();
    lower.metadata.push(file(TufRole::Timestamp, 1));
    let mut twice = good();
    twice.metadata.push(file(TufRole::Targets, 2));
    let mut too_high = good();
    too_high.metadata.push(file(TufRole::Timestamp, u64::MAX));
    let mut old_manifest = good();
    old_manifest.manifest = Some(manifest(1));
    let mut stale = good();
    stale.expected.timestamp = 0;
    for (what, publication) in [
        ("a script of another digest", false_script),
        ("a version that does not go up", lower),
        ("a version twice", twice),
        ("a version no database can hold", too_high),
        ("a manifest that does not go up", old_manifest),
        ("other versions were expected", stale),
    ] {
        assert!(team.commit(publication).await.is_err(), "{what}");
        assert_eq!(store.export(&mut Vec::new()).await.expect("an export"), untouched, "{what}");
    }
    team.commit(good()).await.expect("the good one");
}

pub async fn of_many_publishers_one_is_first(place: Place) {
    let team = place.team().await;
    publish(&team).await.expect("published");
    let mut work = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let (place, id) = (place.clone(), team.id());
        work.spawn(async move {
            let team = place.open().await.team(id);
            let mut published = 0;
            // Each publishes three times, and tries again when another was first.
            while published < 3 {
                match publish(&team).await {
                    Ok(_) => published += 1,
                    Err(error) => assert!(matches!(error, StoreError::Conflict), "{error:?}"),
                }
            }
        });
    }
    work.join_all().await;
    let versions = team.newest_versions().await.expect("versions");
    // Nineteen publications, and each found the one before it.
    assert_eq!((versions.sequence, versions.revision, versions.root), (19, 19, 19));

    let behind = Versions { revision: versions.revision - 1, ..versions };
    let late = team.commit(Publication::after(behind)).await;
    assert!(matches!(late, Err(StoreError::Conflict)), "{late:?}");
}

pub async fn versions_never_go_down(place: Place) {
    let team = place.team().await;
    let now = publish(&team).await.expect("published");
    assert_eq!(team.floor().await.expect("a floor"), Versions { revision: 0, ..now });
    let seen = Versions { timestamp: 40, sequence: 9, ..Versions::default() };
    team.raise_floor(&seen).await.expect("raised");
    let raised = Versions { timestamp: 40, sequence: 9, revision: 0, ..now };
    assert_eq!(team.floor().await.expect("a floor"), raised);
    for (what, timestamp, sequence) in [("timestamp", 40, 10), ("sequence", 41, 9), ("timestamp", 2, 10)] {
        let mut next = Publication::after(now);
        next.metadata = vec![file(TufRole::Timestamp, timestamp)];
        next.manifest = Some(manifest(sequence));
        let refused = team.commit(next).await;
        let named = matches!(&refused, Err(StoreError::Floor { what: found, .. }) if *found == what);
        assert!(named, "{what}: {refused:?}");
    }
    let mut next = Publication::after(now);
    next.metadata = vec![file(TufRole::Timestamp, 41)];
    next.manifest = Some(manifest(10));
    team.commit(next).await.expect("above the floor");
    let floor = team.floor().await.expect("a floor");
    assert_eq!((floor.timestamp, floor.sequence), (41, 10));
}

pub async fn old_files_go_and_roots_stay(place: Place) {
    let team = place.team().await;
    for _ in 0..25 {
        publish(&team).await.expect("published");
    }
    for (role, version, there) in [
        (TufRole::Root, 1, true),
        (TufRole::Targets, 5, false),
        (TufRole::Targets, 6, true),
        (TufRole::Snapshot, 6, true),
        (TufRole::Timestamp, 23, false),
        (TufRole::Timestamp, 24, true),
        (TufRole::Timestamp, 25, true),
    ] {
        let found = team.metadata(role, version).await.expect("an answer");
        assert_eq!(found.is_some(), there, "{} {version}", role.name());
    }
    let old = team.target(&format!("{}.manifest.json", Digest::of(b"manifest 5"))).await;
    assert_eq!(old.expect("an answer"), None);
    assert_eq!(team.releases().await.expect("releases").len(), 25);
}

pub async fn what_waits_is_replaced_as_a_whole(place: Place) {
    let team = place.team().await;
    let waits = [
        Waiting { file: file(TufRole::Root, 2), manifest: None },
        Waiting { file: file(TufRole::Targets, 3), manifest: Some(manifest(4)) },
    ];
    let mut next = Publication::after(Versions::default());
    next.waiting = Some(waits.to_vec());
    team.commit(next).await.expect("kept");
    assert_eq!(team.waiting().await.expect("what waits"), waits);
    let now = team.newest_versions().await.expect("versions");
    assert_eq!(now, Versions { revision: 1, ..Versions::default() });
    team.commit(Publication::after(now)).await.expect("nothing about it");
    assert_eq!(team.waiting().await.expect("what waits").len(), 2);
    let mut next = Publication::after(Versions { revision: 2, ..now });
    next.waiting = Some(vec![]);
    team.commit(next).await.expect("done");
    assert_eq!(team.waiting().await.expect("nothing"), []);
}
