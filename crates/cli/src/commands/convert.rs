//! `boathook convert`: hooks of other products, in Cursor's format.

mod hookify;
mod output;
mod script;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write hooks of other products in Cursor's format
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    Hookify(hookify::ConvertHookifyArgs),
}

pub fn convert(ui: &mut Ui, global: &Global, args: &ConvertArgs) -> Result<Status, Failed> {
    match &args.from {
        From::Hookify(args) => hookify::convert_hookify(ui, global, args),
    }
}
