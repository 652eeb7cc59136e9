//! What is said of addresses that cannot be, and of who encrypts.

use std::io::Write;
use std::net::TcpListener;
use std::thread;

use super::*;

#[test]
fn an_address_that_cannot_be_says_what_to_write() {
    let cases = [
        ("https://hooks.example.com", ""),
        ("http://127.0.0.1:8787", ""),
        ("127.0.0.1:8787", "neither https:// nor http://"),
        ("htp://x", "neither https:// nor http://"),
        ("http://192.0.2.5:8787", "write https://"),
        ("https://user:secret@hooks.example.com", "write it without"),
    ];
    for (url, expected) in cases {
        let said = check_address(url).err().map(|refusal| refusal.message).unwrap_or_default();
        assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{url}: {said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[test]
fn who_encrypts_and_who_does_not_is_said() {
    let server = |url: &str| Server {
        agent: Agent::new_with_defaults(),
        endpoint: Endpoint::parse(url).expect("an address"),
        token: None,
        patience: Duration::ZERO,
        end: None,
    };
    let (plain, encrypted) = (server("http://127.0.0.1:1"), server("https://127.0.0.1:1"));
    let cases = [
        (&encrypted, "tls", "received corrupt message of type InvalidContentType", "does not encrypt"),
        (&encrypted, "tls", "UnknownIssuer", ""),
        (&plain, "bad_format", "x", "write https://"),
        (&plain, "truncated", "x", "write https://"),
        (&plain, "unreachable", "Connection refused", ""),
    ];
    for (server, code, error, expected) in cases {
        let said = server.other_scheme(code, error);
        assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{code} {error}");
    }
}

#[test]
fn a_wait_is_seconds_or_a_date_and_never_longer_than_two_hours() {
    // 30 seconds before the first date.
    const NOW: i64 = 784_111_747_000;
    let cases = [
        ("30", Some(30)),
        ("0", Some(0)),
        ("99999999999999999999999", Some(7200)),
        ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
        ("Sun, 06 Nov 1994 09:49:37 +0100", Some(30)),
        ("Thu, 31 Dec 2099 23:59:59 GMT", Some(7200)),
        ("Sun, 06 Nov 1994 08:49:07 GMT", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Sun, 31 Feb 1994 08:49:37 GMT", None),
        ("soon", None),
        ("-5", None),
        ("", None),
    ];
    for (value, expected) in cases {
        let headers = HeaderMap::from_iter([(
            ureq::http::header::RETRY_AFTER,
            value.parse().expect("a value of a header"),
        )]);
        assert_eq!(retry_after(&headers, NOW).map(|wait| wait.as_secs()), expected, "{value:?}");
    }
    assert_eq!(retry_after(&HeaderMap::new(), NOW), None);
}

#[test]
fn an_answer_that_drips_is_left_when_the_time_is_over() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a caller");
        let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n";
        let mut written = stream.write_all(head);
        while written.is_ok() {
            thread::sleep(Duration::from_millis(50));
            written = stream.write_all(b" ");
        }
    });
    let server = Server::new(&url, None, None, &Environment::default()).expect("an address");
    let server = server.until(Instant::now() + Duration::from_secs(1));
    let refusal = server.fetch("/file", Kind::Json, 1000, None).expect_err("it never ends");
    assert_eq!(refusal.code, "unreachable", "{refusal}");
    let refusal = server.fetch("/file", Kind::Json, 1000, None).expect_err("too late");
    assert_eq!(refusal.code, "unreachable", "{refusal}");
}
