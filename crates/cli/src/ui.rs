//! Everything that is printed goes through here: plain when piped, coloured on
//! a terminal, and never a raw escape code that came from a hook or a file.

use std::io::{self, IsTerminal, Write};

use boathook_engine::visible::visible_json;
pub use boathook_engine::visible::{is_obeyed as matters_to_a_terminal, visible as clean};
use clap::ColorChoice;

use crate::error::Failed;

/// Text of a hook that is longer is cut on the terminal.
const LONGEST: usize = 8 * 1024;

/// The two streams.
pub struct Ui {
    /// Why some of the data on stdout was lost.
    lost: Option<io::Error>,
    out_colour: bool,
    err_colour: bool,
    err_terminal: bool,
    /// What is said is the data that was asked for.
    said_is_data: bool,
    colour: ColorChoice,
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy)]
pub enum Style {
    Bold,
    Dim,
    Red,
    Yellow,
    Green,
    Cyan,
}

impl Ui {
    pub fn new(colour: ColorChoice) -> Ui {
        let decide = |terminal: bool| match colour {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !crate::settings::no_color(),
        };
        Ui {
            lost: None,
            out_colour: decide(io::stdout().is_terminal()),
            err_colour: decide(io::stderr().is_terminal()),
            err_terminal: io::stderr().is_terminal(),
            said_is_data: false,
            colour,
        }
    }

    /// What was chosen about colours, for another thread's own.
    pub fn colour(&self) -> ColorChoice {
        self.colour
    }

    /// Whether nobody reads stdout any more: for commands that go on for ever.
    pub fn reader_is_gone(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether an answer on stdout reaches nobody: it could not be written, or
    /// stdout was closed when we were started, which then is the null device.
    pub fn is_unheard(&self) -> bool {
        self.lost.is_some() || stdout_is_null()
    }

    /// Why some of the data did not get out; a reader that went away is no failure.
    pub fn lost_data(&self) -> Option<&io::Error> {
        self.lost.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// A line of data. A reader that went away is nobody's failure.
    pub fn line(&mut self, text: &str) {
        self.out(&clean(text));
    }

    /// A line of JSON, with what a terminal might obey written as escapes.
    pub fn json(&mut self, json: &str) {
        self.out(&visible_json(json));
    }

    /// The answer to an agent: what it reads, and what it shows. Neither is cut.
    pub fn reply(&mut self, stdout: &str, stderr: &str) {
        if !stderr.is_empty() {
            let _ = writeln!(io::stderr().lock(), "{}", clean(stderr));
        }
        if !stdout.is_empty() {
            self.json(stdout);
        }
    }

    /// A line of JSON on stderr.
    pub fn trace(&mut self, json: &str) {
        let _ = writeln!(io::stderr().lock(), "{}", visible_json(json));
    }

    /// Prints what this says, warnings and all, to stdout: for a page whose
    /// findings are its data.
    pub fn as_data(&mut self, say: impl FnOnce(&mut Ui)) {
        self.said_is_data = true;
        say(self);
        self.said_is_data = false;
    }

    /// A line for the person on stderr.
    pub fn say(&mut self, text: &str) {
        self.told(&clean(&shortened(text)));
    }

    pub fn warning(&mut self, text: &str) {
        let label = self.err_styled("warning", Style::Yellow);
        self.told(&format!("{label}: {}", indented(text)));
    }

    pub fn error(&mut self, text: &str) {
        let label = self.err_styled("error", Style::Red);
        self.told(&format!("{label}: {}", indented(text)));
    }

    pub fn help(&mut self, text: &str) {
        let label = self.err_styled("help", Style::Cyan);
        self.told(&format!("  {label}: {}", indented(text)));
    }

    /// A question; the answer is typed behind it.
    pub fn ask(&mut self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{}", clean(text)).and_then(|()| err.flush());
    }

    pub fn note(&mut self, text: &str) {
        let label = self.err_styled("note", Style::Cyan);
        self.told(&format!("  {label}: {}", indented(text)));
    }

    pub fn hint(&mut self, text: &str) {
        let label = self.err_styled("hint", Style::Cyan);
        self.told(&format!("{label}: {}", indented(text)));
    }

    /// How far long work is; only where a person looks on.
    pub fn progress(&mut self, text: &str) {
        if self.err_terminal {
            let mut err = io::stderr().lock();
            let _ = write!(err, "\r\u{1b}[2K{}", clean(text)).and_then(|()| err.flush());
        }
    }

    /// Takes the line of progress away.
    pub fn end_progress(&mut self) {
        self.progress("");
    }

    pub fn failed(&mut self, failed: &Failed) {
        self.error(&failed.to_string());
        if let Some(help) = failed.help() {
            self.help(&help);
        }
    }

    /// Styled text for stdout. The text is cleaned; the style is ours.
    pub fn styled(&self, text: &str, style: Style) -> String {
        paint(text, style, self.out_colour)
    }

    /// A line for stdout that holds our own styles: its pieces were cleaned before.
    pub fn painted_line(&mut self, text: &str) {
        self.out(text);
    }

    fn out(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush()) {
            self.lost.get_or_insert(error);
        }
    }

    fn told(&mut self, line: &str) {
        if self.said_is_data {
            return self.out(line);
        }
        let _ = writeln!(io::stderr().lock(), "{line}");
    }

    fn err_styled(&self, text: &str, style: Style) -> String {
        paint(text, style, if self.said_is_data { self.out_colour } else { self.err_colour })
    }
}

#[cfg(unix)]
fn stdout_is_null() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = io::stdout().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let device = |metadata: io::Result<std::fs::Metadata>| metadata.ok().map(|it| it.rdev());
    let null = device(std::fs::metadata("/dev/null"));
    null.is_some() && null == device(own.and_then(|file| file.metadata()))
}

#[cfg(not(unix))]
fn stdout_is_null() -> bool {
    false
}

/// How wide the terminal is that stdout goes to; none when it is no terminal.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

fn paint(text: &str, style: Style, colour: bool) -> String {
    let text = clean(text);
    if !colour {
        return text;
    }
    let code = match style {
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Red => "1;31",
        Style::Yellow => "1;33",
        Style::Green => "32",
        Style::Cyan => "36",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Cleaned and cut; further lines stand to the right, so that none of them can
/// pass for a message of ours.
fn indented(text: &str) -> String {
    clean(&shortened(text)).replace('\n', "\n    ")
}

fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}… ({} bytes in all)", &text[..cut], text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        let cases = [
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("a\u{202e}b", "a\\u{202e}b"),
            ("line\nnext\tcolumn", "line\nnext\tcolumn"),
            ("bell\u{7}\r", "bell\\u{7}\\u{d}"),
        ];
        for (text, expected) in cases {
            assert_eq!(clean(text), expected);
        }
        assert_eq!(visible_json("{\"a\":\"\u{9b}\u{202e}\"}"), r#"{"a":"\u009b\u202e"}"#);
    }
}
