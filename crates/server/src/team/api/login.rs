//! Devices come and go.

use axum::Json;
use axum::http::StatusCode;
use boathook_engine::bundle::manifest::os_named;

use super::caller::Call;
use super::refusal::Refusal;
use super::secret::Secret;
use super::sent::Sent;
use super::{settings, tokens};
use crate::random;
use crate::team::store::{NewDevice, TeamStore};
use crate::team::wire::{LoggedIn, Login, Role, Team, TokenKind};

/// The token of a member's device lasts so long; then the member logs in again.
/// A device of the team's own has nobody to do that.
const DEVICE_DAYS: u32 = 400;
const LONGEST_NAME: usize = 253;

/// `POST /api/v1/login`
pub async fn login(call: Call, Sent(login): Sent<Login>) -> Result<(StatusCode, Json<LoggedIn>), Refusal> {
    let team = settings::shown(&call).await?;
    let newcomer = Newcomer {
        member: call.caller.member,
        enrolled: call.caller.kind == TokenKind::Enrolment,
        made_with: Some(call.caller.token),
        used_up: (call.caller.kind == TokenKind::SignIn).then_some(call.caller.token),
    };
    let logged_in = bring_in(&call.team(), &login, &newcomer, team, call.now()).await?;
    Ok((StatusCode::CREATED, Json(logged_in)))
}

/// `DELETE /api/v1/login`
pub async fn logout(call: Call) -> Result<StatusCode, Refusal> {
    if call.caller.enrolled {
        return Err(Refusal::forbidden("this device belongs to the team; an admin revokes it"));
    }
    let device = call.caller.device.as_deref().ok_or_else(|| Refusal::missing("device"))?;
    call.team().revoke_device(device, call.now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How a device comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Newcomer {
    /// Whose it is.
    pub member: Option<i64>,
    /// Whether it is the team's own.
    pub enrolled: bool,
    /// The token it comes with.
    pub made_with: Option<i64>,
    /// The sign-in token that is used up by it.
    pub used_up: Option<i64>,
}

/// Adds a device and gives it its token, all or nothing.
pub async fn bring_in(
    store: &TeamStore,
    login: &Login,
    newcomer: &Newcomer,
    team: Team,
    now: i64,
) -> Result<LoggedIn, Refusal> {
    check(login)?;
    let device = NewDevice {
        id: random::name()?,
        name: login.name.clone(),
        os: login.os.clone(),
        member: newcomer.member,
        enrolled: newcomer.enrolled,
        added_at: now,
    };
    let order = tokens::Order {
        kind: TokenKind::Device,
        name: device.name.clone(),
        role: Role::Member,
        member: newcomer.member,
        device: Some(device.id.clone()),
        made_with: newcomer.made_with,
        days: (!newcomer.enrolled).then_some(DEVICE_DAYS),
    };
    let secret = Secret::new(TokenKind::Device)?;
    let device = store.sign_in(&device, &order.row(&secret, now), newcomer.used_up).await?;
    // Somebody else was faster with the same token.
    let device = device.ok_or_else(Refusal::unknown)?;
    Ok(LoggedIn { device, device_token: secret.text().to_owned(), team })
}

/// Refuses a device that says nothing useful of itself.
fn check(login: &Login) -> Result<(), Refusal> {
    if login.name.is_empty() || login.name.len() > LONGEST_NAME || login.name.chars().any(char::is_control) {
        return Err(Refusal::invalid("name: send the name of the host"));
    }
    if os_named(&login.os).is_none() {
        return Err(Refusal::invalid(format!("os: {:?} is none of Windows, Macintosh and Linux", login.os)));
    }
    Ok(())
}
