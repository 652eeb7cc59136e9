//! What must hold of the edits between any two texts.

use boathook_engine::input::TabEdit;
use boathook_engine::tab_edits;
use proptest::prelude::*;
use proptest::sample::select;

const PIECES: &[&str] =
    &["a", "b", "ab", "é", "😀", " ", "\n", "\n", "\r\n", "\r\n", "\r", "x\n", "same\n", "}\n"];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 0..20).prop_map(|pieces| pieces.concat())
}

/// A text and one made from it by a few replacements.
fn changed_text() -> impl Strategy<Value = (String, String)> {
    let pieces = prop::collection::vec(select(PIECES), 0..40);
    let changes = prop::collection::vec((any::<prop::sample::Index>(), select(PIECES)), 0..4);
    (pieces, changes).prop_map(|(old, changes)| {
        let mut new = old.clone();
        for (index, piece) in changes {
            if !new.is_empty() {
                let place = index.index(new.len());
                new[place] = piece;
            }
        }
        (old.concat(), new.concat())
    })
}

/// The byte at a line and column that count from 1, columns in UTF-16 units.
fn byte_at(text: &str, line: usize, column: usize) -> usize {
    let line_start: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let mut units = column - 1;
    let mut byte = line_start;
    for character in text[line_start..].chars() {
        if units == 0 {
            break;
        }
        units -= character.len_utf16();
        byte += character.len_utf8();
    }
    byte
}

fn bytes_of(text: &str, edit: &TabEdit) -> std::ops::Range<usize> {
    let range = edit.range;
    byte_at(text, range.start_line_number, range.start_column)
        ..byte_at(text, range.end_line_number, range.end_column)
}

fn splits_a_line_ending(text: &str, at: usize) -> bool {
    text[..at].ends_with('\r') && text[at..].starts_with('\n')
}

/// A line without its ending. A `\r` belongs to the ending only before a `\n`.
fn line(text: &str, number: usize) -> &str {
    let line = text.split_inclusive('\n').nth(number - 1).unwrap_or_default();
    line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)
}

fn edits_hold(old: &str, new: &str) -> Result<(), TestCaseError> {
    let edits = tab_edits(old, new);
    prop_assert_eq!(edits.is_empty(), old == new);
    let mut made = String::new();
    let mut done = 0;
    for edit in &edits {
        let bytes = bytes_of(old, edit);
        prop_assert!(done <= bytes.start, "edits do not overlap and come from the top down: {:?}", edits);
        prop_assert_eq!(&old[bytes.clone()], &edit.old_string);
        prop_assert_ne!(&edit.old_string, &edit.new_string);
        prop_assert!(!splits_a_line_ending(old, bytes.start) && !splits_a_line_ending(old, bytes.end));
        made.push_str(&old[done..bytes.start]);
        let new_line_number = made.matches('\n').count() + 1;
        made.push_str(&edit.new_string);
        done = bytes.end;
        prop_assert_eq!(&edit.old_line, line(old, edit.range.start_line_number));
        prop_assert_eq!(&edit.new_line, line(new, new_line_number));
    }
    made.push_str(&old[done..]);
    prop_assert_eq!(made, new);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn applying_the_edits_of_two_texts_gives_the_second(old in text(), new in text()) {
        edits_hold(&old, &new)?;
    }

    #[test]
    fn applying_the_edits_of_a_changed_text_gives_it((old, new) in changed_text()) {
        edits_hold(&old, &new)?;
    }
}
