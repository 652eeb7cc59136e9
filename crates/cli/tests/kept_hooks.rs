//! Hooks whose process outlives an event, in an engine with a keeper.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use boathook_engine::decision::Process;
use boathook_engine::engine::{Engine, Settings};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::run::{Keeper, Limits};
use boathook_engine::source::{Os, Roots};
use boathook_engine::trust::Trust;
use boathook_engine::{Decision, Permission};
use serde_json::{Value, json};

/// A home and a workspace of their own, and what keeps processes.
struct Place {
    directory: tempfile::TempDir,
    keeper: Arc<Keeper>,
}

impl Place {
    fn new() -> Place {
        Place::with(Limits::default())
    }

    fn with(limits: Limits) -> Place {
        let limits = Limits { look: Duration::from_millis(20), ahead: Duration::ZERO, ..limits };
        let place = Place {
            directory: tempfile::tempdir().expect("a directory"),
            keeper: Arc::new(Keeper::new(limits)),
        };
        for name in ["home/.cursor", "ws/.cursor"] {
            fs::create_dir_all(place.path(name)).expect("directories");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("a file");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A user's hook on shell commands.
    fn hook(&self, entry: Value) {
        let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [entry] } });
        self.write("home/.cursor/hooks.json", &file.to_string());
    }

    fn settings(&self, keeper: Option<&Arc<Keeper>>) -> Settings {
        let roots = Roots {
            system: self.path("system"),
            ..Roots::new(Os::current(), self.path("home"), self.path("state"), [self.path("ws")])
        };
        let mut settings = Settings::new(roots);
        settings.environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
        settings.keeper = keeper.cloned();
        settings
    }

    fn engine(&self) -> Engine {
        Engine::new(self.settings(Some(&self.keeper)))
    }

    /// How many processes were started.
    fn starts(&self) -> usize {
        self.read("starts").lines().count()
    }
}

/// A hook that stays, in the words of a shell. It notes its start, and answers
/// with what `answer` prints for `$id` and `$line`.
fn staying(place: &Place, answer: &str) -> String {
    let starts = place.path("starts").display().to_string();
    let script = format!(
        "echo $$ >> {starts}\nwhile read -r line; do\n id=${{line#*\\\"id\\\":\\\"}}; id=${{id%%\\\"*}}\n {answer}\ndone\n"
    );
    place.write("home/.cursor/stay.sh", &script);
    "sh stay.sh".to_owned()
}

const ALLOW: &str = r#"echo "{\"id\":\"$id\",\"output\":{\"permission\":\"allow\"}}""#;

fn event(command: &str) -> Event {
    let payload = json!({ "command": command, "conversation_id": "c1" }).to_string();
    Event::new(EventKind::BeforeShellExecution, Payload::parse(payload.as_bytes()).expect("a payload"))
}

fn reason(decision: &Decision) -> String {
    decision.hooks.iter().filter_map(|hook| hook.reason.clone()).collect()
}

fn warnings(decision: &Decision) -> String {
    decision.hooks.iter().flat_map(|hook| hook.warnings.clone()).collect::<Vec<_>>().join("; ")
}

