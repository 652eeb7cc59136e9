//! `boathook team admin`: writes and publishes a team's hooks from a terminal.

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write and publish the team's hooks, and invite members
#[derive(Debug, clap::Args)]
pub struct AdminArgs {}

pub fn admin(_ui: &mut Ui, _global: &Global, _args: &AdminArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
