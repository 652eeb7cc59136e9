//! The database goes away for a while, and comes back.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use boathook_server::team::store::{Store, StoreError, TeamStore, Versions};

use super::folder::Folder;
use super::publishing::publish;
use super::{block_on, draft};
use crate::postgres::{self, Cluster};

#[test]
fn d17_a_restart_of_postgresql_loses_nothing_and_needs_no_help() {
    let Some(mut cluster) = Cluster::start() else { return };
    block_on(async {
        let store = Store::open(&cluster.database()).await.expect("a database");
        let (id, _) = store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
        let team = store.team(id);
        publish(&team).await.expect("published");
        let before = store.export(&mut Vec::new()).await.expect("an export");
        cluster.stop();
        let error = team.add_hook(&draft("x"), "a", 1).await.expect_err("nobody is there");
        assert!(error.is_passing(), "{error:?}");
        assert!(store.ping().await.is_err());
        cluster.start_again();
        store.ping().await.expect("it is back");
        assert_eq!(store.export(&mut Vec::new()).await.expect("an export"), before);
        assert_eq!(publish(&team).await.expect("published").sequence, 2);
    });
}

#[test]
fn d17_connections_that_were_cut_are_made_anew() {
    let Some(cluster) = postgres::shared() else { return };
    block_on(async {
        let url = cluster.database();
        let store = Store::open(&url).await.expect("a database");
        let (id, _) = store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
        let team = store.team(id);
        for round in 1..=5u64 {
            cluster.cut_off(&url);
            assert_eq!(publish(&team).await.expect("published").sequence, round);
        }
    });
}

#[test]
fn a_publisher_that_is_cut_off_in_the_middle_publishes_all_or_nothing() {
    let Some(cluster) = postgres::shared() else { return };
    block_on(async {
        let url = cluster.database();
        let store = Store::open(&url).await.expect("a database");
        let (id, _) = store.create_team("Harbour", "o@example.com", 1).await.expect("a team");
        let team = store.team(id);
        let cutter = tokio::task::spawn_blocking(move || (0..40).for_each(|_| cluster.cut_off(&url)));
        let mut told = 0;
        while !cutter.is_finished() {
            match publish(&team).await {
                Ok(_) => told += 1,
                Err(error) => assert!(error.is_passing(), "{error:?}"),
            }
        }
        cutter.await.expect("the cutter ends");
        let versions = publish(&team).await.expect("published");
        // An answer can be lost after the work was done; work is never half done.
        assert!(versions.sequence > told, "{versions:?} {told}");
        assert_eq!(versions.sequence, versions.revision);
        assert_eq!((versions.root, versions.targets), (versions.sequence, versions.sequence));
        assert_eq!(team.releases().await.expect("releases").len() as u64, versions.sequence);
    });
}

/// The address a killed publisher finds in its environment.
const PUBLISHER: &str = "BOATHOOK_TEST_PUBLISHER";

#[test]
fn a_publisher_that_is_killed_leaves_whole_publications() {
    if let Some(url) = std::env::var_os(PUBLISHER) {
        publish_for_ever(&url.to_string_lossy());
    }
    let folder = Folder::new();
    let mut urls = vec![folder.path().join("team.db").display().to_string()];
    urls.extend(postgres::shared().map(Cluster::database));
    for url in urls {
        let (id, _) = block_on(async {
            let store = Store::open(&url).await.expect("a database");
            store.create_team("Harbour", "o@example.com", 1).await.expect("a team")
        });
        for round in 1..=8 {
            let told = kill_after(&url, round);
            block_on(async {
                let store = Store::open(&url).await.expect("the database opens again");
                let (versions, releases) = standing(&store.team(id)).await;
                assert!(versions.sequence >= told, "{versions:?}, and {told} was told");
                assert_eq!((versions.root, versions.revision), (versions.sequence, versions.sequence));
                assert_eq!(releases, versions.sequence);
            });
        }
    }
}

/// The versions and how many releases there are, at one moment: PostgreSQL may
/// still finish what the dead one asked for.
async fn standing(team: &TeamStore) -> (Versions, u64) {
    loop {
        let before = team.newest_versions().await.expect("versions");
        let releases = team.releases().await.expect("releases").len() as u64;
        if team.newest_versions().await.expect("versions") == before {
            return (before, releases);
        }
    }
}

/// Starts a publisher and kills it while it goes on after so many publications.
/// Gives the sequence it told last.
fn kill_after(url: &str, publications: usize) -> u64 {
    let mut publisher = Command::new(std::env::current_exe().expect("this program"));
    publisher.args([
        "--exact",
        "store::losses::a_publisher_that_is_killed_leaves_whole_publications",
        "--nocapture",
    ]);
    let mut publisher = publisher.env(PUBLISHER, url).stdout(Stdio::piped()).spawn().expect("it starts");
    let output = BufReader::new(publisher.stdout.take().expect("its output"));
    let told =
        output.lines().map_while(Result::ok).filter_map(|line| line.strip_prefix("published ")?.parse().ok());
    let last = told.take(publications).last();
    publisher.kill().expect("it is killed");
    publisher.wait().expect("it ends");
    last.expect("it published something")
}

fn publish_for_ever(url: &str) -> ! {
    block_on(async {
        let team = Store::open(url).await.expect("a database").team(1);
        loop {
            match publish(&team).await {
                Ok(versions) => println!("\npublished {}", versions.sequence),
                // PostgreSQL has just finished what the dead one before asked for.
                Err(StoreError::Conflict) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    })
}

#[test]
fn what_will_not_pass_is_told_from_what_will() {
    for (error, passing) in [
        (StoreError::Conflict, true),
        (StoreError::Database(sqlx::Error::PoolTimedOut), true),
        (StoreError::Database(sqlx::Error::RowNotFound), false),
        (StoreError::LastOwner, false),
    ] {
        assert_eq!(error.is_passing(), passing, "{error:?}");
    }
}
