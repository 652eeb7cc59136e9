//! JSON for a reader: over many lines, and every value as it was written.

/// JSON spread over lines, or the text that was printed in its place.
pub fn spread(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| over_lines(json))
}

/// Compact JSON over many lines. Only the space between values changes: a
/// number or an escape stays as it was written.
fn over_lines(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_text, mut escaped) = (0usize, false, false);
    let mut before = ' ';
    for character in json.chars() {
        if in_text {
            out.push(character);
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
            before = character;
            continue;
        }
        let opened = matches!(before, '{' | '[');
        match character {
            ' ' | '\n' | '\t' | '\r' => continue,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if !opened {
                    new_line(&mut out, depth);
                }
            }
            _ if opened => new_line(&mut out, depth),
            _ => {}
        }
        out.push(character);
        match character {
            '{' | '[' => depth += 1,
            ',' => new_line(&mut out, depth),
            ':' => out.push(' '),
            '"' => in_text = true,
            _ => {}
        }
        before = character;
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_spread_and_every_value_stays_as_it_was() {
        let cases = [
            (
                r#"{"a":1.0,"b":[1e400,{}],"c":{}}"#,
                "{\n  \"a\": 1.0,\n  \"b\": [\n    1e400,\n    {}\n  ],\n  \"c\": {}\n}",
            ),
            (r#"{"a":"x\"{,:\\"}"#, "{\n  \"a\": \"x\\\"{,:\\\\\"\n}"),
            ("[]", "[]"),
            (r#"[[""]]"#, "[\n  [\n    \"\"\n  ]\n]"),
            ("}]", "\n}\n]"),
        ];
        for (json, expected) in cases {
            assert_eq!(over_lines(json), expected);
        }
    }
}
