//! One question to the daemon, for commands that a person typed.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use boathook_engine::remote::place::{self, PlaceError};
use boathook_engine::remote::wire::{LONGEST_LINE, Response};

/// What came of it.
pub enum Asked {
    /// The result, as JSON.
    Answer(String),
    /// Nobody listens.
    Nobody,
    /// Somebody does, and this is wrong.
    Trouble(String),
}

/// Asks the daemon of a state directory; one that says nothing for so long hangs.
pub fn ask(state: &Path, method: &str, patience: Duration) -> Asked {
    let mut stream = match place::connect(state) {
        Ok(stream) => stream,
        Err(PlaceError::Absent(_)) => return Asked::Nobody,
        Err(error) => return Asked::Trouble(error.to_string()),
    };
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}\n");
    let told = stream
        .set_read_timeout(Some(patience))
        .and_then(|()| stream.set_write_timeout(Some(patience)))
        .and_then(|()| stream.write_all(line.as_bytes()))
        .and_then(|()| answer(BufReader::new(stream.take(LONGEST_LINE as u64)), Instant::now() + patience));
    let answer = match told {
        Ok(answer) => answer,
        Err(error) => return Asked::Trouble(format!("the daemon does not answer ({error})")),
    };
    match serde_json::from_slice::<Response>(&answer) {
        Ok(Response { result: Some(result), .. }) => Asked::Answer(result.get().to_owned()),
        Ok(Response { error: Some(error), .. }) => Asked::Trouble(format!("the daemon: {}", error.message)),
        Ok(_) | Err(_) => Asked::Trouble("what the daemon answers makes no sense".to_owned()),
    }
}

/// One line, or what came of it. Somebody who says a little at a time would hold
/// a reader that only waits for each piece.
fn answer(mut from: impl BufRead, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut answer = Vec::new();
    loop {
        let piece = from.fill_buf()?;
        let end = piece.iter().position(|byte| *byte == b'\n');
        let length = end.unwrap_or(piece.len());
        answer.extend_from_slice(&piece[..length]);
        if end.is_some() || length == 0 {
            return Ok(answer);
        }
        from.consume(length);
        if Instant::now() > deadline {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it never comes to an end"));
        }
    }
}
