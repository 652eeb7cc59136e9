//! What `check` looks at beyond the text: does every matcher compile, does
//! every script exist, and can it be executed. Runs nothing.

use std::path::{Path, PathBuf};

use super::Surroundings;
use crate::definition::{Action, Definition};
use crate::problem::Problem;
use crate::read_file::{self, Kind};
use crate::source::{Level, Os, Source};
use crate::trust::{Scope, first_word, named_by_words};

/// Interpreters need no executable bit and say little when the file is missing.
const INTERPRETED: &[&str] = &[
    "sh", "bash", "zsh", "fish", "ps1", "cmd", "bat", "js", "mjs", "cjs", "ts", "mts", "cts", "py", "rb",
    "pl", "php", "lua",
];

/// Every problem of one entry.
pub(super) fn check(definition: &Definition, source: &Source, around: &Surroundings) -> Vec<Problem> {
    let mut problems: Vec<Problem> = matcher(definition).into_iter().collect();
    if let Action::Command(command) = &definition.action {
        let place = Place::new(source, around);
        match place.cut_at_a_space(command) {
            Some(problem) => problems.push(problem),
            None => problems.extend(place.scripts(command)),
        }
    }
    for problem in &mut problems {
        problem.file = Some(source.file.clone());
        problem.place = definition.place.clone();
    }
    problems
}

fn matcher(definition: &Definition) -> Option<Problem> {
    let error = definition.matcher.error()?;
    let message = format!("the matcher `{}` does not compile: {error}", definition.matcher.pattern());
    let then = if definition.fail_closed { "its event is refused" } else { "the hook does not run" };
    Some(Problem::error("invalid-matcher", message).help(format!("until it is mended, {then}")))
}

/// Where a source's commands run.
struct Place<'a> {
    scope: Scope<'a>,
    level: Level,
}

impl<'a> Place<'a> {
    fn new(source: &'a Source, around: &'a Surroundings) -> Place<'a> {
        let roots = &around.roots;
        let scope = Scope {
            os: roots.os,
            run_dir: &source.run_dir,
            workspace: Some(&source.run_dir),
            home: &roots.home,
        };
        Place { scope, level: source.level }
    }

    fn scripts(&self, command: &str) -> Vec<Problem> {
        let program = first_word(command, self.scope.os);
        let program =
            program.as_deref().and_then(|word| named_by_words(word, &self.scope).into_iter().next());
        let named = named_by_words(command, &self.scope).into_iter().filter(|named| !named.loose);
        named
            .filter_map(|named| {
                let runs = program.as_ref() == Some(&named);
                match read_file::facts(&named.path) {
                    None if runs || is_script(&named.path) => Some(self.missing(&named.path)),
                    Some(facts) if runs && facts.kind == Kind::File && self.lacks_bit(facts.mode) => {
                        Some(not_executable(&named.path))
                    }
                    Some(_) | None => None,
                }
            })
            .collect()
    }

    fn lacks_bit(&self, mode: u32) -> bool {
        cfg!(unix) && self.scope.os != Os::Windows && mode & 0o111 == 0
    }

    fn missing(&self, path: &Path) -> Problem {
        let run_dir = self.scope.run_dir;
        let shown = path.strip_prefix(run_dir).unwrap_or(path);
        let problem = Problem::warning("missing-script", format!("`{}` does not exist", shown.display()));
        match self.meant(shown) {
            Some(meant) => problem.help(format!(
                "{} hooks run from {}: write `{}`",
                self.level.name(),
                run_dir.display(),
                meant.display()
            )),
            None => problem.help(format!("{} hooks run from {}", self.level.name(), run_dir.display())),
        }
    }

    /// Project hooks run from the root and user hooks from `.cursor`; paths
    /// written for one are often found in the other.
    fn meant(&self, shown: &Path) -> Option<PathBuf> {
        let meant = match self.level {
            Level::Project => Path::new(".cursor").join(shown),
            Level::User => Path::new(".").join(shown.strip_prefix(".cursor").ok()?),
            Level::Enterprise | Level::Team | Level::Host => return None,
        };
        is_file(&self.scope.run_dir.join(&meant)).then_some(meant)
    }

    /// `my guard/x.sh` without quotes runs `my`.
    fn cut_at_a_space(&self, command: &str) -> Option<Problem> {
        if command.contains(['"', '\'', '\\', '\n']) {
            return None;
        }
        let words: Vec<&str> = command.split(' ').take(12).collect();
        let spans =
            (0..words.len().min(3)).flat_map(|start| (start + 2..=words.len()).map(move |end| start..end));
        let mut paths = spans.map(|span| (words[span.start], words[span].join(" ")));
        let (_, path) = paths.find(|(first, path)| self.names_a_file(path) && !self.names_a_file(first))?;
        let quoted = command.replacen(&path, &format!("\"{}\"", self.unfolded(&path)), 1);
        let message = format!("`{path}` is cut at its first space");
        Some(Problem::warning("unquoted-space", message).help(format!("write `{quoted}`")))
    }

    /// A shell does not put the home in for `~` inside quotes.
    fn unfolded(&self, path: &str) -> String {
        path.strip_prefix("~/").map_or_else(|| path.to_owned(), |rest| format!("$HOME/{rest}"))
    }

    fn names_a_file(&self, word: &str) -> bool {
        let quoted = format!("\"{word}\"");
        named_by_words(&quoted, &self.scope).iter().any(|named| is_file(&named.path))
    }
}

fn not_executable(path: &Path) -> Problem {
    let message = format!("`{}` is not executable", path.display());
    Problem::warning("not-executable", message).help(format!("`chmod +x '{}'`", path.display()))
}

fn is_file(path: &Path) -> bool {
    read_file::facts(path).is_some_and(|facts| facts.kind == Kind::File)
}

fn is_script(path: &Path) -> bool {
    path.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|found| INTERPRETED.contains(&found))
}
