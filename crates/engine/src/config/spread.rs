//! Breaks a list or an object that stands on one line over lines, in a file that
//! has lines: what is added to it then gets a line of its own, by which lists,
//! the log and the panel name it. Only space changes.

use std::ops::Range;

use super::edit::{margin, owns_its_line};
use crate::problem::Edit;

/// The edits that put each of these values between two brackets on its own line.
/// None where the last has one, or is itself written over lines.
pub(super) fn spread(text: &str, brackets: Range<usize>, values: &[Range<usize>]) -> Vec<Edit> {
    let Some(last) = values.last() else { return Vec::new() };
    let has_lines = text.trim().contains('\n');
    if !has_lines || text[last.clone()].contains('\n') || owns_its_line(text, last.start) {
        return Vec::new();
    }
    let outer = margin(text, brackets.start);
    let first_own = values.iter().find(|value| owns_its_line(text, value.start));
    let inner = first_own.map_or(format!("{outer}  "), |value| margin(text, value.start).to_owned());
    let ends = std::iter::once(brackets.start + 1).chain(values.iter().map(|value| value.end));
    let starts = values.iter().map(|value| (value.start, inner.as_str()));
    let gaps = ends.zip(starts.chain([(brackets.end - 1, outer)]));
    gaps.filter_map(|(end, (start, margin))| broken(text, end..start, margin)).collect()
}

/// A line break at the end of a gap that has none; commas and comments stay.
fn broken(text: &str, gap: Range<usize>, margin: &str) -> Option<Edit> {
    let between = &text[gap.clone()];
    let kept = between.trim_end_matches([' ', '\t']).len();
    let one_line = !between.contains('\n');
    one_line.then(|| Edit { bytes: gap.start + kept..gap.end, text: format!("\n{margin}") })
}
