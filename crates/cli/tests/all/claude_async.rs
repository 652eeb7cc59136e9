//! `async` hooks of Claude Code: the answer does not wait for them, and they
//! end before the engine does.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use boathook_engine::engine::{Engine, Settings};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::source::{Os, Roots};

/// An engine whose user has this `async` hook on Stop.
fn engine(directory: &Path, command: &str) -> Engine {
    let settings = serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command, "async": true, "timeout": 60}]}]}});
    fs::create_dir_all(directory.join("home/.claude")).expect("directories");
    fs::create_dir_all(directory.join("ws")).expect("a workspace");
    fs::write(directory.join("home/.claude/settings.json"), settings.to_string()).expect("settings");
    let roots = Roots {
        system: directory.join("system"),
        ..Roots::new(Os::current(), directory.join("home"), directory.join("state"), [directory.join("ws")])
    };
    let mut settings = Settings::new(roots);
    settings.environment = vec![("PATH".into(), std::env::var_os("PATH").unwrap_or_default())];
    Engine::new(settings)
}

fn stop() -> Event {
    Event::new(EventKind::Stop, Payload::parse(br#"{"status":"completed"}"#).expect("a payload"))
}

#[test]
fn the_answer_does_not_wait_and_the_record_tells_what_it_did() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(
        directory.path(),
        "while [ ! -e go ]; do sleep 0.05; done; touch done; echo '{\"decision\":\"block\",\"reason\":\"x\"}'",
    );
    let decision = engine.handle(stop());
    // The hook waits for this file, so the answer cannot have waited for the hook.
    fs::write(directory.path().join("ws/go"), "").expect("a file");
    assert_eq!(decision.answer_line(), "{}");
    assert_eq!(decision.hooks.len(), 1);
    engine.write_out().expect("a log");
    assert!(directory.path().join("ws/done").exists(), "write_out waits for it");
    let log = engine.log();
    assert_eq!(log.len(), 1, "{log:?}");
    assert_eq!((log[0].exit_code, log[0].outcome.as_str()), (Some(0), "no_opinion"));
    assert!(log[0].notes.iter().any(|note| note.contains("does not count")), "{:?}", log[0].notes);
}

#[test]
fn an_engine_that_goes_away_ends_them() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = engine(directory.path(), "touch started; sleep 1000; touch survived");
    engine.handle(stop());
    let began = Instant::now();
    while !directory.path().join("ws/started").exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "the hook starts");
        std::thread::sleep(Duration::from_millis(10));
    }
    let began = Instant::now();
    drop(engine);
    assert!(began.elapsed() < Duration::from_secs(30), "it took {:?}", began.elapsed());
    assert!(!directory.path().join("ws/survived").exists());
}
