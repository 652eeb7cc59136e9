//! Nobody gets more than they have, and what was taken away is gone at once.

use boathook_server::team::publish;
use boathook_server::team::sign::key::{Signature, SigningKey};
use boathook_server::team::wire::{MemberChange, NewSignature, Role, TokenKind};
use serde_json::{Value, json};

use super::http::{Answer, Sent};
use super::world::{DAY, World};

async fn post(world: &World, path: &str, token: &str, body: &Value) -> Answer {
    world.send(Sent::new("POST", path).bearer(token).json(body)).await
}

async fn get(world: &World, path: &str, token: &str) -> Answer {
    world.send(Sent::new("GET", path).bearer(token)).await
}

fn host() -> Value {
    json!({"name": "host", "os": "Linux"})
}

#[tokio::test]
async fn d12_what_was_taken_away_is_refused_at_once_and_in_the_same_words() {
    let world = World::new().await;
    let team = world.team(world.ours);
    let now = world.now();
    let unknown = world.send(Sent::new("GET", "/api/v1/team")).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (401, "unauthorized"));
    assert_eq!(unknown.header("www-authenticate"), Some("Bearer"));

    let revoked = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let removed = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let device = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let expiring = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    for holder in [&revoked, &removed, &device, &expiring] {
        assert_eq!(get(&world, "/api/v1/team", &holder.secret).await.status, 200);
    }
    assert!(team.revoke_token(revoked.token, now).await.expect("revoked"));
    assert!(team.remove_member(removed.member.expect("a member"), now).await.expect("removed"));
    assert!(team.revoke_device(device.device.as_deref().expect("a device"), now).await.expect("revoked"));
    world.later(DAY);
    let invented = format!("bh_api_{}", "A".repeat(43));
    for secret in
        [&revoked.secret, &removed.secret, &device.secret, &expiring.secret, &invented, "bh_api_", "x"]
    {
        let answer = get(&world, "/api/v1/team", secret).await;
        assert_eq!((answer.status, answer.text()), (401, unknown.text()));
    }
    let in_the_address =
        world.send(Sent::new("GET", &format!("/api/v1/team?access_token={}", revoked.secret))).await;
    assert_eq!(in_the_address.status, 401);
}

#[tokio::test]
async fn a_member_who_is_demoted_loses_the_role_with_every_token() {
    let world = World::new().await;
    let admin = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    assert_eq!(get(&world, "/api/v1/hooks", &admin.secret).await.status, 200);
    let change = MemberChange { role: Some(Role::Member), canary: None };
    world.team(world.ours).change_member(admin.member.expect("a member"), &change).await.expect("changed");
    assert_eq!(get(&world, "/api/v1/hooks", &admin.secret).await.status, 403);
    let shown = get(&world, "/api/v1/team", &admin.secret).await.json();
    assert_eq!(shown["role"], "member");
}

#[tokio::test]
async fn a_token_to_sign_in_with_is_good_for_one_step() {
    let world = World::new().await;
    let for_device = world.holder(world.ours, TokenKind::SignIn, Role::Admin).await;
    let host = host();
    let (one, other) = tokio::join!(
        post(&world, "/api/v1/login", &for_device.secret, &host),
        post(&world, "/api/v1/login", &for_device.secret, &host),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 401], "of two who race one wins");
    assert_eq!(world.team(world.ours).devices().await.expect("devices").len(), 1);

    let for_token = world.holder(world.ours, TokenKind::SignIn, Role::Owner).await;
    let enrolment = json!({"kind": "enrolment", "name": "fleet", "role": "member"});
    assert_eq!(post(&world, "/api/v1/tokens", &for_token.secret, &enrolment).await.status, 403);
    let wanted = json!({"kind": "api", "name": "terminal", "role": "owner"});
    let made = post(&world, "/api/v1/tokens", &for_token.secret, &wanted).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let secret = made.json()["secret"].as_str().expect("a secret").to_owned();
    assert_eq!(get(&world, "/api/v1/team", &secret).await.json()["role"], "owner");
    assert_eq!(post(&world, "/api/v1/tokens", &for_token.secret, &wanted).await.status, 401);
    let listed = get(&world, "/api/v1/tokens", &secret).await;
    assert!(!listed.text().contains(&secret), "a secret is shown once");
}

