//! Who is let in: a program of this machine that knows the token. Looked at
//! before anything else of a request is read.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::{Shared, sentence};
use crate::connection;
use crate::doorkeeper::Refusal;

/// Where a caller finds the token. Whoever may not read that file learns no path.
const WHERE: &str = "it stands in daemon/http.json of Boathook's state directory, and a request brings it as `Authorization: Bearer TOKEN`";

/// Lets a request through, or says why not.
pub async fn inside(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if let Err(refusal) = shared.door.admits(request.headers()) {
        return sentence(StatusCode::FORBIDDEN, refusal.sentence());
    }
    match token(request.headers()) {
        Some(token) if shared.door.knows(token) => {
            connection::welcome(&request);
            next.run(request).await
        }
        _ => sentence(StatusCode::UNAUTHORIZED, &format!("{}: {WHERE}", Refusal::Token.sentence())),
    }
}

/// The token that was brought. Two of them are none.
fn token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_behind_bearer() {
        let cases: [(&[&str], Option<&str>); 7] = [
            (&["Bearer abc"], Some("abc")),
            (&["bearer  abc"], Some("abc")),
            (&["abc"], None),
            (&["Basic abc"], None),
            (&["Bearer"], None),
            (&["Bearer abc", "Bearer abc"], None),
            (&[], None),
        ];
        for (given, expected) in cases {
            let mut headers = HeaderMap::new();
            for value in given {
                headers.append(header::AUTHORIZATION, value.parse().expect(value));
            }
            assert_eq!(token(&headers), expected, "{given:?}");
        }
    }
}
