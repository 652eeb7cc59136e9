//! `boathook run`: one event in, one answer out.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use boathook_engine::decision::Decision;
use boathook_engine::engine::Engine;
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::load::{Surface, TrustMode};
use boathook_engine::remote::wire::{Caller, Handled};
use boathook_engine::remote::{Asked, Remote};
use boathook_engine::run::LastAnswer;
use serde_json::Value;

use crate::Status;
use crate::args::Global;
use crate::commands::team::background;
use crate::error::Failed;
use crate::payload_args::PayloadArgs;
use crate::report;
use crate::settings::{caller, cancel, settings};
use crate::ui::Ui;

/// Run the hooks of an event and print their answer
///
/// The payload is one JSON object on stdin, or `--field`s, or both; missing
/// common fields are filled in. The answer is one line of JSON in the product's
/// format. Exit code 0, or 2 when the action is refused, or 1 when Boathook
/// itself failed; so `boathook run` can itself be a hook's command.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    payload: PayloadArgs,
    /// Trust the workspace for this one call; nothing is stored
    #[arg(long)]
    trust: bool,
    /// Write the whole decision as JSON to stderr: every hook's outcome, what lost and why
    #[arg(long)]
    trace: bool,
    /// Where the agent runs
    #[arg(long, value_name = "SURFACE", value_enum, default_value = "desktop")]
    surface: SurfaceArg,
    /// Say that the workspace is remote (CURSOR_CODE_REMOTE=true)
    #[arg(long)]
    remote: bool,
    /// Nobody can be asked: `ask` is a refusal
    #[arg(long)]
    cannot_ask: bool,
    /// Ask the daemon when it runs; without one, decide here as always
    #[arg(long)]
    daemon: bool,
}

