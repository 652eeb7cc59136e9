//! The key of a provider: fetched when it is first needed, and never shown.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use boathook_engine::run::{Cancel, Invocation, Status, run_all};

use super::setup::{KeySource, Setup};
use super::{Around, Deadline};

/// A secret that can be sent and nothing else.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// For the header of a request.
    pub fn for_header(&self) -> &str {
        &self.0
    }

    /// The text with the key taken out, should a server repeat it. A word that
    /// stands in for a key where none is needed may stay.
    pub fn hidden_in(&self, text: &str) -> String {
        const SHORTEST_SECRET: usize = 8;
        if self.0.len() < SHORTEST_SECRET { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(hidden)")
    }
}

/// The key and where it comes from.
#[derive(Debug)]
pub struct Keys {
    source: KeySource,
    /// A command may ask somebody to touch something: it runs once.
    known: Mutex<Option<Key>>,
}

impl Keys {
    pub fn of(setup: &Setup) -> Keys {
        Keys { source: setup.key.clone(), known: Mutex::default() }
    }

    /// The key, if one is to be sent.
    pub fn get(&self, around: &Around, deadline: Deadline) -> Result<Option<Key>, String> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = match &self.source {
                KeySource::None => return Ok(None),
                KeySource::Variable(name) => {
                    let value = around.variable(name);
                    Some(key(value.ok_or_else(|| format!("the key is missing: ${name} is not set"))?)?)
                }
                KeySource::Command(command) => Some(key(printed_by(command, around, deadline)?)?),
            };
        }
        Ok(known.clone())
    }

    /// A key that was refused is fetched again the next time.
    pub fn forget(&self) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn key(text: String) -> Result<Key, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("the key is empty".to_owned());
    }
    if !text.chars().all(|c| c.is_ascii_graphic()) {
        return Err("the key is not one word of ASCII, so it cannot be sent".to_owned());
    }
    Ok(Key(text.to_owned()))
}

/// Runs in the home directory with the environment `boathook` was started in:
/// nothing of a workspace or a session has a say. What it prints on stderr may
/// hold a secret, so it is not repeated.
fn printed_by(command: &str, around: &Around, deadline: Deadline) -> Result<String, String> {
    let invocation = Invocation {
        command: command.to_owned(),
        args: None,
        run_dir: around.home.clone(),
        env: Arc::new(around.environment.clone()),
        stdin: Arc::default(),
        timeout: deadline.left()?,
    };
    let exit = run_all(&[invocation], |_| false, &Cancel::default()).into_iter().next();
    let exit = exit.ok_or("`key_command` was never reached")?;
    let problem = match exit.status {
        Status::Code(0) => {
            return String::from_utf8(exit.stdout).map_err(|_| "`key_command` printed no text".to_owned());
        }
        Status::Code(code) => format!("exited with code {code}"),
        Status::Signal(signal) => format!("was killed by signal {signal}"),
        Status::TimedOut(_) => "did not end before the hook's timeout".to_owned(),
        Status::TooMuchOutput => "printed too much".to_owned(),
        Status::Cancelled => "was cancelled".to_owned(),
        Status::NotStarted(reason) => format!("could not be started: {reason}"),
        Status::NoAnswer(reason) => reason.clone(),
    };
    Err(format!("there is no key: `key_command` {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = key(" sk-secret\n".to_owned()).expect("a key");
        assert_eq!(format!("{key:?}"), "Key(hidden)");
        assert_eq!(key.hidden_in("bad key sk-secret!"), "bad key [key]!");
        assert_eq!(key.for_header(), "sk-secret");
    }

    #[test]
    fn what_no_header_can_hold_is_no_key() {
        for text in ["", " \n", "two words", "a\nb", "schlüssel", "a\u{0}b"] {
            assert!(key(text.to_owned()).is_err(), "{text:?}");
        }
    }
}