fn wait_until(what: &str, so: impl Fn() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !so() {
        assert!(Instant::now() < limit, "not within twenty seconds: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn lives(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_hook_that_stays_is_started_once_and_without_a_keeper_each_time() {
    let place = Place::new();
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    let engine = place.engine();
    for _ in 0..20 {
        let decision = engine.handle(event("ls"));
        assert_eq!(decision.permission, Some(Permission::Allow));
        assert_eq!(decision.hooks[0].process, Some(Process::Stayed));
    }
    assert_eq!((place.starts(), place.keeper.count()), (1, 1));
    let other = place.engine();
    assert_eq!(other.handle(event("ls")).permission, Some(Permission::Allow));
    assert_eq!(place.starts(), 1, "engines with one keeper share its processes");

    let alone = Engine::new(place.settings(None));
    let decision = alone.handle(event("ls"));
    // This script speaks only the language of those that stay.
    assert!(decision.permission.is_none() && place.starts() == 2, "{}", reason(&decision));
    assert_eq!(decision.hooks[0].process, None);
}

#[test]
fn what_goes_wrong_is_a_failure_and_the_next_event_is_answered() {
    let long = r#"head -c 17825792 /dev/zero | tr '\0' x"#;
    let cases = [
        ("a crash", "exit 7", "exited with code 7"),
        ("a signal", "kill -9 $$", "was killed by SIGKILL"),
        ("a timeout", "sleep 40", "timed out after 500ms"),
        ("another id", r#"echo '{"id":"x","output":{}}'"#, "it answered `x`, and `"),
        ("garbage", "echo hello", "it printed `hello`, which is no answer"),
        ("17 MiB", long, "printed more than 16 MiB"),
    ];
    for (name, answer, expected) in cases {
        let place = Place::new();
        let once = place.path("once").display().to_string();
        let command =
            staying(&place, &format!("if rmdir {once} 2>/dev/null; then {answer}; else {ALLOW}; fi"));
        let timeout = if name == "a timeout" { 0.5 } else { 60.0 };
        place.hook(json!({ "command": command, "persistent": true, "failClosed": true, "timeout": timeout }));
        let engine = place.engine();
        assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "{name}");
        fs::create_dir(place.path("once")).expect("a directory");
        let failed = engine.handle(event("ls"));
        assert!(failed.blocked, "{name}: failClosed counts as ever");
        assert!(reason(&failed).contains(expected), "{name}: {}", reason(&failed));
        assert_eq!(place.keeper.count(), 0, "{name}: its process is gone");
        let next = engine.handle(event("ls"));
        assert_eq!(next.permission, Some(Permission::Allow), "{name}: {}", reason(&next));
        assert_eq!(place.starts(), 2, "{name}");
    }
}

#[test]
fn a_crash_loop_ends_in_a_process_per_event_and_says_so() {
    let place = Place::with(Limits { faults: 2, ..Limits::default() });
    // Alone it answers; where it should stay it crashes.
    let script = "if [ -n \"$BOATHOOK_PERSISTENT\" ]; then exit 5; fi\ncat >/dev/null; echo '{\"permission\":\"deny\"}'\n";
    place.write("home/.cursor/loop.sh", script);
    place.hook(json!({ "command": "sh loop.sh", "persistent": true }));
    let engine = place.engine();
    for _ in 0..2 {
        let decision = engine.handle(event("ls"));
        assert!(decision.blocked, "alone it was asked: {}", reason(&decision));
        assert!(warnings(&decision).contains("failed at its first event"), "{}", warnings(&decision));
    }
    let decision = engine.handle(event("ls"));
    assert!(decision.blocked, "{}", reason(&decision));
    assert!(warnings(&decision).contains("failed 2 times in a row"), "{}", warnings(&decision));
}

#[test]
fn a_hook_that_does_not_answer_lines_is_asked_by_itself_and_says_so() {
    const PLAIN: &str = r#"echo '{"permission":"deny"}'"#;
    let cases = [
        ("reads all of stdin", "cat >/dev/null", "no answer line in 500 ms"),
        ("reads a line", "read -r line", "has no `id`"),
        ("prints first", "echo checking >&2; echo", "which is no answer line"),
        ("says nothing", "test -z $BOATHOOK_PERSISTENT || exit 0", "it ended, with code 0"),
    ];
    for (name, before, why) in cases {
        let place = Place::new();
        let starts = place.path("starts").display().to_string();
        let script = format!("echo $$ >> {starts}\n{before}\n{PLAIN}\n");
        place.write("home/.cursor/plain.sh", &script);
        place.hook(json!({ "command": "sh plain.sh", "persistent": true, "timeout": 0.5 }));
        let engine = place.engine();
        for round in 0..3 {
            let decision = engine.handle(event("ls"));
            assert!(decision.blocked, "{name}: {} {}", reason(&decision), warnings(&decision));
            let said = warnings(&decision);
            assert!(said.contains(why) && said.contains("does it use the helper?"), "{name}: {said}");
            assert_eq!(decision.hooks[0].process, None, "{name}: it answered by itself");
            assert_eq!(place.starts(), 2 + round, "{name}: only the first event costs a second process");
        }
        place.write("home/.cursor/plain.sh", &script.replace(PLAIN, "echo '{}'"));
        engine.handle(event("ls"));
        assert_eq!(place.starts(), 6, "{name}: a new script is tried again");
    }
}

#[test]
fn who_speaks_in_lines_alone_has_failed_when_no_line_came() {
    let place = Place::new();
    let once = place.path("once").display().to_string();
    let answer = format!("if mkdir {once} 2>/dev/null; then echo hello; else {ALLOW}; fi");
    place.hook(json!({ "command": staying(&place, &answer), "persistent": true, "failClosed": true }));
    let decision = place.engine().handle(event("ls"));
    assert!(decision.blocked && reason(&decision).contains("it printed `hello`"), "{}", reason(&decision));
    assert_eq!(place.engine().handle(event("ls")).permission, Some(Permission::Allow), "it is asked again");
}

#[test]
fn other_files_and_other_surroundings_are_another_process() {
    let place = Place::new();
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    let engine = place.engine();
    engine.handle(event("ls"));
    staying(&place, &ALLOW.replace("allow", "deny"));
    assert!(engine.handle(event("ls")).blocked, "the script that stands there answers");
    assert_eq!((place.starts(), place.keeper.count()), (2, 1), "the old one was ended");
    let payload = br#"{"command": "ls", "conversation_id": "c2", "transcript_path": "/t2"}"#;
    let other = Event::new(EventKind::BeforeShellExecution, Payload::parse(payload).expect("a payload"));
    engine.handle(other);
    assert_eq!((place.starts(), place.keeper.count()), (3, 2), "another conversation, another environment");
    engine.handle(event("ls"));
    assert_eq!(place.starts(), 3);
}

#[test]
fn what_is_no_longer_trusted_is_ended_and_not_asked() {
    let changes: [(&str, &dyn Fn(&Place)); 3] = [
        ("a flag of the entry", &|place| {
            let text = place.read("ws/.cursor/hooks.json").replace("\"prestart\":false", "\"prestart\":true");
            place.write("ws/.cursor/hooks.json", &text);
        }),
        ("the script", &|place| place.write("ws/stay.sh", "touch evil; cat")),
        ("somebody said so", &|place| {
            let engine = place.engine();
            let hooks = engine.hooks();
            let source = &hooks.hooks[0].source;
            Trust::new(engine.roots()).revoke(source).expect("a store");
        }),
    ];
    for (name, change) in changes {
        let place = Place::new();
        staying(&place, ALLOW);
        fs::rename(place.path("home/.cursor/stay.sh"), place.path("ws/stay.sh")).expect("a script");
        let entry = json!({ "command": "sh ./stay.sh", "persistent": true, "prestart": false });
        let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [entry] } });
        place.write("ws/.cursor/hooks.json", &file.to_string());
        let engine = place.engine();
        assert!(engine.handle(event("ls")).permission.is_none());
        assert_eq!((place.starts(), place.keeper.count()), (0, 0), "{name}: nothing runs before trust");
        trust(&place);
        assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "{name}");
        let pid = place.read("starts").trim().to_owned();
        assert!(lives(&pid));
        change(&place);
        let decision = engine.handle(event("ls"));
        assert!(decision.permission.is_none(), "{name}: {decision:?}");
        wait_until("its process is ended", || !lives(&pid) && place.keeper.count() == 0);
        assert_eq!(place.starts(), 1, "{name}");
        assert!(!place.path("ws/evil").exists(), "{name}");
    }
}

