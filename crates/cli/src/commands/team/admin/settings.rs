//! `boathook team admin settings`: what holds for the whole team.

use boathook_engine::bundle::manifest::{Stale, StalePolicy};
use boathook_server::team::wire::{Mode, Team, TeamChange};
use clap::{Subcommand, ValueEnum};

use super::desk::Desk;
use super::member::role_name;
use crate::Status;
use crate::commands::team::words::counted;
use crate::error::Failed;
use crate::ui::Ui;

/// See and set what holds for the whole team
#[derive(Debug, clap::Args)]
pub struct SettingsArgs {
    #[command(subcommand)]
    command: SettingsCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum SettingsCommand {
    Show(ShowArgs),
    Set(SetArgs),
}

/// Show the team, its fingerprint, and what you may do
#[derive(Debug, clap::Args)]
pub struct ShowArgs {}

/// What machines do when their hooks are old, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// Go on, and say so
    Warn,
    /// Every gate asks
    Ask,
    /// Every gate refuses
    Deny,
}

/// Change settings; what is not said stays
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
pub struct SetArgs {
    /// The team's name
    #[arg(long)]
    name: Option<String>,
    /// What machines do that heard nothing new for too long
    #[arg(long, value_name = "POLICY")]
    stale_policy: Option<PolicyName>,
    /// How many days that is
    #[arg(long, value_name = "DAYS")]
    stale_days: Option<u32>,
    /// A release halts when so many in a hundred of the machines that tried it failed
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    halt_percent: Option<u8>,
    /// But not before so many machines failed
    #[arg(long, value_name = "COUNT")]
    halt_least: Option<u32>,
}

pub fn settings(ui: &mut Ui, desk: &Desk, args: &SettingsArgs) -> Result<Status, Failed> {
    let team: Team = match &args.command {
        SettingsCommand::Show(_) => desk.get("/api/v1/team")?,
        SettingsCommand::Set(args) => desk.patch("/api/v1/team", &change(desk, args)?)?,
    };
    desk.show(ui, &team, |ui| say(ui, &team))?;
    Ok(Status::Success)
}

fn change(desk: &Desk, args: &SetArgs) -> Result<TeamChange, Failed> {
    let stale = match (args.stale_policy, args.stale_days) {
        (None, None) => None,
        // One of the two alone leaves the other as it is.
        (policy, days) => {
            let now = desk.get::<Team>("/api/v1/team")?.stale;
            let policy = policy.map(|policy| match policy {
                PolicyName::Warn => StalePolicy::Warn,
                PolicyName::Ask => StalePolicy::Ask,
                PolicyName::Deny => StalePolicy::Deny,
            });
            Some(Stale { days: days.unwrap_or(now.days), policy: policy.unwrap_or(now.policy) })
        }
    };
    let SetArgs { name, halt_percent, halt_least, .. } = args;
    Ok(TeamChange { name: name.clone(), stale, halt_percent: *halt_percent, halt_least: *halt_least })
}

fn say(ui: &mut Ui, team: &Team) {
    let mode = match team.mode {
        Mode::Easy => "the server signs",
        Mode::Strict => "admins sign",
    };
    let policy = match team.stale.policy {
        StalePolicy::Warn => "warn",
        StalePolicy::Ask => "ask",
        StalePolicy::Deny => "deny",
    };
    for (name, value) in [
        ("team", format!("{} (number {})", team.name, team.id)),
        ("fingerprint", team.root_fingerprint.clone()),
        ("signing", mode.to_owned()),
        ("stale", format!("{policy} after {}", counted(u64::from(team.stale.days), "day"))),
        ("halt", format!("at {} %, from {} machines on", team.halt_percent, team.halt_least)),
        ("you", format!("{} ({})", team.email.as_deref().unwrap_or("a token"), role_name(team.role))),
    ] {
        ui.line(&format!("{name:12} {value}"));
    }
}
