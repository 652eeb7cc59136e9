//! Codes: given to the browser, taken by the program that asked, once and
//! within a minute.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Form, FromRequest, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use boathook_engine::digest::Digest;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::asked::{Asked, CLIENT};
use crate::team::api::caller::Caller;
use crate::team::api::login::{self, Newcomer};
use crate::team::api::refusal::Refusal;
use crate::team::api::{App, secret, settings};
use crate::team::store::Code;
use crate::team::wire::{LoggedIn, Login, TokenKind};

/// How long a code is good, in milliseconds.
const LIFETIME: i64 = 60_000;

/// Makes a device of a code. As JSON or as a form.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    /// `authorization_code`
    grant_type: String,
    /// `boathook-cli`
    client_id: String,
    /// The code that the browser brought.
    code: String,
    /// What the challenge was made of.
    code_verifier: String,
    /// Where the browser brought it, as it was asked for.
    redirect_uri: String,
    /// The host's name, as the person was shown it.
    name: String,
    /// `Windows`, `Macintosh` or `Linux`.
    os: String,
}

/// Gives a code to somebody who allowed it. A sign-in token is used up by it.
pub async fn give(app: &App, caller: &Caller, asked: &Asked) -> Result<String, Refusal> {
    let (team, now) = (app.store.team(caller.team), app.now());
    let member = caller.member()?;
    if caller.kind == TokenKind::SignIn && !team.use_token_once(caller.token, now).await? {
        return Err(Refusal::unknown());
    }
    // Who brings the code does not say which team it is of, so the code does.
    let text = format!("bh_code_{}_{}", caller.team, secret::random()?);
    let code = Code {
        digest: bound(&text, &asked.device_name),
        challenge: asked.code_challenge.clone(),
        redirect: asked.redirect_uri.clone(),
        member,
        made_with: Some(caller.token),
        expires_at: now.saturating_add(LIFETIME),
    };
    team.add_code(&code).await?;
    Ok(text)
}

/// `POST /oauth/token`
pub async fn exchange(State(app): State<App>, request: Request) -> Response {
    let taken = match read(&app, request).await {
        Ok(exchange) => take(&app, &exchange).await,
        Err(refusal) => Err(refusal),
    };
    match taken {
        Ok(logged_in) => Json(logged_in).into_response(),
        Err(refusal) => told(refusal),
    }
}

/// Refusals have OAuth's words beside ours.
fn told(refusal: Refusal) -> Response {
    let error = match refusal.status {
        StatusCode::UNAUTHORIZED => "invalid_grant",
        StatusCode::SERVICE_UNAVAILABLE => "temporarily_unavailable",
        _ => "invalid_request",
    };
    let body = json!({
        "error": error, "error_description": refusal.message, "code": refusal.code, "message": refusal.message,
    });
    (if error == "invalid_grant" { StatusCode::BAD_REQUEST } else { refusal.status }, Json(body))
        .into_response()
}

async fn read(app: &App, request: Request) -> Result<Exchange, Refusal> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_some_and(|kind| kind.starts_with("application/json")) {
        let unreadable = |_| Refusal::unreadable("the body did not arrive whole");
        let bytes = Bytes::from_request(request, app).await.map_err(unreadable)?;
        serde_json::from_slice(&bytes).map_err(|error| Refusal::unreadable(error.to_string()))
    } else {
        let form = Form::<Exchange>::from_request(request, app).await;
        form.map(|Form(exchange)| exchange).map_err(|error| Refusal::unreadable(error.body_text()))
    }
}

async fn take(app: &App, exchange: &Exchange) -> Result<LoggedIn, Refusal> {
    if exchange.grant_type != "authorization_code" || exchange.client_id != CLIENT {
        return Err(Refusal::invalid("grant_type must be authorization_code and client_id boathook-cli"));
    }
    let now = app.now();
    let team = team_of(&exchange.code).map(|team| app.store.team(team)).ok_or_else(stale)?;
    let digest = bound(&exchange.code, &exchange.name);
    // Taken before anything is compared: who guesses a verifier guesses once.
    let code = team.take_code(&digest, now).await?.ok_or_else(stale)?;
    let proof = secret::base64url(Digest::of(exchange.code_verifier.as_bytes()).as_bytes());
    if code.challenge != proof || code.redirect != exchange.redirect_uri {
        return Err(stale());
    }
    let member = team.member(code.member).await?.ok_or_else(stale)?;
    let shown = settings::seen_by(team.info().await?, member.role, Some(member.email));
    let login = Login { name: exchange.name.clone(), os: exchange.os.clone() };
    let newcomer =
        Newcomer { member: Some(member.id), enrolled: false, made_with: code.made_with, used_up: None };
    login::bring_in(&team, &login, &newcomer, shown, now).await
}

/// A code is known by itself and the host's name together: there is no code for
/// a name that the person was not shown.
fn bound(code: &str, name: &str) -> Digest {
    Digest::of(format!("{code} {name}").as_bytes())
}

/// One answer for all that a code can be short of.
fn stale() -> Refusal {
    Refusal {
        message: "this code was used, is too old, or was given to another program; start the login again"
            .into(),
        ..Refusal::unknown()
    }
}

fn team_of(code: &str) -> Option<i64> {
    let (team, _) = code.strip_prefix("bh_code_")?.split_once('_')?;
    team.parse().ok()
}
