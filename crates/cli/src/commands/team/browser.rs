//! Signing in with the browser: the person says yes on the server's own page,
//! the browser brings back a code, and only who asked can use that code
//! (RFC 8252, with the proof key of RFC 7636).

use std::time::Duration;

use boathook_engine::digest::Digest;
use boathook_server::team::wire::LoggedIn;
use serde::{Deserialize, Serialize};

use super::callback::{Callback, Came};
use super::words::{TRY_LATER, meaning};
use crate::error::Failed;
use crate::settings::open_in_browser;
use crate::team::{Refusal, Server};
use crate::ui::Ui;

/// So long a person has to say yes.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// Where a server says what it offers (RFC 8414).
const OFFER: &str = "/.well-known/oauth-authorization-server";
/// Who we are.
const CLIENT: &str = "boathook-cli";

/// What a server offers.
#[derive(Debug, Deserialize)]
struct Offer {
    authorization_endpoint: String,
    token_endpoint: String,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
}

/// The code, and the proof that we are who asked for it.
#[derive(Debug, Serialize)]
struct Exchange<'a> {
    grant_type: &'static str,
    client_id: &'static str,
    code: &'a str,
    code_verifier: &'a str,
    redirect_uri: &'a str,
    name: &'a str,
    os: &'a str,
}

/// This machine, as it is shown to the person and kept by the server.
pub struct Machine<'a> {
    pub name: &'a str,
    pub os: &'a str,
}

/// None when the server offers no such thing.
pub fn sign_in(
    ui: &mut Ui,
    server: &Server,
    url: &str,
    machine: &Machine<'_>,
) -> Result<Option<LoggedIn>, Failed> {
    let offer: Offer = match server.get(OFFER) {
        Ok(offer) => offer,
        Err(refusal) if refusal.code == "missing" => return Ok(None),
        Err(refusal) => return Err(refused(&refusal)),
    };
    let authorize = path_on(url, &offer.authorization_endpoint);
    let token = path_on(url, &offer.token_endpoint);
    let (Some(authorize), Some(token)) = (authorize, token) else {
        let problem = "the server wants the sign-in to happen on another address, and no token goes there";
        return Err(Failed::other(problem, "tell an admin of the team, or log in with `--token`"));
    };
    if !offer.code_challenge_methods_supported.iter().any(|method| method == "S256") {
        return Ok(None);
    }
    let no_port = |error| Failed::other(format!("no port could be opened: {error}"), "log in with `--token`");
    let callback = Callback::new().map_err(no_port)?;
    let (state, verifier) = (random()?, random()?);
    let back = callback.address();
    let address = question(url, &authorize, &back, &state, &verifier, machine.name);
    ui.say("Sign in with your browser at this address:");
    ui.say(&format!("    {address}"));
    if open_in_browser(&address, &[]) {
        ui.say("It should open by itself. Waiting for your answer there, for 5 minutes.");
    }
    let code = match callback.wait(&state, PATIENCE) {
        Came::Code(code) => code,
        Came::Refused(why) => {
            return Err(Failed::other(
                format!("the sign-in was refused: {why}"),
                "type the command again to try again",
            ));
        }
        Came::Nobody => {
            return Err(Failed::other(
                "nobody signed in within 5 minutes",
                "log in again, or with `--token`",
            ));
        }
    };
    let exchange = Exchange {
        grant_type: "authorization_code",
        client_id: CLIENT,
        code: &code,
        code_verifier: &verifier,
        redirect_uri: &back,
        name: machine.name,
        os: machine.os,
    };
    server.post(&token, &exchange).map(Some).map_err(|refusal| refused(&refusal))
}

/// What a refusal of the server is to a person who signs in: nothing tries
/// again by itself.
pub fn refused(refusal: &Refusal) -> Failed {
    let help = match meaning(&refusal.code).and_then(|meaning| meaning.help) {
        Some(help) if help != TRY_LATER => help,
        Some(_) | None => "look whether the address is right, and try again",
    };
    Failed::other(refusal.message.clone(), help)
}

fn question(url: &str, authorize: &str, back: &str, state: &str, verifier: &str, name: &str) -> String {
    let challenge = base64url(Digest::of(verifier.as_bytes()).as_bytes());
    let pairs = [
        ("response_type", "code"),
        ("client_id", CLIENT),
        ("redirect_uri", back),
        ("state", state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("device_name", name),
    ];
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    format!("{}{authorize}?{}", url.trim_end_matches('/'), pairs.join("&"))
}

/// The path of an endpoint on the server that was typed; none when it is on
/// another one.
fn path_on(url: &str, endpoint: &str) -> Option<String> {
    let path = match endpoint.strip_prefix(url.trim_end_matches('/')) {
        Some(path) => path,
        None => endpoint,
    };
    let plain = path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte));
    (path.starts_with('/') && !path.starts_with("//") && plain).then(|| path.to_owned())
}

/// 256 bits that nobody can guess, in characters that need no escape.
fn random() -> Result<String, Failed> {
    let mut bytes = [0; 32];
    let none =
        |error| Failed::other(format!("the system has no random numbers: {error}"), "log in with `--token`");
    getrandom::fill(&mut bytes).map_err(none)?;
    Ok(base64url(&bytes))
}

fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..=three.len() {
            let letter = bits >> (18 - 6 * place) & 63;
            text.push(char::from(LETTERS[letter as usize]));
        }
    }
    text
}

fn encoded(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proof_is_the_one_of_the_standard() {
        // The example of RFC 7636, appendix B.
        let challenge = base64url(Digest::of(b"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").as_bytes());
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        for (bytes, expected) in [(&b""[..], ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v")] {
            assert_eq!(base64url(bytes), expected);
        }
    }

    #[test]
    fn a_sign_in_stays_on_the_server_that_was_typed() {
        let cases = [
            ("https://h.example", "https://h.example/authorize", Some("/authorize")),
            ("https://h.example/", "https://h.example/authorize", Some("/authorize")),
            ("https://h.example", "/authorize", Some("/authorize")),
            ("https://h.example", "https://evil.example/authorize", None),
            ("https://h.example", "https://h.example.evil/authorize", None),
            ("https://h.example", "//evil.example/authorize", None),
            ("https://h.example", "/authorize?x=1", None),
            ("https://h.example", "javascript:alert(1)", None),
        ];
        for (url, endpoint, expected) in cases {
            assert_eq!(path_on(url, endpoint).as_deref(), expected, "{url} {endpoint}");
        }
    }

    #[test]
    fn what_is_asked_for_is_in_the_address_and_the_proof_is_not() {
        let address = question(
            "https://h.example/",
            "/authorize",
            "http://127.0.0.1:9/signed-in",
            "st",
            "secret",
            "my box&co",
        );
        assert!(address.starts_with("https://h.example/authorize?response_type=code&client_id=boathook-cli&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fsigned-in&state=st&"), "{address}");
        assert!(address.ends_with("&code_challenge_method=S256&device_name=my%20box%26co"), "{address}");
        assert!(!address.contains("secret"));
    }
}
