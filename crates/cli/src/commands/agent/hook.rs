//! `boathook agent hook`: what an agent calls at every step.
//!
//! Never ends abnormally: an agent takes an abnormal end for «go on». Where we
//! fail ourselves, the answer is a refusal in the agent's own words.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use boathook_engine::agent::{
    AGENTS, Adapter, Agent, Answered, Happening, Heard, Moment, Preferences, Reply,
};
use boathook_engine::agent::{hear, left_to, named, refuse};
use boathook_engine::engine::{Engine, Settings};

use crate::Status;
use crate::agents::{env_file, servers::ConfiguredServers, twice};
use crate::args::Global;
use crate::error::Failed;
use crate::report::{self, Texts};
use crate::settings::{agent_settings, cancel, is_inside_copilot, told_beside, workspaces_around};
use crate::ui::Ui;

/// Answer an agent: what it tells on stdin, what the hooks say on stdout
///
/// An agent that is wired to Boathook runs this at every step. Its event becomes
/// the events that hooks know, their decisions become one answer in the agent's
/// own words. Whatever goes wrong, the agent gets an answer it understands:
/// a refusal when a hook that is `failClosed` could not be asked.
#[derive(Debug, clap::Args)]
pub struct HookArgs {
    /// The agent that calls
    #[arg(value_name = "NAME")]
    name: String,
    /// The event by the agent's name, where its payload does not hold it
    #[arg(value_name = "EVENT")]
    event: Option<String>,
}

pub fn hook(ui: &mut Ui, global: &Global, args: &HookArgs) -> Result<Status, Failed> {
    let agent = named(&args.name).ok_or_else(|| unknown(&args.name))?;
    let event = args.event.as_deref();
    Ok(match guarded(agent, event, || answer(ui, global, agent, event)) {
        Ok(status) => status,
        Err(no_answer) => {
            no_answer.failed.iter().for_each(|failed| ui.failed(failed));
            replied(ui, &no_answer.refusal)
        }
    })
}

/// What went wrong, where that can be said, and the refusal in the agent's words.
struct NoAnswer {
    failed: Option<Failed>,
    refusal: Reply,
}

/// The answer; where there is none, whatever the reason, the refusal that
/// stands for it.
fn guarded<T>(
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
            let refusal = refuse(agent, event, "a defect in Boathook; its report is on stderr");
            Err(Box::new(NoAnswer { failed: None, refusal }))
        }
    }
}

fn answer(
    ui: &mut Ui,
    global: &Global,
    agent: &'static Agent,
    event: Option<&str>,
) -> Result<Status, Failed> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failed::file("stdin".as_ref(), error))?;
    let agent = if is_inside_copilot() { twice::speaker(agent, &bytes) } else { agent };
    let heard = hear(agent, &bytes, event, &told_beside());
    let happening = match heard {
        Heard::FromCursor => return Ok(Status::Success),
        Heard::Happened(happening) => Ok(*happening),
        Heard::Unclear { event, reason } => Err((event, reason)),
    };
    let (settings, preferences) = settings_for(ui, global, agent, happening.as_ref().ok())?;
    if happening.as_ref().is_ok_and(|happening| twice::is_asked_already(agent, happening, &settings)) {
        return Ok(Status::Success);
    }
    let environment = settings.environment.clone();
    let servers = ConfiguredServers::of(&settings);
    let engine = Engine::new(settings);
    let adapter = Adapter { agent, preferences, engine: &engine, servers: &servers };
    let status = match happening {
        Ok(happening) => {
            let begins = matches!(happening.moment, Moment::SessionStart { .. });
            let Answered { reply, verdict, asides, afterwards } = adapter.answer(happening);
            if begins && let Some(problem) = env_file::append(agent, &environment, &verdict.env) {
                ui.warning(&problem);
            }
            let status = replied(ui, &reply);
            // Where the exit code says something, stderr is the reason and nothing else.
            asides.iter().filter(|_| reply.code == 0).for_each(|aside| ui.warning(aside));
            // An answer that nobody got is no answer: a gate stays shut.
            let unheard = ui.reader_is_gone() && (verdict.refused.is_some() || verdict.ask.is_some());
            adapter.finish(afterwards);
            if unheard { Status::Refused } else { status }
        }
        Err((event, reason)) => replied(ui, &adapter.answer_unclear(event.as_deref(), &reason.to_string())),
    };
    match engine.write_out() {
        Ok(changes) => changes.iter().for_each(|change| report::problem(ui, change, &mut Texts::default())),
        Err(error) => ui.warning(&format!("the log was not written: {error}")),
    }
    // The process ends here: nothing need be given back piece by piece.
    std::mem::forget(engine);
    Ok(status)
}

/// The workspace is where the agent says it is, and what the agent runs itself
/// is left to it.
fn settings_for(
    ui: &mut Ui,
    global: &Global,
    agent: &'static Agent,
    happening: Option<&Happening>,
) -> Result<(Settings, Preferences), Failed> {
    let told = happening.map(|happening| happening.roots.clone()).unwrap_or_default();
    let cwd = happening.and_then(|happening| happening.cwd.as_deref());
    let roots = if told.is_empty() { workspaces_around(cwd) } else { told };
    let (mut settings, preferences) = agent_settings(ui, global, &roots)?;
    settings.cancel = cancel();
    settings.agent = Some(agent.name);
    settings.without = left_to(agent, &settings.roots);
    Ok((settings, preferences))
}

fn replied(ui: &mut Ui, reply: &Reply) -> Status {
    ui.reply(&reply.stdout, &reply.stderr);
    Status::Code(reply.code)
}

fn unknown(name: &str) -> Failed {
    let known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    Failed::other(format!("there is no agent `{name}`"), format!("there are {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
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
            let NoAnswer { failed, refusal: reply } = *panics.err().expect(name);
            assert!(failed.is_none(), "{name}");
            assert!(reply.stdout.contains(said), "{name}: {}", reply.stdout);
            assert_eq!(reply.code, code, "{name}");
            // An exit code without words on stderr lets the call run in some agents.
            let words = if code == 0 { &reply.stdout } else { &reply.stderr };
            assert!(words.contains("a defect in Boathook"), "{name}: {reply:?}");
            let fails = guarded::<()>(agent, event, || Err(Failed::other("broken", "mend it")));
            let NoAnswer { failed, refusal: reply } = *fails.err().expect(name);
            assert!(failed.is_some() && reply.code == code, "{name}: {reply:?}");
            assert!(format!("{}{}", reply.stdout, reply.stderr).contains("broken"), "{name}");
        }
        assert!(matches!(guarded(AGENTS[0], None, || Ok(7)), Ok(7)));
    }
}
