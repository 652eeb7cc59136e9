//! Sends one request and receives one answer, within the deadline.
//!
//! Redirects are not followed, no connection is kept, an answer has at most a
//! megabyte. A server that is busy is asked a second time when it says when
//! and that is before the deadline; nothing else is tried again.

use std::thread;
use std::time::Duration;

use boathook_engine::shortage;
use ureq::http::Response;
use ureq::tls::RootCerts;
use ureq::{Agent, Body, ProxyProtocol};

use super::key::Key;
use super::provider::Provider;
use super::setup::{KeySource, Setup};
use super::{Around, Deadline, shortened};
use crate::https::{Endpoint, certificates, parse_proxy, tls};

/// An answer is a few hundred bytes.
const LONGEST_ANSWER: u64 = 1024 * 1024;
const USER_AGENT: &str = concat!("boathook/", env!("CARGO_PKG_VERSION"));

/// Speaks with one endpoint.
pub struct Client {
    agent: Agent,
    endpoint: Endpoint,
    provider: Provider,
    key_from: KeySource,
}

/// Why there is no answer.
#[derive(Debug)]
pub struct Refusal {
    pub reason: String,
    /// Another key might help.
    pub was_the_key: bool,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal { reason, was_the_key: false }
    }
}

impl Client {
    /// Reads the certificates and opens nothing.
    pub fn new(setup: &Setup, around: &Around) -> Result<Client, String> {
        // A repository can set the variables that name a proxy, and who runs it reads payloads and can answer.
        let proxy = setup.proxy.as_deref().map(parse_proxy).transpose();
        let proxy = proxy.map_err(|problem| format!("proxy: {problem}"))?;
        let encrypted_proxy = proxy.as_ref().is_some_and(|it| it.protocol() == ProxyProtocol::Https);
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .user_agent(USER_AGENT)
            .proxy(proxy);
        if setup.endpoint.encrypted || encrypted_proxy {
            let roots = match &setup.ca_file {
                None => RootCerts::WebPki,
                Some(file) => RootCerts::new_with_certs(
                    &certificates(&around.folder.join(file))
                        .map_err(|problem| format!("ca_file: {problem}"))?,
                ),
            };
            config = config.tls_config(tls(roots)?);
        }
        Ok(Client {
            agent: config.build().new_agent(),
            endpoint: setup.endpoint.clone(),
            provider: setup.provider,
            key_from: setup.key.clone(),
        })
    }

    /// The body of a good answer.
    pub fn send(&self, body: &[u8], key: Option<&Key>, deadline: Deadline) -> Result<Vec<u8>, Refusal> {
        let mut answer = self.once(body, key, deadline)?;
        if let Some(pause) = pause(&answer).filter(|pause| deadline.left().is_ok_and(|left| *pause < left)) {
            thread::sleep(pause);
            answer = self.once(body, key, deadline)?;
        }
        let status = answer.status();
        let read = answer.into_body().into_with_config().limit(LONGEST_ANSWER).read_to_vec();
        if status.is_success() {
            return Ok(read.map_err(|error| self.trouble(&error, deadline))?);
        }
        // What the server says of its own trouble is worth telling, if it comes.
        Err(self.refusal(status.as_u16(), &read.unwrap_or_default()))
    }

    fn once(&self, body: &[u8], key: Option<&Key>, deadline: Deadline) -> Result<Response<Body>, Refusal> {
        let mut request = self.agent.post(self.endpoint.with(self.provider.path()));
        request = request.header("content-type", "application/json");
        for (name, value) in self.provider.more_headers() {
            request = request.header(*name, *value);
        }
        if let Some(key) = key {
            let (name, value) = self.provider.key_header(key.for_header());
            request = request.header(name, value);
        }
        let request = request.config().timeout_global(Some(deadline.left()?)).build();
        Ok(request.send(body).map_err(|error| self.trouble(&error, deadline))?)
    }

    /// What went wrong on the way.
    fn trouble(&self, error: &ureq::Error, deadline: Deadline) -> String {
        if let ureq::Error::Io(error) = error {
            shortage::note(error);
        }
        let endpoint = &self.endpoint;
        match error {
            ureq::Error::Timeout(_) => format!("{endpoint}: {}", deadline.passed()),
            ureq::Error::BodyExceedsLimit(_) => {
                format!("{endpoint}: its answer is longer than {LONGEST_ANSWER} bytes")
            }
            error => format!("{endpoint}: {error}"),
        }
    }

    fn refusal(&self, status: u16, body: &[u8]) -> Refusal {
        let why = match status {
            // Servers like to repeat a part of a wrong key: not repeated here.
            401 | 403 => match &self.key_from {
                KeySource::None => "no key was sent; name one with `key_env` or `key_command`".to_owned(),
                KeySource::Variable(name) => format!("it does not accept the key in ${name}"),
                KeySource::Command(_) => "it does not accept the key that `key_command` printed".to_owned(),
            },
            300..=399 => "redirects are not followed; write the final address as `endpoint`".to_owned(),
            _ => said(body).unwrap_or_else(|| "it does not say why".to_owned()),
        };
        let reason = format!("{} answered {status}: {why}", self.endpoint);
        Refusal { reason, was_the_key: matches!(status, 401 | 403) }
    }
}

/// How long a busy server wants to be left alone, where it says so in seconds.
fn pause(answer: &Response<Body>) -> Option<Duration> {
    let busy = answer.status().as_u16() == 429 || answer.status().is_server_error();
    let header = answer.headers().get("retry-after").filter(|_| busy)?;
    header.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// The message in the body of an error: all three APIs have one.
fn said(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error")?;
    let text = error.as_str().or_else(|| error.get("message")?.as_str())?;
    Some(shortened(text)).filter(|text| !text.is_empty())
}
