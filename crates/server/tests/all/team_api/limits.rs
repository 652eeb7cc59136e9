//! Who comes too often is sent away, whatever they say of their address.

use boathook_server::team::api::{Rate, Rates};
use boathook_server::team::wire::{Role, TokenKind};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::http::Sent;
use super::world::{World, unlimited};

#[tokio::test]
async fn d13_forwarded_headers_do_not_lift_the_limit_of_logins() {
    let world = World::with(Rates::default()).await;
    let attempt = |number: u32| {
        Sent::new("POST", "/api/v1/login")
            .bearer(&format!("bh_signin_{number:043}"))
            .header("x-forwarded-for", &format!("203.0.113.{number}"))
            .header("forwarded", &format!("for=203.0.113.{number}"))
            .header("x-real-ip", &format!("203.0.113.{number}"))
            .json(&json!({"name": "host", "os": "Linux"}))
    };
    let mut statuses = Vec::new();
    for number in 0..6 {
        statuses.push(world.send(attempt(number)).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 401, 401, 429]);
    let refused = world.send(attempt(7)).await;
    let wait: u64 = refused.header("retry-after").and_then(|text| text.parse().ok()).expect("a time");
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.code(), "throttled");

    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let login =
        Sent::new("POST", "/api/v1/login").bearer(&member.secret).json(&json!({"name": "h", "os": "Linux"}));
    assert_eq!(world.send(login.clone()).await.status, 201, "a good token at the same address still works");
    for _ in 0..4 {
        world.send(login.clone()).await;
    }
    assert_eq!(world.send(login).await.status, 429, "but not for ever");
}

#[tokio::test]
async fn those_who_send_slowly_take_nobody_s_place() {
    let world = World::with(Rates { at_once: 4, ..unlimited() }).await;
    let member = world.holder(world.ours, TokenKind::Api, Role::Member).await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(world.address).await.expect("the server listens");
        let head = format!(
            "POST /api/v1/tokens HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n",
            member.secret
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        // The server says so when it begins to read the body.
        let mut said = [0; 12];
        stream.read_exact(&mut said).await.expect("an answer");
        assert_eq!(&said, b"HTTP/1.1 100");
        stream.write_all(b"{").await.expect("sent");
        slow.push(stream);
    }
    for path in ["/healthz", "/api/v1/team"] {
        let answer = world.send(Sent::new("GET", path).bearer(&member.secret)).await;
        assert_eq!(answer.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_device_that_polls_too_often_disturbs_no_other() {
    let world = World::with(Rates { poll: Rate { per_minute: 1, burst: 3 }, ..unlimited() }).await;
    let path = format!("/tuf/{}/timestamp.json", world.ours);
    let eager = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let patient = world.holder(world.ours, TokenKind::Device, Role::Member).await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(world.send(Sent::new("GET", &path).bearer(&eager.secret)).await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
    assert_eq!(world.send(Sent::new("GET", &path).bearer(&patient.secret)).await.status, 200);
}
