//! The head as the plugin reads it: line by line, quotes taken off and nothing
//! unescaped, comments kept, the second `---` anywhere ends it.

use std::ops::Range;

use super::frontmatter::{
    Document, Item, NoRule, Spanned, Value, is_too_long, lines, long_head, no_head, open_head,
};
use crate::problem::Problem;

/// Takes a file apart.
pub fn read(text: &str) -> Result<Document, Box<NoRule>> {
    if !text.starts_with("---") {
        return Err(no_head());
    }
    let Some(length) = text[3..].find("---") else { return Err(open_head(0..3)) };
    let (end, body) = (3 + length, 3 + length + 3);
    let mut reader = Reader { text, document: Document::default(), list: None, open_item: false };
    for (number, line) in lines(text, 3..end).enumerate() {
        // The rest of the first line is a line too.
        if is_too_long(number, line.end) {
            return Err(long_head(0..3));
        }
        reader.line(line);
    }
    reader.document.body = Spanned::trimmed(text, body..text.len());
    Ok(reader.document)
}

struct Reader<'t> {
    text: &'t str,
    document: Document,
    /// The entry that items are added to.
    list: Option<usize>,
    /// Whether the last item takes the keys of the lines that follow.
    open_item: bool,
}

impl Reader<'_> {
    fn line(&mut self, line: Range<usize>) {
        let whole = &self.text[line.clone()];
        let stripped = whole.trim();
        if stripped.is_empty() || stripped.starts_with('#') {
            return;
        }
        let indent = whole.len() - whole.trim_start().len();
        let at = line.start + indent..line.start + indent + stripped.len();
        let colon = stripped.find(':');
        match colon {
            Some(colon) if indent == 0 && !stripped.starts_with('-') => self.key(at, colon),
            _ if stripped.starts_with('-') && self.list.is_some() => self.item(at),
            Some(colon) if indent > 2 && self.open_item => self.add_field(at, colon),
            Some(_) | None => self.ignored(at),
        }
    }

    fn key(&mut self, line: Range<usize>, colon: usize) {
        let key = Spanned::trimmed(self.text, line.start..line.start + colon);
        let value = self.value(line.start + colon + 1..line.end);
        self.open_item = false;
        self.list = value.text.is_empty().then_some(self.document.entries.len());
        let value = if value.text.is_empty() && value.bytes.is_empty() {
            Value::List(Vec::new())
        } else {
            self.list = None;
            Value::Text(value)
        };
        self.document.entries.push((key, value));
    }

    fn item(&mut self, line: Range<usize>) {
        let item = Spanned::trimmed(self.text, line.start + 1..line.end);
        let has_fields = item.text.contains(':');
        self.open_item = has_fields && !item.text.contains(',');
        let value = if self.open_item {
            let colon = item.text.find(':').unwrap_or_default();
            Item::Fields(vec![self.field(item.bytes.clone(), colon)])
        } else if has_fields {
            Item::Fields(self.fields_by_commas(item.bytes))
        } else {
            Item::Text(self.value(item.bytes))
        };
        if let Some(list) = self.current_list() {
            list.push(value);
        }
    }

    fn fields_by_commas(&self, item: Range<usize>) -> Vec<(Spanned, Spanned)> {
        let mut fields = Vec::new();
        let mut start = item.start;
        for part in self.text[item].split(',') {
            let bytes = start..start + part.len();
            start = bytes.end + 1;
            if let Some(colon) = part.find(':') {
                fields.push(self.field(bytes, colon));
            }
        }
        fields
    }

    fn add_field(&mut self, line: Range<usize>, colon: usize) {
        let field = self.field(line, colon);
        if let Some(Item::Fields(fields)) = self.current_list().and_then(|list| list.last_mut()) {
            fields.push(field);
        }
    }

    fn field(&self, bytes: Range<usize>, colon: usize) -> (Spanned, Spanned) {
        let key = Spanned::trimmed(self.text, bytes.start..bytes.start + colon);
        (key, self.value(bytes.start + colon + 1..bytes.end))
    }

    fn value(&self, bytes: Range<usize>) -> Spanned {
        let found = Spanned::trimmed(self.text, bytes);
        let text = found.text.trim_matches('"').trim_matches('\'').to_owned();
        Spanned { text, bytes: found.bytes }
    }

    fn current_list(&mut self) -> Option<&mut Vec<Item>> {
        match self.document.entries.get_mut(self.list?) {
            Some((_, Value::List(list))) => Some(list),
            Some((_, Value::Text(_))) | None => None,
        }
    }

    fn ignored(&mut self, bytes: Range<usize>) {
        let problem = Problem::warning("hookify-line", "this line of the head is passed over")
            .help("a head has lines like `event: bash`, and lists whose items begin with `-`");
        self.document.problems.push((bytes, problem));
    }
}
