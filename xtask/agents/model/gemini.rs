//! Gemini's generateContent and streamGenerateContent.

use serde_json::{Value, json};

use super::http::Response;
use super::{Protocol, Reply, Request, items, texts};

pub const PROTOCOL: Protocol = Protocol { speaks, read, write };

fn speaks(path: &str) -> bool {
    path.contains(":generateContent") || path.contains(":streamGenerateContent")
}

fn read(path: &str, body: &Value) -> Request {
    let mut request = Request {
        heard: texts(&body["systemInstruction"]),
        offers_tools: !items(&body["tools"]).is_empty(),
        stream: path.contains(":streamGenerateContent"),
        ..Request::default()
    };
    let heard = items(&body["contents"]).iter().filter(|content| content["role"] != "model");
    for parts in heard.map(|content| &content["parts"]) {
        request.results += items(parts).iter().filter(|part| part.get("functionResponse").is_some()).count();
        let said = texts(parts);
        if request.results == 0 {
            request.opening.push_str(&said.join("\n"));
        }
        request.asked.extend(said.iter().cloned());
        request.heard.extend(said);
    }
    request
}

fn write(request: &Request, reply: &Reply) -> Response {
    let part = match reply {
        Reply::Text(text) => json!({"text": text}),
        Reply::Call(call) => json!({"functionCall": {"name": call.name, "args": call.input}}),
    };
    let answer = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
        "modelVersion": "fake",
    });
    if request.stream { Response::events(format!("data: {answer}\r\n\r\n")) } else { Response::json(&answer) }
}
