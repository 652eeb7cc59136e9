//! Applies repairs to a text: only the bytes they name change.

use crate::problem::{Edit, Problem};

/// The text with the repair of every problem that has one.
///
/// A repair that touches what an earlier one touches waits: read the result
/// and apply again. Text that no repair names stays as it is, byte for byte.
pub fn apply_fixes(text: &str, problems: &[Problem]) -> String {
    let mut edits: Vec<&Edit> = Vec::new();
    for fix in problems.iter().filter_map(|problem| problem.fix.as_ref()) {
        let fits = fix
            .edits
            .iter()
            .all(|edit| within(text, edit) && !edits.iter().any(|other| collide(edit, other)));
        if fits {
            edits.extend(&fix.edits);
        }
    }
    edits.sort_by_key(|edit| (edit.bytes.start, edit.bytes.end));
    splice(text, &edits)
}

fn splice(text: &str, edits: &[&Edit]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        result.push_str(&text[done..edit.bytes.start]);
        result.push_str(&edit.text);
        done = edit.bytes.end;
    }
    result.push_str(&text[done..]);
    result
}

/// Whether the text has these bytes; a problem may come from an older text.
fn within(text: &str, edit: &Edit) -> bool {
    text.get(edit.bytes.clone()).is_some()
}

/// Two insertions at one place do not collide, unless they are the same.
fn collide(a: &Edit, b: &Edit) -> bool {
    a == b || (a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Fix;

    fn with(fix: Fix) -> Problem {
        Problem::hint("x", "x").fix(fix)
    }

    #[test]
    fn only_the_named_bytes_change() {
        let cases = [
            ("nothing to do", vec![], "abcdef"),
            ("one replacement", vec![Fix::replace(1..3, "X")], "aXdef"),
            ("in any order", vec![Fix::replace(5..6, "Y"), Fix::replace(0..1, "")], "bcdeY"),
            ("around something", vec![Fix::wrap(&(2..4), "<", ">")], "ab<cd>ef"),
            ("side by side", vec![Fix::replace(0..2, "X"), Fix::replace(2..4, "Y")], "XYef"),
            (
                "the earlier of two that overlap",
                vec![Fix::replace(0..3, "X"), Fix::replace(2..4, "Y")],
                "Xdef",
            ),
            (
                "all edits of a fix or none",
                vec![Fix::replace(2..5, "X"), Fix::wrap(&(1..3), "<", ">")],
                "abXf",
            ),
            ("the same twice is once", vec![Fix::replace(2..2, "+"), Fix::replace(2..2, "+")], "ab+cdef"),
            ("outside the text", vec![Fix::replace(4..9, "X")], "abcdef"),
            ("backwards", vec![Fix::replace(std::ops::Range { start: 4, end: 2 }, "X")], "abcdef"),
        ];
        for (name, fixes, expected) in cases {
            let problems: Vec<_> = fixes.into_iter().map(with).collect();
            assert_eq!(apply_fixes("abcdef", &problems), expected, "{name}");
        }
    }
}
