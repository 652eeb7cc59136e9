//! Hooks that are only watched: `"monitor": true`. What one would have done is
//! noted, and nothing of it takes effect.

use crate::answer::{Answer, Permission};
use crate::definition::Definition;
use crate::event::{EventKind, Gate};
use crate::outcome::{Outcome, ReadOutcome};

/// What counts of an outcome: of a hook that is only watched nothing does but
/// that it ran, or failed.
pub fn only_watched(definition: &Definition, read: ReadOutcome, event: EventKind) -> ReadOutcome {
    if !definition.monitor {
        return read;
    }
    let refuses = |yes: bool| (yes && event.can_block()).then_some(DENY);
    match &read.outcome {
        Outcome::Answer(answer) => {
            let would = would(answer, event);
            ReadOutcome { outcome: Outcome::NoOpinion, blocks: false, would, ..read }
        }
        Outcome::Silent => ReadOutcome { would: refuses(definition.fail_closed), ..read },
        Outcome::Failed(_) => {
            let would = refuses(definition.fail_closed || read.blocks);
            ReadOutcome { blocks: false, would, ..read }
        }
        Outcome::NoOpinion => read,
    }
}

const DENY: &str = "deny";

/// The strongest thing that an answer says.
fn would(answer: &Answer, event: EventKind) -> Option<&'static str> {
    let refuses = match event.spec().gate {
        Gate::None => false,
        Gate::ExitCode => answer.by_exit_code,
        Gate::Permission | Gate::Continue => answer.refuses(),
    };
    let rewrites = answer.updated_input.is_some()
        || answer.new_content.is_some()
        || answer.updated_mcp_tool_output.is_some();
    if refuses {
        Some(DENY)
    } else if answer.permission == Some(Permission::Ask) && event.can_block() {
        Some("ask")
    } else if rewrites {
        Some("rewrite")
    } else if answer.followup_message.is_some() {
        Some("follow up")
    } else if answer.additional_context.is_some() || !answer.env.is_empty() || !answer.plugin_paths.is_empty()
    {
        Some("add")
    } else {
        answer.permission.map(Permission::name)
    }
}
