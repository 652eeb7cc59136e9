//! `boathook team admin`: writes and publishes a team's hooks from a terminal
//! or a script.

mod desk;
mod device;
mod draft;
mod hook;
mod in_force;
mod invitation;
mod key_file;
mod login;
mod meaning;
mod member;
mod publish;
mod release;
mod settings;
mod signing;
mod table;
mod token;

use clap::Subcommand;

use self::desk::{At, Desk};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Write and publish the team's hooks, and invite members
///
/// Who you are to the server is what `team admin login` stored; or `--server`
/// with a token from `--token-file` or from the variable BOATHOOK_ADMIN_TOKEN,
/// for scripts. Nothing reaches a machine before `publish`.
#[derive(Debug, clap::Args)]
pub struct AdminArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: AdminCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    Login(login::LoginArgs),
    Logout(login::LogoutArgs),
    Hook(hook::HookArgs),
    Publish(publish::PublishArgs),
    Release(release::ReleaseArgs),
    Member(member::MemberArgs),
    Token(token::TokenArgs),
    Device(device::DeviceArgs),
    Settings(settings::SettingsArgs),
    Key(signing::KeyArgs),
    Strict(signing::StrictArgs),
    Sign(signing::SignArgs),
}

pub fn admin(ui: &mut Ui, args: &AdminArgs) -> Result<Status, Failed> {
    let desk = match &args.command {
        AdminCommand::Login(login) => return login::login(ui, &args.at, login),
        AdminCommand::Logout(_) => return login::logout(ui, &args.at),
        AdminCommand::Key(key) => match signing::key_alone(ui, key, args.at.json)? {
            Some(status) => return Ok(status),
            None => Desk::open(&args.at)?,
        },
        _ => Desk::open(&args.at)?,
    };
    match &args.command {
        AdminCommand::Login(_) | AdminCommand::Logout(_) => Ok(Status::Success),
        AdminCommand::Hook(args) => hook::hook(ui, &desk, args),
        AdminCommand::Publish(args) => publish::publish(ui, &desk, args),
        AdminCommand::Release(args) => release::release(ui, &desk, args),
        AdminCommand::Member(args) => member::member(ui, &desk, args),
        AdminCommand::Token(args) => token::token(ui, &desk, args),
        AdminCommand::Device(args) => device::device(ui, &desk, args),
        AdminCommand::Settings(args) => settings::settings(ui, &desk, args),
        AdminCommand::Key(_) => signing::key(ui, &desk),
        AdminCommand::Strict(args) => signing::strict(ui, &desk, args),
        AdminCommand::Sign(args) => signing::sign(ui, &desk, args),
    }
}
