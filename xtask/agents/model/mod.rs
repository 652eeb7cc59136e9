//! A model of ours on loopback, which says what a scenario planned.
//!
//! Which step comes next is read from the request: it is the number of tool
//! results in it. So a request that is sent twice, and requests beside the
//! conversation (titles, token counts, lists of models), change nothing.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod responses;

use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};

use crate::Outcome;

/// One wire protocol: how to know it, read it and write it.
struct Protocol {
    /// Whether a path belongs to it and asks for an answer of the model.
    speaks: fn(path: &str) -> bool,
    /// From the wire.
    read: fn(path: &str, body: &Value) -> Request,
    /// To the wire.
    write: fn(request: &Request, reply: &Reply) -> http::Response,
}

/// Every protocol we speak. One file each.
const PROTOCOLS: &[Protocol] = &[anthropic::PROTOCOL, chat::PROTOCOL, responses::PROTOCOL, gemini::PROTOCOL];

/// A request to the model, whatever the protocol.
#[derive(Debug, Default, Clone)]
pub struct Request {
    /// Every text that comes from outside the model: system, user, tool results.
    pub heard: Vec<String>,
    /// Those of them that are messages of the user: an agent may tell its model
    /// the same thing again in another role.
    pub asked: Vec<String>,
    /// The texts of the user's messages before the first tool result.
    pub opening: String,
    /// How many tool results it holds.
    pub results: usize,
    /// Without tools it is no part of the conversation.
    pub offers_tools: bool,
    /// Whether the answer is a stream.
    pub stream: bool,
    /// What it calls the model.
    pub model: String,
}

/// What the model says.
#[derive(Debug, Clone)]
pub enum Reply {
    /// A last word.
    Text(String),
    /// A tool call.
    Call(ToolCall),
}

/// A tool call in the names of one agent.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// Where the protocol knows groups of tools.
    pub namespace: Option<&'static str>,
    /// The tool.
    pub name: &'static str,
    /// Its input. A string is the input of a tool without a schema.
    pub input: Value,
}

/// What the model will say.
#[derive(Debug, Default, Clone)]
pub struct Plan {
    /// One reply per tool result; the last one is repeated.
    pub main: Vec<Reply>,
    /// The same for a subagent: who is asked with this word in the opening.
    pub subagents: Vec<(&'static str, Vec<Reply>)>,
}

impl Plan {
    fn reply(&self, request: &Request) -> Reply {
        if !request.offers_tools {
            return Reply::Text(BESIDE.to_owned());
        }
        let subagent = self.subagents.iter().find(|(word, _)| request.opening.contains(word));
        let steps = subagent.map_or(&self.main, |(_, steps)| steps);
        let step = steps.get(request.results).or(steps.last());
        step.cloned().unwrap_or_else(|| Reply::Text("Done.".to_owned()))
    }
}

/// The answer to a request beside the conversation; some agents want JSON there.
const BESIDE: &str = r#"{"title":"A task","reasoning":"none","next_speaker":"user","model_choice":"flash"}"#;

/// The model, as long as this value lives.
pub struct Model {
    /// Its port on loopback.
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    plan: Mutex<Plan>,
    requests: Mutex<Vec<Request>>,
    /// The same as they came, one a line: to find out what an agent offers.
    bodies: Mutex<String>,
    /// Paths nobody here speaks: to find out what a new agent wants.
    strangers: Mutex<Vec<String>>,
    over: AtomicBool,
}

impl Model {
    /// Starts to listen. The plan comes later: it may name the port.
    pub fn start() -> Outcome<Model> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| format!("loopback: {error}"))?;
        let port = listener.local_addr().map_err(|error| format!("loopback: {error}"))?.port();
        let shared = Arc::new(Shared {
            plan: Mutex::default(),
            requests: Mutex::default(),
            bodies: Mutex::default(),
            strangers: Mutex::default(),
            over: AtomicBool::new(false),
        });
        let model = Model { port, shared: Arc::clone(&shared) };
        thread::spawn(move || listen(&listener, &shared));
        Ok(model)
    }

    /// What it will say from now on.
    pub fn follow(&self, plan: Plan) {
        *lock(&self.shared.plan) = plan;
    }

    /// Everything it was asked so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }

    /// The same as they came, one a line.
    pub fn bodies(&self) -> String {
        lock(&self.shared.bodies).clone()
    }

    /// Requests it did not understand: method and path.
    pub fn strangers(&self) -> Vec<String> {
        lock(&self.shared.strangers).clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.over.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        // An error here is a client that went away: nobody is left to tell.
        thread::spawn(move || {
            let _ = serve(&stream, &shared);
        });
    }
}

fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    let Some(message) = http::read(stream)? else { return Ok(()) };
    let response = answer(&message, shared);
    http::write(stream, &response)
}

fn answer(message: &http::Message, shared: &Shared) -> http::Response {
    let protocol = PROTOCOLS.iter().find(|protocol| (protocol.speaks)(&message.path));
    let body: Option<Value> = serde_json::from_slice(&message.body).ok();
    match (message.method.as_str(), protocol, body) {
        ("POST", Some(protocol), Some(body)) => {
            let request = (protocol.read)(&message.path, &body);
            lock(&shared.bodies).push_str(&format!("{body}\n"));
            let reply = lock(&shared.plan).reply(&request);
            let response = (protocol.write)(&request, &reply);
            lock(&shared.requests).push(request);
            response
        }
        ("POST", None, _) if counts_tokens(&message.path) => {
            http::Response::json(&json!({"input_tokens": 10, "totalTokens": 10}))
        }
        ("GET" | "HEAD", _, _) => http::Response::json(&json!({"object": "list", "data": [], "models": []})),
        (method, _, _) => {
            lock(&shared.strangers).push(format!("{method} {}", message.path));
            http::Response::not_found()
        }
    }
}

fn counts_tokens(path: &str) -> bool {
    path.contains("count_tokens") || path.contains(":countTokens")
}

/// A panic elsewhere must not hide behind a poisoned lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Every string inside a value.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The items of a list, or nothing.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A name no other reply has.
fn fresh_id(prefix: &str) -> String {
    use std::sync::atomic::AtomicUsize;
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    format!("{prefix}_{:08}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Server-sent events, each named after its `type`.
fn named_events(events: &[Value]) -> http::Response {
    let lines = events.iter().map(|event| {
        let name = event["type"].as_str().unwrap_or_default();
        format!("event: {name}\ndata: {event}\n\n")
    });
    http::Response::events(lines.collect())
}

#[cfg(test)]
mod tests;
