//! Refuses a gate while a file of the user or the enterprise cannot be read and no good copy is known: its hooks could
//! refuse anything, and `failClosed` may be written in it. Hooks of other sources run and are heard all the same.

use crate::agent::unreadable_policy;
use crate::answer::Permission;
use crate::decision::Decision;
use crate::event::Gate;
use crate::fill::Event;
use crate::load::HookSet;
use crate::merge::model_text;

/// Makes the decision a refusal where nobody can know what is guarded.
pub(super) fn refuse_unreadable(decision: &mut Decision, hooks: &HookSet, event: &Event) {
    let gate = event.kind.spec().gate;
    if decision.blocked || gate == Gate::None {
        return;
    }
    let Some(reason) = unreadable_policy(hooks) else { return };
    let text = model_text(event, &reason);
    (decision.blocked, decision.host_must_ask) = (true, false);
    (decision.updated_input, decision.new_content) = (None, None);
    match gate {
        Gate::Continue => decision.proceed = Some(false),
        Gate::Permission | Gate::ExitCode => decision.permission = Some(Permission::Deny),
        Gate::None => {}
    }
    decision.user_message = Some(reason);
    decision.agent_message = Some(text.clone());
    decision.model_text = Some(text);
}
