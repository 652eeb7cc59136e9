//! How this machine stands with its team: what is on the disk, read once, for
//! all commands that show something of it. Asks nothing of any server.

use std::collections::BTreeSet;

use boathook_engine::bundle::{Age, Current, Fault, Fresh, Managed, Tampered};
use boathook_engine::config;
use boathook_engine::definition::Definition;
use boathook_engine::edition::Edition;
use boathook_engine::ids::now_millis;
use boathook_engine::problem::Problem;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner};

use super::words::{away, meaning};
use crate::team::{Login, Place, Status};

/// What was found.
pub struct View {
    pub login: Login,
    /// How the last sync went.
    pub status: Option<Status>,
    /// The generation in force.
    pub current: Option<Current>,
    /// How old the newest signed word is.
    pub age: Option<Age>,
    pub fresh: Option<Fresh>,
    pub tampered: Vec<Tampered>,
    /// Why the next sync could not keep what it gets.
    pub unwritable: Option<String>,
    /// What is wrong, when no generation is in force and one must be.
    pub lost: Option<Fault>,
    /// Whether hooks are in force and their folder does not say whose it is.
    pub unmarked: bool,
    /// The hooks in force.
    pub hooks: Vec<Definition>,
    pub now: i64,
}

impl View {
    /// Of a machine that is in this team.
    pub fn of(place: &Place, login: Login) -> View {
        let managed = Managed::of(&place.home, login.team);
        let (current, fresh, now) = (managed.current(), managed.fresh(), now_millis());
        let tampered = managed.tampered();
        let status = Status::read(place).filter(|status| status.team == login.team);
        View {
            hooks: current.as_ref().map(hooks_of).unwrap_or_default(),
            age: fresh.map(|fresh| fresh.age(now)),
            unwritable: place.probe().err().map(|error| error.to_string()),
            unmarked: current.is_some() && managed.marker().is_none(),
            lost: place.lost().filter(|_| tampered.is_empty()),
            tampered,
            login,
            status,
            current,
            fresh,
            now,
        }
    }

    /// Everything a person should do something about.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.sync_problem().into_iter().collect();
        problems.extend(self.unwritable.iter().map(|why| {
            let message = format!("nothing new can be got: {why}");
            let problem = Problem::warning("team-sync", message);
            match meaning("disk").and_then(|meaning| meaning.help) {
                Some(help) => problem.help(help),
                None => problem,
            }
        }));
        problems.extend(self.age_problem());
        problems.extend(self.marker_problem());
        problems.extend(self.lost.iter().map(|fault| {
            let message = match fault {
                Fault::Changed => {
                    "team hooks were changed on this machine: their seal is not the one that was installed"
                }
                _ => "the team's hooks are gone from this machine: somebody removed them",
            };
            Problem::error("tampered", message).help("`boathook team sync --now` puts them back")
        }));
        problems.extend(self.tampered.iter().map(|tampered| {
            let message =
                format!("team hooks were changed on this machine: {} {}", tampered.file, tampered.fault);
            Problem::error("tampered", message).help("`boathook team sync --now` puts them right")
        }));
        problems
    }

    /// What is wrong with the last sync.
    pub fn sync_problem(&self) -> Option<Problem> {
        let Some(status) = &self.status else {
            let message = "the team's hooks were never got";
            return Some(Problem::warning("team-sync", message).help("`boathook team sync` gets them"));
        };
        if status.is_good() || status.code == "stale" {
            return None;
        }
        let known = meaning(&status.code);
        let means =
            known.map_or("the last sync failed", |meaning| meaning.means_with(self.current.is_some()));
        let detail = if status.detail.is_empty() { String::new() } else { format!(": {}", status.detail) };
        let tried = away(status.tried_at, self.now);
        let message =
            format!("the last sync with the team's server failed {tried} ({}): {means}{detail}", status.code);
        let problem = Problem::warning("team-sync", message);
        Some(match known.and_then(|meaning| meaning.help_with(self.current.is_some())) {
            Some(help) => problem.help(help),
            None => problem,
        })
    }

    /// That the folder lost its marker.
    pub fn marker_problem(&self) -> Option<Problem> {
        let message = "the folder of the team's hooks lost the marker that says whose it is";
        let problem = Problem::warning("team-marker", message);
        self.unmarked.then(|| problem.help("`boathook team sync` puts it back"))
    }

    fn age_problem(&self) -> Option<Problem> {
        let (days, then) = match self.age? {
            Age::Fresh => return None,
            Age::Stale(days) => (days, "they stay in force".to_owned()),
            Age::TooOld(days, policy) => (days, format!("the team's policy is `{}`", policy_word(policy))),
        };
        let since = away(0, days.saturating_mul(86_400_000));
        let message = format!("the team's hooks are stale: the newest signed word expired {since}; {then}");
        let help =
            "`boathook team sync --now` asks the server; when that does not help, tell an admin of the team";
        Some(Problem::warning("team-stale", message).help(help))
    }

    /// The names of the scripts in force.
    pub fn scripts(&self) -> BTreeSet<&str> {
        let files = self.current.iter().flat_map(|current| current.seal.files.keys());
        files.map(String::as_str).filter(|name| *name != "hooks.json").collect()
    }
}

/// The word of a policy, as the manifest spells it.
pub fn policy_word(policy: boathook_engine::bundle::manifest::StalePolicy) -> &'static str {
    use boathook_engine::bundle::manifest::StalePolicy;
    match policy {
        StalePolicy::Warn => "warn",
        StalePolicy::Ask => "ask",
        StalePolicy::Deny => "deny",
    }
}

/// The hooks of a generation; what does not fit its seal says nothing.
fn hooks_of(current: &Current) -> Vec<Definition> {
    let Ok(read) = read_file::read(&current.folder.join("hooks.json"), CONFIG_LIMIT, Owner::UserOrRoot)
    else {
        return Vec::new();
    };
    config::read(&read.bytes, Edition::Docs).definitions
}
