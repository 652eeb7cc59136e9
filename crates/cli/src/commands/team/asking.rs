//! Questions to the person at the terminal, and whether there is one.

use std::io::{self, BufRead, IsTerminal, Read};
use std::path::Path;

use crate::error::Failed;
use crate::ui::Ui;

/// What somebody types is never longer.
const LONGEST: u64 = 16 * 1024;

/// Whether somebody reads what we say, and can answer. A pipe on any of the
/// three streams means that a program called us.
pub fn somebody_is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// A line that is typed; an end of the input is an empty one.
pub fn line(ui: &mut Ui, question: &str) -> Result<String, Failed> {
    ui.ask(question);
    let typed = read()?;
    // Whoever ends the input instead leaves us behind the question.
    if !typed.ends_with('\n') {
        ui.say("");
    }
    Ok(typed.trim().to_owned())
}

/// The same, while the terminal does not show what is typed, where that can be
/// had.
pub fn secret(ui: &mut Ui, what: &str) -> Result<String, Failed> {
    let line = {
        let hidden = echo::hide();
        let note = if hidden.is_some() { " (it is not shown)" } else { "" };
        ui.ask(&format!("{what}{note}: "));
        read_line()
    };
    ui.say("");
    line
}

/// Throws away what was typed and not read yet.
pub fn forget_typed() {
    #[cfg(unix)]
    let _ = rustix::termios::tcflush(io::stdin(), rustix::termios::QueueSelector::IFlush);
}

/// The first line of what comes on stdin.
pub fn read_line() -> Result<String, Failed> {
    read().map(|line| line.trim().to_owned())
}

fn read() -> Result<String, Failed> {
    let mut line = String::new();
    let read = io::stdin().lock().take(LONGEST).read_line(&mut line);
    read.map_err(|error| Failed::file(Path::new("stdin"), error))?;
    Ok(line)
}

#[cfg(unix)]
mod echo {
    use std::io;

    use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

    /// Shows what is typed again when it goes.
    pub struct Hidden(Termios);

    /// None where stdin is no terminal.
    pub fn hide() -> Option<Hidden> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden).ok()?;
        Some(Hidden(before))
    }

    impl Drop for Hidden {
        fn drop(&mut self) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }
}

#[cfg(not(unix))]
mod echo {
    /// Never made.
    pub enum Hidden {}

    /// Nothing hides what is typed here.
    pub fn hide() -> Option<Hidden> {
        None
    }
}
