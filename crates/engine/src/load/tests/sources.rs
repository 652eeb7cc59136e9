//! Which hooks there are, in which order, and which of them run where.

use std::time::{Duration, Instant};

use super::*;

fn all_levels(files: &Files) {
    files.write("root/etc/cursor/hooks.json", &hooks_json("stop", &["enterprise"]));
    files.write("home/.cursor/managed/team_1/hooks/hooks.json", &hooks_json("stop", &["team one"]));
    files.write("home/.cursor/managed/team_2/hooks/hooks.json", &hooks_json("stop", &["team two"]));
    files.write("ws/.cursor/hooks.json", &hooks_json("stop", &["project"]));
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["user first", "user second"]));
}

#[test]
fn hooks_come_in_the_walk_from_high_to_low() {
    let files = Files::new();
    all_levels(&files);
    files.trust();
    let set = files.load(LoadOptions::default());
    assert_eq!(ready(&set), ["enterprise", "team one", "team two", "project", "user first", "user second"]);
    let ids: Vec<_> = set.hooks.iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "enterprise:0:stop:0",
            "team:0:stop:0",
            "team:1:stop:0",
            "project:0:stop:0",
            "user:0:stop:0",
            "user:0:stop:1"
        ]
    );
    assert_eq!(set.hooks[4].source.run_dir, files.path("home/.cursor"));
    assert_eq!(codes(&set), [""; 0]);
}

#[test]
fn a_file_that_does_not_exist_is_silent() {
    let files = Files::new();
    let set = files.load(LoadOptions::default());
    assert!(set.hooks.is_empty() && set.problems.is_empty());
    assert_eq!(set.sources.len(), 6);
    assert!(set.sources.iter().all(|report| report.state == SourceState::Absent));
    assert!(!files.path("state").exists(), "loading writes nothing");
}

#[test]
fn a_broken_source_never_disables_another() {
    let cases = [
        ("root/etc/cursor", 1),
        ("home/.cursor/managed/team_1/hooks", 1),
        ("ws/.cursor", 0), // the trusted copy stays in force
        ("home/.cursor", 2),
    ];
    for (broken, lost) in cases {
        let files = Files::new();
        all_levels(&files);
        files.trust();
        let whole = ready(&files.load(LoadOptions::default())).len();
        let file = files.write(&format!("{broken}/hooks.json"), "{ \"hooks\": ");
        let set = files.load(LoadOptions::default());
        assert_eq!(ready(&set).len(), whole - lost, "{broken}");
        assert!(set.problems.iter().any(|problem| problem.file.as_ref() == Some(&file)), "{broken}");
    }
}

/// C20: each root has its own trust.
#[test]
fn c20_one_root_trusted_is_one_root_trusted() {
    let files = Files::new();
    files.write("ws/.cursor/hooks.json", &hooks_json("stop", &["trusted"]));
    files.write("other/.cursor/hooks.json", &hooks_json("stop", &["untrusted"]));
    files.trust();
    let roots = [files.path("other"), files.path("ws")];
    let set = files.loader(LoadOptions::default()).hooks(&roots);
    assert_eq!(states(&set), [("project:0:stop:0", Some(Withheld::Untrusted)), ("project:1:stop:0", None)]);
    assert_eq!(ready(&set), ["trusted"]);
}

/// C19: only the roots count.
#[test]
fn c19_a_nested_file_is_not_read() {
    let files = Files::new();
    files.write("ws/.cursor/hooks.json", &hooks_json("stop", &["root"]));
    files.write("ws/package/.cursor/hooks.json", &hooks_json("stop", &["nested"]));
    files.write("ws/module/.git", "gitdir: ../.git/modules/module");
    files.write("ws/module/.cursor/hooks.json", &hooks_json("stop", &["submodule"]));
    let set = files.load(LoadOptions { trust: TrustMode::Once, ..LoadOptions::default() });
    assert_eq!(labels(&set), ["root"]);
}

#[test]
fn the_home_as_workspace_is_loaded_once_and_needs_no_trust() {
    let files = Files::new();
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["mine"]));
    let set = files.loader(LoadOptions::default()).hooks(&[files.path("home")]);
    assert_eq!(states(&set), [("user:0:stop:0", None)]);
}

