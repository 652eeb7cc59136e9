//! The `version` of a hooks file: a positive integer, and 1 when it is missing.

use jsonc_parser::ast::{Object, Value};

use super::reader::Reader;
use super::syntax::{bytes_of, excerpt, property};
use crate::problem::{Edit, Fix, Problem};

const PRODUCT: &str = "drops the whole file: it wants a number here";

/// Says whether the file can be read with the version it names.
pub(super) fn read_version(reader: &mut Reader, top: &Object) -> bool {
    let Some(version) = property(top, "version") else {
        let problem =
            Problem::warning("version-missing", "the file does not say its `version`; it is read as 1")
                .help(r#"write "version": 1"#)
                .product("drops the whole file, or runs it without listing it: versions differ")
                .fix(Fix { edits: vec![insertion(reader.text, top)] });
        reader.add(top.range.start..top.range.start + 1, problem);
        return true;
    };
    let bytes = bytes_of(&version.value);
    match &version.value {
        Value::NumberLit(number) => match positive_integer(number.value) {
            Some(1) => true,
            Some(number) => {
                let message = format!("version {number} is not known; the file is read as version 1");
                reader.add(bytes, Problem::warning("version-unknown", message).help(r#"write "version": 1"#));
                true
            }
            None => refuse(reader, bytes),
        },
        Value::StringLit(text) => match spelt_out(&text.value) {
            Some(number) => {
                let message = format!("`version` is the text \"{}\", not a number", excerpt(&text.value));
                let problem = Problem::warning("version-is-text", message)
                    .help(format!(r#"write "version": {number}"#))
                    .product(PRODUCT)
                    .fix(Fix::replace(bytes.clone(), number.to_string()));
                reader.add(bytes, problem);
                true
            }
            None => refuse(reader, bytes),
        },
        Value::BooleanLit(_) | Value::Object(_) | Value::Array(_) | Value::NullKeyword(_) => {
            refuse(reader, bytes)
        }
    }
}

fn refuse(reader: &mut Reader, bytes: std::ops::Range<usize>) -> bool {
    let shown = excerpt(&reader.text[bytes.clone()]);
    let mut message = format!("`version` is {shown}, not a positive integer; nothing of the file runs");
    let gates = reader.definitions.iter().filter(|hook| hook.fail_closed && hook.event.can_block()).count();
    if gates > 0 {
        message.push_str(&format!(", not even what says `failClosed` ({gates})"));
    }
    reader.add(
        bytes,
        Problem::error("version-invalid", message).help(r#"write "version": 1"#).product(PRODUCT),
    );
    false
}

/// As JavaScript sees it: `1`, `1.0` and `1e0` are one number.
fn positive_integer(text: &str) -> Option<u64> {
    let number: f64 = text.parse().ok()?;
    let whole = number.is_finite() && number >= 1.0 && number.fract() == 0.0;
    whole.then_some(number as u64)
}

/// `"1"`, `"1.0"`, `"1.0.0"`: a number that was put into quotes.
fn spelt_out(text: &str) -> Option<u64> {
    let mut parts = text.trim().split('.');
    let number = parts.next()?.parse().ok()?;
    (number >= 1 && parts.all(|part| part == "0")).then_some(number)
}

/// The missing key, as the first of its object and indented like the next one.
fn insertion(text: &str, top: &Object) -> Edit {
    let inside = top.range.start + 1;
    let Some(first) = top.properties.first() else { return Edit::insert(inside, r#""version": 1"#) };
    let line_start = text[..first.range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let indent = &text[line_start..first.range.start];
    if line_start <= inside || !indent.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Edit::insert(first.range.start, r#""version": 1, "#);
    }
    let newline = if text[..line_start].ends_with("\r\n") { "\r\n" } else { "\n" };
    Edit::insert(first.range.start, format!("\"version\": 1,{newline}{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        let cases =
            [("1", Some(1)), ("1.0", Some(1)), ("1e0", Some(1)), ("2", Some(2)), ("0", None), ("-1", None)];
        let more = [("1.5", None), ("1e400", None), ("NaN", None), ("-0", None), ("Infinity", None)];
        for (text, expected) in cases.into_iter().chain(more) {
            assert_eq!(positive_integer(text), expected, "{text}");
        }
        let texts = [("1", Some(1)), ("1.0", Some(1)), ("1.0.0", Some(1)), ("2", Some(2)), ("1.5", None)];
        let more = [("", None), ("0", None), ("one", None), ("-1", None), ("v1", None)];
        for (text, expected) in texts.into_iter().chain(more) {
            assert_eq!(spelt_out(text), expected, "{text}");
        }
    }
}
