//! A text of a rule that may name fields: `Not {command}, please.`

use super::condition::text_of;
use super::field::{FieldPath, Found};
use crate::payload::Payload;

/// A longer value is cut: a message is read by people.
const LONGEST_VALUE: usize = 300;

/// A text with fields in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    Field(FieldPath, String),
}

impl Message {
    /// Every text is a message: what stands in braces and is no path means itself.
    pub fn new(text: &str) -> Message {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, behind) = rest.split_at(open);
            let inside = behind[1..].split_once('}').map(|(inside, _)| inside);
            match inside.filter(|inside| is_path(inside)).and_then(|inside| FieldPath::parse(inside).ok()) {
                Some(path) => {
                    parts.push(Part::Text(before.to_owned()));
                    rest = &behind[path.as_str().len() + 2..];
                    let written = format!("{{{path}}}");
                    parts.push(Part::Field(path, written));
                }
                None => {
                    parts.push(Part::Text(rest[..=open].to_owned()));
                    rest = &rest[open + 1..];
                }
            }
        }
        parts.push(Part::Text(rest.to_owned()));
        Message { text: text.to_owned(), parts }
    }

    /// As written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The fields it names.
    pub fn fields(&self) -> impl Iterator<Item = &FieldPath> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(path, _) => Some(path),
            Part::Text(_) => None,
        })
    }

    /// With the values of an event. They are put in once, never read again for
    /// fields, and shown on one line; a field that is not there stays as written.
    pub fn filled(&self, payload: &Payload) -> String {
        let value = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Field(path, written) => match path.find(payload) {
                Found::Values(values) if !values.is_empty() => {
                    let texts: Vec<String> = values.iter().map(text_of).collect();
                    one_line(&texts.join(", "))
                }
                Found::Values(_) | Found::Unreadable => written.clone(),
            },
        };
        self.parts.iter().map(value).collect()
    }
}

fn is_path(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(allowed)
}

fn one_line(text: &str) -> String {
    let mut line: String =
        text.chars().take(LONGEST_VALUE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() < text.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once_and_on_one_line() {
        let long = "x".repeat(1000);
        let json =
            format!(r#"{{"command":"a\n{{cwd}}","cwd":"/w","n":5,"o":{{"p":["q","r"]}},"long":"{long}"}}"#);
        let payload = Payload::parse(json.as_bytes()).expect("an object");
        let cut = format!("{}…", "x".repeat(300));
        let cases = [
            ("No.", "No."),
            ("Not `{command}`.", "Not `a {cwd}`."),
            ("{cwd}{n}", "/w5"),
            ("{o.p[]} {o.p[1]}", "q, r r"),
            ("{missing} {}", "{missing} {}"),
            (r#"write {"a": 1} or {{cwd}}"#, r#"write {"a": 1} or {/w}"#),
            ("{long}", cut.as_str()),
            ("{unclosed", "{unclosed"),
        ];
        for (text, expected) in cases {
            assert_eq!(Message::new(text).filled(&payload), expected, "{text}");
        }
    }
}
