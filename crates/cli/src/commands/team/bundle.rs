//! `boathook team bundle`: a team's hooks as files, for machines that are managed otherwise.

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write the team's hooks as files for machines that are managed otherwise
#[derive(Debug, clap::Args)]
pub struct BundleArgs {}

pub fn bundle(_ui: &mut Ui, _global: &Global, _args: &BundleArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
