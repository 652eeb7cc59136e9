//! Teams on one server know nothing of each other.

use boathook_engine::bundle::manifest::{Stale, StalePolicy};
use boathook_engine::digest::Digest;
use boathook_server::team::store::{Code, TeamStore, TufRole, Versions};
use boathook_server::team::wire::{MemberChange, Mode, Report, Role, TeamChange, TokenKind};

use super::people::{device, token};
use super::publishing::{SCRIPT, publish};
use super::{Place, draft};

/// One of everything.
async fn fill(team: &TeamStore, name: &str) {
    team.add_hook(&draft("guard.sh"), "a", 1).await.expect("a hook");
    team.add_member(&format!("{name}@example.com"), Role::Admin, 1).await.expect("a member");
    team.add_device(&device(name, None)).await.expect("a device");
    team.add_token(&token(TokenKind::SignIn, name, Some(1))).await.expect("a token");
    team.save_report(name, &report(), 2).await.expect("a report");
    publish(team).await.expect("published");
    team.add_code(&code(name)).await.expect("a code");
}

fn report() -> Report {
    Report { sequence: 1, release: 1, code: "applied".into(), detail: String::new() }
}

fn code(name: &str) -> Code {
    Code {
        digest: Digest::of(name.as_bytes()),
        challenge: "c".into(),
        redirect: "r".into(),
        member: 1,
        made_with: None,
        expires_at: 100,
    }
}

pub async fn what_is_anothers_does_not_exist(place: Place) {
    let ours = place.team().await;
    let store = place.open().await;
    let (other, _) = store.create_team("Other", "owner@example.com", 1).await.expect("another team");
    let theirs = store.team(other);
    fill(&ours, "ours").await;
    let untouched = store.export(&mut Vec::new()).await.expect("an export");

    assert!(theirs.hooks().await.expect("nothing").is_empty());
    assert_eq!(theirs.hook(1).await.expect("nothing"), None);
    assert_eq!(theirs.put_hook(1, &draft("x"), "b", 5).await.expect("nothing"), None);
    assert!(!theirs.delete_hook(1, "b", 5).await.expect("nothing"));
    assert_eq!(theirs.versions(1).await.expect("nothing"), None);
    assert!(theirs.reorder(&[1]).await.is_err());
    assert_eq!(theirs.member(2).await.expect("nothing"), None);
    assert_eq!(theirs.member_of("ours@example.com").await.expect("nothing"), None);
    assert_eq!(theirs.change_member(2, &MemberChange::default()).await.expect("nothing"), None);
    assert!(!theirs.remove_member(2, 5).await.expect("nothing"));
    assert!(theirs.tokens().await.expect("nothing").is_empty());
    assert!(!theirs.revoke_token(1, 5).await.expect("nothing"));
    assert!(!theirs.use_token_once(1, 5).await.expect("nothing"));
    assert!(theirs.devices().await.expect("nothing").is_empty());
    assert_eq!(theirs.device("ours").await.expect("nothing"), None);
    assert!(!theirs.revoke_device("ours", 5).await.expect("nothing"));
    assert!(!theirs.save_report("ours", &report(), 5).await.expect("nothing"));
    assert_eq!(theirs.reports_of(1, |_, _| true).await.expect("nothing").tried, 0);
    assert_eq!(theirs.highest_reported().await.expect("nothing"), 0);
    assert_eq!(theirs.take_code(&Digest::of(b"ours"), 5).await.expect("nothing"), None);
    assert_eq!(theirs.script(&Digest::of(SCRIPT)).await.expect("nothing"), None);
    assert!(theirs.releases().await.expect("nothing").is_empty());
    assert_eq!(theirs.release(1).await.expect("nothing"), None);
    assert!(theirs.keys().await.expect("nothing").is_empty());
    assert_eq!(theirs.metadata(TufRole::Root, 1).await.expect("nothing"), None);
    assert_eq!(theirs.newest(TufRole::Root).await.expect("nothing"), None);
    assert_eq!(theirs.newest_manifest().await.expect("nothing"), None);
    assert!(theirs.waiting().await.expect("nothing").is_empty());
    assert_eq!(theirs.newest_versions().await.expect("nothing"), Versions::default());
    assert_eq!(theirs.floor().await.expect("nothing"), Versions::default());
    // A member or a device of ours cannot be named by something of theirs.
    assert!(theirs.add_device(&device("x", Some(2))).await.is_err());
    let mut held = token(TokenKind::Device, "x", None);
    held.device = Some("ours".into());
    assert!(theirs.add_token(&held).await.is_err());
    assert_eq!(store.export(&mut Vec::new()).await.expect("an export"), untouched);

    // The same numbers and names are free for them.
    fill(&theirs, "theirs").await;
    theirs.add_device(&device("ours", None)).await.expect("a device of the same name");
    assert_eq!(ours.newest_versions().await.expect("versions").sequence, 1);
    assert_eq!(store.teams().await.expect("teams"), [ours.id(), other]);
    let found = store.token(&Digest::of(b"theirs")).await.expect("a token").expect("a token");
    assert_eq!(found.team, other);
}

pub async fn a_team_is_set_up_alone(place: Place) {
    let team = place.team().await;
    let store = place.open().await;
    let (other, owner) = store.create_team("Other", "o@example.com", 7).await.expect("another team");
    assert_eq!((owner.id, owner.role, owner.email.as_str()), (1, Role::Owner, "o@example.com"));
    let before = store.team(other).info().await.expect("a team");
    let change = TeamChange {
        name: Some("Quay".into()),
        stale: Some(Stale { days: 3, policy: StalePolicy::Deny }),
        halt_percent: Some(20),
        halt_least: Some(2),
    };
    team.change(&change).await.expect("changed");
    let info = team.info().await.expect("a team");
    assert_eq!((info.name.as_str(), info.halt_percent, info.halt_least), ("Quay", 20, 2));
    assert_eq!(
        (info.stale, info.mode, info.channel.as_str()),
        (change.stale.expect("stale"), Mode::Easy, "stable")
    );
    team.change(&TeamChange::default()).await.expect("nothing changed");
    assert_eq!(team.info().await.expect("a team"), info);
    assert_eq!(store.team(other).info().await.expect("a team"), before);
    assert_ne!(info.repository, before.repository);
    assert!(store.team(99).info().await.is_err());
}
