//! The head as its text says: the small part of YAML that rules are written in.
//!
//! A line `---` ends it and nothing else does, comments are no values, quoted
//! texts are unescaped, lists may be indented or not. A plain value is text to
//! the end of its line, also where YAML would see a list or an alias: patterns
//! begin with `[` and `*`.

use std::ops::Range;

use super::frontmatter::{
    Document, Item, NoRule, Spanned, Value, is_too_long, lines, long_head, no_head, open_head,
};
use super::scalar;
use crate::problem::Problem;

/// Keys of a condition, which a comma may separate on one line.
const CONDITION_KEYS: [&str; 3] = ["field", "operator", "pattern"];

/// Takes a file apart.
pub fn read(text: &str) -> Result<Document, Box<NoRule>> {
    let mut all = lines(text, 0..text.len());
    let first = all.next().filter(|first| text[first.clone()].trim_end() == "---").ok_or_else(no_head)?;
    let mut reader = Reader { text, document: Document::default(), place: Place::Top, block: None };
    for (number, line) in all.enumerate() {
        let written = text[line.clone()].trim_end();
        if written == "---" || written == "..." {
            reader.end_block();
            reader.document.body = Spanned::trimmed(text, line.end..text.len());
            return Ok(reader.document);
        }
        if is_too_long(number + 1, line.end) {
            return Err(long_head(first));
        }
        reader.line(line);
    }
    Err(open_head(first))
}

/// What the next line may belong to.
enum Place {
    /// No list is open.
    Top,
    /// The items of the last key; an item with keys takes lines indented
    /// deeper than its `-`.
    List { dash: Option<usize> },
}

/// A text of several lines that is being read.
struct Block {
    folded: bool,
    indent: Option<usize>,
    parts: Vec<String>,
    bytes: Range<usize>,
}

struct Reader<'t> {
    text: &'t str,
    document: Document,
    place: Place,
    block: Option<Block>,
}