#[test]
fn the_surface_and_the_edition_decide_what_runs() {
    use Withheld::*;
    let files = Files::new();
    let entries = r#"{"hooks": {
        "stop": [{"command": "x"}, {"prompt": "ok?"}],
        "sessionStart": [{"command": "x"}],
        "preToolUse": [{"command": "x"}]
    }}"#;
    files.write("ws/.cursor/hooks.json", entries);
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["user"]));
    let options = LoadOptions { trust: TrustMode::Once, ..LoadOptions::default() };
    let cloud = LoadOptions { surface: Surface::Cloud, ..options };
    let first = LoadOptions { edition: Edition::V2_3, ..options };
    let experiment = LoadOptions { project_experiment: true, ..first };
    let cases: [(&str, LoadOptions, &[Option<Withheld>]); 4] = [
        ("at a desk", options, &[None, None, None, None, None]),
        ("in the cloud", cloud, &[None, Some(NotOnThisSurface), Some(NotOnThisSurface), None]),
        (
            "edition 2.3",
            first,
            &[
                Some(NeedsExperiment),
                Some(NeedsExperiment),
                Some(NotInThisEdition),
                Some(NotInThisEdition),
                None,
            ],
        ),
        (
            "edition 2.3 with the experiment",
            experiment,
            &[None, None, Some(NotInThisEdition), Some(NotInThisEdition), None],
        ),
    ];
    for (name, options, expected) in cases {
        let set = files.load(options);
        let found: Vec<_> = states(&set).into_iter().map(|(_, state)| state).collect();
        assert_eq!(found, expected, "{name}");
    }
    assert!(files.load(cloud).sources.iter().all(|report| report.source.level != Level::User));
}

#[test]
fn a_withheld_gate_is_not_asked_for_trust_where_it_would_not_run() {
    let files = Files::new();
    files.write("ws/.cursor/hooks.json", &gate_json("beforeMCPExecution", "guard"));
    files.trust();
    files.write("ws/.cursor/hooks.json", &gate_json("beforeMCPExecution", "other"));
    let desk = files.load(LoadOptions::default());
    assert!(states(&desk).iter().all(|(_, state)| *state == Some(Withheld::Changed)));
    let cloud = files.load(LoadOptions { surface: Surface::Cloud, ..LoadOptions::default() });
    assert!(states(&cloud).iter().all(|(_, state)| *state == Some(Withheld::NotOnThisSurface)));
}

#[test]
fn the_same_value_is_returned_while_nothing_changed() {
    let files = Files::new();
    all_levels(&files);
    files.trust();
    let mut loader = files.loader(LoadOptions::default());
    let (one, other) = ([files.path("ws")], [files.path("ws/elsewhere")]);
    let first = loader.hooks(&one);
    let elsewhere = loader.hooks(&other);
    for _ in 0..3 {
        assert!(Arc::ptr_eq(&first, &loader.hooks(&one)));
        assert!(Arc::ptr_eq(&elsewhere, &loader.hooks(&other)));
    }
    assert_eq!(elsewhere.hooks.len(), 5);
}

#[test]
fn every_change_is_seen_by_the_next_call() {
    let files = Files::new();
    let user = files.write("home/.cursor/hooks.json", &hooks_json("stop", &["one"]));
    let mut loader = files.loader(LoadOptions::default());
    let mut now = || ready(&loader.hooks(&[files.path("ws")])).join(" ");
    assert_eq!(now(), "one");
    fs::write(&user, hooks_json("stop", &["two"])).expect("same size, same second");
    assert_eq!(now(), "two");
    let aside = files.write("home/.cursor/new", &hooks_json("stop", &["six"]));
    fs::rename(aside, &user).expect("renamed over it");
    assert_eq!(now(), "six");
    fs::remove_file(&user).expect("removed");
    assert_eq!(now(), "");
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["back"]));
    assert_eq!(now(), "back");
    files.write("home/.cursor/managed/team_7/hooks/hooks.json", &hooks_json("stop", &["team"]));
    assert_eq!(now(), "team back");
    files.write("root/etc/cursor/hooks.json", &hooks_json("stop", &["enterprise"]));
    assert_eq!(now(), "enterprise team back");
    fs::remove_dir_all(files.path("home/.cursor/managed")).expect("removed");
    assert_eq!(now(), "enterprise back");
}

