//! `boathook team logout`: this machine leaves its team.

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Leave the team: its hooks no longer run here
///
/// Revokes this machine's token at the server, when that can be reached, and
/// removes the team's hooks. A machine that was enrolled by the team keeps them.
#[derive(Debug, clap::Args)]
pub struct LogoutArgs {}

pub fn logout(_ui: &mut Ui, _args: &LogoutArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
