//! A JSON value as Python's `str` writes it: conditions on numbers and lists
//! were written against that.

use std::fmt::Write;

use serde_json::{Number, Value};

/// The value as text.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let mut out = String::new();
            write(&mut out, other);
            out
        }
    }
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => write_quoted(out, text),
        Value::Array(list) => {
            out.push('[');
            for (index, item) in list.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (key, item)) in fields.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_quoted(out, key);
                out.push_str(": ");
                write(out, item);
            }
            out.push('}');
        }
    }
}

fn number_text(number: &Number) -> String {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return number.to_string() };
    // Python writes 16 digits before it turns to an exponent, and signs that.
    let exponent = float.abs().log10().floor();
    if float != 0.0 && !(-4.0..16.0).contains(&exponent) {
        let text = format!("{float:e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
        return format!("{digits}e{sign}{power:0>2}");
    }
    format!("{float:?}")
}

/// Single quotes, unless only they stand in the text.
fn write_quoted(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            letter if letter == quote => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_ascii_control() => _ = write!(out, "\\x{:02x}", u32::from(letter)),
            letter => out.push(letter),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let cases = [
            ("\"a\"", "a"),
            ("5", "5"),
            ("1.0", "1.0"),
            ("1e20", "1e+20"),
            ("0.00001", "1e-05"),
            ("true", "True"),
            ("null", "None"),
            (r#"["a", 1, null, {"k": "it's"}]"#, r#"['a', 1, None, {'k': "it's"}]"#),
            (r#"["a\n\u0001'\""]"#, r#"['a\n\x01\'"']"#),
        ];
        for (json, expected) in cases {
            let value: Value = serde_json::from_str(json).expect(json);
            assert_eq!(text(&value), expected, "{json}");
        }
    }
}