#[test]
fn reading_anew_reads_anew() {
    let files = Files::new();
    files.write("home/.cursor/hooks.json", &hooks_json("stop", &["one"]));
    let mut loader = files.loader(LoadOptions::default());
    let first = loader.hooks(&[files.path("ws")]);
    loader.forget();
    let second = loader.hooks(&[files.path("ws")]);
    assert!(!Arc::ptr_eq(&first, &second));
    assert_eq!(labels(&first), labels(&second));
}

#[test]
fn a_folder_that_is_just_being_replaced_is_waited_for() {
    // It is waited for 200 ms. Where a busy machine took longer, that says nothing.
    let in_time = (0..20).find_map(|_| {
        let files = Files::new();
        files.write("home/.cursor/hooks.json", &hooks_json("stop", &["./old.sh"]));
        files.write("home/fresh/hooks.json", &hooks_json("stop", &["./new.sh"]));
        let mut loader = files.loader(LoadOptions::default());
        assert_eq!(labels(&loader.hooks(&[])), ["./old.sh"]);
        let (folder, fresh) = (files.path("home/.cursor"), files.path("home/fresh"));
        let begun = Instant::now();
        fs::rename(&folder, files.path("home/old")).expect("it goes");
        let replacing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            fs::rename(fresh, folder).expect("the new one comes");
            begun.elapsed()
        });
        let set = loader.hooks(&[]);
        let took = replacing.join().expect("it was replaced");
        (took < Duration::from_millis(200)).then_some((files, loader, set))
    });
    let (files, mut loader, set) = in_time.expect("one of them in time");
    assert_eq!(labels(&set), ["./new.sh"]);
    fs::remove_dir_all(files.path("home/.cursor")).expect("it goes for good");
    assert_eq!(labels(&loader.hooks(&[])), [""; 0]);
}

#[test]
fn a_file_in_a_folder_that_was_missing_is_found_as_soon_as_it_is_there() {
    let files = Files::new();
    let options = LoadOptions {
        third_party: ThirdParty { claude: true, ..ThirdParty::default() },
        ..LoadOptions::default()
    };
    let mut loader = files.loader(options);
    let workspaces = [files.path("ws")];
    assert_eq!(labels(&loader.hooks(&workspaces)), [""; 0]);
    for _ in 0..3 {
        let settings = files.write("ws/.claude/settings.json", &hooks_json("stop", &["./a.sh"]));
        assert_eq!(labels(&loader.hooks(&workspaces)), ["./a.sh"]);
        fs::remove_file(settings).expect("the file goes");
        assert_eq!(labels(&loader.hooks(&workspaces)), [""; 0], "the folder is there, the file is not");
        files.write("ws/.claude/settings.local.json", &hooks_json("stop", &["./b.sh"]));
        assert_eq!(labels(&loader.hooks(&workspaces)), ["./b.sh"]);
        fs::remove_dir_all(files.path("ws/.claude")).expect("the folder goes");
        assert_eq!(labels(&loader.hooks(&workspaces)), [""; 0], "both are gone");
    }
}

#[test]
fn a_project_whose_folder_goes_and_comes_back_is_said_to_be_without_one_meanwhile() {
    let files = Files::new();
    let mut loader = files.loader(LoadOptions::default());
    let workspace = [files.path("ws")];
    let mut is_rootless = || {
        let set = loader.hooks(&workspace);
        let project = set.sources.iter().find(|report| report.source.level == Level::Project);
        project.expect("a project's source").rootless
    };
    // Once its folder is settled nobody looks at it for this alone.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    for _ in 0..40 {
        assert!(!is_rootless());
    }
    fs::rename(&workspace[0], files.path("away")).expect("moved");
    assert!(is_rootless());
    fs::write(&workspace[0], "a file").expect("written");
    assert!(is_rootless());
    fs::remove_file(&workspace[0]).expect("removed");
    fs::rename(files.path("away"), &workspace[0]).expect("moved back");
    assert!(!is_rootless());
    fs::create_dir_all(files.path("ws-of-others/.cursor")).expect("made");
    fs::remove_dir(&workspace[0]).expect("removed");
    assert!(is_rootless(), "a folder whose name begins alike is another one");
}