#[tokio::test]
async fn a_sign_in_token_without_a_role_has_its_members_own() {
    let world = World::new().await;
    let owner = world.holder(world.ours, TokenKind::Api, Role::Owner).await;
    let admin = world.member(world.ours, Role::Admin).await.id;
    let cases = [
        ("somebody else's", json!({"kind": "sign-in", "name": "x", "member": admin}), "admin"),
        ("the caller's", json!({"kind": "sign-in", "name": "x"}), "owner"),
        ("an API token", json!({"kind": "api", "name": "x"}), "owner"),
        ("a fleet's", json!({"kind": "enrolment", "name": "x"}), "member"),
        ("as was said", json!({"kind": "sign-in", "name": "x", "role": "auditor"}), "auditor"),
    ];
    for (name, body, role) in cases {
        let made = post(&world, "/api/v1/tokens", &owner.secret, &body).await;
        assert_eq!(made.json()["token"]["role"], role, "{name}: {}", made.text());
    }
    let narrow = world.holder_of(world.ours, TokenKind::Api, Role::Member, Some(admin)).await;
    let refused = get(&world, "/api/v1/hooks", &narrow.secret).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text().contains("this token was made with the role member"), "{}", refused.text());
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let refused = get(&world, "/api/v1/hooks", &member.secret).await;
    assert!(refused.text().contains("holder has member"), "{}", refused.text());
}

#[tokio::test]
async fn a_script_name_that_is_taken_is_refused_with_the_hook_that_has_it() {
    let world = World::new().await;
    let admin = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let hook = |name: &str, content: &str| json!({"hook_step": "stop", "script_name": name, "script_content": content, "is_active": true});
    let cases = [
        ("the first", hook("guard.sh", "exit 0"), 201),
        ("the same script again", hook("guard.sh", "exit 0"), 201),
        ("another script", hook("guard.sh", "exit 2"), 409),
        ("the same file on some systems", hook("GUARD.sh", "exit 0"), 409),
        ("no device could run it", hook("other.sh", "#!/bin/sh\r\n"), 422),
        ("another name", hook("other.sh", "exit 2"), 201),
    ];
    for (name, body, status) in cases {
        let answer = post(&world, "/api/v1/hooks", &admin.secret, &body).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
        assert!(status != 409 || answer.text().contains("hook 1 has"), "{name}: {}", answer.text());
    }
}

#[tokio::test]
async fn a_token_does_not_reach_above_or_beyond_itself() {
    let world = World::new().await;
    let owner = world.holder(world.ours, TokenKind::SignIn, Role::Owner).await;
    let wanted = |role: &str, days: u32| json!({"kind": "api", "name": "x", "role": role, "days": days});
    let high = post(&world, "/api/v1/tokens", &owner.secret, &wanted("owner", 30)).await.json();
    let high_secret = high["secret"].as_str().expect("a secret").to_owned();
    let low = post(&world, "/api/v1/tokens", &high_secret, &wanted("member", 20)).await.json();
    let low_secret = low["secret"].as_str().expect("a secret").to_owned();
    let ends = |made: &Value| made["token"]["expires_at"].as_i64().expect("an end");
    for (name, secret, parent) in [("high", &high_secret, &high), ("low", &low_secret, &low)] {
        let child = post(&world, "/api/v1/tokens", secret, &wanted("member", 300)).await.json();
        assert_eq!(ends(&child), ends(parent), "a child of the {name} one");
    }
    let revoke = async |secret: &str, made: &Value| {
        let path = format!("/api/v1/tokens/{}", made["token"]["id"]);
        world.send(Sent::new("DELETE", &path).bearer(secret)).await.status
    };
    assert_eq!(revoke(&low_secret, &high).await, 403, "the low one does not revoke the high one");
    assert_eq!(revoke(&high_secret, &low).await, 204, "the high one revokes the low one");
    assert_eq!(revoke(&high_secret, &high).await, 204, "and itself");
}

