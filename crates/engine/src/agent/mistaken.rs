//! What an agent is answered whose settings call us with words that cannot be
//! read: then not even the home is known, and so nobody can tell what guards.
//!
//! Pure: no file, no clock, no environment.

use super::adapter::refuse;
use super::happening::Moment;
use super::hear::event_named_in;
use super::{AGENTS, Agent, Reply, Told};
use crate::payload::Payload;

/// A refusal, in the agent's words where it is known which agent that is.
///
/// At the end of a turn or of a session there is nothing to hold back, and most
/// agents take a refusal there for a wish to go on: that would have no end.
pub fn refuse_mistaken(agent: Option<&Agent>, typed: Option<&str>, told: &[u8], reason: &str) -> Reply {
    let event = event_named_in(told).or_else(|| typed.map(str::to_owned));
    let event = event.as_deref();
    if event.is_some_and(is_an_ending) {
        return Reply { stderr: reason.to_owned(), code: 1, ..Reply::default() };
    }
    match agent {
        Some(agent) => refuse(agent, event, reason),
        // Exit code 2 is what most of them understand.
        None => Reply { stderr: reason.to_owned(), code: 2, ..Reply::default() },
    }
}

/// Whether any agent calls the end of a turn, of a subagent or of a session so;
/// or whether the name says it, in an agent that nobody knows.
fn is_an_ending(event: &str) -> bool {
    let ends_for = |agent: &&Agent| {
        let told = Told { event: Some(event.to_owned()), payload: Payload::default() };
        let moment = (agent.decode_event)(&told).map(|happening| happening.moment);
        matches!(moment, Ok(Moment::Stop(_) | Moment::SubagentStop(_) | Moment::SessionEnd { .. }))
    };
    let word: String = event.chars().filter(char::is_ascii_alphanumeric).collect();
    let word = word.to_ascii_lowercase();
    word.ends_with("stop") || word.ends_with("sessionend") || AGENTS.iter().any(ends_for)
}

#[cfg(test)]
mod tests {
    use super::super::named;
    use super::*;

    #[test]
    fn a_command_that_cannot_be_read_refuses_and_never_at_an_end() {
        let cases = [
            // The agent, the event that was typed, the payload; then what
            // stdout holds and the exit code.
            ("claude", None, r#"{"hook_event_name":"PreToolUse"}"#, r#""decision":"block""#, 2),
            ("claude", None, r#"{"hook_event_name":"UserPromptSubmit"}"#, r#""decision":"block""#, 2),
            ("claude", None, "{}", r#""decision":"block""#, 2),
            ("claude", None, "", r#""decision":"block""#, 2),
            ("claude", None, "half of a pay", r#""decision":"block""#, 2),
            ("claude", None, r#"{"hook_event_name":"PostToolUse"}"#, r#"{"systemMessage":"#, 0),
            ("claude", None, r#"{"hook_event_name":"Stop"}"#, "", 1),
            ("claude", None, r#"{"hook_event_name":"SubagentStop"}"#, "", 1),
            ("claude", None, r#"{"hook_event_name":"SessionEnd"}"#, "", 1),
            // What the agent says counts before what its settings say.
            ("claude", Some("Stop"), r#"{"hook_event_name":"PreToolUse"}"#, r#""decision":"block""#, 2),
            ("claude", Some("/some/path"), r#"{"hook_event_name":"Stop"}"#, "", 1),
            ("codex", None, r#"{"hook_event_name":"PreToolUse"}"#, "", 2),
            ("codex", None, r#"{"hook_event_name":"Stop"}"#, "", 1),
            ("gemini", None, r#"{"hook_event_name":"BeforeTool"}"#, "", 2),
            ("gemini", None, r#"{"hook_event_name":"AfterAgent"}"#, "", 1),
            ("qwen", None, r#"{"hook_event_name":"PreToolUse"}"#, r#""decision":"block""#, 2),
            ("copilot", Some("preToolUse"), "{}", r#""permissionDecision":"deny""#, 0),
            ("copilot", Some("agentStop"), "{}", "", 1),
            ("copilot", Some("sessionEnd"), "{}", "", 1),
            ("cline", None, r#"{"hookName":"PreToolUse"}"#, r#"{"cancel":true"#, 0),
            ("cursor", Some("preToolUse"), "{}", r#""permission":"deny""#, 2),
            ("cursor", Some("stop"), "{}", "", 1),
            ("windsurf", None, r#"{"agent_action_name":"pre_run_command"}"#, "", 2),
            ("vscode", None, r#"{"hookEventName":"PreToolUse"}"#, r#""decision":"block""#, 2),
            ("opencode", None, "{}", r#"{"refuse":"#, 0),
            ("nobody", None, "", "", 2),
            ("nobody", None, r#"{"hook_event_name":"PreToolUse"}"#, "", 2),
            ("nobody", Some("BeforeTool"), "{}", "", 2),
            ("nobody", None, r#"{"hook_event_name":"Stop"}"#, "", 1),
            ("nobody", None, r#"{"hook_event_name":"AfterAgent"}"#, "", 1),
            ("nobody", None, r#"{"hook_event_name":"on_session_end"}"#, "", 1),
            ("nobody", Some("SubagentStop"), "{}", "", 1),
        ];
        for (name, typed, told, said, code) in cases {
            let reply = refuse_mistaken(named(name), typed, told.as_bytes(), "no such option");
            let case = format!("{name} {typed:?} {told}: {reply:?}");
            assert_eq!(reply.code, code, "{case}");
            assert!(reply.stdout.contains(said) && reply.stdout.is_empty() == said.is_empty(), "{case}");
            // An exit code without words on stderr lets the call run in some agents.
            let words = if code == 0 { &reply.stdout } else { &reply.stderr };
            assert!(words.contains("no such option"), "{case}");
        }
    }

    #[test]
    fn the_ends_of_every_agent_are_known_and_no_gate_is_among_them() {
        let of = |agent: &&Agent| {
            let ends: Vec<&str> = agent.listens.iter().filter(|event| is_an_ending(event)).copied().collect();
            (agent.name, ends.join(" "))
        };
        let found: Vec<(&str, String)> = AGENTS.iter().map(of).collect();
        let expected = [
            ("claude", "SubagentStop Stop StopFailure SessionEnd"),
            ("codex", "SessionEnd SubagentStop Stop"),
            ("gemini", "SessionEnd AfterAgent"),
            ("copilot", "sessionEnd agentStop subagentStop"),
            ("qwen", "SubagentStop Stop StopFailure SessionEnd"),
            ("opencode", "dispose"),
            ("cline", "TaskComplete TaskCancel TaskError SessionShutdown"),
            ("cursor", "sessionEnd subagentStop stop"),
            ("windsurf", ""),
            ("vscode", "SubagentStop Stop"),
        ];
        let expected = expected.map(|(name, ends)| (name, ends.to_owned()));
        assert_eq!(found, expected);
    }
}
