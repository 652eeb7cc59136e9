//! Lists as columns that line up, whatever script they are written in.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use unicode_width::UnicodeWidthStr;

use crate::ui::{Style, Ui, clean};

/// Longer cells are cut.
const WIDEST: usize = 48;

/// A head and rows.
#[derive(Debug, Default)]
pub struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new<const N: usize>(head: [&'static str; N]) -> Table {
        Table { head: head.to_vec(), rows: Vec::new() }
    }

    /// With a row for each of these.
    pub fn of<T, const N: usize>(
        head: [&'static str; N],
        list: &[T],
        row: impl Fn(&T) -> [String; N],
    ) -> Table {
        let mut table = Table::new(head);
        table.rows.extend(list.iter().map(|it| row(it).to_vec()));
        table
    }

    pub fn print(&self, ui: &mut Ui) {
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| shortened(cell)).collect()).collect();
        let width = |column: usize| {
            let widths = cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
            widths.chain([self.head[column].width()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let head: Vec<String> = self.head.iter().map(|&word| word.to_owned()).collect();
        let line = ui.styled(&aligned(&head, &widths), Style::Bold);
        ui.painted_line(&line);
        for row in &cells {
            ui.line(&aligned(row, &widths));
        }
    }
}

fn aligned(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| {
        let room = width.saturating_sub(cell.width());
        format!("{cell}{}", " ".repeat(room))
    });
    cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

fn shortened(text: &str) -> String {
    let text: String = clean(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.width() <= WIDEST {
        return text;
    }
    let mut kept: String = text.chars().take(WIDEST - 1).collect();
    kept.push('…');
    kept
}

/// A time, to the minute, where the reader is.
pub fn time(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).map(|time| time.to_zoned(TimeZone::system()));
    time.map_or_else(|_| millis.to_string(), |time| time.strftime("%Y-%m-%d %H:%M").to_string())
}

/// The same where there may be none.
pub fn time_or_dash(millis: Option<i64>) -> String {
    millis.map_or_else(|| "-".to_owned(), time)
}

/// Something that may be absent.
pub fn or_dash(text: Option<impl ToString>) -> String {
    text.map_or_else(|| "-".to_owned(), |text| text.to_string())
}
