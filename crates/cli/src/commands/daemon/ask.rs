//! One question to the daemon, for commands that a person typed.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::Duration;

use boathook_engine::remote::place::{self, PlaceError};
use boathook_engine::remote::wire::{LONGEST_LINE, Response};

/// A daemon that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of it.
pub enum Asked {
    /// The result, as JSON.
    Answer(String),
    /// Nobody listens.
    Nobody,
    /// Somebody does, and this is wrong.
    Trouble(String),
}

/// Asks the daemon of a state directory.
pub fn ask(state: &Path, method: &str) -> Asked {
    let mut stream = match place::connect(state) {
        Ok(stream) => stream,
        Err(PlaceError::Absent(_)) => return Asked::Nobody,
        Err(error) => return Asked::Trouble(error.to_string()),
    };
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}\n");
    let mut answer = String::new();
    let told = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)))
        .and_then(|()| stream.write_all(line.as_bytes()))
        .and_then(|()| BufReader::new(stream.take(LONGEST_LINE as u64)).read_line(&mut answer));
    if let Err(error) = told {
        return Asked::Trouble(format!("the daemon does not answer ({error})"));
    }
    match serde_json::from_str::<Response>(&answer) {
        Ok(Response { result: Some(result), .. }) => Asked::Answer(result.get().to_owned()),
        Ok(Response { error: Some(error), .. }) => Asked::Trouble(format!("the daemon: {}", error.message)),
        Ok(_) | Err(_) => Asked::Trouble("what the daemon answers makes no sense".to_owned()),
    }
}
