//! What holds for every reported problem: its place is in the text, and its fixes come to an end.

use std::collections::HashSet;

use boathook_engine::config::{Config, apply_fixes};
use boathook_engine::problem::{Place, Problem};

/// A text with more faults than this is not fixed to its end: some are found one at a time.
const MAX_FIX_ROUNDS: usize = 24;

/// Every problem has a message and, where it has a place, one that exists in the text.
pub fn check_places(bytes: &[u8], problems: &[Problem]) {
    for problem in problems {
        assert!(!problem.message.is_empty() && !problem.code.is_empty(), "{problem:?}");
        assert!(!problem.message.contains('\n'), "a message is one line: {problem:?}");
        if let Some(place) = &problem.place {
            check_place(bytes, place);
        }
        for edit in problem.fix.iter().flat_map(|fix| &fix.edits) {
            let is_inside = edit.bytes.start <= edit.bytes.end && edit.bytes.end <= bytes.len();
            assert!(is_inside, "a fix outside of the text: {problem:?}");
        }
    }
}

fn check_place(bytes: &[u8], place: &Place) {
    let Some(before) = bytes.get(..place.bytes.start) else {
        panic!("a place outside of the text: {place:?}")
    };
    assert!(place.bytes.start <= place.bytes.end && place.bytes.end <= bytes.len(), "{place:?}");
    // Lines end as `str::lines` says; columns are characters of that line.
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    assert_eq!(place.line, 1 + before.iter().filter(|byte| **byte == b'\n').count(), "{place:?}");
    let line = String::from_utf8_lossy(&before[start..]);
    let line = if start == 0 { line.strip_prefix('\u{feff}').unwrap_or(&line) } else { &line };
    // Whether a second byte order mark has a column depends on who counts.
    let is_marked_twice = start == 0 && line.starts_with('\u{feff}');
    assert!(is_marked_twice || place.column == 1 + line.chars().count(), "{place:?}: {line:?}");
}

/// Every fix changes the text, and none brings back a text that was there before.
pub fn check_fixes(bytes: &[u8], read: impl Fn(&[u8]) -> Config) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut texts = HashSet::from([text.to_owned()]);
    let mut text = text.to_owned();
    for _ in 0..MAX_FIX_ROUNDS {
        let problems = read(text.as_bytes()).problems;
        if problems.iter().all(|problem| problem.fix.is_none()) {
            return;
        }
        text = apply_fixes(&text, &problems);
        assert!(texts.insert(text.clone()), "fixes do not come to an end: {text}");
    }
}
