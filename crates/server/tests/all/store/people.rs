//! Members, their tokens and their machines.

use boathook_engine::digest::Digest;
use boathook_server::team::store::{Code, NewDevice, NewTokenRow, StoreError, TeamStore, Trials};
use boathook_server::team::wire::{MemberChange, Report, Role, TokenKind};

use super::Place;

pub fn token(kind: TokenKind, secret: &str, member: Option<i64>) -> NewTokenRow {
    NewTokenRow {
        kind,
        prefix: secret.chars().take(4).collect(),
        name: "laptop".to_owned(),
        role: Role::Admin,
        member,
        device: None,
        made_with: None,
        digest: Digest::of(secret.as_bytes()),
        created_at: 1,
        expires_at: Some(1000),
    }
}

pub fn device(id: &str, member: Option<i64>) -> NewDevice {
    NewDevice {
        id: id.to_owned(),
        name: "host".to_owned(),
        os: "Linux".to_owned(),
        member,
        enrolled: member.is_none(),
        added_at: 5,
    }
}

fn to(role: Role) -> MemberChange {
    MemberChange { role: Some(role), canary: None }
}

pub async fn the_last_owner_stays(place: Place) {
    let team = place.team().await;
    assert!(matches!(team.remove_member(1, 5).await, Err(StoreError::LastOwner)));
    assert!(matches!(team.change_member(1, &to(Role::Admin)).await, Err(StoreError::LastOwner)));
    let canary = MemberChange { role: Some(Role::Owner), canary: Some(true) };
    assert!(team.change_member(1, &canary).await.expect("a change").expect("a member").canary);
    let other = team.add_member("two@example.com", Role::Member, 5).await.expect("a member");
    assert!(matches!(team.remove_member(1, 5).await, Err(StoreError::LastOwner)));
    team.change_member(other.id, &to(Role::Owner)).await.expect("a second owner");
    assert!(team.remove_member(1, 5).await.expect("removed"));
    assert!(!team.remove_member(1, 5).await.expect("removed once"));
    assert_eq!(team.change_member(1, &to(Role::Owner)).await.expect("nobody"), None);
    assert!(matches!(team.remove_member(other.id, 5).await, Err(StoreError::LastOwner)));
    assert_eq!(team.members().await.expect("members").len(), 1);
}

pub async fn two_owners_cannot_remove_each_other(place: Place) {
    let first = place.team().await;
    let second = place.open().await.team(first.id());
    for round in 0..5 {
        let owner = first.members().await.expect("members")[0].id;
        let other =
            first.add_member(&format!("{round}@example.com"), Role::Owner, 5).await.expect("an owner").id;
        let (one, two) = tokio::join!(first.remove_member(owner, 6), second.remove_member(other, 6));
        let refused = [&one, &two].into_iter().filter(|it| matches!(it, Err(StoreError::LastOwner))).count();
        assert_eq!(refused, 1, "{one:?} {two:?}");
        assert_eq!(first.members().await.expect("members").len(), 1);
    }
}

pub async fn an_address_is_one_person(place: Place) {
    let team = place.team().await;
    let one = team.add_member("Ada@Example.com", Role::Admin, 5).await.expect("a member");
    let again = team.add_member("ada@example.COM ", Role::Member, 6).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    assert_eq!(team.member_of("ADA@example.com").await.expect("a member"), Some(one.clone()));
    assert_eq!(team.member(one.id).await.expect("a member"), Some(one.clone()));
    assert!(team.remove_member(one.id, 7).await.expect("removed"));
    assert_eq!(team.member(one.id).await.expect("nobody"), None);
    let back = team.add_member("ada@example.com", Role::Member, 8).await.expect("back");
    assert_ne!(back.id, one.id);
    // SQLite keeps a NUL, PostgreSQL does not; neither calls it a failure of the database.
    let odd = team.add_member("a\0b@example.com", Role::Member, 9).await;
    assert!(matches!(odd, Ok(_) | Err(StoreError::Unfit(_))), "{odd:?}");
}

pub async fn who_leaves_loses_tokens_and_devices(place: Place) {
    let team = place.team().await;
    let member = team.add_member("m@example.com", Role::Admin, 5).await.expect("a member");
    team.add_token(&token(TokenKind::Api, "api", Some(member.id))).await.expect("a token");
    team.add_device(&device("d1", Some(member.id))).await.expect("a device");
    let held = NewTokenRow { device: Some("d1".into()), ..token(TokenKind::Device, "dev", Some(member.id)) };
    team.add_token(&held).await.expect("a token");
    assert!(team.remove_member(member.id, 9).await.expect("removed"));
    let store = place.open().await;
    for secret in ["api", "dev"] {
        let row = store.token(&Digest::of(secret.as_bytes())).await.expect("a token").expect("a token");
        assert_eq!((row.revoked_at, row.role_at(10)), (Some(9), None), "{secret}");
    }
    assert_eq!(team.device("d1").await.expect("a device").expect("a device").revoked_at, Some(9));
}

