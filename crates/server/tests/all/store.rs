//! What the database of the team server promises, held to SQLite and to a real
//! PostgreSQL: one list of cases, each on an empty database of its own.

#![cfg(unix)]

mod drafts;
mod folder;
mod losses;
mod moving;
mod people;
mod publishing;
mod schema;
mod teams;
mod wall;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use boathook_server::team::store::{Store, TeamStore};
use boathook_server::team::wire::HookDraft;
use folder::Folder;

use crate::postgres;

/// An empty database, and a folder beside it.
#[derive(Clone)]
pub struct Place {
    /// The database's address.
    pub url: String,
    /// The folder.
    pub folder: Arc<Folder>,
}

impl Place {
    /// Opens it; as often as there are processes.
    pub async fn open(&self) -> Store {
        Store::open(&self.url).await.expect("the database opens")
    }

    /// Opens it and makes a team.
    pub async fn team(&self) -> TeamStore {
        let store = self.open().await;
        let (team, _) = store.create_team("Harbour", "owner@example.com", 1).await.expect("a team");
        store.team(team)
    }
}

struct Case {
    name: &'static str,
    run: fn(Place) -> Pin<Box<dyn Future<Output = ()>>>,
}

macro_rules! cases {
    ($($room:ident::$name:ident,)*) => {
        &[$(Case { name: stringify!($name), run: |place| Box::pin($room::$name(place)) }),*]
    };
}

const CASES: &[Case] = cases![
    drafts::hooks_keep_their_order_and_every_version,
    drafts::an_order_names_every_hook_once,
    drafts::numbers_are_given_out_once,
    drafts::text_comes_back_as_it_was,
    people::the_last_owner_stays,
    people::machines_of_all_teams_are_counted,
    people::two_owners_cannot_remove_each_other,
    people::an_address_is_one_person,
    people::who_leaves_loses_tokens_and_devices,
    people::a_token_is_good_until_something_ends_it,
    people::what_was_made_with_a_token_goes_with_it,
    people::nothing_is_made_behind_the_back_of_who_revokes,
    people::a_sign_in_token_is_good_once,
    people::signing_in_is_all_or_nothing,
    people::a_code_is_taken_once,
    people::a_device_counts_once_for_a_release,
    publishing::a_publication_is_there_as_a_whole,
    publishing::a_publication_that_fails_leaves_nothing,
    publishing::of_many_publishers_one_is_first,
    publishing::versions_never_go_down,
    publishing::old_files_go_and_roots_stay,
    publishing::what_waits_is_replaced_as_a_whole,
    teams::what_is_anothers_does_not_exist,
    teams::a_team_is_set_up_alone,
    schema::many_may_open_an_empty_database_at_once,
    schema::a_newer_schema_is_refused,
    moving::an_export_comes_back_the_same,
    moving::an_export_that_was_changed_is_refused_as_a_whole,
    moving::an_export_from_before_a_column_was_added_comes_in,
    moving::an_import_needs_an_empty_database,
    moving::a_backup_holds_everything_while_others_write,
];

#[test]
fn the_contract_holds_on_sqlite() {
    run_all(|| {
        let folder = Arc::new(Folder::new());
        Place { url: folder.path().join("team.db").display().to_string(), folder }
    });
}

#[test]
fn the_contract_holds_on_postgresql() {
    let Some(cluster) = postgres::shared() else { return };
    run_all(|| Place { url: cluster.database(), folder: Arc::new(Folder::new()) });
}

fn run_all(place: impl Fn() -> Place) {
    let mut failed = Vec::new();
    for case in CASES {
        let place = place();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| block_on((case.run)(place))));
        if outcome.is_err() {
            failed.push(case.name);
        }
    }
    assert!(failed.is_empty(), "these do not hold: {failed:?}");
}

/// Runs a case to its end, on a runtime of its own.
pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

/// A hook to be kept.
pub fn draft(name: &str) -> HookDraft {
    HookDraft {
        hook_step: "beforeShellExecution".to_owned(),
        script_name: name.to_owned(),
        script_content: "#!/bin/sh\nexit 0\n".to_owned(),
        operating_systems: vec!["Linux".to_owned()],
        is_active: true,
        matcher: Some("rm -rf".to_owned()),
        timeout: Some(5),
        fail_closed: true,
        loop_limit: None,
        monitor: false,
    }
}
