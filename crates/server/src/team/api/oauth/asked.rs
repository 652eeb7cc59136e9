//! What a client asks of `/authorize`, read strictly: one client, a code that
//! only this machine receives, and proof that only the asking process can give.

use serde::Deserialize;

/// The one client there is.
pub const CLIENT: &str = "boathook-cli";
const LONGEST_STATE: usize = 200;
const LONGEST_REDIRECT: usize = 200;
const LONGEST_NAME: usize = 253;

/// The question, as it stands in the address and again in the form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Asked {
    #[serde(default)]
    pub response_type: String,
    #[serde(default)]
    pub client_id: String,
    #[serde(default)]
    pub redirect_uri: String,
    #[serde(default)]
    pub code_challenge: String,
    #[serde(default)]
    pub code_challenge_method: String,
    #[serde(default)]
    pub state: String,
    #[serde(default)]
    pub device_name: String,
}

impl Asked {
    /// What is wrong with it. A question that is not in order is answered on
    /// the page alone: nothing is sent to an address that it names.
    pub fn complaint(&self) -> Option<&'static str> {
        if self.client_id != CLIENT {
            Some("client_id: it must be boathook-cli")
        } else if loopback(&self.redirect_uri).is_none() {
            Some("redirect_uri: it must be http://127.0.0.1:PORT/… or http://[::1]:PORT/…, without a query")
        } else if self.response_type != "code" {
            Some("response_type: it must be code")
        } else if self.code_challenge_method != "S256" {
            Some("code_challenge_method: it must be S256")
        } else if self.code_challenge.len() != 43 || !self.code_challenge.bytes().all(unreserved) {
            Some("code_challenge: it must be a SHA-256 in base64url, 43 characters")
        } else if self.state.is_empty()
            || self.state.len() > LONGEST_STATE
            || !self.state.bytes().all(unreserved)
        {
            Some("state: it must be there, of letters, digits and -._~")
        } else if !is_name(&self.device_name) {
            Some("device_name: it must be the name of the host")
        } else {
            None
        }
    }

    /// The fields, to be sent again with the form.
    pub fn fields(&self) -> [(&'static str, &str); 7] {
        [
            ("response_type", &self.response_type),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("code_challenge", &self.code_challenge),
            ("code_challenge_method", &self.code_challenge_method),
            ("state", &self.state),
            ("device_name", &self.device_name),
        ]
    }

    /// Where the browser goes with an answer. Both values need no quoting.
    pub fn back_with(&self, name: &str, value: &str) -> String {
        format!("{}?{name}={value}&state={}", self.redirect_uri, self.state)
    }

    /// What the page's policy must let its form lead to. Policies cannot spell
    /// addresses of IPv6.
    pub fn form_target(&self) -> String {
        match loopback(&self.redirect_uri) {
            Some(Loopback { six: false, port }) => format!("http://127.0.0.1:{port}"),
            Some(Loopback { six: true, .. }) => "http:".into(),
            None => "'self'".into(),
        }
    }
}

/// What a device can be called. The person is shown this name, and the device
/// gets no other.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control)
}

/// A port of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Loopback {
    six: bool,
    port: u16,
}

fn loopback(redirect: &str) -> Option<Loopback> {
    let (six, rest) =
        match (redirect.strip_prefix("http://127.0.0.1:"), redirect.strip_prefix("http://[::1]:")) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => return None,
        };
    let (port, path) = rest.split_once('/')?;
    let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let plain = path.bytes().all(|byte| unreserved(byte) || byte == b'/');
    let port = port.parse().ok().filter(|port| digits && *port != 0)?;
    (plain && redirect.len() <= LONGEST_REDIRECT).then_some(Loopback { six, port })
}

/// Characters that mean themselves in every part of an address.
fn unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Asked {
        Asked {
            response_type: "code".into(),
            client_id: CLIENT.into(),
            redirect_uri: "http://127.0.0.1:4711/callback".into(),
            code_challenge: "x".repeat(43),
            code_challenge_method: "S256".into(),
            state: "abc".into(),
            device_name: "laptop".into(),
        }
    }

    #[test]
    fn a_code_goes_to_a_port_of_this_machine_alone() {
        for redirect in ["http://127.0.0.1:1/", "http://[::1]:65535/a/b-c", "http://127.0.0.1:4711/callback"]
        {
            assert_eq!(Asked { redirect_uri: redirect.into(), ..good() }.complaint(), None, "{redirect}");
        }
        let elsewhere = [
            "",
            "https://127.0.0.1:1/",
            "http://127.0.0.1/",
            "http://127.0.0.1:0/",
            "http://127.0.0.1:+1/",
            "http://127.0.0.1:65536/",
            "http://127.0.0.1:1",
            "http://127.0.0.1:1@evil.example/",
            "http://127.0.0.1:1/@evil.example",
            "http://127.0.0.1:1/?x=y",
            "http://127.0.0.1:1/#x",
            "http://127.0.0.1:1/\\evil.example",
            "http://127.0.0.1:1/%0d%0aSet-Cookie:x",
            "http://127.0.0.1.evil.example:1/",
            "http://localhost:1/",
            "http://evil.example:1/",
            "javascript:alert(1)",
            "http://[::1]:1/a\r\nb",
        ];
        for redirect in elsewhere {
            let complaint = Asked { redirect_uri: redirect.into(), ..good() }.complaint();
            assert!(complaint.is_some_and(|words| words.starts_with("redirect_uri")), "{redirect:?}");
        }
    }

    #[test]
    fn only_proofs_that_do_not_travel_are_taken() {
        let cases = [
            ("client_id", Asked { client_id: "other".into(), ..good() }),
            ("response_type", Asked { response_type: "token".into(), ..good() }),
            ("code_challenge_method", Asked { code_challenge_method: "plain".into(), ..good() }),
            ("code_challenge_method", Asked { code_challenge_method: String::new(), ..good() }),
            ("code_challenge", Asked { code_challenge: "short".into(), ..good() }),
            ("state", Asked { state: String::new(), ..good() }),
            ("state", Asked { state: "a&code=b".into(), ..good() }),
            ("device_name", Asked { device_name: String::new(), ..good() }),
            ("device_name", Asked { device_name: "a\0b".into(), ..good() }),
            ("device_name", Asked { device_name: "x".repeat(LONGEST_NAME + 1), ..good() }),
        ];
        for (field, asked) in cases {
            assert!(
                asked.complaint().is_some_and(|words| words.starts_with(&format!("{field}:"))),
                "{field}"
            );
        }
    }
}
