//! The reference implementation of The Update Framework, in Python, reads what
//! the server signs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use boathook_server::team::publish;
use boathook_server::team::sign::metadata;
use boathook_server::team::store::{Publication, SignedFile, TufRole};
use serde_json::{Value, json};

use crate::office::{Office, fetch};

/// The reference implementation looks at the clock of the machine.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
    i64::try_from(since.as_millis()).expect("a clock before the year 292 million")
}

#[tokio::test]
async fn python_walks_the_roots_and_takes_the_manifest_and_the_scripts() {
    let Some(python) = installed("BOATHOOK_TEST_PYTUF") else { return };
    let office = Office::at(now()).await;
    office.hook("guard.sh", "exit 2\n").await;
    office.hook("audit.py", "print('é')\n").await;
    office.publish(100).await;
    for _ in 0..4 {
        publish::rotate(&office.team, &office.signer, office.now()).await.expect("new keys");
    }
    let scripts = json!({ "guard.sh": "exit 2\n", "audit.py": "print('é')\n" });
    let expected = json!({ "root": 5, "sequence": 2, "scripts": scripts });
    assert_eq!(ask(&office, &python).await, expected);
}

#[tokio::test]
async fn python_refuses_targets_that_the_wrong_key_signed() {
    let Some(python) = installed("BOATHOOK_TEST_PYTUF") else { return };
    let office = Office::at(now()).await;
    let repository = office.signer.repository(&office.team).await.expect("the repository");
    let time = jiff::Timestamp::from_millisecond(office.now()).expect("a time");
    let roles = repository.roles().expect("roles");
    let version = repository.next(TufRole::Targets);
    let signed = repository.next_targets(version, &repository.targets().expect("targets"), time);
    let content = metadata::sign(&signed, &repository.own(&roles.snapshot));
    let mut work = Publication::after(repository.newest);
    work.metadata.extend(repository.sign_below(&roles, (version, &content), time).expect("signed"));
    work.metadata.push(SignedFile { role: TufRole::Targets, version, content });
    office.team.commit(work).await.expect("written");
    assert_eq!(ask(&office, &python).await, json!({ "refused": "UnsignedMetadataError" }));
}

/// What the client in Python says of the repository.
async fn ask(office: &Office, python: &Path) -> Value {
    let repository = office.folder.path().join("repository");
    write_out(office, &repository).await;
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/python_client.py");
    let mut command = Command::new("python3");
    command.arg(client).arg(&repository).arg(office.folder.path().join("state"));
    let output = command.env("PYTHONPATH", python).output().expect("python3 starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no answer: {error}"))
}

/// The repository as files, each with the name a client asks for.
async fn write_out(office: &Office, folder: &Path) {
    let newest = office.team.newest_versions().await.expect("versions");
    let roots = (1..=newest.root).map(|version| format!("{version}.root.json"));
    let mut names: Vec<String> = roots.collect();
    names.push("timestamp.json".into());
    names.push(format!("{}.snapshot.json", newest.snapshot));
    names.push(format!("{}.targets.json", newest.targets));
    let repository = office.signer.repository(&office.team).await.expect("the repository");
    let targets = repository.targets().expect("targets");
    names.extend(targets.iter().map(|(name, file)| format!("targets/{}.{name}", file.sha256)));
    std::fs::create_dir_all(folder.join("targets")).expect("a folder");
    for name in names {
        let bytes = fetch(&office.team, &name).await.unwrap_or_else(|| panic!("{name} is missing"));
        std::fs::write(folder.join(&name), bytes).expect("a file");
    }
}

/// What `cargo xtask test` installed; none when it said that it cannot be had here.
fn installed(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os(name).unwrap_or_else(|| {
        panic!("{name} is not set: run `cargo xtask test`, which installs it and says where it is")
    });
    if path.is_empty() {
        eprintln!("skipped: {name} is empty, so it cannot be had on this machine");
        return None;
    }
    Some(PathBuf::from(path))
}
