//! The helpers: the same script stays, is started ahead, or has a process per event.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use boathook_engine::Permission;
use boathook_engine::decision::Process;
use boathook_engine::engine::Engine;
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::run::Limits;
use serde_json::json;

use crate::keeping::{Place, event, reason, wait_until, warnings};

/// The same hook in two languages, with the helper beside it.
fn helped(place: &Place, language: &str) -> String {
    let helpers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../helpers");
    let (helper, script, text) = match language {
        "python" => ("boathook_hook.py", "hook.py", PYTHON),
        _ => ("boathook_hook.mjs", "hook.mjs", NODE),
    };
    fs::copy(helpers.join(helper), place.path("home/.cursor").join(helper)).expect("the helper");
    place.write(&format!("home/.cursor/{script}"), text);
    let program = if language == "python" { "python3" } else { "node" };
    format!("{program} {script}")
}

const PYTHON: &str = r#"
import subprocess
print("printed before anything")
from boathook_hook import Deny, serve

def hook(event):
    command = event["command"]
    print("a print is no answer")
    if command == "refuse":
        raise Deny("not this")
    if command == "fail":
        raise ValueError("it broke")
    if command == "child":
        subprocess.run("cat; echo printed by a child", shell=True)
    if command != "nothing":
        return {"permission": "ask", "user_message": command}

print("printed before it serves", flush=True)
serve(hook)
"#;
const NODE: &str = r#"
import { Deny, serve } from "./boathook_hook.mjs";

console.log("printed before it serves");
process.stdout.write("and this, too\n");
serve(async (event) => {
  console.log("a print is no answer");
  process.stdout.write("nor is this\n");
  if (event.command === "refuse") throw new Deny("not this");
  if (event.command === "fail") throw new Error("it broke");
  if (event.command !== "nothing") return { permission: "ask", user_message: event.command };
});
"#;

#[test]
fn the_helpers_work_in_both_ways() {
    let long = "é".repeat(300_000);
    for language in ["python", "node"] {
        let place = Place::new();
        let command = helped(&place, language);
        place.hook(json!({ "command": command, "persistent": true }));
        let (kept, alone) = (place.engine(), Engine::new(place.settings(None)));
        for (way, engine) in [("kept", &kept), ("alone", &alone)] {
            let name = format!("{language}, {way}");
            for command in ["ls", &long] {
                let decision = engine.handle(event(command));
                assert_eq!(decision.permission, Some(Permission::Ask), "{name}: {}", reason(&decision));
                assert!(decision.user_message.as_deref() == Some(command), "{name}: {}", warnings(&decision));
                assert_eq!(warnings(&decision), "", "{name}: nothing stands before its answer");
            }
            let refused = engine.handle(event("refuse"));
            assert!(refused.blocked, "{name}");
            assert_eq!(refused.user_message.as_deref(), Some("not this"), "{name}: the reason alone");
            let failed = engine.handle(event("fail"));
            assert!(!failed.blocked && reason(&failed).contains("exited with code 1"), "{name}");
            assert_eq!(engine.handle(event("nothing")).answer_line().trim(), "{}", "{name}");
        }
        if language == "python" {
            assert_eq!(kept.handle(event("child")).permission, Some(Permission::Ask));
        }
        assert_eq!(place.keeper.count(), 1, "{language}: all of this was one process");
    }
}

/// Says that it was started, and ends late when that was ahead of its event.
const PYTHON_ENDS_LATE: &str = r#"
import atexit, os, time
print("x", file=open("../../starts", "a"))
if "BOATHOOK_DONE" in os.environ:
    atexit.register(time.sleep, 60)
"#;
const NODE_ENDS_LATE: &str = r#"
import { appendFileSync } from "node:fs";
appendFileSync("../../starts", "x\n");
const late = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);
if (process.env.BOATHOOK_DONE) process.on("exit", late);
"#;

