//! Hooks of a workspace run when it is trusted, and only then.

use super::*;
use crate::trust::ChangeKind;

const GUARD: &str = "sh .cursor/hooks/guard.sh";

fn workspace() -> Files {
    let files = Files::new();
    files.write("ws/.cursor/hooks.json", &gate_json("beforeShellExecution", GUARD));
    files.write("ws/.cursor/hooks/guard.sh", "exit 0\n");
    files
}

fn trust_state(set: &HookSet) -> TrustState {
    let report = set.sources.iter().find(|report| report.source.level == Level::Project).expect("looked for");
    report.trust.as_deref().expect("asked").clone()
}

#[test]
fn an_untrusted_workspace_is_withheld_and_reported() {
    let files = workspace();
    let set = files.load(LoadOptions::default());
    assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Untrusted))]);
    assert_eq!(codes(&set), ["untrusted"]);
    assert_eq!(set.problems[0].message, "1 hook is withheld: the workspace is not trusted");
    assert_eq!(trust_state(&set), TrustState::New);
    assert!(set.trusted_once.is_empty());
}

#[test]
fn trust_given_elsewhere_is_seen_by_a_running_engine() {
    let files = workspace();
    let mut loader = files.loader(LoadOptions::default());
    let workspaces = [files.path("ws")];
    assert!(ready(&loader.hooks(&workspaces)).is_empty());
    files.trust();
    assert_eq!(ready(&loader.hooks(&workspaces)), [GUARD]);
    let source = loader.candidates(&workspaces)[0].source.clone();
    assert!(files.loader(LoadOptions::default()).trust().revoke(&source).expect("revoked"));
    assert!(ready(&loader.hooks(&workspaces)).is_empty());
}

/// Trust goes by the name of the place that a root leads to.
#[cfg(unix)]
#[test]
fn a_root_that_leads_elsewhere_is_not_trusted_for_what_it_led_to() {
    let files = Files::new();
    files.write("above/ws/.cursor/hooks.json", &gate_json("beforeShellExecution", "true"));
    // What is settled is not read again for its times.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let workspaces = [files.path("above/ws")];
    let mut running = files.loader(LoadOptions::default());
    for candidate in running.candidates(&workspaces) {
        running.trust().accept(&candidate.subject).expect("accepted");
    }
    assert_eq!(ready(&running.hooks(&workspaces)), ["true"]);
    fs::rename(files.path("above"), files.path("moved")).expect("moved");
    std::os::unix::fs::symlink("moved", files.path("above")).expect("linked");
    assert!(ready(&files.loader(LoadOptions::default()).hooks(&workspaces)).is_empty(), "a new process");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(ready(&running.hooks(&workspaces)).is_empty(), "one that runs, within a second");
    fs::remove_file(files.path("above")).expect("removed");
    fs::rename(files.path("moved"), files.path("above")).expect("moved back");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(ready(&running.hooks(&workspaces)), ["true"]);
}

/// C15 in a running engine and in a new one.
#[test]
fn c15_a_changed_script_withdraws_trust_at_the_next_event() {
    let files = workspace();
    files.trust();
    let mut running = files.loader(LoadOptions::default());
    let workspaces = [files.path("ws")];
    assert_eq!(ready(&running.hooks(&workspaces)), [GUARD]);
    files.write("ws/.cursor/hooks/guard.sh", "exit 1\n");
    for set in [running.hooks(&workspaces), files.load(LoadOptions::default())] {
        assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Changed))]);
        assert_eq!(codes(&set), ["trust-changed"]);
        let TrustState::Changed(difference) = trust_state(&set) else { panic!("not a change") };
        assert_eq!(difference.changes[0].kind, ChangeKind::Content);
        assert_eq!(difference.changes[0].old.as_deref(), Some(&b"exit 0\n"[..]));
        assert_eq!(difference.changes[0].new.as_deref(), Some(&b"exit 1\n"[..]));
    }
    files.trust();
    assert_eq!(ready(&running.hooks(&workspaces)), [GUARD]);
}

