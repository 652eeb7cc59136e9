//! `boathook team admin publish`: the draft becomes a release.

use boathook_server::team::wire::{Publish, Release};

use super::desk::Desk;
use super::release::say;
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Send the hooks of the draft to the team's machines
///
/// A release that begins with a part of the team (`--canary`, `--percent`) is
/// widened with `release advance` and taken back with `release halt`. It halts
/// by itself when too many machines fail to apply it.
#[derive(Debug, clap::Args)]
pub struct PublishArgs {
    /// What to say of it
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// To the canary group first; with `--percent`, to that share of the others, too
    #[arg(long)]
    canary: bool,
    /// To how many in a hundred machines [default: 100, with `--canary` 0]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    percent: Option<u8>,
}

pub fn publish(ui: &mut Ui, desk: &Desk, args: &PublishArgs) -> Result<Status, Failed> {
    let percent = args.percent.unwrap_or(if args.canary { 0 } else { 100 });
    let body = Publish { note: args.note.clone(), canary: args.canary, percent };
    let release: Release = desk.post("/api/v1/releases", &body)?;
    desk.show(ui, &release, |ui| say(ui, &release))?;
    Ok(Status::Success)
}
