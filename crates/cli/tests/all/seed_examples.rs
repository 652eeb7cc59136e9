//! The examples people start from, under their real interpreters: bash and jq,
//! Python with and without PyYAML, TypeScript under Bun.
//!
//! `cargo xtask test` installs what they need and names it in the environment.
//! An empty name says that it cannot be had on this machine.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

#[test]
fn audit_keeps_a_line_of_every_event() {
    let events = [
        ("beforeShellExecution", json!({"command": "ls", "cwd": "/repo"})),
        ("beforeMCPExecution", json!({"tool_name": "t", "tool_input": "{}"})),
        ("afterShellExecution", json!({"command": "ls", "output": "a", "duration": 12})),
        (
            "afterMCPExecution",
            json!({"tool_name": "t", "tool_input": "{}", "result_json": "{}", "duration": 12}),
        ),
        ("afterFileEdit", json!({"file_path": "/a", "edits": [{"old_string": "a", "new_string": "b"}]})),
        ("beforeSubmitPrompt", json!({"prompt": "Grüße \"quoted\""})),
        ("preCompact", json!({"trigger": "manual"})),
        ("sessionEnd", json!({"session_id": "s", "reason": "completed"})),
        ("stop", json!({"status": "completed", "loop_count": 0})),
    ];
    let place = Place::new();
    let hooks = events.iter().map(|(event, _)| (event.to_string(), json!([{"command": "./hooks/audit.sh"}])));
    place.user_hooks(&Value::Object(hooks.collect()), &["audit.sh"]);
    for (event, payload) in &events {
        let output = place.run(event, payload, &[]);
        assert_eq!(answer(&output), json!({}), "{event}");
        let log = fs::read_to_string(place.path("audit.log")).expect("the audit log");
        let line = log.lines().last().expect("a line");
        let (_, seen) = line.split_once("] ").expect("a time before the event");
        let seen: Value = serde_json::from_str(seen).expect("the event as JSON");
        assert_eq!(seen["hook_event_name"], **event);
        for (key, value) in payload.as_object().expect("an object") {
            assert_eq!(seen[key], *value, "{event}: {key}");
        }
    }
    let log = fs::read_to_string(place.path("audit.log")).expect("the audit log");
    assert_eq!(log.lines().count(), events.len());
}

