//! What stands in a rule file twice: keys, and whole rules.

use std::collections::HashMap;
use std::ops::Range;

use super::advice::Found;
use super::frontmatter::{Document, Item, Spanned, Value, lines};
use crate::problem::Problem;

/// Adds a warning for everything that stands there a second time.
pub fn about(document: &Document, known: &[&str], found: &mut Found) {
    keys(document.entries.iter().map(|(key, _)| key), found);
    let lists = document.entries.iter().filter_map(|(_, value)| match value {
        Value::List(items) => Some(items),
        Value::Text(_) => None,
    });
    for item in lists.flatten() {
        match item {
            Item::Fields(fields) => keys(fields.iter().map(|(key, _)| key), found),
            Item::Text(_) => {}
        }
    }
    if let Some(at) = second_head(&document.body, known) {
        let message = "a second rule begins here; a file holds one, and this is a part of its message";
        let problem = Problem::warning("hookify-second-rule", message)
            .help("put it into a file of its own, `.claude/hookify.NAME.local.md`");
        found.push((at, problem));
    }
}

/// The last of several counts.
fn keys<'d>(keys: impl Iterator<Item = &'d Spanned>, found: &mut Found) {
    let mut seen: HashMap<&str, &Spanned> = HashMap::new();
    for key in keys {
        if seen.insert(&key.text, key).is_some() {
            let message = format!("`{}` stands here again; what it said before counts for nothing", key.text);
            let problem = Problem::warning("hookify-repeated-key", message).help("keep one of them");
            found.push((key.bytes.clone(), problem));
        }
    }
}

/// Where a line `---` has a key of a rule below it, outside a block of code.
fn second_head(body: &Spanned, known: &[&str]) -> Option<Range<usize>> {
    let text = body.text.as_str();
    let mut is_code = false;
    let mut dashes = None;
    for line in lines(text, 0..text.len()) {
        let written = text[line.clone()].trim_end();
        if written.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let begins = |key: &&str| written.strip_prefix(*key).is_some_and(|rest| rest.starts_with(':'));
        match dashes {
            _ if is_code => dashes = None,
            _ if written == "---" => dashes = Some(line),
            Some(at) if known.iter().any(begins) => {
                return Some(body.bytes.start + at.start..body.bytes.start + at.end);
            }
            // Nothing stands between them but empty lines.
            Some(at) => dashes = written.is_empty().then_some(at),
            None => {}
        }
    }
    None
}
