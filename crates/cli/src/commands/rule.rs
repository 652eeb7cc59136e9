//! `boathook rule`: one rule of a hooks.json, asked as a process.

use std::io::{self, Read};
use std::path::Path;

use boathook_engine::definition::Action;
use boathook_engine::engine::load_options;
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::load::{Hook, HookSet, Loader};
use boathook_engine::outcome::Outcome;
use boathook_engine::payload::Payload;
use boathook_engine::rule::declared::{self, answer_line};
use boathook_engine::rule::{Look, Rule};

use crate::Status;
use crate::args::Global;
use crate::commands::explain::place;
use crate::error::Failed;
use crate::settings::{run_directory, settings};
use crate::ui::Ui;

/// Ask one rule of a hooks.json, as a hook's command
///
/// This is what the original product runs for an entry with a `rule`; Boathook
/// itself decides such an entry without a process, with the same answer. The
/// payload comes on stdin and names the event. The rule is looked for in the
/// hooks.json whose hooks run in the current directory, then in the others.
/// Exit code 0, or 2 when the rule refuses, or 1 when there is no such rule.
#[derive(Debug, clap::Args)]
pub struct RuleArgs {
    /// The name of the rule, as in the entry's command
    #[arg(value_name = "NAME")]
    name: String,
}

pub fn rule(ui: &mut Ui, global: &Global, args: &RuleArgs) -> Result<Status, Failed> {
    let event = read_event()?;
    let roots = event.payload.texts("workspace_roots").unwrap_or_default();
    let settings = settings(ui, global, &roots)?;
    let workspaces = settings.roots.workspaces.clone();
    let set = Loader::new(settings.roots.clone(), load_options(&settings, false)).hooks(&workspaces);
    let rule = find(&set, &args.name, event.kind, run_directory().as_deref())?;
    // No transcript is read: declared rules do not ask for one.
    let look = Look::new(&event, &|_| None);
    let Some(read) = rule.apply(&look) else {
        ui.json("{}");
        return Ok(Status::Success);
    };
    for warning in &read.warnings {
        ui.warning(warning);
    }
    match read.outcome {
        Outcome::Answer(answer) => {
            ui.json(&answer_line(&answer, event.kind));
            if answer.refuses() {
                ui.say(answer.user_message.as_deref().unwrap_or_default());
                return Ok(Status::Refused);
            }
            Ok(Status::Success)
        }
        Outcome::Failed(failure) => Err(broken(&args.name, &failure.to_string())),
        Outcome::NoOpinion | Outcome::Silent => {
            ui.json("{}");
            Ok(Status::Success)
        }
    }
}

fn read_event() -> Result<Event, Failed> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failed::file("stdin".as_ref(), error))?;
    let payload = Payload::parse(&bytes)?;
    let name = payload.text("hook_event_name").unwrap_or_default();
    let Some(kind) = EventKind::named(&name) else {
        let problem = format!("the payload's `hook_event_name` is `{name}`, which is no event");
        return Err(Failed::other(
            problem,
            "pipe in what a hook gets: {\"hook_event_name\": \"beforeShellExecution\", …}",
        ));
    };
    Ok(Event::new(kind, payload))
}

/// The rule of the file whose hooks run here; else the first of all files.
/// Whoever runs us has decided about trust: a rule does nothing but answer.
fn find<'s>(
    set: &'s HookSet,
    name: &str,
    event: EventKind,
    here: Option<&Path>,
) -> Result<&'s declared::Rule, Failed> {
    let mine = |hook: &&Hook| hook.definition.event == event && is_named(hook, name);
    let is_here = |hook: &&Hook| here.is_some_and(|here| hook.source.run_dir == here);
    let found: Vec<&Hook> = set.hooks.iter().filter(mine).collect();
    let hook = found.iter().copied().find(|hook| is_here(hook)).or(found.first().copied());
    let Some(hook) = hook else {
        let problem = format!("there is no rule `{name}` for `{}`", event.name());
        let help =
            "write it beside the command in hooks.json; `boathook check` says what is wrong with a file";
        return Err(Failed::other(problem, help));
    };
    match &hook.definition.action {
        Action::Rule(rule) => match &**rule {
            Rule::Declared(rule) => Ok(rule),
            Rule::Hookify(_) => Err(broken(name, "it is a hookify rule")),
            Rule::Always(_) => Err(broken(name, "it is a team's policy")),
            Rule::SelfProtection(_) => Err(broken(name, "it is a built-in rule")),
        },
        Action::Broken { reason, .. } => Err(broken(name, &format!("{}: {reason}", place(hook)))),
        Action::Command(_) | Action::Prompt { .. } => Err(broken(name, "it is no rule")),
    }
}

fn is_named(hook: &Hook, name: &str) -> bool {
    let of_command = hook.definition.label().split_whitespace().collect::<Vec<_>>();
    of_command.len() == 3 && of_command[1..] == ["rule", name]
}

fn broken(name: &str, reason: &str) -> Failed {
    Failed::other(
        format!("the rule `{name}` cannot be asked: {reason}"),
        "`boathook check` shows the place and the repair",
    )
}
