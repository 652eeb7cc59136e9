//! From the draft to what a device believes: publishing, widening, halting,
//! rolling back, and several who do it at once.

use boathook_engine::bundle::manifest::{Stale, StalePolicy};
use boathook_engine::digest::Digest;
use boathook_server::team::publish::{self, By, Hints, PATIENCE};
use boathook_server::team::sign::{Secret, SignError, Signer};
use boathook_server::team::store::{NewDevice, Publication, Store, TeamStore};
use boathook_server::team::wire::{Publish, ReleaseState, Report, TeamChange};

use crate::office::{self, DAY, HOUR, Office, START, draft, numbers};
#[cfg(unix)]
use crate::postgres;

#[tokio::test]
async fn a_device_gets_what_was_published_and_nothing_before() {
    let office = Office::new().await;
    let mut device = office.device();
    let first = office.sync(&mut device).await.expect("a repository without hooks");
    assert_eq!((first.sequence, numbers(&first), first.releases[0].hooks.len()), (1, vec![0], 0));
    office.hook("guard.sh", "exit 2").await;
    assert_eq!(office.sync(&mut device).await.expect("the same"), first, "a draft is nobody's");
    office.publish(100).await;
    let second = office.sync(&mut device).await.expect("the hook");
    assert_eq!((second.sequence, numbers(&second)), (2, vec![1]));
    assert_eq!(second.releases[0].hooks[0].script.name, "guard.sh");
}

#[tokio::test]
async fn what_a_client_would_refuse_is_not_signed() {
    let office = Office::new().await;
    office.hook("guard.sh", "one").await;
    office.hook("GUARD.sh", "two").await;
    let how = Publish { note: String::new(), canary: false, percent: 100 };
    let refused = publish::publish(&office.team, &office.signer, &how, &office.by()).await;
    let text = refused.map_err(|error| error.to_string());
    assert_eq!(
        text.err().as_deref(),
        Some("hook 2: the script name \"GUARD.sh\" is the name of another script already, of hook 1")
    );
    assert_eq!(office.team.releases().await.expect("releases"), []);
}

#[tokio::test]
async fn what_no_device_could_run_is_neither_published_nor_restored() {
    let office = Office::new().await;
    let (team, signer) = (&office.team, &office.signer);
    let hook = office.hook("guard.sh", "#!/bin/sh\nexit 0\n").await;
    office.publish(100).await;
    // A release from before this was checked.
    let mut old = team.release(1).await.expect("releases").expect("a release");
    let content = b"#!/bin/sh\r\nexit 0\r\n".to_vec();
    let mut work = Publication::after(team.newest_versions().await.expect("versions"));
    old.hooks[0].script.sha256 = Digest::of(&content);
    old.hooks[0].script.length = content.len() as u64;
    work.scripts.insert(Digest::of(&content), content);
    work.releases = vec![old];
    team.commit(work).await.expect("an old release");
    let broken = draft("guard.sh", "#!/bin/sh\r\nexit 0\r\n");
    team.put_hook(hook, &broken, "ann@example.com", START).await.expect("a change");
    let before = team.newest_versions().await.expect("versions");
    let how = Publish { note: String::new(), canary: false, percent: 100 };
    for refused in [
        publish::publish(team, signer, &how, &office.by()).await,
        publish::restore(team, signer, 1, &office.by()).await,
    ] {
        let said = refused.expect_err("no device could run it").to_string();
        assert!(said.contains("guard.sh") && said.contains("CR LF"), "{said}");
    }
    assert_eq!(team.newest_versions().await.expect("versions"), before, "nothing was signed");
}

