//! A start that ends in the middle of a step, at every statement of it.

#[cfg(unix)]
#[allow(dead_code)] // the integration tests use the rest
#[path = "../../../../tests/all/postgres/mod.rs"]
mod postgres;

use std::path::PathBuf;

use sqlx::{AssertSqlSafe, Row};

use super::super::open;
use super::super::schema::STEPS;
use super::super::tables::{Column, Holds, TABLES};
use super::*;

/// A step that ends after so many statements, as if the process had ended
/// there: nothing more is said to the database.
async fn cut_short(store: &Store, step: &Step, reach: usize) {
    let mut work = store.write().await.expect("a beginning");
    newest_step(store, &mut work).await.expect("a number");
    for statement in step.statements.iter().take(reach) {
        let statement = AssertSqlSafe(in_dialect(store.kind, statement));
        sqlx::query(statement).execute(&mut *work).await.expect("a statement");
    }
    drop(work);
}

async fn d18(url: &str) {
    for (done, step) in STEPS.iter().enumerate() {
        for reach in 0..=step.statements.len() {
            let store = open::open(url).await.expect("a database");
            migrate(&store, &STEPS[..done]).await.expect("what was done before");
            cut_short(&store, step, reach).await;
            store.close().await;
        }
    }
    // The last start goes through, and there is exactly one of every table.
    let store = Store::open(url).await.expect("the next start goes on");
    store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
    store.close().await;
    let again = Store::open(url).await.expect("nothing is left to do");
    assert_eq!(again.teams().await.expect("teams"), [1]);
}

#[test]
fn d18_a_start_that_ended_in_the_middle_goes_on_on_sqlite() {
    let folder = Folder::new("d18");
    block_on(d18(&folder.file()));
}

#[cfg(unix)]
#[test]
fn d18_a_start_that_ended_in_the_middle_goes_on_on_postgresql() {
    let Some(cluster) = postgres::shared() else { return };
    block_on(d18(&cluster.database()));
}

/// A database of the first version, with a token in it.
async fn old_database(url: &str) {
    let store = open::open(url).await.expect("a database");
    migrate(&store, &STEPS[..1]).await.expect("the first step");
    for statement in [
        "INSERT INTO teams (team_id, name, mode, repository, channel, root_fingerprint, stale_days, stale_policy,
            halt_percent, halt_least, created_at) VALUES (1, 'x', 'easy', 'r', 'stable', '', 7, 'warn', 5, 3, 1)",
        "INSERT INTO counters (team_id, name, value) VALUES (1, 'tokens', 1)",
        "INSERT INTO tokens (team_id, token_id, kind, prefix, name, role, digest, created_at)
            VALUES (1, 1, 'enrolment', 'p', 'n', 'member', 'd', 1)",
    ] {
        sqlx::query(statement).execute(&store.pool).await.expect("a row");
    }
    store.close().await;
}

async fn old_tokens_stay(url: &str) {
    old_database(url).await;
    let team = Store::open(url).await.expect("the second step").team(1);
    let kept = team.token(1).await.expect("a token").expect("a token");
    assert_eq!((kept.made_with, kept.revoked_at), (None, None));
    assert!(team.revoke_token(1, 5).await.expect("revoked"));
}

#[test]
fn a_token_from_before_anybody_knew_what_it_was_made_with_stays_on_sqlite() {
    let folder = Folder::new("old");
    block_on(old_tokens_stay(&folder.file()));
}

#[cfg(unix)]
#[test]
fn a_token_from_before_anybody_knew_what_it_was_made_with_stays_on_postgresql() {
    let Some(cluster) = postgres::shared() else { return };
    block_on(old_tokens_stay(&cluster.database()));
}

#[test]
fn steps_go_up_by_one() {
    for (step, number) in STEPS.iter().zip(1..) {
        assert_eq!(step.number, number);
        assert!(!step.statements.is_empty());
    }
}

#[test]
fn an_export_has_every_table_with_every_column_and_its_key() {
    let folder = Folder::new("columns");
    block_on(async {
        let store = Store::open(&folder.file()).await.expect("a database");
        let sql = "SELECT m.name AS place, c.name AS name, c.type AS holds, c.pk AS key
            FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name <> 'schema_steps' ORDER BY m.name, c.cid";
        let rows = sqlx::query(sql).fetch_all(&store.pool).await.expect("columns");
        let told = rows.iter().map(|row| {
            let text = |name: &str| row.try_get::<String, _>(name).expect("text");
            (text("place"), text("name"), text("holds"), row.try_get::<i64, _>("key").expect("a number"))
        });
        let mut listed: Vec<(String, String, String, i64)> = TABLES
            .iter()
            .flat_map(|table| {
                table.columns.iter().zip(1..).map(move |(column, place)| (table, column, place))
            })
            .map(|(table, column, place)| {
                let key = if place <= table.key { place as i64 } else { 0 };
                (table.name.to_owned(), column.name.to_owned(), declared(column).to_owned(), key)
            })
            .collect();
        listed.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(listed, told.collect::<Vec<_>>());
    });
}

fn declared(column: &Column) -> &'static str {
    match column.holds {
        Holds::Number => "BIGINT",
        Holds::Text => "TEXT",
        Holds::Bytes => "BLOB",
    }
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

/// A folder of one test's own.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("boathook-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self) -> String {
        self.0.join("team.db").display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
