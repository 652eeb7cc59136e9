//! The model behind prompt hooks, asked over HTTP.
//!
//! `setup` reads the `[judge]` table, `sheet` writes what the model is told,
//! `provider` has the three dialects, `key` fetches the key, `client` sends and
//! receives within the deadline.
//!
//! Nothing but the table is looked at before a prompt hook runs: no key is
//! fetched, no certificate read and no client built for command hooks.

mod client;
mod key;
mod provider;
mod setup;
mod sheet;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use boathook_engine::judge::{Judge, Question, Verdict};

use client::Client;
use key::Keys;
use setup::Setup;
use sheet::Sheet;

/// What a judge may know of its surroundings. All of it is the user's own:
/// nothing comes from a workspace or from a hook.
#[derive(Clone)] // no `Debug`: there may be a key in the environment
pub struct Around {
    /// The environment `boathook` was started in.
    pub environment: Vec<(OsString, OsString)>,
    /// Where the key's command runs.
    pub home: PathBuf,
    /// Where `config.toml` stands; names of files start here.
    pub folder: PathBuf,
}

impl Around {
    /// A variable that is set to something.
    fn variable(&self, name: &str) -> Option<String> {
        let value = self.environment.iter().find(|(key, _)| key == name).map(|(_, value)| value)?;
        value.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
    }
}

/// Asks a model of one of the providers.
pub struct HttpJudge {
    setup: Setup,
    around: Around,
    keys: Keys,
}

impl HttpJudge {
    /// From the `[judge]` table; an error says what to write instead.
    pub fn new(table: toml::Value, around: Around) -> Result<HttpJudge, String> {
        let setup = Setup::read(table)?;
        Ok(HttpJudge { keys: Keys::of(&setup), setup, around })
    }

    fn ask(&self, question: &Question, deadline: Deadline) -> Result<Verdict, String> {
        // Made for each question: a certificate that was put right counts at once.
        let client = Client::new(&self.setup, &self.around)?;
        let key = self.keys.get(&self.around, deadline)?;
        let hidden = |text: String| match &key {
            Some(key) => key.hidden_in(&text),
            None => text,
        };
        let model = question.model.as_deref().unwrap_or(&self.setup.model);
        let body = self.setup.provider.request(model, &Sheet::of(question));
        let reply = client.send(&body, key.as_ref(), deadline).map_err(|refusal| {
            if refusal.was_the_key {
                self.keys.forget();
            }
            hidden(refusal.reason)
        })?;
        let verdict = self.setup.provider.read(&reply).map_err(hidden)?;
        Ok(Verdict { reason: verdict.reason.map(|reason| shortened(&hidden(reason))), ..verdict })
    }
}

impl Judge for HttpJudge {
    fn judge(&self, question: &Question) -> Result<Verdict, String> {
        self.ask(question, Deadline::within(question.timeout))
    }

    fn would_ask(&self, model: Option<&str>) -> Result<String, String> {
        Ok(format!("{} at {}", model.unwrap_or(&self.setup.model), self.setup.endpoint))
    }

    fn is_configured(&self) -> bool {
        true
    }
}

/// Stands in for a judge whose table is wrong: prompt hooks fail and say why.
pub struct BrokenJudge(pub String);

impl Judge for BrokenJudge {
    fn judge(&self, _: &Question) -> Result<Verdict, String> {
        Err(self.0.clone())
    }

    fn would_ask(&self, _: Option<&str>) -> Result<String, String> {
        Err(self.0.clone())
    }

    fn is_configured(&self) -> bool {
        true
    }
}

/// When everything for one question must be over: key, connection and answer.
#[derive(Debug, Clone, Copy)]
struct Deadline {
    at: Instant,
    timeout: Duration,
}

impl Deadline {
    fn within(timeout: Duration) -> Deadline {
        // A timeout may be any number; nobody waits longer than a day.
        let timeout = timeout.min(Duration::from_secs(24 * 60 * 60));
        Deadline { at: Instant::now() + timeout, timeout }
    }

    /// What is left, or that nothing is.
    fn left(self) -> Result<Duration, String> {
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(self.passed()) } else { Ok(left) }
    }

    fn passed(self) -> String {
        format!("there was no answer within {} ms", self.timeout.as_millis())
    }
}

/// A reason is a sentence or two for a person, not a flood.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 2000;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
