//! `boathook team admin release`: what was published, and how far it goes.

use boathook_server::team::wire::{Advance, Halt, Release, ReleaseState};
use clap::Subcommand;

use super::desk::Desk;
use super::meaning;
use super::table::{Table, time};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// See, widen, halt and restore releases
#[derive(Debug, clap::Args)]
pub struct ReleaseArgs {
    #[command(subcommand)]
    command: ReleaseCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum ReleaseCommand {
    List(ListArgs),
    Show(ShowArgs),
    Advance(AdvanceArgs),
    Halt(HaltArgs),
    Restore(RestoreArgs),
}

/// List the releases, the newest first
#[derive(Debug, clap::Args)]
pub struct ListArgs {}

/// Show the hooks of a release
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Its number
    number: i64,
}

/// Give a release to more of the team
#[derive(Debug, clap::Args)]
pub struct AdvanceArgs {
    /// Its number
    number: i64,
    /// To how many in a hundred machines; 100 makes it everybody's
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100), default_value_t = 100)]
    percent: u8,
}

/// Stop a release: machines that have it go back
#[derive(Debug, clap::Args)]
pub struct HaltArgs {
    /// Its number
    number: i64,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "")]
    reason: String,
}

/// Publish what an earlier release held, as a new release
#[derive(Debug, clap::Args)]
pub struct RestoreArgs {
    /// The number of the earlier one
    number: i64,
}

pub fn release(ui: &mut Ui, desk: &Desk, args: &ReleaseArgs) -> Result<Status, Failed> {
    let path = |number: i64| format!("/api/v1/releases/{number}");
    let release: Release = match &args.command {
        ReleaseCommand::List(_) => {
            list(ui, desk)?;
            return Ok(Status::Success);
        }
        ReleaseCommand::Show(args) => {
            show(ui, desk, &desk.get(&path(args.number))?)?;
            return Ok(Status::Success);
        }
        ReleaseCommand::Advance(args) => {
            desk.post(&format!("{}/advance", path(args.number)), &Advance { percent: args.percent })?
        }
        ReleaseCommand::Halt(args) => {
            desk.post(&format!("{}/halt", path(args.number)), &Halt { reason: args.reason.clone() })?
        }
        ReleaseCommand::Restore(args) => {
            desk.post(&format!("{}/restore", path(args.number)), &serde_json::json!({}))?
        }
    };
    desk.show(ui, &release, |ui| say(ui, &release))?;
    Ok(Status::Success)
}

/// How a release stands.
pub fn say(ui: &mut Ui, release: &Release) {
    let hooks = match release.hooks.len() {
        1 => "1 hook".to_owned(),
        many => format!("{many} hooks"),
    };
    ui.line(&format!("release {}: {hooks}, {}", release.number, standing(release)));
    match release.state {
        ReleaseState::Waiting => {
            ui.hint("`boathook team admin sign` adds a signature; it goes out with enough of them")
        }
        ReleaseState::Rolling => {
            let next = format!("boathook team admin release advance {}", release.number);
            ui.hint(&format!(
                "`{next}` gives it to everybody, `release halt {}` takes it back",
                release.number
            ));
        }
        ReleaseState::Stable | ReleaseState::Halted | ReleaseState::Superseded => {}
    }
}

fn standing(release: &Release) -> String {
    match (release.state, release.canary) {
        (ReleaseState::Waiting, _) => "waits for signatures".to_owned(),
        (ReleaseState::Rolling, true) => format!("canary group and {} %", release.percent),
        (ReleaseState::Rolling, false) => format!("{} %", release.percent),
        (ReleaseState::Stable, _) => "everybody".to_owned(),
        (ReleaseState::Halted, _) => match &release.halted_because {
            Some(why) if !why.is_empty() => format!("halted: {why}"),
            _ => "halted".to_owned(),
        },
        (ReleaseState::Superseded, _) => "superseded".to_owned(),
    }
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let mut releases: Vec<Release> = desk.get("/api/v1/releases")?;
    releases.sort_by_key(|release| std::cmp::Reverse(release.number));
    let head = ["RELEASE", "STATE", "HOOKS", "PUBLISHED", "BY", "NOTE"];
    let table = Table::of(head, &releases, |release| {
        [
            release.number.to_string(),
            standing(release),
            release.hooks.len().to_string(),
            time(release.published_at),
            release.published_by.clone(),
            noted(release),
        ]
    });
    desk.list(ui, &releases, table, "nothing was published yet; `publish` does")
}

/// What was said of it; that it restores another is said once.
fn noted(release: &Release) -> String {
    match release.restores {
        Some(number) if release.note.is_empty() => format!("restores release {number}"),
        Some(_) | None => release.note.clone(),
    }
}

fn show(ui: &mut Ui, desk: &Desk, release: &Release) -> Result<(), Failed> {
    desk.show(ui, release, |ui| {
        say(ui, release);
        for hook in &release.hooks {
            ui.line(&format!("{} {:?} (hook {})", hook.event, hook.script.name, hook.id));
            ui.line(&format!("  sha256 {}", hook.script.sha256));
            ui.line(&format!("  {}", meaning::said(&meaning::options(hook))));
        }
    })
}
