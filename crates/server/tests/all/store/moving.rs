//! Out of a database and into another.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use boathook_engine::digest::Digest;
use boathook_server::team::store::{Kind, Store, StoreError};
use boathook_server::team::wire::{Role, TokenKind};

use super::folder::Folder;
use super::people::{device, token};
use super::publishing::publish;
use super::{Place, block_on, draft};
use crate::postgres;

/// A database with something in every table that is never empty for long, and
/// text that servers of different languages would sort differently.
async fn filled(place: &Place) -> Store {
    let team = place.team().await;
    for name in ["b", "B", "ä", "a-1", "a_1", "A"] {
        team.add_device(&device(name, Some(1))).await.expect("a device");
        team.add_member(&format!("{}@example.com", Digest::of(name.as_bytes())), Role::Member, 2)
            .await
            .expect("one");
    }
    for number in 0..130 {
        team.add_hook(&draft(&format!("{number}.sh")), "a\"\n", 3).await.expect("a hook");
    }
    team.add_token(&token(TokenKind::Api, "api", Some(1))).await.expect("a token");
    publish(&team).await.expect("published");
    publish(&team).await.expect("published");
    place.open().await
}

async fn exported(store: &Store) -> (Vec<u8>, Digest) {
    let mut text = Vec::new();
    let digest = store.export(&mut text).await.expect("an export");
    (text, digest)
}

fn empty_sqlite() -> Place {
    let folder = Arc::new(Folder::new());
    Place { url: folder.path().join("team.db").display().to_string(), folder }
}

pub async fn an_export_comes_back_the_same(place: Place) {
    let store = filled(&place).await;
    let (text, digest) = exported(&store).await;
    let copy = empty_sqlite();
    let other = copy.open().await;
    assert_eq!(other.import(&mut text.as_slice()).await.expect("imported"), digest);
    let (again, same) = exported(&other).await;
    assert!(again == text, "the text is another");
    assert_eq!(same, digest);
    // It goes on where it was: numbers and versions too.
    let team = other.team(1);
    assert_eq!(publish(&team).await.expect("published").sequence, 3);
    assert_eq!(team.add_hook(&draft("next.sh"), "a", 4).await.expect("a hook").id, 131);
    assert_eq!(other.create_team("Second", "o@example.com", 1).await.expect("a team").0, 2);
}

pub async fn an_export_that_was_changed_is_refused_as_a_whole(place: Place) {
    let (text, _) = exported(&filled(&empty_sqlite()).await).await;
    let text = String::from_utf8(text).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    let store = place.open().await;
    let without = |dropped: usize| -> String {
        let kept = lines.iter().enumerate().filter(|(number, _)| *number != dropped);
        kept.map(|(_, line)| format!("{line}\n")).collect()
    };
    for number in (0..lines.len()).step_by(29).chain([lines.len() - 1]) {
        assert!(store.import(&mut without(number).as_bytes()).await.is_err(), "without line {}", number + 1);
    }
    for (what, from, to) in [
        ("another value", "owner@example.com", "other@example.com"),
        ("another table", "\"table\":\"members\"", "\"table\":\"schema_steps\""),
        ("no table at all", "\"table\":\"members\"", "\"table\":\"x; DROP TABLE teams\""),
        ("another format", "\"boathook_export\":1", "\"boathook_export\":2"),
        ("a newer schema", "\"schema\":2", "\"schema\":9000"),
        ("a column too many", "\"table\":\"teams\",\"row\":[", "\"table\":\"teams\",\"row\":[1,"),
        ("text for a number", "\"table\":\"teams\",\"row\":[1", "\"table\":\"teams\",\"row\":[\"1\""),
    ] {
        assert!(text.contains(from), "{what}");
        let refused = store.import(&mut text.replacen(from, to, 1).as_bytes()).await;
        assert!(refused.is_err(), "{what}");
    }
    for text in ["", "{}", "SQLite format 3\0", "{\"boathook_export\":1,\"schema\":1}\n"] {
        assert!(store.import(&mut text.as_bytes()).await.is_err(), "{text:?}");
    }
    assert!(store.import(&mut [0xff, 0xfe, b'\n'].as_slice()).await.is_err());
    assert!(store.teams().await.expect("no teams").is_empty());
    store.import(&mut text.as_bytes()).await.expect("as it was");
}

