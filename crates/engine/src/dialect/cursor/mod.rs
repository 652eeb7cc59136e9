//! Cursor itself calls us: its payload is ours already, and so is its answer.
//! From its documentation: never run by us.
//!
//! Cursor tells of one call several times, by preToolUse and by the event of
//! the tool's class. Here a call is heard of once, at its first event, and
//! becomes the others as it does for every agent.

mod coverage;
mod events;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value, json};

use crate::agent::{
    Abilities, Agent, Asks, Happening, Moment, Names, NotUnderstood, Reply, Told, Verdict, Words, write,
};
use crate::event::{AnswerField, EventKind, Gate};
use crate::payload::Payload;
use crate::source::Level;

/// Cursor, as an agent.
pub const AGENT: Agent = Agent {
    name: "cursor",
    title: "Cursor",
    driven: None,
    decode_event,
    fold: |_, wanted| wanted.iter().flatten().next().cloned(),
    encode_decision,
    encode_event,
    refuse_blindly,
    abilities: Abilities {
        // It asks at the events of a tool's class alone.
        asks: Asks::Never,
        replaces_output: true,
        context_before_tool: true,
    },
    patience: &[],
    coverage: coverage::CURSOR,
    listens: &[
        "sessionStart",
        "sessionEnd",
        "beforeSubmitPrompt",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "subagentStop",
        "preCompact",
        "stop",
        "afterAgentResponse",
        "afterAgentThought",
    ],
    env_file: None,
    project_variables: &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    rule_files: &[".cursor/rules/*.mdc", ".cursorrules", "AGENTS.md", "CLAUDE.md"],
    unseen: &[],
    runs_itself: &[
        Level::Enterprise,
        Level::Team,
        Level::Project,
        Level::User,
        Level::ClaudeLocal,
        Level::ClaudeProject,
        Level::ClaudeUser,
        Level::Plugin,
    ],
};

const NAMES: Names = Names {
    event: "hook_event_name",
    session: "conversation_id",
    generation: "generation_id",
    model: "model",
    cwd: "cwd",
    transcript: "transcript_path",
    mode: "composer_mode",
    subagent: "subagent_id",
    subagent_kind: "subagent_type",
    tool: "tool_name",
    input: "tool_input",
    call: "tool_use_id",
};

const ROOTS: &str = "workspace_roots";

fn decode_event(told: &Told) -> Result<Happening, NotUnderstood> {
    let mut happening = NAMES.read(told, events::ROWS)?;
    happening.roots = told.payload.texts(ROOTS).unwrap_or_default();
    events::add_call(&mut happening, &told.payload);
    Ok(happening)
}

fn encode_event(happening: &Happening) -> Payload {
    let mut payload = write(&NAMES, events::ROWS, happening);
    if !happening.roots.is_empty() {
        payload.set(ROOTS, &happening.roots);
    }
    events::write_server(happening, &mut payload);
    payload
}

/// Every field that an answer on the event may carry. What has no field there
/// is said on stderr.
fn encode_decision(happening: &Happening, verdict: &Verdict) -> Reply {
    if matches!(happening.moment, Moment::Nothing(_)) {
        return Reply::silence();
    }
    let spec = EventKind::named(&happening.event).map(EventKind::spec);
    let fields = spec.map_or(&[][..], |spec| spec.answers);
    let told = fields.iter().filter_map(|field| Some((field.name().to_owned(), value(*field, verdict)?)));
    let mut reply = Reply::json(told.collect());
    let withheld = spec.is_some_and(|spec| spec.gate == Gate::ExitCode) && verdict.refused.is_some();
    reply.code = if withheld { 2 } else { 0 };
    if !fields.contains(&AnswerField::UserMessage) {
        reply.stderr = verdict.notice.clone().unwrap_or_default();
    }
    reply
}

fn value(field: AnswerField, verdict: &Verdict) -> Option<Value> {
    let words = verdict.refused.as_ref().or(verdict.ask.as_ref());
    match field {
        AnswerField::Permission => permission(verdict).map(Value::from),
        AnswerField::Continue => verdict.refused.as_ref().map(|_| Value::Bool(false)),
        AnswerField::UserMessage => person(words, verdict.notice.as_deref()).map(Value::from),
        AnswerField::AgentMessage => words.map(|words| Value::from(words.model.as_str())),
        AnswerField::UpdatedInput => verdict.input.clone().map(Value::Object),
        AnswerField::AdditionalContext => verdict.context.as_deref().map(Value::from),
        AnswerField::UpdatedMcpToolOutput => verdict.output.clone(),
        AnswerField::FollowupMessage => verdict.follow_up.as_deref().map(Value::from),
        AnswerField::Env => env(&verdict.env),
        AnswerField::NewContent | AnswerField::PluginPaths => None,
    }
}

fn permission(verdict: &Verdict) -> Option<&'static str> {
    match (&verdict.refused, &verdict.ask, verdict.approved) {
        (Some(_), _, _) => Some("deny"),
        (None, Some(_), _) => Some("ask"),
        (None, None, true) => Some("allow"),
        (None, None, false) => None,
    }
}

fn person(words: Option<&Words>, notice: Option<&str>) -> Option<String> {
    let texts: Vec<&str> = words.map(|words| words.user.as_str()).into_iter().chain(notice).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn env(variables: &[(String, String)]) -> Option<Value> {
    let object: Map<String, Value> =
        variables.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    (!object.is_empty()).then_some(Value::Object(object))
}

/// Exit code 2 refuses at every gate; the answer says it in both forms.
fn refuse_blindly(event: Option<&str>, reason: &str) -> Reply {
    let gate = event.and_then(EventKind::named).map(|kind| kind.spec().gate);
    match gate {
        Some(Gate::None | Gate::ExitCode) => Reply { stderr: reason.to_owned(), ..Reply::default() },
        Some(Gate::Permission | Gate::Continue) | None => {
            let answer = json!({
                "permission": "deny", "continue": false, "user_message": reason, "agent_message": reason
            });
            Reply { stdout: answer.to_string(), stderr: reason.to_owned(), code: 2 }
        }
    }
}