#[tokio::test]
async fn a_halt_is_a_new_manifest_and_a_roll_back_a_new_release() {
    let office = Office::new().await;
    let (team, signer) = (&office.team, &office.signer);
    let mut device = office.device();
    let hook = office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    team.put_hook(hook, &draft("guard.sh", "exit 2"), "ann@example.com", START).await.expect("a change");
    office.publish(10).await;
    let rolling = office.sync(&mut device).await.expect("two releases");
    assert_eq!(numbers(&rolling), [2, 1]);
    publish::advance(team, signer, 2, 50, START).await.expect("wider");
    let halted = publish::halt(team, signer, 2, "it hurts", START).await.expect("halted");
    assert_eq!((halted.state, halted.halted_because.as_deref()), (ReleaseState::Halted, Some("it hurts")));
    let after = office.sync(&mut device).await.expect("the old release");
    assert_eq!((after.sequence, numbers(&after)), (rolling.sequence + 2, vec![1]));
    let restored = publish::restore(team, signer, 2, &office.by()).await.expect("restored");
    assert_eq!((restored.number, restored.restores, restored.state), (3, Some(2), ReleaseState::Stable));
    let back = office.sync(&mut device).await.expect("the content of release 2");
    assert_eq!(back.releases[0].hooks, rolling.releases[0].hooks);
}

#[tokio::test]
async fn two_processes_publish_at_once_and_both_succeed() {
    publish_at_once(Office::new().await).await;
}

#[cfg(unix)]
#[tokio::test]
async fn two_processes_on_postgresql_publish_at_once_and_both_succeed() {
    let Some(cluster) = postgres::shared() else { return };
    publish_at_once(Office::at_address(cluster.database()).await).await;
}

async fn publish_at_once(office: Office) {
    office.hook("guard.sh", "exit 0").await;
    let other = office.another().await;
    let (theirs, how) =
        (other.team(office.team.id()), Publish { note: "".into(), canary: false, percent: 100 });
    let by = |who: &str| By { who: who.into(), at: START };
    let (us, them) = (by("ann@example.com"), by("bob@example.com"));
    for _ in 0..5 {
        let (one, two) = tokio::join!(
            publish::publish(&office.team, &office.signer, &how, &us),
            publish::publish(&theirs, &office.signer, &how, &them),
        );
        assert_ne!(one.expect("a release").number, two.expect("a release").number);
    }
    let last = office.sync(&mut office.device()).await.expect("a release");
    assert_eq!((last.sequence, numbers(&last)), (11, vec![10]));
}

#[tokio::test]
async fn one_member_with_many_devices_does_not_halt_a_release() {
    let office = Office::new().await;
    let (team, signer) = (&office.team, &office.signer);
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    office.publish(50).await;
    let manifest = office.sync(&mut office.device()).await.expect("a manifest");
    let gets_it =
        |id: &String, member| manifest.release_for(id, member).is_some_and(|release| release.number == 2);
    let fails = async |id: &str| {
        let (sequence, code) = (manifest.sequence, "self_check".to_owned());
        let report = Report { sequence, release: 2, code, detail: String::new() };
        publish::report(team, signer, id, &report, START).await.expect("a report is kept")
    };
    let ids = |word: &str| (0..40).map(|number| format!("{word}-{number}")).collect::<Vec<String>>();
    for id in ids("crowd") {
        let (name, os) = (id.clone(), "Linux".to_owned());
        let device =
            NewDevice { id: id.clone(), name, os, member: Some(1), enrolled: false, added_at: START };
        team.add_device(&device).await.expect("a device");
        assert_eq!(fails(&id).await, None, "{id} is one of a crowd of one member's");
    }
    for id in ids("outside").into_iter().filter(|id| !gets_it(id, None)) {
        enrol(team, &id).await;
        assert_eq!(fails(&id).await, None, "{id} was never offered the release");
    }
    let mut halted = None;
    for id in ids("inside").into_iter().filter(|id| gets_it(id, None)).take(2) {
        enrol(team, &id).await;
        halted = fails(&id).await;
    }
    assert_eq!(halted.map(|release| release.state), Some(ReleaseState::Halted), "three that it is for");
}

