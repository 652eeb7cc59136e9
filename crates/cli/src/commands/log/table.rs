//! Records as lines of a table.

use boathook_engine::agent::AGENTS;
use boathook_engine::event::EVENTS;
use boathook_engine::record::Record;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{time, words};
use crate::ui::{Style, Ui, clean, terminal_width};

/// A column before the last one, which takes what is left of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Day,
    Time,
    Id,
    Agent,
    Event,
    Source,
    Outcome,
    Took,
}

use Column::*;

const WIDE: &[Column] = &[Day, Time, Id, Agent, Event, Source, Outcome, Took];
/// For terminals that have no room for more,
const NARROW: &[Column] = &[Time, Id, Agent, Event, Outcome, Took];
/// and for those that have no room for that.
const NARROWEST: &[Column] = &[Time, Id, Agent, Event, Outcome];
/// The last column's heading,
const LAST: &str = "HOOK";
/// the room it should have,
const ROOM: usize = 24;
/// the room it should have where there is little,
const TIGHT: usize = 12;
/// and what it is given in any case.
const SHORTEST: usize = 8;
/// Before a reason that stands below its row.
const BELOW: &str = "          ";

/// How wide each column is.
pub struct Table {
    columns: Vec<(Column, usize)>,
    /// What is left for the last column; none is no limit.
    rest: Option<usize>,
}

impl Table {
    /// As wide as these records need.
    pub fn for_records(records: &[&Record]) -> Table {
        let width = |column: Column| {
            records.iter().map(|record| column.text(record).width()).max().unwrap_or_default()
        };
        Table::new(width, terminal_width())
    }

    /// As wide as a record can be.
    pub fn widest() -> Table {
        Table::new(Column::widest, terminal_width())
    }

    /// The most columns that leave the last one its room.
    fn new(width: impl Fn(Column) -> usize, screen: Option<usize>) -> Table {
        let [wide, narrow, narrowest] =
            [WIDE, NARROW, NARROWEST].map(|columns| Table::with(columns, &width, screen));
        if wide.has(ROOM) {
            wide
        } else if narrow.has(TIGHT) {
            narrow
        } else {
            narrowest
        }
    }

    /// A column that nobody has anything in but its heading is left out when it
    /// is about agents: most people have one or none.
    fn with(columns: &[Column], width: impl Fn(Column) -> usize, screen: Option<usize>) -> Table {
        let shown = columns.iter().filter(|column| **column != Agent || width(Agent) > 0);
        let sized = |column: &Column| (*column, width(*column).max(column.heading().len()));
        let columns: Vec<(Column, usize)> = shown.map(sized).collect();
        let used: usize = columns.iter().map(|(_, width)| width + 2).sum();
        let rest = screen.map(|width| width.saturating_sub(used).max(SHORTEST));
        Table { columns, rest }
    }

    fn has(&self, room: usize) -> bool {
        self.rest.is_none_or(|rest| rest >= room)
    }

    pub fn heading(&self, ui: &mut Ui) {
        let line = self.line(LAST, |column| column.heading().to_owned(), |_, text| text.to_owned());
        let line = ui.styled(&line, Style::Bold);
        ui.painted_line(&line);
    }

    pub fn print(&self, ui: &mut Ui, record: &Record) {
        let (hook, below) = self.last_of(record);
        let paint = |column, text: &str| match column {
            Id => ui.styled(text, Style::Dim),
            Outcome => ui.styled(text, words::result(record).1),
            Day | Time | Agent | Event | Source | Took => clean(text),
        };
        let line = self.line(&hook, |column| column.text(record), paint);
        ui.painted_line(&line);
        if let Some(below) = below {
            ui.line(&format!("{BELOW}{below}"));
        }
    }

    /// What stands in the last column, and what stands below the row: a reason
    /// is never cut.
    fn last_of(&self, record: &Record) -> (String, Option<String>) {
        match why_not(record).map(|why| one_line(&why)) {
            Some(why) if self.rest.is_some_and(|rest| why.width() > rest) => (String::new(), Some(why)),
            Some(why) => (why, None),
            None => (one_line(record.command.as_deref().unwrap_or_default()), None),
        }
    }

    fn line(
        &self,
        last: &str,
        text: impl Fn(Column) -> String,
        paint: impl Fn(Column, &str) -> String,
    ) -> String {
        let mut line = String::new();
        for (column, width) in &self.columns {
            let text = text(*column);
            let (padding, painted) = (" ".repeat(width.saturating_sub(text.width())), paint(*column, &text));
            match column {
                // Numbers stand to the right of their column.
                Took => line.extend([&padding, &painted, "  "]),
                Day | Time | Id | Agent | Event | Source | Outcome => {
                    line.extend([&painted, &padding, "  "]);
                }
            }
        }
        line.push_str(&clean(&self.rest.map_or_else(|| last.to_owned(), |rest| cut(last, rest))));
        line.trim_end().to_owned()
    }
}