impl RunArgs {
    /// An event, and nothing else that is typed.
    pub fn of(event: EventKind) -> RunArgs {
        let payload = PayloadArgs { event, field: Vec::new() };
        let surface = SurfaceArg::Desktop;
        RunArgs {
            payload,
            trust: false,
            trace: false,
            surface,
            remote: false,
            cannot_ask: false,
            daemon: false,
        }
    }
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum SurfaceArg {
    /// At a desk: everything runs
    Desktop,
    /// Enterprise, team and project sources, command hooks, fewer events
    Cloud,
}

impl From<SurfaceArg> for Surface {
    fn from(surface: SurfaceArg) -> Surface {
        match surface {
            SurfaceArg::Desktop => Surface::Desktop,
            SurfaceArg::Cloud => Surface::Cloud,
        }
    }
}

/// Where there is no answer, whatever the reason, a gate stays shut.
pub fn run(ui: &mut Ui, global: &Global, args: &RunArgs) -> Result<Status, Failed> {
    let without_answer = if args.payload.event.can_block() { Status::Refused } else { Status::Failure };
    let stderr = "boathook: it ran out of memory or had to end before there was an answer\n";
    end_as(without_answer, stderr);
    catch_unwind(AssertUnwindSafe(|| answer(ui, global, args))).unwrap_or(Ok(without_answer))
}

/// From now on the process ends with this when it cannot go on.
fn end_as(status: Status, stderr: &str) {
    LastAnswer { stdout: Vec::new(), stderr: stderr.into(), code: status.code().into() }.prepare();
}

fn answer(ui: &mut Ui, global: &Global, args: &RunArgs) -> Result<Status, Failed> {
    let event = args.payload.read()?;
    args.payload.tell_slips(ui);
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let mut settings = match settings(ui, global, &roots) {
        // Exit code 1 would let the action go on.
        Err(failed @ Failed::Roots(_)) if event.kind.can_block() => {
            ui.failed(&failed);
            return Ok(Status::Refused);
        }
        settings => settings?,
    };
    settings.cancel = cancel();
    settings.surface = args.surface.into();
    settings.remote = args.remote;
    settings.can_ask = !args.cannot_ask;
    if args.trust {
        settings.trust = TrustMode::Once;
    }
    let (inside_a_hook, caller) = (settings.depth > 0, args.daemon.then(|| caller(&settings)));
    let engine = Engine::new(settings);
    let can_block = event.kind.can_block();
    let blocked = match caller {
        None => tell(ui, &engine.handle(event), args.trace),
        Some(caller) => ask(ui, &engine, event, caller, args.trace),
    };
    // An answer that nobody got is no answer: an `ask` or a redaction must not
    // become an allow, so a gate stays shut.
    let unheard = ui.reader_is_gone() && can_block;
    let status = if blocked || unheard { Status::Refused } else { Status::Success };
    end_as(status, "");
    match engine.write_out() {
        Ok(changes) => {
            report::changes(ui, &changes);
            // Inside a hook nobody reads it.
            if !inside_a_hook {
                engine.told(&changes);
            }
        }
        Err(error) => ui.warning(&format!("the log was not written: {error}")),
    }
    if !inside_a_hook {
        background::refresh(&engine.roots().state, &engine.roots().home);
    }
    // The process ends here: nothing need be given back piece by piece.
    std::mem::forget(engine);
    if unheard && !blocked {
        ui.error("the answer could not be written, so the action is refused");
    }
    Ok(status)
}

/// Asks the daemon, or the engine where there is none to rely on; says whether
/// the action is refused.
fn ask(ui: &mut Ui, engine: &Engine, event: Event, caller: Caller, trace: bool) -> bool {
    let remote = Remote::new(engine.roots().state.clone(), caller);
    let Asked { handled, reason } = remote.handle_or_ask(engine, event);
    match reason {
        Some(reason) if reason.is_trouble() => {
            ui.warning(&format!("{reason}; this event was decided without it"));
            reason.help().iter().for_each(|help| ui.help(help));
            tell(ui, &handled, trace)
        }
        Some(_) => tell(ui, &handled, trace),
        None => {
            let blocked = tell(ui, &handled, trace);
            // The daemon looked at the hooks. What changed in the user's own is
            // said to a person, and that is here.
            engine.hooks();
            blocked
        }
    }
}

/// A decision as this command shows it, whoever made it.
trait Shown {
    fn answer_line(&self) -> Cow<'_, str>;
    fn trusted_once(&self) -> &[PathBuf];
    fn warnings(&self) -> &[String];
    /// What to tell the user; none when nothing is refused.
    fn refusal(&self) -> Option<&str>;
    fn trace(&self) -> Value;
}

impl Shown for Decision {
    fn answer_line(&self) -> Cow<'_, str> {
        Decision::answer_line(self).into()
    }

    fn trusted_once(&self) -> &[PathBuf] {
        &self.trusted_once
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked.then(|| self.user_message.as_deref().unwrap_or_default())
    }

    fn trace(&self) -> Value {
        Decision::trace(self)
    }
}

impl Shown for Handled {
    fn answer_line(&self) -> Cow<'_, str> {
        self.answer.get().into()
    }

    fn trusted_once(&self) -> &[PathBuf] {
        &self.trusted_once
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn refusal(&self) -> Option<&str> {
        self.blocked.then(|| self.user_text.as_deref().unwrap_or_default())
    }

    fn trace(&self) -> Value {
        Handled::trace(self)
    }
}

/// Prints the answer, and what a person should see of it; says whether the
/// action is refused.
fn tell(ui: &mut Ui, decision: &impl Shown, trace: bool) -> bool {
    ui.json(&decision.answer_line());
    for file in decision.trusted_once() {
        ui.say(&format!("trusted for this call: {}", file.display()));
    }
    for warning in decision.warnings() {
        ui.warning(warning);
    }
    if let Some(text) = decision.refusal() {
        ui.say(text);
    }
    if trace {
        ui.trace(&decision.trace().to_string());
    }
    decision.refusal().is_some()
}
