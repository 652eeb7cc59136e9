//! What agents really sent, and what becomes of it when it is damaged.
//!
//! Behind a rule that denies everything on every gate, a payload may be
//! refused, understood or not; it is never let through, and nothing panics.
//! `BOATHOOK_MUTATIONS` says how many damaged payloads are tried.

mod doors;

use std::path::{Path, PathBuf};

use boathook_engine::agent::{AGENTS, Adapter, Agent, Happening, Heard, Moment, Preferences, Told, hear};
use boathook_engine::config;
use boathook_engine::dialect::copilot::pascal::{IN_CLAUDES_NAME, is_in_claudes_name};
use boathook_engine::edition::Edition;
use boathook_engine::event::{EVENTS, Gate};
use boathook_engine::payload::Payload;
use boathook_engine::{Engine, Os, Roots, Settings};
use serde_json::{Map, Value, json};

const MUTATIONS: usize = 20_000;
const THREADS: u64 = 4;

/// Copilot CLI where it runs Claude Code's settings, with events in Pascal case.
static COPILOT_AS_CLAUDE: Agent = IN_CLAUDES_NAME;

/// One recorded payload, and the event's name where it stands in the file's.
struct Recorded {
    file: PathBuf,
    event: Option<String>,
    value: Value,
}

impl Recorded {
    fn is_gate(&self, agent: &Agent) -> bool {
        let told = Told { event: self.event.clone(), payload: Payload::of(&self.value) };
        (agent.decode_event)(&told).is_ok_and(|happening| is_gate(&happening))
    }
}

/// Every agent, and one that speaks in another's name.
fn speakers() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().copied().chain([&COPILOT_AS_CLAUDE])
}

#[test]
fn what_an_agent_sent_means_the_same_when_it_is_written_again() {
    let mut seen = 0;
    for agent in speakers() {
        let all = recorded(agent);
        assert!(all.len() > 5, "only {} payloads of {}", all.len(), agent.title);
        for Recorded { file, event, value } in all {
            let decode = |payload: Payload| {
                (agent.decode_event)(&Told { event: event.clone(), payload })
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()))
            };
            let happening = decode(Payload::of(&value));
            let again = decode((agent.encode_event)(&happening));
            assert_eq!(again, happening, "{}", file.display());
            seen += 1;
        }
    }
    assert!(seen > 50, "only {seen} payloads of {} agents were found", AGENTS.len());
}

