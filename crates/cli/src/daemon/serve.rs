//! Takes the place of the daemon, lets people in, and ends in order.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use boathook_engine::remote::place::{PlaceError, is_ours};
use boathook_engine::remote::seat::{self, Seat};
use boathook_engine::run::cancel_on_signals;

use super::crowd::Crowd;
use super::http;
use super::room::Room;
use super::service::Service;
use super::team::Team;
use crate::args::Global;
use crate::error::Failed;
use crate::http_address::HttpAddress;
use crate::settings;
use crate::ui::Ui;

/// A signal wakes us anyway; this is for one that went to another thread.
const LOOK_UP: Duration = Duration::from_millis(250);
/// What runs when the daemon is told to end may take so long.
const LAST_WORK: Duration = Duration::from_secs(5);
/// Answers that are on their way have so long.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The pause when the machine has no room for one more connection.
const NO_ROOM: Duration = Duration::from_millis(20);

/// Serves until a signal says to end; over HTTP, too, where that is wanted: at
/// this port, or at the one that was kept.
pub fn serve(ui: &mut Ui, global: &Global, over_http: Option<Option<u16>>) -> Result<(), Failed> {
    let Some(dwelling) = settings::dwelling() else {
        return Err(Failed::other("there is no home directory", "HOME must be an absolute path"));
    };
    let place = Seat::take(&dwelling.state).map_err(|error| no_place(error, over_http.is_some()))?;
    let over_http = over_http.map(|port| http::listen(&dwelling.state, port)).transpose()?;
    let ending = cancel_on_signals();
    let room = Room::of(seat::make_room_for_files());
    let service = Service::new(ui, global, ending.clone(), room)?;
    let crowd = Arc::new(Crowd::of(room));
    let over_http = over_http.map(|(listening, address)| {
        let url = format!("http://{}", listening.address());
        let thread = http::start(&service, listening, address, ending.clone())?;
        ui.line(&format!("listening on {url}"));
        ui.hint(&format!("its port and token stand in {}", HttpAddress::file(&dwelling.state).display()));
        let _ = service.http.set(url);
        Ok::<_, Failed>(thread)
    });
    let over_http = over_http.transpose()?;
    ui.line(&format!("listening on {}", place.path().display()));
    Team::start(&service, global.color, ending.clone());
    while !ending.is_cancelled() {
        if place.is_told_to_end() {
            ending.cancel();
            break;
        }
        match place.accept(LOOK_UP) {
            Ok(Some(stream)) if is_ours(&stream) => crowd.admit(&service, stream),
            Ok(Some(_) | None) => {}
            // Too many open files, or no memory: it passes.
            Err(_) => thread::sleep(NO_ROOM),
        }
    }
    place.close();
    service.end(LAST_WORK);
    crowd.finish(LAST_WORDS);
    if let Some(thread) = over_http {
        let _ = thread.join();
    }
    Ok(())
}

fn no_place(error: PlaceError, over_http: bool) -> Failed {
    let help = match (&error, over_http) {
        (PlaceError::Taken(_), true) => Some(
            "`boathook daemon status` says whether it answers over HTTP; if not, type `boathook daemon stop` first, then `boathook daemon --http`",
        ),
        (PlaceError::Taken(_), false) => Some("`boathook daemon status` asks it how it is"),
        _ => None,
    };
    Failed::Other { problem: error.to_string(), help: help.map(str::to_owned) }
}