pub async fn a_token_is_good_until_something_ends_it(place: Place) {
    let team = place.team().await;
    let store = place.open().await;
    let member = team.add_member("m@example.com", Role::Auditor, 5).await.expect("a member");
    let kept = team.add_token(&token(TokenKind::Api, "secret", Some(member.id))).await.expect("a token");
    let again = team.add_token(&token(TokenKind::Api, "secret", None)).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    assert_eq!(store.token(&Digest::of(b"other")).await.expect("nothing"), None);

    let find = || async { store.token(&Digest::of(b"secret")).await.expect("a token").expect("a token") };
    let row = find().await;
    assert_eq!((row.team, row.id, row.kind, row.role), (team.id(), kept.id, TokenKind::Api, Role::Admin));
    assert_eq!(row.member.as_ref().map(|member| member.email.as_str()), Some("m@example.com"));
    // The member's own role is the lower one.
    assert_eq!((row.role_at(999), row.role_at(1000)), (Some(Role::Auditor), None));
    team.change_member(member.id, &to(Role::Owner)).await.expect("an owner");
    assert_eq!(find().await.role_at(10), Some(Role::Admin));
    assert!(team.revoke_token(kept.id, 50).await.expect("revoked"));
    assert!(!team.revoke_token(kept.id, 60).await.expect("revoked once"));
    assert_eq!(find().await.role_at(10), None);
    assert_eq!(team.token(kept.id).await.expect("a token").expect("a token").revoked_at, Some(50));

    team.add_device(&device("d1", None)).await.expect("a device");
    let held = NewTokenRow { device: Some("d1".into()), ..token(TokenKind::Device, "dev", None) };
    team.add_token(&held).await.expect("a token");
    let find = || async { store.token(&Digest::of(b"dev")).await.expect("a token").expect("a token") };
    assert_eq!(find().await.device.map(|device| (device.id, device.enrolled)), Some(("d1".to_owned(), true)));
    assert!(team.revoke_device("d1", 70).await.expect("revoked"));
    assert!(!team.revoke_device("d1", 71).await.expect("revoked once"));
    assert_eq!(find().await.role_at(10), None);
    let secrets = format!("{:?}", team.tokens().await.expect("tokens"));
    assert!(!secrets.contains("secret"), "{secrets}");
}

/// One of a kind, made with another.
fn made(kind: TokenKind, secret: &str, member: Option<i64>, with: i64) -> NewTokenRow {
    NewTokenRow { made_with: Some(with), ..token(kind, secret, member) }
}

