use std::fs;

use super::*;
use crate::event::EventKind;
use crate::testing::TempDir;

/// A workspace with one guard, and a store beside it.
struct Fixture {
    dir: TempDir,
    trust: Trust,
    source: Source,
}

const CONFIG: &[u8] = br#"{"version":1,"hooks":{"stop":[{"command":"sh .cursor/hooks/guard.sh"}]}}"#;
const COMMAND: &str = "sh .cursor/hooks/guard.sh";

impl Fixture {
    fn new() -> Fixture {
        let dir = TempDir::new();
        dir.write("ws/.cursor/hooks.json", CONFIG);
        dir.write("ws/.cursor/hooks/guard.sh", "exit 0\n");
        fs::create_dir(dir.path().join("home")).expect("a home");
        let roots = Roots {
            os: Os::current(),
            system: dir.path().join("root"),
            home: dir.path().join("home"),
            workspaces: Vec::new(),
            state: dir.path().join("state"),
            plugins: Vec::new(),
        };
        let source = Source::project(&dir.path().join("ws"));
        Fixture { trust: Trust::new(&roots), source, dir }
    }

    fn subject(&self, command: &str) -> Subject {
        self.trust.subject(&self.source, CONFIG, &[hook(command)])
    }

    fn status(&self, command: &str) -> TrustState {
        self.trust.status(&self.source, CONFIG, &[hook(command)])
    }

    fn accept(&self, command: &str) {
        self.trust.accept(&self.subject(command)).expect("accepted");
        assert_eq!(self.status(command), TrustState::Trusted);
    }

    fn guard(&self) -> PathBuf {
        self.dir.path().join("ws/.cursor/hooks/guard.sh")
    }

    fn record_file(&self) -> PathBuf {
        let names = self.trust.state.names(RECORDS).expect("listed");
        let name = names.iter().find(|name| name.as_str() != "blobs").expect("a record");
        self.trust.state.file(RECORDS, name)
    }
}

fn hook(command: &str) -> Definition {
    Definition::command(EventKind::Stop, command)
}

/// Path, what changed, whether old and new contents are known.
fn changes(state: TrustState) -> Vec<(String, ChangeKind, bool, bool)> {
    match state {
        TrustState::Changed(difference) => {
            let name = |path: &Path| {
                path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            };
            let changes = difference.changes.into_iter();
            changes
                .map(|change| (name(&change.path), change.kind, change.old.is_some(), change.new.is_some()))
                .collect()
        }
        other => panic!("not a change: {other:?}"),
    }
}