/// Trusts the workspace as it is now.
fn trust(place: &Place) {
    let engine = place.engine();
    let hooks = engine.hooks();
    let source = &hooks.hooks[0].source;
    let store = Trust::new(engine.roots());
    let bytes = fs::read(&source.file).expect("a file");
    let definitions: Vec<_> = hooks.hooks.iter().map(|hook| hook.definition.clone()).collect();
    let subject = store.subject(source, &bytes, &definitions);
    store.accept(&subject).expect("a store");
}

#[test]
fn idle_processes_are_ended() {
    let place = Place::with(Limits { idle: Duration::from_millis(100), ..Limits::default() });
    place.hook(json!({ "command": staying(&place, ALLOW), "persistent": true }));
    place.engine().handle(event("ls"));
    wait_until("nobody is left", || place.keeper.count() == 0);
    let pid = place.read("starts").trim().to_owned();
    wait_until("it is dead", || !lives(&pid));
}

#[test]
fn fifty_events_at_once_are_all_answered() {
    let place = Place::new();
    // Where all are busy it also runs alone, and then its first line is a payload.
    let both = r#"case $line in '{"id"'*) echo "{\"id\":\"$id\",\"output\":{\"permission\":\"deny\"}}";; *) echo '{"permission":"deny"}';; esac"#;
    place.hook(json!({ "command": staying(&place, both), "persistent": true }));
    let engine = place.engine();
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                let decision = engine.handle(event("ls"));
                assert!(decision.blocked, "{}", reason(&decision));
            });
        }
    });
    assert!(place.keeper.count() <= 4);
}

