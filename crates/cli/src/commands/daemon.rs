//! `boathook daemon`: a process that stays, and answers events.

mod ask;
mod install;
mod status;
mod stop;
mod unit;

use clap::Subcommand;

pub use self::ask::{Asked, ask};
pub use self::unit::unit_files;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Answer events over a socket, for hosts in any language
///
/// Listens on a Unix socket in the state directory, on Windows on a named pipe,
/// until it is interrupted or told to stop; what runs then may finish within five
/// seconds. Hooks get the environment in which the daemon was started. One
/// JSON-RPC 2.0 object on each line: docs/manual/daemon.md says what can be asked.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct DaemonArgs {
    /// Answer over HTTP, too, at a port of the loopback [default: the one of the last time]
    #[arg(long, value_name = "PORT", num_args = 0..=1, value_parser = clap::value_parser!(u16).range(1..))]
    http: Option<Option<u16>>,
    #[command(subcommand)]
    command: Option<DaemonCommand>,
}

/// What is to be done with it.
#[derive(Debug, Subcommand)]
pub enum DaemonCommand {
    Status(StatusArgs),
    Stop(StopArgs),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
}

/// Say whether a daemon runs, and how it is
///
/// Exit code 1 when none runs, or when it does not answer.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Tell the daemon to end, and wait until it has
#[derive(Debug, clap::Args)]
pub struct StopArgs {}

pub fn daemon(ui: &mut Ui, global: &Global, args: &DaemonArgs) -> Result<Status, Failed> {
    match &args.command {
        Some(DaemonCommand::Install(args)) => install::install(ui, global, args),
        Some(DaemonCommand::Uninstall(args)) => install::uninstall(ui, args),
        None => crate::daemon::serve(ui, global, args.http).map(|()| Status::Success),
        Some(DaemonCommand::Status(args)) => status::status(ui, args.json),
        Some(DaemonCommand::Stop(_)) => stop::stop(ui),
    }
}

fn state() -> Result<std::path::PathBuf, Failed> {
    let no_home = || Failed::other("there is no home directory", "HOME must be an absolute path");
    crate::settings::dwelling().map(|dwelling| dwelling.state).ok_or_else(no_home)
}
