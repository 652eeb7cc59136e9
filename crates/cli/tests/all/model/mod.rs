//! A model of our own for prompt hooks: a server that answers as it is told,
//! and a place in which the binary asks it.

pub mod certificates;
pub mod server;

use std::ops::Deref;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::context::{TestContext, pipe};

/// The key of all tests. It must never be seen.
pub const KEY: &str = "sk-test-4711-do-not-show";
/// The three dialects.
pub const PROVIDERS: [&str; 3] = ["anthropic", "openai", "ollama"];

/// A user with prompt hooks.
pub struct User(TestContext);

impl Deref for User {
    type Target = TestContext;

    fn deref(&self) -> &TestContext {
        &self.0
    }
}

impl User {
    /// With these hooks on beforeShellExecution.
    pub fn with_hooks(hooks: &Value) -> User {
        User::with_hooks_on("beforeShellExecution", hooks)
    }

    pub fn with_hooks_on(event: &str, hooks: &Value) -> User {
        let user = User(TestContext::new());
        user.write("home/.cursor/hooks.json", json!({ "version": 1, "hooks": { event: hooks } }).to_string());
        user
    }

    /// And this judge; the key stands in `$KEY`.
    pub fn asking(self, provider: &str, endpoint: &str) -> User {
        self.with_judge(&format!(
            "provider = '{provider}'\nendpoint = '{endpoint}'\nmodel = 'small'\nkey_env = 'KEY'"
        ))
    }

    pub fn with_judge(self, table: &str) -> User {
        self.write("home/.config/boathook/config.toml", format!("[judge]\n{table}\n"));
        self
    }

    /// `boathook …` with the key in its environment, and no other key or proxy.
    pub fn boathook(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        for name in [
            "ANTHROPIC_API_KEY",
            "NO_PROXY",
            "no_proxy",
            "http_proxy",
            "OPENAI_API_KEY",
            "ALL_PROXY",
            "all_proxy",
            "HTTPS_PROXY",
            "https_proxy",
        ] {
            command.env_remove(name);
        }
        command.env("KEY", KEY);
        command
    }

    /// Asks about a shell command.
    pub fn ask(&self) -> Told {
        self.ask_about(&json!({ "command": "ls" }))
    }

    pub fn ask_about(&self, payload: &Value) -> Told {
        Told::of(pipe(self.boathook(&["run", "beforeShellExecution"]), payload.to_string().as_bytes()))
    }
}

/// What the binary said.
#[derive(Debug)]
pub struct Told {
    pub code: Option<i32>,
    pub answer: Value,
    pub stderr: String,
}

impl Told {
    /// The key is in none of it.
    pub fn of(output: Output) -> Told {
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(!stdout.contains(KEY) && !stderr.contains(KEY), "{stdout}\n{stderr}");
        Told {
            code: output.status.code(),
            answer: serde_json::from_str(&stdout).unwrap_or_default(),
            stderr: stderr.into_owned(),
        }
    }

    pub fn user_message(&self) -> &str {
        self.answer["user_message"].as_str().unwrap_or_default()
    }
}

/// One prompt hook.
pub fn prompt(more: &Value) -> Value {
    let mut hook = json!({ "type": "prompt", "prompt": "Is this safe? $ARGUMENTS", "timeout": 20 });
    if let (Value::Object(hook), Value::Object(more)) = (&mut hook, more.clone()) {
        hook.extend(more);
    }
    json!([hook])
}

/// The body of an answer whose verdict is this text.
pub fn verdict(provider: &str, verdict: &str) -> String {
    match provider {
        "anthropic" => format!(
            r#"{{"type":"message","role":"assistant","stop_reason":"tool_use","content":[{{"type":"tool_use","id":"t","name":"verdict","input":{verdict}}}]}}"#
        ),
        "openai" => json!({ "object": "chat.completion", "choices": [
            { "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": verdict, "refusal": null } }
        ]})
        .to_string(),
        "ollama" => json!({ "done": true, "message": { "role": "assistant", "content": verdict } }).to_string(),
        other => panic!("no provider {other}"),
    }
}
