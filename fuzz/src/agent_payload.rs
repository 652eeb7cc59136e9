//! What an agent sends: behind a rule that denies everything, nothing passes a gate.
//!
//! `BOATHOOK_FUZZ_AGENT` names the agent; each has a corpus of its own. Where an agent gives the
//! event's name outside of its payload, the input begins with a line `@NAME`.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use boathook_engine::agent::{
    AGENTS, Adapter, Agent, Answered, Happening, Heard, Moment, Preferences, Reply, Told, hear,
};
use boathook_engine::config;
use boathook_engine::dialect::copilot::pascal::IN_CLAUDES_NAME;
use boathook_engine::edition::Edition;
use boathook_engine::event::{EVENTS, Gate};
use boathook_engine::payload::Payload;
use boathook_engine::{Engine, Os, Roots, Settings};
use serde_json::{Map, Value, json};

/// The variable that names the agent.
pub const AGENT_VARIABLE: &str = "BOATHOOK_FUZZ_AGENT";
/// The variable that names the directory for state; else one of this process.
pub const STATE_VARIABLE: &str = "BOATHOOK_FUZZ_STATE";

/// Copilot CLI where it runs the settings of Claude Code.
static COPILOT_AS_CLAUDE: Agent = IN_CLAUDES_NAME;
/// Its name here: it speaks in another's name.
pub const COPILOT_PASCAL: &str = "copilot-pascal";

/// The agent under test, and an engine that denies everything.
struct Setup {
    agent: &'static Agent,
    denying: Engine,
}

static SETUP: LazyLock<Setup> = LazyLock::new(|| {
    let name = std::env::var(AGENT_VARIABLE).unwrap_or_else(|_| "claude".to_owned());
    let agent = agent_named(&name).unwrap_or_else(|| panic!("{AGENT_VARIABLE}: no agent `{name}`"));
    let state = std::env::var_os(STATE_VARIABLE)
        .map(PathBuf::from)
        .unwrap_or_else(|| std::env::temp_dir().join(format!("boathook-fuzz-{}", std::process::id())));
    Setup { agent, denying: denying_everything(&state) }
});

/// The agent of this name, and Copilot CLI in its second form.
pub fn agent_named(name: &str) -> Option<&'static Agent> {
    if name == COPILOT_PASCAL {
        return Some(&COPILOT_AS_CLAUDE);
    }
    AGENTS.iter().find(|agent| agent.name == name).copied()
}

/// Hears it as the agent of the environment.
pub fn check(bytes: &[u8]) {
    check_as(SETUP.agent, &SETUP.denying, bytes);
}

/// Hears it as this agent, with an engine that denies everything.
pub fn check_as(agent: &'static Agent, engine: &Engine, bytes: &[u8]) {
    let (event, bytes) = split_event(bytes);
    let adapter = Adapter {
        agent,
        preferences: Preferences::default(),
        engine,
        servers: &(),
        cancel: None,
        watch: None,
    };
    match hear(agent, bytes, event, &[]) {
        Heard::FromCursor => {
            // `hear` repairs lone surrogates before it parses; `Payload::parse` alone rejects them.
            let says_so = Payload::parse(bytes).map_or_else(
                |_| String::from_utf8_lossy(bytes).contains("cursor_version"),
                |payload| payload.has("cursor_version"),
            );
            assert!(says_so && agent.name != "cursor", "taken for a payload of Cursor");
        }
        Heard::Unclear { event, reason } => {
            let reply = adapter.answer_unclear(event.as_deref(), bytes, &reason.to_string());
            check_reply(&reply);
            let is_over = event.as_deref().is_some_and(|event| is_no_gate(agent, event));
            let is_refused = reply.code == 2 || !reply.stdout.is_empty();
            assert!(is_refused || is_over, "not understood, and let through: {reply:?}");
            assert!(!reply.stdout.is_empty() || !reply.stderr.is_empty(), "no reason is given");
            assert_no_allow(&reply);
        }
        Heard::Happened(happening) => {
            check_repeated(agent, &happening);
            let is_gate = is_gate(&happening);
            let answered = adapter.answer(*happening);
            check_reply(&answered.reply);
            if is_gate {
                check_refused(&answered);
            }
        }
    }
}

