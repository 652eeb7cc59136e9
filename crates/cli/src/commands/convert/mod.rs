//! `boathook convert`: hooks that were written for another product, as a Cursor hooks.json.

mod claude;
mod hookify;
mod output;
mod script;

use clap::Subcommand;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write a Cursor hooks.json from hooks of another product
///
/// An existing hooks.json keeps its entries, its order and its comments; what
/// stands in it already is not written again. What has no counterpart is
/// reported with its line, and not written.
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    #[command(subcommand)]
    from: Origin,
}

/// Where the hooks come from.
#[derive(Debug, Subcommand)]
enum Origin {
    Claude(claude::ClaudeArgs),
    Hookify(hookify::ConvertHookifyArgs),
}

pub fn convert(ui: &mut Ui, global: &Global, args: &ConvertArgs) -> Result<Status, Failed> {
    match &args.from {
        Origin::Claude(args) => claude::convert(ui, global, args),
        Origin::Hookify(args) => hookify::convert_hookify(ui, global, args),
    }
}
