//! Who holds the keys: exchanging them, handing them to the admins, and what a
//! thief of the server can and cannot do then.

use boathook_engine::bundle::manifest::{Stale, StalePolicy};
use boathook_engine::digest::Digest;
use boathook_server::team::publish;
use boathook_server::team::sign::key::SigningKey;
use boathook_server::team::sign::metadata::{self, FileRef};
use boathook_server::team::sign::{Secret, Signer, end};
use boathook_server::team::store::{NewDevice, Publication, SignedFile, TufRole, Versions};
use boathook_server::team::wire::{
    KeySet, Mode, NewKeys, NewSignature, ReleaseState, Report, Signing, TeamChange, ToSign,
};
use jiff::Timestamp;

use crate::office::{self, DAY, Office, START, numbers};

/// Three admins; two must sign.
fn admins() -> [SigningKey; 3] {
    [1, 2, 3].map(|number| SigningKey::from_seed(&[number; 32]))
}

fn sign(file: &ToSign, key: &SigningKey) -> NewSignature {
    let signature = key.sign(file.bytes.as_bytes());
    NewSignature { role: file.role.clone(), version: file.version, key: signature.key, sig: signature.sig }
}

/// Signs all that waits, with each of these keys.
async fn sign_all(office: &Office, keys: &[&SigningKey]) -> Signing {
    for key in keys {
        let waiting = publish::signing(&office.team, &office.signer).await.expect("what waits").waiting;
        for file in waiting.iter().filter(|file| !file.signed.contains(&key.public().id())) {
            let added =
                publish::add_signature(&office.team, &office.signer, &sign(file, key), office.now()).await;
            added.expect("a signature");
        }
    }
    publish::signing(&office.team, &office.signer).await.expect("what waits")
}

async fn strict() -> Office {
    taken_over(Office::new().await).await
}

/// The admins take the keys.
async fn taken_over(office: Office) -> Office {
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    let keys = KeySet { keys: admins().map(|key| key.public().hex()).into(), threshold: 2 };
    let new = NewKeys { root: Some(keys.clone()), targets: Some(keys), online: false };
    let waiting =
        publish::propose(&office.team, &office.signer, &new, START).await.expect("proposed").waiting;
    assert_eq!(waiting.iter().map(|file| file.role.as_str()).collect::<Vec<_>>(), ["root", "targets"]);
    assert_eq!(office.team.info().await.expect("a team").mode, Mode::Easy, "not before they signed");
    let [one, two, _] = admins();
    sign_all(&office, &[&one]).await;
    assert_eq!(office.team.info().await.expect("a team").mode, Mode::Easy, "one is not enough");
    let left = sign_all(&office, &[&two]).await;
    assert_eq!(left.waiting, []);
    assert_eq!(office.team.info().await.expect("a team").mode, Mode::Strict);
    office
}

#[tokio::test]
async fn the_admins_take_the_keys_and_devices_follow() {
    let (office, [one, _, three]) = (strict().await, admins());
    let mut device = office.device();
    assert_eq!(numbers(&office.sync(&mut device).await.expect("the same release")), [1]);
    office.publish(100).await;
    let waiting = office.team.release(2).await.expect("releases").expect("a release").state;
    assert_eq!(waiting, ReleaseState::Waiting);
    assert_eq!(numbers(&office.sync(&mut device).await.expect("nothing new")), [1]);
    sign_all(&office, &[&one]).await;
    assert_eq!(numbers(&office.sync(&mut device).await.expect("nothing new")), [1]);
    sign_all(&office, &[&three]).await;
    assert_eq!(numbers(&office.sync(&mut device).await.expect("the new release")), [2]);
    let states = office.team.releases().await.expect("releases");
    let states: Vec<_> = states.iter().map(|release| release.state).collect();
    assert_eq!(states, [ReleaseState::Stable, ReleaseState::Superseded]);
}

