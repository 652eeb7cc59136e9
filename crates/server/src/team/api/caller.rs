//! Who calls: the bearer's token, looked up anew for every request, so that a
//! revoked one is refused from that moment on.

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use super::App;
use super::limits::Key;
use super::refusal::Refusal;
use super::secret;
use crate::team::store::{TeamStore, TokenRow};
use crate::team::wire::{Role, TokenKind};

/// Somebody whose token is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The team of the token: there is no way to name another.
    pub team: i64,
    /// The token's number.
    pub token: i64,
    /// What it is for.
    pub kind: TokenKind,
    /// What its holder may do: the lesser of the token's and the member's role.
    pub role: Role,
    /// What the member may do; the token may allow less.
    pub own: Option<Role>,
    /// The member.
    pub member: Option<i64>,
    /// The member's address.
    pub email: Option<String>,
    /// The device.
    pub device: Option<String>,
    /// Whether that belongs to the team itself.
    pub enrolled: bool,
}

impl Caller {
    /// The caller by a token's row, when all of it is still good.
    pub fn of(row: TokenRow, now: i64) -> Option<Caller> {
        let role = row.role_at(now)?;
        let own = row.member.as_ref().map(|member| member.role);
        let (member, email) = row.member.map(|member| (member.id, member.email)).unzip();
        let enrolled = row.device.as_ref().is_some_and(|device| device.enrolled);
        let device = row.device.map(|device| device.id);
        let (team, token, kind) = (row.team, row.id, row.kind);
        Some(Caller { team, token, kind, role, own, member, email, device, enrolled })
    }

    /// Who is counted when this caller calls.
    pub fn key(&self) -> Key {
        match (&self.device, self.member) {
            (Some(device), _) => Key::Device(self.team, device.clone()),
            (None, Some(member)) => Key::Member(self.team, member),
            (None, None) => Key::Token(self.team, self.token),
        }
    }

    /// Who did it, for the history.
    pub fn signature(&self) -> String {
        match (&self.email, &self.device) {
            (Some(email), _) => email.clone(),
            (None, Some(device)) => format!("device {device}"),
            (None, None) => format!("token {}", self.token),
        }
    }

    /// The member; a token of nobody's has none.
    pub fn member(&self) -> Result<i64, Refusal> {
        self.member.ok_or_else(|| Refusal::forbidden("this token belongs to no member"))
    }

    /// Refuses those below a role.
    pub fn needs(&self, role: Role, what: &str) -> Result<(), Refusal> {
        if self.role >= role { Ok(()) } else { Err(Refusal::forbidden(what)) }
    }
}

/// Looks up who sent these headers.
pub async fn identify(app: &App, headers: &HeaderMap) -> Result<Caller, Refusal> {
    by_token(app, bearer(headers).unwrap_or_default()).await
}

/// Looks up whose token this is.
pub async fn by_token(app: &App, token: &str) -> Result<Caller, Refusal> {
    let digest = secret::digest_of(token).ok_or_else(Refusal::unknown)?;
    let row = app.store.token(&digest).await?.ok_or_else(Refusal::unknown)?;
    Caller::of(row, app.now()).ok_or_else(Refusal::unknown)
}

/// The token. Two headers are none: who reads the first and who reads the
/// second would see different callers.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (value, None) = (values.next()?, values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// One request of somebody who may make it.
#[derive(Debug, Clone)]
pub struct Call {
    /// The server.
    pub app: App,
    /// The caller.
    pub caller: Caller,
}

impl Call {
    /// The call of a request that came through the guard.
    pub fn of(app: &App, extensions: &Extensions) -> Result<Call, Refusal> {
        let caller = extensions.get::<Caller>().cloned().ok_or_else(Refusal::unknown)?;
        Ok(Call { app: app.clone(), caller })
    }

    /// The caller's team: the only way to its data.
    pub fn team(&self) -> TeamStore {
        self.app.store.team(self.caller.team)
    }

    /// The time.
    pub fn now(&self) -> i64 {
        self.app.now()
    }
}

impl FromRequestParts<App> for Call {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Call, Refusal> {
        Call::of(app, &parts.extensions)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_one_bearer_token_counts() {
        let cases: [(&[&str], Option<&str>); 6] = [
            (&["Bearer x"], Some("x")),
            (&["bearer  x "], Some("x")),
            (&["Basic x"], None),
            (&["x"], None),
            (&["Bearer x", "Bearer y"], None),
            (&[], None),
        ];
        for (values, token) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_static(value));
            }
            assert_eq!(bearer(&headers), token, "{values:?}");
        }
    }
}
