//! Makes afterTabFileEdit's edits from the text before and the text after.
//!
//! Lines are compared first, and what differs is trimmed to the characters
//! that differ. Applying all edits to the old text gives the new one. Ranges
//! lie in the old text; lines and columns count from 1, and the end is
//! exclusive. Columns count UTF-16 code units, as editors do.
//!
//! A line ends at `\n`; a `\r` before it belongs to the line ending, and no edit
//! begins or ends between the two.
//!
//! Pure: two texts in, edits out.

use std::ops::Range;

use crate::input::{EditRange, TabEdit};

/// Up to this many pairs of lines are compared; beyond it the lines that
/// differ become one edit.
const PAIR_LIMIT: usize = 1_000_000;

/// The edits that turn `old` into `new`, from the top down; none when they are equal.
pub fn tab_edits(old: &str, new: &str) -> Vec<TabEdit> {
    let (old, new) = (Lines::of(old), Lines::of(new));
    changed_lines(&old, &new).into_iter().map(|change| edit(&old, &new, &change)).collect()
}

/// A text and where its lines begin.
struct Lines<'a> {
    text: &'a str,
    /// The first byte of every line, and the end of the text.
    bounds: Vec<usize>,
}

/// Lines of the old text, and those that stand in their place in the new one.
#[derive(Debug, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Lines<'a> {
        let mut bounds = vec![0];
        for line in text.split_inclusive('\n') {
            bounds.push(bounds[bounds.len() - 1] + line.len());
        }
        Lines { text, bounds }
    }

    fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    /// A line with its ending.
    fn line(&self, index: usize) -> &'a str {
        &self.text[self.bounds[index]..self.bounds[index + 1]]
    }

    fn bytes(&self, lines: &Range<usize>) -> Range<usize> {
        self.bounds[lines.start]..self.bounds[lines.end]
    }

    /// Line and column of a byte, both from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let start = self.line_start(at);
        let line = self.bounds.partition_point(|bound| *bound < start) + 1;
        (line, self.text[start..at].encode_utf16().count() + 1)
    }

    /// The line a byte stands on, without its ending.
    fn line_around(&self, at: usize) -> &'a str {
        let line = &self.text[self.line_start(at)..];
        let line = line.split_inclusive('\n').next().unwrap_or_default();
        line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }
}

fn edit(old: &Lines, new: &Lines, change: &Change) -> TabEdit {
    let (old_bytes, new_bytes) = trimmed(old, new, old.bytes(&change.old), new.bytes(&change.new));
    let (start_line_number, start_column) = old.place(old_bytes.start);
    let (end_line_number, end_column) = old.place(old_bytes.end);
    TabEdit {
        old_line: old.line_around(old_bytes.start).to_owned(),
        new_line: new.line_around(new_bytes.start).to_owned(),
        old_string: old.text[old_bytes].to_owned(),
        new_string: new.text[new_bytes].to_owned(),
        range: EditRange { start_line_number, start_column, end_line_number, end_column },
    }
}

/// Leaves out what is the same at both ends.
fn trimmed(
    old: &Lines,
    new: &Lines,
    mut old_bytes: Range<usize>,
    mut new_bytes: Range<usize>,
) -> (Range<usize>, Range<usize>) {
    let splits = |text: &str, at: usize| text[..at].ends_with('\r') && text[at..].starts_with('\n');
    let pairs = old.text[old_bytes.clone()].chars().zip(new.text[new_bytes.clone()].chars());
    let mut same: usize = pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    if splits(old.text, old_bytes.start + same) || splits(new.text, new_bytes.start + same) {
        same -= 1;
    }
    old_bytes.start += same;
    new_bytes.start += same;
    let pairs = old.text[old_bytes.clone()].chars().rev().zip(new.text[new_bytes.clone()].chars().rev());
    let mut same: usize = pairs.take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    if splits(old.text, old_bytes.end - same) || splits(new.text, new_bytes.end - same) {
        same -= 1;
    }
    old_bytes.end -= same;
    new_bytes.end -= same;
    (old_bytes, new_bytes)
}

/// The runs of lines that differ.
fn changed_lines(old: &Lines, new: &Lines) -> Vec<Change> {
    let shorter = old.count().min(new.count());
    let head = (0..shorter).take_while(|&index| old.line(index) == new.line(index)).count();
    let from_end = |index: usize| old.line(old.count() - 1 - index) == new.line(new.count() - 1 - index);
    let tail = (0..shorter - head).take_while(|&index| from_end(index)).count();
    let whole = Change { old: head..old.count() - tail, new: head..new.count() - tail };
    if whole.old.is_empty() && whole.new.is_empty() {
        return Vec::new();
    }
    if whole.old.len().saturating_mul(whole.new.len()) > PAIR_LIMIT {
        return vec![whole];
    }
    changes_within(old, new, &whole)
}

/// Splits a change at the lines that both sides share, keeping as many as can be kept.
fn changes_within(old: &Lines, new: &Lines, whole: &Change) -> Vec<Change> {
    let kept = common_lines(old, new, whole);
    let width = whole.new.len() + 1;
    let (mut row, mut column) = (0, 0);
    let mut changes: Vec<Change> = Vec::new();
    while row < whole.old.len() || column < whole.new.len() {
        let (at_old, at_new) = (whole.old.start + row, whole.new.start + column);
        let both = row < whole.old.len() && column < whole.new.len();
        if both && old.line(at_old) == new.line(at_new) {
            (row, column) = (row + 1, column + 1);
            continue;
        }
        let removes = column == whole.new.len()
            || (both && kept[(row + 1) * width + column] >= kept[row * width + column + 1]);
        (row, column) = if removes { (row + 1, column) } else { (row, column + 1) };
        let (old_end, new_end) = (whole.old.start + row, whole.new.start + column);
        match changes.last_mut() {
            Some(last) if last.old.end == at_old && last.new.end == at_new => {
                (last.old.end, last.new.end) = (old_end, new_end);
            }
            Some(_) | None => changes.push(Change { old: at_old..old_end, new: at_new..new_end }),
        }
    }
    changes
}