#[test]
fn nothing_is_trusted_before_somebody_looked() {
    let fixture = Fixture::new();
    assert_eq!(fixture.status(COMMAND), TrustState::New);
    assert!(!fixture.trust.state.path().exists(), "asking stores nothing");
    fixture.accept(COMMAND);
    assert!(fixture.trust.revoke(&fixture.source).expect("revoked"));
    assert!(!fixture.trust.revoke(&fixture.source).expect("nothing left"));
    assert_eq!(fixture.status(COMMAND), TrustState::New);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// C15, and every other way to swap what runs.
    #[test]
    fn c15_any_change_of_a_covered_file_withdraws_trust() {
        use ChangeKind::*;
        type Edit = fn(&Path);
        type Expected = (ChangeKind, bool, bool);
        let cases: [(&str, Edit, Expected); 8] = [
            ("one byte", |f| fs::write(f, "exit 1\n").expect("written"), (Content, true, true)),
            ("one byte more", |f| fs::write(f, "exit 0\n\n").expect("written"), (Content, true, true)),
            ("only the mode", |f| chmod(f, 0o755), (Mode, true, true)),
            ("removed", |f| fs::remove_file(f).expect("removed"), (Vanished, true, false)),
            (
                "a link to the same contents",
                |f| {
                    fs::rename(f, f.with_extension("real")).expect("moved");
                    symlink("guard.real", f).expect("a link");
                },
                (BecameLink, true, true),
            ),
            (
                "a directory",
                |f| {
                    fs::remove_file(f).expect("removed");
                    fs::create_dir(f).expect("a directory");
                },
                (Vanished, true, false),
            ),
            (
                "a socket",
                |f| {
                    fs::remove_file(f).expect("removed");
                    let _ = std::os::unix::net::UnixListener::bind(f).expect("a socket");
                },
                (Content, true, false),
            ),
            (
                "replaced by another file",
                |f| {
                    fs::write(f.with_extension("new"), "rm -rf /\n").expect("written");
                    fs::rename(f.with_extension("new"), f).expect("renamed");
                },
                (Content, true, true),
            ),
        ];
        for (name, edit, (kind, old, new)) in cases {
            let fixture = Fixture::new();
            chmod(&fixture.guard(), 0o644);
            fixture.accept(COMMAND);
            edit(&fixture.guard());
            assert_eq!(changes(fixture.status(COMMAND)), [("guard.sh".to_owned(), kind, old, new)], "{name}");
        }
    }

    #[test]
    fn the_same_contents_again_are_trusted_again() {
        let fixture = Fixture::new();
        fixture.accept(COMMAND);
        fs::write(fixture.guard(), "exit 1\n").expect("written");
        fs::write(fixture.guard(), "exit 0\n").expect("written");
        assert_eq!(fixture.status(COMMAND), TrustState::Trusted);
    }

    #[test]
    fn where_a_link_leads_is_pinned_with_what_it_leads_to() {
        let fixture = Fixture::new();
        let hooks = fixture.dir.path().join("ws/.cursor/hooks");
        for name in ["a", "b"] {
            fs::write(hooks.join(name), "exit 0\n").expect("written");
        }
        symlink("a", hooks.join("link.sh")).expect("a link");
        let command = "sh .cursor/hooks/link.sh";
        fixture.accept(command);
        fs::remove_file(hooks.join("link.sh")).expect("removed");
        symlink("b", hooks.join("link.sh")).expect("a link");
        assert_eq!(
            changes(fixture.status(command)),
            [("link.sh".to_owned(), ChangeKind::LinkTarget, true, true)]
        );

        fixture.accept(command);
        fs::write(hooks.join("b"), "exit 1\n").expect("written");
        assert_eq!(
            changes(fixture.status(command)),
            [("link.sh".to_owned(), ChangeKind::Content, true, true)]
        );
    }

    #[test]
    fn a_workspace_reached_by_a_link_is_the_same_workspace() {
        let fixture = Fixture::new();
        fixture.accept(COMMAND);
        symlink("ws", fixture.dir.path().join("alias")).expect("a link");
        let alias = Source::project(&fixture.dir.path().join("alias"));
        assert_eq!(fixture.trust.status(&alias, CONFIG, &[hook(COMMAND)]), TrustState::Trusted);
    }

    #[test]
    fn a_store_that_others_may_write_vouches_for_nothing() {
        let fixture = Fixture::new();
        fixture.accept(COMMAND);
        chmod(fixture.trust.state.path(), 0o777);
        let TrustState::Broken(reason) = fixture.status(COMMAND) else { panic!("it was believed") };
        assert!(reason.contains("is writable by others (mode 0777)"), "{reason}");
        assert!(fixture.trust.accept(&fixture.subject(COMMAND)).is_err());
    }

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    }
}

#[test]
fn a_file_that_is_named_and_not_there_is_pinned_as_absent() {
    let fixture = Fixture::new();
    let command = "sh .cursor/hooks/later.sh; sh loose";
    fixture.accept(command);
    fixture.dir.write("ws/.cursor/hooks/later.sh", "rm -rf /\n");
    assert_eq!(
        changes(fixture.status(command)),
        [("later.sh".to_owned(), ChangeKind::Appeared, false, true)]
    );

    fixture.accept(command);
    fixture.dir.write("ws/loose", "rm -rf /\n");
    assert_eq!(changes(fixture.status(command)), [("loose".to_owned(), ChangeKind::Named, false, true)]);
    fixture.accept(command);
    fs::remove_file(fixture.dir.path().join("ws/loose")).expect("removed");
    assert_eq!(changes(fixture.status(command)), [("loose".to_owned(), ChangeKind::Vanished, true, false)]);
}

#[test]
fn a_directory_a_hook_makes_for_itself_changes_nothing() {
    let fixture = Fixture::new();
    let command = "sh .cursor/hooks/guard.sh --state .cursor/state >> .cursor/out.json";
    fixture.accept(command);
    fs::create_dir(fixture.dir.path().join("ws/.cursor/state")).expect("a directory");
    fixture.dir.write("ws/.cursor/out.json", "written by the hook");
    assert_eq!(fixture.status(command), TrustState::Trusted);
    let uncovered: Vec<_> =
        fixture.subject(command).uncovered.into_iter().map(|uncovered| uncovered.why).collect();
    assert_eq!(uncovered, [Why::Written, Why::Directory]);
}

