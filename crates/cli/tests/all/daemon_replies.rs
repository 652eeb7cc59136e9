//! Whoever stands in the daemon's place: what he says opens no gate.

#![cfg(unix)]

use std::io::Write;

use boathook_engine::Engine;
use boathook_engine::remote::Reason;
use boathook_engine::run::Cancel;

use crate::false_daemon::{
    ALLOWED, FalseDaemon, Manner, ask, engine, error, guarded, remote, response, shell,
};

/// What shows that the cases below can fail: he is believed when he says what
/// a daemon says.
#[test]
fn an_answer_that_agrees_with_itself_is_taken() {
    let manners: [(&str, Manner); 2] = [
        ("at once", |talk| {
            let id = talk.hear();
            talk.say(&response(&id, ALLOWED));
            talk.wait();
        }),
        ("after notices that it works", |talk| {
            let id = talk.hear();
            talk.say("{\"jsonrpc\":\"2.0\",\"method\":\"working\",\"params\":{}}\n");
            talk.say("{\"jsonrpc\":\"2.0\",\"method\":\"working\"}\n");
            talk.say(&response(&id, ALLOWED));
            talk.wait();
        }),
    ];
    for (name, manner) in manners {
        let cx = guarded();
        let daemon = FalseDaemon::new(&cx, manner);
        let asked = ask(&cx);
        assert!(asked.reason.is_none() && asked.handled.fallback.is_none(), "{name}: {asked:?}");
        assert!(!asked.handled.blocked, "{name}");
        assert!(daemon.heard() > 0, "{name}");
    }
}

