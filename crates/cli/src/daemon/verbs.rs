//! What can be asked beside events, and how a line is read.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use boathook_engine::remote::verbs::{CancelParams, LogParams, VERBS};
use boathook_engine::remote::wire::{RpcError, codes};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::connection::{Connection, to_raw};
use super::looks;
use super::room::is_sound;
use super::service::wrong;
use crate::commands::log::filter::Filter;

/// A line that was understood as a call.
pub struct Asked<'l> {
    pub id: Option<Value>,
    pub method: Cow<'l, str>,
    params: Option<&'l RawValue>,
}

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(borrow, default)]
    jsonrpc: Option<Cow<'l, str>>,
    #[serde(default)]
    id: Option<Value>,
    #[serde(borrow, default)]
    method: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    params: Option<&'l RawValue>,
}

impl<'l> Asked<'l> {
    /// Reads a line; an error comes with the id, as far as there is one.
    pub fn read(line: &'l [u8]) -> Result<Asked<'l>, (Value, RpcError)> {
        if line.trim_ascii_start().starts_with(b"[") {
            let message = "batches are not taken: write one call on each line";
            return Err((Value::Null, refused(codes::REQUEST, message)));
        }
        let read: Line<'l> = serde_json::from_slice(line).map_err(|error| {
            let is_json = serde_json::from_slice::<&RawValue>(line).is_ok();
            let code = if is_json { codes::REQUEST } else { codes::PARSE };
            (Value::Null, RpcError { code, message: format!("the line is no call of JSON-RPC 2.0: {error}") })
        })?;
        let id = read.id;
        if !matches!(id, None | Some(Value::Number(_) | Value::String(_))) {
            return Err((Value::Null, refused(codes::REQUEST, "an id is a number or a text")));
        }
        let known = id.clone().unwrap_or(Value::Null);
        if read.jsonrpc.as_deref() != Some("2.0") {
            return Err((known, refused(codes::REQUEST, r#"a call says "jsonrpc": "2.0""#)));
        }
        let Some(method) = read.method else {
            return Err((known, refused(codes::REQUEST, "a call has a method")));
        };
        Ok(Asked { id, method, params: read.params })
    }

    /// Its parameters.
    pub fn params<P: DeserializeOwned>(&self) -> Result<P, RpcError> {
        let text = self.params.map_or("{}", RawValue::get);
        serde_json::from_str(text)
            .map_err(|error| wrong(format!("the parameters of `{}`: {error}", self.method)))
    }
}

/// Answers everything but `handle`.
pub fn answer(connection: &Arc<Connection>, asked: &Asked<'_>) {
    let result = guarded(|| result_of(connection, asked));
    match (&asked.id, result) {
        (Some(id), result) => connection.answer(id, result),
        // The only one that makes sense without an answer.
        (None, Ok(_)) if asked.method == "cancel" => {}
        (None, Err(error)) => connection.answer(&Value::Null, Err(error)),
        (None, Ok(_)) => {
            let error = refused(codes::REQUEST, "a call needs an id: its answer must reach somebody");
            connection.answer(&Value::Null, Err(error));
        }
    }
}

/// A fault of ours is an error, and the connection goes on.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, RpcError>) -> Result<T, RpcError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(refused(codes::INTERNAL, "the daemon failed on this call; ask the engine in process"))
    })
}

fn result_of(connection: &Arc<Connection>, asked: &Asked<'_>) -> Result<Box<RawValue>, RpcError> {
    let service = &connection.service;
    match &*asked.method {
        "log" => looks::log(service, &asked.params()?),
        // Without files to be opened there seem to be no hooks.
        "list" | "problems" | "has_hook" => {
            let watch = service.watch()?;
            let value = value_of(connection, asked)?;
            is_sound(watch)?;
            to_raw(&value)
        }
        _ => to_raw(&value_of(connection, asked)?),
    }
}

fn value_of(connection: &Arc<Connection>, asked: &Asked<'_>) -> Result<Value, RpcError> {
    let service = &connection.service;
    match &*asked.method {
        "list" => looks::list(service, &asked.params()?),
        "problems" => looks::problems(service, &asked.params()?),
        "sessions" => looks::sessions(service),
        "status" => looks::status(service),
        "has_hook" => looks::has_hook(service, &asked.params()?),
        "reload" => {
            service.engines.reload();
            Ok(json!({ "reloaded": true }))
        }
        "subscribe" => {
            let filter = filter(&asked.params()?)?;
            if let Some(id) = &asked.id {
                service.feed.add((connection.number, id.clone()), &connection.outbox, filter);
            }
            Ok(json!({ "subscribed": true }))
        }
        "cancel" => {
            let params: CancelParams = asked.params()?;
            Ok(json!({ "cancelled": connection.cancel(&params.id) }))
        }
        other => {
            let other: String = other.chars().take(64).collect();
            let message = format!("there is no method `{other}`; there are {}", VERBS.join(", "));
            Err(RpcError { code: codes::METHOD, message })
        }
    }
}

/// Which records are wanted.
pub fn filter(params: &LogParams) -> Result<Filter, RpcError> {
    Filter::of(params).map_err(wrong)
}

fn refused(code: i32, message: &str) -> RpcError {
    RpcError { code, message: message.to_owned() }
}
