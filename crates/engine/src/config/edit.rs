//! Changes the text of any JSON in its place: lists grow, elements go, values
//! are replaced, and every other byte stays: comments, order, spacing, the
//! kind of line end, a byte order mark.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};

use super::json_tree;
use super::syntax::{bytes_of, property};
use crate::problem::{Edit, Place, Problem};

/// One step from a value to a value inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'p> {
    /// Of an object: the value with this name.
    Key(&'p str),
    /// Of a list: the value at this place, from 0.
    Item(usize),
}

/// The text with one more element in the list that these names lead to, behind
/// those that are there. Objects and lists that are missing are made; where
/// something else stands, the text is not changed and the problem says where.
pub fn add_to_list(text: &str, names: &[&str], element: &str) -> Result<String, Box<Problem>> {
    let mut text = text.to_owned();
    // Each round makes one of the objects that are missing on the way.
    for _ in 0..=names.len() {
        let (changed, done) = behind_mark(&text, |plain| grow(plain, names, element))?;
        text = changed;
        if done {
            break;
        }
    }
    Ok(text)
}

/// The text without the value at this path; as it was when there is none.
pub fn remove_at(text: &str, path: &[Step]) -> Result<String, Box<Problem>> {
    let Some((last, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let (changed, ()) = behind_mark(text, |plain| {
        let tree = json_tree(plain)?;
        let edits = match (value_at(&tree, above), last) {
            (Some(Value::Object(object)), Step::Key(name)) => {
                let index = object.properties.iter().rposition(|it| it.name.as_str() == *name);
                let ranges: Vec<_> = object.properties.iter().map(bytes_of).collect();
                index.map(|index| removal(plain, &ranges, index, object.range.end - 1))
            }
            (Some(Value::Array(list)), Step::Item(index)) if *index < list.elements.len() => {
                let ranges: Vec<_> = list.elements.iter().map(bytes_of).collect();
                Some(removal(plain, &ranges, *index, list.range.end - 1))
            }
            _ => None,
        };
        Ok((edited(plain, edits.unwrap_or_default()), ()))
    })?;
    Ok(changed)
}

/// The text with another value at this path; as it was when there is none.
pub fn replace_at(text: &str, path: &[Step], json: &str) -> Result<String, Box<Problem>> {
    let (changed, ()) = behind_mark(text, |plain| {
        let tree = json_tree(plain)?;
        let edit = value_at(&tree, path).map(|found| Edit { bytes: bytes_of(found), text: json.to_owned() });
        Ok((edited(plain, edit.into_iter().collect()), ()))
    })?;
    Ok(changed)
}

/// The text with this value under these names. Objects that are missing are
/// made; where something else is in the way, the text is not changed and the
/// problem says where.
pub fn set_at(text: &str, names: &[&str], json: &str) -> Result<String, Box<Problem>> {
    let mut text = text.to_owned();
    // Each round makes one of the objects that are missing on the way.
    for _ in 0..=names.len() {
        let (changed, done) = behind_mark(&text, |plain| put(plain, names, json))?;
        text = changed;
        if done {
            break;
        }
    }
    Ok(text)
}

/// The value at a path.
pub fn value_at<'a>(tree: &'a Value<'a>, path: &[Step]) -> Option<&'a Value<'a>> {
    path.iter().try_fold(tree, |value, step| match (value, step) {
        (Value::Object(object), Step::Key(name)) => Some(&property(object, name)?.value),
        (Value::Array(list), Step::Item(index)) => list.elements.get(*index),
        _ => None,
    })
}

/// Makes the first thing that is missing; true when that was the element.
fn grow(text: &str, names: &[&str], element: &str) -> Result<(String, bool), Box<Problem>> {
    let tree = json_tree(text)?;
    let mut value = &tree;
    for (index, name) in names.iter().enumerate() {
        let Value::Object(object) = value else { return Err(other_form(text, value, "an object")) };
        match property(object, name) {
            Some(found) => value = &found.value,
            None => {
                let last = index + 1 == names.len();
                let new = if last { format!("[{element}]") } else { "{}".to_owned() };
                return Ok((edited(text, into_object(text, object, name, &new)), last));
            }
        }
    }
    match value {
        Value::Array(list) => Ok((edited(text, into_list(text, list, element)), true)),
        other => Err(other_form(text, other, "a list")),
    }
}

/// Makes the first object that is missing, or sets the value; true for the value.
fn put(text: &str, names: &[&str], json: &str) -> Result<(String, bool), Box<Problem>> {
    let tree = json_tree(text)?;
    let mut value = &tree;
    for (index, name) in names.iter().enumerate() {
        let Value::Object(object) = value else { return Err(other_form(text, value, "an object")) };
        let Some(found) = property(object, name) else {
            let last = index + 1 == names.len();
            let new = if last { json } else { "{}" };
            return Ok((edited(text, into_object(text, object, name, new)), last));
        };
        value = &found.value;
    }
    Ok((edited(text, vec![Edit { bytes: bytes_of(value), text: json.to_owned() }]), true))
}

/// A byte order mark stays before everything.
pub(super) fn behind_mark<T>(
    text: &str,
    change: impl Fn(&str) -> Result<(String, T), Box<Problem>>,
) -> Result<(String, T), Box<Problem>> {
    match text.strip_prefix('\u{feff}') {
        Some(plain) => change(plain).map(|(changed, more)| (format!("\u{feff}{changed}"), more)),
        None => change(text),
    }
}

pub(super) fn other_form(text: &str, value: &Value, wanted: &str) -> Box<Problem> {
    let problem = Problem::error("other-form", format!("this is not {wanted}, so nothing was added to it"));
    Box::new(problem.at(Place::in_text(text, bytes_of(value))))
}

pub(super) fn into_object(text: &str, object: &Object, name: &str, value: &str) -> Vec<Edit> {
    let new = format!("\"{name}\": {value}");
    match object.properties.last() {
        Some(last) => behind(text, last.range.start, last.range.end, object.range.end, &new),
        None => {
            let margin = margin(text, object.range.start);
            let whole = format!("\n{margin}  {new}\n{margin}");
            into_empty(text, object.range.start, object.range.end, &whole)
        }
    }
}

pub(super) fn into_list(text: &str, list: &Array, entry: &str) -> Vec<Edit> {
    match list.elements.last() {
        Some(last) => {
            let range = jsonc_parser::common::Ranged::range(last);
            behind(text, range.start, range.end, list.range.end, entry)
        }
        None => into_empty(text, list.range.start, list.range.end, entry),
    }
}

/// Between two brackets with nothing but space and comments in between.
fn into_empty(text: &str, start: usize, end: usize, new: &str) -> Vec<Edit> {
    let inside = start + 1..end.saturating_sub(1);
    if text[inside.clone()].trim().is_empty() {
        vec![Edit { bytes: inside, text: new.to_owned() }]
    } else {
        vec![Edit::insert(start + 1, new)]
    }
}

/// Behind the last of several: on a line of its own when that has one, and
/// behind the comment that stands on its line.
fn behind(text: &str, start: usize, end: usize, closing: usize, new: &str) -> Vec<Edit> {
    let margin = margin(text, start);
    if !owns_its_line(text, start) {
        return vec![Edit::insert(end, format!(", {new}"))];
    }
    let rest = &text[end..closing];
    let line_rest = rest.split('\n').next().unwrap_or_default();
    let line = line_rest.trim_end();
    let trailing_comma = line.trim_start().starts_with(',');
    let comment = line.trim_start().trim_start_matches(',').trim_start();
    let only_comment = comment.is_empty() || comment.starts_with("//");
    if !only_comment || line_rest.len() == rest.len() {
        return vec![Edit::insert(end, format!(",\n{margin}{new}"))];
    }
    let comma = if trailing_comma { "," } else { "" };
    let mut edits = vec![Edit::insert(end + line.len(), format!("\n{margin}{new}{comma}"))];
    if !trailing_comma {
        edits.insert(0, Edit::insert(end, ","));
    }
    edits
}

/// Takes one of several away, with the comma that goes with it, and with its
/// line where nothing else stands on it. `closing` is where the bracket is.
fn removal(text: &str, all: &[Range<usize>], index: usize, closing: usize) -> Vec<Edit> {
    let own = &all[index];
    let gap_end = all.get(index + 1).map_or(closing, |next| next.start);
    let comma_behind = comma(text, own.end..gap_end);
    let comma_before = match (comma_behind, index.checked_sub(1)) {
        (None, Some(previous)) => comma(text, all[previous].end..own.start),
        _ => None,
    };
    let gone_bytes = |bytes| Edit { bytes, text: String::new() };
    match (comma_before, comma_behind) {
        // A comment between a value and its comma is somebody's, and stays.
        (None, Some(at)) if !text[own.end..at].trim().is_empty() => {
            [own.clone(), at..at + 1].map(gone_bytes).to_vec()
        }
        (None, Some(at)) => {
            let mut gone = own.start..at + 1;
            let rest = &text[gone.end..gap_end];
            let space = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            gone.end += space;
            vec![gone_bytes(whole_lines(text, &(own.start..at + 1)).unwrap_or(gone))]
        }
        (Some(at), _) if text[at + 1..own.start].trim().is_empty() => vec![gone_bytes(at..own.end)],
        (Some(at), _) => {
            let lines = whole_lines(text, own).unwrap_or_else(|| own.clone());
            [at..at + 1, lines].map(gone_bytes).to_vec()
        }
        (None, None) => vec![gone_bytes(whole_lines(text, own).unwrap_or_else(|| own.clone()))],
    }
}

/// The lines these bytes stand on, with the line end before them, when nothing
/// else stands on them.
fn whole_lines(text: &str, bytes: &Range<usize>) -> Option<Range<usize>> {
    let newline = text[..bytes.start].rfind('\n')?;
    let line_end = text[bytes.end..].find('\n').map_or(text.len(), |at| bytes.end + at);
    let alone = text[newline..bytes.start].trim().is_empty() && text[bytes.end..line_end].trim().is_empty();
    let start = if text[..newline].ends_with('\r') { newline - 1 } else { newline };
    let end = if text[..line_end].ends_with('\r') { line_end - 1 } else { line_end };
    alone.then_some(start..end)
}

/// Where the comma is between two values; not one in a comment.
fn comma(text: &str, gap: Range<usize>) -> Option<usize> {
    let mut at = gap.start;
    while at < gap.end {
        let rest = &text[at..gap.end];
        at += match rest {
            _ if rest.starts_with(',') => return Some(at),
            _ if rest.starts_with("//") => rest.find('\n')? + 1,
            _ if rest.starts_with("/*") => rest.find("*/")? + 2,
            _ => rest.chars().next()?.len_utf8(),
        };
    }
    None
}

/// Whether nothing but space stands before this byte on its line, and a line
/// before that.
pub(super) fn owns_its_line(text: &str, at: usize) -> bool {
    let before = text[..at].rsplit_once('\n');
    before.is_some_and(|(_, line)| line.trim().is_empty())
}

/// The space at the beginning of the line that a byte stands on.
pub(super) fn margin(text: &str, at: usize) -> &str {
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[line_start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Makes the edits, from the last to the first. New lines end as most lines of
/// the text do.
pub(super) fn edited(text: &str, edits: Vec<Edit>) -> String {
    let lines = text.matches('\n').count();
    let crlf = text.matches("\r\n").count() * 2 > lines;
    let mut result = text.to_owned();
    for edit in edits.into_iter().rev() {
        let new = if crlf { edit.text.replace('\n', "\r\n") } else { edit.text };
        result.replace_range(edit.bytes, &new);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_can_be_taken_away_again() {
        let cases = [
            (
                "a list on lines",
                "{\n  // why\n  \"hooks\": {\n    \"Stop\": [\n      {\"a\": 1} // one\n    ]\n  }\n}\n",
            ),
            ("a list on one line", "{\"hooks\": {\"Stop\": [{\"a\": 1}]}}"),
            ("a trailing comma", "{\"hooks\": {\"Stop\": [\n\t{\"a\": 1}, // x, y\n]}}"),
            ("CR LF", "{\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      {\"a\": 1}\r\n    ]\r\n  }\r\n}\r\n"),
            ("a mark", "\u{feff}{\"hooks\": {\"Stop\": [1,\n2]}}"),
            ("a comment between", "{\"hooks\": {\"Stop\": [\n  1 /* , */\n  // ,\n]}}"),
        ];
        for (name, text) in cases {
            let added = add_to_list(text, &["hooks", "Stop"], "{ \"new\": 2 }").expect(name);
            assert!(added.contains("new"), "{name}: {added}");
            assert_eq!(added.matches("\r\n").count(), if text.contains('\r') { 8 } else { 0 }, "{name}");
            let plain = added.trim_start_matches('\u{feff}');
            let tree = json_tree(plain).expect(name);
            let list = value_at(&tree, &[Step::Key("hooks"), Step::Key("Stop")]).and_then(Value::as_array);
            let last = list.expect(name).elements.len() - 1;
            let path = [Step::Key("hooks"), Step::Key("Stop"), Step::Item(last)];
            assert_eq!(remove_at(&added, &path).expect(name), text, "{name}");
        }
    }

    #[test]
    fn what_is_missing_is_made() {
        let cases = [
            ("{}", "{\n  \"hooks\": {\n    \"Stop\": [1]\n  }\n}"),
            ("{\"a\": 1}", "{\"a\": 1, \"hooks\": {\n  \"Stop\": [1]\n}}"),
            ("{\r\n  \"hooks\": {}\r\n}", "{\r\n  \"hooks\": {\r\n    \"Stop\": [1]\r\n  }\r\n}"),
        ];
        for (text, expected) in cases {
            assert_eq!(add_to_list(text, &["hooks", "Stop"], "1").as_deref(), Ok(expected), "{text}");
        }
        for text in ["[]", "{\"hooks\": []}", "{\"hooks\": {\"Stop\": {}}}", "{\"hooks\": 1}", "{", ""] {
            assert!(add_to_list(text, &["hooks", "Stop"], "1").is_err(), "{text}");
        }
    }

    #[test]
    fn one_of_several_goes_and_the_others_stay() {
        let item = |index| [Step::Item(index)];
        let cases = [
            ("[1, 2, 3]", 0, "[2, 3]"),
            ("[1, 2, 3]", 1, "[1, 3]"),
            ("[1, 2, 3]", 2, "[1, 2]"),
            ("[ 1 ]", 0, "[  ]"),
            ("[\n  1, // one\n  2\n]", 1, "[\n  1 // one\n]"),
            ("[\n  1, // one\n  2\n]", 0, "[\n  // one\n  2\n]"),
            ("[\n  1,\n  2,\n]", 1, "[\n  1,\n]"),
            ("[\n  1\n]", 0, "[\n]"),
            ("[1]", 3, "[1]"),
        ];
        for (text, index, expected) in cases {
            assert_eq!(remove_at(text, &item(index)).as_deref(), Ok(expected), "{text} {index}");
        }
        let text = "{\"a\": 1, \"b\": {\"c\": 2}}";
        assert_eq!(remove_at(text, &[Step::Key("a")]).as_deref(), Ok("{\"b\": {\"c\": 2}}"));
        assert_eq!(
            replace_at(text, &[Step::Key("b"), Step::Key("c")], "3").as_deref(),
            Ok("{\"a\": 1, \"b\": {\"c\": 3}}")
        );
    }
}
