//! An agent that waits only so long must not find the gate open.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::tiny::{ABLE, call, happening};
use super::*;
use crate::engine::{Engine, Settings};
use crate::record::Record;
use crate::source::{Os, Roots};
use crate::testing::TempDir;

/// What a shell call of the tiny agent comes to with these hooks of the user's,
/// and the records of it.
fn answered(event: &str, hooks: &Value) -> (Answered, Vec<Arc<Record>>) {
    let directory = TempDir::new();
    let home = directory.path().join("home");
    fs::create_dir_all(home.join(".cursor")).expect("a home");
    let config = json!({ "version": 1, "hooks": hooks }).to_string();
    fs::write(home.join(".cursor/hooks.json"), config).expect("hooks");
    let roots = Roots {
        system: directory.path().join("root"),
        ..Roots::new(Os::current(), &home, directory.path().join("state"), Vec::<PathBuf>::new())
    };
    let engine = Engine::new(Settings { environment: std::env::vars_os().collect(), ..Settings::new(roots) });
    let adapter = Adapter {
        agent: &ABLE,
        preferences: Preferences::default(),
        engine: &engine,
        servers: &(),
        cancel: None,
        watch: None,
    };
    let calls = vec![call(ToolClass::Shell, "Shell", json!({ "command": "ls" }))];
    let answered =
        adapter.answer(Happening { event: event.to_owned(), ..happening(Moment::BeforeTool { calls }) });
    (answered, engine.log())
}

#[test]
#[cfg(unix)]
fn a_hook_that_is_slower_than_its_agent_is_cut_before_the_agent_goes_on() {
    let slow =
        |fail_closed: bool| json!([{ "command": "sleep 60", "timeout": 60, "failClosed": fail_closed }]);
    for fail_closed in [true, false] {
        let began = Instant::now();
        let (answered, records) = answered("brief", &json!({ "beforeShellExecution": slow(fail_closed) }));
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        assert_eq!(answered.verdict.refused.is_some(), fail_closed);
        let notice = answered.verdict.notice.unwrap_or_default();
        assert!(notice.contains("Tiny waits 1.5 s"), "a person is told: {notice}");
        let [record] = &records[..] else { panic!("{records:?}") };
        let outcome = if fail_closed { "failed_closed" } else { "failed_open" };
        assert_eq!((record.outcome.as_str(), record.blocked), (outcome, fail_closed));
        assert!(record.reason.as_ref().is_some_and(|reason| reason.starts_with("timed out")), "{record:?}");
        assert!(record.notes.iter().any(|note| note.contains("its timeout of 60 s was cut")), "{record:?}");
    }
}

#[test]
#[cfg(unix)]
fn all_events_of_a_happening_share_one_deadline() {
    let slow = json!([{ "command": "sleep 60", "timeout": 60 }]);
    let (answered, records) = answered("brief", &json!({ "preToolUse": slow, "beforeShellExecution": slow }));
    assert!(answered.verdict.refused.is_none(), "{:?}", answered.verdict);
    let took: Vec<f64> = records.iter().filter_map(|record| record.duration).collect();
    assert_eq!(took.len(), 2);
    // The first one used all there was.
    assert!(records[1].notes.iter().any(|note| note.contains("was cut to 0.0 s")), "{records:?}");
}

#[test]
#[cfg(unix)]
fn a_timeout_of_its_own_stays_a_timeout_of_its_own() {
    let hooks = json!({ "beforeShellExecution": [{ "command": "sleep 60", "timeout": 0.2 }] });
    for event in ["long", "x"] {
        let (_, records) = answered(event, &hooks);
        assert_eq!(records[0].reason.as_deref(), Some("timed out after 200ms"), "{event}");
        assert!(records[0].notes.is_empty(), "{event}: {:?}", records[0].notes);
    }
}

#[test]
fn every_limit_is_of_an_event_that_the_agent_is_installed_for() {
    for agent in AGENTS {
        for (event, _) in agent.patience {
            assert!(agent.listens.contains(event), "{}: {event}", agent.name);
        }
    }
}
