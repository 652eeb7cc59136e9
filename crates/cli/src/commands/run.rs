//! `boathook run`: one event in, one answer out.

use boathook_engine::decision::Decision;
use boathook_engine::engine::Engine;
use boathook_engine::event::EventKind;
use boathook_engine::load::{Surface, TrustMode};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::payload_args::PayloadArgs;
use crate::report;
use crate::settings::{cancel, settings};
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
}

impl RunArgs {
    /// An event, and nothing else that is typed.
    pub fn of(event: EventKind) -> RunArgs {
        let payload = PayloadArgs { event, field: Vec::new() };
        let surface = SurfaceArg::Desktop;
        RunArgs { payload, trust: false, trace: false, surface, remote: false, cannot_ask: false }
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

pub fn run(ui: &mut Ui, global: &Global, args: &RunArgs) -> Result<Status, Failed> {
    let event = args.payload.read()?;
    args.payload.tell_slips(ui);
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let mut settings = settings(ui, global, &roots)?;
    settings.cancel = cancel();
    settings.surface = args.surface.into();
    settings.remote = args.remote;
    settings.can_ask = !args.cannot_ask;
    if args.trust {
        settings.trust = TrustMode::Once;
    }
    let inside_a_hook = settings.depth > 0;
    let engine = Engine::new(settings);
    let decision = engine.handle(event);
    ui.json(&decision.answer_line());
    tell(ui, &decision);
    if args.trace {
        ui.trace(&decision.trace().to_string());
    }
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
    // The process ends here: nothing need be given back piece by piece.
    std::mem::forget(engine);
    // An answer that nobody got is no answer: an `ask` or a redaction must not
    // become an allow, so a gate stays shut.
    let unheard = ui.reader_is_gone() && decision.event.can_block();
    if unheard && !decision.blocked {
        ui.error("the answer could not be written, so the action is refused");
    }
    Ok(if decision.blocked || unheard { Status::Refused } else { Status::Success })
}

/// What a person should see of a decision.
fn tell(ui: &mut Ui, decision: &Decision) {
    for file in &decision.trusted_once {
        ui.say(&format!("trusted for this call: {}", file.display()));
    }
    for warning in &decision.warnings {
        ui.warning(warning);
    }
    if decision.blocked {
        ui.say(decision.user_message.as_deref().unwrap_or_default());
    }
}
