//! Opening a database: by many at once, by an old version, and where it lies.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use boathook_server::team::store::{Store, StoreError};

use super::folder::Folder;
use super::{Place, block_on};

pub async fn many_may_open_an_empty_database_at_once(place: Place) {
    let mut work = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let place = place.clone();
        work.spawn(async move { place.open().await.ping().await.expect("it answers") });
    }
    assert_eq!(work.join_all().await.len(), 6);
    assert!(place.open().await.teams().await.expect("no teams").is_empty());
}

pub async fn a_newer_schema_is_refused(place: Place) {
    let store = place.open().await;
    store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
    store.close().await;
    let address = match place.url.starts_with("postgres") {
        true => place.url.clone(),
        false => format!("sqlite://{}", place.url),
    };
    let raw = sqlx::AnyPool::connect(&address).await.expect("the database opens");
    sqlx::query("INSERT INTO schema_steps (number) VALUES (9000)")
        .execute(&raw)
        .await
        .expect("a newer schema");
    raw.close().await;
    let refused = Store::open(&place.url).await.map(drop);
    assert!(matches!(refused, Err(StoreError::Newer { found: 9000, .. })), "{refused:?}");
    let said = refused.expect_err("refused").to_string();
    assert!(said.contains("9000") && said.contains("newer"), "{said}");
}

#[test]
fn a_database_file_belongs_to_its_owner_alone() {
    let folder = Folder::new();
    let path = folder.path().join("with space?#%.db");
    block_on(async {
        let store = Store::open(&path.display().to_string()).await.expect("a database");
        store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
        for entry in fs::read_dir(folder.path()).expect("files") {
            let entry = entry.expect("a file");
            let mode = entry.metadata().expect("a file").permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}", entry.file_name());
            let ours = entry.file_name().to_string_lossy().starts_with("with space?#%.db");
            assert!(ours, "{:?}", entry.file_name());
        }
        store.close().await;
    });
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
    block_on(async {
        Store::open(&format!("sqlite:{}", path.display())).await.expect("again").close().await
    });
    assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_database_that_cannot_be_kept_is_refused_with_a_reason() {
    let folder = Folder::new();
    let open = folder.path().join("open");
    fs::create_dir(&open).expect("a folder");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("a mode");
    fs::write(folder.path().join("text.db"), "this is no database, and long enough to see it")
        .expect("a file");
    for (url, reason) in [
        (open.join("team.db").display().to_string(), "everybody may write"),
        (folder.path().join("missing/team.db").display().to_string(), "missing"),
        (open.display().to_string(), "directory"),
        (folder.path().join("text.db").display().to_string(), "not a database"),
        ("mysql://me:secret@host/x".to_owned(), "mysql://…@host/x is no database"),
        (String::new(), "is no database"),
        ("postgres://boathook@localhost/none?host=/nowhere".to_owned(), "No such file"),
    ] {
        let refused = block_on(Store::open(&url)).map(drop);
        let said = refused.expect_err("it is refused").to_string();
        assert!(said.contains(reason), "{url}: {said}");
        assert!(!said.contains("secret"), "{said}");
    }
}

#[test]
fn many_who_start_on_one_file_at_once_wait_for_each_other() {
    for _ in 0..10 {
        let folder = Folder::new();
        let path = folder.path().join("team.db");
        let start = |path: &Path| {
            let url = path.display().to_string();
            std::thread::spawn(move || block_on(async { Store::open(&url).await?.teams().await }))
        };
        let starts: Vec<_> = (0..6).map(|_| start(&path)).collect();
        for one in starts {
            let teams = one.join().expect("it ends").expect("it opens");
            assert!(teams.is_empty());
        }
        // Bytes 18 and 19 say that readers and the writer do not wait for each other.
        assert_eq!(fs::read(&path).expect("a file").get(18..20), Some(&[2, 2][..]));
    }
}