#[test]
fn nobody_waits_for_the_end_of_a_helped_hook_that_was_started_ahead() {
    let long = "é".repeat(300_000);
    for language in ["python", "node"] {
        let place = Place::new();
        let command = helped(&place, language);
        let (script, late) = match language {
            "python" => ("home/.cursor/hook.py", PYTHON_ENDS_LATE),
            _ => ("home/.cursor/hook.mjs", NODE_ENDS_LATE),
        };
        place.write(script, &format!("{late}{}", place.read(script)));
        place.hook(json!({ "command": command, "prestart": true }));
        let engine = place.engine();
        let ask = |command: &str| {
            let before = place.starts();
            let decision = engine.handle(event(command));
            wait_until("the next one waits", || place.starts() > before.max(1) && place.keeper.idle() == 1);
            decision
        };
        ask("ls");
        let begin = Instant::now();
        for command in ["ls", &long] {
            let decision = ask(command);
            assert_eq!(decision.hooks[0].process, Some(Process::Ahead), "{language}");
            assert_eq!(decision.permission, Some(Permission::Ask), "{language}: {}", reason(&decision));
            assert!(decision.user_message.as_deref() == Some(command), "{language}: {}", warnings(&decision));
            assert_eq!(warnings(&decision), "", "{language}: the last word is no part of the answer");
        }
        let refused = ask("refuse");
        assert!(refused.blocked, "{language}");
        assert_eq!(refused.user_message.as_deref(), Some("not this"), "{language}");
        let failed = ask("fail");
        assert!(!failed.blocked && reason(&failed).contains("exited with code 1"), "{language}");
        assert_eq!(ask("nothing").answer_line().trim(), "{}", "{language}");
        assert!(begin.elapsed() < Duration::from_secs(50), "{language}: somebody waited for an end");
    }
}

#[test]
fn the_exit_code_of_a_wrapper_counts_whatever_the_helped_hook_inside_it_says() {
    for language in ["python", "node"] {
        let place = Place::new();
        let command = helped(&place, language);
        place.write(
            "home/.cursor/wrap.sh",
            &format!("# boathook_hook\necho x >> ../../starts\n{command} || exit 2\n"),
        );
        place.hook(json!({ "command": "sh wrap.sh", "prestart": true }));
        let engine = place.engine();
        for (starts, way) in [(2, None), (3, Some(Process::Ahead))] {
            let decision = engine.handle(event("fail"));
            assert_eq!(decision.hooks[0].process, way, "{language}");
            assert!(decision.blocked, "{language}: {}", reason(&decision));
            wait_until("the next one waits", || place.starts() == starts && place.keeper.idle() == 1);
        }
    }
}

#[test]
fn a_helped_hook_that_starts_slowly_is_slow_and_stays_later() {
    for language in ["python", "node"] {
        let place = Place::with(Limits { faults: 9, ..Limits::default() });
        let command = helped(&place, language);
        let (script, slow) = match language {
            "python" => {
                ("home/.cursor/hook.py", "import os, time\ntime.sleep(60 if os.path.exists('slow') else 0)\n")
            }
            _ => (
                "home/.cursor/hook.mjs",
                "import { existsSync } from 'node:fs';\nif (existsSync('slow')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000);\n",
            ),
        };
        place.write(script, &format!("{slow}{}", place.read(script)));
        place.write("home/.cursor/slow", "");
        place.hook(json!({ "command": command, "persistent": true, "timeout": 2 }));
        let engine = place.engine();
        let said = warnings(&engine.handle(event("ls")));
        assert!(said.contains("failed at its first event: it printed no answer line in 2000 ms"), "{said}");
        fs::remove_file(place.path("home/.cursor/slow")).expect("it gets faster");
        place.hook(json!({ "command": command, "persistent": true, "timeout": 30 }));
        let decision = engine.handle(event("ls"));
        assert_eq!(decision.hooks[0].process, Some(Process::Stayed), "{language}: {}", warnings(&decision));
    }
}

