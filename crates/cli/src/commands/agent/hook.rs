//! `boathook agent hook`: what an agent calls at every step.
//!
//! Never ends abnormally: an agent takes an abnormal end for «go on». Where we
//! fail ourselves, the answer is a refusal in the agent's own words.

use std::ffi::OsString;
use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use boathook_engine::agent::{
    AGENTS, Adapter, Agent, Answered, Happening, Heard, Moment, Preferences, Reply, RootHints,
};
use boathook_engine::agent::{hear, left_to, named, refuse_mistaken};
use boathook_engine::engine::{Engine, Settings};
use boathook_engine::log_file::LogFile;
use boathook_engine::record::Record;
use boathook_engine::source::{Os, native_root};
use boathook_engine::state::{StateDir, StateError};

use crate::Status;
use crate::agents::answering::{guarded, keep_exit_code, prepare_last_answer};
use crate::agents::session_roots::Belongs;
use crate::agents::{env_file, over_http, servers::ConfiguredServers, session_notices, session_roots, twice};
use crate::args::Global;
use crate::commands::team::background;
use crate::error::Failed;
use crate::settings::{Given, agent_settings, cancel, is_inside_copilot, surrounding_hints, told_beside};
use crate::ui::Ui;

/// Answer an agent: what it tells on stdin, what the hooks say on stdout
///
/// An agent that is wired to Boathook runs this at every step. Its event becomes
/// the events that hooks know, their decisions become one answer in the agent's
/// own words. What cannot be understood is refused where any hook guards, and so
/// is everything while nobody can tell whose hooks those are.
///
/// A repository can set the environment that agents hand on, so XDG_STATE_HOME and
/// XDG_CONFIG_HOME count for nothing here, and HOME only without `--home`.
#[derive(Debug, clap::Args)]
pub struct HookArgs {
    /// The agent that calls
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The event by the agent's name, where its payload does not hold it
    #[arg(value_name = "EVENT")]
    pub event: Option<String>,
    /// The agent asks the daemon over HTTP about other events: see that it can
    #[arg(long)]
    pub beside_http: bool,
    #[command(flatten)]
    pub given: Given,
}

pub fn hook(ui: &mut Ui, global: &Global, args: &HookArgs) -> Result<Status, Failed> {
    let event = args.event.as_deref();
    let Some(agent) = named(&args.name) else {
        let problem = unknown(&args.name);
        let status = mistaken(ui, None, event, &problem);
        log_refusal(ui, &args.name, args, &problem);
        return Ok(status);
    };
    prepare_last_answer(agent, event);
    Ok(match guarded(agent, event, || answer(ui, global, args, agent)) {
        Ok(status) => status,
        Err(no_answer) => {
            no_answer.failed.iter().for_each(|failed| ui.failed(failed));
            let reason = no_answer.reason();
            let status = refused(ui, &no_answer.refusal);
            log_refusal(ui, agent.name, args, &reason);
            status
        }
    })
}

/// Most of what agents tell fits, and is then read in one step.
const TOLD: usize = 16 * 1024;

/// What is known of a session; nothing without a home.
fn recall(args: &HookArgs, session: &str) -> Result<Option<Belongs>, StateError> {
    let Ok(dwelling) = args.given.dwelling(&[]) else { return Ok(None) };
    session_roots::recall(&StateDir::new(dwelling.state), session)
}

/// Where there is no engine to ask, there is still a log. What the user set
/// about payloads is not known here, so none is kept.
fn log_refusal(ui: &mut Ui, agent: &str, args: &HookArgs, reason: &str) {
    let Ok(dwelling) = args.given.dwelling(&[]) else { return };
    let record = Record::unasked(agent, args.event.as_deref(), b"", reason, true);
    if let Err(error) = LogFile::of(StateDir::new(dwelling.state)).append(&[record]) {
        ui.warning(&format!("the log was not written: {error}"));
    }
}

