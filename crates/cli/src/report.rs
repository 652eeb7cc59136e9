//! How problems and withheld hooks look: one cause per line, a caret under the
//! place, then the next step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use boathook_engine::definition::Action;
use boathook_engine::engine::{Settings, load_options};
use boathook_engine::load::{Change, Hook, HookSet, HookState, Loader, Withheld};
use boathook_engine::problem::{Problem, Severity};
use boathook_engine::read_file::{self, Owner};
use boathook_engine::trust::Looking;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::ui::{Style, Ui};

/// Texts of files, each read once, for the line under a problem.
#[derive(Default)]
pub struct Texts(BTreeMap<PathBuf, Option<String>>);

impl Texts {
    fn line(&mut self, file: &Path, number: usize) -> Option<String> {
        let text = self.0.entry(file.to_owned()).or_insert_with(|| read(file));
        text.as_ref()?.lines().nth(number.checked_sub(1)?).map(str::to_owned)
    }
}

fn read(file: &Path) -> Option<String> {
    let bytes = read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody).ok()?.bytes;
    let text = String::from_utf8(bytes).ok()?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Prints what changed in the user's hooks.
pub fn changes(ui: &mut Ui, changes: &[Change]) {
    changes.iter().for_each(|change| problem(ui, &change.problem, &mut Texts::default()));
}

/// Tells what changed in the user's hooks since a person was last told: inside
/// an agent nobody may have read it. Nothing is written when there is no news.
pub fn tell_changes(ui: &mut Ui, settings: &Settings) {
    let mut loader = Loader::new(settings.roots.clone(), load_options(settings, false));
    loader.hooks(&settings.roots.workspaces);
    let news = loader.changes(Looking::Only);
    changes(ui, &news);
    loader.told(&news);
}

/// Prints one problem with its place.
pub fn problem(ui: &mut Ui, problem: &Problem, texts: &mut Texts) {
    let message = format!("{}{}", place_of(problem), problem.message);
    match problem.severity {
        Severity::Error => ui.error(&message),
        Severity::Warning => ui.warning(&message),
        Severity::Hint => ui.hint(&message),
    }
    if let (Some(file), Some(place)) = (&problem.file, &problem.place)
        && let Some(line) = texts.line(file, place.line)
    {
        excerpt(ui, &line, place.line, place.column, place.bytes.len());
    }
    if let Some(help) = &problem.help {
        ui.help(help);
    }
    if let Some(product) = &problem.product {
        ui.note(&format!("the original product: {product}"));
    }
}

/// A long line is shown around its place only.
fn excerpt(ui: &mut Ui, line: &str, number: usize, column: usize, length: usize) {
    const BEFORE: usize = 40;
    const WIDTH: usize = 100;
    let start = column.saturating_sub(1).saturating_sub(BEFORE);
    let start = if line.chars().count() <= WIDTH { 0 } else { start };
    let shown: String =
        line.chars().skip(start).take(WIDTH).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let at = column.saturating_sub(1).saturating_sub(start);
    let (before, covered) = columns(&shown, at, length);
    let margin = " ".repeat(number.to_string().len());
    ui.say(&format!(" {margin} |"));
    ui.say(&format!(" {number} | {shown}"));
    ui.say(&format!(" {margin} | {}{}", " ".repeat(before), "^".repeat(covered.max(1))));
}

/// How wide on the screen is what stands before a place, and what so many
/// bytes from there cover.
fn columns(line: &str, at: usize, length: usize) -> (usize, usize) {
    let split = line.char_indices().nth(at).map_or(line.len(), |(byte, _)| byte);
    let end = line.floor_char_boundary((split + length).min(line.len()));
    (line[..split].width(), line[split..end].width())
}

/// `file:line:column: `, as far as it is known.
pub fn place_of(problem: &Problem) -> String {
    let Some(file) = &problem.file else { return String::new() };
    match &problem.place {
        Some(place) => format!("{}:{}:{}: ", file.display(), place.line, place.column),
        None => format!("{}: ", file.display()),
    }
}

/// A path as JSON text. `Path` itself serializes only when it is UTF-8, and `json!` panics when it is not.
pub fn path_text(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A problem as data.
pub fn problem_json(problem: &Problem) -> Value {
    json!({
        "severity": match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Hint => "hint",
        },
        "code": problem.code,
        "file": problem.file.as_deref().map(path_text),
        "line": problem.place.as_ref().map(|place| place.line),
        "column": problem.place.as_ref().map(|place| place.column),
        "message": problem.message,
        "help": problem.help,
        "product": problem.product,
        "fixable": problem.fix.is_some() || problem.script_fix.is_some(),
    })
}

/// What stands in the way of a whole source: it cannot be read, or is withheld.
pub fn whole_sources(ui: &mut Ui, set: &HookSet, texts: &mut Texts) {
    for it in set.problems.iter().filter(|problem| problem.place.is_none()) {
        problem(ui, it, texts);
    }
}

/// A prompt hook that nobody can answer on this machine. Those that wait for
/// trust count as well: whoever trusts them should know before.
pub fn without_model(settings: &Settings, hook: &Hook) -> Option<Problem> {
    match &hook.state {
        HookState::Ready | HookState::Withheld(Withheld::Untrusted | Withheld::Changed) => {}
        HookState::Withheld(_) => return None,
    }
    let mut message = format!("a prompt hook fails: {}", missing_model(settings, hook)?);
    if hook.definition.fail_closed && hook.definition.event.can_block() {
        message.push_str("; it says `failClosed`, so its event is blocked");
    }
    let problem = Problem::warning("no-model", message)
        .help("name a provider and a model in the `[judge]` table of config.toml");
    Some(Problem { file: Some(hook.source.file.clone()), place: hook.definition.place.clone(), ..problem })
}

fn missing_model(settings: &Settings, hook: &Hook) -> Option<String> {
    let Action::Prompt { model, .. } = &hook.definition.action else { return None };
    settings.would_ask(model.as_deref()).err().map(|failure| format!("it {failure}"))
}

/// A column of text, cut and padded.
pub fn cell(ui: &Ui, text: &str, width: usize, style: Option<Style>) -> String {
    let mut shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(width).collect();
    if text.chars().count() > width {
        shown.pop();
        shown.push('…');
    }
    let padding = " ".repeat(width.saturating_sub(shown.chars().count()));
    let shown = style.map_or_else(|| crate::ui::clean(&shown), |style| ui.styled(&shown, style));
    format!("{shown}{padding}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_what_is_meant_in_any_script() {
        let cases = [
            ("abc def", 4, 3, (4, 3)),
            ("日本 def", 3, 3, (5, 3)),
            ("x 日本 y", 2, 6, (2, 4)),
            ("abc", 1, 99, (1, 2)),
            ("abc", 9, 1, (3, 0)),
        ];
        for (line, at, length, expected) in cases {
            assert_eq!(columns(line, at, length), expected, "{line}");
        }
    }
}
