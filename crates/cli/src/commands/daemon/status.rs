//! `boathook daemon status`: whether one runs, and how it is.

use std::time::Duration;

use boathook_engine::remote::seat;
use boathook_engine::remote::verbs;

use super::ask::{Asked, ask};
use super::state;
use crate::Status;
use crate::error::Failed;
use crate::http_address::HttpAddress;
use crate::ui::Ui;

/// A daemon that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(5);

pub fn status(ui: &mut Ui, json: bool) -> Result<Status, Failed> {
    let state = state()?;
    let answer = match ask(&state, "status", PATIENCE) {
        Asked::Answer(answer) => answer,
        Asked::Nobody => return nobody(ui, &state, json),
        Asked::Trouble(trouble) => {
            return Err(Failed::other(trouble, "`boathook daemon stop` ends it"));
        }
    };
    if json {
        ui.json(&answer);
        return Ok(Status::Success);
    }
    let wrong = |error| Failed::other(format!("the daemon's answer: {error}"), "start it anew");
    tell(ui, &serde_json::from_str(&answer).map_err(wrong)?);
    Ok(Status::Success)
}

fn nobody(ui: &mut Ui, state: &std::path::Path, json: bool) -> Result<Status, Failed> {
    if json {
        ui.json("{}");
    }
    match seat::holder(state).ok().flatten() {
        Some(pid) => {
            let who = pid.map_or("a process".to_owned(), |pid| format!("process {pid}"));
            ui.say(&format!("{who} holds the place of the daemon and does not listen: it begins or ends"));
        }
        None => {
            ui.say("no daemon runs");
            ui.hint("`boathook daemon` starts one, `boathook daemon install` has your system start it");
        }
    }
    Ok(Status::Failure)
}

fn tell(ui: &mut Ui, status: &verbs::Status) {
    ui.line(&format!("process     {}, version {}", status.pid, status.version));
    ui.line(&format!("up for      {}", span(status.uptime)));
    ui.line(&format!("state       {}", status.state.display()));
    if let Some(address) = &status.http {
        ui.line(&format!("http        {address}"));
        ui.line(&format!("token       in {}", HttpAddress::file(&status.state).display()));
    }
    ui.line(&format!(
        "requests    {}, {} at work, {} waiting",
        status.requests, status.in_flight, status.waiting
    ));
    ui.line(&format!("connected   {}, {} following the log", status.connections, status.subscribers));
    if status.kept > 0 {
        let processes = if status.kept == 1 { "process" } else { "processes" };
        ui.line(&format!("kept        {} {processes} of hooks", status.kept));
    }
    if let Some(team) = &status.team {
        ui.line(&format!("team        {team}"));
    }
    for workspace in &status.workspaces {
        ui.line(&format!("workspace   {}", workspace.display()));
    }
    for broken in &status.broken {
        let force = if broken.last_good { "its last good copy is in force" } else { "none of its hooks run" };
        ui.warning(&format!("{}: {}; {force}", broken.file.display(), broken.reason));
    }
    if status.version != env!("CARGO_PKG_VERSION") {
        ui.warning(&format!("this is version {}: it does not ask that daemon", env!("CARGO_PKG_VERSION")));
        ui.help("`boathook daemon stop`, and start it anew");
    }
}

fn span(seconds: f64) -> String {
    match seconds as u64 {
        seconds @ ..60 => format!("{seconds} s"),
        seconds @ ..3_600 => format!("{} min", seconds / 60),
        seconds @ ..86_400 => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
        seconds => format!("{} days {} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}
