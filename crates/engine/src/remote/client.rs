//! The client of the daemon: asks it about one event, and says why it could
//! not when there is no answer that can be relied on.
//!
//! A connection stays open for the next event. A caller with several threads
//! has several connections.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Reason;
use super::connection::{Connection, REST};
use super::wire::{Caller, HandleParams, Handled, LONGEST_LINE, Request, Response};
use crate::decision::BLOCKED;
use crate::run::Cancel;

/// More connections than this are not kept when nobody uses them.
const MOST_IDLE: usize = 8;

/// The daemon of one state directory, as somebody who could do its work sees it.
#[derive(Debug)]
pub struct Remote {
    state: PathBuf,
    caller: Caller,
    idle: Mutex<Vec<Connection>>,
    /// When it was last left because it was silent.
    silent: Mutex<Option<Instant>>,
    ids: RandomState,
    asked: AtomicU64,
}

impl Remote {
    /// Opens nothing yet.
    pub fn new(state: impl Into<PathBuf>, caller: Caller) -> Remote {
        Remote {
            state: state.into(),
            caller,
            idle: Mutex::default(),
            silent: Mutex::default(),
            ids: RandomState::new(),
            asked: AtomicU64::new(0),
        }
    }

    /// Asks about one event. `caller` and `beat` of the parameters are ours.
    pub fn handle(&self, params: HandleParams) -> Result<Handled, Reason> {
        self.handle_until(params, &Cancel::default())
    }

    /// The same, until somebody cancels. The daemon ends the hooks of a caller
    /// that hung up.
    pub fn handle_until(&self, params: HandleParams, cancel: &Cancel) -> Result<Handled, Reason> {
        if lock(&self.silent).is_some_and(|left| left.elapsed() < REST) {
            return Err(Reason::LeftAlone(REST));
        }
        let event = params.event.clone();
        let (id, line) = self.request(params)?;
        let answered = self.ask(&id, &line, cancel);
        *lock(&self.silent) = matches!(answered, Err(Reason::Silent(_))).then(Instant::now);
        sound(&answered?, &event)
    }

    /// A line, and the id that its answer must have. Nobody can say an answer
    /// before he has read the question: the id is not to be guessed.
    fn request(&self, params: HandleParams) -> Result<(String, Vec<u8>), Reason> {
        let params = HandleParams { caller: Some(self.caller.clone()), beat: true, ..params };
        // Longer than this, it is not even put together.
        if params.payload.get().len() > LONGEST_LINE {
            return Err(Reason::TooLong);
        }
        let id = format!("{:016x}", self.ids.hash_one(self.asked.fetch_add(1, Ordering::Relaxed)));
        let request = Request {
            jsonrpc: "2.0".to_owned(),
            id: Some(Value::from(id.clone())),
            method: "handle".to_owned(),
            params: Some(serde_json::value::to_raw_value(&params).map_err(Reason::Untellable)?),
        };
        let mut line = serde_json::to_vec(&request).map_err(Reason::Untellable)?;
        if line.len() > LONGEST_LINE {
            return Err(Reason::TooLong);
        }
        line.push(b'\n');
        Ok((id, line))
    }

    fn ask(&self, id: &str, line: &[u8], cancel: &Cancel) -> Result<Box<RawValue>, Reason> {
        let kept = lock(&self.idle).pop().filter(Connection::is_fresh);
        if let Some(connection) = kept {
            match self.exchange(connection, id, line, cancel) {
                // It may have ended between two events; the next one may be there.
                Err(Reason::Gone) => {}
                other => return other,
            }
        }
        self.exchange(Connection::open(&self.state)?, id, line, cancel)
    }

    /// One question and its answer. A connection is kept only when both ends
    /// agree on what was said on it.
    fn exchange(
        &self,
        mut connection: Connection,
        id: &str,
        line: &[u8],
        cancel: &Cancel,
    ) -> Result<Box<RawValue>, Reason> {
        connection.send(line, cancel)?;
        loop {
            if let Some(response) = read(&connection.line(cancel)?, id)? {
                let mut idle = lock(&self.idle);
                if idle.len() < MOST_IDLE {
                    idle.push(connection);
                }
                return match (response.result, response.error) {
                    (Some(result), None) => Ok(result),
                    (None, Some(error)) => Err(Reason::Refused(error)),
                    (Some(_), Some(_)) | (None, None) => {
                        Err(Reason::Garbled("a response is a result or an error".to_owned()))
                    }
                };
            }
            // One that works for ever holds nobody who wants to go.
            if cancel.is_cancelled() {
                return Err(Reason::Cancelled);
            }
        }
    }
}

/// The answer with this id; none when the line says that it is being worked on.
fn read(line: &[u8], id: &str) -> Result<Option<Response>, Reason> {
    #[derive(Deserialize)]
    struct Notice {
        method: String,
    }
    match serde_json::from_slice::<Response>(line) {
        Ok(response) if response.jsonrpc == "2.0" && response.id == id => Ok(Some(response)),
        // It could not even read whose question it was.
        Ok(Response { error: Some(error), id: Value::Null, .. }) => Err(Reason::Refused(error)),
        Ok(response) => Err(Reason::Garbled(format!("it has the id {}", response.id))),
        Err(error) => match serde_json::from_slice::<Notice>(line) {
            Ok(notice) if notice.method == "working" => Ok(None),
            Ok(_) | Err(_) => Err(Reason::Garbled(error.to_string())),
        },
    }
}

/// A decision about this event that agrees with itself.
fn sound(result: &RawValue, event: &str) -> Result<Handled, Reason> {
    let garbled = |what: String| Reason::Garbled(what);
    let handled: Handled = serde_json::from_str(result.get()).map_err(|error| garbled(error.to_string()))?;
    if handled.event != event {
        return Err(garbled(format!("it is about {}", handled.event)));
    }
    if !handled.answer.get().starts_with('{') {
        return Err(garbled("its answer is not an object".to_owned()));
    }
    if handled.blocked != (handled.code.as_deref() == Some(BLOCKED)) {
        return Err(garbled("`blocked` and `code` do not agree".to_owned()));
    }
    Ok(Handled { fallback: None, ..handled })
}

/// A panic of another thread leaves connections that can be used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