#[test]
fn no_mutated_payload_passes_a_gate() {
    let count = std::env::var("BOATHOOK_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let count = count.unwrap_or(MUTATIONS);
    let place = tempfile::tempdir().expect("a directory");
    let engine = denying_everything(place.path());
    let originals: Vec<(&'static Agent, Recorded)> =
        speakers().flat_map(|agent| recorded(agent).into_iter().map(move |one| (agent, one))).collect();
    for agent in speakers() {
        let gates = originals.iter().filter(|(of, one)| std::ptr::eq(*of, agent) && one.is_gate(agent));
        assert!(gates.count() > 2, "no gates of {}", agent.title);
    }
    let parts: Vec<[usize; 3]> = std::thread::scope(|scope| {
        let part = |seed: u64| {
            let (engine, originals) = (&engine, &originals);
            scope.spawn(move || damage_many(engine, originals, seed, count.div_ceil(THREADS as usize)))
        };
        let parts: Vec<_> = (0..THREADS).map(part).collect();
        parts.into_iter().map(|part| part.join().expect("no payload does this")).collect()
    });
    let [refused, unclear, rest] =
        [0, 1, 2].map(|outcome| parts.iter().map(|part| part[outcome]).sum::<usize>());
    println!("damaged payloads: {refused} refused, {unclear} not understood, {rest} on no gate");
    // Each of the three must really have been tried.
    assert!([refused, unclear, rest].iter().all(|times| *times > count / 200), "{parts:?}");
}

#[test]
fn every_agent_has_a_corpus_of_its_own_to_fuzz() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/agent_payload");
    let entries = std::fs::read_dir(&folder).expect("the corpus");
    let mut found: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    // Copilot CLI speaks in two forms; the fuzz target knows the second one by this name.
    let mut expected: Vec<&str> = AGENTS.iter().map(|agent| agent.name).chain(["copilot-pascal"]).collect();
    expected.sort();
    assert_eq!(found, expected);
}

/// Tries so many damaged payloads; says how often each outcome was seen.
fn damage_many(
    engine: &Engine,
    originals: &[(&'static Agent, Recorded)],
    seed: u64,
    count: usize,
) -> [usize; 3] {
    let mut random = Random(0x5eed_b0a7 + seed);
    let mut outcomes = [0usize; 3];
    for number in 0..count {
        let (agent, original) = &originals[random.below(originals.len())];
        let bytes = mutated(&original.value, &mut random);
        let adapter = Adapter {
            agent,
            preferences: Preferences::default(),
            engine,
            servers: &(),
            cancel: None,
            watch: None,
        };
        let shown = || String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]).into_owned();
        let gate = original.is_gate(agent);
        let outcome = outcome(&adapter, &bytes, original.event.as_deref(), gate).unwrap_or_else(|problem| {
            panic!("{problem}: mutation {number} of {}:\n{}", original.file.display(), shown())
        });
        outcomes[outcome as usize] += 1;
    }
    outcomes
}

/// What may become of a damaged payload.
#[derive(Clone, Copy)]
enum Outcome {
    Refused,
    NotUnderstood,
    HoldsNothingBack,
}

/// `gate`: the payload was one of a gate before it was damaged.
fn outcome(adapter: &Adapter<'_>, bytes: &[u8], event: Option<&str>, gate: bool) -> Result<Outcome, String> {
    match hear(adapter.agent, bytes, event, &[]) {
        Heard::FromCursor => Err("it was taken for a payload of Cursor's".to_owned()),
        Heard::Unclear { reason, event } => {
            let reply = adapter.answer_unclear(event.as_deref(), b"", &reason.to_string());
            // What cannot be read cannot be judged: it is refused, with a reason.
            let refused = !reply.stdout.is_empty() || (reply.code == 2 && !reply.stderr.is_empty());
            // What is over can only be told.
            let told = !reply.stderr.is_empty() && !gate;
            if refused || told { Ok(Outcome::NotUnderstood) } else { Err(format!("let through: {reply:?}")) }
        }
        Heard::Happened(happening) => {
            let gate = is_gate(&happening);
            let answered = adapter.answer(*happening);
            let refused = answered.verdict.refused.as_ref();
            let said = refused.is_some_and(|words| !words.model.is_empty() && !words.user.is_empty());
            let told = !answered.reply.stdout.is_empty() || answered.reply.code != 0;
            match (gate, said && told) {
                (false, _) => Ok(Outcome::HoldsNothingBack),
                (true, true) => Ok(Outcome::Refused),
                (true, false) => Err(format!("let through: {:?}", answered.reply)),
            }
        }
    }
}

fn is_gate(happening: &Happening) -> bool {
    match &happening.moment {
        Moment::BeforeTool { .. } => true,
        // Of a task that another recording launched: nobody's prompt.
        Moment::Prompt { text } => !text.starts_with("<task-notification>"),
        _ => false,
    }
}

/// An engine with a rule on every gate that denies whatever it sees, without a process.
fn denying_everything(place: &Path) -> Engine {
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

/// Every payload that was recorded of an agent.
fn recorded(agent: &Agent) -> Vec<Recorded> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/agents/payloads").join(agent.name);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        let one = |(number, value)| Recorded { file: folder.join(format!("{number}")), event: None, value };
        return made(agent.name).into_iter().enumerate().map(one).collect();
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.retain(|file| is_said_by(agent, file));
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a file");
        let value: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let understood = |event: Option<&str>| {
            let told = Told { event: event.map(str::to_owned), payload: Payload::of(&value) };
            (agent.decode_event)(&told).is_ok()
        };
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let event = stem.split('-').find(|word| understood(Some(word)));
        let event = event.filter(|_| !understood(None)).map(str::to_owned);
        Recorded { event, file, value }
    };
    files.into_iter().map(read).collect()
}

