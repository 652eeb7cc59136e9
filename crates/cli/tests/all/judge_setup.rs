//! The `[judge]` table: where keys come from, who may choose, what is touched
//! and when, and what a person sees of it.

use std::path::Path;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context;
use crate::model::server::{Server, answers};
use crate::model::{KEY, Told, User, prompt, verdict};

const OK: &str = r#"{"ok":true,"reason":""}"#;

#[test]
fn a_key_comes_from_the_environment_or_a_command() {
    let cases = [
        ("a variable", "key_env = 'KEY'".to_owned(), Some(format!("Bearer {KEY}"))),
        ("a command", "key_command = 'printf %s \"$KEY\"'".to_owned(), Some(format!("Bearer {KEY}"))),
        ("a command with a line end", "key_command = 'echo $KEY'".to_owned(), Some(format!("Bearer {KEY}"))),
        ("none for an endpoint of one's own", String::new(), None),
    ];
    for (name, key, expected) in cases {
        let server = Server::start(answers(200, "", verdict("openai", OK)));
        let table = format!("provider='openai'\nendpoint='{}'\nmodel='m'\n{key}", server.url());
        let user = User::with_hooks(&prompt(&json!({}))).with_judge(&table);
        let mut command = user.boathook(&["run", "beforeShellExecution"]);
        // The usual variable is for the usual address: it goes nowhere else.
        command.env("OPENAI_API_KEY", "sk-for-somebody-else");
        let told = Told::of(context::pipe(command, b"{}"));
        assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
        assert_eq!(told.stderr, "", "{name}");
        assert_eq!(server.requests()[0].header("authorization"), expected.as_deref(), "{name}");
    }
}

#[test]
fn without_a_key_nothing_is_sent() {
    let cases = [
        ("not set", "key_env = 'NO_SUCH_KEY'", "the key is missing: $NO_SUCH_KEY is not set"),
        ("empty", "key_command = 'true'", "the key is empty"),
        ("two lines", "key_command = 'echo a; echo b'", "not one word of ASCII"),
        ("failing", "key_command = 'echo $KEY; echo $KEY >&2; exit 3'", "`key_command` exited with code 3"),
        ("absent", "key_command = '/no/such/program'", "`key_command` exited with code 127"),
        ("slow", "key_command = 'sleep 600'", "`key_command` did not end before the hook's timeout"),
    ];
    let server = Server::start(answers(200, "", verdict("openai", OK)));
    for (name, key, expected) in cases {
        let table = format!("provider='openai'\nendpoint='{}'\nmodel='m'\n{key}", server.url());
        let hook = prompt(&json!({ "failClosed": true, "timeout": if name == "slow" { 1 } else { 20 } }));
        let told = User::with_hooks(&hook).with_judge(&table).ask();
        assert_eq!(told.code, Some(2), "{name}: {}", told.stderr);
        assert!(told.user_message().contains(expected), "{name}: {}", told.stderr);
    }
    assert!(server.requests().is_empty(), "a request was sent without its key");
}

#[test]
fn the_usual_variable_is_for_the_usual_address() {
    for (provider, variable) in [("anthropic", "ANTHROPIC_API_KEY"), ("openai", "OPENAI_API_KEY")] {
        let table = format!("provider='{provider}'\nmodel='m'");
        let told = User::with_hooks(&prompt(&json!({}))).with_judge(&table).ask();
        assert!(told.stderr.contains(&format!("${variable} is not set")), "{}", told.stderr);
    }
}

