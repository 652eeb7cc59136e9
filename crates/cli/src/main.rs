//! The `boathook` command: parses what was typed, calls the command, and turns
//! its result into an exit code.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

mod agents;
mod args;
mod commands;
mod daemon;
mod error;
mod fold;
mod http_address;
mod https;
mod judge;
mod on_machine;
mod payload_args;
mod program_search;
mod quick_args;
mod report;
mod settings;
mod team;
mod ui;
mod write_file;

use std::ffi::OsString;
use std::process::ExitCode;

use boathook_engine::run::{LastAnswer, ignore_file_size_signal};
use boathook_memory::{ReportsExhaustion, on_exhaustion};
use clap::ColorChoice;

use crate::args::{Args, Command};
use crate::error::Failed;
use crate::ui::Ui;

#[global_allocator]
static ALLOCATOR: ReportsExhaustion<boathook_memory::Allocator> =
    ReportsExhaustion(boathook_memory::Allocator);

/// What a command came to, as an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// 0.
    Success,
    /// 1: Boathook itself failed, or found what it was asked to look for.
    Failure,
    /// 2: an action was refused.
    Refused,
    /// What an agent reads from it.
    Code(u8),
}

fn main() -> ExitCode {
    on_exhaustion(LastAnswer::give);
    ignore_file_size_signal();
    let words: Vec<OsString> = std::env::args_os().collect();
    let args = match args::parse(&words) {
        Ok(args) => args,
        Err(error) => return usage(error, &words),
    };
    let mut ui = Ui::new(args.global.color);
    let result = run(&mut ui, &args);
    let status = result.unwrap_or_else(|failed| {
        ui.failed(&failed);
        Status::Failure
    });
    let status = match (ui.lost_data().map(ToString::to_string), status) {
        (Some(error), Status::Success) => {
            ui.error(&format!("stdout could not be written: {error}"));
            Status::Failure
        }
        (_, status) => status,
    };
    status.into()
}

impl Status {
    /// The number that the process ends with.
    pub fn code(self) -> u8 {
        match self {
            Status::Success => 0,
            Status::Failure => 1,
            Status::Refused => 2,
            Status::Code(code) => code,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.code())
    }
}

/// Help and version were asked for; anything else is a failure of ours, and
/// must not look like a refusal when we are a hook's command. When we are an
/// agent's it must: agents take a failure for «go on».
fn usage(error: clap::Error, words: &[OsString]) -> ExitCode {
    let mut error = args::escaped_error(error, words);
    args::suggest(&mut error);
    match args::behind_agent_hook(words) {
        Some(rest) if error.use_stderr() => {
            let problem = error.render().to_string();
            commands::agent::hook::misspelt(&mut Ui::new(ColorChoice::Auto), rest, &problem).into()
        }
        _ => {
            let _ = error.print();
            ExitCode::from(u8::from(error.use_stderr()))
        }
    }
}

fn run(ui: &mut Ui, args: &Args) -> Result<Status, Failed> {
    match &args.command {
        Command::Run(run) => commands::run::run(ui, &args.global, run),
        Command::Agent(agent) => commands::agent::agent(ui, &args.global, agent),
        Command::Daemon(daemon) => commands::daemon::daemon(ui, &args.global, daemon),
        Command::Explain(explain) => commands::explain::explain(ui, &args.global, explain),
        Command::Check(check) => commands::check::check(ui, &args.global, check),
        Command::Doctor(doctor) => commands::doctor::doctor(ui, &args.global, doctor),
        Command::List(list) => commands::list::list(ui, &args.global, list),
        Command::Trust(trust) => commands::trust::trust(ui, &args.global, trust),
        Command::Unlock(unlock) => commands::unlock::unlock(ui, &args.global, unlock),
        Command::Init(init) => commands::init::init(ui, &args.global, init),
        Command::New(new) => commands::new::new(ui, &args.global, new),
        Command::Test(test) => commands::test::test(ui, &args.global, test),
        Command::Hookify(hookify) => commands::hookify::hookify(ui, &args.global, hookify),
        Command::Convert(convert) => commands::convert::convert(ui, &args.global, convert),
        Command::Log(log) => commands::log::log(ui, &args.global, log),
        Command::Replay(replay) => commands::replay::replay(ui, &args.global, replay),
        Command::Panel(panel) => commands::panel::panel(ui, &args.global, panel),
        Command::Serve(serve) => commands::serve::serve(ui, serve),
        Command::Team(team) => commands::team::team(ui, &args.global, team),
        Command::Rule(rule) => commands::rule::rule(ui, &args.global, rule),
        Command::Schema(schema) => commands::schema::schema(ui, schema),
        Command::Man(man) => commands::man::man(ui, man),
        Command::Completions(completions) => commands::completions::completions(ui, completions),
    }
}
