//! `CLAUDE_ENV_FILE`: hooks of Claude Code that begin a session append
//! `export NAME=value` lines to a file, and later hooks find the variables.
//!
//! Every hook gets an empty private file of its own, so that each variable has
//! the priority of the hook that set it. Only plain values are taken: nothing
//! in the file is run. The files go away with the event.

use std::sync::Arc;

use crate::answer::Answer;
use crate::dialect::claude::{Sees, of_kind};
use crate::fill::Event;
use crate::ids;
use crate::merge::Heard;
use crate::outcome::Outcome;
use crate::plan::{Step, Work};
use crate::state::{Durability, StateDir};

const FOLDER: &str = "env";
const NAME: &str = "CLAUDE_ENV_FILE";
/// More lines than any honest hook writes are not read.
const MOST_LINES: usize = 1_000;

/// The files of one event, by the hook's id.
pub(super) struct EnvFiles {
    state: StateDir,
    files: Vec<(String, String)>,
}

impl EnvFiles {
    /// Gives a file to every hook that may write one. Where there can be none,
    /// the hook runs without it.
    pub(super) fn give(steps: &mut [Step<'_>], event: &Event, state: StateDir) -> EnvFiles {
        let mut given = EnvFiles { state, files: Vec::new() };
        if of_kind(event.kind).is_none_or(|claude| claude.sees != Sees::Start) {
            return given;
        }
        let waited_for = |step: &&mut Step<'_>| {
            step.hook.definition.dialect.claude().is_some_and(|claude| !claude.background)
        };
        for step in steps.iter_mut().filter(waited_for) {
            let Work::Run(invocation) = &mut step.work else { continue };
            let name = format!("{}.sh", ids::uuid());
            if given.state.write(FOLDER, &name, b"", Durability::Relaxed).is_ok() {
                let path = given.state.file(FOLDER, &name);
                Arc::make_mut(&mut invocation.env).push((NAME.into(), path.into()));
                given.files.push((step.hook.id.clone(), name));
            }
        }
        given
    }

    /// Adds what was written to what was answered, and removes the files.
    pub(super) fn take(self, heard: &mut [Heard<'_>]) {
        for (id, name) in &self.files {
            let text = self.state.read(FOLDER, name).ok().flatten().unwrap_or_default();
            let _ = self.state.remove(FOLDER, name);
            let Some(heard) = heard.iter_mut().find(|heard| heard.hook.id == *id) else { continue };
            add(heard, &String::from_utf8_lossy(&text));
        }
    }
}

fn add(heard: &mut Heard<'_>, text: &str) {
    let mut variables = Vec::new();
    for line in text.lines().take(MOST_LINES).map(str::trim) {
        match assignment(line) {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(variable) => variables.push(variable),
            None => {
                let shown: String = line.chars().take(60).collect();
                heard
                    .read
                    .warnings
                    .push(format!("`{shown}` in {NAME} is no plain `export NAME=value`; it is ignored"));
            }
        }
    }
    if variables.is_empty() {
        return;
    }
    if let Outcome::NoOpinion | Outcome::Silent = heard.read.outcome {
        heard.read.outcome = Outcome::Answer(Box::<Answer>::default());
    }
    if let Outcome::Answer(answer) = &mut heard.read.outcome {
        answer.env.extend(variables);
    }
}

/// A name and a value in which a shell would expand nothing.
fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").map_or(line, str::trim_start);
    let (name, value) = line.trim_end_matches(';').split_once('=')?;
    let expands = |text: &str| text.contains(['$', '`', '\\', '"', '\'']);
    let inside = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    let plain = match (inside('\''), inside('"')) {
        (Some(text), _) => Some(text).filter(|text| !text.contains('\'')),
        (None, Some(text)) => Some(text).filter(|text| !expands(text)),
        (None, None) => {
            let special = |c: char| c.is_whitespace() || ";&|<>()*?[]{}~#!".contains(c);
            Some(value).filter(|text| !expands(text) && !text.contains(special))
        }
    };
    Some((name.to_owned(), plain?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_values_are_taken() {
        let cases = [
            ("export A=1", Some(("A", "1"))),
            ("A=1", Some(("A", "1"))),
            ("export A='two words $x'", Some(("A", "two words $x"))),
            ("export A=\"two words\";", Some(("A", "two words"))),
            ("export A=", Some(("A", ""))),
            ("export A=/usr/bin:/bin", Some(("A", "/usr/bin:/bin"))),
            ("export PATH=\"$HOME/bin:$PATH\"", None),
            ("export A=$(id)", None),
            ("export A=`id`", None),
            ("export A=1; rm x", None),
            ("export A='a'b'", None),
            ("rm -rf x", None),
        ];
        for (line, expected) in cases {
            let found = assignment(line);
            let found = found.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
            assert_eq!(found, expected, "{line}");
        }
    }
}
