//! `boathook schema`: what it prints, that the repository's files are what it
//! prints, and that the schemas tell good from bad.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use boathook_engine::config;
use boathook_engine::edition::Edition;
use boathook_engine::event::{EVENTS, EventKind};
use boathook_engine::problem::Severity;
use boathook_engine::schema;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::context::{self, TestContext, one_hook};

#[test]
fn the_repositorys_schemas_are_what_the_code_writes() {
    let cx = TestContext::new();
    let output = cx.output(["schema", "--write", "written"]);
    assert!(output.status.success());
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    let (kept, written) = (files(&repository), files(&cx.path("project/written")));
    let differing: Vec<&String> =
        written.iter().filter(|(name, text)| kept.get(*name) != Some(text)).map(|it| it.0).collect();
    assert!(differing.is_empty(), "write them anew with `cargo run -- schema --write schema`: {differing:?}");
    assert_eq!(
        kept.keys().collect::<Vec<_>>(),
        written.keys().collect::<Vec<_>>(),
        "files that nobody writes"
    );
}

#[test]
fn a_schema_is_named_by_event_and_side() {
    let cx = TestContext::new();
    assert_eq!(printed(&cx, &["schema"]), schema::hooks_json());
    assert_eq!(printed(&cx, &["schema", "hooks"]), schema::hooks_json());
    assert_eq!(printed(&cx, &["schema", "stop.input"]), schema::input(EventKind::Stop));
    assert_eq!(printed(&cx, &["schema", "stop.output"]), schema::output(EventKind::Stop));
    let list = String::from_utf8(cx.output(["schema", "--list"]).stdout).expect("text");
    assert_eq!(list.lines().count(), 43);
    for name in list.lines() {
        printed(&cx, &["schema", name]);
    }
}

#[test]
fn a_schema_says_what_the_manual_says() {
    assert_snapshot!(TestContext::new().run(["schema", "beforeTabFileRead.output"]), @r#"
    exit code: 0
    ----- stdout -----
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "beforeTabFileRead output",
      "description": "What a hook may print to stdout. Before Tab reads a file; may refuse it or replace what is read. Exit code 2 denies, whatever is printed.",
      "type": "object",
      "properties": {
        "permission": {
          "description": "Whether the action may go on; nobody can be asked here, so `ask` is read as `deny`.",
          "enum": [
            "allow",
            "deny"
          ]
        },
        "new_content": {
          "description": "What is read in place of the file's text. Boathook's own: the original product ignores it.",
          "type": "string"
        }
      }
    }
    "#);
}

#[test]
fn a_misspelt_name_is_answered_with_the_right_one() {
    let output = TestContext::new().output(["schema", "preTooluse.input"]);
    let text = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("preToolUse.input"), "{text}");
}

