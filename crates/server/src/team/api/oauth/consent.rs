//! `/authorize`: a person says by a token who they are, and that a program may
//! log in for them.
//!
//! The form must come from our own page: it brings what only the page and the
//! cookie of the same browser know, and browsers send that cookie from no
//! other site.

use std::net::IpAddr;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Form, FromRequest, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use boathook_engine::digest::Digest;
use serde::Deserialize;

use super::asked::Asked;
use super::{code, page};
use crate::doorkeeper::same;
use crate::team::api::caller::{self, Caller};
use crate::team::api::refusal::Refusal;
use crate::team::api::route::Traffic;
use crate::team::api::{App, guard, secret};
use crate::team::wire::TokenKind;

const COOKIE: &str = "boathook-authorize";
const COOKIE_SECONDS: u32 = 600;

/// What the form sends.
#[derive(Debug, Deserialize)]
pub struct Answered {
    #[serde(flatten)]
    asked: Asked,
    #[serde(default)]
    form_token: String,
    #[serde(default)]
    token: String,
    #[serde(default)]
    answer: String,
}

/// `GET /authorize`
pub async fn ask(
    State(app): State<App>,
    headers: HeaderMap,
    asked: Result<Query<Asked>, QueryRejection>,
) -> Response {
    let asked = asked.map(|Query(asked)| asked).unwrap_or_default();
    if let Some(complaint) = asked.complaint() {
        return page::refused(StatusCode::BAD_REQUEST, complaint);
    }
    let Ok(fresh) = secret::random() else {
        return page::refused(StatusCode::SERVICE_UNAVAILABLE, "the server cannot make secrets now");
    };
    // A second tab keeps the first one's cookie, so that both forms work.
    let cookie = cookie(&headers).unwrap_or(fresh);
    let mut response = page::consent(&asked, &form_token(&cookie), None);
    if let Ok(value) = HeaderValue::from_str(&set_cookie(&app, &cookie)) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}

/// `POST /authorize`
pub async fn answer(State(app): State<App>, request: Request) -> Response {
    let (headers, peer) = (request.headers().clone(), guard::peer(request.extensions()));
    let Ok(Form(answered)) = Form::<Answered>::from_request(request, &app).await else {
        return page::refused(StatusCode::BAD_REQUEST, "the form cannot be read");
    };
    let expected = cookie(&headers).map(|cookie| form_token(&cookie));
    let ours = expected.as_deref().is_some_and(|expected| same(&answered.form_token, expected));
    if !ours || !from_here(&headers) {
        return page::refused(StatusCode::FORBIDDEN, "the form does not come from the page of this server");
    }
    if let Some(complaint) = answered.asked.complaint() {
        return page::refused(StatusCode::BAD_REQUEST, complaint);
    }
    match answered.answer.as_str() {
        "allow" => allow(&app, &answered, peer).await,
        "deny" => Redirect::to(&answered.asked.back_with("error", "access_denied")).into_response(),
        _ => page::refused(StatusCode::BAD_REQUEST, "the form has no answer"),
    }
}

async fn allow(app: &App, answered: &Answered, peer: IpAddr) -> Response {
    let asked = &answered.asked;
    let given = match person(app, answered.token.trim(), peer).await {
        Ok(caller) => code::give(app, &caller, asked).await,
        Err(refusal) => Err(refusal),
    };
    match given {
        Ok(code) => Redirect::to(&asked.back_with("code", &code)).into_response(),
        Err(refusal) if refusal.status == StatusCode::UNAUTHORIZED => {
            let words = "This token is not good. Paste a sign-in token or an API token of yours.";
            page::consent(asked, &answered.form_token, Some(words))
        }
        Err(refusal) => page::refused(refusal.status, &refusal.message),
    }
}

/// The member behind a token that was pasted.
async fn person(app: &App, token: &str, peer: IpAddr) -> Result<Caller, Refusal> {
    match caller::by_token(app, token).await {
        Ok(caller) if matches!(caller.kind, TokenKind::SignIn | TokenKind::Api) => {
            app.limits.count(Traffic::Login, &caller.key())?;
            Ok(caller)
        }
        Ok(_) => Err(Refusal::unknown()),
        Err(refusal) if refusal.status == StatusCode::UNAUTHORIZED => {
            app.limits.count_unknown(Traffic::Login, peer)?;
            Err(refusal)
        }
        Err(refusal) => Err(refusal),
    }
}

/// Browsers say which page a form comes from.
fn from_here(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    matches!((host, origin), (Some(host), Some((_, origin))) if host == origin)
}

/// What the form must bring when the browser has this cookie.
fn form_token(cookie: &str) -> String {
    secret::base64url(Digest::of(format!("form {cookie}").as_bytes()).as_bytes())
}

fn cookie(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(name, _)| *name == COOKIE)?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (value.len() == 43 && value.bytes().all(plain)).then(|| value.to_owned())
}

fn set_cookie(app: &App, cookie: &str) -> String {
    let secure = app.origin.as_deref().is_some_and(|origin| origin.starts_with("https://"));
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={cookie}; Path=/authorize; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}")
}
