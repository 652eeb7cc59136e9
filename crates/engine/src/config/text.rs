//! Bytes → text, and what can be seen of a text before it is parsed.
//!
//! The parser is recursive and reads more than JSON allows. So one pass over
//! the bytes first measures how deep the text nests, and notes everything
//! outside strings that is not JSON: comments, trailing commas, `NaN`.
//!
//! Pure: bytes in, a value or one problem out.

use std::ops::Range;

use crate::problem::{Fix, Place, Problem};

/// A larger file is refused; whoever reads the file need not read more.
pub const SIZE_LIMIT: usize = 1024 * 1024;
/// A text that nests deeper is refused.
pub const DEPTH_LIMIT: usize = 128;

/// The code of that problem.
pub(super) const TOO_DEEP: &str = "too-deep";

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What the first pass noted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// Every comment.
    pub comments: Vec<Range<usize>>,
    /// Every comma that stands before a closing bracket.
    pub trailing_commas: Vec<usize>,
    /// Every `NaN` and `Infinity`.
    pub bare_numbers: Vec<Range<usize>>,
    /// The first thing no reading can make sense of.
    pub fault: Option<Box<Fault>>,
}

/// Why a text cannot be read, and where.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub bytes: Range<usize>,
    pub problem: Problem,
}

impl Eq for Fault {}

/// The text of a file without its byte order mark, and that mark's length.
pub(super) fn decode(bytes: &[u8]) -> Result<(&str, usize), Box<Problem>> {
    if bytes.len() > SIZE_LIMIT {
        return Err(too_large(bytes.len()));
    }
    if is_utf16(bytes) {
        return Err(utf16());
    }
    let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    match std::str::from_utf8(&bytes[bom..]) {
        Ok(text) => Ok((text, bom)),
        Err(error) => Err(not_utf8(bytes, bom + error.valid_up_to())),
    }
}

/// Looks at a text once, from its first byte to its last.
pub(super) fn outline(text: &str) -> Outline {
    let mut pass =
        Pass { text, bytes: text.as_bytes(), at: 0, depth: 0, comma: None, outline: Outline::default() };
    pass.walk();
    pass.outline
}

struct Pass<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    /// The comma that was the last thing seen, if it was one.
    comma: Option<usize>,
    outline: Outline,
}

impl Pass<'_> {
    fn walk(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at)
            && self.outline.fault.is_none()
        {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' if matches!(self.bytes.get(self.at + 1), Some(b'/' | b'*')) => self.comment(),
                // Strings in single quotes are no JSON: the parser says so,
                // and what stands behind this quote cannot be judged.
                b'\'' => return,
                _ => self.token(byte),
            }
        }
    }

    fn token(&mut self, byte: u8) {
        let comma = self.comma.take();
        match byte {
            b'"' => self.string(),
            b'{' | b'[' => self.open(),
            b'}' | b']' => self.close(comma),
            b',' => {
                self.comma = Some(self.at);
                self.at += 1;
            }
            b'A'..=b'Z' | b'a'..=b'z' => self.word(),
            b'\0'..=b' ' | b'\x7f'.. => self.stray(),
            _ => self.at += 1,
        }
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            let problem =
                Problem::error(TOO_DEEP, format!("brackets are nested more than {DEPTH_LIMIT} deep here"))
                    .help("hooks need four levels: the file, `hooks`, the event's list, the entry");
            self.fault(self.at..self.at + 1, problem);
        }
        self.at += 1;
    }

    fn close(&mut self, comma: Option<usize>) {
        self.outline.trailing_commas.extend(comma);
        self.depth = self.depth.saturating_sub(1);
        self.at += 1;
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'"' => break,
                b'\\' => self.at += 1,
                b'\0'..b' ' => return self.raw_control(start, byte),
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
    }

    fn comment(&mut self) {
        let start = self.at;
        let rest = &self.text[start + 2..];
        let length = if self.bytes[start + 1] == b'/' {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        };
        self.at = start + 2 + length;
        self.outline.comments.push(start..self.at);
    }

    fn word(&mut self) {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if matches!(&rest[..length], "NaN" | "Infinity") {
            self.outline.bare_numbers.push(self.at..self.at + length);
        }
        self.at += length;
    }

    fn raw_control(&mut self, start: usize, byte: u8) {
        let at = self.at..self.at + 1;
        match byte {
            b'\n' | b'\r' => {
                let problem = Problem::error(
                    "string-not-closed",
                    "the string that starts here is not closed on its line",
                )
                .help("close it with `\"`; a line break inside a string is written `\\n`")
                .product(DROPS_THE_FILE);
                self.fault(start..self.at, problem);
            }
            b'\t' => {
                let problem = Problem::error("raw-control-character", "a tab stands inside a string")
                    .help("write it as `\\t`")
                    .product(DROPS_THE_FILE)
                    .fix(Fix::replace(at.clone(), "\\t"));
                self.fault(at, problem);
            }
            0 => self.fault(at, nul()),
            _ => {
                let message = format!("the control character U+{byte:04X} stands inside a string");
                let help = format!("write it as `\\u{byte:04x}`, or remove it");
                self.fault(
                    at,
                    Problem::error("raw-control-character", message).help(help).product(DROPS_THE_FILE),
                );
            }
        }
    }

    fn stray(&mut self) {
        let Some(character) = self.text[self.at..].chars().next() else { return };
        let at = self.at..self.at + character.len_utf8();
        if character == '\0' {
            return self.fault(at, nul());
        }
        let message = format!("the character U+{:04X} stands outside a string", u32::from(character));
        let problem = Problem::error("stray-character", message).product(DROPS_THE_FILE);
        let problem = match character {
            '“' | '”' | '„' | '‟' | '«' | '»' => problem.help("JSON wants straight quotes: `\"`"),
            _ if character.is_whitespace() => {
                problem.help("write an ordinary space").fix(Fix::replace(at.clone(), " "))
            }
            _ => problem.help("remove it, or put the text around it into quotes"),
        };
        self.fault(at, problem);
    }

    fn fault(&mut self, bytes: Range<usize>, problem: Problem) {
        self.outline.fault = Some(Box::new(Fault { bytes, problem }));
    }
}

