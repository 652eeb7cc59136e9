//! `aiserver.v1.DashboardService` in JSON and in protobuf, by bytes made here.

use boathook_server::team::wire::{HookDraft, Role, TokenKind};
use serde_json::{Value, json};

use super::http::{Answer, Sent};
use super::world::{World, draft};

const SERVICE: &str = "/aiserver.v1.DashboardService";

async fn call(world: &World, method: &str, token: &str, body: &Value) -> Answer {
    world.send(Sent::new("POST", &format!("{SERVICE}/{method}")).bearer(token).json(body)).await
}

/// A team whose stable release has one hook for Linux with every option and
/// one for all systems, and whose draft has gone on.
async fn published() -> World {
    let world = World::new().await;
    let team = world.team(world.ours);
    let full = HookDraft {
        operating_systems: vec!["Linux".into()],
        matcher: Some("rm".into()),
        timeout: Some(5),
        fail_closed: true,
        loop_limit: Some(-1),
        monitor: true,
        ..draft()
    };
    let plain = HookDraft { hook_step: "stop".into(), script_name: "stop.sh".into(), ..draft() };
    for hook in [&full, &plain] {
        team.add_hook(hook, "test", world.now()).await.expect("a hook");
    }
    world.published(world.ours, 100).await;
    let off = HookDraft { is_active: false, script_name: "off.sh".into(), ..draft() };
    let later = HookDraft { script_name: "later.sh".into(), ..draft() };
    for hook in [&off, &later] {
        team.add_hook(hook, "test", world.now()).await.expect("a hook");
    }
    world
}

