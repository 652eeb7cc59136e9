//! A payload of any size reaches the hook unchanged, and nothing of it is
//! visible anywhere else.

use serde_json::{Value, json};

use crate::context::{self, TestContext};

/// A hook that keeps what it reads and looks for it where it must not be.
const LOOKS_AROUND: &str = r#"#!/bin/sh
cat > "$CASE/seen.json"
for process in /proc/[0-9]*; do
    tr '\0' '\n' < "$process/cmdline" 2>/dev/null | grep -q "$(printf 'NEE%s' DLE)" && echo "$process/cmdline" >> "$CASE/leaks"
    tr '\0' '\n' < "$process/environ" 2>/dev/null | grep -q "$(printf 'NEE%s' DLE)" && echo "$process/environ" >> "$CASE/leaks"
done
echo '{"permission":"deny"}'
"#;

#[test]
fn a_payload_of_any_size_reaches_the_hook_and_nobody_else() {
    for size in [1_000, 200_000, 10_000_000, 64_000_000] {
        let cx = TestContext::new();
        cx.script("home/.cursor/hooks/look.sh", LOOKS_AROUND);
        cx.write("home/.cursor/hooks.json", context::one_hook("beforeReadFile", "./hooks/look.sh"));
        let text = format!("NEEDLE é\u{1f980} \"quoted\" \\ {}", "line of text\n".repeat(size / 13));
        let payload = json!({ "file_path": "/a/b", "content": text, "extra": [1.5, null, {"deep": true}] });
        let mut command = cx.command(["run", "beforeReadFile"]);
        command.env("CASE", cx.path(""));
        let output = context::pipe(command, payload.to_string().as_bytes());
        assert_eq!(output.status.code(), Some(2), "{size}: {}", String::from_utf8_lossy(&output.stderr));
        let seen = std::fs::read(cx.path("seen.json")).expect("what the hook read");
        let seen: Value = serde_json::from_slice(&seen).expect("one JSON object");
        for (name, value) in payload.as_object().expect("an object") {
            assert!(seen[name] == *value, "{size}: {name} differs");
        }
        assert_eq!(context::read(&cx.path("leaks")), "", "{size}");
    }
}

#[test]
fn only_the_value_that_a_hook_asks_for_is_in_its_environment() {
    let cx = TestContext::new();
    cx.write(
        "home/.cursor/hooks.json",
        context::one_hook(
            "beforeShellExecution",
            r#"env > "$CASE/env"; printf '%s' "${command}" > "$CASE/value""#,
        ),
    );
    let mut command = cx.command(["run", "beforeShellExecution"]);
    command.env("CASE", cx.path(""));
    let hostile = r#""; touch "$CASE/owned"; echo ""#;
    let payload = json!({ "command": hostile, "cwd": "SECRET-CWD" });
    let output = context::pipe(command, payload.to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(context::read(&cx.path("value")), hostile);
    assert!(!cx.path("owned").exists(), "a value is never a command");
    let env = context::read(&cx.path("env"));
    assert!(env.contains("touch"), "the value stands in the environment under its name");
    assert!(!env.contains("SECRET-CWD"), "and no other does");
}
