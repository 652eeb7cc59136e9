//! The daemon keeps the team's hooks fresh: on a thread of its own, so that no
//! event ever waits for a server.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::run::Cancel;
use clap::ColorChoice;

use super::service::Service;
use crate::commands::team::background::REPAIR_PAUSE;
use crate::settings;
use crate::team::follow::Follower;
use crate::team::{How, Login, Place, Status, sync};
use crate::ui::{Ui, clean};

/// One question for news waits so long.
const PATIENCE: Duration = Duration::from_secs(50);
/// How often it is looked whether somebody logged in.
const LOOK_UP: Duration = Duration::from_secs(2);

/// What the daemon does for a team, in words; none without one.
#[derive(Debug, Default)]
pub struct Team(Mutex<Option<String>>);

impl Team {
    /// Follows the team of this home, whenever there is one. A question for
    /// news may wait long: the thread ends with the process, and what it would
    /// leave half done is never in force.
    pub fn start(service: &Arc<Service>, colour: ColorChoice, ending: Cancel) {
        let Some(place) = settings::team_place() else { return };
        let (watched, until) = (place.clone(), ending.clone());
        let repair = move || repair(&watched, colour, &until);
        let _ = thread::Builder::new().name("team-repair".to_owned()).spawn(repair);
        let service = Arc::clone(service);
        let follow = move || service.team.follow(&service, &place, colour, &ending);
        // Without a thread there are no news; events are answered as always.
        let _ = thread::Builder::new().name("team".to_owned()).spawn(follow);
    }

    /// What to say of it. A question for news may still wait when somebody has
    /// logged out.
    pub fn words(&self) -> Option<String> {
        settings::team_place().filter(is_logged_in)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn follow(&self, service: &Service, place: &Place, colour: ColorChoice, ending: &Cancel) {
        let mut ui = Ui::new(colour);
        while !ending.is_cancelled() {
            match logged_in(place) {
                Some(login) => {
                    if login.email != service.engines.settings().user_email {
                        service.engines.follow_login();
                    }
                    self.stay_with(&mut ui, place, login, ending);
                    service.engines.follow_login();
                }
                None => thread::sleep(LOOK_UP),
            }
        }
    }

    fn stay_with(&self, ui: &mut Ui, place: &Place, login: Login, ending: &Cancel) {
        let whose = format!("team {} ({})", login.team, login.server);
        self.say(Some(format!("{whose}: waiting for news")));
        let follower = Follower { place: place.clone(), login, patience: PATIENCE };
        // Whatever was published while no daemon ran is got at once.
        follower.run(true, ending, |status| {
            let words = format!("{whose}: {}", how(status));
            ui.say(&words);
            self.say(Some(words));
        });
        self.say(None);
    }

    fn say(&self, words: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

/// Gets hooks that are gone from this machine again: the thread that follows
/// the team may wait for news just then.
fn repair(place: &Place, colour: ColorChoice, ending: &Cancel) {
    let mut ui = Ui::new(colour);
    let mut tried: Option<Instant> = None;
    while !ending.is_cancelled() {
        let rested = tried.is_none_or(|tried| tried.elapsed() >= REPAIR_PAUSE);
        if rested
            && place.lost().is_some()
            && let Some(login) = logged_in(place)
        {
            let status = sync(place, &login, How::Poll);
            ui.say(&format!("the team's hooks were gone from this machine: {}", how(&status)));
            tried = Some(Instant::now());
        }
        thread::sleep(LOOK_UP);
    }
}

fn logged_in(place: &Place) -> Option<Login> {
    is_logged_in(place).then(|| Login::read(place).ok().flatten())?
}

/// One look at a file that most machines do not have.
fn is_logged_in(place: &Place) -> bool {
    place.state.join("login.json").exists()
}

fn how(status: &Status) -> String {
    let release = status.release.map_or(String::new(), |release| format!(", release {release}"));
    let detail = if status.detail.is_empty() { String::new() } else { format!(": {}", status.detail) };
    clean(&format!("{}{release}{detail}", status.code))
}
