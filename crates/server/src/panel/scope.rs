//! Whose runs are shown: those of the workspace the panel is about, or of all.
//!
//! The log is one for all workspaces. A run belongs to the workspaces that its
//! payload names; where the log kept none, to the directory that a workspace's
//! own hook ran in. Of what is left nobody can say, so it is shown everywhere.

use std::path::{Path, PathBuf};

use boathook_engine::record::Record;
use maud::{Markup, html};
use serde::Deserialize;

use super::App;
use super::feed::Entry;
use super::routes::Asked;
use super::text::{plural, safe};

/// What a page is asked for to show every workspace.
const ALL: &str = "all";

/// Whose runs are wanted.
#[derive(Debug, Clone)]
pub struct Scope {
    pub all: bool,
    roots: Vec<PathBuf>,
}

impl Scope {
    /// From the query of a page.
    pub fn of(app: &App, asked: &Asked) -> Scope {
        let given = &app.settings.roots.workspaces;
        let real = given.iter().filter_map(|root| root.canonicalize().ok());
        Scope {
            all: asked.get("workspace").is_some_and(|word| word == ALL) || given.is_empty(),
            roots: given.iter().cloned().chain(real).collect(),
        }
    }

    /// Whether a run is wanted.
    pub fn takes(&self, entry: &Entry) -> bool {
        self.all || entry.workspaces.is_empty() || self.is_here(entry)
    }

    fn is_here(&self, entry: &Entry) -> bool {
        let ours = |name: &String| self.roots.iter().any(|root| Path::new(name).starts_with(root));
        entry.workspaces.iter().any(ours)
    }

    /// Those that are wanted.
    pub fn of_entries(&self, entries: &[Entry]) -> Vec<Entry> {
        entries.iter().filter(|entry| self.takes(entry)).cloned().collect()
    }

    /// For a link that stays in the same scope, behind other parts of its query.
    pub fn link(&self) -> &'static str {
        if self.all { "&workspace=all" } else { "" }
    }

    /// The two ways to look at a page.
    pub fn switch(&self, page: &str) -> Markup {
        html! {
            nav.switch aria-label="Workspaces" {
                a href=(page) aria-current=[(!self.all).then_some("true")] { "This workspace" }
                a href={ (page) "?workspace=" (ALL) } aria-current=[self.all.then_some("true")] { "All workspaces" }
            }
        }
    }

    /// The workspace of a run, where several are on one page.
    pub fn note(&self, entry: &Entry) -> Markup {
        html! {
            @if self.all && !entry.workspaces.is_empty() {
                p.note.workspace { "in " @for (index, name) in entry.workspaces.iter().enumerate() { @if index > 0 { ", " } span.path { (safe(name)) } } }
            }
        }
    }

    /// How many runs there are.
    pub fn counted(&self, shown: usize, known: usize) -> String {
        match (self.all, known - shown) {
            (true, _) => format!("{} of all workspaces", plural(known, "run")),
            (false, 0) => plural(shown, "run"),
            (false, others) => {
                format!("{} of this workspace ({} of others left out)", plural(shown, "run"), others)
            }
        }
    }
}

/// The workspaces a run belongs to; none when nobody can say.
pub fn workspaces_of(record: &Record) -> Vec<String> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        workspace_roots: Vec<String>,
    }
    let named = serde_json::from_str::<Named>(record.request.get());
    let named = named.map(|named| named.workspace_roots).unwrap_or_default();
    if !named.is_empty() {
        return named;
    }
    let own = ["project", "claude-project", "claude-local"];
    let of_workspace = record.source.as_deref().is_some_and(|source| own.contains(&source));
    record.directory.clone().filter(|_| of_workspace).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use boathook_engine::record::request_of;

    use super::*;

    fn entry(request: &str, source: &str, directory: &str) -> Entry {
        let record = Record {
            request: request_of(request.as_bytes()),
            source: Some(source.to_owned()),
            directory: Some(directory.to_owned()),
            ..Record::blank("stop", "answer")
        };
        Entry::of(1, record)
    }

    #[test]
    fn a_run_is_shown_in_its_own_workspace() {
        let scope = Scope { all: false, roots: vec![PathBuf::from("/w/shop")] };
        let cases = [
            (r#"{"workspace_roots":["/w/shop"]}"#, "user", "/home", true),
            (r#"{"workspace_roots":["/w/other","/w/shop/part"]}"#, "user", "/home", true),
            (r#"{"workspace_roots":["/w/shopping"]}"#, "user", "/w/shop", false),
            (r#"{"workspace_roots":[]}"#, "project", "/w/shop", true),
            (r#"{"workspace_roots":[]}"#, "project", "/w/other", false),
            (r#"{"workspace_roots":"12 bytes"}"#, "user", "/home", true),
            ("null", "user", "/home", true),
        ];
        for (request, source, directory, here) in cases {
            let entry = entry(request, source, directory);
            assert_eq!(scope.takes(&entry), here, "{request} {source} {directory}");
            assert!(Scope { all: true, ..scope.clone() }.takes(&entry));
        }
    }
}
