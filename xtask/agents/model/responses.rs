//! OpenAI's Responses, always streamed.

use serde_json::{Value, json};

use super::http::Response;
use super::{Protocol, Reply, Request, ToolCall, fresh_id, items, named_events, texts};

pub const PROTOCOL: Protocol = Protocol { speaks, read, write };

fn speaks(path: &str) -> bool {
    path.ends_with("/responses")
}

fn read(_path: &str, body: &Value) -> Request {
    let mut request = Request {
        heard: texts(&body["instructions"]),
        offers_tools: !items(&body["tools"]).is_empty(),
        stream: true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        ..Request::default()
    };
    for item in items(&body["input"]) {
        match item["type"].as_str().unwrap_or("message") {
            "message" if item["role"] == "assistant" => {}
            "message" => {
                let said = texts(&item["content"]);
                if item["role"] == "user" {
                    request.asked.extend(said.iter().cloned());
                    if request.results == 0 {
                        request.opening.push_str(&said.join("\n"));
                    }
                }
                request.heard.extend(said);
            }
            kind if kind.ends_with("_output") => {
                request.results += 1;
                request.heard.extend(texts(&item["output"]));
            }
            // Calls and thoughts of the model itself.
            _ => {}
        }
    }
    request
}

fn write(request: &Request, reply: &Reply) -> Response {
    let item = match reply {
        Reply::Text(text) => json!({
            "type": "message", "id": fresh_id("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Reply::Call(call) => call_item(call),
    };
    let details = ("input_tokens_details", "output_tokens_details");
    let response = json!({
        "id": fresh_id("resp"), "object": "response", "created_at": 0, "status": "completed",
        "model": request.model, "output": [item],
        "usage": {
            "input_tokens": 10, "output_tokens": 5, "total_tokens": 15,
            details.0: {"cached_tokens": 0}, details.1: {"reasoning_tokens": 0},
        },
    });
    let mut begun = response.clone();
    (begun["status"], begun["output"]) = (json!("in_progress"), json!([]));
    named_events(&[
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response}),
    ])
}

fn call_item(call: &ToolCall) -> Value {
    let mut item = match &call.input {
        Value::String(text) => json!({"type": "custom_tool_call", "id": fresh_id("ctc"), "input": text}),
        input => json!({"type": "function_call", "id": fresh_id("fc"), "arguments": input.to_string()}),
    };
    item["call_id"] = json!(fresh_id("call"));
    item["name"] = json!(call.name);
    item["status"] = json!("completed");
    if let Some(namespace) = call.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}
