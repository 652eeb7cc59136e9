//! Anthropic's Messages, streamed or not.

use serde_json::{Value, json};

use super::http::Response;
use super::{Protocol, Reply, Request, fresh_id, items, named_events, texts};

pub const PROTOCOL: Protocol = Protocol { speaks, read, write };

fn speaks(path: &str) -> bool {
    path.contains("/v1/messages") && !path.contains("count_tokens")
}

fn read(_path: &str, body: &Value) -> Request {
    let mut request = Request {
        heard: texts(&body["system"]),
        offers_tools: !items(&body["tools"]).is_empty(),
        stream: body["stream"] == true,
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        ..Request::default()
    };
    let heard = items(&body["messages"]).iter().filter(|message| message["role"] != "assistant");
    for (role, content) in heard.map(|message| (&message["role"], &message["content"])) {
        request.results += items(content).iter().filter(|block| block["type"] == "tool_result").count();
        let said = texts(content);
        if role == "user" {
            request.asked.extend(said.iter().cloned());
            if request.results == 0 {
                request.opening.push_str(&said.join("\n"));
            }
        }
        request.heard.extend(said);
    }
    request
}

fn write(request: &Request, reply: &Reply) -> Response {
    let (block, reason) = match reply {
        Reply::Text(text) => (json!({"type": "text", "text": text}), "end_turn"),
        Reply::Call(call) => {
            let id = fresh_id("toolu");
            (json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input}), "tool_use")
        }
    };
    let message = json!({
        "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": request.model,
        "content": [block], "stop_reason": reason, "stop_sequence": null,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    });
    if request.stream { stream(&message, &block, reason) } else { Response::json(&message) }
}

/// The message in pieces: it begins empty, and its block does too.
fn stream(message: &Value, block: &Value, reason: &str) -> Response {
    let (mut empty, mut opened) = (message.clone(), block.clone());
    (empty["content"], empty["stop_reason"]) = (json!([]), Value::Null);
    let delta = if reason == "tool_use" {
        opened["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    } else {
        opened["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    };
    let end = json!({"stop_reason": reason, "stop_sequence": null});
    named_events(&[
        json!({"type": "message_start", "message": empty}),
        json!({"type": "content_block_start", "index": 0, "content_block": opened}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ])
}