#[test]
fn every_error_refuses_where_the_hook_wants_that() {
    let python = [
        ("what cannot be written", "return {'permission': 'allow', 'seen': {1}}"),
        ("a number that is none", "return {'seen': float('nan')}"),
        ("a refusal that is returned", "return Deny('no')"),
        ("a text as exit code", "raise SystemExit('no')"),
        ("exit code 258", "raise SystemExit(258)"),
        (UNREADABLE, "return {}"),
    ];
    let node = [
        ("what cannot be written", "return { permission: 'allow', seen: 1n }"),
        ("a function", "return () => ({})"),
        ("a promise of what cannot be written", "return Promise.resolve({ seen: 1n })"),
        ("a refusal that is returned", "return new Deny('no')"),
        ("an error that cannot be shown", "throw Object.create(null)"),
        ("exit code 258", "process.exitCode = 258"),
    ];
    let cases = python.map(|case| ("python", case)).into_iter().chain(node.map(|case| ("node", case)));
    for (language, (name, answer)) in cases {
        let place = Place::new();
        let command = helped(&place, language);
        let (script, text) = match language {
            "python" => (
                "home/.cursor/hook.py",
                format!(
                    "from boathook_hook import Deny, serve\ndef hook(event):\n    if event['command'] != 'ls':\n        {answer}\nserve(hook, 2)\n"
                ),
            ),
            _ => (
                "home/.cursor/hook.mjs",
                format!(
                    "import {{ Deny, serve }} from './boathook_hook.mjs';\nserve((event) => {{ if (event.command !== 'ls') {{ {answer}; }} }}, 2);\n"
                ),
            ),
        };
        place.write(script, &text);
        place.hook(json!({ "command": command, "persistent": true }));
        let unreadable = name == UNREADABLE;
        for (way, engine) in [("kept", place.engine()), ("alone", Engine::new(place.settings(None)))] {
            let name = format!("{language}, {way}: {name}");
            assert_eq!(engine.handle(event("ls")).answer_line().trim(), "{}", "{name}");
            let refused = engine.handle(if unreadable { deep("rm") } else { event("rm") });
            assert!(refused.blocked, "{name}: {} {}", reason(&refused), warnings(&refused));
        }
        assert_eq!(place.keeper.count(), 1, "{language}, {name}: it goes on");
    }
}

const UNREADABLE: &str = "an event that Python does not read";

