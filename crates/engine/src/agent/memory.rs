//! What must be remembered between two calls of one session, because the agent
//! does not tell it twice: when a tool call began, the turn, the model, what a
//! subagent was told to do, what we refused and what we said to go on with.
//!
//! One small file for each session in the state directory, forgotten when the
//! session ends or was not touched for a month. To lose it costs a duration or an id, never a decision.

use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::happening::Happening;
use crate::digest::Digest;
use crate::sessions::OLDEST;
use crate::state::{Durability, StateDir};

const FOLDER: &str = "agents";
const LOCK: &str = "lock";
/// Nobody waits longer for it.
const LONGEST_WAIT: Duration = Duration::from_millis(200);
/// Of each kind of thing; older ones are dropped.
const MOST: usize = 200;

/// One session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The turn, where the agent has no word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The model, as it was last told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When the session began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<i64>,
    /// Hash of the follow-up that was last sent: some agents announce it as
    /// if it were a prompt of the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<String>,
    /// The agent tells how long its calls took.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub told_durations: bool,
    /// Calls that began, and when.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    calls: Vec<(String, i64)>,
    /// Calls that were refused and are told as failed already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<String>,
    /// Subagents that were started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<Task>,
    /// Tasks that run beside the conversation, by their ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    launched: Vec<String>,
}

/// One thing to remember.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Lesson {
    Generation(String),
    Model(String),
    SessionBegan(i64),
    /// A call by its key, and when it began.
    CallBegan(String, i64),
    /// A call was refused, and hooks were told.
    Refused(String),
    TaskBegan(Task),
    /// A task that runs beside the conversation, by its id.
    Launched(String),
    /// A follow-up of this mark was sent.
    FollowUp(String),
    /// It was announced.
    FollowedUp,
    TellsDurations,
}

/// What a subagent was told to do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Task {
    pub kind: String,
    pub task: String,
    pub description: String,
    /// When it began, in milliseconds since 1970.
    pub began: i64,
}

impl Task {
    /// From the input of the call that starts it.
    pub fn of(input: &Map<String, Value>, began: i64) -> Task {
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| input.get(*name)?.as_str());
            found.unwrap_or_default().to_owned()
        };
        let kind = text(&["subagent_type"]);
        Task {
            kind: if kind.is_empty() { "generalPurpose".to_owned() } else { kind },
            task: match text(&["prompt", "task", "message", "description"]) {
                // A hook must see what starts in whatever form it is written.
                empty if empty.is_empty() && !input.is_empty() => Value::Object(input.clone()).to_string(),
                text => text,
            },
            description: text(&["description"]),
            began,
        }
    }
}

/// Where sessions are remembered.
#[derive(Debug)]
pub struct Memories {
    state: StateDir,
    file: String,
}

impl Memories {
    /// Of one session of one agent.
    pub fn of(state: StateDir, agent: &str, session: &str) -> Memories {
        let file = format!("{:.32}.json", Digest::of(format!("{agent}\0{session}").as_bytes()));
        Memories { state, file }
    }

