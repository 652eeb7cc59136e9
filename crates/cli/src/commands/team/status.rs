//! `boathook team status`: whose hooks this machine runs, and how old they are.

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Show whose hooks this machine runs, and how old they are
///
/// Exit code 1 when this machine is in no team, when the last sync failed, when
/// the hooks are stale, or when somebody changed them here. Asks nothing of the
/// server.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn status(_ui: &mut Ui, _args: &StatusArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
