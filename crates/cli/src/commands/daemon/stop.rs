//! `boathook daemon stop`: tells the daemon to end, and waits for it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use boathook_engine::remote::seat;

use super::state;
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// It lets what runs finish, and then ends that.
const PATIENCE: Duration = Duration::from_secs(15);

/// What a person types then.
const END_AT_ONCE: &str = if cfg!(windows) { "taskkill /f /pid" } else { "kill -9" };

pub fn stop(ui: &mut Ui) -> Result<Status, Failed> {
    let state = state()?;
    let failed = |error: boathook_engine::remote::place::PlaceError| Failed::Other {
        problem: error.to_string(),
        help: None,
    };
    let Some(pid) = seat::end_holder(&state).map_err(failed)? else {
        ui.say("no daemon runs");
        return Ok(Status::Success);
    };
    let start = Instant::now();
    while seat::holder(&state).map_err(failed)?.is_some() {
        if start.elapsed() > PATIENCE {
            let problem = format!("process {pid} was told to end and has not ended");
            return Err(Failed::other(problem, format!("`{END_AT_ONCE} {pid}` ends it at once")));
        }
        sleep(Duration::from_millis(20));
    }
    ui.say(&format!("the daemon (process {pid}) has ended"));
    Ok(Status::Success)
}