/// C06, C24 and law 14: a gate that was trusted cannot be edited away.
#[test]
fn c24_a_trusted_gate_that_vanished_still_stands() {
    type Edit = fn(&Files);
    type Expected<'a> = &'a [(&'a str, &'a str)];
    let cases: [(&str, Edit, Expected); 5] = [
        (
            "the file is removed",
            |f| fs::remove_file(f.path("ws/.cursor/hooks.json")).expect("removed"),
            &[("trusted-0", GUARD)],
        ),
        (
            "the directory is removed",
            |f| fs::remove_dir_all(f.path("ws/.cursor")).expect("removed"),
            &[("trusted-0", GUARD)],
        ),
        (
            "another hook took its place",
            |f| drop(f.write("ws/.cursor/hooks.json", &hooks_json("beforeShellExecution", &["true"]))),
            &[("0", "true"), ("trusted-0", GUARD)],
        ),
        (
            "it no longer fails closed",
            |f| drop(f.write("ws/.cursor/hooks.json", &hooks_json("beforeShellExecution", &[GUARD]))),
            &[("0", GUARD), ("trusted-0", GUARD)],
        ),
        (
            "only a space was added",
            |f| {
                let text = gate_json("beforeShellExecution", GUARD) + " ";
                f.write("ws/.cursor/hooks.json", &text);
            },
            &[("0", GUARD)],
        ),
    ];
    for (name, edit, expected) in cases {
        let files = workspace();
        files.trust();
        let mut running = files.loader(LoadOptions::default());
        running.hooks(&[files.path("ws")]);
        edit(&files);
        for set in [running.hooks(&[files.path("ws")]), files.load(LoadOptions::default())] {
            let found: Vec<_> = set
                .hooks
                .iter()
                .map(|hook| (hook.id.rsplit(':').next().unwrap_or_default(), hook.definition.label()))
                .collect();
            assert_eq!(found, expected, "{name}");
            assert!(states(&set).iter().all(|(_, state)| *state == Some(Withheld::Changed)), "{name}");
            assert_eq!(codes(&set), ["trust-changed"], "{name}");
        }
    }
}

#[test]
fn hooks_that_only_observed_vanish_with_their_file() {
    let files = workspace();
    files.write("ws/.cursor/hooks.json", &hooks_json("stop", &["true"]));
    files.trust();
    fs::remove_file(files.path("ws/.cursor/hooks.json")).expect("removed");
    let set = files.load(LoadOptions::default());
    assert!(set.hooks.is_empty());
    assert_eq!(codes(&set), ["trust-changed"], "not in silence");
    assert!(set.problems[0].help.as_deref().is_some_and(|help| help.contains("trust --revoke")));
}

/// C05 for a workspace: the copy in force is the one somebody looked at.
#[test]
fn c05_a_half_written_project_file_keeps_the_trusted_copy() {
    let files = workspace();
    files.trust();
    let mut running = files.loader(LoadOptions::default());
    running.hooks(&[files.path("ws")]);
    files.write("ws/.cursor/hooks.json", "{\"hooks\": {");
    for set in [running.hooks(&[files.path("ws")]), files.load(LoadOptions::default())] {
        assert_eq!(ready(&set), [GUARD]);
        assert!(matches!(source_state(&set, Level::Project), SourceState::LastGood(_)));
        assert_eq!(codes(&set), ["syntax", "last-good"]);
    }
    files.write("ws/.cursor/hooks/guard.sh", "exit 1\n");
    let set = files.load(LoadOptions::default());
    assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Changed))]);
}

#[test]
fn a_broken_file_that_nobody_trusted_has_no_copy() {
    let files = workspace();
    let mut before = files.loader(LoadOptions::default());
    before.hooks(&[files.path("ws")]);
    before.remember_good();
    files.write("ws/.cursor/hooks.json", "{\"hooks\": {");
    let set = files.load(LoadOptions::default());
    assert!(set.hooks.is_empty());
    assert!(matches!(source_state(&set, Level::Project), SourceState::Unreadable(_)));
    assert!(files.loader(LoadOptions::default()).candidates(&[files.path("ws")]).is_empty());
}

/// C22: what guarded stays guarded, and the cause is named.
#[test]
fn c22_a_damaged_record_withholds_and_never_allows() {
    let files = workspace();
    files.trust();
    let folder = files.path("state/trust");
    let entries = fs::read_dir(&folder).expect("listed").map(|entry| entry.expect("an entry").path());
    let record =
        entries.into_iter().find(|path| path.is_file() && name_of(path) != "index").expect("a record");
    fs::write(&record, "0000").expect("damaged");
    let set = files.load(LoadOptions::default());
    assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Changed))]);
    assert_eq!(codes(&set), ["trust-broken"]);
    assert!(set.problems[0].message.contains(&name_of(&record)), "{}", set.problems[0].message);
}

