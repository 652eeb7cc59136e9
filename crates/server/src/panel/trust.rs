//! What of a workspace is trusted, what changed since, and the button that
//! trusts exactly what was shown.
//!
//! The form carries the SHA-256 of everything that was on the page. When a file
//! changed meanwhile it is another one, nothing is trusted, and the page is
//! shown again as things are now.

use std::path::PathBuf;

use axum::http::StatusCode;
use axum::response::Html;
use boathook_engine::load::{Candidate, SourceState};
use boathook_engine::trust::{Subject, TrustError, TrustState};
use maud::{Markup, html};

use super::badge;
use super::difference::difference;
use super::door::{FORM_TOKEN, Fields};
use super::hooks::what;
use super::layout::{self, Page};
use super::routes::Asked;
use super::text::{LONG, ago, path, plural, prose, safe, shortened};
use super::{App, lock};

pub fn page(app: &App, _: &Asked) -> (StatusCode, Html<String>) {
    shown(app, StatusCode::OK, &html! {})
}

/// A button was pressed: trust what was shown, or take trust back.
pub fn decide(app: &App, fields: &Fields) -> (StatusCode, Html<String>) {
    let done = match fields.get("action") {
        "revoke" => revoke(app, fields.get("workspace")),
        _ => accept(app, fields.get("workspace"), fields.get("sha256")),
    };
    app.forget();
    match done {
        Ok(words) => {
            shown(app, StatusCode::OK, &html! { div.alert.good role="status" { p { (safe(&words)) } } })
        }
        Err(error) => {
            let changed = html! { div.alert.bad role="alert" {
                p { strong { "Nothing was trusted. " } (safe(&error)) }
                p { "Look at what stands there now, below." }
            } };
            shown(app, StatusCode::CONFLICT, &changed)
        }
    }
}

fn groups(app: &App) -> Vec<Vec<Candidate>> {
    Candidate::by_workspace(lock(&app.loader).candidates(&app.settings.roots.workspaces))
}

