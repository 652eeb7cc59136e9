//! Something wrong in a configuration: what, where, and what to write instead.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is off.
    Hint,
    /// It runs, but perhaps not as meant.
    Warning,
    /// That part does not run.
    Error,
}

/// One problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// A stable word for scripts, like `unknown-event`.
    pub code: &'static str,
    /// The file, once the loader has added it.
    pub file: Option<PathBuf>,
    /// Where in the text.
    pub place: Option<Place>,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// What the original product does with it, where that differs.
    pub product: Option<String>,
    /// The edit that repairs it, when there is one right answer.
    pub fix: Option<Fix>,
    /// The change to a script that repairs it, where that is safe to make.
    pub script_fix: Option<ScriptFix>,
}

/// A change to a file that a hook names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptFix {
    /// Whoever may read it may run it.
    MakeExecutable(PathBuf),
    /// Its lines end without a carriage return.
    RemoveCarriageReturns(PathBuf),
}

/// A place in a text: line and column count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The bytes it covers.
    pub bytes: Range<usize>,
}

/// The one right repair of a problem: all of its edits, or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The edits, none of which overlaps another.
    pub edits: Vec<Edit>,
}

/// Replaces some bytes of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty range inserts.
    pub bytes: Range<usize>,
    /// By what.
    pub text: String,
}

/// One line for somebody who looks for a hook that did not run: how many
/// errors and warnings stand in which file, and who lists them.
pub fn summary(problems: &[Problem]) -> Option<String> {
    let mut files: Vec<(&Path, usize)> = Vec::new();
    for problem in problems.iter().filter(|it| it.place.is_some() && it.severity >= Severity::Warning) {
        let Some(file) = problem.file.as_deref() else { continue };
        match files.iter_mut().find(|(counted, _)| *counted == file) {
            Some((_, count)) => *count += 1,
            None => files.push((file, 1)),
        }
    }
    let words = files.iter().map(|(file, count)| {
        let problems = if *count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
        format!("{problems} in {}", file.display())
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{}: `boathook check` lists what is wrong", words.join(", ")))
}

/// How many problems of this severity there are to repair: that a whole file
/// cannot be read is no second one beside the place that says why.
pub fn count(problems: &[Problem], severity: Severity) -> usize {
    let is_placed = |other: &Problem, file: &Option<PathBuf>| {
        other.file == *file && other.place.is_some() && other.severity == Severity::Error
    };
    let repeats = |problem: &Problem| {
        matches!(problem.code, "unreadable" | "last-good")
            && problems.iter().any(|other| is_placed(other, &problem.file))
    };
    problems.iter().filter(|problem| problem.severity == severity && !repeats(problem)).count()
}

impl Problem {
    /// A part that does not run.
    pub fn error(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(Severity::Error, code, message.into())
    }

    /// A part that runs, perhaps not as meant.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(Severity::Warning, code, message.into())
    }

    /// Worth knowing.
    pub fn hint(code: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(Severity::Hint, code, message.into())
    }

    fn new(severity: Severity, code: &'static str, message: String) -> Problem {
        Problem {
            severity,
            code,
            file: None,
            place: None,
            message,
            help: None,
            product: None,
            fix: None,
            script_fix: None,
        }
    }

    /// Says where.
    pub fn at(mut self, place: Place) -> Problem {
        self.place = Some(place);
        self
    }

    /// Says what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// Says what the original product does.
    pub fn product(mut self, product: impl Into<String>) -> Problem {
        self.product = Some(product.into());
        self
    }

    /// Offers the one right repair of a script.
    pub fn script_fix(mut self, fix: ScriptFix) -> Problem {
        self.script_fix = Some(fix);
        self
    }

    /// Offers the one right repair.
    pub fn fix(mut self, fix: Fix) -> Problem {
        self.fix = Some(fix);
        self
    }
}

impl Fix {
    /// Replaces some bytes.
    pub fn replace(bytes: Range<usize>, text: impl Into<String>) -> Fix {
        Fix { edits: vec![Edit { bytes, text: text.into() }] }
    }

    /// Inserts a text before and another one behind some bytes.
    pub fn wrap(bytes: &Range<usize>, before: impl Into<String>, behind: impl Into<String>) -> Fix {
        Fix { edits: vec![Edit::insert(bytes.start, before), Edit::insert(bytes.end, behind)] }
    }
}

impl Edit {
    /// Puts a text at a place where nothing is removed.
    pub fn insert(at: usize, text: impl Into<String>) -> Edit {
        Edit { bytes: at..at, text: text.into() }
    }
}

impl Place {
    /// The place of some bytes of a text. A byte order mark has no column.
    pub fn in_text(text: &str, bytes: Range<usize>) -> Place {
        let before = &text[..text.floor_char_boundary(bytes.start)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = &before[line_start..];
        let line = if line_start == 0 { line.trim_start_matches('\u{feff}') } else { line };
        Place { line: before.matches('\n').count() + 1, column: line.chars().count() + 1, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mark_at_the_start_of_a_text_has_no_column() {
        let cases = [
            // The text, the bytes; the line and the column.
            ("abc", 1, (1, 2)),
            ("\u{feff}abc", 4, (1, 2)),
            ("a\n\u{feff}bc", 6, (2, 3)),
            ("\u{feff}a\n\u{feff}\u{feff}", 8, (2, 2)),
            ("é\né", 5, (2, 2)),
        ];
        for (text, at, expected) in cases {
            let place = Place::in_text(text, at..at);
            assert_eq!((place.line, place.column), expected, "{text:?} {at}");
        }
    }
}
