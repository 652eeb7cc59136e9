//! Text → syntax tree, by the `jsonc-parser` crate, and its errors in our words.
//!
//! Comments, trailing commas and `NaN` are let through: they were noted before
//! and are warned about. Everything else that is not JSON is an error.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, parse_to_ast};

use super::text::{DROPS_THE_FILE, Fault};
use crate::problem::Problem;

/// The tree of a text, or the first thing that is wrong with it.
pub(super) fn parse(text: &str) -> Result<Value<'_>, Box<Fault>> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_non_finite_numbers: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_extended_string_escapes: false,
    };
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Ok(result) => result.value.ok_or_else(empty),
        Err(error) => Err(in_our_words(&error)),
    }
}

/// The property that counts: of several with one name, the last.
pub(super) fn property<'a>(object: &'a Object<'a>, name: &str) -> Option<&'a ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}

/// The bytes a node covers.
pub(super) fn bytes_of(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// What a value is, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

/// The start of a text from outside, fit for one line of a message.
pub(super) fn excerpt(text: &str) -> String {
    one_line(text, 60)
}

/// At most so many bytes of a text from outside, or few more, on one line.
pub(super) fn one_line(text: &str, longest: usize) -> String {
    let mut shown = String::new();
    for character in text.chars() {
        if shown.len() >= longest {
            shown.push('…');
            break;
        }
        match character {
            '\n' | '\r' | '\t' => shown.push(' '),
            _ if character.is_control() => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}

fn empty() -> Box<Fault> {
    let problem = Problem::error("empty-file", "the file holds nothing")
        .help(r#"the least a hooks file holds is {"version": 1, "hooks": {}}"#)
        .product(DROPS_THE_FILE);
    Box::new(Fault { bytes: 0..0, problem })
}

fn in_our_words(error: &ParseError) -> Box<Fault> {
    let (code, message, help) = words(error.kind());
    let problem = Problem::error(code, message).help(help).product(DROPS_THE_FILE);
    let range = error.range();
    Box::new(Fault { bytes: range.start..range.end, problem })
}

fn words(kind: &ParseErrorKind) -> (&'static str, &'static str, &'static str) {
    use ParseErrorKind::*;
    match kind {
        BareDecimalPointNumbersNotAllowed => {
            ("bad-number", "a number needs digits on both sides of its point", "write `0.5`, or `5`")
        }
        ExpectedDigit | ExpectedDigitFollowingNegativeSign | ExpectedPlusMinusOrDigitInNumberLiteral => {
            ("bad-number", "a digit is missing in this number", "write the number out, like `30`")
        }
        HexadecimalNumbersNotAllowed => {
            ("bad-number", "JSON has no hexadecimal numbers", "write the number in decimal, like `30`")
        }
        UnaryPlusNumbersNotAllowed => ("bad-number", "a number has no `+` in front", "remove the `+`"),
        NonFiniteNumbersNotAllowed => {
            ("bad-number", "this is not a JSON number", "write a number, like `30`")
        }
        ExpectedColonAfterObjectKey => {
            ("missing-colon", "a `:` is missing between a key and its value", r#"write `"key": value`"#)
        }
        ExpectedObjectValue => ("missing-value", "the key has no value", r#"write `"key": value`"#),
        ExpectedStringObjectProperty => ("unquoted-key", "a key is not in quotes", r#"write `"key": value`"#),
        ExpectedComma => (
            "missing-comma",
            "a `,` is missing here",
            "put one between the two values; a quote inside a string is written `\\\"`",
        ),
        MultipleRootJsonValues => (
            "text-after-end",
            "something stands behind the end of the JSON",
            "remove it, or count the brackets",
        ),
        SingleQuotedStringsNotAllowed => {
            ("single-quotes", "a string is in single quotes", "JSON strings stand in double quotes: `\"`")
        }
        UnexpectedCloseBrace => {
            ("unexpected-bracket", "this `}` closes nothing", "remove it, or count the brackets")
        }
        UnexpectedCloseBracket => {
            ("unexpected-bracket", "this `]` closes nothing", "remove it, or count the brackets")
        }
        UnexpectedColon => {
            ("unexpected-character", "this `:` has no key before it", r#"write `"key": value`"#)
        }
        UnexpectedComma => ("unexpected-character", "this `,` has no value before it", "remove it"),
        UnexpectedWord => (
            "unexpected-word",
            "a word stands here without quotes",
            "put it into double quotes, if it is a text",
        ),
        UnexpectedToken | UnexpectedTokenInObject => (
            "unexpected-character",
            "this cannot stand here",
            "a key in double quotes, a value or a bracket can",
        ),
        UnterminatedArray => ("not-closed", "this `[` is never closed", "add the `]`"),
        UnterminatedObject => ("not-closed", "this `{` is never closed", "add the `}`"),
        UnterminatedCommentBlock => ("not-closed", "this comment is never closed", "add the `*/`"),
        NestingDepthExceeded => ("too-deep", "brackets are nested too deep here", "hooks need four levels"),
        // Both are allowed above, so the parser never says it.
        CommentsNotAllowed | TrailingCommasNotAllowed => ("not-json", "this is not JSON", "remove it"),
        String(kind) => string_words(kind),
    }
}

fn string_words(kind: &ParseStringErrorKind) -> (&'static str, &'static str, &'static str) {
    use ParseStringErrorKind::*;
    match kind {
        InvalidEscape
        | InvalidEscapeInDoubleQuoteString
        | InvalidEscapeInSingleQuoteString
        | ExpectedTwoHexDigits => {
            ("bad-escape", "JSON has no such escape", "a backslash itself is written `\\\\`")
        }
        ExpectedFourHexDigits => {
            ("bad-escape", "`\\u` needs four hexadecimal digits", "write it like `\\u00e9`")
        }
        InvalidUnicodeEscapeSequence(_) => (
            "lone-surrogate",
            "this escape is half of a character",
            "write the character itself, or both halves of it",
        ),
        UnterminatedStringLiteral => {
            ("not-closed", "the string that starts here is never closed", "add the `\"`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_error_has_a_name_and_a_place() {
        let cases = [
            ("", "empty-file", 0),
            (" // nothing\n", "empty-file", 0),
            ("{\"a\": 1", "not-closed", 0),
            ("[1, 2", "not-closed", 0),
            ("{\"a\": 1}}", "text-after-end", 8),
            ("{'a': 1}", "single-quotes", 1),
            ("{a: 1}", "unquoted-key", 1),
            ("{\"a\" 1}", "missing-colon", 5),
            ("{\"a\": 1 \"b\": 2}", "missing-comma", 7),
            ("[1 2]", "missing-comma", 2),
            ("[,]", "unexpected-character", 1),
            ("{\"a\": }", "unexpected-bracket", 6),
            ("{\"a\": yes }", "unexpected-word", 6),
            ("[.5]", "bad-number", 1),
            ("[0x10]", "bad-number", 1),
            ("[+1]", "bad-number", 1),
            ("[\"C:\\dir\"]", "bad-escape", 4),
            ("[\"\\u12\"]", "bad-escape", 2),
            ("[\"\\ud800\"]", "lone-surrogate", 2),
            ("[\"\\udc00x\"]", "lone-surrogate", 2),
            ("[\"\\ud800\\u0041\"]", "lone-surrogate", 2),
            ("/* open", "not-closed", 0),
        ];
        for (text, code, at) in cases {
            let fault = parse(text).expect_err(text);
            assert_eq!((fault.problem.code, fault.bytes.start), (code, at), "{text}");
        }
    }

    #[test]
    fn a_text_from_outside_is_shown_on_one_line() {
        assert_eq!(excerpt("a\n\tb\u{1b}[0m"), "a  b\\u{1b}[0m");
        assert_eq!(excerpt(&"x".repeat(100)), format!("{}…", "x".repeat(60)));
    }
}