pub async fn what_was_made_with_a_token_goes_with_it(place: Place) {
    let team = place.team().await;
    let other = team.add_member("two@example.com", Role::Member, 5).await.expect("a member").id;
    let add = async |row: NewTokenRow| team.add_token(&row).await.expect("a token").id;
    let first = add(token(TokenKind::Api, "first", Some(1))).await;
    let lost = add(made(TokenKind::Api, "lost", Some(1), first)).await;
    let child = add(made(TokenKind::Api, "child", Some(1), lost)).await;
    add(made(TokenKind::SignIn, "grandchild", Some(1), child)).await;
    let fleet = add(made(TokenKind::Enrolment, "fleet", None, child)).await;
    add(made(TokenKind::SignIn, "unused", Some(other), lost)).await;
    let used = add(made(TokenKind::SignIn, "used", Some(other), lost)).await;
    assert!(team.use_token_once(used, 6).await.expect("used"));
    add(made(TokenKind::Api, "theirs", Some(other), used)).await;
    for (id, member, with) in [("laptop", Some(1), child), ("rack", None, fleet)] {
        let row = NewTokenRow { device: Some(id.into()), ..made(TokenKind::Device, id, member, with) };
        team.sign_in(&device(id, member), &row, None).await.expect("a device").expect("a device");
    }
    // Another team has a token of the same number, and something made with it.
    let store = place.open().await;
    let (elsewhere, _) = store.create_team("Other", "o@example.com", 1).await.expect("another team");
    let elsewhere = store.team(elsewhere);
    for number in 1..=lost {
        elsewhere.add_token(&token(TokenKind::Api, &format!("x{number}"), Some(1))).await.expect("a token");
    }
    elsewhere.add_token(&made(TokenKind::Api, "foreign", Some(1), lost)).await.expect("a token");

    let revoked = async || {
        let mut names = Vec::new();
        for name in
            ["first", "lost", "child", "grandchild", "fleet", "unused", "theirs", "laptop", "rack", "foreign"]
        {
            let row = store.token(&Digest::of(name.as_bytes())).await.expect("a token").expect("a token");
            names.extend(row.revoked_at.map(|_| name));
        }
        names
    };
    assert!(team.revoke_token_alone(lost, 9).await.expect("revoked"));
    assert!(!team.revoke_token_alone(lost, 9).await.expect("revoked once"));
    assert_eq!(revoked().await, ["lost"]);
    assert!(team.revoke_token(lost, 10).await.expect("what it made was left"));
    assert!(!team.revoke_token(lost, 11).await.expect("nothing is left"));
    assert_eq!(revoked().await, ["lost", "child", "grandchild", "fleet", "unused", "laptop"]);
    let gone = team.devices().await.expect("devices").into_iter().filter(|one| one.revoked_at == Some(10));
    assert_eq!(gone.map(|one| one.id).collect::<Vec<_>>(), ["laptop"]);
    assert_eq!(team.token(child).await.expect("a token").expect("a token").made_with, Some(lost));

    let late = team.add_token(&made(TokenKind::Api, "late", Some(1), child)).await;
    assert!(matches!(late, Err(StoreError::Revoked)), "{late:?}");
    let row = NewTokenRow { device: Some("late".into()), ..made(TokenKind::Device, "late", Some(1), child) };
    assert!(matches!(team.sign_in(&device("late", Some(1)), &row, None).await, Err(StoreError::Revoked)));
    assert_eq!(team.device("late").await.expect("nothing"), None);
}

pub async fn nothing_is_made_behind_the_back_of_who_revokes(place: Place) {
    let team = place.team().await;
    let other = place.open().await.team(team.id());
    for round in 0..8 {
        let top = token(TokenKind::Api, &format!("{round}"), Some(1));
        let top = team.add_token(&top).await.expect("a token").id;
        let middle = made(TokenKind::Api, &format!("{round}-middle"), Some(1), top);
        let middle = team.add_token(&middle).await.expect("a token").id;
        let mut work = tokio::task::JoinSet::new();
        for number in 0..6 {
            let (team, name) = (other.clone(), format!("{round}-{number}"));
            let with = if number % 2 == 0 { top } else { middle };
            work.spawn(
                async move { drop(team.add_token(&made(TokenKind::Api, &name, Some(1), with)).await) },
            );
        }
        assert!(team.revoke_token(top, 10).await.expect("revoked"));
        work.join_all().await;
        let tokens = team.tokens().await.expect("tokens");
        let left: Vec<_> = tokens.iter().filter(|token| token.revoked_at.is_none()).collect();
        assert!(left.is_empty(), "round {round}: {left:?}");
    }
}

pub async fn a_sign_in_token_is_good_once(place: Place) {
    let team = place.team().await;
    let other = place.open().await.team(team.id());
    let id = team.add_token(&token(TokenKind::SignIn, "race", Some(1))).await.expect("a token").id;
    let mut work = tokio::task::JoinSet::new();
    for number in 0..20 {
        let team = if number % 2 == 0 { team.clone() } else { other.clone() };
        work.spawn(async move { team.use_token_once(id, 10).await.expect("an answer") });
    }
    assert_eq!(work.join_all().await.into_iter().filter(|used| *used).count(), 1);
    let row = place.open().await.token(&Digest::of(b"race")).await.expect("a token").expect("a token");
    assert_eq!((row.used_at, row.role_at(11)), (Some(10), None));

    let late = team.add_token(&token(TokenKind::SignIn, "late", Some(1))).await.expect("a token").id;
    assert!(!team.use_token_once(late, 1000).await.expect("too late"));
    let revoked = team.add_token(&token(TokenKind::SignIn, "revoked", Some(1))).await.expect("a token").id;
    assert!(team.revoke_token(revoked, 5).await.expect("revoked"));
    assert!(!team.use_token_once(revoked, 6).await.expect("revoked"));
    let api = team.add_token(&token(TokenKind::Api, "api", Some(1))).await.expect("a token").id;
    assert!(!team.use_token_once(api, 6).await.expect("another kind"));
}

