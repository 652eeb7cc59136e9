//! JSON for a reader: over many lines, and every value as it was written.

/// What lies deeper stays on one line: a line is indented by its depth, and a
/// payload can be as deep as it is long.
const DEEPEST: usize = 32;
/// So much space may be added to any text, and so much for every byte of it;
/// what comes then stays as it was.
const SPACE: usize = 256 * 1024;
const SPACE_PER_BYTE: usize = 4;

/// JSON spread over lines, or the text that was printed in its place.
pub fn spread(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| over_lines(json))
}

/// Compact JSON over many lines. Only the space between values changes: a
/// number or an escape stays as it was written.
fn over_lines(json: &str) -> String {
    let mut out = String::with_capacity(json.len().saturating_mul(2));
    let mut space = json.len().saturating_mul(SPACE_PER_BYTE).saturating_add(SPACE);
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
                let is_shown = depth <= DEEPEST;
                depth = depth.saturating_sub(1);
                if !opened && is_shown {
                    new_line(&mut out, depth, &mut space);
                }
            }
            _ if opened => new_line(&mut out, depth, &mut space),
            _ => {}
        }
        out.push(character);
        match character {
            '{' | '[' => depth += 1,
            ',' => new_line(&mut out, depth, &mut space),
            ':' => out.push(' '),
            '"' => in_text = true,
            _ => {}
        }
        before = character;
    }
    out
}

fn new_line(out: &mut String, depth: usize, space: &mut usize) {
    let needed = 1 + 2 * depth;
    if depth > DEEPEST || needed > *space {
        return;
    }
    *space -= needed;
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

    #[test]
    fn what_is_deep_or_would_need_much_space_stays_on_one_line() {
        let nested =
            |levels: usize, inside: &str| format!("{}{inside}{}", "[".repeat(levels), "]".repeat(levels));
        let cases = [
            ("deep", nested(100_000, "")),
            ("deep objects", format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000))),
            ("never closed", "[".repeat(100_000)),
            ("wide where it is deepest", nested(DEEPEST, &"1,".repeat(500_000))),
        ];
        for (name, json) in cases {
            let shown = spread(&json);
            let most = json.len() * (2 + SPACE_PER_BYTE) + SPACE;
            assert!(shown.len() <= most, "{name}: {} bytes became {}", json.len(), shown.len());
            let tight: String = shown.split_whitespace().collect();
            assert!(tight == json, "{name}: a value changed");
        }
        let last = nested(DEEPEST, "1,2");
        assert_eq!(spread(&last).lines().count(), 2 * DEEPEST + 2, "as deep as may be");
        let next = nested(DEEPEST + 1, "1,2");
        assert!(spread(&next).lines().any(|line| line.trim() == "[1,2]"), "{}", spread(&next));
    }
}
