//! `boathook team sync`: gets what the team published.

use std::thread;
use std::time::Duration;

use boathook_engine::ids::now_millis;
use boathook_engine::run::{Cancel, cancel_on_signals};

use super::words::{away, meaning};
use super::{here, notice};
use crate::Status;
use crate::error::Failed;
use crate::team::follow::{Follower, is_due};
use crate::team::{self, How, Login, Place};
use crate::ui::Ui;

/// Get what the team published
///
/// Hooks that were got before stay in force when this fails. Exit code 1 when
/// the team's newest word could not be had or not be used, and why.
#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    /// Ask now, even where the server wants to be left alone
    #[arg(long)]
    pub now: bool,
    /// Stay, and sync whenever something is published; ends with Ctrl-C
    #[arg(long, conflicts_with = "quiet")]
    pub watch: bool,
    /// Say nothing, and do nothing before it is due
    #[arg(long)]
    pub quiet: bool,
}

/// One question for news waits so long on the server's side.
const PATIENCE: Duration = Duration::from_secs(50);
/// How often it is looked whether to end.
const LOOK_UP: Duration = Duration::from_millis(100);

pub fn sync(ui: &mut Ui, args: &SyncArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    if args.quiet {
        return quiet(&place, args.now);
    }
    let login = here::member(&place)?;
    if !args.now
        && let Some(wait) = wait_of(&place)
    {
        ui.say(&format!("after the last failure the next try is {wait}"));
        ui.hint("`boathook team sync --now` asks at once");
        return Ok(Status::Failure);
    }
    let status = team::sync(&place, &login, How::Now);
    let result = told(ui, &status);
    if args.watch {
        watch(ui, &place, &login, &cancel_on_signals());
        return Ok(Status::Success);
    }
    notice::show(ui);
    Ok(result)
}

/// What runs in the background: nobody reads it, and it never asks too often.
fn quiet(place: &Place, now: bool) -> Result<Status, Failed> {
    let Some(login) = here::known(place)? else { return Ok(Status::Success) };
    let due = is_due(team::Status::read(place).as_ref(), now_millis());
    if !now && !due {
        return Ok(Status::Success);
    }
    let status = team::sync(place, &login, How::Poll);
    Ok(if status.is_good() { Status::Success } else { Status::Failure })
}

/// Until when the server is left alone after a failure.
fn wait_of(place: &Place) -> Option<String> {
    let (status, now) = (team::Status::read(place)?, now_millis());
    (status.failures > 0 && status.next_at > now).then(|| away(status.next_at, now))
}

/// Says how a sync went.
pub fn told(ui: &mut Ui, status: &team::Status) -> Status {
    let known = meaning(&status.code);
    let in_force = status.release.is_some();
    let means = known.map_or("the sync failed", |meaning| meaning.means_with(in_force));
    let release = status.release.map_or(String::new(), |release| format!(": release {release}"));
    if status.is_good() {
        ui.say(&format!("{means}{release}"));
        return Status::Success;
    }
    let detail = if status.detail.is_empty() { String::new() } else { format!("\n{}", status.detail) };
    ui.error(&format!("{means} ({}){detail}", status.code));
    known.and_then(|meaning| meaning.help_with(in_force)).iter().for_each(|help| ui.help(help));
    if let Some(release) = status.release {
        ui.say(&format!("release {release} stays in force"));
    }
    Status::Failure
}

/// Holds the server's hints in the foreground.
fn watch(ui: &mut Ui, place: &Place, login: &Login, ending: &Cancel) {
    ui.say("waiting for what is published; Ctrl-C ends it");
    let (place, login, ending) = (place.clone(), login.clone(), ending.clone());
    let colour = ui.colour();
    let follower = Follower { place, login, patience: PATIENCE };
    let gone = ending.clone();
    // A question for news may wait for a minute, and nobody waits for that when
    // it should end: the thread ends with the process.
    thread::spawn(move || {
        let mut ui = Ui::new(colour);
        follower.run(false, &gone, |status| {
            told(&mut ui, status);
        });
    });
    while !ending.is_cancelled() {
        thread::sleep(LOOK_UP);
    }
}
