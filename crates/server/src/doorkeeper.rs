//! Who may come in over the loopback: one that knows the token and names this
//! host, from no page but ours.
//!
//! Every process of the machine and every page in a browser can reach a port of
//! the loopback. A page of another site is told apart by `Origin`, one whose
//! name was pointed at this machine by `Host`, everybody else by the token.

use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

use axum::http::{HeaderMap, header};

/// What a request must bring.
#[derive(Debug, Clone)]
pub struct Doorkeeper {
    address: SocketAddr,
    token: String,
}

/// Why a request does not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It names another host.
    Host,
    /// It comes from another page.
    Origin,
    /// It does not know the token.
    Token,
}

impl Doorkeeper {
    /// For a listener at this address.
    pub fn new(address: SocketAddr, token: String) -> Doorkeeper {
        Doorkeeper { address, token }
    }

    /// Host and origin. Both are needed before a token is looked at, so that a
    /// foreign page learns nothing about tokens.
    pub fn admits(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let one = |name: header::HeaderName| {
            let mut values = headers.get_all(name).iter();
            (values.next().map(|value| value.to_str().unwrap_or_default()), values.next().is_some())
        };
        let here = [self.address.to_string(), format!("localhost:{}", self.address.port())];
        match one(header::HOST) {
            (Some(host), false) if here.iter().any(|name| name == host) => {}
            _ => return Err(Refusal::Host),
        }
        match one(header::ORIGIN) {
            (None, _) => Ok(()),
            (Some(origin), false) if here.iter().any(|name| origin == format!("http://{name}")) => Ok(()),
            _ => Err(Refusal::Origin),
        }
    }

    /// Whether this is the token, in a time that does not tell how much of it is right.
    pub fn knows(&self, token: &str) -> bool {
        same(token, &self.token)
    }
}

/// Whether a secret is the one expected, in a time that does not tell how much of it is right.
pub fn same(given: &str, expected: &str) -> bool {
    let key = RandomState::new();
    key.hash_one(given) == key.hash_one(expected) && given == expected
}

impl Refusal {
    /// In a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Refusal::Host => "this address is for programs of this machine that name it as it is",
            Refusal::Origin => "a page of another origin may not come in",
            Refusal::Token => "the token is missing or wrong",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_origin_must_be_this_listener() {
        let door = Doorkeeper::new(SocketAddr::from(([127, 0, 0, 1], 4711)), "secret".to_owned());
        let cases: [(&[(&str, &str)], Result<(), Refusal>); 10] = [
            (&[("host", "127.0.0.1:4711")], Ok(())),
            (&[("host", "localhost:4711")], Ok(())),
            (&[("host", "127.0.0.1:4711"), ("origin", "http://127.0.0.1:4711")], Ok(())),
            (&[], Err(Refusal::Host)),
            (&[("host", "127.0.0.1")], Err(Refusal::Host)),
            (&[("host", "evil.example:4711")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:4711"), ("host", "evil.example")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:4711"), ("origin", "http://evil.example")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:4711"), ("origin", "null")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:4711"), ("origin", "https://127.0.0.1:4711")], Err(Refusal::Origin)),
        ];
        for (headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(header::HeaderName::from_static(name), value.parse().expect(value));
            }
            assert_eq!(door.admits(&map), expected, "{headers:?}");
        }
    }

    #[test]
    fn only_the_whole_token_is_known() {
        let door = Doorkeeper::new(SocketAddr::from(([127, 0, 0, 1], 1)), "secret".to_owned());
        assert!(door.knows("secret"));
        for wrong in ["", "secre", "secret ", "Secret"] {
            assert!(!door.knows(wrong), "{wrong}");
        }
    }
}
