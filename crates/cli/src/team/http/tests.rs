//! What is said of addresses that cannot be, and of who encrypts.

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