/// Copilot CLI has two forms, and each is read by a speaker of its own.
fn is_said_by(agent: &Agent, file: &Path) -> bool {
    let bytes = std::fs::read(file).expect("a file");
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let pascal = name.split('-').nth(1).unwrap_or_default().starts_with(char::is_uppercase);
    match (agent.name, std::ptr::eq(agent, &COPILOT_AS_CLAUDE)) {
        (_, true) => Payload::parse(&bytes).is_ok_and(|payload| is_in_claudes_name(&payload)),
        ("copilot", false) => !pascal,
        _ => true,
    }
}

/// What agents send that were never run by us, as their documentation has it.
fn made(agent: &str) -> Vec<Value> {
    let patch = "*** Begin Patch\n*** Update File: /p/a\n@@\n-x\n+y\n*** Delete File: /p/b\n*** End Patch";
    let payloads = match agent {
        "vscode" => json!([
            {"hook_event_name": "SessionStart", "source": "new"},
            {"hook_event_name": "UserPromptSubmit", "prompt": "do it"},
            {"hook_event_name": "PreToolUse", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}, "tool_use_id": "t"},
            {"hook_event_name": "PreToolUse", "tool_name": "read_file", "tool_input": {"filePath": "/p/a"}, "tool_use_id": "t"},
            {"hook_event_name": "PreToolUse", "tool_name": "create_file", "tool_input": {"filePath": "/p/a", "content": "x"}},
            {"hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": {"input": patch}},
            {"hook_event_name": "PreToolUse", "tool_name": "multi_replace_string_in_file",
                "tool_input": {"replacements": [{"filePath": "/p/a", "oldString": "x", "newString": "y"}]}},
            {"hook_event_name": "PreToolUse", "tool_name": "mcp_mini_echo", "tool_input": {"text": "hi"}},
            {"hook_event_name": "PostToolUse", "tool_name": "run_in_terminal", "tool_input": {"command": "ls"}, "tool_response": "a"},
            {"hook_event_name": "Stop", "stop_hook_active": false},
        ]),
        "cursor" => json!([
            {"hook_event_name": "sessionStart", "is_background_agent": false},
            {"hook_event_name": "beforeSubmitPrompt", "prompt": "do it"},
            {"hook_event_name": "preToolUse", "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_use_id": "t"},
            {"hook_event_name": "preToolUse", "tool_name": "Read", "tool_input": {"file_path": "/p/a"}, "tool_use_id": "t"},
            {"hook_event_name": "preToolUse", "tool_name": "Write", "tool_input": {"path": "/p/a", "contents": "x"}},
            {"hook_event_name": "preToolUse", "tool_name": "MCP:echo", "tool_input": {"text": "hi"}, "mcp_server_name": "mini"},
            {"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{}", "duration": 5.5},
            {"hook_event_name": "postToolUseFailure", "tool_name": "Shell", "tool_input": {"command": "ls"},
                "error_message": "no", "failure_type": "error", "is_interrupt": false},
            {"hook_event_name": "stop", "status": "completed", "loop_count": 0},
            {"hook_event_name": "afterAgentResponse", "text": "done"},
        ]),
        "windsurf" => json!([
            {"agent_action_name": "pre_user_prompt", "tool_info": {"user_prompt": "do it"}},
            {"agent_action_name": "pre_run_command", "tool_info": {"command_line": "ls", "cwd": "/p"}},
            {"agent_action_name": "post_run_command", "tool_info": {"command_line": "ls", "cwd": "/p"}},
            {"agent_action_name": "pre_read_code", "tool_info": {"file_path": "/p/a"}},
            {"agent_action_name": "pre_write_code",
                "tool_info": {"file_path": "/p/a", "edits": [{"old_string": "x", "new_string": "y"}]}},
            {"agent_action_name": "pre_mcp_tool_use",
                "tool_info": {"mcp_server_name": "mini", "mcp_tool_name": "echo", "mcp_tool_arguments": {"text": "hi"}}},
            {"agent_action_name": "post_cascade_response", "tool_info": {"response": "done"}},
        ]),
        other => panic!("nothing was recorded of {other}, and nothing is made up for it"),
    };
    let Value::Array(mut payloads) = payloads else { panic!("a list") };
    let common = match agent {
        "vscode" => json!({"session_id": "s", "cwd": "/p"}),
        "cursor" => json!({"conversation_id": "s", "generation_id": "g", "workspace_roots": ["/p"]}),
        _ => json!({"trajectory_id": "s", "execution_id": "g", "model_name": "m"}),
    };
    for payload in &mut payloads {
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(common.as_object().expect("an object").clone());
    }
    payloads
}

