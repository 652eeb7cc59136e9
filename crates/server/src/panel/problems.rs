//! Everything that is wrong, as `check` and `doctor` say it: how bad, where,
//! and what to write instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::config::apply_fixes;
use boathook_engine::problem::{Problem, Severity, count};
use boathook_engine::read_file::{self, Owner};
use maud::{Markup, html};

use super::App;
use super::badge;
use super::difference::difference;
use super::layout::{self, Page};
use super::routes::Asked;
use super::text::{plural, prose, safe, shortened};

/// A longer line is shown around its place.
const LONGEST_LINE: usize = 400;

pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    let problems = app.problems();
    let mut texts = Texts::default();
    let number = |severity| count(&problems, severity);
    let set = app.hooks();
    let managed: Vec<&Path> = set
        .sources
        .iter()
        .map(|report| &report.source)
        .filter(|it| it.level.is_managed())
        .map(|it| it.file.as_path())
        .collect();
    let may_be_repaired = |it: &Problem| {
        (it.fix.is_some() || it.script_fix.is_some())
            && !it.file.as_deref().is_some_and(|file| managed.contains(&file))
    };
    let fixable = problems.iter().filter(|it| may_be_repaired(it)).count();
    // `doctor` repairs scripts as well; where there are none, `check` is enough.
    let scripts = problems.iter().any(|it| may_be_repaired(it) && it.script_fix.is_some());
    let command = if scripts { "boathook doctor --fix" } else { "boathook check --fix" };
    let body = html! {
        p.lead {
            (plural(number(Severity::Error), "error")) ", " (plural(number(Severity::Warning), "warning"))
            ". What " code { "boathook check" } " and " code { "boathook doctor" } " say, with what to write instead."
        }
        @if fixable > 0 {
            p.note { code { (command) } " repairs " (fixable) " of them." }
        }
        @if problems.is_empty() { div.empty { p { "Nothing is wrong, as far as can be seen without running a hook." } } }
        ol.problems { @for problem in problems.iter() { (one(problem, &mut texts, may_be_repaired(problem).then_some(command))) } }
    };
    (StatusCode::OK, layout::page(app, Page::Problems, "Problems", &body))
}

fn one(problem: &Problem, texts: &mut Texts, command: Option<&str>) -> Markup {
    html! {
        li {
            div.state { (badge::severity(problem.severity)) }
            div.what {
                h2 { (prose(&problem.message)) }
                @if let Some(file) = &problem.file {
                    p.facts {
                        span.path {
                            (safe(&file.to_string_lossy()))
                            @if let Some(place) = &problem.place { ":" (place.line) ":" (place.column) }
                        }
                        " " span.tag { (problem.code) }
                    }
                } @else {
                    p.facts { span.tag { (problem.code) } }
                }
                (excerpt(problem, texts))
                @if let Some(help) = &problem.help { p.help { strong { "Help: " } (prose(help)) } }
                @if let Some(product) = &problem.product { p.about { "The original product: " (prose(product)) } }
                @if let Some(command) = command { (repair(problem, texts, command)) }
            }
        }
    }
}

/// The line a problem stands on, with its place marked.
fn excerpt(problem: &Problem, texts: &mut Texts) -> Markup {
    let (Some(file), Some(place)) = (&problem.file, &problem.place) else { return html! {} };
    let Some(line) = texts.line(file, place.line) else { return html! {} };
    let start = line.char_indices().nth(place.column.saturating_sub(1)).map_or(line.len(), |(byte, _)| byte);
    let end = line.floor_char_boundary((start + place.bytes.len()).min(line.len()));
    let from = line.floor_char_boundary(start.saturating_sub(LONGEST_LINE / 2));
    let (before, marked, behind) = (&line[from..start], &line[start..end], &line[end..]);
    html! {
        pre.excerpt tabindex="0" { span.line-number { (place.line) } code {
            (safe(before)) mark { (safe(shortened(marked, LONGEST_LINE))) } (safe(shortened(behind, LONGEST_LINE / 2)))
        } }
    }
}

/// What `--fix` would change.
fn repair(problem: &Problem, texts: &mut Texts, command: &str) -> Markup {
    let text = problem.file.as_deref().and_then(|file| texts.text(file));
    let fixed = text
        .filter(|_| problem.fix.is_some())
        .map(|text| (text.clone(), apply_fixes(&text, std::slice::from_ref(problem))));
    html! {
        details {
            summary { "What " code { (command) } " does about it" }
            @match fixed {
                Some((old, new)) => (difference("Repair", old.as_bytes(), new.as_bytes())),
                None => p { "It changes the script that the hook names: its executable bit or its line ends." },
            }
        }
    }
}

/// Texts of files, each read once for a page.
#[derive(Default)]
struct Texts(BTreeMap<PathBuf, Option<String>>);

impl Texts {
    fn text(&mut self, file: &Path) -> Option<String> {
        self.0.entry(file.to_owned()).or_insert_with(|| read(file)).clone()
    }

    fn line(&mut self, file: &Path, number: usize) -> Option<String> {
        let text = self.text(file)?;
        text.trim_start_matches('\u{feff}').lines().nth(number.checked_sub(1)?).map(str::to_owned)
    }
}

fn read(file: &Path) -> Option<String> {
    let bytes = read_file::read(file, read_file::CONFIG_LIMIT, Owner::Anybody).ok()?.bytes;
    String::from_utf8(bytes).ok()
}