/// An event with a field that is nested so deeply that Python does not read it.
fn deep(command: &str) -> Event {
    let nested = format!("{}{}", "[".repeat(1500), "]".repeat(1500));
    let text = format!(r#"{{"command": "{command}", "conversation_id": "c1", "nested": {nested}}}"#);
    Event::new(EventKind::BeforeShellExecution, Payload::parse(text.as_bytes()).expect("a payload"))
}

#[test]
fn a_program_that_a_hook_starts_does_not_stay() {
    let python = "import os, subprocess\nfrom boathook_hook import serve\nserve(lambda event: {'user_message': subprocess.run('echo -n =$BOATHOOK_PERSISTENT=', shell=True, stdout=subprocess.PIPE, text=True).stdout, 'permission': 'ask'})\n";
    let node = "import { serve } from './boathook_hook.mjs';\nimport { execSync } from 'node:child_process';\nserve(() => ({ permission: 'ask', user_message: String(execSync('echo -n =$BOATHOOK_PERSISTENT=')) }));\n";
    for (language, script, text) in
        [("python", "home/.cursor/hook.py", python), ("node", "home/.cursor/hook.mjs", node)]
    {
        let place = Place::new();
        let command = helped(&place, language);
        place.write(script, text);
        place.hook(json!({ "command": command, "persistent": true }));
        let decision = place.engine().handle(event("ls"));
        assert_eq!(decision.hooks[0].process, Some(Process::Stayed), "{language}");
        assert_eq!(decision.user_message.as_deref(), Some("=="), "{language}: {}", reason(&decision));
    }
}

/// A Node hook that stays: what is imported before the helper, what stands beside the hook, and the hook.
fn in_node(before: &str, beside: &str, hook: &str) -> (Place, Engine) {
    let place = Place::new();
    helped(&place, "node");
    let script = format!(
        r#"{before}
import {{ Deny, serve }} from "./boathook_hook.mjs";
import {{ appendFileSync }} from "node:fs";
const note = (what) => appendFileSync("../../notes", what + "\n");
appendFileSync("../../pid", String(process.pid));
{beside}
serve({hook});
"#
    );
    place.write("home/.cursor/hook.mjs", &script);
    place.hook(json!({ "command": "node hook.mjs", "persistent": true }));
    let engine = place.engine();
    (place, engine)
}

/// Parts of the names of the kernel's functions, which change from version to version.
const IN_THE_READ: &str = "pipe";
const IN_THE_LOOP: &str = "ep";

/// In which of the kernel's functions the hook sleeps.
fn sleeps_in(place: &Place) -> String {
    fs::read_to_string(format!("/proc/{}/wchan", place.read("pid"))).unwrap_or_default()
}

#[test]
fn a_node_hook_waits_in_the_read_as_long_as_nothing_else_goes_on() {
    let plain = "(event) => ({ permission: 'ask', user_message: event.command })";
    let cases = [
        ("plain", "", plain, IN_THE_READ),
        (
            "a promise that is kept at once",
            "",
            "async (event) => ({ permission: 'ask', user_message: event.command })",
            IN_THE_READ,
        ),
        (
            "it prints",
            "",
            "(event) => { console.log('x'); return { permission: 'ask', user_message: event.command }; }",
            IN_THE_READ,
        ),
        ("a timer", "setInterval(() => {}, 60000);", plain, IN_THE_LOOP),
        ("a timer that keeps nobody alive", "setInterval(() => {}, 60000).unref();", plain, IN_THE_LOOP),
        ("a signal", "process.on('SIGUSR2', () => {});", plain, IN_THE_LOOP),
        (
            "an answer that takes its time",
            "",
            "async (event) => { await new Promise((then) => setTimeout(then, 5)); return { permission: 'ask', user_message: event.command }; }",
            IN_THE_LOOP,
        ),
    ];
    for (name, beside, hook, place_of_sleep) in cases {
        let (place, engine) = in_node("", beside, hook);
        for command in ["one", "two", "three"] {
            let decision = engine.handle(event(command));
            assert_eq!(decision.user_message.as_deref(), Some(command), "{name}: {}", reason(&decision));
            assert_eq!(warnings(&decision), "", "{name}");
        }
        wait_until(&format!("{name}: {}", sleeps_in(&place)), || sleeps_in(&place).contains(place_of_sleep));
        assert_eq!(place.keeper.count(), 1, "{name}: all of this was one process");
    }
}

#[test]
fn what_a_node_hook_began_goes_on_while_nobody_asks() {
    let cases = [
        ("before the helper was loaded", "import './early.mjs';", "", "() => ({})"),
        ("beside the hook", "", "setTimeout(() => note('done'), 50);", "() => ({})"),
        (
            "after the hook was given",
            "",
            "queueMicrotask(() => setTimeout(() => note('done'), 50));",
            "() => ({})",
        ),
        ("in an event", "", "", "() => { setTimeout(() => note('done'), 50); return {}; }"),
        (
            "in an event, turn after turn",
            "",
            "",
            "() => { const turn = (n) => n ? setImmediate(turn, n - 1) : note('done'); turn(20); return {}; }",
        ),
        (
            "in an event, by promises",
            "",
            "",
            "() => { (async () => { for (let n = 0; n < 20; n++) await n; note('done'); })(); return {}; }",
        ),
        (
            "a file that is read",
            "",
            "",
            "() => { import('node:fs').then((fs) => fs.readFile('hook.mjs', () => note('done'))); return {}; }",
        ),
        (
            "a program",
            "",
            "import { exec } from 'node:child_process';",
            "() => { exec('sleep 0.05', () => note('done')); return {}; }",
        ),
        (
            "a signal",
            "",
            "process.on('SIGUSR2', () => note('done'));",
            "() => { setTimeout(() => process.kill(process.pid, 'SIGUSR2'), 50); return {}; }",
        ),
    ];
    for (name, before, beside, hook) in cases {
        let (place, engine) = in_node(before, beside, hook);
        place.write(
            "home/.cursor/early.mjs",
            "import { appendFileSync } from 'node:fs';\nsetTimeout(() => appendFileSync('../../notes', 'done\\n'), 500);\n",
        );
        let decision = engine.handle(event("ls"));
        assert_eq!(decision.answer_line().trim(), "{}", "{name}: {}", reason(&decision));
        wait_until(name, || place.read("notes").contains("done"));
        let decision = engine.handle(event("ls"));
        assert_eq!(warnings(&decision) + &reason(&decision), "", "{name}");
        assert_eq!(place.keeper.count(), 1, "{name}: all of this was one process");
    }
}

#[test]
fn a_node_hook_goes_on_answering_whatever_else_it_does() {
    let asks = "{ permission: 'ask', user_message: event.command }";
    let cases = [
        ("its exit code is null", "", format!("(event) => {{ process.exitCode = null; return {asks}; }}")),
        ("its exit code is a text", "", format!("(event) => {{ process.exitCode = '0'; return {asks}; }}")),
        (
            "work in pieces that goes on for long",
            "",
            format!("(event) => {{ const piece = () => setImmediate(piece); piece(); return {asks}; }}"),
        ),
        (
            "promises that go on for long",
            "",
            format!(
                "(event) => {{ (async () => {{ for (;;) await new Promise(setImmediate); }})(); return {asks}; }}"
            ),
        ),
        (
            "a promise that is never kept",
            "",
            format!("(event) => {{ new Promise(() => {{}}); return {asks}; }}"),
        ),
        (
            "programs it waits for",
            "import { execSync } from 'node:child_process';",
            format!("(event) => {{ execSync('true'); return {asks}; }}"),
        ),
        (
            "it prints more than a pipe holds",
            "",
            format!("(event) => {{ console.error('x'.repeat(200000)); return {asks}; }}"),
        ),
    ];
    for (name, beside, hook) in cases {
        let (place, engine) = in_node("", beside, &hook);
        for number in 0..70 {
            let command = format!("{number}");
            let decision = engine.handle(event(&command));
            assert_eq!(decision.user_message.as_deref(), Some(&*command), "{name}: {}", reason(&decision));
            assert_eq!(warnings(&decision), "", "{name}");
        }
        assert_eq!(place.keeper.count(), 1, "{name}: all of this was one process");
    }
}

#[test]
fn an_error_that_a_node_script_handles_itself_costs_one_answer() {
    let beside = "process.on('uncaughtException', () => {});";
    let hook = "(event) => event.command === 'odd' ? { n: 1n } : { permission: 'ask' }";
    let (place, engine) = in_node("", beside, hook);
    assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Ask));
    // Only the one that never comes has little time.
    place.hook(json!({ "command": "node hook.mjs", "persistent": true, "timeout": 2 }));
    assert!(!reason(&engine.handle(event("odd"))).is_empty(), "what cannot be written is no answer");
    place.hook(json!({ "command": "node hook.mjs", "persistent": true }));
    assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Ask));
}