/// What version 1 wrote: rows of tokens and codes end before what they were made with.
pub async fn an_export_from_before_a_column_was_added_comes_in(place: Place) {
    let (text, _) = exported(&filled(&empty_sqlite()).await).await;
    let mut digest = Digest::of(b"");
    let mut old = String::new();
    for line in String::from_utf8(text).expect("text").lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        match line["table"].as_str() {
            Some("tokens" | "codes") => drop(line["row"].as_array_mut().expect("a row").pop()),
            Some(_) => {}
            None if line["schema"].is_i64() => line["schema"] = 1.into(),
            None => line["sha256"] = digest.to_string().into(),
        }
        let line = line.to_string();
        digest = Digest::of(&[digest.as_bytes().as_slice(), line.as_bytes()].concat());
        old.push_str(&line);
        old.push('\n');
    }
    let store = place.open().await;
    let mixed = old.replacen("\"schema\":1", "\"schema\":2", 1);
    assert!(store.import(&mut mixed.as_bytes()).await.is_err(), "too short for what it says it is");
    store.import(&mut old.as_bytes()).await.expect("imported");
    let tokens = store.team(1).tokens().await.expect("tokens");
    assert_eq!(tokens.iter().map(|token| token.made_with).collect::<Vec<_>>(), [None]);
}

pub async fn an_import_needs_an_empty_database(place: Place) {
    let store = filled(&place).await;
    let (text, digest) = exported(&store).await;
    let refused = store.import(&mut text.as_slice()).await;
    assert!(matches!(refused, Err(StoreError::Exists(_))), "{refused:?}");
    assert_eq!(exported(&store).await.1, digest);
}

pub async fn a_backup_holds_everything_while_others_write(place: Place) {
    let store = filled(&place).await;
    let (_, digest) = exported(&store).await;
    let copy = place.folder.path().join("copy");
    store.backup(&copy).await.expect("a backup");
    let mode = std::fs::metadata(&copy).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    assert!(store.backup(&copy).await.is_err(), "a file that is there is not written over");
    let restored = match store.kind() {
        Kind::Sqlite => {
            let misread =
                empty_sqlite().open().await.restore(&copy).await.expect_err("no export").to_string();
            assert!(misread.contains("in the place of the old one"), "{misread}");
            Store::open(&copy.display().to_string()).await.expect("the copy is a database")
        }
        Kind::Postgres => {
            let empty = empty_sqlite().open().await;
            assert_eq!(empty.restore(&copy).await.expect("restored"), digest);
            empty
        }
    };
    assert_eq!(exported(&restored).await.1, digest);

    let team = store.team(1);
    let writer = tokio::spawn(async move {
        for _ in 0..10 {
            publish(&team).await.expect("published");
        }
    });
    for number in 0..3 {
        let copy = place.folder.path().join(format!("copy{number}"));
        store.backup(&copy).await.expect("a backup while others write");
    }
    writer.await.expect("the writer ends");
}

#[test]
fn a_team_moves_from_sqlite_to_postgresql_and_back() {
    let Some(cluster) = postgres::shared() else { return };
    block_on(async {
        let (text, digest) = exported(&filled(&empty_sqlite()).await).await;
        let moved = Store::open(&cluster.database()).await.expect("a database");
        assert_eq!(moved.import(&mut text.as_slice()).await.expect("imported"), digest);
        let (there, same) = exported(&moved).await;
        assert!(there == text && same == digest, "PostgreSQL holds something else");
        let back = empty_sqlite().open().await;
        back.import(&mut there.as_slice()).await.expect("imported");
        assert_eq!(exported(&back).await.1, digest);
    });
}