/// For every pair of lines, how many can be kept from there on: row by row, one
/// row and column more than there are lines.
fn common_lines(old: &Lines, new: &Lines, whole: &Change) -> Vec<u32> {
    let width = whole.new.len() + 1;
    let mut kept = vec![0; width * (whole.old.len() + 1)];
    for row in (0..whole.old.len()).rev() {
        for column in (0..whole.new.len()).rev() {
            let same = old.line(whole.old.start + row) == new.line(whole.new.start + column);
            kept[row * width + column] = if same {
                kept[(row + 1) * width + column + 1] + 1
            } else {
                kept[(row + 1) * width + column].max(kept[row * width + column + 1])
            };
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `line:column-line:column`, old text, new text, old line, new line.
    fn shown(edit: &TabEdit) -> (String, &str, &str, &str, &str) {
        let EditRange { start_line_number, start_column, end_line_number, end_column } = edit.range;
        let range = format!("{start_line_number}:{start_column}-{end_line_number}:{end_column}");
        (range, &edit.old_string, &edit.new_string, &edit.old_line, &edit.new_line)
    }

    #[test]
    fn one_change_is_one_edit_with_its_first_line() {
        let cases = [
            ("a word", "let x = 1;\n", "let yy = 1;\n", ("1:5-1:6", "x", "yy", "let x = 1;", "let yy = 1;")),
            ("an insertion", "ab\n", "aXb\n", ("1:2-1:2", "", "X", "ab", "aXb")),
            ("a deletion", "aXb", "ab", ("1:2-1:3", "X", "", "aXb", "ab")),
            ("a new line", "a\nb\n", "a\nx\nb\n", ("2:1-2:1", "", "x\n", "b", "x")),
            ("a line less", "a\nx\nb\n", "a\nb\n", ("2:1-3:1", "x\n", "", "x", "b")),
            ("a line behind a text without an end", "a", "a\nb", ("1:2-1:2", "", "\nb", "a", "a")),
            ("a line at the end", "a\n", "a\nb\n", ("2:1-2:1", "", "b\n", "", "b")),
            ("a final newline", "a", "a\n", ("1:2-1:2", "", "\n", "a", "a")),
            ("all from nothing", "", "a\nb", ("1:1-1:1", "", "a\nb", "", "a")),
            ("nothing from all", "a\nb", "", ("1:1-2:2", "a\nb", "", "a", "")),
            (
                "several lines",
                "x\none\ntwo\ny",
                "x\nuno\ndue\ny",
                ("2:1-3:4", "one\ntwo", "uno\ndue", "one", "uno"),
            ),
            ("line endings whole", "a\r\nb\r\n", "a\nb\r\n", ("1:2-2:1", "\r\n", "\n", "a", "a")),
            ("line endings gained", "a\nb", "a\r\nb", ("1:2-2:1", "\n", "\r\n", "a", "a")),
            ("within a line with both", "a\r\nbc\r\n", "a\r\nbd\r\n", ("2:2-2:3", "c", "d", "bc", "bd")),
            ("columns in UTF-16 units", "😀é=1", "😀é=2", ("1:5-1:6", "1", "2", "😀é=1", "😀é=2")),
            ("whole characters", "😀", "😁", ("1:1-1:3", "😀", "😁", "😀", "😁")),
            ("repeated text", "aaa", "aaaa", ("1:4-1:4", "", "a", "aaa", "aaaa")),
        ];
        for (name, old, new, (range, old_string, new_string, old_line, new_line)) in cases {
            let edits = tab_edits(old, new);
            let expected = (range.to_owned(), old_string, new_string, old_line, new_line);
            assert_eq!(edits.iter().map(shown).collect::<Vec<_>>(), [expected], "{name}");
        }
    }

    #[test]
    fn separate_changes_are_separate_edits() {
        let edits = tab_edits("a\nkeep\nb\nkeep\n\nlast", "A\nkeep\nkeep\n\nnew\nlast");
        let expected = [
            ("1:1-1:2".to_owned(), "a", "A", "a", "A"),
            ("3:1-4:1".to_owned(), "b\n", "", "b", "keep"),
            ("6:1-6:1".to_owned(), "", "new\n", "last", "new"),
        ];
        assert_eq!(edits.iter().map(shown).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn equal_texts_have_no_edits() {
        for text in ["", "a", "a\n", "\r\n"] {
            assert_eq!(tab_edits(text, text), [], "{text:?}");
        }
    }

    #[test]
    fn texts_too_large_to_compare_are_one_edit() {
        let text = |word: &str| (0..1001).map(|line| format!("{word}{line}\nsame\n")).collect::<String>();
        let edits = tab_edits(&text("old"), &text("new"));
        assert_eq!(edits.len(), 1);
        assert_eq!(edits[0].range.start_line_number, 1);
        assert_eq!(edits[0].range.end_line_number, 2001);
    }
}
