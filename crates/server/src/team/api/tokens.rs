//! Tokens. A token's role is at most its maker's; members see and revoke their
//! own, admins all but those of people above them.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use serde::Deserialize;

use super::caller::Call;
use super::refusal::Refusal;
use super::secret::Secret;
use super::sent::{Id, Sent};
use crate::team::store::{NewTokenRow, TeamStore};
use crate::team::wire::{MadeToken, NewToken, Role, Token, TokenKind};

const TOKEN: &str = "token";
/// How long a token to sign in with waits.
pub const SIGN_IN_DAYS: u32 = 7;
const API_DAYS: u32 = 90;
const ENROLMENT_DAYS: u32 = 30;
const MOST_DAYS: u32 = 366;
const LONGEST_NAME: usize = 200;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A token that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// What for.
    pub kind: TokenKind,
    /// What to call it.
    pub name: String,
    /// The most its holder may do.
    pub role: Role,
    /// Whose it is.
    pub member: Option<i64>,
    /// Which device's.
    pub device: Option<String>,
    /// The token it is made with.
    pub made_with: Option<i64>,
    /// After how many days it expires.
    pub days: Option<u32>,
}

impl Order {
    /// The row that is kept for a secret.
    pub fn row(&self, secret: &Secret, now: i64) -> NewTokenRow {
        NewTokenRow {
            kind: self.kind,
            prefix: secret.prefix(),
            name: self.name.clone(),
            role: self.role,
            member: self.member,
            device: self.device.clone(),
            made_with: self.made_with,
            digest: secret.digest(),
            created_at: now,
            expires_at: self.days.map(|days| now.saturating_add(i64::from(days) * DAY)),
        }
    }
}

/// Makes a token; whether that is allowed was asked before.
pub async fn make(team: &TeamStore, order: &Order, now: i64) -> Result<MadeToken, Refusal> {
    make_until(team, order, now, None).await
}

/// The same, and no longer good than until then.
async fn make_until(
    team: &TeamStore,
    order: &Order,
    now: i64,
    until: Option<i64>,
) -> Result<MadeToken, Refusal> {
    let secret = Secret::new(order.kind)?;
    let mut row = order.row(&secret, now);
    row.expires_at = row.expires_at.into_iter().chain(until).min();
    let token = team.add_token(&row).await?;
    Ok(MadeToken { token, secret: secret.text().to_owned() })
}

/// `GET /api/v1/tokens`
pub async fn list(call: Call) -> Result<Json<Vec<Token>>, Refusal> {
    let mut tokens = call.team().tokens().await?;
    if call.caller.role < Role::Admin {
        tokens.retain(|token| token.member.is_some() && token.member == call.caller.member);
    }
    Ok(Json(tokens))
}

/// `POST /api/v1/tokens`
///
/// A token to sign in with gets an API token for its member, once.
pub async fn add(call: Call, Sent(new): Sent<NewToken>) -> Result<(StatusCode, Json<MadeToken>), Refusal> {
    let order = allowed(&call, new).await?;
    if call.caller.kind == TokenKind::SignIn {
        use_up(&call).await?;
    }
    let until = last_day(&call, &order).await?;
    let made = make_until(&call.team(), &order, call.now(), until).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// An API token that makes another for the same person cannot outlive itself
/// by that.
async fn last_day(call: &Call, order: &Order) -> Result<Option<i64>, Refusal> {
    if call.caller.kind != TokenKind::Api || order.member.is_none() || order.member != call.caller.member {
        return Ok(None);
    }
    Ok(call.team().token(call.caller.token).await?.and_then(|token| token.expires_at))
}

/// Takes the caller's sign-in token, or says that somebody was faster.
pub async fn use_up(call: &Call) -> Result<(), Refusal> {
    match call.team().use_token_once(call.caller.token, call.now()).await? {
        true => Ok(()),
        false => Err(Refusal::unknown()),
    }
}

/// How far revoking goes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reach {
    /// What was made with the token stays.
    #[serde(default)]
    alone: bool,
}

