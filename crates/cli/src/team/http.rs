//! Speaks with a team's server: calls of its API, and files.
//!
//! Redirects are never followed, because a token would travel with them. What
//! is read has a limit, what is sent goes over TLS or stays on this machine,
//! and every failure has a code of its own.

use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use boathook_engine::ids::now_millis;
use boathook_engine::visible::on_one_line;
use boathook_server::team::wire::Problem;
use jiff::fmt::rfc2822::DateTimeParser;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{HeaderMap, Method, Request, Response};
use ureq::tls::RootCerts;
use ureq::{Agent, AsSendBody, Body, ProxyProtocol};

use super::timing::LONGEST;
use super::{Login, Place};
use crate::https::{Endpoint, Environment, certificates, proxy, tls};

/// No answer of the API is longer.
const LONGEST_ANSWER: u64 = 16 * 1024 * 1024;
const LONGEST_PROBLEM: u64 = 64 * 1024;
const CONNECT: Duration = Duration::from_secs(10);
const FIRST_BYTE: Duration = Duration::from_secs(30);
const WHOLE: Duration = Duration::from_secs(120);
const USER_AGENT: &str = concat!("boathook/", env!("CARGO_PKG_VERSION"));

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// A stable word: one of the design's list, or the server's own.
    pub code: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// How long the server wants to be left alone; at most two hours.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// Without a wish to be left alone. What somebody else wrote may be part of
    /// the message, so it is one line.
    pub fn new(code: &str, message: impl AsRef<str>) -> Refusal {
        Refusal { code: code.to_owned(), message: on_one_line(message.as_ref()), retry_after: None }
    }
}

/// One server, and who we are to it.
pub struct Server {
    agent: Agent,
    endpoint: Endpoint,
    token: Option<String>,
    patience: Duration,
    /// When everything has to be over.
    end: Option<Instant>,
}

/// A file of the server's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fetched {
    /// What was known already.
    Unchanged,
    /// Its content.
    File {
        /// The bytes.
        bytes: Vec<u8>,
        /// What to ask with next time.
        etag: Option<String>,
        /// Whether the server said beforehand how long it is.
        announced: bool,
    },
}

/// What a file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// JSON, and said to be.
    Json,
    /// Anything but a page for people.
    Any,
}

