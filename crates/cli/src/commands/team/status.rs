//! `boathook team status`: whose hooks this machine runs, and how old they are.

use boathook_engine::bundle::Age;
use boathook_engine::problem::{Problem, Severity};
use serde_json::{Value, json};

use super::view::{View, policy_word};
use super::words::{away, hooks, meaning, span};
use super::{here, notice};
use crate::Status;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::ui::Ui;

/// Show whose hooks this machine runs, and how old they are
///
/// Exit code 1 when this machine is in no team, when the last sync failed, when
/// the hooks are stale, or when somebody changed them here. Asks nothing of the
/// server.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub fn status(ui: &mut Ui, args: &StatusArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    let Some(login) = here::known(&place)? else {
        let stranded = here::Stranded::find(&place);
        let lines = stranded.map(|stranded| stranded.lines()).unwrap_or_default();
        if args.json {
            ui.json(&match lines.is_empty() {
                true => "{}".to_owned(),
                false => json!({ "stranded": lines }).to_string(),
            });
        } else if !lines.is_empty() {
            ui.say(here::STRANDED);
            lines.iter().for_each(|line| ui.warning(line));
            ui.help(here::Stranded::HELP);
        } else {
            ui.say("this machine is in no team");
            ui.hint("`boathook team login URL` with the address an admin gave you");
        }
        return Ok(Status::Failure);
    };
    let view = View::of(&place, login);
    let problems = view.problems();
    if args.json {
        ui.json(&as_json(&view, &problems).to_string());
    } else {
        lines(&view).iter().for_each(|line| ui.line(line));
        let mut texts = Texts::default();
        ui.as_data(|ui| problems.iter().for_each(|problem| report::problem(ui, problem, &mut texts)));
        notice::show(ui);
    }
    let wrong = problems.iter().any(|problem| problem.severity > Severity::Hint);
    Ok(if wrong { Status::Failure } else { Status::Success })
}

/// What there is to say, line by line; `doctor` says the same.
pub fn lines(view: &View) -> Vec<String> {
    let View { login, current, status, now, .. } = view;
    let whose = match (&login.email, login.enrolled) {
        (_, true) => " (enrolled: it belongs to the team)".to_owned(),
        (Some(email), false) => format!(" of {email}"),
        (None, false) => String::new(),
    };
    let mut lines = vec![
        format!("server      {}", login.server),
        match &login.name {
            Some(name) => format!("team        «{name}» (number {})", login.team),
            None => format!("team        {}", login.team),
        },
        format!("device      {}{whose}", login.device),
    ];
    lines.push(match current {
        Some(current) => format!(
            "release     {} (sequence {}), {}",
            current.release,
            current.sequence,
            hooks(view.hooks.len())
        ),
        None if view.lost.is_some() => {
            "release     gone: its hooks were removed from this machine".to_owned()
        }
        None => "release     none yet".to_owned(),
    });
    lines.extend(age_line(view));
    let Some(status) = status else {
        lines.push("synced      never".to_owned());
        return lines;
    };
    lines.push(match status.succeeded_at {
        Some(moment) => format!("synced      {}", away(moment, *now)),
        None => "synced      never".to_owned(),
    });
    let means = meaning(&status.code).map_or("", |meaning| meaning.means_with(current.is_some()));
    lines.push(format!("last try    {}: {} ({means})", away(status.tried_at, *now), status.code));
    lines.push(match status.next_at {
        next if next > *now => format!("next try    {}", away(next, *now)),
        _ => "next try    due".to_owned(),
    });
    lines
}

fn age_line(view: &View) -> Option<String> {
    let (age, fresh) = (view.age?, view.fresh?);
    Some(match age {
        Age::Fresh => format!("signed      good for {}", span(fresh.until.saturating_sub(view.now))),
        Age::Stale(_) => format!("signed      stale: expired {}", away(fresh.until, view.now)),
        Age::TooOld(_, policy) => {
            format!(
                "signed      too old: expired {}; policy {}",
                away(fresh.until, view.now),
                policy_word(policy)
            )
        }
    })
}

/// The same as data.
pub fn as_json(view: &View, problems: &[Problem]) -> Value {
    let View { login, current, status, .. } = view;
    let (age, policy) = match view.age {
        None => ("unknown", None),
        Some(Age::Fresh) => ("fresh", None),
        Some(Age::Stale(_)) => ("stale", None),
        Some(Age::TooOld(_, policy)) => ("too_old", Some(policy_word(policy))),
    };
    json!({
        "server": login.server,
        "team": login.team,
        "name": login.name,
        "repository": login.repository,
        "channel": login.channel,
        "device": login.device,
        "email": login.email,
        "enrolled": login.enrolled,
        "fingerprint": login.fingerprint,
        "release": current.as_ref().map(|current| current.release),
        "sequence": current.as_ref().map(|current| current.sequence),
        "hooks": view.hooks.len(),
        "age": age,
        "policy": policy,
        "good_until": view.fresh.map(|fresh| fresh.until),
        "last_sync": status,
        "tampered": view.tampered.iter().map(|it| format!("{} {}", it.file, it.fault)).collect::<Vec<_>>(),
        "lost": view.lost.is_some(),
        "problems": problems.iter().map(report::problem_json).collect::<Vec<_>>(),
    })
}
