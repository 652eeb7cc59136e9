//! The frame of every page: header with the workspace and how things stand,
//! navigation, one heading, the page itself.

use axum::response::Html;
use boathook_engine::engine::Standing;
use boathook_engine::problem::{Severity, count};
use maud::{DOCTYPE, Markup, html};

use super::App;
use super::text::{path, plural, safe};

/// The pages of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    Hooks,
    Problems,
    Log,
    Try,
    Trust,
    Time,
    Sessions,
}

impl Page {
    const ALL: [Page; 7] =
        [Page::Hooks, Page::Problems, Page::Log, Page::Try, Page::Trust, Page::Time, Page::Sessions];

    fn name(self) -> &'static str {
        match self {
            Page::Hooks => "Hooks",
            Page::Problems => "Problems",
            Page::Log => "Log",
            Page::Try => "Try",
            Page::Trust => "Trust",
            Page::Time => "Time",
            Page::Sessions => "Sessions",
        }
    }

    /// Every page stands in one folder, so its name alone leads to it.
    fn href(self) -> &'static str {
        match self {
            Page::Hooks => "./",
            Page::Problems => "problems",
            Page::Log => "log",
            Page::Try => "try",
            Page::Trust => "trust",
            Page::Time => "time",
            Page::Sessions => "sessions",
        }
    }
}

/// How things stand, for the header.
struct Summary {
    ready: usize,
    withheld: usize,
    broken: usize,
    problems: usize,
}

impl Summary {
    fn of(app: &App) -> Summary {
        let set = app.hooks();
        let mut summary = Summary { ready: 0, withheld: 0, broken: 0, problems: 0 };
        let problems = app.problems();
        for hook in &set.hooks {
            match app.standing(&set, hook, &problems) {
                Standing::Ready => summary.ready += 1,
                Standing::Withheld(_) => summary.withheld += 1,
                Standing::Broken(_) | Standing::NoModel(_) => summary.broken += 1,
            }
        }
        summary.problems = count(&problems, Severity::Error) + count(&problems, Severity::Warning);
        summary
    }

    fn markup(&self) -> Markup {
        html! {
            ul.summary aria-label="How things stand" {
                li { a href="./" { span class={ "dot good" } {} (plural(self.ready, "hook")) " ready" } }
                @if self.withheld > 0 {
                    li { a href="trust" { span class="dot warn" {} (self.withheld) " withheld" } }
                }
                @if self.broken > 0 {
                    li { a href="problems" { span class="dot bad" {} (self.broken) " cannot run" } }
                }
                @if self.problems > 0 {
                    li { a href="problems" { span class="dot warn" {} (plural(self.problems, "problem")) } }
                } @else {
                    li { a href="problems" { span class="dot good" {} "no problems" } }
                }
            }
        }
    }
}

/// A whole page.
pub fn page(app: &App, here: Page, title: &str, body: &Markup) -> Html<String> {
    let roots = &app.settings.roots.workspaces;
    let whole = document(
        &format!("{title} · Boathook"),
        true,
        &html! {
            a.skip href="#main" { "Skip to the page" }
            header.top {
                div.bar {
                    a.brand href="./" { (mark()) "Boathook" }
                    div.where {
                        span.visually-hidden { "Workspace: " }
                        @for root in roots { (path(root)) " " }
                        @if roots.is_empty() { "no workspace" }
                    }
                    (Summary::of(app).markup())
                }
                nav aria-label="Pages" {
                    ul {
                        @for page in Page::ALL {
                            li { a href=(page.href()) aria-current=[(page == here).then_some("page")] { (page.name()) } }
                        }
                    }
                }
            }
            main #main tabindex="-1" {
                h1 { (safe(title)) }
                (body)
            }
            footer {
                p { "boathook " (env!("CARGO_PKG_VERSION")) ", edition " (app.settings.edition.name())
                    ". This page is for this machine alone; it ends with the command that printed its address." }
            }
        },
    );
    Html(whole.into_string())
}

/// A page for those who are not let in: it says nothing about hooks.
pub fn outside(title: &str, why: &str, what: &str) -> Html<String> {
    alone(title, why, &html! { (what) })
}

/// One for those who are, with the way back.
pub fn led_back(title: &str, why: &str, folder: &str) -> Html<String> {
    alone(title, why, &html! { a href={ (folder) "/" } { "Back to the panel" } })
}

fn alone(title: &str, why: &str, what: &Markup) -> Html<String> {
    let whole = document(
        &format!("{title} · Boathook"),
        false,
        &html! {
            main.outside #main {
                p.brand { (mark()) "Boathook" }
                h1 { (title) }
                p { "Boathook's panel: " (why) "." }
                p { (what) }
            }
        },
    );
    Html(whole.into_string())
}

fn document(title: &str, with_script: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (safe(title)) }
                link rel="icon" href="/panel.svg" type="image/svg+xml";
                link rel="stylesheet" href="/panel.css";
                @if with_script { script src="/panel.js" defer {} }
            }
            body { (body) }
        }
    }
}

/// A boathook: a pole with its hook.
fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 24 24" aria-hidden="true" focusable="false" {
            path d="M4 21 15.5 9.5M13 7l4 4M15.5 9.5 19 6a3 3 0 1 0-4.4-4" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" {}
        }
    }
}