/// Why a hook did not run, the reason first, or why none could be asked; none
/// when one ran.
fn why_not(record: &Record) -> Option<String> {
    match (&record.command, &record.reason) {
        (Some(command), Some(reason)) if record.outcome == "withheld" => Some(format!("{reason}: {command}")),
        (Some(_), _) => None,
        (None, Some(reason)) => Some(reason.clone()),
        // `project `hooks/a.sh`: its matcher does not fit`
        (None, None) => record.not_run.first().map(|told| match told.split_once("`: ") {
            Some((hook, why)) => format!("{why}: {hook}`"),
            None => told.clone(),
        }),
    }
}

impl Column {
    fn heading(self) -> &'static str {
        match self {
            Day => "DAY",
            Time => "TIME",
            Id => "ID",
            Agent => "AGENT",
            Event => "EVENT",
            Source => "SOURCE",
            Outcome => "RESULT",
            Took => "TOOK",
        }
    }

    fn text(self, record: &Record) -> String {
        one_line(&match self {
            Day => time::day(&record.timestamp),
            Time => time::of_day(&record.timestamp),
            Id => words::short_id(record).to_owned(),
            Agent => record.agent.clone().unwrap_or_default(),
            Event => record.step.clone(),
            Source => record.source.clone().unwrap_or_default(),
            Outcome => words::result(record).0.to_owned(),
            Took => record.duration.map(time::took).unwrap_or_default(),
        })
    }

    fn widest(self) -> usize {
        match self {
            Day => "11-15".len(),
            Time => "22:00:00".len(),
            Id => "0000aaaa".len(),
            Agent => AGENTS.iter().map(|agent| agent.name.len()).max().unwrap_or_default(),
            Event => EVENTS.iter().map(|spec| spec.name.len()).max().unwrap_or_default(),
            Source => "enterprise".len(),
            Outcome => "would follow up".len(),
            Took => "9.9 ms".len(),
        }
    }
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
    fn a_reason_comes_first_and_is_never_cut() {
        let record = |text: &str| serde_json::from_str::<Record>(text).expect("a record");
        let common = r#""id":"1","timestamp":"2026-01-01T00:00:00.000Z","step":"stop","found":0,"request":{},"blocked":false"#;
        let withheld = record(&format!(
            r#"{{{common},"outcome":"withheld","command":"a.sh","reason":"the workspace is not trusted"}}"#
        ));
        let none = record(&format!(
            r#"{{{common},"outcome":"none","skipped":1,"not_run":["project `a.sh`: its matcher `x` does not fit"]}}"#
        ));
        let ran = record(&format!(r#"{{{common},"outcome":"answer","command":"a-long-command.sh --x"}}"#));
        let seen = |rest: Option<usize>, record: &Record| Table { columns: Vec::new(), rest }.last_of(record);
        let told = "the workspace is not trusted: a.sh".to_owned();
        assert_eq!(seen(None, &withheld), (told.clone(), None));
        assert_eq!(seen(Some(20), &withheld), (String::new(), Some(told)));
        let told = "its matcher `x` does not fit: project `a.sh`".to_owned();
        assert_eq!(seen(Some(20), &none), (String::new(), Some(told)));
        assert_eq!(seen(Some(10), &ran), ("a-long-command.sh --x".to_owned(), None));
    }

    #[test]
    fn eighty_columns_are_enough_whoever_called() {
        let record = |agent: &str, step: &str, outcome: &str| Record {
            agent: (!agent.is_empty()).then(|| agent.to_owned()),
            source: Some("claude-user".to_owned()),
            duration: Some(12.0),
            ..Record::blank(step, outcome)
        };
        let table = |records: &[Record]| {
            let width =
                |column: Column| records.iter().map(|it| column.text(it).width()).max().unwrap_or_default();
            let table = Table::new(width, Some(80));
            let used: usize = table.columns.iter().map(|(_, width)| width + 2).sum();
            assert!(used + table.rest.unwrap_or_default() <= 80, "{used}");
            (table.columns.into_iter().map(|(column, _)| column).collect::<Vec<_>>(), table.rest)
        };
        let nobody = [record("", "beforeShellExecution", "answer")];
        assert_eq!(table(&nobody).0, [Time, Id, Event, Outcome, Took], "no agent, no column");
        let mixed = [record("", "stop", "answer"), record("claude", "preToolUse", "answer")];
        assert_eq!(table(&mixed).0, [Time, Id, Agent, Event, Outcome, Took]);
        let wide = [record("opencode", "beforeShellExecution", "failed_closed")];
        let (columns, rest) = table(&wide);
        assert_eq!(columns, [Time, Id, Agent, Event, Outcome]);
        assert!(rest.is_some_and(|rest| rest >= TIGHT), "{rest:?}");
        let (columns, rest) = {
            let table = Table::new(Column::widest, Some(80));
            (table.columns.len(), table.rest)
        };
        assert!(columns == 5 && rest.is_some_and(|rest| rest >= TIGHT), "{columns} {rest:?}");
    }

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