fn answer(ui: &mut Ui, global: &Global, args: &HookArgs, agent: &'static Agent) -> Result<Status, Failed> {
    let event = args.event.as_deref();
    let mut bytes = Vec::with_capacity(TOLD);
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failed::file("stdin".as_ref(), error))?;
    let agent = if is_inside_copilot() { twice::speaker(agent, &bytes) } else { agent };
    let heard = hear(agent, &bytes, event, &told_beside());
    let happening = match heard {
        Heard::FromCursor => return Ok(Status::Success),
        Heard::Happened(happening) => Ok(*happening),
        Heard::Unclear { event, reason } => Err((event, reason)),
    };
    let session = happening.as_ref().ok().and_then(|happening| happening.session.as_deref());
    let known = session.map_or(Ok(None), |session| recall(args, session));
    let (settings, preferences) = settings_for(ui, global, args, agent, happening.as_ref().ok(), &known)?;
    if happening.as_ref().is_ok_and(|happening| twice::is_asked_already(agent, happening, &settings)) {
        return Ok(Status::Success);
    }
    let new_session = session.is_some() && matches!(known, Ok(None));
    if let Ok(happening) = &happening {
        let state = StateDir::new(settings.roots.state.clone());
        let belongs = Belongs { roots: settings.roots.workspaces.clone(), depth: settings.depth };
        let remembered = known.and_then(|known| session_roots::follow(happening, &state, known, &belongs));
        if args.beside_http {
            check_http(agent, happening, &settings, remembered)?;
        } else if let Err(error) = remembered {
            ui.warning(&format!("the roots of this session cannot be remembered: {error}"));
        }
    }
    let environment = settings.environment.clone();
    let inside_a_hook = settings.depth > 0;
    let servers = ConfiguredServers::of(&settings);
    let begins = happening.as_ref().is_ok_and(|it| new_session || is_start(it));
    let notices = if begins { session_notices::silencers(&settings) } else { Vec::new() };
    let engine = Engine::new(settings);
    let adapter =
        Adapter { agent, preferences, engine: &engine, servers: &servers, cancel: None, watch: None };
    let status = match happening {
        Ok(happening) => {
            let begins = is_start(&happening);
            let Answered { reply, verdict, asides, afterwards, told: news } =
                adapter.answer_with(happening, &notices);
            if begins && let Some(problem) = env_file::append(agent, &environment, &verdict.env) {
                ui.warning(&problem);
            }
            // An answer that nobody got is no answer: a gate stays shut, and the
            // call that was told does not run in place of the one that was meant.
            let words = verdict.refused.as_ref().or(verdict.ask.as_ref()).map(|words| words.model.as_str());
            let words = words.or(verdict.input.as_ref().map(|_| "a hook wants another input for this call"));
            let status = told(ui, &reply, words);
            if !news.is_empty() && !ui.is_unheard() {
                engine.told(&news);
            }
            // Where the exit code says something, stderr is the reason and nothing else.
            asides.iter().filter(|_| reply.code == 0).for_each(|aside| ui.warning(aside));
            adapter.finish(afterwards);
            status
        }
        Err((event, reason)) => {
            refused(ui, &adapter.answer_unclear(event.as_deref(), &bytes, &reason.to_string()))
        }
    };
    // Nobody reads stderr here: changes that the agent did not show stay news.
    if let Err(error) = engine.write_out() {
        ui.warning(&format!("the log was not written: {error}"));
    }
    if !inside_a_hook {
        background::refresh(&engine.roots().state, &engine.roots().home);
    }
    // The process ends here: nothing need be given back piece by piece.
    std::mem::forget(engine);
    Ok(status)
}

fn is_start(happening: &Happening) -> bool {
    matches!(happening.moment, Moment::SessionStart { .. })
}

/// Nothing between an agent that asks over HTTP and the daemon may answer for
/// it, and the daemon must know the session's roots. Only a prompt can be refused
/// for that.
fn check_http(
    agent: &Agent,
    happening: &Happening,
    settings: &Settings,
    remembered: Result<(), StateError>,
) -> Result<(), Failed> {
    if !matches!(happening.moment, Moment::Prompt { .. }) {
        return Ok(());
    }
    remembered?;
    match over_http::proxy(&settings.environment) {
        Some(variable) => Err(Failed::Other {
            problem: over_http::in_the_way(agent.title, agent.name, variable),
            help: None,
        }),
        None => Ok(()),
    }
}

