//! The three dialects: how a sheet is sent, and where the verdict stands.
//!
//! Each is asked for an object of one shape by the means its API has for that,
//! and whatever else comes back is a failure.

use boathook_engine::judge::{Verdict, read_verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::sheet::Sheet;

/// The tool and the schema are called so.
const NAME: &str = "verdict";
/// A verdict is a sentence or two; Anthropic's API wants a number.
const MOST_TOKENS: u32 = 1024;

/// Whose API is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The Messages API: the verdict is the input of a tool that must be used.
    Anthropic,
    /// Chat completions, of OpenAI and all that imitate it.
    OpenAi,
    /// Ollama's own chat.
    Ollama,
}

impl Provider {
    /// Where it is asked when the user names no endpoint.
    pub fn home(self) -> &'static str {
        match self {
            Provider::Anthropic => "https://api.anthropic.com",
            Provider::OpenAi => "https://api.openai.com/v1",
            Provider::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// Where its key usually stands.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Provider::Anthropic => Some("ANTHROPIC_API_KEY"),
            Provider::OpenAi => Some("OPENAI_API_KEY"),
            Provider::Ollama => None,
        }
    }

    /// Behind the endpoint.
    pub fn path(self) -> &'static str {
        match self {
            Provider::Anthropic => "/v1/messages",
            Provider::OpenAi => "/chat/completions",
            Provider::Ollama => "/api/chat",
        }
    }

    /// The headers that carry a key.
    pub fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Provider::Anthropic => ("x-api-key", key.to_owned()),
            Provider::OpenAi | Provider::Ollama => ("authorization", format!("Bearer {key}")),
        }
    }

    /// Headers that it wants beside the usual ones.
    pub fn more_headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Provider::Anthropic => &[("anthropic-version", "2023-06-01")],
            Provider::OpenAi | Provider::Ollama => &[],
        }
    }

    /// The body of a request.
    ///
    /// No temperature where newer models refuse one. Ollama must neither cut
    /// the input nor forget its beginning, and is told nothing about thinking:
    /// it forgets the format where that is switched off.
    pub fn request(self, model: &str, sheet: &Sheet) -> Vec<u8> {
        let messages = json!([
            { "role": "system", "content": sheet.instruction },
            { "role": "user", "content": sheet.data },
        ]);
        let body = match self {
            Provider::Anthropic => json!({
                "model": model,
                "max_tokens": MOST_TOKENS,
                "system": sheet.instruction,
                "messages": [{ "role": "user", "content": sheet.data }],
                "tools": [{ "name": NAME, "description": "Gives the verdict.", "input_schema": schema() }],
                "tool_choice": { "type": "tool", "name": NAME },
            }),
            Provider::OpenAi => json!({
                "model": model,
                "messages": messages,
                "response_format": {
                    "type": "json_schema",
                    "json_schema": { "name": NAME, "strict": true, "schema": schema() },
                },
            }),
            Provider::Ollama => json!({
                "model": model,
                "messages": messages,
                "format": schema(),
                "stream": false,
                "truncate": false,
                "shift": false,
                "options": { "temperature": 0 },
            }),
        };
        body.to_string().into_bytes()
    }

    /// The verdict in the body of an answer.
    pub fn read(self, body: &[u8]) -> Result<Verdict, String> {
        match self {
            Provider::Anthropic => from_anthropic(parsed(body)?),
            Provider::OpenAi => from_openai(parsed(body)?),
            Provider::Ollama => read_verdict(&parsed::<OllamaAnswer>(body)?.message.content),
        }
    }
}

/// `{ok, reason}`.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "ok": { "type": "boolean", "description": "Whether the condition is met." },
            "reason": { "type": "string", "description": "Why, in one short sentence." },
        },
        "required": ["ok", "reason"],
        "additionalProperties": false,
    })
}

#[derive(Deserialize)]
struct AnthropicAnswer {
    content: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    name: Option<String>,
    input: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: ChatMessage,
}

#[derive(Deserialize)]
struct ChatMessage {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    message: OllamaMessage,
}

#[derive(Deserialize)]
struct OllamaMessage {
    content: String,
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    if body.trim_ascii().is_empty() {
        return Err("its answer is empty".to_owned());
    }
    serde_json::from_slice(body).map_err(|error| {
        if error.is_data() {
            format!("its answer is not one of this API: {error}")
        } else {
            "its answer is not JSON".to_owned()
        }
    })
}

fn from_anthropic(answer: AnthropicAnswer) -> Result<Verdict, String> {
    let mut used = answer.content.iter().filter(|block| block.kind == "tool_use");
    match (used.next(), used.next()) {
        (Some(Block { name: Some(name), input: Some(input), .. }), None) if name == NAME => {
            read_verdict(input.get())
        }
        _ => Err("its answer is not one verdict".to_owned()),
    }
}

fn from_openai(answer: OpenAiAnswer) -> Result<Verdict, String> {
    let [Choice { message }] = &answer.choices[..] else {
        return Err("its answer is not one verdict".to_owned());
    };
    match message {
        ChatMessage { refusal: Some(refusal), .. } if !refusal.is_empty() => {
            Err(format!("it refused to answer: {}", super::shortened(refusal)))
        }
        ChatMessage { content: Some(content), .. } => read_verdict(content),
        ChatMessage { content: None, .. } => Err("its answer is empty".to_owned()),
    }
}