/// A module with one function, which Node compiles beside everything else.
const MODULE: &str = "new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])";

#[test]
fn what_a_node_hook_waits_for_without_a_handle_is_done_too() {
    let compiles = format!("let ready = false; WebAssembly.compile({MODULE}).then(() => (ready = true));");
    let hook = "() => (ready ? { permission: 'ask' } : {})";
    let (_place, engine) = in_node("", &compiles, hook);
    wait_until("it is compiled", || engine.handle(event("ls")).permission == Some(Permission::Ask));
    let within = format!("() => {{ WebAssembly.compile({MODULE}).then(() => note('done')); return {{}}; }}");
    let (place, engine) = in_node("", "", &within);
    engine.handle(event("ls"));
    wait_until("it is compiled", || place.read("notes").contains("done"));
}

#[test]
fn signals_reach_a_node_hook_that_waits() {
    let notes = "import { appendFileSync } from 'node:fs';\nprocess.on('SIGUSR2', () => appendFileSync('../../notes', 'done\\n'));\n";
    let (place, engine) = in_node("import './early.mjs';", "", "() => ({ permission: 'ask' })");
    place.write("home/.cursor/early.mjs", notes);
    engine.handle(event("ls"));
    signal(&place, "USR2");
    wait_until("the signal is handled", || place.read("notes").contains("done"));

    // The debugger's own signal interrupts the read and changes nothing.
    let (place, engine) = in_node("", "", "() => ({ permission: 'ask' })");
    for _ in 0..3 {
        let decision = engine.handle(event("ls"));
        assert_eq!((decision.permission, warnings(&decision)), (Some(Permission::Ask), String::new()));
        wait_until("it waits in the read", || sleeps_in(&place).contains(IN_THE_READ));
        signal(&place, "USR1");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn signal(place: &Place, name: &str) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &place.read("pid")]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{name}");
}
