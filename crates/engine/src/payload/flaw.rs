//! What is wrong with bytes that are no payload, for people: what, where, and
//! what to write instead.

use jsonc_parser::ast::Value as Node;

use super::PayloadError;
use crate::config::json_tree;

const FORM: &str = "a payload is one JSON object, like {\"command\":\"ls\"}";

/// Why bytes are no payload, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// `line 1, column 5`, or `byte 7`; empty when all of it is meant.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
    /// What to write instead.
    pub help: String,
}

impl PayloadError {
    /// Looks at the bytes it is about once more: what reads payloads is made to
    /// be fast and says little.
    pub fn flaw(&self, bytes: &[u8]) -> Flaw {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_start_matches('\u{feff}'),
            Err(error) => {
                return Flaw {
                    place: format!("byte {}", error.valid_up_to() + 1),
                    problem: "it is not UTF-8".to_owned(),
                    help: FORM.to_owned(),
                };
            }
        };
        match json_tree(text) {
            Err(problem) => {
                let at = problem.place.as_ref();
                let near = at.map_or(String::new(), |at| near(text, at.bytes.start));
                Flaw {
                    place: at.map_or(String::new(), |at| format!("line {}, column {}", at.line, at.column)),
                    problem: format!("{}{near}", problem.message),
                    help: problem.help.map_or(FORM.to_owned(), |help| format!("{help}; {FORM}")),
                }
            }
            Ok(tree) => match kind(&tree) {
                Some(kind) => Flaw {
                    place: String::new(),
                    problem: format!("it is {kind}, not an object"),
                    help: FORM.to_owned(),
                },
                None => self.only_json(),
            },
        }
    }

    /// Ours reads comments and trailing commas; a payload goes to hooks, which do not.
    fn only_json(&self) -> Flaw {
        let PayloadError::NotAnObject(error) = self;
        Flaw {
            place: format!("line {}, column {}", error.line(), error.column()),
            problem: "JSON has no comments, no trailing commas and no NaN".to_owned(),
            help: format!("remove it; {FORM}"),
        }
    }
}

/// What stands there in place of an object.
fn kind(tree: &Node) -> Option<&'static str> {
    match tree {
        Node::StringLit(_) => Some("a text"),
        Node::NumberLit(_) => Some("a number"),
        Node::BooleanLit(_) => Some("true or false"),
        Node::Array(_) => Some("a list"),
        Node::NullKeyword(_) => Some("null"),
        Node::Object(_) => None,
    }
}

/// A few characters around a place.
fn near(text: &str, at: usize) -> String {
    const AROUND: usize = 24;
    let at = text.floor_char_boundary(at);
    let before: String = text[..at].chars().rev().take(AROUND).collect();
    let before: String = before.chars().rev().collect();
    let behind: String = text[at..].chars().take(AROUND).collect();
    format!(", near `{}`", format!("{before}{behind}").replace(['\n', '\r', '\t'], " "))
}

#[cfg(test)]
mod tests {
    use crate::payload::Payload;

    #[test]
    fn a_payload_that_is_none_is_explained() {
        let only_json = "JSON has no comments, no trailing commas and no NaN";
        let cases: [(&[u8], &str, &str); 5] = [
            (br#"{"command": "ls",}"#, "line 1, column 18", only_json),
            (b"{} // why", "line 1, column 4", only_json),
            (b"[1]", "", "it is a list, not an object"),
            (b"\xEF\xBB\xBFnull", "", "it is null, not an object"),
            (b"{\"a\": \xff}", "byte 7", "it is not UTF-8"),
        ];
        for (bytes, place, problem) in cases {
            let shown = String::from_utf8_lossy(bytes);
            let flaw = Payload::parse(bytes).expect_err(&shown).flaw(bytes);
            assert_eq!((flaw.place.as_str(), flaw.problem.as_str()), (place, problem), "{shown}");
            assert!(flaw.help.contains("a payload is one JSON object"), "{shown}");
        }
        let broken = b"{\"command\": \"ls\",\n oops}";
        let flaw = Payload::parse(broken).expect_err("it is none").flaw(broken);
        assert!(flaw.place.starts_with("line 2, ") && flaw.problem.contains("oops"), "{flaw:?}");
    }
}
