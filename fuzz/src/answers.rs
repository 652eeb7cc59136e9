//! The answer of a hook: a refusal that can be read in it is never lost.
//!
//! Each input is the output of one hook. It is read on every event, in every edition and in both
//! dialects, after exit code 0 and 2. What is expected comes from another reader of JSON.

use std::sync::LazyLock;
use std::time::Duration;

use boathook_engine::answer::Permission;
use boathook_engine::dialect::claude;
use boathook_engine::edition::{BrokenAnswer, Edition, Rules};
use boathook_engine::event::{EVENTS, EventSpec, Gate};
use boathook_engine::load::{Hook, HookState};
use boathook_engine::merge::{Case, Heard, merge};
use boathook_engine::outcome::{ReadOutcome, read_outcome};
use boathook_engine::payload::Payload;
use boathook_engine::run::{Exit, Status};
use boathook_engine::source::Source;
use boathook_engine::{Decision, Definition, Event};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::samples;

/// Answers nest no deeper where hosts can read them; a deeper one is broken.
const MAX_DEPTH: usize = 100;

/// Spellings of a refusal that no broken answer may hide.
const REFUSALS: &[&str] = &[
    r#""permission":"deny""#,
    r#""permission": "deny""#,
    r#""continue":false,"#,
    r#""continue": false,"#,
    r#""permissionDecision":"deny""#,
    r#""decision":"block""#,
];

static HOOK: LazyLock<std::sync::Arc<Source>> =
    LazyLock::new(|| std::sync::Arc::new(Source::project(std::path::Path::new("/project"))));

/// Reads it as the output of hooks on all events.
pub fn check(bytes: &[u8]) {
    let wants = Wants::of(bytes);
    let exits = [exit(bytes, 0), exit(bytes, 2)];
    for spec in EVENTS {
        let event = samples::event_of(spec.kind);
        for edition in Edition::ALL {
            // Where nothing is held back, and after exit code 2, no edition reads it in another way.
            let (is_default, is_gate) = (edition == Edition::Docs, spec.gate != Gate::None);
            if is_default || is_gate {
                check_exit(event, &exits[0], spec, edition, &wants);
            }
            if is_default && is_gate {
                check_exit(event, &exits[1], spec, edition, &wants);
            }
        }
    }
}

fn check_exit(event: &Event, exit: &Exit, spec: &EventSpec, edition: Edition, wants: &Wants) {
    let rules = edition.rules();
    let native = read_outcome(exit, spec.kind, &event.payload, rules);
    check_native(&decide(event, native, rules), spec, rules, exit, wants);
    let imported = claude::decode_answer(exit, event, &claude::Options::default(), rules);
    check_imported(&decide(event, imported, rules), spec, exit, wants);
}

fn check_native(decision: &Decision, spec: &EventSpec, rules: &Rules, exit: &Exit, wants: &Wants) {
    check_line(decision);
    if spec.gate == Gate::None {
        assert!(!decision.blocked, "{} holds nothing back", spec.name);
        return;
    }
    if exit.status == Status::Code(2) {
        assert!(decision.blocked, "exit code 2 denies {}", spec.name);
        return;
    }
    check_object(decision, spec, wants);
    if wants.hidden && rules.broken_answer == BrokenAnswer::Failure && spec.gate != Gate::ExitCode {
        assert!(decision.blocked, "a refusal in broken output is lost on {}", spec.name);
    }
}

fn check_imported(decision: &Decision, spec: &EventSpec, exit: &Exit, wants: &Wants) {
    check_line(decision);
    match (spec.gate, &exit.status) {
        (Gate::None, _) => assert!(!decision.blocked, "{} holds nothing back", spec.name),
        (_, Status::Code(0)) => check_object(decision, spec, wants),
        _ => assert_ne!(decision.permission, Some(Permission::Allow), "exit code 2 allows {}", spec.name),
    }
}

/// One object whose deciding keys are plain to any reader: the strictest value decides.
fn check_object(decision: &Decision, spec: &EventSpec, wants: &Wants) {
    if spec.gate == Gate::ExitCode {
        return;
    }
    if wants.deny {
        assert!(decision.blocked, "a deny is lost on {}", spec.name);
    }
    if wants.ask && spec.gate == Gate::Permission {
        let asks = decision.permission == Some(Permission::Ask);
        assert!(decision.blocked || asks, "an ask is lost on {}", spec.name);
    }
}