/// What the original product does with a text that is not JSON.
pub(super) const DROPS_THE_FILE: &str = "drops the whole file; the error shows in its settings only";

fn too_large(size: usize) -> Box<Problem> {
    let message = format!("the file has {size} bytes; at most {SIZE_LIMIT} are read");
    Box::new(Problem::error("too-large", message).at(first()).help("move data out of the hooks file"))
}

fn utf16() -> Box<Problem> {
    let problem = Problem::error("not-utf-8", "the file is UTF-16, not UTF-8").at(first());
    Box::new(problem.help("save it as UTF-8").product(DROPS_THE_FILE))
}

fn not_utf8(bytes: &[u8], at: usize) -> Box<Problem> {
    // Everything before this byte is valid, so nothing is lost here.
    let before = String::from_utf8_lossy(&bytes[..at]);
    let message = format!("byte {at} (0x{:02x}) is not UTF-8", bytes[at]);
    let problem = Problem::error("not-utf-8", message).at(Place::in_text(&before, at..at + 1));
    Box::new(problem.help("save the file as UTF-8"))
}

fn nul() -> Problem {
    Problem::error("nul-byte", "a NUL byte stands here")
        .help("remove it; a text file has none")
        .product(DROPS_THE_FILE)
}

fn first() -> Place {
    Place { line: 1, column: 1, bytes: 0..0 }
}

/// By its byte order mark, or because every other byte of the start is NUL.
fn is_utf16(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [0, a, 0, b, ..] | [a, 0, b, 0, ..] => *a != 0 && *b != 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_place() {
        let long = vec![b' '; SIZE_LIMIT + 1];
        type Found<'t> = Result<&'t str, (&'t str, usize, usize)>;
        let cases: [(&str, &[u8], Found); 8] = [
            ("plain", b"{}", Ok("{}")),
            ("a byte order mark is dropped", b"\xef\xbb\xbf{}", Ok("{}")),
            ("UTF-16, little end first", b"\xff\xfe{\0}\0", Err(("not-utf-8", 1, 1))),
            ("UTF-16, big end first", b"\xfe\xff\0{\0}", Err(("not-utf-8", 1, 1))),
            ("UTF-16 without a mark", b"{\0}\0", Err(("not-utf-8", 1, 1))),
            ("Latin-1", b"{\n \"\xe9\"}", Err(("not-utf-8", 2, 3))),
            ("Latin-1 behind a mark", b"\xef\xbb\xbf\"\xe9\"", Err(("not-utf-8", 1, 2))),
            ("one byte too many", &long, Err(("too-large", 1, 1))),
        ];
        for (name, bytes, expected) in cases {
            let found = decode(bytes).map(|(text, _)| text).map_err(|problem| {
                let place = problem.place.expect("a place");
                (problem.code, place.line, place.column)
            });
            assert_eq!(found, expected, "{name}");
        }
        assert!(decode(&long[1..]).is_ok(), "exactly the limit");
    }

    #[test]
    fn one_pass_sees_what_json_does_not_have() {
        let text =
            "{ // one\n \"a\": \"/* no */ // no\", /* two */ \"b\": [1, 2, ], \"c\": [NaN, -Infinity,\n], }";
        let outline = outline(text);
        let words =
            |ranges: &[Range<usize>]| ranges.iter().map(|at| text[at.clone()].to_owned()).collect::<Vec<_>>();
        assert_eq!(words(&outline.comments), ["// one", "/* two */"]);
        assert_eq!(words(&outline.bare_numbers), ["NaN", "Infinity"]);
        assert_eq!(outline.trailing_commas.len(), 3);
        assert_eq!(outline.fault, None);
    }

    #[test]
    fn what_cannot_be_read_is_found_where_it_stands() {
        let deep = "[".repeat(100_000);
        let cases = [
            ("nested too deep", deep.as_str(), Some(("too-deep", DEPTH_LIMIT))),
            ("nested just deep enough", &deep[..DEPTH_LIMIT], None),
            ("depth inside a string is no depth", &format!("\"{deep}\""), None),
            ("a line break in a string", "{\"a\": \"x\n\"}", Some(("string-not-closed", 6))),
            ("a tab in a string", "{\"a\": \"x\ty\"}", Some(("raw-control-character", 8))),
            ("an escape character in a string", "[\"\x1b\"]", Some(("raw-control-character", 2))),
            ("a NUL in a string", "[\"\0\"]", Some(("nul-byte", 2))),
            ("a NUL elsewhere", "[\0]", Some(("nul-byte", 1))),
            ("a no-break space", "{\u{a0}}", Some(("stray-character", 1))),
            ("round quotes", "{“a”: 1}", Some(("stray-character", 1))),
            ("nothing wrong", "{\"é\": \"\\\"\\n\"}\r\n", None),
        ];
        for (name, text, expected) in cases {
            let found = outline(text).fault.map(|fault| (fault.problem.code, fault.bytes.start));
            assert_eq!(found, expected, "{name}");
        }
    }
}
