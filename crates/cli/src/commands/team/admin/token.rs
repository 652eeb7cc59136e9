//! `boathook team admin token`: what programs and machines sign in with.

use boathook_server::team::wire::{MadeToken, NewToken, Team, Token, TokenKind};
use clap::{Subcommand, ValueEnum};

use super::desk::Desk;
use super::member::{RoleName, find, login_line, role_name};
use super::table::{Table, or_dash, time, time_or_dash};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

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
    /// The most its holder may do
    #[arg(long, default_value = "member")]
    role: RoleName,
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
#[derive(Debug, clap::Args)]
pub struct RevokeArgs {
    /// Its number
    id: i64,
}

pub fn token(ui: &mut Ui, desk: &Desk, args: &TokenArgs) -> Result<Status, Failed> {
    match &args.command {
        TokenCommand::New(args) => new(ui, desk, args)?,
        TokenCommand::List(_) => list(ui, desk)?,
        TokenCommand::Revoke(args) => {
            desk.delete(&format!("/api/v1/tokens/{}", args.id))?;
            ui.say(&format!("token {} is revoked", args.id));
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
    let member = args.member.as_deref().map(|who| find(desk, who)).transpose()?.map(|member| member.id);
    let body = NewToken { kind, name: args.name.clone(), role: args.role.into(), member, days: args.days };
    let made: MadeToken = desk.post("/api/v1/tokens", &body)?;
    let team: Team = desk.get("/api/v1/team")?;
    desk.show(ui, &made, |ui| match kind {
        TokenKind::Api | TokenKind::Device => ui.line(&made.secret),
        TokenKind::SignIn | TokenKind::Enrolment => {
            ui.line(&login_line(&desk.address, &made.secret, &team.root_fingerprint));
        }
    })
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let tokens: Vec<Token> = desk.get("/api/v1/tokens")?;
    let head = ["ID", "KIND", "TOKEN", "NAME", "ROLE", "OF", "MADE", "EXPIRES", "REVOKED"];
    let table = Table::of(head, &tokens, |token| {
        [
            token.id.to_string(),
            kind_name(token.kind).to_owned(),
            format!("{}…", token.prefix),
            token.name.clone(),
            role_name(token.role).to_owned(),
            or_dash(token.device.clone().or_else(|| token.member.map(|member| format!("member {member}")))),
            time(token.created_at),
            time_or_dash(token.expires_at),
            time_or_dash(token.revoked_at),
        ]
    });
    desk.list(ui, &tokens, table, "there is no token")
}

/// Revokes the token that asks, found by its first letters.
pub fn revoke_own(desk: &Desk, secret: &str) -> Result<(), Failed> {
    let tokens: Vec<Token> = desk.get("/api/v1/tokens")?;
    let own = tokens.iter().filter(|token| token.revoked_at.is_none() && secret.starts_with(&token.prefix));
    let [own] = own.collect::<Vec<_>>()[..] else {
        return Err(Failed::other("the server does not list it", "`boathook team admin token list`"));
    };
    desk.delete(&format!("/api/v1/tokens/{}", own.id))
}

fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::SignIn => "sign-in",
        TokenKind::Api => "api",
        TokenKind::Enrolment => "enrolment",
        TokenKind::Device => "device",
    }
}
