//! Answers that break off, never end, lie about what they are or come from
//! somebody else.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use boathook_engine::digest::Digest;
use rustls::ServerConfig;
use serde_json::{Value, json};

use super::{answers, first, path, second, settled};
use crate::model::certificates;
use crate::model::server::{Behaviour, Server, never_ends, writes};
use crate::team_client::Host;
use crate::team_client::repository::{Edition, script};

fn target(bytes: &[u8], name: &str) -> String {
    path(&format!("targets/{}.{name}", Digest::of(bytes)))
}

/// The first so many bytes of an answer, head and all.
fn cut_off(body: Vec<u8>, end: usize, lie: bool) -> Behaviour {
    Arc::new(move |_, stream| {
        let head = match lie {
            true => "transfer-encoding: chunked".to_owned(),
            false => format!("content-length: {}", body.len()),
        };
        let mut whole =
            format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{head}\r\n\r\n").into_bytes();
        if lie {
            whole.extend(format!("{:x}\r\n", body.len() + 10).as_bytes());
        }
        whole.extend(&body);
        let end = end.min(whole.len());
        let _ = stream.write_all(&whole[..end]);
    })
}

#[test]
fn s01_an_answer_that_breaks_off_is_truncated() {
    let (host, device) = settled();
    let files = second().files();
    for name in ["timestamp.json", "2.snapshot.json", "2.targets.json"] {
        for end in [0, 1, 20, 60, 90, 200] {
            host.serve(files.clone());
            host.instead(&path(name), cut_off(files[name].clone(), end, false));
            assert_eq!(device.sync(), "truncated", "{name} after {end} bytes");
            assert_eq!(device.enforced(), "v1", "{name} after {end} bytes");
        }
        host.serve(files.clone());
        host.instead(&path(name), cut_off(files[name].clone(), usize::MAX, true));
        assert_eq!(device.sync(), "truncated", "{name} in chunks that lie");
    }
    let script = script("v2");
    host.serve(files);
    let name = format!("{}.{}", Digest::of(&script), Digest::of(&script));
    host.instead(&path(&format!("targets/{name}")), cut_off(script, 100, false));
    assert_eq!(device.sync(), "truncated", "a script");
    assert_eq!(device.enforced(), "v1");
    let status = device.status();
    let wait = status["next_at"].as_i64().zip(status["tried_at"].as_i64()).map(|(next, tried)| next - tried);
    assert!(wait.is_some_and(|wait| (0..=7_200_000).contains(&wait)), "{status}");
}