impl Server {
    /// Opens nothing yet. `ca` is believed instead of the system's certificates.
    pub fn new(
        url: &str,
        ca: Option<&Path>,
        token: Option<&str>,
        environment: &Environment,
    ) -> Result<Server, Refusal> {
        let endpoint = address(url)?;
        let unusable = |problem: String| Refusal::new("tls", problem);
        let proxy = proxy(&endpoint, environment).map_err(|problem| Refusal::new("unreachable", problem))?;
        let encrypted_proxy = proxy.as_ref().is_some_and(|it| it.protocol() == ProxyProtocol::Https);
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(FIRST_BYTE))
            .timeout_global(Some(WHOLE))
            .user_agent(USER_AGENT)
            .proxy(proxy);
        if endpoint.encrypted || encrypted_proxy {
            let roots = match ca {
                None => RootCerts::PlatformVerifier,
                Some(file) => RootCerts::new_with_certs(&certificates(file).map_err(unusable)?),
            };
            config = config.tls_config(tls(roots).map_err(unusable)?);
        }
        Ok(Server {
            agent: config.build().new_agent(),
            endpoint,
            token: token.map(str::to_owned),
            patience: Duration::ZERO,
            end: None,
        })
    }

    /// As this device.
    pub fn of(place: &Place, login: &Login) -> Result<Server, Refusal> {
        Server::new(&login.server, login.ca.as_deref(), Some(&login.token), &place.environment)
    }

    /// The same, waiting so much longer for an answer.
    pub fn patient(self, patience: Duration) -> Server {
        Server { patience, ..self }
    }

    /// The same, for as long as it is not later than that.
    pub fn until(self, end: Instant) -> Server {
        Server { end: Some(end), ..self }
    }

    /// Asks for something.
    pub fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Refusal> {
        self.call(Method::GET, path, None::<&()>)
    }

    /// Sends something.
    pub fn post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Refusal> {
        self.call(Method::POST, path, Some(body))
    }

    /// Any call of the API. An answer without a body is read as `()`.
    pub fn call<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<A, Refusal> {
        let sent = body.map(serde_json::to_vec).transpose();
        let sent = sent.map_err(|error| Refusal::new("bad_format", error.to_string()))?;
        let mut answer = self.send(method, path, sent, None)?;
        if answer.status().as_u16() == 204 {
            let empty = || Refusal::new("empty", format!("{}: an empty answer", self.endpoint));
            return serde_json::from_str("null").map_err(|_| empty());
        }
        self.expect_type(&answer, Kind::Json)?;
        let bytes = self.body(&mut answer, LONGEST_ANSWER)?;
        serde_json::from_slice(&bytes).map_err(|error| self.unreadable(&error))
    }

    /// A file of at most so many bytes; one that is not the one with this tag.
    pub fn fetch(&self, path: &str, kind: Kind, limit: u64, etag: Option<&str>) -> Result<Fetched, Refusal> {
        let mut answer = self.send(Method::GET, path, None, etag)?;
        match answer.status().as_u16() {
            304 if etag.is_some() => return Ok(Fetched::Unchanged),
            200 => {}
            status => {
                return Err(Refusal::new("empty", format!("{}{path}: status {status}", self.endpoint)));
            }
        }
        self.expect_type(&answer, kind)?;
        let announced = answer.headers().contains_key("content-length");
        let etag = header(answer.headers(), "etag").map(str::to_owned);
        let bytes = self.body(&mut answer, limit)?;
        Ok(Fetched::File { bytes, etag, announced })
    }

    /// An answer that is neither a refusal nor a way elsewhere.
    fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
        etag: Option<&str>,
    ) -> Result<Response<Body>, Refusal> {
        let mut request = Request::builder().method(method).uri(self.endpoint.with(path));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(etag) = etag {
            request = request.header("if-none-match", etag);
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let wrong = |error: ureq::http::Error| Refusal::new("bad_format", error.to_string());
        let answer = match body {
            Some(body) => self.run(request.body(body).map_err(wrong)?),
            None => self.run(request.body(()).map_err(wrong)?),
        };
        let answer = answer.map_err(|error| self.trouble(&error))?;
        match answer.status().as_u16() {
            304 if etag.is_some() => Ok(answer),
            200..=299 => Ok(answer),
            _ => Err(self.refusal(answer)),
        }
    }

    fn run<S: AsSendBody>(&self, request: Request<S>) -> Result<Response<Body>, ureq::Error> {
        let left = self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()));
        // No time at all would mean no limit.
        let left = left.max(Duration::from_millis(1));
        let request = self
            .agent
            .configure_request(request)
            .timeout_recv_response(Some((FIRST_BYTE + self.patience).min(left)))
            .timeout_global(Some((WHOLE + self.patience).min(left)))
            .allow_non_standard_methods(true)
            .build();
        self.agent.run(request)
    }

    fn expect_type(&self, answer: &Response<Body>, kind: Kind) -> Result<(), Refusal> {
        let said = header(answer.headers(), "content-type").unwrap_or_default();
        let said = said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let fits = match kind {
            Kind::Json => said == "application/json",
            Kind::Any => said != "text/html",
        };
        let packed = header(answer.headers(), "content-encoding").is_some_and(|it| it != "identity");
        if fits && !packed {
            return Ok(());
        }
        let what = if packed { "packed content" } else { said.as_str() };
        let message = format!(
            "{} answered {what:?} where a file was expected; a proxy or a login page may be in between",
            self.endpoint
        );
        Err(Refusal::new("bad_format", message))
    }

    /// All of the body, if it is no longer than it may be.
    fn body(&self, answer: &mut Response<Body>, limit: u64) -> Result<Vec<u8>, Refusal> {
        let too_large =
            || Refusal::new("too_large", format!("{}: an answer of more than {limit} bytes", self.endpoint));
        let announced = answer.body().content_length();
        if announced.is_some_and(|length| length > limit) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        // One byte more tells an answer that is too long from one that just fits.
        let read =
            answer.body_mut().with_config().limit(u64::MAX).reader().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.cut_off(error))?;
        if bytes.len() as u64 > limit {
            return Err(too_large());
        }
        if bytes.is_empty() {
            return Err(Refusal::new("empty", format!("{}: an empty answer", self.endpoint)));
        }
        Ok(bytes)
    }

    /// What a status that is no success means.
    fn refusal(&self, mut answer: Response<Body>) -> Refusal {
        let status = answer.status().as_u16();
        let location = header(answer.headers(), "location").unwrap_or_default().to_ascii_lowercase();
        let retry_after = retry_after(answer.headers(), now_millis());
        let code = match status {
            // Nobody named what is known here, and it leads nowhere.
            304 => "empty",
            300..=399 if self.endpoint.encrypted && location.starts_with("http:") => "downgrade",
            300..=399 => "redirected",
            401 => "unauthorized",
            403 => "forbidden",
            404 | 410 => "missing",
            429 => "throttled",
            500.. => "server_error",
            _ => "refused",
        };
        let problem = self
            .body(&mut answer, LONGEST_PROBLEM)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Problem>(&bytes).ok());
        let own = problem.as_ref().map(|problem| on_one_line(&problem.code)).filter(|_| code == "refused");
        let why = match (&problem, status) {
            // What a server says here is for who writes requests by hand.
            (_, 401) => "the server does not take this token".to_owned(),
            (Some(problem), _) => problem.message.clone(),
            (None, 304) => "no content, where a file was asked for".to_owned(),
            (None, 300..=399) => "redirects are not followed; sign in with the final address".to_owned(),
            (None, _) => format!("status {status}"),
        };
        let refusal = Refusal::new(own.as_deref().unwrap_or(code), format!("{}: {why}", self.endpoint));
        Refusal { retry_after, ..refusal }
    }

    /// What went wrong before there was an answer.
    fn trouble(&self, error: &ureq::Error) -> Refusal {
        let code = match error {
            ureq::Error::Io(error) => io_code(error, "unreachable"),
            ureq::Error::Rustls(_) | ureq::Error::Tls(_) | ureq::Error::Pem(_) | ureq::Error::TlsRequired => {
                "tls"
            }
            ureq::Error::LargeResponseHeader(..) => "too_large",
            ureq::Error::Protocol(_) | ureq::Error::Http(_) => "bad_format",
            _ => "unreachable",
        };
        let hint = self.other_scheme(code, &error.to_string());
        Refusal::new(code, format!("{}: {error}{hint}", self.endpoint))
    }

    /// Where one side encrypts and the other does not, neither understands the
    /// other, and what each says of it helps nobody.
    fn other_scheme(&self, code: &str, error: &str) -> &'static str {
        match (self.endpoint.encrypted, code) {
            (true, "tls") if error.contains("InvalidContentType") => {
                "; this server does not encrypt: write http:// if it is on this machine, or ask its operator"
            }
            (false, "bad_format" | "truncated") => "; if this server encrypts, write https://",
            _ => "",
        }
    }

    /// What went wrong while the answer came.
    fn cut_off(&self, error: io::Error) -> Refusal {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
        let code = match (error.kind(), inner) {
            (io::ErrorKind::TimedOut, _) | (_, Some(ureq::Error::Timeout(_))) => "unreachable",
            _ => io_code(&error, "truncated"),
        };
        Refusal::new(code, format!("{}: its answer broke off: {error}", self.endpoint))
    }

    fn unreadable(&self, error: &serde_json::Error) -> Refusal {
        let code = if error.is_eof() { "truncated" } else { "bad_format" };
        Refusal::new(code, format!("{}: its answer cannot be read: {error}", self.endpoint))
    }
}