#[tokio::test]
async fn d16_s20_failures_of_devices_halt_a_release_and_the_others_stay_on_the_old_one() {
    let office = Office::new().await;
    let (team, signer) = (&office.team, &office.signer);
    let change = TeamChange { halt_percent: Some(5), halt_least: Some(2), ..TeamChange::default() };
    team.change(&change).await.expect("settings");
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    office.publish(50).await;
    for number in 0..100 {
        enrol(team, &format!("device-{number}")).await;
    }
    // Every twentieth of those that are offered the new release cannot install it.
    let mut on = vec![0u64; 100];
    let (mut halted, mut candidates) = (None, 0);
    for round in 0..2 {
        for (number, release) in on.iter_mut().enumerate() {
            let manifest = office.sync(&mut office.device()).await.expect("a manifest");
            let offered = manifest.release_for(&format!("device-{number}"), None).expect("a release").number;
            candidates += usize::from(offered == 2);
            let fails = offered == 2 && candidates % 20 == 1;
            let code = if fails { "self_check" } else { "applied" };
            *release = if fails { 1 } else { offered };
            let report = Report {
                sequence: manifest.sequence,
                release: offered,
                code: code.into(),
                detail: "".into(),
            };
            let answer = publish::report(team, signer, &format!("device-{number}"), &report, START).await;
            halted = answer.expect("a report is kept").or(halted);
        }
        assert!(halted.is_some(), "round {round}: the release halted by itself");
    }
    let halted = halted.expect("a halted release");
    assert_eq!((halted.number, halted.state), (2, ReleaseState::Halted));
    assert_eq!(on, vec![1; 100], "after the next sync everybody is back on the old release");
}