impl Reader<'_> {
    fn line(&mut self, line: Range<usize>) {
        let whole = &self.text[line.clone()];
        let stripped = whole.trim();
        let indent = whole.len() - whole.trim_start().len();
        if self.takes_block_line(whole, indent, &line) {
            return;
        }
        if stripped.is_empty() || stripped.starts_with('#') {
            return;
        }
        let at = line.start + indent..line.start + indent + stripped.len();
        let is_item = stripped == "-" || stripped.starts_with("- ");
        match (&self.place, is_item, colon(stripped)) {
            (Place::List { .. }, true, _) => self.item(at, indent),
            (Place::List { dash: Some(dash) }, false, Some(colon)) if indent > *dash => {
                self.add_field(at, colon)
            }
            (_, false, Some(colon)) if indent == 0 => self.key(at, colon),
            (Place::Top | Place::List { .. }, _, _) => self.ignored(at),
        }
    }

    fn key(&mut self, line: Range<usize>, colon: usize) {
        let key = self.scalar(line.start..line.start + colon);
        let rest = Spanned::trimmed(self.text, line.start + colon + 1..line.end);
        self.place = Place::Top;
        if rest.text.is_empty() || rest.text.starts_with('#') {
            self.place = Place::List { dash: None };
            self.document.entries.push((key, Value::List(Vec::new())));
            return;
        }
        if self.begins_block(&rest) {
            self.document.entries.push((key, Value::Text(Spanned::default())));
            return;
        }
        let value = match scalar::flow_list(self.text, &rest) {
            Some(items) if key.text == "conditions" => Value::List(items),
            Some(_) | None => Value::Text(self.scalar(rest.bytes)),
        };
        self.document.entries.push((key, value));
    }

    fn item(&mut self, line: Range<usize>, indent: usize) {
        let item = Spanned::trimmed(self.text, line.start + 1..line.end);
        let fields = scalar::flow_fields(self.text, &item)
            .or_else(|| self.fields_on_one_line(&item))
            .or_else(|| colon(&item.text).map(|colon| vec![self.field(item.bytes.clone(), colon)]));
        let value = match fields {
            Some(fields) => Item::Fields(fields),
            None if item.text.is_empty() => Item::Fields(Vec::new()),
            None => Item::Text(self.scalar(item.bytes)),
        };
        self.place = Place::List { dash: matches!(value, Item::Fields(_)).then_some(indent) };
        if let Some((_, Value::List(list))) = self.document.entries.last_mut() {
            list.push(value);
        }
    }

    /// `field: command, operator: contains, pattern: a,b`: a comma separates
    /// only before a key.
    fn fields_on_one_line(&self, item: &Spanned) -> Option<Vec<(Spanned, Spanned)>> {
        let begins_key = |rest: &str| {
            let rest = rest.trim_start();
            CONDITION_KEYS
                .iter()
                .any(|key| rest.strip_prefix(key).is_some_and(|r| r.trim_start().starts_with(':')))
        };
        let commas: Vec<usize> = item
            .text
            .match_indices(',')
            .map(|(at, _)| at)
            .filter(|at| begins_key(&item.text[at + 1..]))
            .collect();
        if commas.is_empty() || !begins_key(&item.text) {
            return None;
        }
        let mut fields = Vec::new();
        let mut start = 0;
        for end in commas.into_iter().chain([item.text.len()]) {
            let colon = item.text[start..end].find(':')?;
            fields.push(self.field(item.bytes.start + start..item.bytes.start + end, colon));
            start = end + 1;
        }
        Some(fields)
    }

    fn add_field(&mut self, line: Range<usize>, colon: usize) {
        let field = self.field(line, colon);
        if let Some((_, Value::List(list))) = self.document.entries.last_mut()
            && let Some(Item::Fields(fields)) = list.last_mut()
        {
            fields.push(field);
        }
    }

    fn field(&self, bytes: Range<usize>, colon: usize) -> (Spanned, Spanned) {
        let key = Spanned::trimmed(self.text, bytes.start..bytes.start + colon);
        (key, scalar::read(self.text, bytes.start + colon + 1..bytes.end))
    }

    fn scalar(&self, bytes: Range<usize>) -> Spanned {
        scalar::read(self.text, bytes)
    }

    fn begins_block(&mut self, value: &Spanned) -> bool {
        let mark = value.text.split_whitespace().next().unwrap_or_default();
        if !matches!(mark, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            return false;
        }
        let folded = mark.starts_with('>');
        self.block = Some(Block { folded, indent: None, parts: Vec::new(), bytes: value.bytes.clone() });
        true
    }

    /// Whether a line belongs to a text of several lines.
    fn takes_block_line(&mut self, whole: &str, indent: usize, line: &Range<usize>) -> bool {
        let Some(block) = &mut self.block else { return false };
        let empty = whole.trim().is_empty();
        if !empty && indent == 0 {
            self.end_block();
            return false;
        }
        let margin = *block.indent.get_or_insert(if empty { 0 } else { indent });
        block.parts.push(whole.get(margin.min(indent)..).unwrap_or_default().trim_end().to_owned());
        block.bytes.end = line.end;
        true
    }

    fn end_block(&mut self) {
        let Some(block) = self.block.take() else { return };
        let text = block.parts.join(if block.folded { " " } else { "\n" }).trim_end().to_owned();
        if let Some((_, Value::Text(value))) = self.document.entries.last_mut() {
            *value = Spanned { text, bytes: block.bytes };
        }
    }

    fn ignored(&mut self, bytes: Range<usize>) {
        let problem = Problem::warning("hookify-line", "this line of the head is passed over")
            .help("a head has lines like `event: bash`, and lists whose items begin with `-`");
        self.document.problems.push((bytes, problem));
    }
}

/// Where the key of a line ends: a colon before a space or the end.
fn colon(line: &str) -> Option<usize> {
    let key_end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '"' | '\'')))?;
    line[key_end..].starts_with(':').then_some(key_end)
}