/// What is made with a token, by whom it is held, and whether it goes with it.
#[tokio::test]
async fn what_was_made_with_a_token_goes_with_it() {
    let world = World::new().await;
    let made = async |secret: &str, body: Value| {
        let answer = post(&world, "/api/v1/tokens", secret, &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let made = answer.json();
        (made["token"]["id"].clone(), made["secret"].as_str().expect("a secret").to_owned())
    };
    let came = async |secret: &str| {
        let answer = post(&world, "/api/v1/login", secret, &host()).await;
        answer.json()["device_token"].as_str().expect("a device's token").to_owned()
    };
    let api = || json!({"kind": "api", "name": "x"});
    let first = world.holder(world.ours, TokenKind::SignIn, Role::Owner).await;
    let other = world.member(world.ours, Role::Member).await.id;
    let (_, desk) = made(&first.secret, api()).await;
    let (lost, stolen) = made(&desk, api()).await;
    let (_, child) = made(&stolen, api()).await;
    let (_, grandchild) = made(&child, json!({"kind": "sign-in", "name": "x"})).await;
    let (_, fleet) = made(&stolen, json!({"kind": "enrolment", "name": "x"})).await;
    let laptop = came(&child).await;
    let machine = came(&fleet).await;
    let invite = || json!({"kind": "sign-in", "name": "x", "member": other});
    let (_, unused) = made(&stolen, invite()).await;
    let (_, used) = made(&stolen, invite()).await;
    let (_, theirs) = made(&used, api()).await;

    let path = format!("/api/v1/tokens/{lost}");
    assert_eq!(world.send(Sent::new("DELETE", &path).bearer(&desk)).await.status, 204);
    for (name, secret, status) in [
        ("itself", &stolen, 401),
        ("what it made", &child, 401),
        ("what that made", &grandchild, 401),
        ("the way in for machines", &fleet, 401),
        ("the person's machine", &laptop, 401),
        ("an invitation that nobody used", &unused, 401),
        ("the one it was made with", &desk, 200),
        ("what somebody else made of an invitation", &theirs, 200),
        ("the team's own machine", &machine, 200),
    ] {
        assert_eq!(get(&world, "/api/v1/team", secret).await.status, status, "{name}");
    }
    let devices = get(&world, "/api/v1/devices", &desk).await.json();
    let gone = devices.as_array().expect("devices").iter().filter(|one| one["revoked_at"].is_i64()).count();
    assert_eq!(gone, 1, "{devices}");
}

#[tokio::test]
async fn a_device_comes_and_goes() {
    let world = World::new().await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let came = post(&world, "/api/v1/login", &member.secret, &host()).await.json();
    let token = came["device_token"].as_str().expect("a token").to_owned();
    assert_eq!(
        (came["device"]["enrolled"].clone(), came["team"]["id"].clone()),
        (json!(false), json!(world.ours))
    );
    assert_eq!(came["team"]["root_fingerprint"].as_str().map(str::len), Some(64));
    let path = format!("/tuf/{}/timestamp.json", world.ours);
    let file = get(&world, &path, &token).await;
    let etag = file.header("etag").expect("an etag").to_owned();
    let again = world.send(Sent::new("GET", &path).bearer(&token).header("if-none-match", &etag)).await;
    assert_eq!((file.status, again.status, again.body.len()), (200, 304, 0));
    assert_eq!(get(&world, &format!("/tuf/{}/timestamp.json", world.theirs), &token).await.status, 404);
    let gone = world.send(Sent::new("DELETE", "/api/v1/login").bearer(&token)).await;
    assert_eq!(gone.status, 204);
    assert_eq!(get(&world, &path, &token).await.status, 401);

    let fleet = world.holder(world.ours, TokenKind::Enrolment, Role::Member).await;
    let enrolled = post(&world, "/api/v1/login", &fleet.secret, &host()).await.json();
    assert_eq!(enrolled["device"]["enrolled"], json!(true));
    let token = enrolled["device_token"].as_str().expect("a token");
    let stays = world.send(Sent::new("DELETE", "/api/v1/login").bearer(token)).await;
    assert_eq!(stays.status, 403, "an enrolled device does not log itself out");
}

#[tokio::test]
async fn nobody_gives_away_more_than_they_have() {
    let world = World::new().await;
    let team = world.team(world.ours);
    let admin = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let auditor = world.holder(world.ours, TokenKind::Api, Role::Auditor).await;
    let owner = world.holder(world.ours, TokenKind::Api, Role::Owner).await;
    let owners_id = owner.member.expect("a member");
    let foreign = world.member(world.theirs, Role::Owner).await.id + 50;
    let token = |kind: &str, role: &str, member: Option<i64>| match member {
        Some(member) => json!({"kind": kind, "name": "x", "role": role, "member": member}),
        None => json!({"kind": kind, "name": "x", "role": role}),
    };
    let cases: [(&str, &str, &str, String, Value, u16); 16] = [
        (
            "an admin makes no owner",
            &admin.secret,
            "POST",
            "/api/v1/members".into(),
            json!({"email": "a@b", "role": "owner"}),
            403,
        ),
        (
            "an admin makes no admin",
            &admin.secret,
            "POST",
            "/api/v1/members".into(),
            json!({"email": "a@b", "role": "admin"}),
            403,
        ),
        (
            "an owner makes an admin",
            &owner.secret,
            "POST",
            "/api/v1/members".into(),
            json!({"email": "c@b", "role": "admin"}),
            201,
        ),
        (
            "an address twice",
            &owner.secret,
            "POST",
            "/api/v1/members".into(),
            json!({"email": "C@b", "role": "member"}),
            409,
        ),
        (
            "an admin promotes nobody to owner",
            &admin.secret,
            "PATCH",
            format!("/api/v1/members/{}", admin.member.expect("id")),
            json!({"role": "owner"}),
            403,
        ),
        (
            "an admin demotes no owner",
            &admin.secret,
            "PATCH",
            format!("/api/v1/members/{owners_id}"),
            json!({"role": "member"}),
            403,
        ),
        (
            "an admin removes no owner",
            &admin.secret,
            "DELETE",
            format!("/api/v1/members/{owners_id}"),
            json!({}),
            403,
        ),
        (
            "an admin promotes an auditor",
            &owner.secret,
            "PATCH",
            format!("/api/v1/members/{}", auditor.member.expect("id")),
            json!({"canary": true}),
            200,
        ),
        (
            "no token above its maker",
            &admin.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("api", "owner", None),
            403,
        ),
        (
            "no API token for another",
            &owner.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("api", "member", admin.member),
            422,
        ),
        (
            "no way in as somebody above",
            &admin.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("sign-in", "member", Some(owners_id)),
            403,
        ),
        (
            "no way in as somebody else",
            &auditor.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("sign-in", "member", admin.member),
            403,
        ),
        (
            "nor as a member of another team",
            &owner.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("sign-in", "member", Some(foreign)),
            404,
        ),
        (
            "enrolment is for admins",
            &auditor.secret,
            "POST",
            "/api/v1/tokens".into(),
            token("enrolment", "member", None),
            403,
        ),
        (
            "an admin revokes no owner's token",
            &admin.secret,
            "DELETE",
            format!("/api/v1/tokens/{}", owner.token),
            json!({}),
            403,
        ),
        (
            "who may not see a token does not learn of it",
            &auditor.secret,
            "DELETE",
            format!("/api/v1/tokens/{}", owner.token),
            json!({}),
            404,
        ),
    ];
    for (name, secret, method, path, body, status) in cases {
        let answer = world.send(Sent::new(method, &path).bearer(secret).json(&body)).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
    }
    for member in team.members().await.expect("members") {
        if member.role == Role::Owner && member.id != owners_id {
            team.remove_member(member.id, world.now()).await.expect("removed");
        }
    }
    let path = format!("/api/v1/members/{owners_id}");
    let removed = world.send(Sent::new("DELETE", &path).bearer(&owner.secret)).await;
    assert_eq!((removed.status, removed.code().as_str()), (409, "last_owner"));
    let demoted =
        world.send(Sent::new("PATCH", &path).bearer(&owner.secret).json(&json!({"role": "admin"}))).await;
    assert_eq!((demoted.status, demoted.code().as_str()), (409, "last_owner"));
}

#[tokio::test]
async fn bodies_are_checked_before_anything_is_done() {
    let world = World::new().await;
    let admin = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let hook = |field: &str, value: Value| {
        let mut hook = json!({"hook_step": "stop", "script_name": "a.sh", "script_content": "x"});
        hook[field] = value;
        hook.to_string().into_bytes()
    };
    let cases: [(&str, Vec<u8>, u16, &str); 7] = [
        ("no JSON", b"{".to_vec(), 400, "unreadable"),
        ("deep", "[".repeat(200_000).into_bytes(), 422, "invalid"),
        ("misspelt", hook("fail_close", json!(true)), 422, "invalid"),
        (
            "deep where nothing is expected",
            format!("{{\"x\":{}", "[".repeat(200_000)).into_bytes(),
            422,
            "invalid",
        ),
        ("another event", hook("hook_step", json!("onStop")), 422, "invalid"),
        ("a path", hook("script_name", json!("../a.sh")), 422, "invalid"),
        ("too large", vec![b' '; 7 * 1024 * 1024], 413, "too_large"),
    ];
    for (name, body, status, code) in cases {
        let answer = world.send(Sent::new("POST", "/api/v1/hooks").bearer(&admin.secret).body(body)).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{name}");
    }
    let small = vec![b' '; 2 * 1024 * 1024];
    let answer = world.send(Sent::new("POST", "/api/v1/members").bearer(&admin.secret).body(small)).await;
    assert_eq!(answer.status, 413, "other addresses take less");
    let largest =
        json!({"hook_step": "stop", "script_name": "a.sh", "script_content": "\u{1}".repeat(1024 * 1024)});
    let answer = post(&world, "/api/v1/hooks", &admin.secret, &largest).await;
    assert_eq!(answer.status, 201, "a script of the largest size, all of escapes");
    assert_eq!(world.team(world.ours).hooks().await.expect("hooks").len(), 1);
    let elsewhere = get(&world, "/api/v1/nothing", &admin.secret).await;
    assert_eq!((elsewhere.status, elsewhere.code().as_str()), (404, "missing"));
    let method = world.send(Sent::new("PUT", "/api/v1/members").bearer(&admin.secret)).await;
    assert_eq!((method.status, method.code().as_str()), (405, "method"));
}

#[tokio::test]
async fn what_devices_must_know_is_signed_when_it_changes() {
    let world = World::new().await;
    let team = world.team(world.ours);
    let owner = world.holder(world.ours, TokenKind::Api, Role::Owner).await;
    let member = format!("/api/v1/members/{}", world.member(world.ours, Role::Member).await.id);
    let sequence = async || team.newest_versions().await.expect("versions").sequence;
    let patch = async |path: &str, body: Value| {
        let answer = world.send(Sent::new("PATCH", path).bearer(&owner.secret).json(&body)).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let before = sequence().await;
    patch("/api/v1/team", json!({"name": "others"})).await;
    patch(&member, json!({"canary": true})).await;
    assert_eq!(sequence().await, before, "devices need not know");
    patch("/api/v1/team", json!({"stale": {"days": 3, "policy": "deny"}})).await;
    assert_eq!(sequence().await, before + 1);
    let how = json!({"canary": true, "percent": 0});
    assert_eq!(post(&world, "/api/v1/releases", &owner.secret, &how).await.status, 201);
    patch(&member, json!({"canary": false})).await;
    assert_eq!(sequence().await, before + 3);
}

/// Signs all that waits, with the one key of the one admin.
async fn sign_all(world: &World, key: &SigningKey) {
    let (team, signer) = (world.team(world.ours), &world.app.signer);
    for file in publish::signing(&team, signer).await.expect("what waits").waiting {
        let Signature { key, sig } = key.sign(file.bytes.as_bytes());
        let signature = NewSignature { role: file.role, version: file.version, key, sig };
        publish::add_signature(&team, signer, &signature, world.now()).await.expect("a signature");
    }
}

#[tokio::test]
async fn what_is_refused_because_keys_wait_changes_nothing() {
    let world = World::new().await;
    let team = world.team(world.ours);
    let owner = world.holder(world.ours, TokenKind::Api, Role::Owner).await;
    let member = format!("/api/v1/members/{}", world.member(world.ours, Role::Member).await.id);
    let send = async |method: &str, path: &str, body: Value| {
        world.send(Sent::new(method, path).bearer(&owner.secret).json(&body)).await
    };
    let (key, next) = (SigningKey::from_seed(&[1; 32]), SigningKey::from_seed(&[2; 32]));
    let held = |key: &SigningKey| json!({"keys": [key.public().hex()], "threshold": 1});
    let taken = send("POST", "/api/v1/keys", json!({"root": held(&key), "targets": held(&key)})).await;
    assert_eq!(taken.status, 200, "{}", taken.text());
    sign_all(&world, &key).await;
    assert_eq!(send("PATCH", &member, json!({"canary": true})).await.status, 200, "nothing is rolling");
    assert_eq!(send("POST", "/api/v1/releases", json!({"canary": true, "percent": 0})).await.status, 201);
    sign_all(&world, &key).await;
    assert_eq!(send("POST", "/api/v1/keys", json!({"root": held(&next)})).await.status, 200);

    let state = async || {
        let members = team.members().await.expect("members");
        let (info, releases) = (team.info().await.expect("a team"), team.releases().await.expect("releases"));
        (members, info, releases, team.waiting().await.expect("what waits"))
    };
    let before = state().await;
    for (name, method, path, body) in [
        ("the canary group", "PATCH", member.as_str(), json!({"canary": false})),
        ("and a role with it", "PATCH", &member, json!({"canary": false, "role": "auditor"})),
        ("a share", "POST", "/api/v1/releases/1/advance", json!({"percent": 50})),
        (
            "a policy, and when to halt",
            "PATCH",
            "/api/v1/team",
            json!({"stale": {"days": 3, "policy": "deny"}, "halt_percent": 50}),
        ),
    ] {
        let refused = send(method, path, body).await;
        assert_eq!(
            (refused.status, refused.code().as_str()),
            (409, "keys_wait"),
            "{name}: {}",
            refused.text()
        );
        assert!(state().await == before, "{name}: a refusal changes nothing");
    }
    let role = send("PATCH", &member, json!({"role": "auditor"})).await;
    assert_eq!((role.status, role.json()["role"].clone()), (200, json!("auditor")), "a role is not signed");
}

#[tokio::test]
async fn a_text_with_a_nul_is_refused_before_any_database_sees_it() {
    let world = World::new().await;
    let owner = world.holder(world.ours, TokenKind::Api, Role::Owner).await;
    let device = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let report = json!({"sequence": 1, "release": 1, "code": "disk", "detail": "no\0room"});
    let token = json!({"kind": "api", "name": "a\0b", "role": "member"});
    for (path, holder, body) in [
        ("/api/v1/report", &device, &report),
        ("/api/v1/tokens", &owner, &token),
        ("/api/v1/members", &owner, &json!({"email": "a\0@b", "role": "member"})),
    ] {
        let answer = post(&world, path, &holder.secret, body).await;
        assert_eq!((answer.status, answer.code().as_str()), (422, "invalid"), "{path}");
        assert!(answer.text().contains("NUL"), "{path}: {}", answer.text());
    }
    let gone = world.send(Sent::new("DELETE", "/api/v1/devices/a%00b").bearer(&owner.secret)).await;
    assert_eq!(gone.status, 422, "{}", gone.text());
}