#[test]
fn s02_an_answer_without_end_is_left_at_its_limit() {
    let (host, device) = settled();
    let script = script("v2");
    let name = Digest::of(&script).to_string();
    let endless = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let announced =
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n{";
    let packed = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\n\
                  content-length: 3\r\n\r\nabc";
    let flood = |first| never_ends(first, "                                ", Duration::ZERO);
    let cases = [
        ("the timestamp", path("timestamp.json"), flood(endless), "too_large"),
        ("the next root", path("2.root.json"), flood(endless), "too_large"),
        ("a gibibyte that is announced", path("timestamp.json"), writes(announced), "too_large"),
        ("the snapshot", path("2.snapshot.json"), flood(endless), "length_mismatch"),
        ("a script", target(&script, &name), flood(endless), "length_mismatch"),
        ("packed content", path("timestamp.json"), writes(packed), "bad_format"),
    ];
    for (name, path, behaviour, code) in cases {
        host.serve(second().files());
        host.instead(&path, behaviour);
        assert_eq!(device.sync(), code, "{name}");
        assert_eq!(device.enforced(), "v1", "{name}");
    }
}

#[test]
fn s17_answers_that_are_no_success_have_codes_and_change_nothing() {
    let (host, device) = settled();
    let html = "content-type: text/html\r\n";
    let ten_years = "retry-after: 315360000\r\n";
    let endless = "retry-after: 99999999999999999999999999\r\n";
    let elsewhere = Host::start();
    elsewhere.serve(second().files());
    let there: &'static str = Box::leak(
        format!("location: {}{}\r\n", elsewhere.server.url(), path("timestamp.json")).into_boxed_str(),
    );
    let cases: [(&str, Behaviour, &str); 14] = [
        ("401", answers("401 Unauthorized", "", b""), "unauthorized"),
        ("403", answers("403 Forbidden", "", b""), "forbidden"),
        ("404", answers("404 Not Found", "", b""), "missing"),
        ("410", answers("410 Gone", "", b""), "missing"),
        ("429", answers("429 Too Many Requests", ten_years, b""), "throttled"),
        ("429 for ever", answers("429 Too Many Requests", endless, b""), "throttled"),
        ("500", answers("500 Oops", "", b"<html>"), "server_error"),
        ("503", answers("503 Busy", "retry-after: 60\r\n", b""), "server_error"),
        ("a redirect", answers("302 Found", there, b""), "redirected"),
        ("a lasting redirect", answers("308 Permanent Redirect", there, b""), "redirected"),
        ("a page of a captive portal", answers("200 OK", html, b"<html>Welcome</html>"), "bad_format"),
        ("no type", answers("200 OK", "", b"{}"), "bad_format"),
        ("no HTTP", writes("SSH-2.0-OpenSSH\r\n\r\n"), "bad_format"),
        ("304 that nobody asked for", answers("304 Not Modified", "", b""), "empty"),
    ];
    for (name, behaviour, code) in cases {
        host.serve(second().files());
        // A device that knows the tag would take 304 for an answer.
        let _ = fs::remove_dir_all(device.state().join("tuf"));
        host.instead(&path("timestamp.json"), behaviour);
        assert_eq!(device.sync(), code, "{name}");
        assert_eq!(device.enforced(), "v1", "{name}");
        let status = device.status();
        let wait = status["next_at"].as_i64().zip(status["tried_at"].as_i64()).map(|(next, at)| next - at);
        assert!(wait.is_some_and(|wait| (0..=7_200_000).contains(&wait)), "{name}: {status}");
    }
    assert!(elsewhere.paths().is_empty(), "nobody was sent elsewhere: {:?}", elsewhere.paths());
    let lost: Value = device.status();
    assert_eq!(lost["sequence"], json!(1));
}

#[test]
fn s17_a_token_travels_encrypted_or_not_at_all() {
    let (_host, device) = settled();
    for (server, code) in [
        ("http://192.0.2.1:9", "downgrade"),
        ("ftp://127.0.0.1", "bad_format"),
        ("https://user:word@127.0.0.1", "bad_format"),
        ("http://127.0.0.1:1", "unreachable"),
    ] {
        device.sign_in(server, &first(), |_| {});
        assert_eq!(device.sync(), code, "{server}");
        assert_eq!(device.enforced(), "v1", "{server}");
    }
}

#[test]
fn s17_a_cache_is_asked_without_a_token_and_may_lie() {
    let (host, device) = settled();
    let cache = Host::start();
    let script = script("v2");
    let name = Digest::of(&script).to_string();
    device.sign_in(&host.server.url(), &first(), |login| login["cache"] = json!(cache.server.url()));
    let mut lies = second().files();
    lies.insert(format!("targets/{name}.{name}"), b"#!/bin/sh\n".to_vec());
    cache.serve(lies);
    host.serve(second().files());
    assert_eq!(device.sync(), "applied", "the server has what the cache lies about");
    assert_eq!(device.enforced(), "v2");
    let third = Edition::number(3);
    cache.serve(third.files());
    let mut without = third.files();
    without.retain(|name, _| !name.starts_with("targets/") || name.ends_with("manifest.json"));
    host.serve(without);
    assert_eq!(device.sync(), "applied", "the cache has what the server has not");
    assert_eq!(device.enforced(), "v3");
    let requests = cache.server.requests();
    assert!(!requests.is_empty());
    assert!(requests.iter().all(|request| request.header("authorization").is_none()), "{requests:?}");
}