#[test]
fn hooks_files_are_told_apart_as_the_reader_tells_them() {
    let on = |event: &str, entry: Value| json!({ "version": 1, "hooks": { event: [entry] } });
    let hook = |entry: Value| on("stop", entry);
    let cases = [
        ("the least", true, json!({ "version": 1, "hooks": {} })),
        ("an empty list", true, json!({ "version": 1, "hooks": { "stop": [] } })),
        ("a later version", true, json!({ "version": 2, "hooks": {} })),
        (
            "notes of people and installers",
            true,
            json!({ "$schema": "https://example.com/s.json", "_comment": "x", "description": "x", "version": 1,
                "hooks": { "stop": [{ "command": "x", "description": "x", "name": "x", "_owner": true, "id": 7 }] } }),
        ),
        (
            "every option",
            true,
            hook(
                json!({ "command": "x", "type": "command", "timeout": 0.5, "matcher": "*", "failClosed": false, "loop_limit": 0 }),
            ),
        ),
        ("no limit", true, hook(json!({ "command": "x", "loop_limit": null }))),
        ("a prompt", true, hook(json!({ "type": "prompt", "prompt": "Is it done?", "model": "m" }))),
        ("no version", false, json!({ "hooks": {} })),
        ("version 0", false, json!({ "version": 0, "hooks": {} })),
        ("version as text", false, json!({ "version": "1.0", "hooks": {} })),
        ("no hooks", false, json!({ "version": 1 })),
        ("a list of hooks", false, json!({ "version": 1, "hooks": [{ "event": "stop", "command": "x" }] })),
        ("an unknown event", false, json!({ "version": 1, "hooks": { "beforeShellExec": [] } })),
        ("an event of Claude Code", false, json!({ "version": 1, "hooks": { "PreToolUse": [] } })),
        ("no list", false, json!({ "version": 1, "hooks": { "stop": { "command": "x" } } })),
        ("text for an entry", false, hook(json!("x"))),
        ("no command", false, hook(json!({ "script": "x" }))),
        ("an empty command", false, hook(json!({ "command": " " }))),
        ("a command that is a list", false, hook(json!({ "command": ["x"] }))),
        ("a prompt hook without a prompt", false, hook(json!({ "type": "prompt", "command": "x" }))),
        ("an unknown type", false, hook(json!({ "type": "http", "command": "x" }))),
        ("no time", false, hook(json!({ "command": "x", "timeout": 0 }))),
        ("time as text", false, hook(json!({ "command": "x", "timeout": "5" }))),
        ("a matcher that is an object", false, hook(json!({ "command": "x", "matcher": {} }))),
        ("failClosed as text", false, hook(json!({ "command": "x", "failClosed": "true" }))),
        ("half a follow-up", false, hook(json!({ "command": "x", "loop_limit": 1.5 }))),
        ("a negative limit", false, hook(json!({ "command": "x", "loop_limit": -1 }))),
        ("a misspelt option", false, hook(json!({ "command": "x", "failclosed": true }))),
        ("an option of another product", false, hook(json!({ "command": "x", "async": true }))),
        ("an event beside `hooks`", false, json!({ "version": 1, "hooks": {}, "stop": [] })),
        (
            "a matcher where nothing is matched",
            false,
            on("sessionStart", json!({ "command": "x", "matcher": "a" })),
        ),
        (
            "a matcher that says nothing there",
            true,
            on("sessionStart", json!({ "command": "x", "matcher": "*" })),
        ),
        (
            "failClosed where nothing is held back",
            false,
            on("afterFileEdit", json!({ "command": "x", "failClosed": true })),
        ),
        ("failClosed on a gate", true, on("preToolUse", json!({ "command": "x", "failClosed": true }))),
        ("a loop where there is none", false, on("preToolUse", json!({ "command": "x", "loop_limit": 3 }))),
        (
            "Claude Code's nesting",
            false,
            hook(json!({ "matcher": "x", "hooks": [{ "type": "command", "command": "x" }] })),
        ),
    ];
    let schema = validator(&schema::hooks_json());
    for (name, good, file) in cases {
        assert_eq!(schema.is_valid(&file), good, "{name}");
        if !good {
            assert!(!is_silent(&file), "{name}: the reader has nothing against it");
        }
    }
}

#[test]
fn what_init_writes_fits_the_schema() {
    let schema = validator(&schema::hooks_json());
    for options in [&["init"][..], &["init", "--full"], &["--edition", "2.3", "init", "--full"]] {
        let cx = TestContext::new();
        assert!(cx.output(options).status.success());
        let file: Value =
            serde_json::from_str(&context::read(&cx.path("home/.cursor/hooks.json"))).expect("JSON");
        assert!(schema.is_valid(&file), "{options:?}");
    }
}