/// E08: whatever comes back, the decision is the engine's.
#[test]
fn e08_no_reply_that_is_wrong_decides_anything() {
    let cases: [(&str, Manner, &str); 19] = [
        ("nothing", |_| {}, "went away"),
        ("gone after the question", |talk| drop(talk.hear()), "went away"),
        (
            "gone while it works",
            |talk| {
                talk.hear();
                talk.say("{\"jsonrpc\":\"2.0\",\"method\":\"working\"}\n");
            },
            "went away",
        ),
        (
            "garbage",
            |talk| {
                talk.hear();
                talk.say("\u{0}\u{1}allow\n");
            },
            "is no answer",
        ),
        (
            "an empty line",
            |talk| {
                talk.hear();
                talk.say("\n");
            },
            "is no answer",
        ),
        (
            "bytes that are no text",
            |talk| {
                talk.hear();
                let _ = talk.stream.write_all(b"{\"jsonrpc\":\"\xff\xfe\"}\n");
            },
            "is no answer",
        ),
        (
            "another id",
            |talk| {
                talk.hear();
                talk.say(&response("\"0000000000000000\"", ALLOWED));
            },
            "it has the id",
        ),
        (
            "no id",
            |talk| {
                talk.hear();
                talk.say(&response("null", ALLOWED));
            },
            "it has the id",
        ),
        (
            "half a line",
            |talk| {
                let id = talk.hear();
                talk.say(response(&id, ALLOWED).trim_end());
            },
            "went away",
        ),
        (
            "an answer before the question",
            |talk| {
                talk.say(&response("1", ALLOWED));
                talk.wait();
            },
            "it has the id",
        ),
        (
            "a line of 65 MiB",
            |talk| {
                let id = talk.hear();
                talk.say(response(&id, ALLOWED).trim_end());
                // Piece by piece: one who first made all of it could be silent for long.
                for _ in 0..65 * 16 {
                    if talk.stream.write_all(&[b' '; 64 * 1024]).is_err() {
                        return;
                    }
                }
                talk.say("\n");
            },
            "a line of more than",
        ),
        (
            "not blocked, and no answer",
            |talk| {
                let id = talk.hear();
                talk.say(&response(
                    &id,
                    r#"{"event":"beforeShellExecution","blocked":false,"hooks":[],"warnings":[]}"#,
                ));
            },
            "missing field `answer`",
        ),
        (
            "an answer that is no object",
            |talk| {
                let id = talk.hear();
                talk.say(&response(&id, &ALLOWED.replace(r#"{"permission":"allow"}"#, "\"allow\"")));
            },
            "not an object",
        ),
        (
            "about another event",
            |talk| {
                let id = talk.hear();
                talk.say(&response(&id, &ALLOWED.replace("beforeShellExecution", "stop")));
            },
            "it is about stop",
        ),
        (
            "a code without a block",
            |talk| {
                let id = talk.hear();
                talk.say(&response(&id, &ALLOWED.replace("false", r#"false,"code":"ERROR_HOOKS_BLOCKED""#)));
            },
            "do not agree",
        ),
        (
            "of another version",
            |talk| {
                let id = talk.hear();
                talk.say(&error(&id, -32_001, "this daemon is of version 9"));
            },
            "this daemon is of version 9",
        ),
        (
            "with too much to do",
            |talk| {
                let id = talk.hear();
                talk.say(&error(&id, -32_002, "try again"));
            },
            "try again",
        ),
        (
            "about to end",
            |talk| {
                let id = talk.hear();
                talk.say(&error(&id, -32_005, "it ends"));
            },
            "it ends",
        ),
        (
            "an answer and an error",
            |talk| {
                let id = talk.hear();
                let both = format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{ALLOWED},\"error\":{{\"code\":1,\"message\":\"\"}}}}\n"
                );
                talk.say(&both);
            },
            "a result or an error",
        ),
    ];
    for (name, manner, expected) in cases {
        let cx = guarded();
        let _daemon = FalseDaemon::new(&cx, manner);
        let asked = ask(&cx);
        assert!(asked.handled.blocked, "{name}: {asked:?}");
        assert_eq!(asked.handled.user_text.as_deref(), Some("No."), "{name}");
        let fallback = asked.handled.fallback.unwrap_or_default();
        assert!(fallback.contains(expected), "{name}: {fallback}");
    }
}

/// E08: one that hangs is left, whatever it has said so far; and for a while it
/// is not asked again.
#[test]
fn e08_a_daemon_that_is_silent_is_left() {
    let cases: [(&str, Manner); 3] = [
        ("silent from the start", |talk| talk.wait()),
        ("silent in the middle of a line", |talk| {
            let id = talk.hear();
            talk.say(&response(&id, ALLOWED)[..20]);
            talk.wait();
        }),
        ("a byte now and then", |talk| {
            let id = talk.hear();
            for byte in response(&id, ALLOWED).into_bytes() {
                if talk.stream.write_all(&[byte]).is_err() {
                    return;
                }
                std::thread::sleep(std::time::Duration::from_millis(200));
            }
        }),
    ];
    std::thread::scope(|scope| {
        for (name, manner) in cases {
            scope.spawn(move || {
                let cx = guarded();
                let daemon = FalseDaemon::new(&cx, manner);
                let (remote, engine) = (remote(&cx), engine(&cx));
                let asked = remote.handle_or_ask(&engine, shell("forbidden"));
                assert!(matches!(asked.reason, Some(Reason::Silent(_))), "{name}: {asked:?}");
                assert!(asked.handled.blocked, "{name}");
                let heard = daemon.heard();
                let again = remote.handle_or_ask(&engine, shell("forbidden"));
                assert!(matches!(again.reason, Some(Reason::LeftAlone(_))), "{name}: {again:?}");
                assert!(again.handled.blocked, "{name}");
                assert_eq!(daemon.heard(), heard, "{name}: it was not asked again");
            });
        }
    });
}

/// A connection is kept, and one that broke between two events costs nothing.
#[test]
fn a_connection_is_kept_and_mended_once() {
    let cx = guarded();
    let manner: Manner = |talk| {
        // Two answers on each connection, and then it is closed.
        for _ in 0..2 {
            let id = talk.hear();
            talk.say(&response(&id, ALLOWED));
        }
    };
    let _daemon = FalseDaemon::new(&cx, manner);
    let (remote, engine) = (remote(&cx), engine(&cx));
    for round in 0..9 {
        let asked = remote.handle_or_ask(&engine, shell("forbidden"));
        assert!(asked.reason.is_none(), "{round}: {asked:?}");
    }
}

#[test]
fn an_event_that_is_too_long_is_not_sent() {
    let cx = guarded();
    let daemon = FalseDaemon::new(&cx, |talk| talk.wait());
    let long = format!("forbidden {}", "x".repeat(64 << 20));
    let asked = remote(&cx).handle_or_ask(&engine(&cx), shell(&long));
    assert!(matches!(asked.reason, Some(Reason::TooLong)), "{:?}", asked.reason);
    assert!(asked.handled.blocked);
    assert_eq!(daemon.heard(), 0);
}

#[test]
fn a_user_who_cancels_waits_for_no_daemon() {
    let cx = guarded();
    let daemon = FalseDaemon::new(&cx, |talk| {
        talk.hear();
        while talk.stream.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"working\"}\n").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
    });
    let cancel = Cancel::default();
    let mut settings = engine(&cx).settings().clone();
    settings.cancel = cancel.clone();
    let engine = Engine::new(settings);
    let asked = std::thread::scope(|scope| {
        let asked = scope.spawn(|| remote(&cx).handle_or_ask(&engine, shell("forbidden")));
        while daemon.heard() == 0 {
            std::thread::yield_now();
        }
        cancel.cancel();
        asked.join().expect("it ends")
    });
    assert!(matches!(asked.reason, Some(Reason::Cancelled)), "{asked:?}");
}
