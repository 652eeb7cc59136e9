//! Records that are made later: none is lost, none comes twice, all in order.

use std::sync::{Arc, Mutex, OnceLock, Weak};

use crate::engine::{Engine, Settings};
use crate::event::EventKind;
use crate::fill::Event;
use crate::log_file::LogFile;
use crate::payload::Payload;
use crate::record::Record;
use crate::source::{Os, Roots};
use crate::state::StateDir;
use crate::testing::TempDir;

fn engine(dir: &TempDir) -> Engine {
    let (home, state) = (dir.path().join("home"), dir.path().join("state"));
    let mut roots = Roots::new(Os::current(), home, state, [dir.path().join("ws")]);
    roots.system = dir.path().join("system");
    Engine::new(Settings::new(roots))
}

/// An event of which the conversation is the name.
fn event(name: &str, bytes: usize) -> Event {
    let text = serde_json::json!({ "conversation_id": name, "command": "x".repeat(bytes) }).to_string();
    Event::new(EventKind::BeforeShellExecution, Payload::parse(text.as_bytes()).expect("a payload"))
}

fn names<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<String> {
    records.map(|record| record.conversation.clone().unwrap_or_else(|| record.step.clone())).collect()
}

#[test]
fn every_event_has_its_record_once_and_in_its_place() {
    let dir = TempDir::new();
    let engine = engine(&dir);
    let mut expected = Vec::new();
    for number in 0..150 {
        // A large one does not wait, and neither does what somebody notes.
        engine.handle(event(&format!("c{number}"), if number % 40 == 7 { 100_000 } else { 10 }));
        expected.push(format!("c{number}"));
        if number % 50 == 20 {
            engine.note(Record::blank(&format!("n{number}"), "changed"));
            expected.push(format!("n{number}"));
        }
        assert_eq!(engine.unwritten().0, expected.len());
    }
    let last: Vec<String> = expected[expected.len() - 100..].to_vec();
    assert_eq!(names(engine.log().iter().map(|record| &**record)), last);
    engine.write_out().expect("the log");
    assert_eq!(engine.unwritten().0, 0);
    engine.handle(event("later", 10));
    engine.write_ready().expect("the log");
    expected.push("later".to_owned());
    let (written, unread) = LogFile::of(StateDir::new(dir.path().join("state"))).read().expect("the log");
    assert_eq!((names(written.iter()), unread), (expected, 0));
}

#[test]
fn who_listens_is_told_before_the_decision_is_there_and_may_ask_for_more() {
    let dir = TempDir::new();
    let engine = Arc::new(engine(&dir));
    engine.handle(event("before", 10));
    let told: Arc<Mutex<Vec<(String, usize)>>> = Arc::default();
    let myself: Arc<OnceLock<Weak<Engine>>> = Arc::default();
    myself.set(Arc::downgrade(&engine)).expect("once");
    let (telling, asking) = (Arc::clone(&told), Arc::clone(&myself));
    engine.on_record(move |record| {
        let known = asking.get().and_then(Weak::upgrade).map_or(0, |engine| engine.log().len());
        telling.lock().expect("a list").push((names([record].into_iter()).concat(), known));
    });
    for (number, name) in ["one", "two"].into_iter().enumerate() {
        engine.handle(event(name, 10));
        assert_eq!(told.lock().expect("a list").last(), Some(&(name.to_owned(), number + 1)));
    }
    assert_eq!(names(engine.log().iter().map(|record| &**record)), ["before", "one", "two"]);
}

#[test]
fn many_threads_lose_nothing() {
    let dir = TempDir::new();
    let engine = engine(&dir);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                for number in 0..100 {
                    engine.handle(event(&format!("{thread}-{number}"), 10));
                }
            });
        }
        for _ in 0..20 {
            engine.write_ready().expect("the log");
        }
    });
    engine.write_out().expect("the log");
    let (written, _) = LogFile::of(StateDir::new(dir.path().join("state"))).read().expect("the log");
    for thread in 0..4 {
        let own = format!("{thread}-");
        let of_thread: Vec<String> =
            names(written.iter()).into_iter().filter(|name| name.starts_with(&own)).collect();
        let expected: Vec<String> = (0..100).map(|number| format!("{thread}-{number}")).collect();
        assert_eq!(of_thread, expected);
    }
}
