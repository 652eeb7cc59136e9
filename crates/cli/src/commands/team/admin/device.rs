//! `boathook team admin device`: the machines that run the team's hooks.

use boathook_server::team::wire::{Device, Member, Report};
use clap::Subcommand;

use super::desk::Desk;
use super::member::whose;
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
            let devices: Vec<Device> = desk.get("/api/v1/devices")?;
            let before = devices.iter().find(|device| device.id == args.id);
            if let Some(when) = before.and_then(|device| device.revoked_at) {
                let text = format!("{} was revoked already, {}", args.id, time(when));
                desk.gone(ui, "revoked", &args.id, &text)?;
                return Ok(Status::Success);
            }
            desk.delete(&format!("/api/v1/devices/{}", args.id))?;
            let text = format!("{} is revoked; the hooks it has stay in force there", args.id);
            desk.gone(ui, "revoked", &args.id, &text)?;
        }
    }
    Ok(Status::Success)
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let devices: Vec<Device> = desk.get("/api/v1/devices")?;
    let members: Vec<Member> = desk.get("/api/v1/members").unwrap_or_default();
    let head = ["ID", "NAME", "SYSTEM", "OF", "RELEASE", "LAST SYNC", "SEEN", "ADDED", "REVOKED"];
    let table = Table::of(head, &devices, |device| {
        let owner = device.member.map(|member| whose(&members, member));
        let owner = owner.unwrap_or_else(|| if device.enrolled { "the team" } else { "-" }.to_owned());
        [
            device.id.clone(),
            device.name.clone(),
            device.os.clone(),
            owner,
            or_dash(device.last_report.as_ref().map(release)),
            or_dash(device.last_report.as_ref().map(went)),
            time_or_dash(device.seen_at),
            time(device.added_at),
            time_or_dash(device.revoked_at),
        ]
    });
    desk.list(ui, &devices, table, "no machine signed in yet; `boathook team login` does")
}

/// What a machine runs, as far as its last word tells: one that failed tried a
/// release and runs what it had before.
fn release(report: &Report) -> String {
    match (report.code.as_str(), report.release) {
        ("applied", number) => number.to_string(),
        (_, 0) => "as before".to_owned(),
        (_, number) => format!("not {number}"),
    }
}

fn went(report: &Report) -> String {
    match report.detail.is_empty() || report.code == "applied" {
        true => report.code.clone(),
        false => format!("{}: {}", report.code, report.detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_failed_is_not_shown_with_what_it_does_not_run() {
        let report = |code: &str, release| Report {
            sequence: 9,
            release,
            code: code.to_owned(),
            detail: "why".to_owned(),
        };
        let cases = [
            ("applied", 21, "21", "applied"),
            ("self_check", 21, "not 21", "self_check: why"),
            ("expired", 0, "as before", "expired: why"),
        ];
        for (code, number, runs, how) in cases {
            let report = report(code, number);
            assert_eq!((release(&report).as_str(), went(&report).as_str()), (runs, how));
        }
    }
}