/// E04 and H27: the state directory, removed or taken over.
#[test]
fn h27_without_the_store_what_was_trusted_counts_as_changed_and_it_is_made_anew() {
    let files = workspace();
    files.trust();
    fs::remove_dir_all(files.path("state")).expect("removed");
    let set = files.load(LoadOptions::default());
    assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Changed))]);
    assert_eq!(codes(&set), ["trust-broken"]);
    files.trust();
    assert_eq!(ready(&files.load(LoadOptions::default())), [GUARD]);
    fs::rename(files.path("state"), files.path("elsewhere")).expect("moved");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("elsewhere", files.path("state")).expect("a link");
        let set = files.load(LoadOptions::default());
        assert!(ready(&set).is_empty());
        assert_eq!(codes(&set), ["trust-broken"]);
        assert!(set.problems[0].message.contains("is a symbolic link"), "{}", set.problems[0].message);
    }
}

#[test]
fn trusted_once_is_trusted_now_and_nowhere_stored() {
    let files = workspace();
    let once = LoadOptions { trust: TrustMode::Once, ..LoadOptions::default() };
    let mut loader = files.loader(once);
    let workspaces = [files.path("ws")];
    let set = loader.hooks(&workspaces);
    assert_eq!(ready(&set), [GUARD]);
    assert_eq!(
        set.trusted_once,
        [files.path("ws/.cursor/hooks.json"), files.path("ws/.cursor/hooks/guard.sh")]
    );
    assert!(codes(&set).is_empty());
    loader.remember_good();
    assert!(!files.path("state/trust").exists());
    assert!(ready(&files.load(LoadOptions::default())).is_empty());

    // What came later was not trusted, also not after reading anew.
    files.write("ws/.cursor/hooks/guard.sh", "rm -rf /\n");
    for _ in 0..2 {
        let set = loader.hooks(&workspaces);
        assert_eq!(states(&set), [("project:0:beforeShellExecution:0", Some(Withheld::Changed))]);
        loader.forget();
    }
    fs::remove_file(files.path("ws/.cursor/hooks.json")).expect("removed");
    assert_eq!(
        states(&loader.hooks(&workspaces)),
        [("project:0:beforeShellExecution:trusted-0", Some(Withheld::Changed))]
    );
}

#[test]
fn a_candidate_shows_all_that_would_be_trusted() {
    let files = workspace();
    let mut loader = files.loader(LoadOptions::default());
    let candidates = loader.candidates(&[files.path("ws")]);
    let [candidate] = candidates.as_slice() else { panic!("one workspace, one candidate") };
    assert_eq!(candidate.definitions.len(), 1);
    assert_eq!(candidate.state, TrustState::New);
    assert_eq!(candidate.subject.existing_files().len(), 2);
    let sha256 = candidate.subject.sha256.to_string();
    loader.trust().accept_hash(&[&candidate.subject], &sha256).expect("accepted");
    assert_eq!(ready(&loader.hooks(&[files.path("ws")])), [GUARD]);
}

/// C03 and law 12: a link is accepted, and what it leads to is what counts.
#[cfg(unix)]
#[test]
fn c03_a_linked_configuration_is_pinned_by_content() {
    let files = workspace();
    let shared = files.write("shared/hooks.json", &gate_json("beforeShellExecution", GUARD));
    fs::remove_file(files.path("ws/.cursor/hooks.json")).expect("removed");
    std::os::unix::fs::symlink(&shared, files.path("ws/.cursor/hooks.json")).expect("a link");
    files.trust();
    let mut running = files.loader(LoadOptions::default());
    assert_eq!(ready(&running.hooks(&[files.path("ws")])), [GUARD]);
    fs::write(&shared, hooks_json("beforeShellExecution", &["true"])).expect("changed elsewhere");
    assert!(ready(&running.hooks(&[files.path("ws")])).is_empty());
}

/// C14: no file decides its own trust.
#[test]
fn c14_a_project_file_cannot_trust_itself() {
    let files = workspace();
    files.write(
        "ws/.cursor/hooks.json",
        r#"{"trust": true, "trusted": true, "state": "/tmp", "hooks": {"stop": [{"command": "x", "trusted": true}]}}"#,
    );
    files.write("ws/.cursor/trust/record", "trusted");
    assert_eq!(
        states(&files.load(LoadOptions::default())),
        [("project:0:stop:0", Some(Withheld::Untrusted))]
    );
}
