//! Two texts, line by line: what was, and what is.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use super::text::{plural, safe, shortened};

/// More lines than this are counted and not shown.
const MOST_LINES: usize = 2_000;
/// A longer line is cut.
const LONGEST_LINE: usize = 2_000;
/// Lines around a change.
const AROUND: usize = 3;

/// The difference of two files, which may be any bytes.
pub fn difference(label: &str, old: &[u8], new: &[u8]) -> Markup {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let compared = TextDiff::from_lines(&*old, &*new);
    let groups = compared.grouped_ops(AROUND);
    let changes = groups.iter().flat_map(|group| {
        let gap = std::iter::once(None);
        gap.chain(group.iter().flat_map(|op| compared.iter_changes(op)).map(Some))
    });
    let mut lines: Vec<Markup> = Vec::new();
    for change in changes.skip(1) {
        lines.push(match change {
            None => html! { span.gap { "⋯" } "\n" },
            Some(change) => line(change.tag(), change.value()),
        });
    }
    let left = lines.len().saturating_sub(MOST_LINES);
    html! {
        pre.difference tabindex="0" role="region" aria-label=(label) { @for line in lines.iter().take(MOST_LINES) { (line) } }
        @if left > 0 { p.note { (plural(left, "more line")) " " @if left == 1 { "is" } @else { "are" } " not shown." } }
    }
}

/// One line; the sign in front says what became of it, not the colour alone.
fn line(tag: ChangeTag, text: &str) -> Markup {
    let text = shortened(text.trim_end_matches(['\n', '\r']), LONGEST_LINE);
    match tag {
        ChangeTag::Delete => html! { del { "- " (safe(text)) } "\n" },
        ChangeTag::Insert => html! { ins { "+ " (safe(text)) } "\n" },
        ChangeTag::Equal => html! { "  " (safe(text)) "\n" },
    }
}
