//! Events that rules and matchers are asked about.

use std::sync::LazyLock;

use boathook_engine::answer::Permission;
use boathook_engine::definition::{Action, Definition};
use boathook_engine::event::EVENTS;
use boathook_engine::matcher::budget;
use boathook_engine::outcome::{Outcome, ReadOutcome};
use boathook_engine::payload::Payload;
use boathook_engine::rule::{Look, Rule};
use boathook_engine::{Event, EventKind};
use serde_json::json;

/// More hooks than this are not asked: one input must not take seconds.
const MAX_ASKED: usize = 64;

/// One event of every kind, with fields that any of them may have.
static EVENTS_OF_EVERY_KIND: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let fields = json!({
        "conversation_id": "c", "workspace_roots": ["/project"], "command": "git push --force; rm -rf ./x",
        "file_path": "/project/src/.env", "content": "SECRET=1\nconsole.log(1)", "prompt": "push it", "cwd": "/project",
        "tool_name": "Shell", "tool_input": {"command": "git push --force", "file_path": "/project/.env"},
        "edits": [{"old_string": "a", "new_string": "eval(b)"}], "status": "completed", "loop_count": 0, "text": "done",
        "transcript_path": "/project/transcript.jsonl", "subagent_type": "explore",
    });
    EVENTS.iter().map(|spec| Event::new(spec.kind, Payload::of(&fields))).collect()
});

/// Asks every rule about the events it is for. A rule that does not allow never gives an allow.
pub fn apply_rules(definitions: &[Definition]) {
    let rules = definitions.iter().filter(|definition| matches!(definition.action, Action::Rule(_)));
    for definition in rules.take(MAX_ASKED) {
        let Action::Rule(rule) = &definition.action else { continue };
        let event = event_of(definition.event);
        let outcome = budget::scoped(|| {
            let transcript = |_: &str| Some("{\"role\":\"user\"}".to_owned());
            let look = Look::new(event, &transcript);
            drop((rule.why_silent(&look), rule.label().len(), rule.summary()));
            rule.apply(&look)
        });
        if let Some(ReadOutcome { outcome: Outcome::Answer(answer), .. }) = outcome {
            let allows = answer.permission == Some(Permission::Allow);
            assert!(!allows || may_allow(rule), "a rule allows that does not say so: {rule:?}");
        }
    }
}

/// Asks every matcher about the events it is for.
pub fn match_all(definitions: &[Definition]) {
    for definition in definitions.iter().take(MAX_ASKED) {
        let event = event_of(definition.event);
        let subject = event.subject();
        budget::scoped(|| {
            drop((definition.verdict(event, subject.as_deref()), definition.condition_holds(event)))
        });
    }
}

fn may_allow(rule: &Rule) -> bool {
    match rule {
        Rule::Declared(rule) => rule.says.permission == Some(Permission::Allow),
        _ => false,
    }
}

/// The sample of this kind.
pub fn event_of(kind: EventKind) -> &'static Event {
    EVENTS_OF_EVERY_KIND.iter().find(|event| event.kind == kind).expect("a sample of every kind")
}
