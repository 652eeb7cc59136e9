//! `boathook team admin token`: what programs and machines sign in with.

use boathook_server::team::wire::{MadeToken, Member, NewToken, Role, Team, Token, TokenKind};
use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;

use super::desk::Desk;
use super::invitation::{self, Invitation};
use super::member::{RoleName, find, role_name, whose};
use super::table::{Table, or_dash, time, time_or_dash};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Says that what was made with a token stays.
const ALONE: &str = "?alone=true";

/// Make, list and revoke tokens
#[derive(Debug, clap::Args)]
pub struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    New(NewArgs),
    List(ListArgs),
    Revoke(RevokeArgs),
}

/// What a token is for, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    /// Calls the API
    Api,
    /// Enrols machines that belong to the team, not to a person
    Enrolment,
    /// Signs a member in, once
    SignIn,
}

/// Make a token, and print it this once
#[derive(Debug, clap::Args)]
pub struct NewArgs {
    /// What it is for
    #[arg(default_value = "api")]
    kind: KindName,
    /// What to call it
    #[arg(long, default_value = "made with team admin")]
    name: String,
    /// The most its holder may do [default: for sign-in all that the member may, else member]
    #[arg(long)]
    role: Option<RoleName>,
    /// Whose, for a sign-in token [default: yours]
    #[arg(long, value_name = "EMAIL")]
    member: Option<String>,
    /// After how many days it expires [default: as its kind says]
    #[arg(long)]
    days: Option<u32>,
}

/// List tokens, without their secrets
#[derive(Debug, clap::Args)]
pub struct ListArgs {}

/// Revoke a token; whoever holds it is refused from then on
///
/// What was made with it goes too: the same member's tokens and machines, enrolment
/// tokens, and invitations that nobody has used. What another member made of an
/// invitation stays, and so do machines that belong to the team.
#[derive(Debug, clap::Args)]
pub struct RevokeArgs {
    /// Its number
    id: i64,
    /// Keep what was made with it, for a token that is not lost, only no longer needed
    #[arg(long)]
    alone: bool,
}

pub fn token(ui: &mut Ui, desk: &Desk, args: &TokenArgs) -> Result<Status, Failed> {
    match &args.command {
        TokenCommand::New(args) => new(ui, desk, args)?,
        TokenCommand::List(_) => list(ui, desk)?,
        TokenCommand::Revoke(args) => {
            desk.delete(&format!("/api/v1/tokens/{}{}", args.id, if args.alone { ALONE } else { "" }))?;
            let with = if args.alone { "" } else { ", with what was made with it" };
            desk.gone(ui, "revoked", args.id, &format!("token {} is revoked{with}", args.id))?;
        }
    }
    Ok(Status::Success)
}

fn new(ui: &mut Ui, desk: &Desk, args: &NewArgs) -> Result<(), Failed> {
    let kind = match args.kind {
        KindName::Api => TokenKind::Api,
        KindName::Enrolment => TokenKind::Enrolment,
        KindName::SignIn => TokenKind::SignIn,
    };
    let member = args.member.as_deref().map(|who| find(desk, who)).transpose()?;
    let team: Team = desk.get("/api/v1/team")?;
    let own = member.as_ref().map_or(team.role, |member| member.role);
    let role = args.role.map_or(usual_role(kind, own), Role::from);
    let member = member.map(|member| member.id);
    let body = NewToken { kind, name: args.name.clone(), role: Some(role), member, days: args.days };
    let made: MadeToken = desk.post("/api/v1/tokens", &body)?;
    let fingerprint = &team.root_fingerprint;
    let machine = || invitation::machine(desk, &made.secret, fingerprint);
    let commands = match kind {
        TokenKind::Api if !invitation::administers(role) => vec![],
        TokenKind::Api | TokenKind::Device => vec![invitation::desk(desk, &made.secret)],
        TokenKind::SignIn if invitation::administers(role) => {
            vec![machine(), invitation::desk(desk, &made.secret)]
        }
        TokenKind::SignIn | TokenKind::Enrolment => vec![machine()],
    };
    let whole = Invitation { made: &made, fingerprint, commands: &commands };
    desk.show(ui, &whole, |ui| match (kind, &commands[..]) {
        (TokenKind::Api | TokenKind::Device, _) => ui.line(&made.secret),
        (TokenKind::SignIn | TokenKind::Enrolment, commands) => {
            commands.iter().take(1).for_each(|line| ui.line(line));
            if let Some(other) = commands.get(1) {
                ui.hint(&format!("it works once; for `boathook team admin` type `{other}` instead"));
            }
            invitation::say_authority(ui, desk);
        }
    })
}