/// The workspace roots are all that anything names, and what the agent runs
/// itself is left to it.
fn settings_for(
    ui: &mut Ui,
    global: &Global,
    args: &HookArgs,
    agent: &'static Agent,
    happening: Option<&Happening>,
    known: &Result<Option<Belongs>, StateError>,
) -> Result<(Settings, Preferences), Failed> {
    let named = happening.map_or(&[][..], |happening| &happening.roots);
    let hints = RootHints {
        named: named.iter().map(|root| native_root(Os::current(), root)).collect(),
        session: known.iter().flatten().flat_map(|known| known.roots.clone()).collect(),
        cwd: happening.and_then(|happening| happening.cwd.as_ref()).map(PathBuf::from),
        ..surrounding_hints(agent)
    };
    let (mut settings, preferences) = agent_settings(ui, global, &args.given, hints)?;
    settings.cancel = cancel();
    settings.agent = Some(agent.name);
    settings.without = left_to(agent, &settings.roots);
    if let Err(error) = known {
        settings.unknown_policy.get_or_insert_with(|| session_roots::unknown_roots(error));
    }
    Ok((settings, preferences))
}

/// Tells a refusal of something that was not even understood.
fn refused(ui: &mut Ui, reply: &Reply) -> Status {
    told(ui, reply, Some(&reply.stdout).filter(|said| !said.is_empty()).map(String::as_str))
}

/// Tells the agent. What holds something back and cannot be written becomes an
/// exit code with the reason on stderr: agents take a code alone for a failure
/// of ours, and go on.
fn told(ui: &mut Ui, reply: &Reply, holds_back: Option<&str>) -> Status {
    ui.reply(&reply.stdout, &reply.stderr);
    let status = match holds_back.filter(|_| !reply.stdout.is_empty() && ui.is_unheard()) {
        None => Status::Code(reply.code),
        Some(reason) => {
            ui.reply("", &format!("The answer could not be written, so it is refused: {reason}"));
            Status::Refused
        }
    };
    keep_exit_code(status);
    status
}

fn unknown(name: &str) -> String {
    let known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    format!("there is no agent `{name}`; there are {}", known.join(", "))
}

/// What was typed behind `agent hook` cannot be read. A person is told as the
/// parser tells it; an agent is answered.
pub fn misspelt(ui: &mut Ui, words: &[OsString], told_by_parser: &str) -> Status {
    if io::stdin().is_terminal() {
        ui.reply("", told_by_parser.trim_end());
        return Status::Failure;
    }
    let mut words = words.iter().filter_map(|word| word.to_str());
    let agent = words.find_map(named);
    let event = words.next().filter(|word| !word.starts_with('-'));
    let first = told_by_parser.split("\n\n").next().unwrap_or_default();
    let first: Vec<&str> = first.split_whitespace().skip_while(|word| *word == "error:").collect();
    mistaken(ui, agent, event, &first.join(" "))
}

/// The command line in an agent's settings cannot be read. An agent takes our
/// ordinary failure for «go on», so it is a refusal.
fn mistaken(ui: &mut Ui, agent: Option<&Agent>, event: Option<&str>, problem: &str) -> Status {
    let mut told = Vec::new();
    let mut stdin = io::stdin().lock();
    // What cannot be read tells nothing, and that is a refusal, too.
    let _ = if stdin.is_terminal() { Ok(0) } else { stdin.read_to_end(&mut told) };
    let name = agent.map_or("NAME", |agent| agent.name);
    let reason = format!(
        "the command in the agent's settings cannot be read: {problem}; `boathook agent install {name}` writes it anew"
    );
    refused(ui, &refuse_mistaken(agent, event, &told, &reason))
}