/// The answer is one line of JSON, and says itself whether it blocks.
fn check_line(decision: &Decision) {
    let line = decision.answer_line();
    // A value that is passed on may hold half of a surrogate pair, which `Value` cannot.
    serde_json::from_str::<IgnoredAny>(&line).expect("an answer is JSON");
    let answer = Payload::parse(line.as_bytes()).expect("an answer is an object");
    assert!(!line.contains('\n'), "{line}");
    let is = |name: &str, value: &str| answer.get(name).is_some_and(|written| written.get() == value);
    let allows = is("permission", "\"allow\"") || is("continue", "true");
    assert!(!(decision.blocked && allows), "a decision that blocks is written as an allow: {line}");
}

/// What the output asks for, as another reader of JSON sees it.
#[derive(Debug, Default)]
struct Wants {
    /// A deciding key refuses.
    deny: bool,
    /// A deciding key asks.
    ask: bool,
    /// It is no object, and a refusal is written in it.
    hidden: bool,
}

impl Wants {
    fn of(bytes: &[u8]) -> Wants {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_start_matches('\u{feff}').trim();
        let mut wants = Wants::default();
        match serde_json::from_str::<Fields>(text) {
            Ok(Fields(fields)) if depth(text) <= MAX_DEPTH && std::str::from_utf8(bytes).is_ok() => {
                wants.add(&fields);
                for (_, inner) in fields.iter().filter(|(name, _)| name == "hookSpecificOutput") {
                    if let Node::Object(inner) = inner {
                        wants.add_inner(inner);
                    }
                }
            }
            // What ends with an object may be a line of a log before an answer.
            _ => wants.hidden = !text.ends_with('}') && REFUSALS.iter().any(|refusal| text.contains(refusal)),
        }
        wants
    }

    fn add(&mut self, fields: &[(String, Node)]) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("permission", Node::Text(word)) => self.word(word),
                ("decision", Node::Text(word)) if word == "block" || word == "deny" => self.deny = true,
                ("decision", Node::Text(word)) if word == "ask" => self.ask = true,
                ("continue", Node::Boolean(false)) => self.deny = true,
                _ => {}
            }
        }
    }

    fn add_inner(&mut self, fields: &[(String, Node)]) {
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("permissionDecision", Node::Text(word)) => self.word(word),
                ("decision", Node::Text(word)) if word == "block" || word == "deny" => self.deny = true,
                _ => {}
            }
        }
    }

    fn word(&mut self, word: &str) {
        self.deny |= word == "deny";
        self.ask |= word == "ask";
    }
}

/// An object with every field that is written, repeated keys included.
struct Fields(Vec<(String, Node)>);

/// A value, as far as it can decide anything.
enum Node {
    Text(String),
    Boolean(bool),
    Object(Vec<(String, Node)>),
    Other,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        match Node::deserialize(deserializer)? {
            Node::Object(fields) => Ok(Fields(fields)),
            _ => Err(serde::de::Error::custom("not an object")),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Object(fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Node, A::Error> {
        while list.next_element::<Node>()?.is_some() {}
        Ok(Node::Other)
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Boolean(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Node, E> {
        Ok(Node::Other)
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Other)
    }
}

/// How many brackets are open at once, strings included: never less than it nests.
fn depth(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count()
}

fn decide(event: &Event, read: ReadOutcome, rules: &Rules) -> Decision {
    let hook = Hook {
        id: "hook".to_owned(),
        definition: Definition::command(event.kind, "./hook"),
        source: std::sync::Arc::clone(&HOOK),
        state: HookState::Ready,
    };
    let heard = Heard { hook: &hook, read, exit: None, process: None, runs: 1 };
    merge(&[heard], &Case { event, rules, loop_count: 0, loop_ceiling: 50, can_ask: true })
}

fn exit(stdout: &[u8], code: i32) -> Exit {
    Exit {
        status: Status::Code(code),
        stdout: stdout.to_vec(),
        stderr: Vec::new(),
        duration: Duration::ZERO,
        leaked: false,
    }
}