    /// What is remembered; nothing when it cannot be read.
    pub fn recall(&self) -> Memory {
        let bytes = self.state.read(FOLDER, &self.file).ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Changes what is remembered. Calls run beside each other, so nobody else
    /// changes it meanwhile.
    pub fn change<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> T {
        let _lock = self.lock();
        let before = self.recall();
        let mut memory = before.clone();
        let result = change(&mut memory);
        if memory != before {
            // Not every agent says that a session ends. Once for each new session
            // those are removed that nobody touched for long.
            if before == Memory::default() {
                self.state.forget_old(FOLDER, ".json", OLDEST);
            }
            let bytes = serde_json::to_vec(&memory).unwrap_or_default();
            let _ = self.state.write(FOLDER, &self.file, &bytes, Durability::Relaxed);
        }
        result
    }

    /// Whoever holds the lock for long must not hold us: the agent would run into
    /// its timeout, and go on. Then it may happen that something is not kept.
    fn lock(&self) -> Option<File> {
        let lock = self.state.open_folder(FOLDER).and_then(|folder| folder.change(LOCK)).ok()?;
        let start = Instant::now();
        while let Err(TryLockError::WouldBlock) = lock.try_lock() {
            if start.elapsed() > LONGEST_WAIT {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Some(lock)
    }

    /// Keeps these.
    pub fn learn(&self, lessons: Vec<Lesson>) {
        if !lessons.is_empty() {
            self.change(|memory| lessons.into_iter().for_each(|lesson| memory.learn(lesson)));
        }
    }

    /// The session ended.
    pub fn forget(&self) {
        let _ = self.state.remove(FOLDER, &self.file);
    }
}

impl Memory {
    fn learn(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::Generation(id) => self.generation = Some(id),
            Lesson::Model(model) => self.model = Some(model),
            // A session that is resumed or compacted began before.
            Lesson::SessionBegan(now) => self.began = self.began.or(Some(now)),
            Lesson::CallBegan(key, now) => self.call_began(key, now),
            Lesson::Refused(key) => push(&mut self.refused, key),
            Lesson::TaskBegan(task) => push(&mut self.tasks, task),
            Lesson::Launched(id) => push(&mut self.launched, id),
            Lesson::FollowUp(mark) => self.follow_up = Some(mark),
            Lesson::FollowedUp => self.follow_up = None,
            Lesson::TellsDurations => self.told_durations = true,
        }
    }

    fn call_began(&mut self, key: String, now: i64) {
        self.calls.retain(|(known, _)| *known != key);
        push(&mut self.calls, (key, now));
    }

    /// How long a call took, in milliseconds. It is forgotten.
    pub fn call_ended(&mut self, key: &str, now: i64) -> Option<f64> {
        let at = self.calls.iter().position(|(known, _)| known == key)?;
        let (_, began) = self.calls.remove(at);
        Some(now.saturating_sub(began).max(0) as f64)
    }

    /// Whether hooks were told that this call was refused. Said once.
    pub fn was_refused(&mut self, key: &str) -> bool {
        let at = self.refused.iter().position(|known| known == key);
        at.map(|at| self.refused.remove(at)).is_some()
    }

    /// Whether the session launched this task. One may notify more than once.
    pub fn has_launched(&self, id: &str) -> bool {
        self.launched.iter().any(|known| known == id)
    }

    /// What a subagent that ends was told: the oldest of its kind, else the oldest.
    pub fn task_ended(&mut self, kind: Option<&str>) -> Option<Task> {
        let of_kind = kind.and_then(|kind| self.tasks.iter().position(|task| task.kind == kind));
        let at = of_kind.or((!self.tasks.is_empty()).then_some(0))?;
        Some(self.tasks.remove(at))
    }
}

/// A call's id, else what it is: its tool and the input it runs with, which is
/// another one than was told where hooks rewrote it. Fields have no order.
pub fn key_of(happening: &Happening, rewritten: Option<&Map<String, Value>>) -> String {
    match &happening.call {
        None => String::new(),
        Some(call) => call.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(|| {
            let mut input = Value::Object(rewritten.unwrap_or(&call.input).clone());
            input.sort_all_objects();
            format!("{:.32}", Digest::of(format!("{}\0{input}", call.name).as_bytes()))
        }),
    }
}

/// What a text is known by again.
pub fn mark(text: &str) -> String {
    format!("{:.32}", Digest::of(text.trim().as_bytes()))
}

fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= MOST {
        list.remove(0);
    }
    list.push(item);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::happening::{Moment, NativeCall};
    use super::super::tiny::object;
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn a_call_is_timed_by_its_key_and_then_forgotten() {
        let mut memory = Memory::default();
        memory.call_began("a".to_owned(), 1_000);
        memory.call_began("b".to_owned(), 1_500);
        assert_eq!(memory.call_ended("a", 1_040), Some(40.0));
        assert_eq!(memory.call_ended("a", 1_050), None);
        // A clock that was set back gives no negative time.
        assert_eq!(memory.call_ended("b", 1_000), Some(0.0));
    }

    #[test]
    fn a_long_session_stays_small() {
        let mut memory = Memory::default();
        (0..1_000).for_each(|number| memory.call_began(format!("call-{number}"), number));
        assert_eq!(memory.calls.len(), MOST);
        assert_eq!(memory.call_ended("call-799", 2_000), None);
        assert_eq!(memory.call_ended("call-800", 2_000), Some(1_200.0));
    }

    #[test]
    fn a_subagent_that_ends_is_the_oldest_of_its_kind() {
        let task =
            |kind: &str, task: &str| Task { kind: kind.to_owned(), task: task.to_owned(), ..Task::default() };
        let mut memory = Memory::default();
        memory.learn(Lesson::TaskBegan(task("explore", "one")));
        memory.learn(Lesson::TaskBegan(task("shell", "two")));
        memory.learn(Lesson::TaskBegan(task("shell", "three")));
        let mut ended = |kind: Option<&str>| memory.task_ended(kind).map(|task| task.task);
        assert_eq!(ended(Some("shell")).as_deref(), Some("two"));
        assert_eq!(ended(Some("unheard of")).as_deref(), Some("one"));
        assert_eq!(ended(None).as_deref(), Some("three"));
        assert_eq!(ended(None), None);
    }

    #[test]
    fn sessions_are_kept_apart_and_forgotten() {
        let place = TempDir::new();
        let of = |agent: &str, session: &str| {
            Memories::of(StateDir::new(place.path().join("state")), agent, session)
        };
        of("one", "s").change(|memory| memory.generation = Some("g".to_owned()));
        assert_eq!(of("one", "s").recall().generation.as_deref(), Some("g"));
        assert_eq!(of("other", "s").recall(), Memory::default());
        assert_eq!(of("one", "t").recall(), Memory::default());
        of("one", "s").forget();
        assert_eq!(of("one", "s").recall(), Memory::default());
    }

    #[test]
    fn a_session_that_never_said_it_ended_is_forgotten_after_a_month() {
        let place = TempDir::new();
        let of = |session: &str| Memories::of(StateDir::new(place.path().join("state")), "one", session);
        let learn = |session: &str, id: &str| of(session).learn(vec![Lesson::Generation(id.to_owned())]);
        let age = |name: &str, days: u64| {
            let file = File::options().write(true).open(place.path().join("state").join(FOLDER).join(name));
            let then = std::fs::metadata(place.path()).and_then(|data| data.modified()).expect("a time");
            file.expect(name).set_modified(then - Duration::from_secs(days * 24 * 60 * 60)).expect(name);
        };
        ["old", "young", "known"].iter().for_each(|session| learn(session, "g"));
        age(&of("old").file, 31);
        age(&of("young").file, 29);
        age(LOCK, 400);
        learn("known", "h");
        assert_ne!(of("old").recall(), Memory::default(), "a session that is known looks at no other");
        learn("new", "g");
        assert_eq!(of("old").recall(), Memory::default());
        for kept in ["young", "known", "new"] {
            assert_ne!(of(kept).recall(), Memory::default(), "{kept}");
        }
        assert!(place.path().join("state").join(FOLDER).join(LOCK).exists(), "others may hold it");
    }

    #[test]
    fn a_call_without_an_id_is_known_by_the_input_it_runs_with() {
        let happening = |id: Option<&str>, input: Value| {
            let moment = Moment::Nothing("only its call counts");
            let mut happening = Happening::of("x", moment);
            let (name, id) = ("bash".to_owned(), id.map(str::to_owned));
            happening.call = Some(NativeCall { name, id, input: object(input) });
            happening
        };
        let before = happening(None, json!({"command": "ls", "timeout": 1}));
        let after = happening(None, json!({"timeout": 1, "command": "ls -l"}));
        let wanted = object(json!({"command": "ls -l", "timeout": 1}));
        assert_eq!(key_of(&before, Some(&wanted)), key_of(&after, None));
        assert_ne!(key_of(&before, None), key_of(&after, None));
        let named = happening(Some("call-1"), json!({}));
        assert_eq!(key_of(&named, Some(&wanted)), "call-1");
    }

    #[test]
    fn whoever_holds_the_lock_does_not_hold_us() {
        let place = TempDir::new();
        let memories = Memories::of(StateDir::new(place.path().join("state")), "one", "s");
        let held = memories.lock().expect("nobody has it");
        let start = Instant::now();
        memories.change(|memory| memory.generation = Some("g".to_owned()));
        assert!(start.elapsed() < Duration::from_secs(20));
        drop(held);
        assert_eq!(memories.recall().generation.as_deref(), Some("g"));
    }
}
