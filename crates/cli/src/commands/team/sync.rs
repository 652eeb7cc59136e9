//! `boathook team sync`: gets what the team published.

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Get what the team published
///
/// Hooks that were got before stay in force when this fails. Exit code 1 when
/// nothing new could be had, and why.
#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    /// Ask now, even where the server asked to wait
    #[arg(long)]
    pub now: bool,
    /// Stay, and sync whenever something is published; ends with Ctrl-C
    #[arg(long)]
    pub watch: bool,
    /// Say nothing unless it fails
    #[arg(long)]
    pub quiet: bool,
}

pub fn sync(_ui: &mut Ui, _args: &SyncArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