/// Whether this is an address that a token may be sent to.
pub fn check_address(url: &str) -> Result<(), Refusal> {
    address(url).map(|_| ())
}

/// Encrypted, or on this machine.
fn address(url: &str) -> Result<Endpoint, Refusal> {
    if url.contains('@') {
        return Err(Refusal::new(
            "bad_format",
            "the address of the server holds a user name; write it without",
        ));
    }
    let endpoint = Endpoint::parse(url).map_err(|problem| Refusal::new("bad_format", problem))?;
    if endpoint.is_safe() {
        return Ok(endpoint);
    }
    let message = format!("{endpoint}: a token would travel in the open; write https://");
    Err(Refusal::new("downgrade", message))
}

fn io_code(error: &io::Error, otherwise: &'static str) -> &'static str {
    match error.kind() {
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe => "truncated",
        // How the TLS library wraps what it has against a peer.
        io::ErrorKind::InvalidData => "tls",
        _ => otherwise,
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// In seconds, or until a date; one that has passed, or nonsense, counts as none.
fn retry_after(headers: &HeaderMap, now: i64) -> Option<Duration> {
    let wanted = header(headers, "retry-after")?.trim();
    let is_number = !wanted.is_empty() && wanted.bytes().all(|byte| byte.is_ascii_digit());
    let wait = if is_number {
        // A number that no integer holds is a very long time.
        wanted.parse().map_or(LONGEST, Duration::from_secs)
    } else {
        let date = DateTimeParser::new().parse_timestamp(wanted).ok()?;
        let left = date.as_millisecond().checked_sub(now).filter(|left| *left > 0)?;
        Duration::from_millis(left.unsigned_abs())
    };
    Some(wait.min(LONGEST))
}

#[cfg(test)]
mod tests;
