//! `boathook team admin publish`: the draft becomes a release.

use boathook_server::team::wire::{Publish, Release, ReleaseState};

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
    let before: Vec<Release> = desk.get("/api/v1/releases")?;
    let release: Release = desk.post("/api/v1/releases", &body)?;
    desk.show(ui, &release, |ui| say(ui, &release))?;
    doubts(&release, &before).iter().for_each(|doubt| ui.warning(doubt));
    Ok(Status::Success)
}

/// What is not wrong, and may not be meant.
fn doubts(release: &Release, before: &[Release]) -> Vec<String> {
    let mut doubts = Vec::new();
    if release.hooks.is_empty() {
        doubts.push("it has no hooks: a machine that gets it runs none of the team's".to_owned());
    }
    let live = before.iter().filter(|one| one.state != ReleaseState::Halted);
    if let Some(newest) = live.max_by_key(|one| one.number).filter(|newest| newest.hooks == release.hooks) {
        doubts.push(format!("it holds the same hooks as release {}", newest.number));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use boathook_engine::bundle::manifest::{Hook, Script};

    use super::*;

    fn release(number: i64, state: ReleaseState, scripts: &[&str]) -> Release {
        let hook = |name: &&str| Hook::plain(1, "stop", Script::of(name, name.as_bytes()));
        Release {
            number,
            state,
            canary: false,
            percent: 100,
            published_by: String::new(),
            published_at: 0,
            note: String::new(),
            restores: None,
            halted_because: None,
            hooks: scripts.iter().map(hook).collect(),
        }
    }

    #[test]
    fn a_release_that_changes_nothing_or_removes_everything_is_remarked() {
        let before = [release(1, ReleaseState::Stable, &["a"]), release(2, ReleaseState::Halted, &["b"])];
        let cases: [(&[&str], &str); 4] =
            [(&["c"], ""), (&["a"], "as release 1"), (&["b"], ""), (&[], "no hooks")];
        for (scripts, expected) in cases {
            let said = doubts(&release(3, ReleaseState::Stable, scripts), &before).join("; ");
            assert_eq!(said.is_empty(), expected.is_empty(), "{said}");
            assert!(said.contains(expected), "{said}");
        }
    }
}
