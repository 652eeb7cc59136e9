//! `boathook replay`: a recorded run again, and what differs.

mod show;

use boathook_engine::engine::{Engine, Settings};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::load::{Hook, TrustMode};
use boathook_engine::log_file::LogFile;
use boathook_engine::merge::Heard;
use boathook_engine::outcome::{Outcome, ReadOutcome};
use boathook_engine::payload::Payload;
use boathook_engine::perform::Performer;
use boathook_engine::plan::Plan;
use boathook_engine::record::{KeptPayload, Record, response_of};
use boathook_engine::run::{Exit, Status as Ended};
use boathook_engine::state::StateDir;
use serde_json::json;

use crate::Status;
use crate::args::Global;
use crate::commands::log::{find, words};
use crate::commands::test::scratch::{Scratch, TRUST};
use crate::error::Failed;
use crate::settings::{cancel, settings};
use crate::ui::Ui;
use show::{Run, Told};

/// Run a hook again with the payload it got
///
/// Takes a run from the log by its id, runs the same hook as it is configured
/// and written now, and shows what it answered then and now: exit code, answer,
/// duration. The host is not told and nothing is logged. Trust applies.
///
/// Exit code 0 when the answer is the same, else 1.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  boathook log --outcome failed      find the id
  boathook replay 8f3a2b1c
  boathook replay 8f3a2b1c --all-hooks")]