fn workspace_of(group: &[Candidate]) -> String {
    group
        .first()
        .map(|candidate| candidate.subject.workspace.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn together(group: &[Candidate]) -> String {
    let subjects: Vec<&Subject> = group.iter().map(|candidate| &candidate.subject).collect();
    Subject::together(&subjects).to_string()
}

fn accept(app: &App, workspace: &str, sha256: &str) -> Result<String, String> {
    let groups = groups(app);
    let group = groups.iter().find(|group| workspace_of(group) == workspace);
    let group = group.ok_or("This workspace has no hooks that need trust any more.")?;
    let subjects: Vec<&Subject> = group.iter().map(|candidate| &candidate.subject).collect();
    let accepted = lock(&app.loader).trust().accept_hash(&subjects, sha256);
    accepted.map_err(|error| match error {
        TrustError::NotTheSame { .. } => "The files changed after the page was shown.".to_owned(),
        other => other.to_string(),
    })?;
    Ok(format!("Trusted, as it was shown: {}", plural(group.len(), "source")))
}

fn revoke(app: &App, workspace: &str) -> Result<String, String> {
    let groups = groups(app);
    let loader = lock(&app.loader);
    for candidate in groups.iter().filter(|group| workspace_of(group) == workspace).flatten() {
        loader.trust().revoke(&candidate.source).map_err(|error| error.to_string())?;
    }
    Ok("Trust was taken back; nothing of the workspace runs.".to_owned())
}

fn shown(app: &App, status: StatusCode, news: &Markup) -> (StatusCode, Html<String>) {
    let groups = groups(app);
    let body = html! {
        p.lead {
            "Hooks of a workspace run only when you trusted them, pinned to the content of the files that hold them and of the scripts they name. "
            "One changed byte withdraws it until you looked."
        }
        (news)
        @if groups.is_empty() {
            div.empty { p { "Nothing in this workspace needs trust: it brings no hooks." } }
        }
        @for group in &groups { (workspace(app, group)) }
        (broken(app))
        (elsewhere(app))
    };
    (status, layout::page(app, Page::Trust, "Trust", &body))
}

fn workspace(app: &App, group: &[Candidate]) -> Markup {
    let waiting: Vec<&Candidate> =
        group.iter().filter(|candidate| candidate.state != TrustState::Trusted).collect();
    html! {
        section.group {
            h2 { (path(&group[0].subject.workspace)) }
            div.panel {
                ul.plain {
                    @for candidate in group {
                        li {
                            (badge::trust(&candidate.state)) " "
                            span.tag { (candidate.source.level.name()) } " " (path(&candidate.source.file))
                        }
                    }
                }
                @for candidate in &waiting { (question(candidate)) }
                @if !waiting.is_empty() { (covered(&waiting)) }
                (form(app, group, waiting.is_empty()))
            }
        }
    }
}

fn form(app: &App, group: &[Candidate], trusted: bool) -> Markup {
    let sha256 = together(group);
    html! {
        form method="post" action="trust" {
            input type="hidden" name=(FORM_TOKEN) value=(app.door.form_token());
            input type="hidden" name="workspace" value=(workspace_of(group));
            input type="hidden" name="sha256" value=(sha256);
            p.note { "SHA-256 " code { (sha256) } }
            div.buttons {
                @if trusted {
                    button.second type="submit" name="action" value="revoke" { "Take trust back" }
                } @else {
                    button type="submit" name="action" value="trust" { "Trust exactly this" }
                    span.note { "Its hooks then run as you, whenever an agent reaches their events." }
                }
            }
        }
    }
}

/// What somebody should have looked at before they press the button.
fn question(candidate: &Candidate) -> Markup {
    html! {
        @match &candidate.state {
            TrustState::Changed(changed) => {
                h3 { (path(&candidate.source.file)) " was trusted, and changed since" }
                @for change in &changed.changes {
                    p { (path(&change.path)) ": " (change.kind.name()) }
                    @if let (Some(old), Some(new)) = (&change.old, &change.new) {
                        @if old != new { (difference(&format!("Difference of {}", change.path.display()), old, new)) }
                    }
                }
            }
            TrustState::Broken(problem) => p.why { (safe(problem)) },
            TrustState::New | TrustState::Trusted => {},
        }
        h3 { (path(&candidate.source.file)) " wants to run" }
        @if candidate.switches_off {
            p.why { "It switches off every hook that was written for Claude Code, yours too." }
        }
        ul.cards {
            @for definition in &candidate.definitions {
                li { div.state { span.tag { (definition.event.name()) } } div.what { (what(definition)) } }
            }
        }
    }
}

/// The files, as they are now, and what of them nobody can pin.
fn covered(waiting: &[&Candidate]) -> Markup {
    let mut files: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    // Nobody has seen a line of what is new.
    let new = waiting.iter().any(|candidate| candidate.state == TrustState::New);
    for candidate in waiting {
        let config = (candidate.subject.file.clone(), Some(candidate.subject.config.clone()));
        let scripts = candidate.subject.files.iter().filter(|file| file.pin.is_file());
        let scripts = scripts.map(|file| (file.pin.path.clone(), file.bytes.clone()));
        for (path, bytes) in std::iter::once(config).chain(scripts) {
            if !files.iter().any(|(known, _)| *known == path) {
                files.push((path, bytes));
            }
        }
    }
    let mut uncovered: Vec<_> = waiting.iter().flat_map(|candidate| &candidate.subject.uncovered).collect();
    uncovered.sort();
    uncovered.dedup();
    html! {
        h3 { "Trust covers " @if files.len() == 1 { "this file, as it is" } @else { "these " (files.len()) " files, as they are" } " now" }
        @for (file, bytes) in &files {
            details open[new] {
                summary { (path(file)) }
                @match bytes {
                    Some(bytes) => (content(bytes)),
                    None => p.note { "It is too large to be shown." },
                }
            }
        }
        p.note { "It does not cover what they load, what they download, or programs installed elsewhere." }
        @if !uncovered.is_empty() {
            ul { @for word in uncovered { li { "Not covered: " code { (safe(&word.word)) } " " (word.why.name()) } } }
        }
    }
}

fn content(bytes: &[u8]) -> Markup {
    let text = String::from_utf8_lossy(bytes);
    let shown = shortened(&text, 4 * LONG);
    html! {
        pre.block tabindex="0" { (safe(shown)) }
        @if shown.len() < text.len() { p.note { "The rest is not shown here." } }
    }
}

/// Sources of the workspace that cannot be read, so that there is nothing to trust.
fn broken(app: &App) -> Markup {
    let set = app.hooks();
    let broken = set.sources.iter().filter(|report| report.source.needs_trust());
    html! {
        @for report in broken {
            @if let SourceState::Unreadable(problem) | SourceState::LastGood(problem) = &report.state {
                div.alert.bad { p { (path(&report.source.file)) " cannot be read: " (prose(problem)) } }
            }
        }
    }
}

/// Everything that was trusted on this machine.
fn elsewhere(app: &App) -> Markup {
    let records = lock(&app.loader).trust().list();
    html! {
        section.group {
            h2 { "Trusted on this machine" }
            p.about { "Each source is pinned by itself: the file that holds its hooks and every script that was there. A script that two sources name counts for both." }
            @match records {
                Err(error) => p.why { (safe(&error.to_string())) },
                Ok(records) if records.is_empty() => p.note { "Nothing yet." },
                Ok(records) => div.scroll tabindex="0" role="region" aria-label="Trusted on this machine" {
                    table {
                        thead { tr { th scope="col" { "Workspace" } th scope="col" { "Source" } th scope="col" { "When" } th.number scope="col" { "Files pinned" } } }
                        tbody {
                            @for record in records {
                                @match record {
                                    Ok(record) => tr {
                                        th scope="row" { span.path { (safe(&record.workspace)) } }
                                        td { (safe(&record.level)) }
                                        td { (ago(i64::try_from(record.when).unwrap_or(0).saturating_mul(1000))) }
                                        td.number { (record.files.iter().filter(|pin| pin.is_file()).count() + 1) }
                                    },
                                    Err(error) => tr { td colspan="4" { (safe(&error.to_string())) } },
                                }
                            }
                        }
                    }
                },
            }
        }
    }
}