#[test]
fn several_hooks_of_one_event_are_asked_together_and_answer_in_order() {
    let place = Place::new();
    let stays = staying(&place, &ALLOW.replace("}}", ",\\\"agent_message\\\":\\\"stays\\\"}}"));
    let said = |name: &str| {
        format!("cat >/dev/null; echo '{{\"permission\":\"deny\",\"user_message\":\"{name}\"}}'")
    };
    let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [
        { "command": said("one") },
        { "command": stays, "persistent": true },
        { "command": said("two"), "prestart": true },
        { "command": format!("{stays} again"), "persistent": true },
    ]}});
    place.write("home/.cursor/hooks.json", &file.to_string());
    let engine = place.engine();
    for _ in 0..3 {
        let decision = engine.handle(event("ls"));
        let outcomes: Vec<_> = decision.hooks.iter().map(|hook| hook.permission).collect();
        assert_eq!(outcomes, [Some("deny"), Some("allow"), Some("deny"), Some("allow")]);
        assert_eq!(decision.user_message.as_deref(), Some("one\n\n---\n\ntwo"));
    }
}

#[test]
fn a_hook_that_is_started_ahead_waits_for_its_event() {
    let place = Place::new();
    let starts = place.path("starts").display().to_string();
    let script = format!(
        "echo $$ >> {starts}\nline=$(cat)\necho \"$line\" >> payload\necho '{{\"permission\":\"deny\"}}'\n"
    );
    place.write("home/.cursor/ahead.sh", &script);
    place.hook(json!({ "command": "sh ahead.sh", "prestart": true }));
    let engine = place.engine();
    for round in 1..=3 {
        let decision = engine.handle(event(&format!("round {round}")));
        assert!(decision.blocked && warnings(&decision).is_empty(), "{}", reason(&decision));
        assert_eq!(decision.hooks[0].process, (round > 1).then_some(Process::Ahead));
        assert!(place.read("home/.cursor/payload").contains(&format!("round {round}")));
        wait_until("the next one waits", || place.starts() == round + 1 && place.keeper.count() == 1);
    }
    place.write("home/.cursor/ahead.sh", "cat >/dev/null; echo '{\"permission\":\"allow\"}'");
    assert_eq!(engine.handle(event("ls")).permission, Some(Permission::Allow), "the new script answers");
}

#[test]
fn one_that_prints_before_its_event_is_thrown_away() {
    let place = Place::new();
    let starts = place.path("starts").display().to_string();
    let script = format!("echo '{{\"permission\":\"deny\"}}'; echo $$ >> {starts}; cat >/dev/null\n");
    place.write("home/.cursor/early.sh", &script);
    place.hook(json!({ "command": "sh early.sh", "prestart": true }));
    let engine = place.engine();
    assert!(engine.handle(event("ls")).blocked);
    wait_until("the next one printed", || place.starts() == 2 && place.keeper.count() == 1);
    let decision = engine.handle(event("ls"));
    assert!(decision.blocked);
    assert!(warnings(&decision).contains("before its event"), "{}", warnings(&decision));
}

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
            wait_until("the next one waits", || place.starts() > before.max(1));
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
            wait_until("the next one waits", || place.starts() == starts);
        }
    }
}