#[tokio::test]
async fn a_policy_that_cannot_be_signed_now_is_not_kept_either() {
    let office = strict().await;
    let keys = KeySet { keys: vec![admins()[0].public().hex()], threshold: 1 };
    let new = NewKeys { root: Some(keys), targets: None, online: false };
    publish::propose(&office.team, &office.signer, &new, START).await.expect("proposed");
    let before = office.team.info().await.expect("a team");
    let stale = Stale { days: 3, policy: StalePolicy::Deny };
    let change = TeamChange { name: Some("theirs".into()), stale: Some(stale), ..TeamChange::default() };
    let refused = publish::set(&office.team, &office.signer, &change, START).await.expect_err("keys wait");
    assert!(refused.to_string().contains("new keys wait"), "{refused}");
    assert_eq!(office.team.info().await.expect("a team"), before, "a refusal changes nothing");
    let name = TeamChange { name: Some("theirs".into()), ..TeamChange::default() };
    publish::set(&office.team, &office.signer, &name, START).await.expect("a name is not signed");
    assert_eq!(office.team.info().await.expect("a team").name, "theirs");
}

#[tokio::test]
async fn a_stolen_server_cannot_publish() {
    let office = strict().await;
    let mut device = office.device();
    office.sync(&mut device).await.expect("the release");
    let keys = office.team.keys().await.expect("keys");
    let sealed: Vec<_> = keys.iter().filter(|key| key.sealed.is_some()).map(|key| key.role).collect();
    assert_eq!(sealed, [TufRole::Snapshot, TufRole::Timestamp], "the others are forgotten");
    // The thief has the database and the secret: every key the server can open.
    let repository = office.signer.repository(&office.team).await.expect("the repository");
    let now = Timestamp::from_millisecond(office.now()).expect("a time");
    let evil = std::collections::BTreeMap::from([("manifest.json".to_owned(), FileRef::of(b"evil"))]);
    let version = repository.next(TufRole::Targets);
    let signed = metadata::targets(version, end(TufRole::Targets, now), &evil);
    let every: Vec<&SigningKey> = repository.keys.iter().collect();
    let content = metadata::sign(&signed, &every);
    let roles = repository.roles().expect("roles");
    let below = repository.sign_below(&roles, (version, &content), now).expect("its own keys");
    let mut work = Publication::after(repository.newest);
    work.metadata = vec![SignedFile { role: TufRole::Targets, version, content }];
    work.metadata.extend(below);
    office.team.commit(work).await.expect("its own database");
    let refused = office.sync(&mut device).await.expect_err("nobody signed it");
    assert!(refused.contains("threshold") || refused.contains("signature"), "{refused}");
}

#[tokio::test]
async fn the_keys_that_the_server_gave_up_are_nowhere_on_its_disk() {
    let office = Office::new().await;
    let before = office.team.keys().await.expect("keys");
    let office = taken_over(office).await;
    for key in before {
        let forgotten = [TufRole::Root, TufRole::Targets].contains(&key.role);
        let sealed = key.sealed.expect("the server holds it");
        for file in std::fs::read_dir(office.folder.path()).expect("a folder") {
            let path = file.expect("a file").path();
            let bytes = std::fs::read(&path).expect("its content");
            let found = bytes.windows(sealed.len()).any(|window| window == sealed);
            assert!(!(forgotten && found), "the key for {:?} stands in {}", key.role, path.display());
        }
    }
}