#[test]
fn the_configuration_is_pinned_byte_by_byte() {
    let fixture = Fixture::new();
    fixture.accept(COMMAND);
    let mut other = CONFIG.to_vec();
    other.push(b' ');
    let TrustState::Changed(difference) = fixture.trust.status(&fixture.source, &other, &[hook(COMMAND)])
    else {
        panic!("not noticed")
    };
    assert_eq!(difference.changes[0].path, fixture.source.file);
    assert_eq!(difference.changes[0].old.as_deref(), Some(CONFIG));
    assert_eq!(difference.changes[0].new.as_deref(), Some(&other[..]));

    let gone = fixture.trust.examine(&fixture.source, None, &[], Scripts::Checked);
    assert_eq!(changes(gone.state), [("hooks.json".to_owned(), ChangeKind::Vanished, true, false)]);
    assert_eq!(gone.trusted_config.as_deref(), Some(CONFIG));
}

#[test]
fn a_command_that_names_other_files_is_another_subject() {
    let fixture = Fixture::new();
    fixture.accept(COMMAND);
    fixture.dir.write("ws/other.sh", "exit 0\n");
    assert_eq!(
        changes(fixture.status("sh other.sh")),
        [
            ("other.sh".to_owned(), ChangeKind::Named, false, true),
            ("guard.sh".to_owned(), ChangeKind::NoLongerNamed, true, false),
        ]
    );
}

#[test]
fn trust_of_one_workspace_is_not_trust_of_its_copy() {
    let fixture = Fixture::new();
    fixture.accept(COMMAND);
    fixture.dir.write("copy/.cursor/hooks.json", CONFIG);
    fixture.dir.write("copy/.cursor/hooks/guard.sh", "exit 0\n");
    let copy = Source::project(&fixture.dir.path().join("copy"));
    assert_eq!(fixture.trust.status(&copy, CONFIG, &[hook(COMMAND)]), TrustState::New);
    assert_ne!(
        fixture.trust.subject(&copy, CONFIG, &[hook(COMMAND)]).sha256,
        fixture.subject(COMMAND).sha256
    );

    // Nor does a record vouch for a workspace whose name it was copied to.
    fixture.trust.accept(&fixture.trust.subject(&copy, CONFIG, &[hook(COMMAND)])).expect("accepted");
    let own = fixture.trust.state.file(RECORDS, &Place::of(&fixture.source).record_name);
    let other = fixture.trust.state.file(RECORDS, &Place::of(&copy).record_name);
    fs::copy(other, own).expect("copied");
    let TrustState::Broken(reason) = fixture.status(COMMAND) else { panic!("it was believed") };
    assert!(reason.contains("belongs to another file"), "{reason}");
}

#[test]
fn without_a_person_only_the_very_hash_is_accepted() {
    let fixture = Fixture::new();
    let subject = fixture.subject(COMMAND);
    for wrong in ["", "yes", &subject.sha256.to_string()[1..]] {
        assert!(
            matches!(fixture.trust.accept_hash(&[&subject], wrong), Err(TrustError::NotADigest(_))),
            "{wrong}"
        );
    }
    let other = Digest::of(b"something else").to_string();
    assert!(matches!(fixture.trust.accept_hash(&[&subject], &other), Err(TrustError::NotTheSame { .. })));
    assert_eq!(fixture.status(COMMAND), TrustState::New);
    fixture.trust.accept_hash(&[&subject], &format!(" {}\n", subject.sha256)).expect("accepted");
    assert_eq!(fixture.status(COMMAND), TrustState::Trusted);
}

#[test]
fn what_was_looked_at_is_accepted_and_not_what_came_after() {
    let fixture = Fixture::new();
    let shown = fixture.subject(COMMAND);
    fs::write(fixture.guard(), "rm -rf /\n").expect("swapped while somebody reads");
    fixture.trust.accept(&shown).expect("accepted");
    assert_eq!(changes(fixture.status(COMMAND)), [("guard.sh".to_owned(), ChangeKind::Content, true, true)]);
}

