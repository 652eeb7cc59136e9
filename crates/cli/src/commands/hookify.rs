//! `boathook hookify`: one hookify rule as the command of a hook.

use std::io::{self, Read};
use std::path::PathBuf;

use boathook_engine::engine::decide_alone;
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::payload::Payload;
use boathook_engine::read_file::{self, Owner};
use boathook_engine::rule::Rule;
use boathook_engine::rule::hookify::{Mode, Options, WarnAs, read_rule};

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::settings::settings;
use crate::ui::Ui;

/// Decide one hookify rule, as the command of a hook
///
/// Reads a payload from stdin, as hooks get it, and prints the rule's answer.
/// `boathook convert hookify` writes entries with this command: the original
/// product runs them as a process, Boathook decides them without one.
#[derive(Debug, clap::Args)]
pub struct HookifyArgs {
    /// The rule, such as .claude/hookify.no-force-push.local.md
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Do what the hookify plugin does, also where that is not what authors want
    #[arg(long)]
    faithful: bool,
    /// What a rule that warns does
    #[arg(long, value_name = "WHAT", value_enum, default_value = "message")]
    warn_as: WarnAsArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum WarnAsArg {
    /// Asks the person
    Ask,
    /// Tells the model and the person
    Message,
    /// Refuses
    Deny,
}

impl From<WarnAsArg> for WarnAs {
    fn from(what: WarnAsArg) -> WarnAs {
        match what {
            WarnAsArg::Ask => WarnAs::Ask,
            WarnAsArg::Message => WarnAs::Message,
            WarnAsArg::Deny => WarnAs::Deny,
        }
    }
}

pub fn hookify(ui: &mut Ui, global: &Global, args: &HookifyArgs) -> Result<Status, Failed> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Failed::file("stdin".as_ref(), error))?;
    let payload = Payload::parse(&bytes)?;
    let settings = settings(ui, global, &payload.texts("workspace_roots").unwrap_or_default())?;
    let named = payload.text("hook_event_name").unwrap_or_default();
    let event = EventKind::named(&named).ok_or_else(|| {
        Failed::other(
            format!("the payload's `hook_event_name` is `{named}`, which is no event"),
            "hooks are given it; to try a rule, write {\"hook_event_name\":\"beforeShellExecution\",\"command\":\"ls\"}",
        )
    })?;
    let mode = if args.faithful { Mode::Faithful } else { settings.hookify };
    let read = read_file::read(&args.file, read_file::CONFIG_LIMIT, Owner::Anybody)
        .map_err(|error| Failed::other(format!("{}: {error}", args.file.display()), "name a hookify rule"))?;
    let found = read_rule(&read.bytes, &args.file, Options { mode, warn_as: args.warn_as.into() });
    let problem =
        found.broken.clone().or_else(|| found.problems.first().map(|problem| problem.message.clone()));
    let (Some(rule), None) = (found.rule, found.broken) else {
        let problem = format!("{}: {}", args.file.display(), problem.unwrap_or_default());
        return Err(Failed::other(problem, "`boathook check` says what to write instead"));
    };
    if !found.enabled {
        ui.json("{}");
        return Ok(Status::Success);
    }
    let rule = rule.at_entry("boathook hookify");
    let decision = decide_alone(Rule::Hookify(rule), &Event::new(event, payload), settings.edition);
    ui.json(&decision.answer_line());
    Ok(Status::Success)
}