#[test]
fn what_hooks_are_given_fits_the_schema_of_every_event() {
    let cx = TestContext::new();
    for spec in EVENTS {
        let schema = schema::input(spec.kind);
        let payload = least_payload(&schema, spec.name);
        cx.write("home/.cursor/hooks.json", one_hook(spec.name, "cat > ~/given.json"));
        assert!(
            cx.output_with(["run", spec.name], payload.to_string().as_bytes()).status.success(),
            "{}",
            spec.name
        );
        let given: Value = serde_json::from_str(&context::read(&cx.path("home/given.json"))).expect("JSON");
        let validator = validator(&schema);
        let faults: Vec<String> = validator.iter_errors(&given).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{}: {faults:?} in {given}", spec.name);
        for name in required(&schema) {
            let mut without = given.clone();
            without.as_object_mut().and_then(|object| object.remove(name));
            assert!(!validator.is_valid(&without), "{}: {name} is always sent", spec.name);
        }
        let mut other = given.clone();
        other["hook_event_name"] = json!("another");
        assert!(!validator.is_valid(&other), "{}", spec.name);
    }
}

#[test]
fn answers_are_told_apart() {
    let cases = [
        ("beforeShellExecution", true, json!({})),
        ("beforeShellExecution", true, json!({ "permission": "ask", "user_message": "x", "continue": true })),
        ("beforeShellExecution", false, json!({ "permission": "maybe" })),
        ("beforeShellExecution", false, json!({ "permission": "deny", "agent_message": 5 })),
        ("beforeShellExecution", false, json!("deny")),
        ("preToolUse", true, json!({ "updated_input": { "command": "ls" }, "additional_context": "x" })),
        ("preToolUse", false, json!({ "updated_input": "ls" })),
        ("postToolUse", true, json!({ "updated_mcp_tool_output": ["x"] })),
        ("beforeSubmitPrompt", true, json!({ "continue": false, "user_message": "x" })),
        ("beforeSubmitPrompt", false, json!({ "continue": "false" })),
        ("sessionStart", true, json!({ "env": { "A": "b" } })),
        ("sessionStart", false, json!({ "env": { "A": 5 } })),
        ("stop", false, json!({ "followup_message": null })),
        ("workspaceOpen", true, json!({ "pluginPaths": ["/x"] })),
        ("workspaceOpen", false, json!({ "pluginPaths": "/x" })),
        ("beforeReadFile", false, json!({ "new_content": 1 })),
        ("beforeReadFile", false, json!({ "permission": "ask" })),
        ("sessionStart", false, json!({ "env": { "not a name": "x" } })),
    ];
    for (event, good, answer) in cases {
        let event = EventKind::named(event).expect(event);
        assert_eq!(validator(&schema::output(event)).is_valid(&answer), good, "{} {answer}", event.name());
    }
}

/// An option that the schema describes is one the reader knows, on some event.
#[test]
fn every_option_of_the_schema_is_one_the_reader_knows() {
    let hooks = schema::hooks_json();
    let options = hooks["$defs"]["hook"]["properties"].as_object().expect("options");
    assert!(options.len() >= 8, "{options:?}");
    for name in options.keys() {
        let entry = match name.as_str() {
            "type" | "prompt" | "model" => json!({ "type": "prompt", "prompt": "x", "model": "m" }),
            "timeout" => json!({ "command": "x", "timeout": 5 }),
            "failClosed" => json!({ "command": "x", "failClosed": true }),
            "loop_limit" => json!({ "command": "x", "loop_limit": null }),
            name => json!({ "command": "x", name: "x" }),
        };
        let file = json!({ "version": 1, "hooks": { "preToolUse": [entry] } });
        let config = config::read(file.to_string().as_bytes(), Edition::Docs);
        let unknown = config.problems.iter().find(|problem| problem.code == "unknown-key");
        assert!(unknown.is_none(), "{name}: {unknown:?}");
    }
}

