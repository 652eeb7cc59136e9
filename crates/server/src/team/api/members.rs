//! People. Nobody gives away more than they have: only an owner makes or
//! unmakes admins and owners, and a team keeps its last owner.

use axum::Json;
use axum::http::StatusCode;

use super::caller::Call;
use super::refusal::Refusal;
use super::sent::{Id, Sent};
use super::tokens;
use crate::team::publish;
use crate::team::wire::{AddedMember, Member, MemberChange, NewMember, Role, TokenKind};

const MEMBER: &str = "member";
const LONGEST_ADDRESS: usize = 254;

/// `GET /api/v1/members`
pub async fn list(call: Call) -> Result<Json<Vec<Member>>, Refusal> {
    Ok(Json(call.team().members().await?))
}

/// `POST /api/v1/members`
pub async fn add(
    call: Call,
    Sent(NewMember { email, role }): Sent<NewMember>,
) -> Result<(StatusCode, Json<AddedMember>), Refusal> {
    check_address(&email)?;
    may_touch(&call, role)?;
    let member = call.team().add_member(&email, role, call.now()).await?;
    let order = tokens::Order::sign_in(&member, call.caller.token);
    let made = tokens::make(&call.team(), &order, call.now()).await?;
    Ok((StatusCode::CREATED, Json(AddedMember { member, sign_in_token: made.secret })))
}

/// `PATCH /api/v1/members/{id}`
pub async fn change(call: Call, id: Id, Sent(change): Sent<MemberChange>) -> Result<Json<Member>, Refusal> {
    let member = find(&call, id).await?;
    if let Some(role) = change.role.filter(|role| *role != member.role) {
        may_touch(&call, role.max(member.role))?;
    }
    let changed = publish::set_member(&call.team(), &call.app.signer, member.id, &change, call.now()).await?;
    changed.map(Json).ok_or_else(|| Refusal::missing(MEMBER))
}

/// `DELETE /api/v1/members/{id}`
pub async fn remove(call: Call, id: Id) -> Result<StatusCode, Refusal> {
    let member = find(&call, id).await?;
    may_touch(&call, member.role)?;
    match call.team().remove_member(member.id, call.now()).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(Refusal::missing(MEMBER)),
    }
}

async fn find(call: &Call, id: Id) -> Result<Member, Refusal> {
    let member = call.team().member(id.of(MEMBER)?).await?;
    member.ok_or_else(|| Refusal::missing(MEMBER))
}

/// Whether the caller may make or unmake somebody of this role.
fn may_touch(call: &Call, role: Role) -> Result<(), Refusal> {
    match role {
        Role::Member | Role::Auditor => Ok(()),
        Role::Admin | Role::Owner => {
            call.caller.needs(Role::Owner, "only an owner makes or unmakes admins and owners")
        }
    }
}

/// Refuses what is no address.
pub fn check_address(email: &str) -> Result<(), Refusal> {
    let (name, host) = email.split_once('@').unwrap_or_default();
    let plain = |text: &str| {
        !text.is_empty() && !text.contains('@') && !text.chars().any(|c| c.is_whitespace() || c.is_control())
    };
    if plain(name) && plain(host) && email.len() <= LONGEST_ADDRESS {
        Ok(())
    } else {
        Err(Refusal::invalid("email: write an address such as ada@example.org"))
    }
}

impl tokens::Order {
    /// The token a new member signs in with.
    fn sign_in(member: &Member, made_with: i64) -> tokens::Order {
        tokens::Order {
            kind: TokenKind::SignIn,
            name: "invitation".into(),
            role: member.role,
            member: Some(member.id),
            device: None,
            made_with: Some(made_with),
            days: Some(tokens::SIGN_IN_DAYS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_name_and_a_host() {
        for good in ["ada@example.org", "owner@localhost", "é@ü.example"] {
            assert_eq!(check_address(good), Ok(()), "{good}");
        }
        let long = format!("{}@example.org", "x".repeat(300));
        for bad in ["", "ada", "@", "ada@", "@host", "a@b@c", "a b@c", "a@b\n", &long] {
            assert!(check_address(bad).is_err(), "{bad:?}");
        }
    }
}
