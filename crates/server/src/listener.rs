//! The listener for agents and hosts that ask over HTTP: who comes in, what was
//! asked, and the answer on its way back. What is answered is decided elsewhere.
//!
//! Never an empty body: an agent takes that for «go on».

mod body;
mod door;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use boathook_engine::run::Cancel;
use serde::Deserialize;
use tokio::sync::{Semaphore, oneshot};

use crate::connection::{self, Guarded};
use crate::doorkeeper::Doorkeeper;

/// So many requests are at work at once: more than connections, because some
/// go on when their answer is out.
const MOST_AT_WORK: usize = 320;
/// How often it is looked whether it is time to end,
const LOOK_UP: Duration = Duration::from_millis(100);
/// and how long those who were let in have then.
const PARTING: Duration = Duration::from_secs(8);

/// What somebody wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// How the daemon is.
    Status,
    /// What hooks decide about an event.
    Event {
        /// Its name.
        event: String,
        /// Its payload.
        payload: Vec<u8>,
        /// Where the caller is.
        cwd: Option<String>,
    },
    /// What an agent is answered.
    Agent {
        /// The agent's name.
        name: String,
        /// The event by the agent's name, where its payload does not hold it.
        event: Option<String>,
        /// What it tells.
        told: Vec<u8>,
    },
}

/// What somebody gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status; 2xx only for what was asked for.
    pub status: u16,
    /// The body.
    pub json: String,
}

/// Who answers. Called on a thread that may be held.
pub trait Answering: Send + Sync + 'static {
    /// Answers by `tell`, and may go on with what nobody waits for. `gone` says
    /// that nobody waits for the answer either.
    fn answer(&self, asked: Asked, gone: Arc<AtomicBool>, tell: Box<dyn FnOnce(Answer) + Send>);
}

/// A port that is listened at, and nothing answered yet.
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
}

/// What all requests share.
struct Shared {
    door: Doorkeeper,
    answering: Arc<dyn Answering>,
    room: Arc<Semaphore>,
}

impl Answer {
    /// What was asked for.
    pub fn good(json: String) -> Answer {
        Answer { status: StatusCode::OK.as_u16(), json }
    }

    /// Why it is not given, in a sentence.
    pub fn refused(status: u16, sentence: &str) -> Answer {
        Answer { status, json: serde_json::json!({ "error": sentence }).to_string() }
    }
}

impl Listening {
    /// At this port of the loopback.
    pub fn at(port: u16) -> io::Result<Listening> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        listener.set_nonblocking(true)?;
        Ok(Listening { address: listener.local_addr()?, listener })
    }

    /// Where.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers those who know the token until `ending` says that it is enough.
    pub fn serve(self, token: String, answering: Arc<dyn Answering>, ending: &Cancel) -> io::Result<()> {
        let door = Doorkeeper::new(self.address, token);
        let shared = Shared { door, answering, room: body::room() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MOST_AT_WORK)
            .build()?;
        let result = runtime.block_on(async {
            let listener = Guarded::of(tokio::net::TcpListener::from_std(self.listener)?);
            let service = router(shared).into_make_service_with_connect_info::<connection::Activity>();
            let serving = axum::serve(listener, service).with_graceful_shutdown(ended(ending.clone()));
            tokio::select! {
                result = serving.into_future() => result,
                () = parted(ending.clone()) => Ok(()),
            }
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        result
    }
}

fn router(shared: Shared) -> Router {
    let shared = Arc::new(shared);
    Router::new()
        .route("/status", get(status))
        .route("/handle/{event}", post(handle))
        .route("/agents/{name}", post(agent))
        .fallback(async || sentence(StatusCode::NOT_FOUND, NOWHERE))
        .method_not_allowed_fallback(async || sentence(StatusCode::METHOD_NOT_ALLOWED, OTHER_METHOD))
        .layer(from_fn_with_state(Arc::clone(&shared), door::inside))
        .layer(from_fn(connection::noted))
        .with_state(shared)
}

const NOWHERE: &str =
    "there is no such address; there are POST /agents/NAME, POST /handle/EVENT and GET /status";
const OTHER_METHOD: &str = "POST /agents/NAME and /handle/EVENT, GET /status";

const UNREADABLE: &str = "the address cannot be read; behind a name there is one `?event=EVENT` at most";

/// What may stand behind an agent's address.
#[derive(Debug, Deserialize)]
struct Named {
    event: Option<String>,
}

/// What may stand behind an event's.
#[derive(Debug, Deserialize)]
struct Caller {
    cwd: Option<String>,
}

async fn status(State(shared): State<Arc<Shared>>) -> Response {
    ask(&shared, Asked::Status).await
}

async fn handle(
    State(shared): State<Arc<Shared>>,
    event: Result<Path<String>, PathRejection>,
    caller: Result<Query<Caller>, QueryRejection>,
    request: Request,
) -> Response {
    let (Ok(Path(event)), Ok(Query(Caller { cwd }))) = (event, caller) else {
        return sentence(StatusCode::BAD_REQUEST, UNREADABLE);
    };
    match body::read(&shared.room, request).await {
        Ok((payload, _room)) => ask(&shared, Asked::Event { event, payload, cwd }).await,
        Err(refusal) => refusal,
    }
}

async fn agent(
    State(shared): State<Arc<Shared>>,
    name: Result<Path<String>, PathRejection>,
    named: Result<Query<Named>, QueryRejection>,
    request: Request,
) -> Response {
    let (Ok(Path(name)), Ok(Query(named))) = (name, named) else {
        return sentence(StatusCode::BAD_REQUEST, UNREADABLE);
    };
    let mut response = match body::read(&shared.room, request).await {
        Ok((told, _room)) => ask(&shared, Asked::Agent { name, event: named.event, told }).await,
        Err(refusal) => refusal,
    };
    // One that is kept could be closed in the moment an agent takes it again,
    // and that would be a failure that shuts its gate.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Has it answered where that may take time.
async fn ask(shared: &Shared, asked: Asked) -> Response {
    let waiting = Waiting::default();
    let (answering, gone) = (Arc::clone(&shared.answering), Arc::clone(&waiting.gone));
    let (tell, answer) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        answering.answer(asked, gone, Box::new(move |answer| drop(tell.send(answer))));
    });
    let answer = answer.await;
    waiting.is_over();
    match answer {
        Ok(Answer { status, json }) => {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, "no-store")], json)
                .into_response()
        }
        Err(_) => sentence(StatusCode::INTERNAL_SERVER_ERROR, "the daemon failed on this request"),
    }
}

const JSON: &str = "application/json";

/// Somebody waits. When the connection closes, this is dropped with all else
/// that was done for it.
#[derive(Default)]
struct Waiting {
    gone: Arc<AtomicBool>,
    over: AtomicBool,
}

impl Waiting {
    /// The answer is there.
    fn is_over(&self) {
        self.over.store(true, Ordering::SeqCst);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.over.load(Ordering::SeqCst) {
            self.gone.store(true, Ordering::SeqCst);
        }
    }
}

/// A refusal that says why.
fn sentence(status: StatusCode, words: &str) -> Response {
    let Answer { json, .. } = Answer::refused(status.as_u16(), words);
    (status, [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, "no-store")], json).into_response()
}

async fn ended(ending: Cancel) {
    while !ending.is_cancelled() {
        tokio::time::sleep(LOOK_UP).await;
    }
}

async fn parted(ending: Cancel) {
    ended(ending).await;
    tokio::time::sleep(PARTING).await;
}
