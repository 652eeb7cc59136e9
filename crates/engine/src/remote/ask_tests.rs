use std::sync::Arc;

use super::*;
use crate::event::EventKind;
use crate::judge::{Judge, Question, Verdict};
use crate::payload::Payload;
use crate::remote::wire::Caller;
use crate::source::{Level, Levels, Roots};
use crate::testing::TempDir;

struct Model(bool);

impl Judge for Model {
    fn judge(&self, _: &Question) -> Result<Verdict, String> {
        Err("it is not asked here".to_owned())
    }

    fn is_configured(&self) -> bool {
        self.0
    }
}

fn settings(dir: &TempDir) -> Settings {
    std::fs::create_dir_all(dir.path().join("project")).expect("a folder");
    let home = dir.path().join("home");
    let mut roots = Roots::new(Os::current(), &home, home.join("state"), [dir.path().join("project")]);
    roots.system = dir.path().join("system");
    Settings::new(roots)
}

fn event(json: &str) -> Event {
    Event::new(EventKind::BeforeShellExecution, Payload::parse(json.as_bytes()).expect("an object"))
}

#[test]
fn what_only_this_process_knows_is_asked_here() {
    type Change = fn(&mut Settings);
    let cases: [(&str, Change, Option<&str>); 16] = [
        ("nothing of its own", |_| {}, None),
        ("a configured model", |it| it.judge = Some(Arc::new(Model(true))), None),
        ("told with the event", |it| (it.remote, it.can_ask) = (true, false), None),
        ("the cloud", |it| it.surface = Surface::Cloud, None),
        ("inside a hook", |it| it.depth = 1, Some("inside a hook the daemon is not asked")),
        ("called from a file", |it| it.called_from = vec!["/f".into()], Some("inside a hook")),
        ("trust for once", |it| it.trust = TrustMode::Once, Some("trusted for this call alone")),
        ("a plugin", |it| it.roots.plugins = vec!["/p".into()], Some("which plugins were named")),
        ("a model", |it| it.judge = Some(Arc::new(Model(false))), Some("the model behind prompt hooks")),
        ("some sources", |it| it.selection = Selection::OfUser, Some("which sources take part")),
        ("without some", |it| it.without = Levels::of(&[Level::User]), Some("which agent asks")),
        ("an agent", |it| it.agent = Some("claude-code"), Some("which agent asks")),
        ("a doubt", |it| it.unknown_policy = Some("why".into()), Some("nobody knows whose hooks")),
        ("no root", |it| it.roots.workspaces.clear(), Some("that there is no workspace")),
        (
            "a linked root",
            |it| it.roots.workspaces = vec![it.roots.home.join("none")],
            Some("links of a workspace"),
        ),
        ("a relative root", |it| it.roots.workspaces = vec!["here".into()], Some("a relative workspace")),
    ];
    let dir = TempDir::new();
    for (name, change, expected) in cases {
        let mut settings = settings(&dir);
        change(&mut settings);
        let told = params(&Engine::new(settings), &event("{}"));
        match (told.map_err(|reason| reason.to_string()), expected) {
            (Ok(_), None) => {}
            (Err(reason), Some(part)) => assert!(reason.contains(part), "{name}: {reason}"),
            (told, _) => panic!("{name}: {told:?}"),
        }
    }
}

#[test]
fn a_daemon_is_told_everything_that_an_engine_was_built_from() {
    let dir = TempDir::new();
    let mut settings = settings(&dir);
    settings.remote = true;
    settings.can_ask = false;
    settings.surface = Surface::Cloud;
    settings.edition = crate::Edition::named("2026-09").expect("an edition");
    let told = params(&Engine::new(settings), &event(r#"{"b":1.0,  "a":"\ud800"}"#)).expect("it can be told");
    assert_eq!(told.payload.get(), r#"{"b":1.0,"a":"\ud800"}"#, "as it was written");
    assert_eq!(told.workspaces, [dir.path().join("project")]);
    assert_eq!((told.remote, told.cannot_ask), (true, true));
    let payload = format!(r#"{{"workspace_roots":["{}"]}}"#, dir.path().join("project").display());
    let named = params(&Engine::new(self::settings(&dir)), &event(&payload)).expect("it can be told");
    assert!(named.workspaces.is_empty(), "the payload says it");
    assert_eq!((told.surface.as_deref(), told.edition.as_deref()), (Some("cloud"), Some("2026-09")));
}

/// Both ways to print a decision start from the same words.
#[test]
fn the_trace_of_a_decision_survives_the_way() {
    let dir = TempDir::new();
    let hooks = r#"{"version": 1, "hooks": {"beforeShellExecution": [
        {"command": "echo '{\"permission\":\"deny\",\"user_message\":\"No.\"}'"},
        {"command": "exit 7"},
        {"command": "true", "matcher": "^never$"}
    ]}}"#;
    dir.write("home/.cursor/hooks.json", hooks);
    let mut settings = settings(&dir);
    settings.environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let decision = Engine::new(settings).handle(event(r#"{"command":"ls"}"#));
    let line = serde_json::to_string(&Handled::of(&decision)).expect("JSON");
    let handled: Handled = serde_json::from_str(&line).expect("the same");
    assert_eq!(handled.trace().to_string(), decision.trace().to_string());
    assert_eq!(handled.answer.get(), decision.answer_line());
    assert_eq!(handled.user_text, decision.user_message);
    assert!(handled.blocked && handled.hooks.len() == 3, "{line}");
}

#[test]
fn without_a_daemon_the_engine_decides_and_says_so() {
    let dir = TempDir::new();
    let settings = settings(&dir);
    let caller = Caller {
        version: "1".into(),
        home: settings.roots.home.clone(),
        config: "/config".into(),
        root: settings.roots.system.clone(),
    };
    let remote = Remote::new(&settings.roots.state, caller);
    let asked = remote.handle_or_ask(&Engine::new(settings), event(r#"{"command":"ls"}"#));
    assert!(matches!(asked.reason, Some(Reason::Absent)), "{asked:?}");
    assert!(asked.reason.is_some_and(|reason| !reason.is_trouble()));
    assert!(asked.handled.fallback.is_some_and(|reason| reason.starts_with("no daemon")));
    assert_eq!(asked.handled.answer.get(), "{}");
}
