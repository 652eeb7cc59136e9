//! `boathook agent`: other agents, with the same hooks.

pub mod hook;
mod install;
mod status;
mod uninstall;
mod which;

use clap::Subcommand;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// The same hooks in other agents
///
/// An agent that is wired to Boathook runs `boathook agent hook NAME` at every
/// step, and is answered in its own words.
#[derive(Debug, clap::Args)]
pub struct AgentArgs {
    #[command(subcommand)]
    pub command: AgentCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum AgentCommand {
    Hook(hook::HookArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Status(status::StatusArgs),
}

pub fn agent(ui: &mut Ui, global: &Global, args: &AgentArgs) -> Result<Status, Failed> {
    match &args.command {
        AgentCommand::Hook(args) => hook::hook(ui, global, args),
        AgentCommand::Install(args) => install::install(ui, global, args),
        AgentCommand::Uninstall(args) => uninstall::uninstall(ui, global, args),
        AgentCommand::Status(args) => status::status(ui, global, args),
    }
}
