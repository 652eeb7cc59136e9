//! D10: every route, for every kind of caller, on an object of one's own team,
//! of another team, and on one that does not exist. Made from the table.

use boathook_engine::digest::Digest;
use boathook_server::team::api::{ROUTES, Route, Verb, Who};
use boathook_server::team::wire::{Role, TokenKind};
use serde_json::{Value, json};

use super::http::{Answer, Sent};
use super::world::{Holder, World};

/// Everybody who can call.
const CALLERS: [Option<(TokenKind, Role)>; 8] = [
    None,
    Some((TokenKind::SignIn, Role::Owner)),
    Some((TokenKind::Enrolment, Role::Member)),
    Some((TokenKind::Device, Role::Owner)),
    Some((TokenKind::Api, Role::Member)),
    Some((TokenKind::Api, Role::Auditor)),
    Some((TokenKind::Api, Role::Admin)),
    Some((TokenKind::Api, Role::Owner)),
];

/// Which object a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    Own,
    Foreign,
    Unknown,
    NoNumber,
}

#[tokio::test]
async fn d10_role_by_route_by_object() {
    for route in ROUTES {
        let world = World::new().await;
        for caller in CALLERS {
            cell(&world, route, caller).await;
        }
    }
}

async fn cell(world: &World, route: &Route, caller: Option<(TokenKind, Role)>) {
    let name = format!("{} {} for {caller:?}", route.verb.name(), route.path);
    let own = ask(world, route, caller, Object::Own).await;
    match expected(route.who, caller) {
        Expected::Let => assert_eq!(own.status, own_status(route), "{name}: {}", own.text()),
        Expected::Refused(status) => assert_eq!(own.status, status, "{name}: {}", own.text()),
    }
    if !route.path.contains('{') {
        return;
    }
    let unknown = ask(world, route, caller, Object::Unknown).await;
    for object in [Object::Foreign, Object::NoNumber] {
        let answer = ask(world, route, caller, object).await;
        assert_eq!((answer.status, answer.text()), (unknown.status, unknown.text()), "{name}: {object:?}");
    }
    match expected(route.who, caller) {
        Expected::Let => assert_eq!(unknown.status, 404, "{name}: {}", unknown.text()),
        Expected::Refused(_) => {
            assert_eq!(
                (own.status, own.text()),
                (unknown.status, unknown.text()),
                "{name}: it shows what is there"
            );
        }
    }
}

enum Expected {
    Let,
    Refused(u16),
}

fn expected(who: Who, caller: Option<(TokenKind, Role)>) -> Expected {
    match (who, caller) {
        (Who::Everybody, _) => Expected::Let,
        (Who::Holder(..), None) => Expected::Refused(401),
        (Who::Holder(..), Some((kind, role))) => {
            // Whatever the member may do, a device and a newcomer are what they are.
            if who.admits(kind, role) { Expected::Let } else { Expected::Refused(403) }
        }
    }
}

/// What an example gets where all is well: the forms of a login in the browser
/// have tests of their own, and are refused here for what they lack.
fn own_status(route: &Route) -> u16 {
    match (route.verb, route.path) {
        (_, "/authorize" | "/oauth/token") => 400,
        // Nothing is counted here.
        (Verb::Get, "/metrics") => 404,
        // Nothing waits for a signature.
        (Verb::Post, "/api/v1/signing") => 422,
        _ => route.status,
    }
}

async fn ask(world: &World, route: &Route, caller: Option<(TokenKind, Role)>, object: Object) -> Answer {
    let holder = match caller {
        Some((kind, role)) => Some(world.holder(world.ours, kind, role).await),
        None => None,
    };
    let (path, body) = example(world, route, holder.as_ref(), object).await;
    let mut sent = Sent::new(route.verb.name(), &path);
    if let Some(holder) = &holder {
        sent = sent.bearer(&holder.secret);
    }
    if let Some(body) = body {
        sent = sent.json(&body);
    }
    world.send(sent).await
}