#[tokio::test]
async fn the_server_s_old_keys_decide_nothing_for_a_newcomer() {
    let office = Office::new().await;
    let old = office.signer.repository(&office.team).await.expect("the repository");
    let office = taken_over(office).await;
    let info = office.team.info().await.expect("a team");
    let root = office::fetch(&office.team, "2.root.json").await.expect("the root that the admins signed");
    assert_eq!((info.root_version, info.root_fingerprint), (2, Digest::of(&root).to_string()));
    office.sync(&mut office.newcomer().await).await.expect("the release");
    // A thief of the keys of before signs for the server of today.
    let now = Timestamp::from_millisecond(office.now()).expect("a time");
    let evil = std::collections::BTreeMap::from([("manifest.json".to_owned(), FileRef::of(b"evil"))]);
    let every: Vec<&SigningKey> = old.keys.iter().collect();
    let today = office.signer.repository(&office.team).await.expect("the repository");
    let version = today.next(TufRole::Targets);
    let content = metadata::sign(&metadata::targets(version, end(TufRole::Targets, now), &evil), &every);
    let roles = today.roles().expect("roles");
    let below = today.sign_below(&roles, (version, &content), now).expect("its own keys");
    let mut work = Publication::after(today.newest);
    work.metadata = vec![SignedFile { role: TufRole::Targets, version, content }];
    work.metadata.extend(below);
    office.team.commit(work).await.expect("its own database");
    let refused = office.sync(&mut office.newcomer().await).await.expect_err("the admins did not sign it");
    assert!(refused.contains("threshold") || refused.contains("signature"), "{refused}");
}

#[tokio::test]
async fn only_a_signature_of_the_right_key_over_the_right_bytes_is_taken() {
    let (office, [one, _, _]) = (strict().await, admins());
    office.publish(100).await;
    let waiting = publish::signing(&office.team, &office.signer).await.expect("what waits").waiting;
    let file = waiting.first().expect("targets");
    let (good, stranger) = (sign(file, &one), SigningKey::from_seed(&[9; 32]));
    let cases = [
        ("a stranger's", sign(file, &stranger), "may not sign"),
        ("another version", NewSignature { version: 99, ..good.clone() }, "no targets 99 waits"),
        ("another role", NewSignature { role: "root".into(), ..good.clone() }, "no root"),
        ("no digits", NewSignature { sig: "x".into(), ..good.clone() }, "does not fit"),
        ("other bytes", sign(&ToSign { bytes: "{}".into(), ..file.clone() }, &one), "does not fit"),
    ];
    for (name, signature, expected) in cases {
        let refused = publish::add_signature(&office.team, &office.signer, &signature, START).await;
        let text = refused.expect_err(name).to_string();
        assert!(text.contains(expected), "{name}: {text}");
    }
    for _ in 0..2 {
        let left = publish::add_signature(&office.team, &office.signer, &good, START).await.expect("taken");
        assert_eq!(left.waiting[0].signed.len(), 1, "the same key counts once");
    }
}

#[tokio::test]
async fn the_way_back_is_signed_with_a_release_so_that_a_halt_needs_nobody() {
    let (office, [one, two, _]) = (strict().await, admins());
    let (mut device, team) = (office.device(), &office.team);
    office.publish(50).await;
    let left = sign_all(&office, &[&one, &two]).await;
    assert_eq!(left.waiting.len(), 1, "the way back is kept");
    let manifest = office.sync(&mut device).await.expect("two releases");
    assert_eq!(numbers(&manifest), [2, 1]);
    let gets_it = |id: &String| manifest.release_for(id, None).is_some_and(|release| release.number == 2);
    for id in (0..50).map(|number| format!("device-{number}")).filter(gets_it).take(5) {
        let (name, os) = (id.clone(), "Linux".to_owned());
        let row = NewDevice { id: id.clone(), name, os, member: None, enrolled: true, added_at: START };
        team.add_device(&row).await.expect("a device");
        let report = Report { sequence: 3, release: 2, code: "self_check".into(), detail: String::new() };
        publish::report(team, &office.signer, &id, &report, START).await.expect("a report");
    }
    assert_eq!(numbers(&office.sync(&mut device).await.expect("the old release")), [1]);
    let halted = team.release(2).await.expect("releases").expect("a release").state;
    assert_eq!(halted, ReleaseState::Halted);
    assert_eq!(publish::signing(team, &office.signer).await.expect("what waits").waiting, []);
}

#[tokio::test]
async fn a_release_that_waits_can_be_withdrawn() {
    let office = strict().await;
    office.publish(100).await;
    publish::halt(&office.team, &office.signer, 2, "a mistake", START).await.expect("halted");
    assert_eq!(publish::signing(&office.team, &office.signer).await.expect("what waits").waiting, []);
    assert_eq!(numbers(&office.sync(&mut office.device()).await.expect("the old release")), [1]);
}

