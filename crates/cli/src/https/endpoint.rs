//! The address of a server: a base URL without surprises in it.

use std::fmt;
use std::net::IpAddr;

/// An address that paths are added to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Without a slash at its end.
    base: String,
    /// Without the brackets of an IPv6 address.
    pub host: String,
    pub port: u16,
    pub encrypted: bool,
}

impl Endpoint {
    /// Reads it; an error says what to write instead.
    pub fn parse(text: &str) -> Result<Endpoint, String> {
        let scheme = [("https://", true), ("http://", false)]
            .into_iter()
            .find_map(|(scheme, encrypted)| Some((text.strip_prefix(scheme)?, encrypted)));
        let Some((rest, encrypted)) = scheme else {
            return Err(format!("`{text}` begins with neither https:// nor http://"));
        };
        // A password in an address would be shown wherever the address is.
        if rest.contains('@') {
            return Err("it holds a user name; write `key_env` or `key_command` instead".to_owned());
        }
        let plain = |c: char| {
            c.is_ascii_graphic() && !matches!(c, '?' | '#' | '"' | '<' | '>' | '\\' | '`' | '{' | '}')
        };
        if !rest.chars().all(plain) {
            return Err(format!("`{text}` holds more than a host and a path"));
        }
        let (authority, _) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = split_port(authority).ok_or_else(|| format!("`{text}` has no host and port"))?;
        let port = port.unwrap_or(if encrypted { 443 } else { 80 });
        Ok(Endpoint { base: text.trim_end_matches('/').to_owned(), host, port, encrypted })
    }

    /// The address with a path behind it.
    pub fn with(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Whether it leads to this machine.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// Whether nobody else can read what is sent there.
    pub fn is_safe(&self) -> bool {
        self.encrypted || self.is_loopback()
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.base)
    }
}

fn split_port(authority: &str) -> Option<(String, Option<u16>)> {
    let (host, rest) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let port = match rest.strip_prefix(':') {
        Some(port) => Some(port.parse().ok()?),
        None if rest.is_empty() => None,
        None => return None,
    };
    (!host.is_empty()).then(|| (host.to_ascii_lowercase(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_address_is_an_address() {
        let good = [
            ("https://api.example.org", "api.example.org", 443, true),
            ("http://localhost:8080/v1/", "localhost", 8080, true),
            ("http://127.9.0.1", "127.9.0.1", 80, true),
            ("http://[::1]:11434", "::1", 11434, true),
            ("http://10.0.0.1", "10.0.0.1", 80, false),
            ("http://localhost.example.org", "localhost.example.org", 80, false),
        ];
        for (text, host, port, safe) in good {
            let endpoint = Endpoint::parse(text).expect(text);
            let seen = (endpoint.host.as_str(), endpoint.port, endpoint.is_safe());
            assert_eq!(seen, (host, port, safe), "{text}");
        }
        let bad = [
            "",
            "api.example.org",
            "ftp://x",
            "https://",
            "https:///v1",
            "https://x:y",
            "https://x:99999",
            "https://[::1",
            "https://[::1]x",
            "https://u:p@x",
            "https://x/?a",
            "https://x/#a",
            "https://x y",
            "https://x\n",
            "https://ü.example",
        ];
        for text in bad {
            assert!(Endpoint::parse(text).is_err(), "{text}");
        }
        let endpoint = Endpoint::parse("https://x/v1//").expect("an address");
        assert_eq!(endpoint.with("/chat"), "https://x/v1/chat");
    }
}