/// C22: a damaged store is no trust, and says what is wrong.
#[test]
fn c22_a_damaged_store_is_never_trust() {
    let fixture = Fixture::new();
    fixture.accept(COMMAND);
    let path = fixture.record_file();
    let whole = fs::read(&path).expect("read");
    let broken = |what: &str| match fixture.status(COMMAND) {
        TrustState::Broken(reason) => reason,
        other => panic!("{what}: {other:?}"),
    };
    for length in [0, 1, 64, 65, 66, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("cut off");
        assert!(broken("cut off").contains("damaged"), "cut at {length}");
    }
    for byte in (65..whole.len()).step_by(7) {
        let mut flipped = whole.clone();
        flipped[byte] ^= 4;
        fs::write(&path, &flipped).expect("flipped");
        assert!(broken("flipped").contains("damaged"), "byte {byte}");
    }
    for body in ["null", "{}", "[]", r#"{"format":2}"#] {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        fixture
            .trust
            .state
            .write_sealed(RECORDS, &name, body.as_bytes(), Durability::Relaxed)
            .expect("written");
        assert!(broken(body).contains("cannot be read"), "{body}");
    }
    assert!(fixture.trust.list().expect("listed")[0].is_err(), "it is listed as what it is");

    // An older record is what it was: a record of older files.
    fs::write(&path, &whole).expect("restored");
    fs::write(fixture.guard(), "exit 1\n").expect("written");
    fixture.accept(COMMAND);
    fs::write(&path, &whole).expect("rolled back");
    assert_eq!(changes(fixture.status(COMMAND)), [("guard.sh".to_owned(), ChangeKind::Content, false, true)]);
}

#[test]
fn a_lost_copy_of_the_configuration_is_said() {
    let fixture = Fixture::new();
    fixture.accept(COMMAND);
    let copy = fixture.trust.state.file(BLOBS, &Digest::of(CONFIG).to_string());
    fs::write(&copy, "{}").expect("damaged");
    assert_eq!(fixture.status(COMMAND), TrustState::Trusted, "what stands there is what was trusted");
    let examined = fixture.trust.examine(&fixture.source, Some(b"{}"), &[], Scripts::Checked);
    assert!(matches!(examined.state, TrustState::Broken(_)), "{:?}", examined.state);
    fixture.accept(COMMAND);
    assert_eq!(fs::read(&copy).expect("read"), CONFIG, "accepting again mends it");
}

#[test]
fn what_is_trusted_can_be_listed() {
    let fixture = Fixture::new();
    assert!(fixture.trust.list().expect("listed").is_empty());
    fixture.accept(COMMAND);
    let listed = fixture.trust.list().expect("listed");
    let [Ok(record)] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!(record.file, fixture.source.file.to_string_lossy());
    assert_eq!(record.sha256, fixture.subject(COMMAND).sha256);
    assert_eq!(record.level, "project");
    assert!(record.when > 1_700_000_000);
    let covered: Vec<_> =
        record.files.iter().filter(|pin| pin.is_file()).map(|pin| pin.path.clone()).collect();
    assert_eq!(covered, [fixture.guard()]);
    assert_eq!(fixture.subject(COMMAND).existing_files(), [fixture.source.file.clone(), fixture.guard()]);
}

#[test]
fn copies_live_as_long_as_a_record_refers_to_them() {
    let fixture = Fixture::new();
    let copies = || fixture.trust.state.names(BLOBS).expect("listed").len();
    fixture.accept(COMMAND);
    assert_eq!(copies(), 2);
    fs::write(fixture.guard(), "exit 1\n").expect("written");
    fixture.accept(COMMAND);
    assert_eq!(copies(), 2, "the old script is not kept");
    fixture.trust.revoke(&fixture.source).expect("revoked");
    assert_eq!(copies(), 0);
}

#[test]
fn a_full_or_forbidden_store_is_an_error_and_no_trust() {
    let fixture = Fixture::new();
    fixture.dir.write("state", "a file where the directory should be");
    let error = fixture.trust.accept(&fixture.subject(COMMAND)).expect_err("cannot be stored");
    assert!(error.to_string().contains("is not a directory"), "{error}");
    assert!(matches!(fixture.status(COMMAND), TrustState::Broken(_)));
}

#[test]
fn red_team_m2_a_program_of_any_size_is_pinned_by_its_contents() {
    let fixture = Fixture::new();
    let program = fixture.dir.path().join("ws/program");
    let size = (256 << 20) + 4096;
    // Sparse: it takes no room, and every byte of it is hashed.
    fs::File::create(&program).and_then(|file| file.set_len(size)).expect("made");
    let command = "./program";
    fixture.accept(command);
    assert!(fixture.subject(command).files[0].bytes.is_none(), "contents of this size are not copied");
    let mut file = fs::OpenOptions::new().write(true).open(&program).expect("opened");
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(size - 1)).expect("sought");
    std::io::Write::write_all(&mut file, b"x").expect("written");
    assert_eq!(changes(fixture.status(command)), [("program".to_owned(), ChangeKind::Content, false, false)]);
}