pub async fn signing_in_is_all_or_nothing(place: Place) {
    let team = place.team().await;
    let once = team.add_token(&token(TokenKind::SignIn, "once", Some(1))).await.expect("a token").id;
    let with = |id: &str, secret: &str| NewTokenRow {
        device: Some(id.to_owned()),
        ..token(TokenKind::Device, secret, Some(1))
    };
    team.add_token(&token(TokenKind::Api, "taken", Some(1))).await.expect("a token");
    // The device's token cannot be kept: neither is the device, and the sign-in token is still good.
    let failed = team.sign_in(&device("d1", Some(1)), &with("d1", "taken"), Some(once)).await;
    assert!(matches!(failed, Err(StoreError::Exists(_))), "{failed:?}");
    assert_eq!(team.device("d1").await.expect("nothing"), None);
    let came =
        team.sign_in(&device("d1", Some(1)), &with("d1", "dev1"), Some(once)).await.expect("an answer");
    assert_eq!(came, team.device("d1").await.expect("a device"));
    assert!(came.is_some());
    let second = team.sign_in(&device("d2", Some(1)), &with("d2", "dev2"), Some(once)).await;
    assert_eq!(second.expect("an answer"), None);
    assert_eq!(team.device("d2").await.expect("nothing"), None);
}

pub async fn machines_of_all_teams_are_counted(place: Place) {
    let ours = place.team().await;
    let store = place.open().await;
    let (other, member) = store.create_team("Other", "other@example.com", 1).await.expect("another team");
    assert_eq!(store.count_devices().await.expect("a number"), 0);
    ours.add_device(&device("d1", Some(1))).await.expect("a device");
    ours.add_device(&device("d2", None)).await.expect("a device");
    store.team(other).add_device(&device("d1", Some(member.id))).await.expect("a device");
    assert_eq!(store.count_devices().await.expect("a number"), 3);
    assert!(ours.revoke_device("d1", 5).await.expect("revoked"));
    assert_eq!(store.count_devices().await.expect("a number"), 2);
}

pub async fn a_code_is_taken_once(place: Place) {
    let team = place.team().await;
    let code = |text: &[u8]| Code {
        digest: Digest::of(text),
        challenge: "challenge".to_owned(),
        redirect: "http://127.0.0.1:1/".to_owned(),
        member: 1,
        made_with: Some(4),
        expires_at: 100,
    };
    team.add_code(&code(b"one")).await.expect("a code");
    let mut work = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let team: TeamStore = team.clone();
        work.spawn(async move { team.take_code(&Digest::of(b"one"), 50).await.expect("an answer") });
    }
    let taken: Vec<Code> = work.join_all().await.into_iter().flatten().collect();
    assert_eq!(taken, [code(b"one")]);
    team.add_code(&code(b"late")).await.expect("a code");
    assert_eq!(team.take_code(&Digest::of(b"late"), 100).await.expect("too late"), None);
}

pub async fn a_device_counts_once_for_a_release(place: Place) {
    let team = place.team().await;
    for id in ["d1", "d2", "d3"] {
        team.add_device(&device(id, None)).await.expect("a device");
    }
    let report =
        |release: u64, code: &str| Report { sequence: 7, release, code: code.into(), detail: "d".into() };
    assert_eq!(team.reports_of(4, |_, _| true).await.expect("trials"), Trials::default());
    for (device, release, code) in [
        ("d1", 4, "self_check"),
        ("d1", 4, "self_check"),
        ("d2", 4, "self_check"),
        ("d2", 4, "applied"),
        ("d3", 4, "unchanged"),
        ("d3", 3, "disk"),
    ] {
        assert!(team.save_report(device, &report(release, code), 20).await.expect("kept"));
    }
    assert_eq!(team.reports_of(4, |_, _| true).await.expect("trials"), Trials { tried: 3, failed: 1 });
    assert_eq!(team.reports_of(3, |_, _| true).await.expect("trials"), Trials { tried: 1, failed: 1 });
    let last = team.device("d3").await.expect("a device").expect("a device");
    assert_eq!((last.seen_at, last.last_report), (Some(20), Some(report(3, "disk"))));
    assert!(!team.save_report("stranger", &report(4, "applied"), 20).await.expect("nobody"));
    assert_eq!(team.highest_reported().await.expect("a sequence"), 7);
    let huge = Report { sequence: u64::MAX, ..report(4, "applied") };
    assert!(matches!(team.save_report("d1", &huge, 21).await, Err(StoreError::Unfit(_))));
}