#[test]
fn block_git_refuses_git_asks_about_gh_and_allows_the_rest() {
    let place = Place::new();
    let hooks = json!({"beforeShellExecution": [{"command": "./hooks/audit.sh"}, {"command": "./hooks/block-git.sh"}]});
    place.user_hooks(&hooks, &["audit.sh", "block-git.sh"]);
    let cases = [
        ("git push origin main", "deny", 2),
        ("git", "deny", 2),
        ("gh pr list", "ask", 0),
        ("gh", "ask", 0),
        ("ls -la", "allow", 0),
        // A quote in the command breaks the hook's JSON: what it decided must hold all the same.
        (r#"git commit -m "a \"quoted\" word""#, "deny", 2),
        (r#"gh pr create --title "x""#, "ask", 0),
    ];
    for (command, permission, code) in cases {
        let output = place.run("beforeShellExecution", &json!({"command": command, "cwd": "/repo"}), &[]);
        assert_eq!(answer(&output)["permission"], permission, "{command}");
        assert_eq!(output.status.code(), Some(code), "{command}");
    }
    let plain = place.run("beforeShellExecution", &json!({"command": "git status", "cwd": ""}), &[]);
    assert_eq!(answer(&plain)["user_message"], "git is not used here, gh is.");
    assert!(
        answer(&plain)["agent_message"]
            .as_str()
            .is_some_and(|text| text.contains("'git status' was not run"))
    );
    let log = fs::read_to_string(place.path("audit.log")).expect("both hooks of the event ran");
    assert_eq!(log.lines().count(), cases.len() + 1);
}

#[test]
fn kube_guard_asks_about_protected_namespaces() {
    let Some(pyyaml) = installed("BOATHOOK_TEST_PYYAML") else { return };
    let place = Place::new();
    place.kube_project(false);
    let env = [("PYTHONPATH", pyyaml.to_str().expect("a path in UTF-8"))];
    let cases = [
        ("kubectl apply -f dev.yaml", "allow"),
        ("kubectl apply -f prod.yaml", "ask"),
        ("kubectl apply -f two.yaml", "ask"),
        ("kubectl apply -f dev.yaml -n production", "ask"),
        ("kubectl apply -f dev.yaml --namespace=prod", "ask"),
        ("kubectl apply -f broken.yaml", "allow"),
        ("kubectl apply -f missing.yaml", "allow"),
        ("kubectl apply -f", "allow"),
        ("kubectl get pods", "allow"),
        ("echo 'unclosed", "allow"),
    ];
    for (command, permission) in cases {
        let payload = json!({"command": command, "cwd": place.path("project")});
        let output = place.run("beforeShellExecution", &payload, &env);
        assert_eq!(answer(&output)["permission"], permission, "{command}");
        assert_eq!(output.status.code(), Some(0), "{command}");
    }
    let payload = json!({"command": "kubectl apply -f prod.yaml", "cwd": place.path("project")});
    let asked = answer(&place.run("beforeShellExecution", &payload, &env));
    assert_eq!(asked["user_message"], "This changes production. Apply it?");
    assert_eq!(asked["agent_message"], "prod.yaml touches a protected namespace: wait for the answer.");
}

#[test]
fn kube_guard_without_pyyaml_is_a_failure() {
    for (fail_closed, permission, code) in [(false, Value::Null, 0), (true, json!("deny"), 2)] {
        let place = Place::new();
        place.kube_project(fail_closed);
        // A module of that name that cannot be imported stands before any that is installed.
        place.write("broken/yaml.py", "raise ModuleNotFoundError(\"No module named 'yaml'\", name='yaml')\n");
        let broken = place.path("broken");
        let env = [("PYTHONPATH", broken.to_str().expect("a path in UTF-8"))];
        let payload = json!({"command": "kubectl apply -f prod.yaml", "cwd": place.path("project")});
        let output = place.run("beforeShellExecution", &payload, &env);
        assert_eq!(answer(&output).get("permission").cloned().unwrap_or_default(), permission);
        assert_eq!(output.status.code(), Some(code), "failClosed {fail_closed}");
    }
}

#[test]
fn track_stop_retries_after_two_failures_and_reports_every_turn() {
    let Some(bun) = installed("BOATHOOK_TEST_BUN") else { return };
    let place = Place::new();
    place.bun_project(&bun);
    let telemetry = Telemetry::listen();
    let env = [("AGENT_TELEMETRY_URL", telemetry.url.as_str())];
    let retry = json!({"followup_message": "That failed twice. Check the credentials, then try again."});
    let turns = [
        ("c-1", "error", 0, json!({}), 1),
        ("c-1", "error", 0, retry.clone(), 2),
        ("c-2", "error", 0, json!({}), 1),
        ("c-1", "error", 4, json!({}), 3),
        ("c-1", "completed", 0, json!({}), 0),
        ("c-1", "error", 0, json!({}), 1),
        ("c-1", "error", 3, retry, 2),
    ];
    for (conversation, status, loops, expected, errors) in turns {
        let payload = json!({"conversation_id": conversation, "generation_id": "g", "model": "m", "status": status, "loop_count": loops});
        assert_eq!(answer(&place.run("stop", &payload, &env)), expected, "{conversation} {status} {loops}");
        let told = telemetry.next();
        assert_eq!(told["conversationId"], conversation);
        assert_eq!(told["generationId"], "g");
        assert_eq!(told["model"], "m");
        assert_eq!(told["status"], status);
        assert_eq!(told["errorCount"], errors);
        assert_eq!(told["loopCount"], loops);
        assert!(told["timestamp"].as_str().is_some_and(|time| time.ends_with('Z')));
    }
    let kept =
        fs::read_to_string(place.path("project/.cursor/hooks/state/agent-metrics.json")).expect("the counts");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    assert_eq!(kept["c-1"]["errorCount"], 2);
    assert_eq!(kept["c-2"]["lastStatus"], "error");
}

#[test]
fn track_stop_needs_no_endpoint() {
    let Some(bun) = installed("BOATHOOK_TEST_BUN") else { return };
    let place = Place::new();
    place.bun_project(&bun);
    let payload = json!({"conversation_id": "c", "generation_id": "g", "model": "m", "status": "error", "loop_count": 0});
    assert_eq!(answer(&place.run("stop", &payload, &[])), json!({}));
    assert!(answer(&place.run("stop", &payload, &[]))["followup_message"].is_string());
}

/// A home, a project and a state of their own.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a directory"));
        for name in ["home", "project", "system", "state", "config"] {
            fs::create_dir_all(place.path(name)).expect("a directory");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("the directory was just made").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file stands in a directory")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    fn user_hooks(&self, hooks: &Value, scripts: &[&str]) {
        self.write("home/.cursor/hooks.json", &json!({"version": 1, "hooks": hooks}).to_string());
        scripts.iter().for_each(|script| self.copy(script, "home/.cursor/hooks"));
    }

    fn project_hooks(&self, hooks: &Value, script: &str) {
        self.write("project/.cursor/hooks.json", &json!({"version": 1, "hooks": hooks}).to_string());
        self.copy(script, "project/.cursor/hooks");
        let output = self.boathook(&["trust", "--yes"], "", &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn kube_project(&self, fail_closed: bool) {
        let entry = json!({"command": "python3 .cursor/hooks/kube_guard.py", "failClosed": fail_closed});
        self.project_hooks(&json!({"beforeShellExecution": [entry]}), "kube_guard.py");
        self.write("project/dev.yaml", "metadata:\n  namespace: dev\n");
        self.write("project/prod.yaml", "kind: Deployment\nmetadata:\n  name: web\n  namespace: prod\n");
        self.write(
            "project/two.yaml",
            "metadata: {namespace: dev}\n---\n---\nmetadata: {namespace: production}\n",
        );
        self.write("project/broken.yaml", "metadata: [unclosed\n");
    }

    fn bun_project(&self, bun: &Path) {
        let entry = json!({"command": "bun run .cursor/hooks/track-stop.ts --stop"});
        self.project_hooks(&json!({"stop": [entry]}), "track-stop.ts");
        fs::create_dir_all(self.path("bin")).expect("a directory");
        std::os::unix::fs::symlink(bun, self.path("bin/bun")).expect("a link");
    }

    fn copy(&self, script: &str, directory: &str) {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/seeds");
        fs::create_dir_all(self.path(directory)).expect("directories");
        fs::copy(seeds.join(script), self.path(directory).join(script)).expect("a script of the seeds");
    }

    fn run(&self, event: &str, payload: &Value, env: &[(&str, &str)]) -> Output {
        self.boathook(&["run", event], &payload.to_string(), env)
    }

    fn boathook(&self, args: &[&str], input: &str, env: &[(&str, &str)]) -> Output {
        let path = format!("{}:{}", self.path("bin").display(), std::env::var("PATH").expect("a PATH"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_boathook"));
        command.env_clear().env("PATH", path).env("HOME", self.path("home"));
        command.env("XDG_STATE_HOME", self.path("state")).env("XDG_CONFIG_HOME", self.path("config"));
        command.env("AUDIT_LOG", self.path("audit.log")).envs(env.iter().copied());
        command
            .arg("--root")
            .arg(self.path("system"))
            .arg("--workspace")
            .arg(self.path("project"))
            .args(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("boathook starts");
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        child.wait_with_output().expect("boathook ends")
    }
}

/// An endpoint that takes JSON and answers 204.
struct Telemetry {
    url: String,
    bodies: Receiver<Value>,
}

impl Telemetry {
    fn listen() -> Telemetry {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/runs", listener.local_addr().expect("its address"));
        let (sender, bodies) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(stream);
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                    if let Some((_, value)) =
                        line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                    {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                let whole = reader.read_exact(&mut body).is_ok();
                let _ = reader.get_mut().write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
                if let (true, Ok(body)) = (whole, serde_json::from_slice(&body)) {
                    let _ = sender.send(body);
                }
            }
        });
        Telemetry { url, bodies }
    }

    fn next(&self) -> Value {
        self.bodies.recv_timeout(Duration::from_secs(20)).expect("the hook reports the turn")
    }
}

fn answer(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no answer ({error}): {}", String::from_utf8_lossy(&output.stderr)))
}

/// What `cargo xtask test` installed; none when it said that it cannot be had here.
fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(name).unwrap_or_else(|| {
        panic!("{name} is not set: run `cargo xtask test`, which installs it and says where it is")
    });
    if path.is_empty() {
        eprintln!("skipped: {name} is empty, so it cannot be had on this machine");
        return None;
    }
    Some(PathBuf::from(path))
}
