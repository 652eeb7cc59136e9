//! What follows when a rule applies.

use super::{Mode, Rule, WarnAs};
use crate::answer::{Answer, Permission};
use crate::event::{AnswerField, EventKind, Gate};
use crate::outcome::{Outcome, ReadOutcome};

/// The rule's answer on this event.
pub fn outcome(rule: &Rule, event: EventKind) -> ReadOutcome {
    let text = said(rule);
    let gate = event.spec().gate;
    // The plugin's refusal of a prompt has no effect.
    let only_told = gate == Gate::Continue && rule.options.mode == Mode::Faithful;
    let stance = match (rule.blocks, rule.options.warn_as) {
        (true, _) | (false, WarnAs::Deny) => Permission::Deny,
        (false, WarnAs::Ask) => Permission::Ask,
        (false, WarnAs::Message) => Permission::Allow,
    };
    let answer = match (stance, gate) {
        _ if only_told => told(text, event),
        (Permission::Allow, _) => told(text, event),
        (Permission::Deny | Permission::Ask, Gate::None) if event.loops() => {
            Answer { followup_message: Some(text), ..Answer::default() }
        }
        (Permission::Deny, Gate::Continue) => {
            Answer { proceed: Some(false), user_message: Some(text), ..Answer::default() }
        }
        // Nobody can be asked about a prompt, and a warning holds nothing back.
        (Permission::Ask, Gate::Continue) => told(text, event),
        (Permission::Deny | Permission::Ask, Gate::Permission) => Answer {
            permission: Some(stance),
            user_message: Some(text.clone()),
            agent_message: Some(text),
            ..Answer::default()
        },
        (Permission::Deny | Permission::Ask, Gate::None | Gate::ExitCode) => told(text, event),
    };
    ReadOutcome::plain(Outcome::Answer(Box::new(answer)))
}

/// The message under the rule's name.
fn said(rule: &Rule) -> String {
    if rule.message.is_empty() {
        return format!("**[{}]**", rule.name);
    }
    format!("**[{}]**\n{}", rule.name, rule.message)
}

/// The person is told, and the model where an event lets us.
fn told(text: String, event: EventKind) -> Answer {
    let context = event.answers(AnswerField::AdditionalContext).then(|| text.clone());
    Answer { user_message: Some(text), additional_context: context, ..Answer::default() }
}