/// What a token may do when nobody says: who signs in is whom they are, and a
/// program gets no more than it was given.
fn usual_role(kind: TokenKind, own: Role) -> Role {
    match kind {
        TokenKind::SignIn => own,
        TokenKind::Api | TokenKind::Enrolment | TokenKind::Device => Role::Member,
    }
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let tokens: Vec<Token> = desk.get("/api/v1/tokens")?;
    // Members without a role to see the others read numbers.
    let members: Vec<Member> = desk.get("/api/v1/members").unwrap_or_default();
    let now = Timestamp::now().as_millisecond();
    let head = ["ID", "KIND", "TOKEN", "NAME", "ROLE", "OF", "MADE", "WITH", "EXPIRES", "STATE"];
    let table = Table::of(head, &tokens, |token| {
        [
            token.id.to_string(),
            kind_name(token.kind).to_owned(),
            format!("{}…", token.prefix),
            token.name.clone(),
            role_name(token.role).to_owned(),
            or_dash(token.device.clone().or_else(|| token.member.map(|member| whose(&members, member)))),
            time(token.created_at),
            or_dash(token.made_with.map(|maker| maker.to_string())),
            time_or_dash(token.expires_at),
            state(token, now),
        ]
    });
    desk.list(ui, &tokens, table, "there is no token")
}

/// Whether it still works.
fn state(token: &Token, now: i64) -> String {
    match (token.used_at, token.revoked_at, token.expires_at) {
        (Some(when), _, _) => format!("used {}", time(when)),
        (None, Some(when), _) => format!("revoked {}", time(when)),
        (None, None, Some(end)) if end <= now => "expired".to_owned(),
        (None, None, _) => "good".to_owned(),
    }
}

/// Revokes the token that asks, found by its first letters. What was made with
/// it stays: who leaves a desk did not lose it.
pub fn revoke_own(desk: &Desk, secret: &str) -> Result<(), Failed> {
    let tokens: Vec<Token> = desk.get("/api/v1/tokens")?;
    let own = tokens.iter().filter(|token| token.revoked_at.is_none() && secret.starts_with(&token.prefix));
    let [own] = own.collect::<Vec<_>>()[..] else {
        return Err(Failed::other("the server does not list it", "`boathook team admin token list`"));
    };
    desk.delete(&format!("/api/v1/tokens/{}{ALONE}", own.id))
}

fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::SignIn => "sign-in",
        TokenKind::Api => "api",
        TokenKind::Enrolment => "enrolment",
        TokenKind::Device => "device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_no_longer_works_says_so() {
        let token = |used_at, revoked_at, expires_at| Token {
            id: 1,
            kind: TokenKind::SignIn,
            prefix: String::new(),
            name: String::new(),
            role: Role::Member,
            member: None,
            device: None,
            created_at: 0,
            expires_at,
            used_at,
            revoked_at,
            made_with: None,
        };
        let cases = [
            (None, None, None, "good"),
            (None, None, Some(11), "good"),
            (None, None, Some(10), "expired"),
            (None, Some(5), Some(11), "revoked "),
            (Some(5), None, Some(11), "used "),
        ];
        for (used, revoked, expires, expected) in cases {
            let said = state(&token(used, revoked, expires), 10);
            assert!(said.starts_with(expected), "{expected}: {said}");
        }
    }

    #[test]
    fn who_signs_in_may_do_what_they_may() {
        assert_eq!(usual_role(TokenKind::SignIn, Role::Owner), Role::Owner);
        assert_eq!(usual_role(TokenKind::Api, Role::Owner), Role::Member);
        assert_eq!(usual_role(TokenKind::Enrolment, Role::Admin), Role::Member);
    }
}
