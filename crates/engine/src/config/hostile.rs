//! Tests: texts that want to hurt the reader, or were cut short.

use std::time::{Duration, Instant};

use super::*;
use crate::edition::Edition::Docs;
use crate::problem::Severity;

fn docs(text: &str) -> Config {
    read(text.as_bytes(), Docs)
}

#[test]
fn no_input_is_read_for_long() {
    let file = |hooks: &str| format!("{{\"version\":1,\"hooks\":{{{hooks}}}}}");
    let keys: String = (0..15_000).map(|number| format!("\"k{number}\":0,")).collect();
    let hooks = "{\"command\":\"a\"},".repeat(5_000);
    let hostile = [
        ("deep lists", format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))),
        ("deep objects", "{\"a\":".repeat(100_000)),
        ("deep behind a tab", format!("[\"\t\",{}", "[".repeat(100_000))),
        ("deep behind a line break", format!("[\"\n\",{}", "[".repeat(100_000))),
        ("empty entries", file(&format!("\"stop\":[{}]", "{},".repeat(30_000)))),
        ("unquoted mentions", file(&format!("\"stop\":[{}]", "{\"command\":\"${command}\"},".repeat(8_000)))),
        ("unknown events", file(&format!("{keys}\"stop\":[]"))),
        ("unknown keys", format!("{{\"version\":1,{keys}\"hooks\":{{}}}}")),
        ("unknown options", file(&format!("\"stop\":[{{{keys}\"command\":\"a\"}}]"))),
        ("a large group", file(&format!("\"stop\":[{{{keys}\"hooks\":[{hooks}]}}]"))),
        (
            "an inherited matcher",
            file(&format!(
                "\"preToolUse\":[{{\"_\":\"{}\",\"matcher\":\"a\",\"hooks\":[{hooks}]}}]",
                "x".repeat(500_000)
            )),
        ),
        ("comments", "//\n".repeat(300_000)),
        (
            "placeholders",
            file(&format!("\"stop\":[{{\"command\":\"{}\"}}]", "${x}${file}{{a}}<${".repeat(50_000))),
        ),
        ("quotes", "\"".repeat(1_000_000)),
        ("a long name", file(&format!("\"{}\":[]", "stop".repeat(200_000)))),
    ];
    for (name, text) in &hostile {
        let started = Instant::now();
        assert!(text.len() <= SIZE_LIMIT, "{name}");
        let config = docs(text);
        assert!(config.problems.len() <= 1001, "{name}");
        let _ = apply_fixes(text, &config.problems);
        // A debug build on a busy machine takes a second; a quadratic slip takes minutes.
        assert!(started.elapsed() < Duration::from_secs(20), "{name}: {:?}", started.elapsed());
    }
}

#[test]
fn a_file_cut_anywhere_gives_an_error_with_a_place_inside_it() {
    let text = "{\"version\": 1, /* é */ \"hooks\": {\"stop\": [{\"command\": \"a \\u00e9 \\\"x\\\" é\", \"timeout\": 1.5e1}]}}";
    for end in 0..text.len() {
        let config = read(&text.as_bytes()[..end], Docs);
        assert!(!config.readable && config.definitions.is_empty(), "cut at {end}");
        let [problem] = &config.problems[..] else { panic!("cut at {end}: {config:?}") };
        let place = problem.place.as_ref().expect("a place");
        assert_eq!(problem.severity, Severity::Error, "cut at {end}");
        assert!(place.line == 1 && place.column >= 1 && place.bytes.start <= end, "cut at {end}: {place:?}");
    }
    assert!(docs(text).readable);
}
