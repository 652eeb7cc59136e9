//! `boathook team hooks`: what the team's hooks are.

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Show the team's hooks, and their scripts
#[derive(Debug, clap::Args)]
pub struct HooksArgs {
    /// Print this script
    #[arg(long, value_name = "NAME")]
    pub show: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "show")]
    pub json: bool,
}

pub fn hooks(_ui: &mut Ui, _args: &HooksArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
