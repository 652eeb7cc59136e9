//! `boathook team`: hooks that a team's server publishes, on this machine.

mod admin;
mod asking;
pub mod background;
mod browser;
mod bundle;
mod callback;
mod fingerprint;
pub mod here;
mod hooks;
mod login;
mod logout;
pub mod notice;
pub mod status;
mod sync;
pub mod view;
pub mod words;

use clap::Subcommand;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// The hooks of a team, on this machine
///
/// A team's hooks are written once on its server, signed, and run on the machine
/// of every member. docs/manual/team.md says what happens and what is sent.
#[derive(Debug, clap::Args)]
pub struct TeamArgs {
    #[command(subcommand)]
    pub command: TeamCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum TeamCommand {
    Login(login::LoginArgs),
    Logout(logout::LogoutArgs),
    Sync(sync::SyncArgs),
    Status(status::StatusArgs),
    Hooks(hooks::HooksArgs),
    Bundle(bundle::BundleArgs),
    Admin(admin::AdminArgs),
}

pub fn team(ui: &mut Ui, global: &Global, args: &TeamArgs) -> Result<Status, Failed> {
    match &args.command {
        TeamCommand::Login(args) => login::login(ui, args),
        TeamCommand::Logout(args) => logout::logout(ui, args),
        TeamCommand::Sync(args) => sync::sync(ui, args),
        TeamCommand::Status(args) => status::status(ui, args),
        TeamCommand::Hooks(args) => hooks::hooks(ui, args),
        TeamCommand::Bundle(args) => bundle::bundle(ui, global, args),
        TeamCommand::Admin(args) => admin::admin(ui, args),
    }
}