#[test]
fn the_keys_command_runs_at_home_and_leaves_nothing_behind() {
    let server = Server::start(answers(200, "", verdict("openai", OK)));
    let url = server.url();
    let table = format!(
        "provider='openai'\nendpoint='{url}'\nmodel='m'\nkey_command='pwd > \"$HOME/where\"; echo k'"
    );
    let user = User::with_hooks(&prompt(&json!({}))).with_judge(&table);
    assert_eq!(user.ask().code, Some(0));
    assert_eq!(Path::new(context::read(&user.path("home/where")).trim()), user.path("home"));

    let table = format!(
        "provider='openai'\nendpoint='{url}'\nmodel='m'\nkey_command='echo $$ > \"$HOME/pid\"; sleep 600; true'"
    );
    let user = User::with_hooks(&prompt(&json!({ "timeout": 1 }))).with_judge(&table);
    // On a busy machine its time may be over before it has said who it is.
    let mut asked = (0..10).map(|_| {
        assert!(user.ask().stderr.contains("did not end before"));
        context::read(&user.path("home/pid"))
    });
    let pid = asked.find(|pid| !pid.is_empty()).expect("it says who it is");
    let process = format!("/proc/{}", pid.trim());
    let started = Instant::now();
    while Path::new(&process).exists() {
        assert!(started.elapsed() < Duration::from_secs(10), "the key's command is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_of_the_judge_is_touched_without_a_prompt_hook() {
    let server = Server::start(answers(200, "", verdict("openai", OK)));
    let url = server.url().replace("http:", "https:");
    let table = format!(
        "provider='openai'\nendpoint='{url}'\nmodel='m'\nca_file='/no/such/file'\nkey_command='touch \"$HOME/mark\"; echo k'"
    );
    let hooks = json!([{ "command": "true" }, { "type": "prompt", "prompt": "Safe?", "matcher": "^rm " }]);
    let user = User::with_hooks(&hooks).with_judge(&table);
    let commands: [&[&str]; 4] = [
        &["run", "beforeShellExecution", "--field", "command=ls"],
        &["explain", "beforeShellExecution", "--field", "command=rm x"],
        &["check"],
        &["list"],
    ];
    for command in commands {
        let output = user.boathook(command).output().expect("it runs");
        assert!(output.status.success() && output.stderr.is_empty(), "{command:?}: {output:?}");
    }
    assert!(!user.path("home/mark").exists(), "the key was fetched");
    // And the same table matters as soon as the prompt hook runs.
    let told = user.ask_about(&json!({ "command": "rm x" }));
    assert!(told.stderr.contains("ca_file: /no/such/file: "), "{}", told.stderr);
    assert!(server.requests().is_empty());
}

#[test]
fn a_table_that_is_wrong_costs_prompt_hooks_and_nothing_else() {
    let hooks = json!([
        { "type": "prompt", "prompt": "Safe?", "failClosed": true },
        { "command": "echo '{\"user_message\":\"seen\"}'" },
    ]);
    let user =
        User::with_hooks(&hooks).with_judge("provider = 'ollama'\nmodle = 'm'\n[log]\npayload = 'bad'");
    assert_snapshot!(user.run(["run", "beforeShellExecution", "--field", "command=ls"]), @r#"
    exit code: 2
    ----- stdout -----
    {"permission":"deny","user_message":"Hook `Safe?` asked a model without success: [HOME]/.config/boathook/config.toml: [judge] unknown field `modle`, expected one of `provider`, `model`, `endpoint`, `key_env`, `key_command`, `ca_file`, `proxy`, `allow_http`. It is failClosed, so the action is blocked.","agent_message":"The terminal command was rejected by a hook: (user hook) Hook `Safe?` asked a model without success: [HOME]/.config/boathook/config.toml: [judge] unknown field `modle`, expected one of `provider`, `model`, `endpoint`, `key_env`, `key_command`, `ca_file`, `proxy`, `allow_http`. It is failClosed, so the action is blocked. Do not attempt to work around this restriction using alternative methods or commands."}
    ----- stderr -----
    warning: [HOME]/.config/boathook/config.toml: log.payload cannot be "bad"; write "full", "redacted" or "none"
    warning: [HOME]/.config/boathook/config.toml: what the log may keep cannot be read from it, so it keeps no payload
    warning: [HOME]/.config/boathook/config.toml: [judge] unknown field `modle`, expected one of `provider`, `model`, `endpoint`, `key_env`, `key_command`, `ca_file`, `proxy`, `allow_http`; prompt hooks fail
    Hook `Safe?` asked a model without success: [HOME]/.config/boathook/config.toml: [judge] unknown field `modle`, expected one of `provider`, `model`, `endpoint`, `key_env`, `key_command`, `ca_file`, `proxy`, `allow_http`. It is failClosed, so the action is blocked.
    "#);
    let user = User::with_hooks(&json!([{ "command": "true" }])).with_judge("provider = 'ollama'");
    assert_snapshot!(user.run(["run", "beforeShellExecution", "--field", "command=ls"]), @r"
    exit code: 0
    ----- stdout -----
    {}
    ----- stderr -----
    warning: [HOME]/.config/boathook/config.toml: [judge] `model` is missing; write the name of a small, fast model; prompt hooks fail
    ");
}

#[test]
fn a_project_chooses_neither_address_nor_key() {
    let theirs = Server::start(answers(200, "", verdict("openai", OK)));
    let ours = Server::start(answers(200, "", verdict("openai", r#"{"ok":false,"reason":"No."}"#)));
    let user = User::with_hooks(&json!([])).asking("openai", &ours.url());
    let table =
        format!("[judge]\nprovider='openai'\nendpoint='{}'\nmodel='m'\nkey_env='KEY'\n", theirs.url());
    for file in ["config.toml", "boathook/config.toml", ".config/boathook/config.toml", ".cursor/config.toml"]
    {
        user.write(&format!("project/{file}"), &table);
    }
    let hook = json!({
        "type": "prompt", "prompt": "Safe?", "model": "theirs", "endpoint": theirs.url(), "provider": "ollama",
        "key_env": "HOME", "key_command": "touch ran", "judge": { "endpoint": theirs.url() },
    });
    let hooks = json!({ "version": 1, "judge": { "endpoint": theirs.url() }, "hooks": { "beforeShellExecution": [hook] } });
    user.write("project/.cursor/hooks.json", hooks.to_string());
    user.trust();
    let told = user.ask();
    assert_eq!((told.code, told.user_message()), (Some(2), "No."), "{}", told.stderr);
    assert!(theirs.requests().is_empty() && !user.path("project/ran").exists());
    assert_eq!(ours.requests()[0].json()["model"], "theirs", "only the model is an entry's to name");
}

#[test]
fn an_untrusted_project_asks_nobody() {
    let server = Server::start(answers(200, "", verdict("openai", OK)));
    let user = User::with_hooks(&json!([])).asking("openai", &server.url());
    let hooks = json!({ "version": 1, "hooks": { "beforeShellExecution": prompt(&json!({})) } });
    user.write("project/.cursor/hooks.json", hooks.to_string());
    assert!(user.ask().stderr.contains("the workspace is not trusted"));
    assert!(server.requests().is_empty());
}

#[test]
fn the_cloud_surface_asks_nobody() {
    let server = Server::start(answers(200, "", verdict("openai", OK)));
    let user = User::with_hooks(&json!([])).asking("openai", &server.url());
    let hooks =
        json!({ "version": 1, "hooks": { "beforeShellExecution": prompt(&json!({ "failClosed": true })) } });
    user.write("system/etc/cursor/hooks.json", hooks.to_string());
    let cases = [("cloud", 0), ("desktop", 1)];
    for (surface, requests) in cases {
        let command = user.boathook(&["run", "beforeShellExecution", "--surface", surface]);
        let told = Told::of(context::pipe(command, b"{}"));
        assert_eq!((told.code, server.requests().len()), (Some(0), requests), "{surface}: {}", told.stderr);
    }
}

/// Variables that name a proxy. A repository can set them for an agent (`.env`, `env` in a project's settings).
const PROXY_VARIABLES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

#[test]
fn red_team_m5_no_variable_leads_a_prompt_hook_to_a_proxy() {
    let says = |ok: bool| {
        let verdict = verdict("openai", &json!({ "ok": ok, "reason": "it deletes files" }).to_string());
        Server::start(answers(200, "", verdict))
    };
    let (model, proxy) = (says(false), says(true));
    // This machine by a name that does not say so: a proxy would be used for it.
    let address = model.url().replace("127.0.0.1", "0.0.0.0");
    let endpoints = [
        (address.as_str(), "it deletes files"),
        ("http://model.invalid/v1", "model.invalid"),
        ("https://model.invalid/v1", "model.invalid"),
    ];
    for (endpoint, why) in endpoints {
        let table = format!("provider='openai'\nendpoint='{endpoint}'\nmodel='m'\nallow_http=true");
        let hooks = prompt(&json!({ "timeout": 20, "failClosed": true }));
        let user = User::with_hooks(&hooks).with_judge(&table);
        for names in PROXY_VARIABLES.iter().map(std::slice::from_ref).chain([&PROXY_VARIABLES[..]]) {
            let mut command = user.boathook(&["run", "beforeShellExecution"]);
            command.envs(names.iter().map(|name| (name, proxy.url())));
            let told = Told::of(context::pipe(command, br#"{"command": "rm -rf /"}"#));
            assert_eq!(told.code, Some(2), "{endpoint} {names:?}: {}", told.stderr);
            assert!(told.user_message().contains(why), "{endpoint} {names:?}: {}", told.user_message());
        }
    }
    assert_eq!(proxy.requests().len(), 0, "a payload went to the proxy");
    assert_eq!(model.requests().len(), PROXY_VARIABLES.len() + 1);
}

#[test]
fn a_proxy_of_the_configuration_is_used_but_not_for_this_machine() {
    let proxy = Server::start(answers(502, "", ""));
    let secret = proxy.url().replace("http://", "http://me:hunter2@");
    let asked = |endpoint: &str, proxy: &str| {
        let table = format!("provider='openai'\nendpoint='{endpoint}'\nmodel='m'\nproxy='{proxy}'");
        let user = User::with_hooks(&prompt(&json!({ "timeout": 5 }))).with_judge(&table);
        let told = user.ask();
        assert!(!told.stderr.contains("hunter2"), "{}", told.stderr);
        told.stderr
    };
    assert!(asked("https://model.invalid/v1", &secret).contains("https://model.invalid/v1: "));
    let lines: Vec<String> = proxy.requests().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["CONNECT model.invalid:443 HTTP/1.1"]);
    asked("https://127.0.0.1:9/v1", &secret);
    assert_eq!(proxy.requests().len(), 1, "this machine was asked through the proxy");
    let wrong = asked("https://model.invalid/v1", "socks5://me:hunter2@localhost");
    assert!(wrong.contains("proxy: it is not an http:// or https:// address"), "{wrong}");
}

#[test]
fn who_looks_sees_which_prompt_hooks_have_a_model() {
    let hooks = json!([{ "type": "prompt", "prompt": "Safe?" }, { "type": "prompt", "prompt": "Fine?", "model": "big" }]);
    let none = User::with_hooks(&hooks);
    assert_snapshot!(none.run(["list"]), @r"
    exit code: 0
    ----- stdout -----
    beforeShellExecution
      no model  user       Safe?
                [HOME]/.cursor/hooks.json:1
                it needs a model, and none is configured
      no model  user       Fine?
                [HOME]/.cursor/hooks.json:1
                it needs a model, and none is configured
    Built-in, when an agent calls
      ready     self-protection
                asks before an agent changes user, team or enterprise hooks and their scripts, Boathook's state, configuration or program, or the entries that connect an agent
    ");
    assert_snapshot!(none.run(["check", "--strict"]), @r#"
    exit code: 0
    ----- stdout -----
    2 hooks checked: 0 errors, 2 warnings
    ----- stderr -----
    warning: [HOME]/.cursor/hooks.json:1:47: a prompt hook fails: it needs a model, and none is configured
       |
     1 | ion":1,"hooks":{"beforeShellExecution":[{"type":"prompt","prompt":"Safe?"},{"type":"prompt","prompt"
       |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      help: name a provider and a model in the `[judge]` table of config.toml
    warning: [HOME]/.cursor/hooks.json:1:82: a prompt hook fails: it needs a model, and none is configured
       |
     1 | on":[{"type":"prompt","prompt":"Safe?"},{"type":"prompt","prompt":"Fine?","model":"big"}]}}
       |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      help: name a provider and a model in the `[judge]` table of config.toml
    hint: `--strict` counts warnings as errors
    "#);
    let missing = || (json!("no model"), json!("it needs a model, and none is configured"));
    assert_eq!(states(&none), [missing(), missing()]);

    let broken = User::with_hooks(&hooks).with_judge("provider = 'ollama'");
    assert_snapshot!(broken.run(["explain", "beforeShellExecution", "--field", "command=ls"]), @r"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: 2 hooks would run together, and 2 would fail

    1. Safe?
       source     user ([HOME]/.cursor/hooks.json:1)
       fails      it has no model to ask: [HOME]/.config/boathook/config.toml: [judge] `model` is missing; write the name of a small, fast model
       timeout    30 s
       a failure  lets the action through

    2. Fine?
       source     user ([HOME]/.cursor/hooks.json:1)
       fails      it has no model to ask: [HOME]/.config/boathook/config.toml: [judge] `model` is missing; write the name of a small, fast model
       timeout    30 s
       a failure  lets the action through
    ----- stderr -----
    warning: [HOME]/.config/boathook/config.toml: [judge] `model` is missing; write the name of a small, fast model; prompt hooks fail
    ");

    let good = User::with_hooks(&hooks).with_judge("provider = 'ollama'\nmodel = 'small'");
    assert_snapshot!(good.run(["explain", "beforeShellExecution", "--field", "command=ls"]), @r"
    exit code: 0
    ----- stdout -----
    beforeShellExecution: 2 hooks would run together

    1. Safe?
       source     user ([HOME]/.cursor/hooks.json:1)
       asks       small at http://127.0.0.1:11434
       timeout    30 s
       a failure  lets the action through

    2. Fine?
       source     user ([HOME]/.cursor/hooks.json:1)
       asks       big at http://127.0.0.1:11434
       timeout    30 s
       a failure  lets the action through
    ");
    assert_eq!(states(&good), [(json!("ready"), Value::Null), (json!("ready"), Value::Null)]);
}

#[test]
fn every_configuration_that_is_shown_is_a_good_one() {
    let mut seen = 0;
    for page in ["prompt-hooks.md", "environment.md"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual").join(page);
        let text = context::read(&path);
        for example in
            text.split("```toml").skip(1).filter_map(|rest| rest.split_once('\n')?.1.split_once("```"))
        {
            let user = User::with_hooks(&prompt(&json!({})));
            user.write("home/.config/boathook/config.toml", example.0);
            let output = user.output(["list"]);
            assert!(output.stderr.is_empty(), "{page}: {}", String::from_utf8_lossy(&output.stderr));
            assert!(String::from_utf8_lossy(&output.stdout).contains("ready"), "{page}: {}", example.0);
            seen += 1;
        }
    }
    assert_eq!(seen, 2);
}

/// State and reason of each hook.
fn states(user: &User) -> Vec<(Value, Value)> {
    let json: Value = serde_json::from_slice(&user.output(["list", "--json"]).stdout).expect("JSON");
    let hooks = json["hooks"].as_array().expect("a list");
    hooks.iter().map(|hook| (hook["state"].clone(), hook["reason"].clone())).collect()
}