pub struct ReplayArgs {
    /// The run: its id, or the beginning of it
    #[arg(value_name = "ID")]
    id: String,
    /// Send the event to all of its hooks again, as an agent would
    #[arg(long)]
    all_hooks: bool,
    /// Trust the workspace for this one call; nothing is stored
    #[arg(long)]
    trust: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn replay(ui: &mut Ui, global: &Global, args: &ReplayArgs) -> Result<Status, Failed> {
    let (records, _) = LogFile::of(StateDir::new(settings(ui, global, &[])?.roots.state)).read()?;
    let record = find(&records, &args.id)?;
    let event = event_of(record)?;
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let mut settings = settings(ui, global, &roots)?;
    settings.cancel = cancel();
    settings.trust = if args.trust { TrustMode::Once } else { TrustMode::Store };
    let told = if args.all_hooks {
        all_hooks(ui, settings, event, record, &records)?
    } else {
        one_hook(settings, event, record)?
    };
    if args.json {
        ui.json(&json!({ "id": record.id, "event": record.step, "hooks": told }).to_string());
    } else {
        show::all(ui, record, &told);
    }
    let same = told.iter().all(Told::is_same);
    Ok(if same { Status::Success } else { Status::Failure })
}

/// The event as its hooks got it.
fn event_of(record: &Record) -> Result<Event, Failed> {
    let id = words::short_id(record);
    let lacks = |what: String| {
        Failed::other(
            format!("{id} cannot be run again: {what}"),
            format!("send the event by hand: `boathook run {} --field …`", record.step),
        )
    };
    match record.kept_payload() {
        KeptPayload::Whole => {}
        KeptPayload::Cut(_) | KeptPayload::Redacted | KeptPayload::Nothing => {
            return Err(lacks(format!("its payload is {}", words::lack(record).unwrap_or_default())));
        }
    }
    let kind = EventKind::named(&record.step)
        .ok_or_else(|| lacks(format!("there is no event `{}`", record.step)))?;
    let payload = Payload::parse(record.request.get().as_bytes())?;
    Ok(Event::new(kind, payload))
}

/// The hook of the record, as it is now.
fn one_hook(settings: Settings, event: Event, record: &Record) -> Result<Vec<Told>, Failed> {
    let Some(command) = &record.command else {
        let problem = format!("{} is an event that no hook ran on", words::short_id(record));
        return Err(Failed::other(problem, "--all-hooks sends it to the hooks there are now"));
    };
    let (rules, cancel, judge) = (settings.edition.rules(), settings.cancel.clone(), settings.judge.clone());
    let explanation = Engine::new(settings).explain(event);
    let plan = explanation.plan();
    let is_it = |hook: &Hook| {
        let file = record.place.as_deref().and_then(|place| place.rsplit_once(':')).map(|(file, _)| file);
        hook.definition.label() == command
            && record.source.as_deref() == Some(hook.source.level.name())
            && file.is_none_or(|file| hook.source.file.to_string_lossy() == file)
    };
    let Some(step) = plan.steps.iter().find(|step| is_it(step.hook)) else {
        return Err(not_there(&plan, &is_it, command));
    };
    let performer = Performer { rules, judge, cancel: &cancel, deadline: None, kept: None };
    let heard = performer.perform(vec![step.clone()], &explanation.event);
    let now = heard.first().map(run_of);
    Ok(vec![Told { command: command.clone(), before: Some(Run::of(record)), now }])
}

fn not_there(plan: &Plan<'_>, is_it: &dyn Fn(&Hook) -> bool, command: &str) -> Failed {
    match plan.skipped.iter().find(|skipped| is_it(skipped.hook)) {
        Some(skipped) => {
            let why = skipped.why.sentence(skipped.hook, plan.subject.as_deref());
            let help = if skipped.why.is_withheld() {
                "`boathook trust` shows what would be trusted, and asks; --trust trusts it for this call"
            } else {
                "`boathook explain` shows what would run for an event"
            };
            Failed::other(format!("hook `{command}` would not run now: {why}"), help)
        }
        None => Failed::other(
            format!("hook `{command}` is not configured for this event any more"),
            "--all-hooks sends the event to the hooks there are now",
        ),
    }
}

/// The event again, in a state of its own: nothing is logged, and what a
/// session keeps is not changed.
fn all_hooks(
    ui: &mut Ui,
    mut settings: Settings,
    event: Event,
    record: &Record,
    records: &[Record],
) -> Result<Vec<Told>, Failed> {
    let scratch = Scratch::new().map_err(|error| Failed::file("scratch".as_ref(), error))?;
    let state = scratch.state(&settings.roots.state, &[TRUST, "sessions"]);
    settings.roots.state = state.map_err(|error| Failed::file("scratch".as_ref(), error))?;
    let engine = Engine::new(settings);
    let decision = engine.handle(event);
    decision.warnings.iter().for_each(|warning| ui.warning(warning));
    let same_event = |other: &&Record| {
        other.timestamp == record.timestamp
            && other.step == record.step
            && other.conversation == record.conversation
    };
    let before: Vec<&Record> = records.iter().filter(same_event).collect();
    let mut told: Vec<Told> = Vec::new();
    for now in engine.log().iter().filter(|now| now.command.is_some()) {
        let then = before.iter().find(|then| then.command == now.command && then.source == now.source);
        told.push(Told {
            command: now.command.clone().unwrap_or_default(),
            before: then.map(|then| Run::of(then)),
            now: Some(Run::of(now)),
        });
    }
    for then in before.iter().filter(|then| then.command.is_some()) {
        let command = then.command.clone().unwrap_or_default();
        if !told.iter().any(|it| it.command == command) {
            told.push(Told { command, before: Some(Run::of(then)), now: None });
        }
    }
    Ok(told)
}

/// A run that just ended, in the words of the log.
fn run_of(heard: &Heard<'_>) -> Run {
    let exit = heard.exit.as_ref();
    let (result, reason) = outcome_of(&heard.read);
    Run {
        result,
        reason,
        exit_code: exit.and_then(|exit| if let Ended::Code(code) = exit.status { Some(code) } else { None }),
        duration: exit.map(Exit::milliseconds),
        response: exit.and_then(|exit| response_of(&exit.stdout)).map(|it| it.get().to_owned()),
        stderr: exit.map(|exit| String::from_utf8_lossy(&exit.stderr).into_owned()).unwrap_or_default(),
    }
}

fn outcome_of(read: &ReadOutcome) -> (String, Option<String>) {
    match &read.outcome {
        Outcome::Answer(answer) => match answer.permission {
            Some(permission) => (words::permission(Some(permission.name())).0.to_owned(), None),
            None => ("answered".to_owned(), None),
        },
        Outcome::NoOpinion | Outcome::Silent => ("no opinion".to_owned(), None),
        Outcome::Failed(failure) => ("failed".to_owned(), Some(failure.to_string())),
    }
}