/// Small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// One to three damages: to the value, or to its bytes.
fn mutated(original: &Value, random: &mut Random) -> Vec<u8> {
    let mut value = original.clone();
    for _ in 0..=random.below(2) {
        damage(&mut value, random, 6);
    }
    let mut bytes = value.to_string().into_bytes();
    match random.below(6) {
        0 => {
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
        }
        1 => bytes.truncate(random.below(bytes.len())),
        2 => bytes.splice(0..0, *b"\xEF\xBB\xBF").for_each(drop),
        3 => {
            let half = bytes.windows(2).position(|two| two == b": " || two == b":\"");
            let at = half.map_or(0, |at| at + 2).min(bytes.len());
            bytes.splice(at..at, *b"\\ud800").for_each(drop);
        }
        _ => {}
    }
    bytes
}

/// Changes one thing somewhere inside.
fn damage(value: &mut Value, random: &mut Random, depth: usize) {
    let descend = depth > 0 && random.below(4) > 0;
    match value {
        Value::Object(fields) if descend && !fields.is_empty() => {
            let at = random.below(fields.len());
            if let Some((_, inner)) = fields.iter_mut().nth(at) {
                damage(inner, random, depth - 1);
            }
        }
        Value::Array(list) if descend && !list.is_empty() => {
            let at = random.below(list.len());
            damage(&mut list[at], random, depth - 1);
        }
        // The payload itself stays an object, or every damage would be that one.
        Value::Object(fields) if depth == 6 => reshape(fields, random),
        other => *other = odd(random, other),
    }
}

fn reshape(fields: &mut Map<String, Value>, random: &mut Random) {
    let at = random.below(fields.len());
    let Some(name) = fields.keys().nth(at).cloned() else { return };
    match random.below(4) {
        0 => drop(fields.remove(&name)),
        1 => {
            let value = fields.remove(&name).unwrap_or_default();
            fields.insert(name.to_uppercase(), value);
        }
        2 => drop(fields.insert(format!("{name}_too"), Value::Null)),
        _ => {
            let value = odd(random, &Value::Null);
            fields.insert(name, value);
        }
    }
}

/// Mostly long, now and then huge.
fn huge(random: &mut Random) -> usize {
    let most = if random.below(50) == 0 { 2_000_000 } else { 2_000 };
    random.below(most)
}

/// Something else in its place.
fn odd(random: &mut Random, before: &Value) -> Value {
    match random.below(14) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.next()),
        3 => json!(-1.5e300),
        4 => json!(""),
        5 => json!("\u{0}\u{202e}\n\u{fffd}"),
        6 => json!("x".repeat(huge(random))),
        7 => json!([]),
        8 => json!({}),
        9 => json!([before]),
        10 => json!({ "command": before, "file_path": before, "path": before }),
        11 => (0..random.below(300)).fold(before.clone(), |inner, _| Value::Array(vec![inner])),
        12 => json!(before.to_string()),
        _ => json!(["rm", "-rf", "/", { "a": before }]),
    }
}