fn encrypted((config, authority): (ServerConfig, String)) -> (Host, String) {
    (Host::listening(|behaviour| Server::encrypted(config, behaviour)), authority)
}

#[test]
fn s18_a_certificate_that_nobody_vouches_for_is_refused() {
    let (_plain, device) = settled();
    let good = encrypted(certificates::server_for("127.0.0.1"));
    let named = encrypted(certificates::server_for("elsewhere.test"));
    let old = encrypted(certificates::expired_server_for("127.0.0.1"));
    let another = certificates::server_for("127.0.0.1").1;
    let cases: [(&str, &Host, Option<&str>, &str); 5] = [
        ("an authority that the system does not know", &good.0, None, "tls"),
        ("another authority", &good.0, Some(&another), "tls"),
        ("another name", &named.0, Some(&named.1), "tls"),
        ("one that ended", &old.0, Some(&old.1), "tls"),
        ("one that is vouched for", &good.0, Some(&good.1), "applied"),
    ];
    for (name, host, authority, code) in cases {
        host.serve(second().files());
        device.sign_in(&host.server.url(), &first(), |login| {
            if let Some(authority) = authority {
                login["ca"] = json!(device.cx.write("home/authority.pem", authority));
            }
        });
        assert_eq!(device.sync(), code, "{name}: {}", device.status());
        assert_eq!(device.enforced(), if code == "applied" { "v2" } else { "v1" }, "{name}");
        let heard = host.server.requests().iter().any(|it| it.header("authorization").is_some());
        assert_eq!(heard, code == "applied", "{name}: a token was sent");
    }
    // Whoever is vouched for still signs nothing.
    good.0.serve(Edition::number(3).with(|it| it.targets.signed_by = vec![99]).files());
    assert_eq!(device.sync(), "wrong_key");
    assert_eq!(device.enforced(), "v2");
    good.0.instead("*", answers("302 Found", "location: http://127.0.0.1/\r\n", b""));
    assert_eq!(device.sync(), "downgrade");
}

#[test]
fn s19_only_a_signed_list_without_hooks_removes_hooks() {
    let (host, device) = settled();
    let json = "content-type: application/json\r\n";
    let cases = [
        ("204", answers("204 No Content", "", b""), "empty"),
        ("an empty answer", answers("200 OK", json, b""), "empty"),
        ("an empty object", answers("200 OK", json, b"{}"), "bad_format"),
        ("an empty list", answers("200 OK", json, b"[]"), "bad_format"),
    ];
    for (name, behaviour, code) in cases {
        host.serve(second().files());
        host.instead(&path("timestamp.json"), behaviour);
        assert_eq!(device.sync(), code, "{name}");
        assert_eq!(device.enforced(), "v1", "{name}");
    }
    let unsigned = second().with(|it| {
        it.manifest["releases"][0]["hooks"] = json!([]);
        it.targets.signed_by = vec![99];
    });
    host.serve(unsigned.files());
    assert_eq!(device.sync(), "wrong_key");
    assert_eq!(device.enforced(), "v1");
    host.serve(Edition::number(3).with(|it| it.manifest["releases"][0]["hooks"] = json!([])).files());
    assert_eq!(device.sync(), "applied");
    assert_eq!(device.enforced(), "");
}

#[test]
fn what_did_not_change_costs_one_question_with_a_tag() {
    let (host, device) = settled();
    let before = host.paths().len();
    assert_eq!(device.sync(), "unchanged");
    let requests = host.server.requests().split_off(before);
    let lines: Vec<_> = requests.iter().map(|request| request.line.clone()).collect();
    assert_eq!(lines, ["GET /tuf/7/2.root.json HTTP/1.1", "GET /tuf/7/timestamp.json HTTP/1.1"]);
    assert!(requests[1].header("if-none-match").is_some());
    assert_eq!(requests[1].header("authorization"), Some("Bearer secret-of-the-test"));
}
