//! `boathook team admin device`: the machines that run the team's hooks.

use boathook_server::team::wire::Device;
use clap::Subcommand;

use super::desk::Desk;
use super::table::{Table, or_dash, time, time_or_dash};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// See which machines run the team's hooks, and revoke one
#[derive(Debug, clap::Args)]
pub struct DeviceArgs {
    #[command(subcommand)]
    command: DeviceCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum DeviceCommand {
    List(ListArgs),
    Revoke(RevokeArgs),
}

/// List the machines, and how their last sync went
#[derive(Debug, clap::Args)]
pub struct ListArgs {}

/// Revoke a machine: it gets nothing more
#[derive(Debug, clap::Args)]
pub struct RevokeArgs {
    /// Its name for the server, as `list` shows it
    id: String,
}

pub fn device(ui: &mut Ui, desk: &Desk, args: &DeviceArgs) -> Result<Status, Failed> {
    match &args.command {
        DeviceCommand::List(_) => list(ui, desk)?,
        DeviceCommand::Revoke(args) => {
            // It becomes a part of an address.
            if !args.id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
                let help = "`boathook team admin device list` shows them";
                return Err(Failed::other(format!("{:?} is no machine's name", args.id), help));
            }
            desk.delete(&format!("/api/v1/devices/{}", args.id))?;
            ui.say(&format!("{} is revoked; the hooks it has stay in force there", args.id));
        }
    }
    Ok(Status::Success)
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let devices: Vec<Device> = desk.get("/api/v1/devices")?;
    let head = ["ID", "NAME", "SYSTEM", "OF", "RELEASE", "LAST SYNC", "SEEN", "ADDED", "REVOKED"];
    let table = Table::of(head, &devices, |device| {
        let whose = device.member.map(|member| format!("member {member}"));
        let whose = whose.unwrap_or_else(|| if device.enrolled { "the team" } else { "-" }.to_owned());
        [
            device.id.clone(),
            device.name.clone(),
            device.os.clone(),
            whose,
            or_dash(device.last_report.as_ref().map(|report| report.release)),
            or_dash(device.last_report.as_ref().map(|report| report.code.clone())),
            time_or_dash(device.seen_at),
            time(device.added_at),
            time_or_dash(device.revoked_at),
        ]
    });
    desk.list(ui, &devices, table, "no machine signed in yet; `boathook team login` does")
}
