//! The model over its wire: what it is asked, and what it says.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::*;

/// A conversation in each protocol: a question, a call of ours, its result.
fn conversations() -> [(&'static str, &'static str, Value); 4] {
    let anthropic = json!({
        "model": "m", "stream": true, "tools": [{"name": "Bash"}],
        "system": [{"type": "text", "text": "be kind"}],
        "messages": [
            {"role": "user", "content": "the question"},
            {"role": "assistant", "content": [{"type": "tool_use", "input": {"command": "own words"}}]},
            {"role": "user", "content": [{"type": "tool_result", "content": "the result"}]},
            {"role": "system", "content": "the question again"},
        ],
    });
    let chat = json!({
        "model": "m", "stream": true, "tools": [{"type": "function", "function": {"name": "bash"}}],
        "messages": [
            {"role": "system", "content": "be kind, the question again"},
            {"role": "user", "content": [{"type": "text", "text": "the question"}]},
            {"role": "assistant", "tool_calls": [{"id": "c", "function": {"arguments": "own words"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "the result"},
        ],
    });
    let responses = json!({
        "model": "m", "instructions": "be kind", "tools": [{"name": "exec_command"}],
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "the question"}]},
            {"type": "message", "role": "developer", "content": "the question again"},
            {"type": "function_call", "name": "exec_command", "arguments": "own words"},
            {"type": "function_call_output", "call_id": "c", "output": "the result"},
        ],
    });
    let gemini = json!({
        "systemInstruction": {"parts": [{"text": "be kind, the question again"}]},
        "tools": [{"functionDeclarations": []}],
        "contents": [
            {"role": "user", "parts": [{"text": "the question"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "x", "args": {"command": "own words"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"response": {"output": "the result"}}}]},
        ],
    });
    [
        ("anthropic", "/v1/messages?beta=true", anthropic),
        ("chat", "/v1/chat/completions", chat),
        ("responses", "/v1/responses", responses),
        ("gemini", "/v1beta/models/m:streamGenerateContent?alt=sse", gemini),
    ]
}

fn call() -> Reply {
    Reply::Call(ToolCall { namespace: None, name: "first", input: json!({"command": "step one"}) })
}

fn ask(model: &Model, path: &str, body: &str) -> String {
    let length = body.len();
    send(model, &format!("POST {path} HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}"))
}

fn send(model: &Model, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", model.port)).expect("the model listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn every_protocol_is_read_alike() {
    let model = Model::start().expect("loopback");
    for (name, path, body) in conversations() {
        ask(&model, path, &body.to_string());
        let request = model.requests().pop().expect("it was asked");
        let heard = request.heard.join("|");
        for text in ["be kind", "the question", "the question again", "the result"] {
            assert!(heard.contains(text), "{name}: {text} in {heard}");
        }
        assert!(!heard.contains("own words"), "{name}: what the model said itself is not told to it");
        assert_eq!(request.asked.join("|").matches("the question").count(), 1, "{name}: in the user's words");
        assert!(request.opening.ends_with("the question"), "{name}");
        assert_eq!((request.results, request.offers_tools, request.stream), (1, true, true), "{name}");
    }
}

#[test]
fn the_number_of_tool_results_picks_the_step() {
    let model = Model::start().expect("loopback");
    for (name, path, body) in conversations() {
        let first = "messages,input,contents".split(',').find(|key| body.get(key).is_some()).expect("a key");
        let mut opening = body.clone();
        opening[first] = json!([body[first][0]]);
        model.follow(Plan { main: vec![call(), Reply::Text("step two".to_owned())], subagents: Vec::new() });
        for _ in 0..2 {
            assert!(ask(&model, path, &opening.to_string()).contains("step one"), "{name}: asked twice");
        }
        assert!(ask(&model, path, &body.to_string()).contains("step two"), "{name}");
        let plan = vec![("question", vec![Reply::Text("to a subagent".to_owned())])];
        model.follow(Plan { main: vec![call()], subagents: plan });
        assert!(ask(&model, path, &body.to_string()).contains("to a subagent"), "{name}");
    }
}

#[test]
fn what_is_beside_the_conversation_changes_nothing() {
    let model = Model::start().expect("loopback");
    model.follow(Plan { main: vec![call()], subagents: Vec::new() });
    let untitled = json!({"messages": [{"role": "user", "content": "name this"}]}).to_string();
    assert!(ask(&model, "/v1/messages", &untitled).contains("title"), "no tools, no tool call");
    assert!(ask(&model, "/v1/messages/count_tokens", "{}").contains("input_tokens"));
    assert!(send(&model, "GET /v1/models HTTP/1.1\r\n\r\n").contains("\"data\":[]"));
    assert_eq!(model.strangers(), Vec::<String>::new());
    assert!(ask(&model, "/v1/unheard-of", "{}").starts_with("HTTP/1.1 404"));
    assert_eq!(model.strangers(), ["POST /v1/unheard-of"]);
}

#[test]
fn a_body_in_chunks_is_one_body() {
    let model = Model::start().expect("loopback");
    let (_, path, body) = conversations()[0].clone();
    let body = body.to_string();
    let (left, right) = body.split_at(body.len() / 2);
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let head = format!("POST {path} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    send(&model, &format!("{head}{}{}0\r\n\r\n", chunk(left), chunk(right)));
    assert_eq!(model.requests().len(), 1);
}
