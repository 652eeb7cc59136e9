//! `boathook team admin member`: who is in the team, and what they may do.

use boathook_server::team::wire::{
    AddedMember, MadeToken, Member, MemberChange, NewMember, NewToken, Role, Team, TokenKind,
};
use clap::{Subcommand, ValueEnum};

use super::desk::Desk;
use super::invitation::{self, Invitation};
use super::table::{Table, time};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Invite members, and say what they may do
#[derive(Debug, clap::Args)]
pub struct MemberArgs {
    #[command(subcommand)]
    command: MemberCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    Add(AddArgs),
    List(ListArgs),
    Role(RoleArgs),
    Canary(CanaryArgs),
    Remove(RemoveArgs),
}

/// What somebody may do, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleName {
    /// Runs the team's hooks
    Member,
    /// Reads everything, changes nothing
    Auditor,
    /// Writes and publishes hooks, invites members
    Admin,
    /// Also appoints admins and owners, and sets up the team
    Owner,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Role {
        match name {
            RoleName::Member => Role::Member,
            RoleName::Auditor => Role::Auditor,
            RoleName::Admin => Role::Admin,
            RoleName::Owner => Role::Owner,
        }
    }
}

/// The role's name, as it is typed.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Member => "member",
        Role::Auditor => "auditor",
        Role::Admin => "admin",
        Role::Owner => "owner",
    }
}

/// Add somebody, and print what they type to sign in
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The address
    email: String,
    /// What they may do
    #[arg(long, default_value = "member")]
    role: RoleName,
}

/// List the members
#[derive(Debug, clap::Args)]
pub struct ListArgs {}

/// Say what somebody may do
#[derive(Debug, clap::Args)]
pub struct RoleArgs {
    /// Their address, or their number
    member: String,
    /// What they may do
    role: RoleName,
}

/// Put somebody into the canary group, which gets releases first
#[derive(Debug, clap::Args)]
pub struct CanaryArgs {
    /// Their address, or their number
    member: String,
    /// Take them out of it
    #[arg(long)]
    off: bool,
}

/// Remove somebody; their tokens and machines end with that
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Their address, or their number
    member: String,
}

pub fn member(ui: &mut Ui, desk: &Desk, args: &MemberArgs) -> Result<Status, Failed> {
    match &args.command {
        MemberCommand::Add(args) => add(ui, desk, args)?,
        MemberCommand::List(_) => list(ui, desk)?,
        MemberCommand::Role(args) => {
            let change = MemberChange { role: Some(args.role.into()), canary: None };
            changed(ui, desk, &args.member, &change)?;
        }
        MemberCommand::Canary(args) => {
            let change = MemberChange { role: None, canary: Some(!args.off) };
            changed(ui, desk, &args.member, &change)?;
        }
        MemberCommand::Remove(args) => {
            let member = find(desk, &args.member)?;
            desk.delete(&format!("/api/v1/members/{}", member.id))?;
            let text = format!("{} is no longer a member", member.email);
            desk.gone(ui, "removed", member.id, &text)?;
        }
    }
    Ok(Status::Success)
}

fn add(ui: &mut Ui, desk: &Desk, args: &AddArgs) -> Result<(), Failed> {
    let body = NewMember { email: args.email.clone(), role: args.role.into() };
    let added: AddedMember = desk.post("/api/v1/members", &body)?;
    let team: Team = desk.get("/api/v1/team")?;
    let fingerprint = &team.root_fingerprint;
    let mut commands = vec![invitation::machine(desk, &added.sign_in_token, fingerprint)];
    // A sign-in token works once, so the second login has a token of its own.
    if invitation::administers(added.member.role) {
        let Member { id, role, .. } = added.member;
        let name = "team admin login".to_owned();
        let wanted =
            NewToken { kind: TokenKind::SignIn, name, role: Some(role), member: Some(id), days: None };
        let made: MadeToken = desk.post("/api/v1/tokens", &wanted)?;
        commands.push(invitation::desk(desk, &made.secret));
    }
    let whole = Invitation { made: &added, fingerprint, commands: &commands };
    desk.show(ui, &whole, |ui| {
        ui.line(&format!(
            "{} is {}; this is what they type, once:",
            added.member.email,
            role_name(added.member.role)
        ));
        commands.iter().for_each(|line| ui.line(line));
        if commands.len() > 1 {
            ui.hint("the first makes a machine one of the team's, the second is for `boathook team admin`");
        }
        invitation::say_authority(ui, desk);
    })
}

fn changed(ui: &mut Ui, desk: &Desk, who: &str, change: &MemberChange) -> Result<(), Failed> {
    let member = find(desk, who)?;
    let member: Member = desk.patch(&format!("/api/v1/members/{}", member.id), change)?;
    desk.show(ui, &member, |ui| {
        let canary = if member.canary { ", in the canary group" } else { "" };
        ui.line(&format!("{} is {}{canary}", member.email, role_name(member.role)));
    })
}

/// The address of a member; the number where it is not known.
pub fn whose(members: &[Member], id: i64) -> String {
    let found = members.iter().find(|member| member.id == id);
    found.map_or_else(|| format!("member {id}"), |member| member.email.clone())
}

/// By address or by number.
pub fn find(desk: &Desk, who: &str) -> Result<Member, Failed> {
    let members: Vec<Member> = desk.get("/api/v1/members")?;
    let named = |member: &Member| member.email.eq_ignore_ascii_case(who) || member.id.to_string() == who;
    members.into_iter().find(named).ok_or_else(|| {
        Failed::other(format!("{who} is not a member"), "`boathook team admin member list` shows who is")
    })
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let members: Vec<Member> = desk.get("/api/v1/members")?;
    let table = Table::of(["ID", "EMAIL", "ROLE", "CANARY", "ADDED"], &members, |member| {
        [
            member.id.to_string(),
            member.email.clone(),
            role_name(member.role).to_owned(),
            if member.canary { "yes" } else { "" }.to_owned(),
            time(member.added_at),
        ]
    });
    desk.list(ui, &members, table, "there is no member")
}