#[test]
fn files_of_the_conformance_suite_and_the_cookbook_fit_the_schema() {
    let schema = validator(&schema::hooks_json());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut looked_at = 0;
    for (name, text) in
        files(&root.join("conformance")).into_iter().filter(|(name, _)| name.ends_with(".json"))
    {
        let group: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for file in hooks_files(&group).into_iter().filter(is_silent) {
            let faults: Vec<String> = schema.iter_errors(&file).map(|error| error.to_string()).collect();
            assert!(faults.is_empty(), "conformance/{name}: {faults:?} in {file}");
            looked_at += 1;
        }
    }
    assert!(looked_at > 200, "only {looked_at} files");
    let recipes = files(&root.join("docs/cookbook"));
    let recipes: Vec<_> = recipes.iter().filter(|(name, _)| name.ends_with(".cursor/hooks.json")).collect();
    assert!(recipes.len() >= 16, "only {} recipes", recipes.len());
    for (name, text) in recipes {
        let file: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let faults: Vec<String> = schema.iter_errors(&file).map(|error| error.to_string()).collect();
        assert!(is_silent(&file) && faults.is_empty(), "docs/cookbook/{name}: {faults:?}");
    }
}

/// Every hooks.json that a group of cases lays out, those written as text aside.
fn hooks_files(value: &Value) -> Vec<Value> {
    let inside = |value: &Value| match value {
        Value::Object(object) => object.values().flat_map(hooks_files).collect(),
        Value::Array(list) => list.iter().flat_map(hooks_files).collect(),
        _ => Vec::new(),
    };
    let Value::Object(object) = value else { return inside(value) };
    let named =
        object.iter().filter(|(name, file)| name.ends_with("hooks.json") && file.get("hooks").is_some());
    named.map(|(_, file)| file.clone()).chain(inside(value)).collect()
}

/// Whether our reader takes the file without a word.
fn is_silent(file: &Value) -> bool {
    let config = config::read(file.to_string().as_bytes(), Edition::Docs);
    config.problems.iter().all(|problem| problem.severity < Severity::Warning)
}

/// Files that our reader takes without a word are those an editor must not
/// complain about.
#[test]
fn real_files_without_a_problem_fit_the_schema() {
    let Some(corpus) = std::env::var_os("BOATHOOK_CORPUS") else {
        eprintln!("no real files were looked at: set BOATHOOK_CORPUS to the directory that holds `cursor/`");
        return;
    };
    let schema = validator(&schema::hooks_json());
    let mut silent = 0;
    for (name, text) in files(&Path::new(&corpus).join("cursor")) {
        let config = config::read(text.as_bytes(), Edition::Docs);
        if config.problems.iter().any(|problem| problem.severity >= Severity::Warning) {
            continue;
        }
        let Ok(file) = serde_json::from_str::<Value>(&text) else { continue };
        let faults: Vec<String> = schema.iter_errors(&file).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{name}: {faults:?}");
        silent += 1;
    }
    assert!(silent > 50, "only {silent} files");
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("not a schema: {error}"));
    jsonschema::draft202012::new(schema).expect("a schema")
}

fn printed(cx: &TestContext, args: &[&str]) -> Value {
    serde_json::from_slice(&cx.output(args).stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The event's own fields that are always there; the rest is filled in.
fn least_payload(schema: &Value, event: &str) -> Value {
    let spec = EventKind::named(event).expect(event).spec();
    let own = required(schema).into_iter().filter(|name| spec.inputs.iter().any(|field| field.name == *name));
    own.map(|name| (name.to_owned(), example(&schema["properties"][name]))).collect()
}

/// A value that a schema describes.
fn example(schema: &Value) -> Value {
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    match schema["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([example(&schema["items"])]),
        Some("object") => required(schema)
            .into_iter()
            .map(|name| (name.to_owned(), example(&schema["properties"][name])))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        _ => json!("text"),
    }
}

/// Every file below a directory, by its path from there.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("a directory").filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(
                files(&entry.path()).into_iter().map(|(inner, text)| (format!("{name}/{inner}"), text)),
            );
        } else {
            found.insert(name, fs::read_to_string(entry.path()).unwrap_or_default());
        }
    }
    found
}
