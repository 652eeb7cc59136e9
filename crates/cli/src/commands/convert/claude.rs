//! `boathook convert claude`: the hooks of Claude Code's settings.

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write the hooks of Claude Code's settings into a hooks.json
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub struct ClaudeArgs {
    /// Convert ~/.claude/settings.json into ~/.cursor/hooks.json
    #[arg(long)]
    user: bool,
    /// Convert the workspace's settings into its .cursor/hooks.json [default]
    #[arg(long)]
    project: bool,
}

pub fn convert(_ui: &mut Ui, _global: &Global, args: &ClaudeArgs) -> Result<Status, Failed> {
    let whose = if args.user && !args.project { "user" } else { "project" };
    Err(Failed::other(format!("the {whose}'s settings cannot be converted yet"), "run them as they are"))
}
