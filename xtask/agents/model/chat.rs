//! OpenAI's Chat Completions, streamed or not.

use serde_json::{Value, json};

use super::http::Response;
use super::{Protocol, Reply, Request, ToolCall, fresh_id, items, texts};

pub const PROTOCOL: Protocol = Protocol { speaks, read, write };

fn speaks(path: &str) -> bool {
    path.ends_with("/chat/completions")
}

fn read(_path: &str, body: &Value) -> Request {
    let mut request = Request {
        offers_tools: !items(&body["tools"]).is_empty(),
        stream: body["stream"] == true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        ..Request::default()
    };
    for message in items(&body["messages"]) {
        let said = texts(&message["content"]);
        match message["role"].as_str().unwrap_or_default() {
            "assistant" => continue,
            "tool" => request.results += 1,
            "user" => {
                request.asked.extend(said.iter().cloned());
                if request.results == 0 {
                    request.opening.push_str(&said.join("\n"));
                }
            }
            // Instructions.
            _ => {}
        }
        request.heard.extend(said);
    }
    request
}

fn write(request: &Request, reply: &Reply) -> Response {
    let (message, reason) = match reply {
        Reply::Text(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Reply::Call(call) => {
            (json!({"role": "assistant", "content": null, "tool_calls": [called(call)]}), "tool_calls")
        }
    };
    let id = fresh_id("chatcmpl");
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let envelope = |object: &str, choice: Value| {
        json!({
            "id": id, "object": object, "created": 0, "model": request.model,
            "choices": [choice], "usage": usage,
        })
    };
    if !request.stream {
        let choice = json!({"index": 0, "message": message, "finish_reason": reason});
        return Response::json(&envelope("chat.completion", choice));
    }
    let chunk = |delta: Value, reason: Value| {
        envelope("chat.completion.chunk", json!({"index": 0, "delta": delta, "finish_reason": reason}))
    };
    let (said, over) = (chunk(message, Value::Null), chunk(json!({}), json!(reason)));
    Response::events(format!("data: {said}\n\ndata: {over}\n\ndata: [DONE]\n\n"))
}

/// The index is part of a stream only, and harmless elsewhere.
fn called(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.input.to_string()});
    json!({"index": 0, "id": fresh_id("call"), "type": "function", "function": function})
}
