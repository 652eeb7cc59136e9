//! Collects problems while a file is read, and says at the end where each stands.
//!
//! While reading, a problem knows its bytes only. Lines and columns are counted
//! in one sweep at the end: a hostile file of a megabyte on one line must not
//! be counted through once per problem.

use std::cell::OnceCell;
use std::ops::Range;

use crate::definition::Definition;
use crate::problem::{Fix, Place, Problem, Severity};

/// More problems are counted, not listed.
const LISTED: usize = 1000;

/// What was found so far in one text.
#[derive(Debug)]
pub(super) struct Findings<'t> {
    text: &'t str,
    problems: Vec<Problem>,
    unlisted: usize,
    unlisted_severity: Severity,
    line_starts: OnceCell<Vec<usize>>,
}

impl<'t> Findings<'t> {
    pub fn new(text: &'t str) -> Findings<'t> {
        Findings {
            text,
            problems: Vec::new(),
            unlisted: 0,
            unlisted_severity: Severity::Hint,
            line_starts: OnceCell::new(),
        }
    }

    /// Adds a problem that stands at these bytes.
    pub fn add(&mut self, bytes: Range<usize>, problem: Problem) {
        if self.problems.len() < LISTED {
            self.problems.push(problem.at(unplaced(bytes)));
        } else {
            self.unlisted += 1;
            self.unlisted_severity = self.unlisted_severity.max(problem.severity);
        }
    }

    /// Adds a problem that is listed however many there are, in the place of the last one.
    pub fn add_first(&mut self, bytes: Range<usize>, problem: Problem) {
        if self.problems.len() >= LISTED
            && let Some(last) = self.problems.pop()
        {
            self.unlisted += 1;
            self.unlisted_severity = self.unlisted_severity.max(last.severity);
        }
        self.add(bytes, problem);
    }

    /// The line of a byte, for messages that name a second place.
    pub fn line_of(&self, at: usize) -> usize {
        let starts = self.line_starts.get_or_init(|| {
            let breaks = self.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect()
        });
        starts.partition_point(|start| *start <= at)
    }

    /// Counts lines and columns, here and in the definitions. `shift` bytes
    /// stood before the text in the file.
    pub fn finish(mut self, shift: usize, definitions: &mut [Definition]) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| problem.place.as_ref().map_or(0, |place| place.bytes.start));
        // An option that several hooks inherit is read once for each of them.
        self.problems.dedup_by(|a, b| a.code == b.code && a.place == b.place && a.message == b.message);
        place_problems(self.text, shift, &mut self.problems);
        place_definitions(self.text, shift, definitions);
        if shift > 0 {
            self.problems
                .iter_mut()
                .filter_map(|problem| problem.fix.as_mut())
                .for_each(|fix| move_fix(fix, shift));
        }
        if self.unlisted > 0 {
            self.problems.push(self.more());
        }
        self.problems
    }

    fn more(&self) -> Problem {
        let problem = match self.unlisted_severity {
            Severity::Hint => Problem::hint,
            Severity::Warning => Problem::warning,
            Severity::Error => Problem::error,
        };
        problem("too-many-problems", format!("{} more problems are not listed", self.unlisted))
            .at(Place::in_text(self.text, self.text.len()..self.text.len()))
            .help("repair those above first")
    }
}

/// A place whose line and column are counted later.
pub(super) fn unplaced(bytes: Range<usize>) -> Place {
    Place { line: 0, column: 0, bytes }
}

fn move_fix(fix: &mut Fix, shift: usize) {
    for edit in &mut fix.edits {
        edit.bytes = edit.bytes.start + shift..edit.bytes.end + shift;
    }
}

fn place_problems(text: &str, shift: usize, problems: &mut [Problem]) {
    let mut cursor = Cursor::default();
    for place in problems.iter_mut().filter_map(|problem| problem.place.as_mut()) {
        cursor.count(text, shift, place);
    }
}

/// Definitions come in the order of the file, what belongs to one stands close to it.
fn place_definitions(text: &str, shift: usize, definitions: &mut [Definition]) {
    let (mut cursor, mut inherited) = (Cursor::default(), Cursor::default());
    for definition in definitions {
        if let Some(place) = &mut definition.place {
            cursor.count(text, shift, place);
        }
        for place in [&mut definition.action_place, &mut definition.matcher_place].into_iter().flatten() {
            // Many hooks may inherit one matcher, which stands before them all.
            let inside = place.bytes.start >= cursor.at;
            if inside {
                cursor.clone().count(text, shift, place)
            } else {
                inherited.count(text, shift, place)
            }
        }
    }
}

/// A byte of a text, and its line and column from 0.
#[derive(Default, Clone)]
struct Cursor {
    at: usize,
    line: usize,
    column: usize,
}

impl Cursor {
    fn count(&mut self, text: &str, shift: usize, place: &mut Place) {
        self.go_to(text, place.bytes.start);
        place.line = self.line + 1;
        place.column = self.column + 1;
        place.bytes = place.bytes.start + shift..place.bytes.end + shift;
    }

    fn go_to(&mut self, text: &str, at: usize) {
        if at < self.at {
            *self = Cursor::default();
        }
        let at = text.floor_char_boundary(at);
        let between = &text[self.at..at];
        match between.rfind('\n') {
            Some(newline) => {
                self.line += between.bytes().filter(|byte| *byte == b'\n').count();
                self.column = between[newline + 1..].chars().count();
            }
            None => self.column += between.chars().count(),
        }
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_one_sweep_and_sorted() {
        let text = "{\n  \"é\": 1,\n\n  \"x\": 2 }";
        let mut findings = Findings::new(text);
        for found in ["2", "\"x\"", "1", "{"] {
            let at = text.find(found).expect(found);
            findings.add(at..at + found.len(), Problem::hint("h", found));
        }
        assert_eq!(findings.line_of(text.len() - 1), 4);
        let places: Vec<_> = findings
            .finish(3, &mut [])
            .into_iter()
            .map(|problem| (problem.message, problem.place.expect("placed")))
            .map(|(message, place)| (message, place.line, place.column, place.bytes.start))
            .collect();
        let expected = [("{", 1, 1, 3), ("1", 2, 8, 13), ("\"x\"", 4, 3, 19), ("2", 4, 8, 24)];
        assert_eq!(
            places,
            expected.map(|(message, line, column, at)| (message.to_owned(), line, column, at))
        );
    }

    #[test]
    fn a_flood_of_problems_is_counted_not_listed() {
        let mut findings = Findings::new("x");
        for number in 0..LISTED + 5 {
            findings.add(0..1, Problem::error("flood", number.to_string()));
        }
        let problems = findings.finish(0, &mut []);
        assert_eq!(problems.len(), LISTED + 1);
        assert_eq!(problems[LISTED].message, "5 more problems are not listed");
        assert_eq!(problems[LISTED].severity, Severity::Error);
    }
}
