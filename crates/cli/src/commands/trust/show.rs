//! What is shown of a workspace's hooks before somebody trusts them.

use boathook_engine::definition::{Action, Definition};
use boathook_engine::load::Candidate;
use boathook_engine::rule::Rule;
use boathook_engine::source::Format;
use boathook_engine::trust::{Change, Subject, TrustState};
use similar::TextDiff;

use crate::Status;
use crate::ui::{Style, Ui};

/// How each source stands, and the SHA-256 of all of them.
pub fn status(ui: &mut Ui, group: &[Candidate]) -> Status {
    let mut all = Status::Success;
    for looked in group {
        let (word, status) = match &looked.state {
            TrustState::Trusted => ("trusted".to_owned(), Status::Success),
            TrustState::New => ("not trusted".to_owned(), Status::Failure),
            TrustState::Changed(difference) => {
                let count = plural(difference.changes.len(), "file");
                (format!("changed since it was trusted ({count})"), Status::Failure)
            }
            TrustState::Broken(problem) => (format!("not trusted: {problem}"), Status::Failure),
        };
        ui.line(&format!("{}: {word}", looked.source.file.display()));
        if status != Status::Success {
            all = status;
        }
    }
    let subjects: Vec<&Subject> = group.iter().map(|looked| &looked.subject).collect();
    let together = if subjects.len() == 1 { "" } else { " (of all of them together)" };
    ui.line(&format!("  SHA-256 {}{together}", Subject::together(&subjects)));
    all
}

/// All that is to be trusted: what changed, what it does, which files it covers.
pub fn question(ui: &mut Ui, waiting: &[&Candidate], sha256: &str) {
    for looked in waiting {
        match &looked.state {
            TrustState::Changed(difference) => {
                ui.line(&format!("{} was trusted, and changed since:", looked.source.file.display()));
                difference.changes.iter().for_each(|change| show_change(ui, change));
            }
            TrustState::Broken(problem) => ui.warning(problem),
            TrustState::New | TrustState::Trusted => {}
        }
    }
    let (rules, others): (Vec<&Candidate>, Vec<&Candidate>) =
        waiting.iter().partition(|looked| looked.source.format == Format::Hookify);
    for looked in others {
        let file = looked.source.file.display();
        if looked.switches_off {
            let rest = if looked.definitions.is_empty() { "" } else { " Its own, too:" };
            ui.line(&format!(
                "{file} switches off every hook that was written for Claude Code, yours too.{rest}"
            ));
        } else {
            ui.line(&format!("{file} wants to run:"));
        }
        looked.definitions.iter().for_each(|definition| show_definition(ui, definition));
    }
    if !rules.is_empty() {
        ui.line(&format!("{}, decided without a process:", plural(rules.len(), "hookify rule")));
        rules.iter().for_each(|looked| show_rule(ui, looked));
    }
    covered(ui, waiting);
    ui.line(&format!("SHA-256 {sha256}"));
}

fn covered(ui: &mut Ui, waiting: &[&Candidate]) {
    let mut files = Vec::new();
    let mut uncovered = Vec::new();
    for looked in waiting {
        files.extend(looked.subject.existing_files());
        uncovered.extend(looked.subject.uncovered.iter());
    }
    ui.line("Trust covers these files, as they are now:");
    for (index, file) in files.iter().enumerate() {
        if !files[..index].contains(file) {
            ui.line(&format!("  {}", file.display()));
        }
    }
    ui.line("It does not cover what they load, what they download, or programs installed elsewhere.");
    uncovered.sort();
    uncovered.dedup();
    for uncovered in uncovered {
        ui.line(&format!("  not covered: {} ({})", uncovered.word, uncovered.why.name()));
    }
}

fn show_definition(ui: &mut Ui, definition: &Definition) {
    let text = match &definition.action {
        Action::Command(_) => definition.command_line().into_owned(),
        Action::Prompt { prompt, .. } => format!("(asks a model) {prompt}"),
        Action::Rule(rule) => match &**rule {
            Rule::Hookify(hookify) => {
                format!("(a rule, without a process) {}: {}", rule.label(), hookify.summary())
            }
            Rule::Declared(_) | Rule::Always(_) | Rule::SelfProtection(_) => {
                format!("(a rule, without a process) {}", rule.label())
            }
        },
        Action::Broken { text, .. } => format!("(broken) {text}"),
    };
    let event = ui.styled(definition.event.name(), Style::Bold);
    let text = ui.styled(&text.replace('\n', "\n      "), Style::Cyan);
    ui.painted_line(&format!("  {event}: {text}"));
}

/// One line for a rule, on however many events it is asked.
fn show_rule(ui: &mut Ui, looked: &Candidate) {
    let (name, text) = match looked.definitions.first().map(|definition| &definition.action) {
        Some(Action::Rule(rule)) => match &**rule {
            Rule::Hookify(hookify) => (hookify.name.clone(), hookify.summary()),
            Rule::Declared(declared) => (declared.label().to_owned(), declared.summary()),
            Rule::Always(always) => (always.label.clone(), always.message.clone()),
            Rule::SelfProtection(_) => (rule.label().to_owned(), rule.summary().unwrap_or_default()),
        },
        Some(Action::Broken { text, reason }) => (text.clone(), format!("cannot be decided: {reason}")),
        Some(Action::Command(_) | Action::Prompt { .. }) | None => {
            (looked.source.file.display().to_string(), "never applies".to_owned())
        }
    };
    let name = ui.styled(&name, Style::Bold);
    let text = ui.styled(&text.replace('\n', "\n      "), Style::Cyan);
    ui.painted_line(&format!("  {name}: {text}"));
}

fn show_change(ui: &mut Ui, change: &Change) {
    ui.line(&format!("  {}: {}", change.path.display(), change.kind.name()));
    let (Some(old), Some(new)) = (&change.old, &change.new) else { return };
    if old == new {
        return;
    }
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    for line in TextDiff::from_lines(&*old, &*new).unified_diff().context_radius(2).to_string().lines() {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::Green,
            Some(b'-') => Style::Red,
            _ => Style::Dim,
        };
        let line = ui.styled(line, style);
        ui.painted_line(&format!("    {line}"));
    }
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
