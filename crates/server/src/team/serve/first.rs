//! The first start: a team, its owner, its keys, and one token to sign in with.

use boathook_engine::ids::now_millis;

use super::error::ServeError;
use crate::team::api::secret::Secret;
use crate::team::api::{members, settings};
use crate::team::publish;
use crate::team::sign::Signer;
use crate::team::store::{NewTokenRow, Store, TeamStore};
use crate::team::wire::{Member, Role, TokenKind};

/// A sign-in token waits so long to be used.
const WEEK: i64 = 7 * 24 * 60 * 60 * 1000;

/// The first team's name where nothing was said,
const TEAM: &str = "team";
/// and its owner's address.
const OWNER: &str = "owner@localhost";

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

/// Refuses what nobody could be invited to, before anything is made.
pub fn check(name: &str, owner: &str) -> Result<(), ServeError> {
    settings::check_name(name).map_err(|_| {
        ServeError::state(format!("{name:?} is no name for a team"), "write its name in a few words")
    })?;
    members::check_address(owner).map_err(|_| {
        ServeError::state(
            format!("{owner:?} is no address"),
            "write the owner's as `--owner ada@example.org`",
        )
    })
}

/// What was said for a first start that is over, in words.
pub async fn ignored(store: &Store, name: &str, owner: &str) -> Result<Vec<String>, ServeError> {
    let (mut names, mut owners) = (vec![TEAM.to_owned()], vec![OWNER.to_owned()]);
    for id in store.teams().await.map_err(failed)? {
        let team = store.team(id);
        names.push(team.info().await.map_err(failed)?.name);
        let members = team.members().await.map_err(failed)?;
        let owns = members.into_iter().filter(|member| member.role == Role::Owner);
        owners.extend(owns.map(|member| member.email));
    }
    let mut notes = Vec::new();
    if !names.iter().any(|known| known == name) {
        notes.push(format!(
            "`--team {name}` is for the first start, and changes nothing now: `boathook team admin settings set` \
             renames the team, `boathook serve new-team` makes another"
        ));
    }
    if !owners.iter().any(|known| known.eq_ignore_ascii_case(owner)) {
        notes.push(format!(
            "`--owner {owner}` is for the first start, and changes nothing now: an owner adds another with \
             `boathook team admin member add {owner} --role owner`"
        ));
    }
    Ok(notes)
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
    check(name, owner)?;
    for id in store.teams().await.map_err(failed)? {
        if store.team(id).info().await.map_err(failed)?.name.eq_ignore_ascii_case(name.trim()) {
            let help = "write another name: people could not tell the two apart";
            return Err(ServeError::state(format!("there is a team {name} already"), help));
        }
    }
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
        made_with: None,
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
