//! The first-time notice: whoever works on this machine is told that a team's
//! hooks are in force, and is asked until there was an answer.
//!
//! The hooks apply at once; the notice holds nothing back. It is for people:
//! no pipe, no hook and no agent ever sees it.

use boathook_engine::ids::now_millis;
use boathook_engine::state::Durability;
use serde::{Deserialize, Serialize};

use super::view::View;
use super::words;
use super::{asking, hooks, logout};
use crate::fold::fold;
use crate::settings;
use crate::team::{Login, Place};
use crate::ui::{Ui, terminal_width};

const FILE: &str = "notice.json";

/// That somebody answered, and about whose hooks.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Answered {
    server: String,
    team: i64,
    repository: String,
    /// In milliseconds since 1970.
    at: i64,
}

/// What somebody may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Continue,
    View,
    LogOut,
}

/// Shows it where it is due. Nothing that goes wrong here may stop the command
/// that somebody typed.
pub fn show(ui: &mut Ui) {
    if !asking::somebody_is_there() {
        return;
    }
    let Some(place) = settings::team_place() else { return };
    let Ok(Some(login)) = Login::read(&place) else { return };
    if is_answered(&place, &login) {
        return;
    }
    let view = View::of(&place, login);
    if view.hooks.is_empty() {
        return;
    }
    ask(ui, &place, view);
}

/// Forgets that it was answered, because another team may come.
pub fn forget(place: &Place) {
    let _ = place.folder().remove("", FILE);
}

fn ask(ui: &mut Ui, place: &Place, view: View) {
    ui.say("");
    let number = words::hooks(view.hooks.len());
    let (are, they_see) = match view.hooks.len() {
        1 => ("is", "It sees"),
        _ => ("are", "They see"),
    };
    let (whose, server) = (view.login.called(), &view.login.server);
    for sentence in [
        format!(
            "This team uses admin-enabled hooks: {number} of {whose} ({server}) {are} in force on this machine."
        ),
        format!("{they_see} what your agents do, and may hold it back."),
    ] {
        fold(&sentence, terminal_width(), 0).lines().for_each(|line| ui.say(line));
    }
    loop {
        // What was typed before the question was meant for something else.
        asking::forget_typed();
        let typed = asking::line(ui, "[c]ontinue, [v]iew hooks, [l]og out? ");
        match typed.ok().as_deref().and_then(answer) {
            Some(Answer::View) => hooks::table(ui, &view),
            Some(Answer::Continue) => return remember(ui, place, &view.login),
            Some(Answer::LogOut) => {
                if let Err(failed) = logout::leave(ui, place, view.login) {
                    ui.failed(&failed);
                }
                return;
            }
            None => return ui.say("Not answered: this is asked again."),
        }
    }
}

fn answer(typed: &str) -> Option<Answer> {
    match typed.to_ascii_lowercase().as_str() {
        "c" | "continue" => Some(Answer::Continue),
        "v" | "view" | "view hooks" => Some(Answer::View),
        "l" | "log out" | "logout" => Some(Answer::LogOut),
        _ => None,
    }
}

fn is_answered(place: &Place, login: &Login) -> bool {
    let Ok(Some(bytes)) = place.folder().read("", FILE) else { return false };
    serde_json::from_slice::<Answered>(&bytes).is_ok_and(|answered| {
        answered.server == login.server
            && answered.team == login.team
            && answered.repository == login.repository
    })
}

fn remember(ui: &mut Ui, place: &Place, login: &Login) {
    let Login { server, team, repository, .. } = login.clone();
    let answered = Answered { server, team, repository, at: now_millis() };
    let text = serde_json::to_vec(&answered).unwrap_or_default();
    if let Err(error) = place.folder().write("", FILE, &text, Durability::Relaxed) {
        ui.warning(&format!("the answer could not be kept: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_is_one() {
        let cases = [
            ("c", Some(Answer::Continue)),
            ("Continue", Some(Answer::Continue)),
            ("V", Some(Answer::View)),
            ("l", Some(Answer::LogOut)),
            ("Log out", Some(Answer::LogOut)),
            ("", None),
            ("y", None),
            ("\u{4}", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(answer(typed), expected, "{typed:?}");
        }
    }
}
