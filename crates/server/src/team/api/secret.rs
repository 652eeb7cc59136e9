//! The secrets that tokens and codes are: 256 random bits that are shown once
//! and kept as a digest.
//!
//! `bh_{kind}_{43 characters}`: the beginning tells people, and programs that
//! look for lost secrets, what they found.

use std::io;

use boathook_engine::digest::Digest;

use crate::team::wire::TokenKind;

/// How many characters 256 bits are.
const LENGTH: usize = 43;
/// How many of them are kept, so that people recognise a token in a list.
const SHOWN: usize = 4;

/// A new secret. It has no `Debug`: nothing may write it down by accident.
pub struct Secret {
    text: String,
}

impl Secret {
    /// One for a token of a kind.
    pub fn new(kind: TokenKind) -> io::Result<Secret> {
        Ok(Secret { text: format!("bh_{}_{}", word(kind), random()?) })
    }

    /// The text, which is shown once.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the database keeps of it.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    /// Its first characters.
    pub fn prefix(&self) -> String {
        let end = self.text.len() - LENGTH + SHOWN;
        self.text.chars().take(end).collect()
    }
}

/// The digest of a token as somebody sent it; nothing when it cannot be one.
pub fn digest_of(sent: &str) -> Option<Digest> {
    let kinds = [TokenKind::SignIn, TokenKind::Api, TokenKind::Enrolment, TokenKind::Device];
    let rest = kinds
        .into_iter()
        .find_map(|kind| sent.strip_prefix("bh_")?.strip_prefix(word(kind))?.strip_prefix('_'))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (rest.len() == LENGTH && rest.bytes().all(plain)).then(|| Digest::of(sent.as_bytes()))
}

/// 256 random bits as text.
pub fn random() -> io::Result<String> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(base64url(&bytes))
}

/// Bytes in the alphabet that needs no quoting anywhere, without padding.
pub fn base64url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..=chunk.len() {
            let six = (group >> (18 - 6 * place)) & 0x3f;
            text.push(char::from(ALPHABET[six as usize]));
        }
    }
    text
}

fn word(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::SignIn => "signin",
        TokenKind::Api => "api",
        TokenKind::Enrolment => "enrolment",
        TokenKind::Device => "device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_rfc_4648_says() {
        let cases: [(&[u8], &str); 5] =
            [(b"", ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v"), (&[0xfb, 0xff, 0xfe], "-__-")];
        for (bytes, text) in cases {
            assert_eq!(base64url(bytes), text);
        }
    }

    #[test]
    fn a_token_is_known_by_the_digest_of_its_text() {
        for kind in [TokenKind::SignIn, TokenKind::Api, TokenKind::Enrolment, TokenKind::Device] {
            let secret = Secret::new(kind).expect("random bytes");
            assert_eq!(digest_of(secret.text()), Some(secret.digest()));
            assert!(secret.text().starts_with(&secret.prefix()));
            assert!(secret.text().len() - secret.prefix().len() == LENGTH - SHOWN);
        }
    }

    #[test]
    fn what_cannot_be_a_token_is_not_looked_up() {
        let good = Secret::new(TokenKind::Api).expect("random bytes").text().to_owned();
        let broken = [
            String::new(),
            "bh_api_".into(),
            good.replace("bh_api", "bh_admin"),
            format!("{good}x"),
            good[1..].to_owned(),
            format!("{}'", &good[..good.len() - 1]),
        ];
        for text in broken {
            assert_eq!(digest_of(&text), None, "{text}");
        }
    }
}
