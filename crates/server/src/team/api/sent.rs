//! What a request brings beside its caller: a body, and numbers in its path.

use axum::RequestPartsExt;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;

use super::App;
use super::refusal::Refusal;

/// A body in JSON. Unknown fields are refused by the types themselves: a
/// misspelt option must not be a missing one.
#[derive(Debug)]
pub struct Sent<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Sent<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Sent<T>, Refusal> {
        let unreadable = |_| Refusal::unreadable("the body did not arrive whole");
        let bytes = Bytes::from_request(request, app).await.map_err(unreadable)?;
        read(&bytes).map(Sent)
    }
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refusal> {
    if has_nul(bytes) {
        return Err(Refusal::invalid(NUL));
    }
    serde_json::from_slice(bytes).map_err(|error| match error.classify() {
        Category::Data => Refusal::invalid(format!("the body does not fit: {error}")),
        Category::Syntax | Category::Eof | Category::Io => {
            Refusal::unreadable(format!("the body is not JSON: {error}"))
        }
    })
}

/// One database would keep it and another would not.
const NUL: &str = "there is a NUL character (\\u0000) in a text; send it without";

/// Whether there is a NUL in any text of a body. What may be none is read once
/// more: two backslashes before it make it harmless.
fn has_nul(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|six| six == b"\\u0000")
        && serde_json::from_slice::<Value>(bytes).is_ok_and(|value| holds_nul(&value))
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A number in the path. What is no number is no number of ours either.
#[derive(Debug, Clone, Copy)]
pub struct Id(Option<i64>);

impl Id {
    /// The number, or that there is no such thing.
    pub fn of(self, what: &str) -> Result<i64, Refusal> {
        self.0.ok_or_else(|| Refusal::missing(what))
    }
}

impl FromRequestParts<App> for Id {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Id, Refusal> {
        let path: Result<Path<String>, _> = parts.extract().await;
        Ok(Id(path.ok().and_then(|Path(text)| text.parse().ok())))
    }
}

/// A name in the path.
#[derive(Debug, Clone)]
pub struct Name(pub String);

impl FromRequestParts<App> for Name {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Name, Refusal> {
        let path: Result<Path<String>, _> = parts.extract().await;
        let name = path.map(|Path(text)| text).unwrap_or_default();
        if name.contains('\0') { Err(Refusal::invalid(NUL)) } else { Ok(Name(name)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::wire::{Halt, Order, Report};

    #[test]
    fn a_nul_in_a_text_is_refused_and_one_that_is_only_written_about_is_not() {
        let report = |detail: &str| {
            let body = format!(r#"{{"sequence":1,"release":1,"code":"applied","detail":"{detail}"}}"#);
            read::<Report>(body.as_bytes()).map(|report| report.detail)
        };
        for bad in [r"\u0000", r"a\u0000b", r"\\\u0000"] {
            let refusal = report(bad).expect_err(bad);
            assert_eq!((refusal.status.as_u16(), refusal.code), (422, "invalid"), "{bad}");
            assert!(refusal.message.contains("NUL"), "{}", refusal.message);
        }
        for (good, text) in [(r"\\u0000", r"\u0000"), (r"\u0001", "\u{1}"), ("plain", "plain")] {
            assert_eq!(report(good).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_body_that_does_not_fit_is_refused_with_the_place() {
        let deep = "[".repeat(100_000);
        let cases: [(&str, u16, &str); 5] = [
            ("", 400, "the body is not JSON: EOF while parsing a value at line 1 column 0"),
            ("{\"ids\":[1,}", 400, "the body is not JSON: expected value at line 1 column 11"),
            (
                "{\"ids\":\"x\"}",
                422,
                "the body does not fit: invalid type: string \"x\", expected a sequence at line 1 column 10",
            ),
            (
                "{\"ids\":[],\"id\":1}",
                422,
                "the body does not fit: unknown field `id`, expected `ids` at line 1 column 14",
            ),
            (&deep, 422, "the body does not fit: invalid type: sequence"),
        ];
        for (body, status, message) in cases {
            let refusal = read::<Order>(body.as_bytes()).expect_err(message);
            assert_eq!(refusal.status.as_u16(), status, "{message}");
            assert!(refusal.message.starts_with(message), "{}", refusal.message);
        }
        assert!(read::<Halt>(b"{}").is_ok());
    }
}
