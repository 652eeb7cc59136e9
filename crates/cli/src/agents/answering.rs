//! An answer to an agent, whatever happens: where there is none, the refusal in
//! the agent's own words that stands for it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use boathook_engine::agent::{Agent, Reply, refuse};
use boathook_engine::run::LastAnswer;

use crate::Status;
use crate::error::Failed;

pub const DEFECT: &str = "a defect in Boathook; its report is on stderr";

/// What went wrong, where that can be said, and the refusal in the agent's words.
#[derive(Debug)]
pub struct NoAnswer {
    pub failed: Option<Failed>,
    pub refusal: Reply,
}

impl NoAnswer {
    /// Why, in a sentence.
    pub fn reason(&self) -> String {
        self.failed.as_ref().map_or_else(|| DEFECT.to_owned(), Failed::to_string)
    }
}

/// Why there is no answer when the process has to end before it could make one.
const ENDED_EARLY: &str = "Boathook ran out of memory or had to end before there was an answer";

/// Prepares the refusal for a process that cannot even go on to make one.
pub fn prepare_last_answer(agent: &Agent, event: Option<&str>) {
    let Reply { stdout, stderr, code } = refuse(agent, event, ENDED_EARLY);
    // Agents read whole lines.
    let line = |text: String| if text.is_empty() { Vec::new() } else { (text + "\n").into_bytes() };
    LastAnswer { stdout: line(stdout), stderr: line(stderr), code: code.into() }.prepare();
}

/// Once the answer is written the process ends with its code, whatever happens to the log.
pub fn keep_exit_code(status: Status) {
    LastAnswer { code: status.code().into(), ..LastAnswer::default() }.prepare();
}

/// The answer; where there is none, whatever the reason, the refusal that
/// stands for it.
pub fn guarded<T>(
    agent: &Agent,
    event: Option<&str>,
    answer: impl FnOnce() -> Result<T, Failed>,
) -> Result<T, Box<NoAnswer>> {
    match catch_unwind(AssertUnwindSafe(answer)) {
        Ok(Ok(answered)) => Ok(answered),
        Ok(Err(failed)) => {
            let refusal = refuse(agent, event, &failed.to_string());
            Err(Box::new(NoAnswer { failed: Some(failed), refusal }))
        }
        Err(_) => {
            let refusal = refuse(agent, event, DEFECT);
            Err(Box::new(NoAnswer { failed: None, refusal }))
        }
    }
}

#[cfg(test)]
mod tests {
    use boathook_engine::agent::{AGENTS, named};

    use super::*;

    #[test]
    fn a_defect_is_a_refusal_in_the_agents_own_words() {
        let blocks = r#""decision":"block""#;
        let denies = r#"{"permissionDecision":"deny","permissionDecisionReason":"#;
        let cases = [
            // The agent, a gate by its name, what stdout holds, the exit code.
            ("claude", Some("PreToolUse"), blocks, 2),
            ("claude", None, blocks, 2),
            ("codex", Some("PreToolUse"), "", 2),
            ("codex", None, "", 2),
            ("gemini", Some("BeforeTool"), "", 2),
            ("gemini", None, "", 2),
            ("cline", Some("PreToolUse"), r#"{"cancel":true,"errorMessage":"#, 0),
            ("copilot", Some("preToolUse"), denies, 0),
            ("copilot", None, denies, 0),
            ("qwen", Some("PreToolUse"), blocks, 2),
            ("opencode", None, r#"{"refuse":"#, 0),
            ("windsurf", Some("pre_run_command"), "", 2),
            ("cursor", Some("preToolUse"), r#""permission":"deny""#, 2),
            ("vscode", Some("PreToolUse"), blocks, 2),
        ];
        for (name, event, said, code) in cases {
            let agent = named(name).expect(name);
            let panics = guarded::<()>(agent, event, || panic!("on purpose"));
            let NoAnswer { failed, refusal: reply } = *panics.expect_err(name);
            assert!(failed.is_none(), "{name}");
            assert!(reply.stdout.contains(said), "{name}: {}", reply.stdout);
            assert_eq!(reply.code, code, "{name}");
            // An exit code without words on stderr lets the call run in some agents.
            let words = if code == 0 { &reply.stdout } else { &reply.stderr };
            assert!(words.contains("a defect in Boathook"), "{name}: {reply:?}");
            let fails = guarded::<()>(agent, event, || Err(Failed::other("broken", "mend it")));
            let NoAnswer { failed, refusal: reply } = *fails.expect_err(name);
            assert!(failed.is_some() && reply.code == code, "{name}: {reply:?}");
            assert!(format!("{}{}", reply.stdout, reply.stderr).contains("broken"), "{name}");
        }
        assert!(matches!(guarded(AGENTS[0], None, || Ok(7)), Ok(7)));
    }
}