#[tokio::test]
async fn a_list_that_nobody_signs_anew_waits_a_month_before_its_end() {
    let (office, [one, two, _]) = (strict().await, admins());
    office.wait(340 * DAY);
    let alarms = publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    let alarms: Vec<_> =
        alarms.iter().filter(|one| one.is_alarming(office.now())).map(|one| one.role).collect();
    assert_eq!(alarms, [TufRole::Root, TufRole::Targets], "what the admins have to sign");
    let left = sign_all(&office, &[&one, &two]).await;
    assert_eq!(left.waiting, []);
    let alarms = publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    let alarms: Vec<_> =
        alarms.iter().filter(|one| one.is_alarming(office.now())).map(|one| one.role).collect();
    assert_eq!(alarms, [TufRole::Root]);
    let same = NewKeys::default();
    publish::propose(&office.team, &office.signer, &same, office.now()).await.expect("the same keys");
    sign_all(&office, &[&one, &two]).await;
    let alarms = publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    assert!(alarms.iter().all(|one| !one.is_alarming(office.now())), "{alarms:?}");
    office.sync(&mut office.device()).await.expect("the release");
}

#[tokio::test]
async fn s06_a_device_walks_from_the_first_root_to_the_fifth() {
    let office = Office::new().await;
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    let mut old = office.device();
    office.sync(&mut old).await.expect("the release");
    for _ in 0..4 {
        let left = publish::rotate(&office.team, &office.signer, START).await.expect("new keys");
        assert_eq!(left.waiting, []);
    }
    for (name, mut device) in [("one that was there", old), ("a new one", office.device())] {
        assert_eq!(numbers(&office.sync(&mut device).await.expect(name)), [1], "{name}");
        assert_eq!(device.trusted.expect("trusted").root().version, 5, "{name}");
    }
    let keys = office.team.keys().await.expect("keys");
    assert_eq!(keys.iter().filter(|key| key.sealed.is_some()).count(), 4, "old keys are forgotten");
    assert_eq!(office.team.info().await.expect("a team").mode, Mode::Easy);
}

#[tokio::test]
async fn s04_new_keys_recover_devices_from_a_version_that_nothing_can_follow() {
    let office = Office::new().await;
    let mut device = office.device();
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    office.sync(&mut device).await.expect("the release");
    // A thief of the timestamp's and the snapshot's keys signs the highest versions there are.
    let repository = office.signer.repository(&office.team).await.expect("the repository");
    let now = Timestamp::from_millisecond(office.now()).expect("a time");
    let every: Vec<&SigningKey> = repository.keys.iter().collect();
    let (high, targets) = (i64::MAX as u64, repository.file(TufRole::Targets).expect("targets"));
    let later = end(TufRole::Timestamp, now);
    let snapshot =
        metadata::sign(&metadata::snapshot(high, later, repository.newest.targets, targets), &every);
    let timestamp = metadata::sign(&metadata::timestamp(high, later, high, &snapshot), &every);
    let trusted = device.trusted.as_mut().expect("a device that synced");
    trusted.update_timestamp(&timestamp, now).expect("signed with the right key");
    trusted.update_snapshot(&snapshot, now).expect("signed with the right key");
    let stuck = office.sync(&mut device).await.expect_err("the honest version is lower");
    assert!(stuck.to_lowercase().contains("rollback") || stuck.contains("version"), "{stuck}");
    publish::rotate(&office.team, &office.signer, office.now()).await.expect("new keys");
    office.sync(&mut device).await.expect("new keys start anew");
}