/// `DELETE /api/v1/tokens/{id}?alone=true`
pub async fn revoke(
    call: Call,
    id: Id,
    reach: Result<Query<Reach>, QueryRejection>,
) -> Result<StatusCode, Refusal> {
    let Ok(Query(Reach { alone })) = reach else {
        return Err(Refusal::unreadable("write ?alone=true, or nothing: what was made with it goes too"));
    };
    let id = id.of(TOKEN)?;
    let token = call.team().tokens().await?.into_iter().find(|token| token.id == id);
    let token = token.ok_or_else(|| Refusal::missing(TOKEN))?;
    if token.member.is_none() || token.member != call.caller.member {
        may_revoke_of_another(&call, &token).await?;
    } else {
        call.caller.needs(token.role, "this token may do more than yours; use one that may do as much")?;
    }
    let revoked = match alone {
        true => call.team().revoke_token_alone(id, call.now()).await?,
        false => call.team().revoke_token(id, call.now()).await?,
    };
    match revoked {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal::missing(TOKEN)),
    }
}

async fn may_revoke_of_another(call: &Call, token: &Token) -> Result<(), Refusal> {
    // Those who do not see it are not told that it is there.
    if call.caller.role < Role::Admin {
        return Err(Refusal::missing(TOKEN));
    }
    let Some(member) = token.member else { return Ok(()) };
    let role = call.team().member(member).await?.map_or(Role::Member, |member| member.role);
    call.caller.needs(role, "this token belongs to somebody with a higher role; they or an owner revoke it")
}

/// What the caller may make of what was asked.
async fn allowed(call: &Call, new: NewToken) -> Result<Order, Refusal> {
    check_words(&new)?;
    call.caller.needs(new.role.unwrap_or(Role::Member), "role: a token may not do more than who makes it")?;
    let (member, role, days) = match new.kind {
        TokenKind::Api if new.member.is_some_and(|member| Some(member) != call.caller.member) => {
            return Err(Refusal::invalid(
                "member: people make their own API tokens; make a sign-in token for them",
            ));
        }
        TokenKind::Api => (Some(call.caller.member()?), call.caller.role, API_DAYS),
        TokenKind::SignIn => {
            let (member, role) = whose(call, &new).await?;
            (Some(member), role, SIGN_IN_DAYS)
        }
        TokenKind::Enrolment => {
            call.caller.needs(Role::Admin, "only an admin makes enrolment tokens")?;
            (None, Role::Member, ENROLMENT_DAYS)
        }
        TokenKind::Device => {
            return Err(Refusal::invalid(
                "kind: a device gets its token when it logs in, with POST /api/v1/login",
            ));
        }
    };
    if call.caller.kind == TokenKind::SignIn && new.kind != TokenKind::Api {
        return Err(Refusal::forbidden("a sign-in token makes one API token; make others with that"));
    }
    // A device that belongs to the team runs its hooks and nothing else.
    let role = if new.kind == TokenKind::Enrolment { Role::Member } else { new.role.unwrap_or(role) };
    Ok(Order {
        kind: new.kind,
        name: new.name,
        role,
        member,
        device: None,
        made_with: Some(call.caller.token),
        days: Some(new.days.unwrap_or(days)),
    })
}

/// Whom a sign-in token is for, and what they may do: the caller, or for admins
/// somebody not above them.
async fn whose(call: &Call, new: &NewToken) -> Result<(i64, Role), Refusal> {
    let own = call.caller.member()?;
    let Some(wanted) = new.member.filter(|wanted| *wanted != own) else {
        return Ok((own, call.caller.role));
    };
    call.caller.needs(Role::Admin, "only an admin makes sign-in tokens for others")?;
    let member = call.team().member(wanted).await?.ok_or_else(|| Refusal::missing("member"))?;
    call.caller.needs(member.role, "this member has a higher role; an owner makes the token")?;
    Ok((wanted, member.role))
}

fn check_words(new: &NewToken) -> Result<(), Refusal> {
    let invisible = new.name.chars().any(char::is_control);
    if new.name.trim().is_empty() || new.name.len() > LONGEST_NAME || invisible {
        return Err(Refusal::invalid("name: say in a few words what the token is for"));
    }
    match new.days {
        Some(0) => Err(Refusal::invalid("days: it would expire at once")),
        Some(days) if days > MOST_DAYS => Err(Refusal::invalid(format!("days: at most {MOST_DAYS}"))),
        Some(_) | None => Ok(()),
    }
}
