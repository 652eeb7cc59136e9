//! One round at a time, in whichever process.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::How;
use crate::team::{Place, Refusal};

const NAME: &str = "lock";
const PAUSE: Duration = Duration::from_millis(50);

/// Kept until it is dropped, or the process ends.
#[must_use]
pub struct Held {
    _file: File,
}

/// Waits a little for the one who is at it.
pub fn hold(place: &Place, how: How) -> Result<Held, Refusal> {
    let patience = match how {
        How::Poll => Duration::from_secs(1),
        How::Now => Duration::from_secs(30),
    };
    let disk = |error: String| Refusal::new("disk", error);
    let folder = place.folder().open_folder("").map_err(|error| disk(error.to_string()))?;
    let file = folder.change(NAME).map_err(|error| disk(error.to_string()))?;
    let end = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Held { _file: file }),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let message = format!("another process syncs for more than {} s", patience.as_secs());
                return Err(Refusal::new("locked", message));
            }
            Err(TryLockError::Error(error)) => {
                return Err(disk(format!("{}: {error}", folder.path().display())));
            }
        }
    }
}
