//! Records as lines of a table.

use boathook_engine::event::EVENTS;
use boathook_engine::record::Record;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{time, words};
use crate::ui::{Style, Ui, clean};

/// The columns before the last one, which takes what is left of the line.
const HEADINGS: [&str; 6] = ["TIME", "ID", "EVENT", "SOURCE", "RESULT", "TOOK"];
const LAST: &str = "HOOK";
/// The last column is never cut shorter.
const SHORTEST: usize = 16;

/// How wide each column is.
pub struct Table {
    widths: [usize; 6],
    /// What is left for the last column; none is no limit.
    rest: Option<usize>,
}

impl Table {
    /// As wide as these records need.
    pub fn for_records(records: &[&Record]) -> Table {
        let rows = records.iter().map(|record| cells(record).map(|cell| cell.width()));
        Table::new(
            rows.fold(HEADINGS.map(str::len), |widths, row| std::array::from_fn(|i| widths[i].max(row[i]))),
        )
    }

    /// As wide as a record can be.
    pub fn widest() -> Table {
        let event = EVENTS.iter().map(|spec| spec.name.len()).max().unwrap_or_default();
        Table::new([14, 8, event, 10, 13, 7])
    }

    fn new(widths: [usize; 6]) -> Table {
        let used: usize = widths.iter().map(|width| width + 2).sum();
        let rest = crate::ui::terminal_width().map(|width| width.saturating_sub(used).max(SHORTEST));
        Table { widths, rest }
    }

    pub fn heading(&self, ui: &mut Ui) {
        let line = self.line(HEADINGS.map(str::to_owned), LAST, |_, text| text.to_owned());
        let line = ui.styled(&line, Style::Bold);
        ui.painted_line(&line);
    }

    pub fn print(&self, ui: &mut Ui, record: &Record) {
        let hook = one_line(record.command.as_deref().unwrap_or_default());
        let (_, style) = words::result(record);
        let line = self.line(cells(record), &hook, |column, text| match column {
            1 => ui.styled(text, Style::Dim),
            4 => ui.styled(text, style),
            _ => clean(text),
        });
        ui.painted_line(&line);
    }

    fn line(&self, cells: [String; 6], last: &str, paint: impl Fn(usize, &str) -> String) -> String {
        let mut line = String::new();
        for (column, text) in cells.iter().enumerate() {
            let padding = " ".repeat(self.widths[column].saturating_sub(text.width()) + 2);
            // Numbers stand to the right of their column.
            if column == 5 {
                line.push_str(&padding[2..]);
                line.push_str(&paint(column, text));
                line.push_str("  ");
            } else {
                line.push_str(&paint(column, text));
                line.push_str(&padding);
            }
        }
        line.push_str(&clean(&self.rest.map_or_else(|| last.to_owned(), |rest| cut(last, rest))));
        line.trim_end().to_owned()
    }
}

fn cells(record: &Record) -> [String; 6] {
    [
        one_line(&time::short(&record.timestamp)),
        one_line(words::short_id(record)),
        one_line(&record.step),
        one_line(record.source.as_deref().unwrap_or_default()),
        one_line(words::result(record).0),
        record.duration.map(time::took).unwrap_or_default(),
    ]
}

/// Commands may have several lines; a row has one.
fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The text within a width on the screen.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_by_what_it_takes_on_the_screen() {
        let cases = [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("日本語です", 5, "日本…"),
            ("日本語", 6, "日本語"),
            ("e\u{301}e\u{301}e", 3, "e\u{301}e\u{301}e"),
        ];
        for (text, width, expected) in cases {
            assert_eq!(cut(text, width), expected);
        }
    }
}