/// A request that would be done. A row without an example fails here.
async fn example(
    world: &World,
    route: &Route,
    holder: Option<&Holder>,
    object: Object,
) -> (String, Option<Value>) {
    let hook = json!({"hook_step": "stop", "script_name": "a.sh", "script_content": "x"});
    let body = match (route.verb, route.path) {
        (Verb::Patch, "/api/v1/team") => Some(json!({"halt_least": 3})),
        (Verb::Post, "/api/v1/hooks") | (Verb::Put, "/api/v1/hooks/{id}") => Some(hook),
        (Verb::Put, "/api/v1/hooks/order") => {
            let hooks = world.team(world.ours).hooks().await.expect("hooks");
            Some(json!({"ids": hooks.iter().map(|hook| hook.id).collect::<Vec<_>>()}))
        }
        (Verb::Post, "/api/v1/members") => {
            let email = format!("{}@example.org", holder.map_or(0, |holder| holder.token));
            Some(json!({"email": email, "role": "member"}))
        }
        (Verb::Patch, "/api/v1/members/{id}") => Some(json!({"canary": true})),
        (Verb::Post, "/api/v1/tokens") => Some(json!({"kind": "api", "name": "test", "role": "member"})),
        (Verb::Post, "/api/v1/login") => Some(json!({"name": "host", "os": "Linux"})),
        (Verb::Post, "/api/v1/releases") => Some(json!({"note": "test"})),
        (Verb::Post, "/api/v1/releases/{number}/advance") => Some(json!({"percent": 60})),
        (Verb::Post, "/api/v1/releases/{number}/halt") => Some(json!({})),
        (Verb::Post, "/api/v1/releases/{number}/restore" | "/api/v1/keys/rotate") => None,
        (Verb::Post, "/api/v1/keys") => Some(json!({"online": true})),
        (Verb::Post, "/api/v1/signing") => {
            Some(json!({"role": "root", "version": 1, "key": "x", "sig": "x"}))
        }
        (Verb::Post, "/api/v1/report") => Some(json!({"sequence": 1, "release": 1, "code": "applied"})),
        (Verb::Post, "/authorize" | "/oauth/token") => Some(json!({})),
        (Verb::Post, "/aiserver.v1.DashboardService/GetTeamHooks") => Some(json!({})),
        (Verb::Post, "/aiserver.v1.DashboardService/CreateTeamHook") => Some(
            json!({"hook": {"hookStep": "stop", "scriptName": "a.sh", "scriptContent": "x", "isActive": true}}),
        ),
        (Verb::Post, "/aiserver.v1.DashboardService/UpdateTeamHook") => {
            let id = world.hook(world.ours).await.id.to_string();
            Some(json!({"hook": {"id": id, "hookStep": "stop", "scriptName": "a.sh", "scriptContent": "x"}}))
        }
        (Verb::Post, "/aiserver.v1.DashboardService/DeleteTeamHook") => {
            Some(json!({"id": world.hook(world.ours).await.id.to_string()}))
        }
        (Verb::Get | Verb::Delete, _) => None,
        (verb, path) => panic!("write an example for {} {path}", verb.name()),
    };
    (path(world, route, holder, object).await, body)
}

async fn path(world: &World, route: &Route, holder: Option<&Holder>, object: Object) -> String {
    let Some((before, rest)) = route.path.split_once('{') else { return route.path.to_owned() };
    let (_, after) = rest.split_once('}').expect("a closed brace");
    let id = match object {
        Object::Own => made(world, world.ours, before, holder).await,
        // Numbers count in each team: one that only the other team has.
        Object::Foreign => {
            let own = made(world, world.ours, before, holder).await;
            loop {
                let theirs = made(world, world.theirs, before, None).await;
                match (own.parse::<i64>(), theirs.parse::<i64>()) {
                    (Ok(own), Ok(theirs)) if theirs <= own => {}
                    _ => break theirs,
                }
            }
        }
        Object::Unknown => "987654321".to_owned(),
        Object::NoNumber => "x%27--".to_owned(),
    };
    let path = format!("{before}{id}{after}");
    path.replace("{file}", "timestamp.json").replace("{name}", &manifest_target(world).await)
}

/// Makes an object of the kind that a path is about.
async fn made(world: &World, team: i64, path: &str, holder: Option<&Holder>) -> String {
    match path {
        "/api/v1/hooks/" => world.hook(team).await.id.to_string(),
        "/api/v1/members/" => world.member(team, Role::Member).await.id.to_string(),
        "/api/v1/tokens/" => {
            let member = match holder.and_then(|holder| holder.member) {
                Some(member) => member,
                None => world.member(team, Role::Member).await.id,
            };
            world.holder_of(team, TokenKind::Api, Role::Member, Some(member)).await.token.to_string()
        }
        "/api/v1/devices/" => world.device(team, None).await,
        "/api/v1/releases/" => world.rolling(team).await.to_string(),
        "/tuf/" => team.to_string(),
        other => panic!("say how to make what {other} is about"),
    }
}

/// The name of our team's manifest among the targets.
async fn manifest_target(world: &World) -> String {
    let manifest = world.team(world.ours).newest_manifest().await.expect("a database").expect("a manifest");
    format!("{}.manifest.json", Digest::of(&manifest.content))
}