/// What was understood is the same when it is written and read again.
fn check_repeated(agent: &Agent, happening: &Happening) {
    let payload = (agent.encode_event)(happening);
    let told = Told { event: Some(happening.event.clone()), payload };
    if let Ok(again) = (agent.decode_event)(&told) {
        assert_eq!(is_gate(&again), is_gate(happening), "a gate is none when it is written again");
    }
}

fn check_refused(answered: &Answered) {
    let words = answered.verdict.refused.as_ref();
    assert!(words.is_some(), "let through: {:?}", answered.reply);
    assert!(
        words.is_some_and(|words| !words.model.is_empty() && !words.user.is_empty()),
        "no reason is given"
    );
    let reply = &answered.reply;
    assert!(reply.code != 0 || !reply.stdout.is_empty(), "the refusal is not written: {reply:?}");
    assert_no_allow(reply);
}

/// What is printed is nothing or one object of JSON, and the exit code one that agents know.
fn check_reply(reply: &Reply) {
    assert!(matches!(reply.code, 0..=2), "{reply:?}");
    if !reply.stdout.is_empty() {
        let value: Result<Value, _> = serde_json::from_str(&reply.stdout);
        assert!(value.is_ok_and(|value| value.is_object()), "not an object of JSON: {reply:?}");
        assert!(!reply.stdout.contains('\n'), "more than one line: {reply:?}");
    }
}

/// No deciding key of a refusal allows.
fn assert_no_allow(reply: &Reply) {
    let Ok(value) = serde_json::from_str::<Value>(&reply.stdout) else { return };
    let fields = [&value, &value["hookSpecificOutput"]];
    for name in ["permission", "permissionDecision", "decision", "behavior"] {
        for holder in fields {
            let word = holder[name].as_str().unwrap_or_default();
            assert!(!matches!(word, "allow" | "approve"), "a refusal allows: {reply:?}");
        }
    }
}

/// Whether nothing is held back by this event, whatever its payload holds.
fn is_no_gate(agent: &Agent, event: &str) -> bool {
    let told = Told { event: Some(event.to_owned()), payload: Payload::default() };
    let after = ["after", "post", "stop", "end", "start", "compact", "notification", "response", "complete"];
    match (agent.decode_event)(&told) {
        Ok(happening) => !is_gate(&happening),
        Err(_) => after.iter().any(|word| event.to_lowercase().contains(word)),
    }
}

fn is_gate(happening: &Happening) -> bool {
    match &happening.moment {
        Moment::BeforeTool { .. } => true,
        // Made by a task that was launched before: no prompt of a person.
        Moment::Prompt { text } => !text.starts_with("<task-notification>"),
        _ => false,
    }
}

/// The event's name on a first line `@NAME`, and the rest.
fn split_event(bytes: &[u8]) -> (Option<&str>, &[u8]) {
    let Some(rest) = bytes.strip_prefix(b"@") else { return (None, bytes) };
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let payload = rest.get(end + 1..).unwrap_or_default();
    (std::str::from_utf8(&rest[..end]).ok().filter(|event| !event.is_empty()), payload)
}

/// An engine with a rule on every gate that denies whatever it sees, without a process.
pub fn denying_everything(place: &Path) -> Engine {
    let roots = Roots {
        system: place.join("system"),
        ..Roots::new(Os::current(), place.join("home"), place.join("state"), [place.join("project")])
    };
    let engine = Engine::new(Settings::new(roots));
    let gates = EVENTS.iter().filter(|spec| matches!(spec.gate, Gate::Permission | Gate::Continue));
    let hooks: Map<String, Value> = gates
        .map(|spec| {
            let entry = json!([{ "command": "boathook rule no", "rule": { "deny": "no" } }]);
            (spec.name.to_owned(), entry)
        })
        .collect();
    let text = json!({ "version": 1, "hooks": hooks }).to_string();
    let read = config::read(text.as_bytes(), Edition::Docs);
    assert!(read.problems.is_empty(), "{:?}", read.problems);
    read.definitions.into_iter().for_each(|definition| engine.inject(definition, place.to_owned()));
    engine
}
