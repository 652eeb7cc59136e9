//! The first start: a team, its owner, its keys, and one token to sign in with.

use boathook_engine::ids::now_millis;

use super::error::ServeError;
use crate::team::api::secret::Secret;
use crate::team::publish;
use crate::team::sign::Signer;
use crate::team::store::{NewTokenRow, Store, TeamStore};
use crate::team::wire::{Member, Role, TokenKind};

/// A sign-in token waits so long to be used.
const WEEK: i64 = 7 * 24 * 60 * 60 * 1000;

/// What somebody needs to sign in, shown once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// The team's name.
    pub team: String,
    /// Whom it is for.
    pub email: String,
    /// The token, good for once.
    pub token: String,
    /// What clients pin.
    pub fingerprint: String,
}

/// Makes the first team where there is none. A team whose making was
/// interrupted is completed.
pub async fn start(
    store: &Store,
    signer: &Signer,
    name: &str,
    owner: &str,
) -> Result<Option<Invitation>, ServeError> {
    if let Some((team, member)) = store.create_first_team(name, owner, now_millis()).await.map_err(failed)? {
        return invite(&store.team(team), signer, name, &member).await.map(Some);
    }
    for team in store.teams().await.map_err(failed)? {
        publish::set_up(&store.team(team), signer, now_millis()).await.map_err(failed)?;
    }
    Ok(None)
}

/// Makes another team.
pub async fn new_team(
    store: &Store,
    signer: &Signer,
    name: &str,
    owner: &str,
) -> Result<Invitation, ServeError> {
    let (team, member) = store.create_team(name, owner, now_millis()).await.map_err(failed)?;
    invite(&store.team(team), signer, name, &member).await
}

/// A new token for an owner who lost hers. Whoever has the database and the
/// secret could read everything anyway.
pub async fn sign_in(store: &Store, signer: &Signer, email: &str) -> Result<Vec<Invitation>, ServeError> {
    let mut invitations = Vec::new();
    for id in store.teams().await.map_err(failed)? {
        let team = store.team(id);
        let members = team.members().await.map_err(failed)?;
        let Some(member) = members.into_iter().find(|member| member.email.eq_ignore_ascii_case(email)) else {
            continue;
        };
        let name = team.info().await.map_err(failed)?.name;
        invitations.push(invite(&team, signer, &name, &member).await?);
    }
    if invitations.is_empty() {
        let help = "the address as it was given when the member was added; `boathook team admin member list`";
        return Err(ServeError::state(format!("{email} is a member of no team here"), help));
    }
    Ok(invitations)
}

async fn invite(
    team: &TeamStore,
    signer: &Signer,
    name: &str,
    member: &Member,
) -> Result<Invitation, ServeError> {
    let now = now_millis();
    let fingerprint = publish::set_up(team, signer, now).await.map_err(failed)?;
    let secret = Secret::new(TokenKind::SignIn)?;
    let row = NewTokenRow {
        kind: TokenKind::SignIn,
        prefix: secret.prefix(),
        name: "made by the operator".to_owned(),
        role: Role::Owner,
        member: Some(member.id),
        device: None,
        digest: secret.digest(),
        created_at: now,
        expires_at: Some(now + WEEK),
    };
    team.add_token(&row).await.map_err(failed)?;
    Ok(Invitation {
        team: name.to_owned(),
        email: member.email.clone(),
        token: secret.text().to_owned(),
        fingerprint,
    })
}

fn failed(error: impl std::fmt::Display) -> ServeError {
    ServeError::state(error, "what was done so far is kept; the next start goes on from there")
}
