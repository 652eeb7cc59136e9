//! `boathook daemon`: a process that stays, and answers events.

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Answer events over a socket, for hosts in any language
///
/// Listens on a Unix socket in the state directory until it is interrupted.
/// One JSON-RPC 2.0 object on each line: docs/manual/daemon.md shows what can
/// be asked.
#[derive(Debug, clap::Args)]
pub struct DaemonArgs {}

#[cfg(unix)]
pub fn daemon(ui: &mut Ui, global: &Global, _args: &DaemonArgs) -> Result<Status, Failed> {
    crate::daemon::serve(ui, global).map(|()| Status::Success)
}

#[cfg(not(unix))]
pub fn daemon(_: &mut Ui, _: &Global, _: &DaemonArgs) -> Result<Status, Failed> {
    Err(Failed::other("there is no daemon for this system yet", "`boathook run` needs none"))
}