#[tokio::test]
async fn what_is_signed_stays_fresh_for_years() {
    let office = Office::new().await;
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    let mut device = office.device();
    for round in 0..60 {
        office.wait(12 * DAY);
        let standings = publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
        assert!(standings.iter().all(|standing| !standing.is_alarming(office.now())), "round {round}");
        office.wait(23 * HOUR);
        office.sync(&mut device).await.unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
    let root = device.trusted.expect("a device that synced").root().version;
    assert!(root >= 3, "the root was signed anew before it ran out, twice: {root}");
}

#[tokio::test]
async fn a_tick_signs_only_what_is_due() {
    let office = Office::new().await;
    let versions = async || office.team.newest_versions().await.expect("versions");
    let before = versions().await;
    for (minutes, timestamps, snapshots) in
        [(30, 0, 0), (31, 1, 0), (59, 1, 0), (2, 2, 0), (4 * 24 * 60, 3, 1)]
    {
        office.wait(minutes * office::MINUTE);
        publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
        let after = versions().await;
        let signed = (after.timestamp - before.timestamp, after.snapshot - before.snapshot);
        assert_eq!(signed, (timestamps, snapshots), "after {minutes} more minutes");
        assert_eq!((after.root, after.targets), (before.root, before.targets));
    }
}

#[tokio::test]
async fn d20_a_server_without_its_key_says_so_before_devices_are_stale() {
    let office = Office::new().await;
    let stranger = Signer::new(Secret::from_bytes([6; 32]));
    let refused = stranger.check(&office.store).await;
    assert!(matches!(refused, Err(SignError::OtherSecret { .. })), "{refused:?}");
    for (hours, alarming) in [(11, false), (2, true), (60, true)] {
        office.wait(hours * HOUR);
        let standings = publish::tick(&office.store, &stranger, office.now()).await.expect("a tick");
        assert!(standings.iter().all(|standing| standing.failed.is_some()), "after {hours} hours");
        let alarms = standings.iter().any(|standing| standing.is_alarming(office.now()));
        assert_eq!(alarms, alarming, "after {hours} more hours");
    }
    publish::tick(&office.store, &office.signer, office.now()).await.expect("a tick");
    office.sync(&mut office.device()).await.expect("the key is back, and so is freshness");
}

#[tokio::test]
async fn d19_after_an_old_backup_devices_go_on_with_what_is_published_next() {
    let office = Office::new().await;
    let mut device = office.device();
    office.hook("guard.sh", "exit 0").await;
    // Nobody writes: the file and its log are the whole database.
    for (file, copy) in [("team.db", "backup.db"), ("team.db-wal", "backup.db-wal")] {
        let folder = office.folder.path();
        std::fs::copy(folder.join(file), folder.join(copy)).expect("a backup");
    }
    let backup = office.folder.path().join("backup.db");
    for _ in 0..7 {
        office.wait(HOUR);
        office.publish(100).await;
    }
    let seen = office.sync(&mut device).await.expect("the newest").sequence;
    office.wait(DAY);
    let restored = Store::open(backup.to_str().expect("a path in UTF-8")).await.expect("the backup");
    let team = restored.team(office.team.id());
    assert!(device.sync(&team, office.now()).await.is_err(), "the old files are refused");
    enrol(&team, "one").await;
    let report = Report { sequence: seen, release: 7, code: "rollback".into(), detail: String::new() };
    publish::report(&team, &office.signer, "one", &report, office.now()).await.expect("a report");
    let after = device.sync(&team, office.now()).await.expect("signed above what was seen");
    assert!(after.sequence > seen, "{} is above {seen}", after.sequence);
}

#[tokio::test]
async fn d19_devices_that_only_saw_newer_timestamps_are_caught_up_with_too() {
    let office = Office::new().await;
    let (team, signer) = (&office.team, &office.signer);
    enrol(team, "one").await;
    let before = team.newest_versions().await.expect("versions");
    let cases = [
        ("a number that no database holds", u64::MAX, "applied", false),
        ("more than anybody publishes", 1_000_000, "applied", false),
        ("a newer timestamp was seen", 1, "rollback", true),
    ];
    for (name, sequence, code, lifts) in cases {
        let report = Report { sequence, release: 0, code: code.into(), detail: String::new() };
        publish::report(team, signer, "one", &report, office.now()).await.expect(name);
        let after = team.newest_versions().await.expect("versions");
        assert_eq!(after.timestamp > before.timestamp, lifts, "{name}");
    }
    let after = team.newest_versions().await.expect("versions");
    let again = Report { sequence: 1, release: 0, code: "rollback".into(), detail: String::new() };
    publish::report(team, signer, "one", &again, office.now() + 1).await.expect("a report");
    assert_eq!(team.newest_versions().await.expect("versions"), after, "not twice in a minute");
}

#[tokio::test]
async fn a_changed_policy_reaches_devices_with_the_same_release() {
    let office = Office::new().await;
    let mut device = office.device();
    office.hook("guard.sh", "exit 0").await;
    office.publish(100).await;
    let before = office.sync(&mut device).await.expect("the release");
    let stale = Stale { days: 3, policy: StalePolicy::Deny };
    let change = TeamChange { stale: Some(stale), ..TeamChange::default() };
    publish::set(&office.team, &office.signer, &change, office.now()).await.expect("a manifest");
    let after = office.sync(&mut device).await.expect("the release");
    assert_eq!((after.stale, after.sequence), (stale, before.sequence + 1));
    assert_eq!(after.releases, before.releases);
}

#[tokio::test]
async fn a_hint_comes_from_whatever_process_published() {
    let office = Office::new().await;
    let (hints, other) = (Hints::new(10), office.another().await);
    hints.look(&other).await.expect("the database answers");
    office.publish(100).await;
    let waits = hints.newer(office.team.id(), 1, PATIENCE);
    let (sequence, looked) = tokio::join!(waits, hints.look(&other));
    looked.expect("the database answers");
    assert_eq!(sequence, Ok(2));
}

async fn enrol(team: &TeamStore, id: &str) {
    let (id, name, os) = (id.to_owned(), id.to_owned(), "Linux".to_owned());
    let device = NewDevice { id, name, os, member: None, enrolled: true, added_at: START };
    team.add_device(&device).await.expect("a device");
}
