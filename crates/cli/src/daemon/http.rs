//! The daemon over HTTP, for agents that ask that way and for hosts: the same
//! service as behind the socket.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use boathook_engine::remote::wire::{HandleParams, Handled, RpcError, codes};
use boathook_engine::run::Cancel;
use boathook_server::listener::{Answer, Answering, Asked, Listening};
use boathook_server::random::secret;
use serde_json::value::RawValue;

use super::service::{Service, wrong};
use super::{agents, looks};
use crate::error::Failed;
use crate::http_address::HttpAddress;

/// Below the ports that systems give to whoever asks for any.
const PORTS: std::ops::Range<u16> = 20_000..30_000;
/// So many are tried.
const TRIES: usize = 50;

/// A port that is ours from now on: the one that was typed, else the one that
/// agents have in their settings, else any.
pub fn listen(state: &Path, typed: Option<u16>) -> Result<(Listening, HttpAddress), Failed> {
    let kept = HttpAddress::read(state)?;
    let wanted = typed.or(kept.as_ref().map(|kept| kept.port));
    let listening = match wanted {
        Some(port) => Listening::at(port).map_err(|error| taken(port, &error))?,
        None => anywhere()?,
    };
    let token = match &kept {
        Some(kept) => kept.token.clone(),
        None => secret()
            .map_err(|error| Failed::other(format!("no token could be made: {error}"), "try again"))?,
    };
    let address = HttpAddress { port: listening.address().port(), token };
    if kept.as_ref() != Some(&address) {
        address.keep(state)?;
    }
    Ok((listening, address))
}

/// Answers on a thread of its own until `ending`.
pub fn start(
    service: &Arc<Service>,
    listening: Listening,
    address: HttpAddress,
    ending: Cancel,
) -> Result<JoinHandle<io::Result<()>>, Failed> {
    let answering = Arc::new(Http { service: Arc::clone(service) });
    let serve = move || listening.serve(address.token, answering, &ending);
    thread::Builder::new()
        .name("http".to_owned())
        .spawn(serve)
        .map_err(|error| Failed::other(format!("no thread could be started: {error}"), "try again"))
}

struct Http {
    service: Arc<Service>,
}

impl Answering for Http {
    fn answer(&self, asked: Asked, gone: Arc<AtomicBool>, tell: Box<dyn FnOnce(Answer) + Send>) {
        match asked {
            Asked::Status => tell(match looks::status(&self.service) {
                Ok(status) => Answer::good(status.to_string()),
                Err(error) => refused(&error),
            }),
            Asked::Event { event, payload, cwd } => {
                tell(match handle(&self.service, event, payload, cwd, gone) {
                    Ok(handled) => {
                        let json = serde_json::to_string(&handled);
                        json.map_or_else(|error| Answer::refused(500, &error.to_string()), Answer::good)
                    }
                    Err(error) => refused(&error),
                });
            }
            Asked::Agent { name, event, told } => {
                agents::answer(&self.service, &name, event.as_deref(), &told, gone, tell);
            }
        }
    }
}

fn handle(
    service: &Arc<Service>,
    event: String,
    payload: Vec<u8>,
    cwd: Option<String>,
    gone: Arc<AtomicBool>,
) -> Result<Handled, RpcError> {
    let no_json = |error: String| wrong(format!("the body is no JSON: {error}"));
    let payload = String::from_utf8(payload).map_err(|error| no_json(error.to_string()))?;
    let payload = RawValue::from_string(payload).map_err(|error| no_json(error.to_string()))?;
    let params = HandleParams {
        event,
        payload,
        workspaces: Vec::new(),
        cwd: cwd.map(PathBuf::from),
        surface: None,
        remote: false,
        cannot_ask: false,
        edition: None,
        caller: None,
        beat: false,
    };
    service.handle(params, &service.cancel(move || gone.load(Ordering::SeqCst)))
}

fn refused(error: &RpcError) -> Answer {
    let status = match error.code {
        codes::PARSE | codes::REQUEST | codes::METHOD | codes::PARAMS => 400,
        codes::TOO_LONG => 413,
        codes::BUSY | codes::CANCELLED | codes::ENDING => 503,
        _ => 500,
    };
    Answer::refused(status, &error.message)
}

fn anywhere() -> Result<Listening, Failed> {
    let mut trouble = None;
    for _ in 0..TRIES {
        match any_port().and_then(Listening::at) {
            Ok(listening) => return Ok(listening),
            Err(error) => trouble = Some(error),
        }
    }
    let why = trouble.map_or_else(String::new, |error| format!(" ({error})"));
    Err(Failed::other(format!("no port of the loopback was free{why}"), "name one: `--http PORT`"))
}

fn any_port() -> io::Result<u16> {
    let digits = secret()?;
    let number = u32::from_str_radix(&digits[..8], 16).unwrap_or_default();
    let room = u32::from(PORTS.end - PORTS.start);
    Ok(PORTS.start + u16::try_from(number % room).unwrap_or_default())
}

fn taken(port: u16, error: &io::Error) -> Failed {
    let problem = match error.kind() {
        io::ErrorKind::AddrInUse => format!("port {port} of the loopback is in use by another program"),
        _ => format!("port {port} of the loopback cannot be listened at: {error}"),
    };
    let help = "free it, or choose another with `--http PORT`; agents that are wired over HTTP must be wired again then";
    Failed::other(problem, help)
}
