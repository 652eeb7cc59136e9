//! What can be typed: the commands, and the options that go with all of them.

use std::path::PathBuf;

use boathook_engine::edition::Edition;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, Parser, Subcommand};

use crate::commands;
use crate::commands::agent::hook::HookArgs;
use crate::commands::agent::{AgentArgs, AgentCommand};

/// Runs Cursor-format hooks around any coding agent
#[derive(Debug, Parser)]
#[command(
    name = "boathook",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Args {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// Options that go with every command.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// A workspace root; repeat it for several [default: the payload's roots, else the nearest folder with .cursor or .git]
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Vec<PathBuf>,
    /// A plugin whose hooks run, too; repeat it for several
    #[arg(long, global = true, value_name = "DIR")]
    pub plugin_dir: Vec<PathBuf>,
    /// Prefix of every system path such as /etc/cursor
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Which generation of the hook system to follow [default: docs]
    #[arg(long, global = true, value_name = "EDITION", value_parser = edition())]
    pub edition: Option<Edition>,
    /// When to colour the output
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Run(commands::run::RunArgs),
    Agent(commands::agent::AgentArgs),
    Explain(commands::explain::ExplainArgs),
    Check(commands::check::CheckArgs),
    Doctor(commands::doctor::DoctorArgs),
    List(commands::list::ListArgs),
    Trust(commands::trust::TrustArgs),
    Init(commands::init::InitArgs),
    New(commands::new::NewArgs),
    Test(commands::test::TestArgs),
    Hookify(commands::hookify::HookifyArgs),
    Convert(commands::convert::ConvertArgs),
    Log(commands::log::LogArgs),
    Replay(commands::replay::ReplayArgs),
    Panel(commands::panel::PanelArgs),
    Rule(commands::rule::RuleArgs),
    Schema(commands::schema::SchemaArgs),
    Man(commands::man::ManArgs),
    Completions(commands::completions::CompletionsArgs),
}

/// What `run` and `agent hook` alone can be given. They are called at every step
/// of an agent, and most of the time to parse their words goes into describing
/// all other commands.
#[derive(Debug, Parser)]
#[command(name = "boathook", disable_help_flag = true, disable_help_subcommand = true)]
struct Quick {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: QuickCommand,
}

#[derive(Debug, Subcommand)]
enum QuickCommand {
    #[command(disable_help_flag = true)]
    Run(commands::run::RunArgs),
    #[command(disable_help_flag = true)]
    Agent(QuickAgent),
}

#[derive(Debug, clap::Args)]
struct QuickAgent {
    #[command(subcommand)]
    command: QuickAgentCommand,
}

#[derive(Debug, Subcommand)]
enum QuickAgentCommand {
    #[command(disable_help_flag = true)]
    Hook(HookArgs),
}

/// Reads what was typed. Whatever the quick way does not understand, help and
/// mistakes included, goes the long way.
pub fn parse() -> Result<Args, clap::Error> {
    let Ok(Quick { global, command }) = Quick::try_parse() else { return Args::try_parse() };
    let command = match command {
        QuickCommand::Run(run) => Command::Run(run),
        QuickCommand::Agent(QuickAgent { command: QuickAgentCommand::Hook(hook) }) => {
            Command::Agent(AgentArgs { command: AgentCommand::Hook(hook) })
        }
    };
    Ok(Args { global, command })
}

/// Commands that people look for in another place, and where they are.
const ELSEWHERE: [(&str, &str); 5] = [
    ("install", "agent install"),
    ("uninstall", "agent uninstall"),
    ("status", "agent status"),
    ("hook", "agent hook"),
    // Only `agent list` is unknown.
    ("list", "status"),
];

/// Names the command that was meant, where its name alone does not lead there.
pub fn suggest(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let Some((_, meant)) = ELSEWHERE.iter().find(|(name, _)| name == typed) else { return };
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![(*meant).to_owned()]));
}

fn edition() -> impl TypedValueParser<Value = Edition> {
    PossibleValuesParser::new(Edition::ALL.map(Edition::name))
        .map(|name| Edition::named(&name).expect("only names of editions are accepted"))
}