fn names(answer: &Answer) -> Vec<String> {
    let hooks = answer.json()["hooks"].as_array().cloned().unwrap_or_default();
    hooks.iter().map(|hook| hook["scriptName"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn another_format_is_refused_in_words() {
    let world = World::new().await;
    let device = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let sent = Sent::new("POST", &format!("{SERVICE}/GetTeamHooks")).bearer(&device.secret);
    let answer = world.send(sent.header("content-type", "text/plain").body(b"{}".to_vec())).await;
    assert_eq!((answer.status, answer.code().as_str()), (415, "invalid_argument"), "{}", answer.text());
    assert!(answer.text().contains("application/proto"), "{}", answer.text());
}

#[tokio::test]
async fn what_is_published_is_told_in_json() {
    let world = published().await;
    let device = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let answer = call(&world, "GetTeamHooks", &device.secret, &json!({"activeOnly": true})).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json")),
        "{}",
        answer.text()
    );
    let hook = answer.json()["hooks"][0].clone();
    let expected = json!({
        "id": "1", "hookStep": "beforeShellExecution", "scriptName": "guard.sh",
        "operatingSystems": ["Linux"], "isActive": true, "scriptContent": "#!/bin/sh\nexit 2\n",
        "matcher": "rm", "timeout": 5, "failClosed": true, "loopLimit": "-1", "monitor": true,
    });
    assert_eq!(hook, expected);
    let auditor = world.holder(world.ours, TokenKind::Api, Role::Auditor).await;
    let cases: [(&str, &str, Value, &[&str]); 6] = [
        ("all", &device.secret, json!({}), &["guard.sh", "stop.sh"]),
        ("Windows", &device.secret, json!({"operatingSystem": "Windows"}), &["stop.sh"]),
        ("Linux", &device.secret, json!({"operating_system": "Linux"}), &["guard.sh", "stop.sh"]),
        ("those who read the draft", &auditor.secret, json!({}), &["guard.sh", "stop.sh", "off.sh"]),
        ("those, active only", &auditor.secret, json!({"activeOnly": true}), &["guard.sh", "stop.sh"]),
        ("nothing sent", &auditor.secret, json!({"activeOnly": null}), &["guard.sh", "stop.sh", "off.sh"]),
    ];
    for (name, secret, body, expected) in cases {
        assert_eq!(names(&call(&world, "GetTeamHooks", secret, &body).await), expected, "{name}");
    }
    let other = world.holder(world.theirs, TokenKind::Api, Role::Owner).await;
    let empty = call(&world, "GetTeamHooks", &other.secret, &json!({})).await;
    assert_eq!((empty.status, empty.json()), (200, json!({})), "another team has its own");
}

#[tokio::test]
async fn what_is_published_is_told_in_protobuf() {
    let world = published().await;
    let device = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let sent = |body: Vec<u8>| {
        let sent = Sent::new("POST", &format!("{SERVICE}/GetTeamHooks")).bearer(&device.secret);
        sent.header("content-type", "application/proto").header("connect-protocol-version", "1").body(body)
    };
    // Field 1, a varint: active_only.
    let answer = world.send(sent(vec![0x08, 0x01])).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/proto")));
    let hooks = fields(&answer.body);
    assert_eq!(hooks.len(), 2);
    let expected: Vec<(u64, Found)> = vec![
        (1, Found::Number(1)),
        (2, Found::text("beforeShellExecution")),
        (3, Found::text("guard.sh")),
        (4, Found::text("Linux")),
        (5, Found::Number(1)),
        (6, Found::text("#!/bin/sh\nexit 2\n")),
        (100, Found::text("rm")),
        (101, Found::Number(5)),
        (102, Found::Number(1)),
        (103, Found::Number(u64::MAX)),
        (104, Found::Number(1)),
    ];
    let (number, Found::Bytes(first)) = &hooks[0] else { panic!("{hooks:?}") };
    assert_eq!((*number, fields(first)), (1, expected));
    // Field 100, text: operating_system.
    let windows = world.send(sent([&[0xa2, 0x06, 7][..], b"Windows"].concat())).await;
    assert_eq!(fields(&windows.body).len(), 1);
    let broken = world.send(sent(vec![0x0a, 0xff])).await;
    assert_eq!((broken.status, broken.code().as_str()), (400, "invalid_argument"));
}

#[tokio::test]
async fn refusals_are_told_as_connect_says() {
    let world = published().await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let admin = world.holder(world.ours, TokenKind::Api, Role::Admin).await;
    let hook = |id: &str, name: &str| json!({"hook": {"id": id, "hookStep": "stop", "scriptName": name, "scriptContent": "x", "isActive": true}});
    let cases: [(&str, &str, &str, Value, u16, &str); 7] = [
        ("nobody", "GetTeamHooks", "x", json!({}), 401, "unauthenticated"),
        ("not for members", "CreateTeamHook", &member.secret, hook("0", "a.sh"), 403, "permission_denied"),
        (
            "no such system",
            "GetTeamHooks",
            &member.secret,
            json!({"operatingSystem": "BeOS"}),
            400,
            "invalid_argument",
        ),
        ("no such hook", "UpdateTeamHook", &admin.secret, hook("99", "a.sh"), 404, "not_found"),
        ("nothing to delete", "DeleteTeamHook", &admin.secret, json!({"id": "99"}), 404, "not_found"),
        ("no hook", "CreateTeamHook", &admin.secret, json!({}), 400, "invalid_argument"),
        ("a bad name", "CreateTeamHook", &admin.secret, hook("0", "../a"), 400, "invalid_argument"),
    ];
    for (name, method, secret, body, status, code) in cases {
        let answer = call(&world, method, secret, &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{name}: {}", answer.text());
    }
    // Numbers count in each team: one that only the other team has.
    let theirs = loop {
        let hook = world.hook(world.theirs).await;
        if hook.id > 50 {
            break hook;
        }
    };
    let id = theirs.id.to_string();
    let nobodys = call(&world, "UpdateTeamHook", &admin.secret, &hook("99", "a.sh")).await;
    let updated = call(&world, "UpdateTeamHook", &admin.secret, &hook(&id, "a.sh")).await;
    let deleted = call(&world, "DeleteTeamHook", &admin.secret, &json!({"id": id})).await;
    for answer in [updated, deleted] {
        assert_eq!(
            (answer.status, answer.text()),
            (404, nobodys.text()),
            "what is another team's does not exist"
        );
    }
    assert_eq!(world.team(world.theirs).hook(theirs.id).await.expect("a database"), Some(theirs));
    let made = call(&world, "CreateTeamHook", &admin.secret, &hook("0", "new.sh")).await.json();
    let id = made["hook"]["id"].as_str().expect("an id in text").to_owned();
    let changed = call(&world, "UpdateTeamHook", &admin.secret, &hook(&id, "newer.sh")).await.json();
    assert_eq!(changed["hook"]["scriptName"], "newer.sh");
    let gone = call(&world, "DeleteTeamHook", &admin.secret, &json!({"id": id})).await;
    assert_eq!((gone.status, gone.json()), (200, json!({})));
}

/// A value on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    Number(u64),
    Bytes(Vec<u8>),
}

impl Found {
    fn text(text: &str) -> Found {
        Found::Bytes(text.as_bytes().to_vec())
    }
}

/// The fields of a message, in their order.
fn fields(mut bytes: &[u8]) -> Vec<(u64, Found)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = match key & 7 {
            0 => Found::Number(varint(&mut bytes)),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).expect("a length");
                let (value, rest) = bytes.split_at(length);
                bytes = rest;
                Found::Bytes(value.to_vec())
            }
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, value));
    }
    found
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for place in 0..10 {
        let (byte, rest) = bytes.split_first().expect("a byte");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}