#[tokio::test]
async fn keys_that_make_no_sense_are_refused() {
    let office = Office::new().await;
    let key = SigningKey::from_seed(&[1; 32]).public().hex();
    let set = |keys: &[&str], threshold| KeySet {
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        threshold,
    };
    let cases = [
        (set(&[&key], 0), "a threshold from 1"),
        (set(&[&key], 2), "a threshold from 1"),
        (set(&[], 1), "a threshold from 1"),
        (set(&[&key, &key], 1), "named twice"),
        (set(&["key"], 1), "no Ed25519 public key"),
    ];
    for (keys, expected) in cases {
        let new = NewKeys { targets: Some(keys.clone()), ..NewKeys::default() };
        let refused = publish::propose(&office.team, &office.signer, &new, START).await;
        let text = refused.expect_err(expected).to_string();
        assert!(text.contains(expected), "{keys:?}: {text}");
    }
}

#[tokio::test]
async fn a_publication_while_keys_wait_does_not_lose_them() {
    let (office, [one, two, _]) = (Office::new().await, admins());
    let keys = KeySet { keys: vec![one.public().hex(), two.public().hex()], threshold: 2 };
    let new = NewKeys { root: Some(keys.clone()), targets: Some(keys), online: true };
    publish::propose(&office.team, &office.signer, &new, START).await.expect("proposed");
    sign_all(&office, &[&one]).await;
    office.wait(2 * office::HOUR);
    publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    let left = publish::signing(&office.team, &office.signer).await.expect("what waits").waiting;
    assert!(left.iter().all(|file| file.signed.contains(&one.public().id())), "a tick leaves them alone");
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    let mut device = office.device();
    assert_eq!(numbers(&office.sync(&mut device).await.expect("the release")), [1]);
    let left = sign_all(&office, &[&one, &two]).await;
    assert_eq!(left.waiting, []);
    assert_eq!(numbers(&office.sync(&mut device).await.expect("the release")), [1]);
    assert_eq!(office.team.info().await.expect("a team").mode, Mode::Strict);
}

#[tokio::test]
async fn versions_never_go_below_what_was_given_out() {
    let office = Office::new().await;
    let above = Versions { targets: 50, snapshot: 60, timestamp: 70, sequence: 80, ..Versions::default() };
    office.team.raise_floor(&above).await.expect("a floor");
    publish::tick(&office.store, &office.signer, START).await.expect("a tick");
    let after = office.team.newest_versions().await.expect("versions");
    assert_eq!((after.targets, after.snapshot, after.timestamp), (51, 61, 71));
    office.publish(100).await;
    assert_eq!(office.team.newest_versions().await.expect("versions").sequence, 81);
    let other = Signer::new(Secret::from_bytes([5; 32]));
    other.check(&office.store).await.expect("the same secret");
}

#[tokio::test]
async fn the_word_of_a_device_does_not_cost_the_admins_their_signatures() {
    let (office, [one, two, _]) = (strict().await, admins());
    let (team, id, name, os) = (&office.team, "one".to_owned(), "one".to_owned(), "Linux".to_owned());
    let row = NewDevice { id, name, os, member: None, enrolled: true, added_at: START };
    team.add_device(&row).await.expect("a device");
    office.publish(100).await;
    sign_all(&office, &[&one]).await;
    for (sequence, code) in [(100, "applied"), (1, "rollback")] {
        office.wait(office::HOUR);
        let report = Report { sequence, release: 0, code: code.into(), detail: String::new() };
        publish::report(team, &office.signer, "one", &report, office.now()).await.expect("a report");
        publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    }
    let left = sign_all(&office, &[&two]).await;
    assert_eq!(left.waiting, []);
    assert_eq!(numbers(&office.sync(&mut office.device()).await.expect("the release")), [2]);
}

#[tokio::test]
async fn an_operator_who_put_a_backup_back_gets_something_for_the_admins_to_sign() {
    let (office, [one, two, _]) = (strict().await, admins());
    let mut device = office.device();
    office.sync(&mut device).await.expect("the release");
    publish::lift(&office.team, &office.signer, 40, office.now()).await.expect("lifted");
    let left = sign_all(&office, &[&one, &two]).await;
    assert_eq!(left.waiting, []);
    assert_eq!(office.sync(&mut device).await.expect("the same release").sequence, 41);
}
