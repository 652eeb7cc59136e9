//! A random word that is shown at the terminal and typed back: what is written in advance cannot hold it.

use std::io;
use std::time::Duration;

const LENGTH: usize = 6;
/// Letters and digits that are not taken for one another.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A new word.
pub fn word() -> io::Result<String> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect())
}

/// Shows a question at the controlling terminal and reads one line from it; none when the time is over.
#[cfg(unix)]
pub fn ask(question: &str, timeout: Duration) -> io::Result<Option<String>> {
    use std::io::{Read, Write};
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::termios::{QueueSelector, tcflush};

    /// Longer lines are not accepted.
    const MAX_BYTES: usize = 1024;
    let mut terminal = std::fs::File::options().read(true).write(true).open("/dev/tty")?;
    // Input from before the word was shown does not answer it.
    tcflush(&terminal, QueueSelector::IFlush)?;
    terminal.write_all(question.as_bytes())?;
    let deadline = Instant::now() + timeout;
    let mut line: Vec<u8> = Vec::new();
    while !line.contains(&b'\n') && line.len() < MAX_BYTES {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
        match poll(&mut [PollFd::new(&terminal, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Ok(None),
            Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 256];
        match terminal.read(&mut bytes)? {
            0 => break,
            count => line.extend_from_slice(&bytes[..count]),
        }
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

/// Shows a question and reads one line; an answer after the timeout is not accepted.
#[cfg(windows)]
pub fn ask(question: &str, timeout: Duration) -> io::Result<Option<String>> {
    use std::io::{BufRead, Write};
    use std::time::Instant;

    let deadline = Instant::now() + timeout;
    io::stderr().write_all(question.as_bytes())?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok((Instant::now() < deadline).then_some(line))
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_word_is_new_each_time_and_easy_to_type() {
        let words: std::collections::HashSet<String> = (0..50).map(|_| word().expect("random")).collect();
        assert!(words.len() > 45, "{words:?}");
        assert!(
            words.iter().all(|word| word.len() == 6 && word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        );
    }
}
