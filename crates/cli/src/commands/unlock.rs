//! `boathook unlock`: switch self-protection off for a limited time.

use std::io::{self, IsTerminal};
use std::time::Duration;

use boathook_engine::self_protection::unlock::{self, DEFAULT_MINUTES, MAX_MINUTES};
use boathook_engine::state::{StateDir, StateError};

use crate::Status;
use crate::args::Global;
use crate::commands::log::time::minute as local_time;
use crate::error::Failed;
use crate::settings::{agent_around, has_terminal, settings};
use crate::ui::Ui;

mod challenge;

/// How long the word that is shown may be typed back.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Let agents change hooks and settings that decide about them, for a while
///
/// Self-protection makes an agent ask before it changes user, team or enterprise
/// hooks and their scripts, Boathook's state, configuration or program, or the
/// entries that connect it. This command switches that off for a limited time, for
/// every agent of this user. It works only at a terminal, where it shows a random
/// word that is to be typed back within a minute; started by an agent or a hook, it
/// refuses. `self_protection = false` in config.toml switches the rule off for good.
#[derive(Debug, clap::Args)]
pub struct UnlockArgs {
    /// For how long: minutes, or a number with `m` or `h`; at most 8h [default: 15m]
    #[arg(long = "for", value_name = "TIME", value_parser = minutes, conflicts_with_all = ["lock", "status"])]
    minutes: Option<u64>,
    /// Switch self-protection on again at once
    #[arg(long, conflicts_with = "status")]
    lock: bool,
    /// Show whether self-protection is on; exit code 1 while it is off
    #[arg(long)]
    status: bool,
}

pub fn unlock(ui: &mut Ui, global: &Global, args: &UnlockArgs) -> Result<Status, Failed> {
    let settings = settings(ui, global, &[])?;
    let state = StateDir::new(settings.roots.state.clone());
    if args.lock {
        let was_off = unlock::until(&state).is_some();
        unlock::lock(&state).map_err(failed)?;
        ui.say(if was_off { "self-protection is on again" } else { "self-protection was on already" });
        return Ok(Status::Success);
    }
    if settings.self_protection.is_none() {
        ui.say("self-protection is switched off in config.toml (`self_protection = false`)");
        return Ok(if args.status { Status::Failure } else { Status::Success });
    }
    if args.status {
        let until = unlock::until(&state);
        match until {
            Some(until) => ui.say(&format!("self-protection is off until {}", local_time(until))),
            None => ui.say("self-protection is on"),
        }
        return Ok(if until.is_some() { Status::Failure } else { Status::Success });
    }
    require_person()?;
    let minutes = args.minutes.unwrap_or(DEFAULT_MINUTES);
    let word = challenge::word().map_err(|error| no_terminal(&error))?;
    let question = format!(
        "For {minutes} minutes, agents may change your hooks, Boathook's state and the settings that connect them.\nType `{word}` within {} seconds to confirm: ",
        ANSWER_TIMEOUT.as_secs()
    );
    let answer = challenge::ask(&question, ANSWER_TIMEOUT).map_err(|error| no_terminal(&error))?;
    if answer.as_deref().map(str::trim) != Some(word.as_str()) {
        ui.say(if answer.is_some() {
            "self-protection stays on"
        } else {
            "too late; self-protection stays on"
        });
        return Ok(Status::Failure);
    }
    let until = unlock::unlock(&state, minutes).map_err(failed)?;
    ui.say(&format!("self-protection is off until {}; `boathook unlock --lock` ends it", local_time(until)));
    Ok(Status::Success)
}

/// Refuses unless a person types: an agent must not unlock itself.
fn require_person() -> Result<(), Failed> {
    let help = "run `boathook unlock` in a terminal of your own, outside of the agent";
    if let Some(variable) = agent_around() {
        return Err(Failed::other(format!("an agent or a hook started this ({variable} is set)"), help));
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() || !has_terminal() {
        return Err(Failed::other("this is not a terminal", help));
    }
    Ok(())
}

fn no_terminal(error: &io::Error) -> Failed {
    Failed::other(
        format!("the terminal cannot be used: {error}"),
        "run `boathook unlock` in a terminal of your own",
    )
}

fn minutes(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.strip_suffix(['m', 'h']) {
        Some(number) if text.ends_with('h') => (number, 60),
        Some(number) => (number, 1),
        None => (text, 1),
    };
    let minutes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let minutes = minutes.filter(|minutes| (1..=MAX_MINUTES).contains(minutes));
    minutes.ok_or_else(|| "write a time from 1m to 8h, like 15m or 2h".to_owned())
}

fn failed(error: StateError) -> Failed {
    Failed::other(error.to_string(), "`boathook doctor` shows what is wrong with the state directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_and_bounded() {
        let cases =
            [("15m", Some(15)), ("15", Some(15)), ("2h", Some(120)), ("8h", Some(480)), ("480m", Some(480))];
        for (text, expected) in cases {
            assert_eq!(minutes(text).ok(), expected, "{text}");
        }
        for text in ["", "0m", "9h", "481", "-1", "m", "99999999999999999999h", "1d"] {
            assert!(minutes(text).is_err(), "{text}");
        }
    }
}
