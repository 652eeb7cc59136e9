//! What can be typed: the commands, and the options that go with all of them.

use std::ffi::OsString;
use std::path::PathBuf;

use boathook_engine::edition::Edition;
use boathook_engine::visible::on_one_line;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, Parser, Subcommand};

use crate::{commands, quick_args};

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
#[derive(Debug, Clone, clap::Args)]
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
    Daemon(commands::daemon::DaemonArgs),
    Explain(commands::explain::ExplainArgs),
    Check(commands::check::CheckArgs),
    Doctor(commands::doctor::DoctorArgs),
    List(commands::list::ListArgs),
    Trust(commands::trust::TrustArgs),
    Unlock(commands::unlock::UnlockArgs),
    Init(commands::init::InitArgs),
    New(commands::new::NewArgs),
    Test(commands::test::TestArgs),
    Hookify(commands::hookify::HookifyArgs),
    Convert(commands::convert::ConvertArgs),
    Log(commands::log::LogArgs),
    Replay(commands::replay::ReplayArgs),
    Panel(commands::panel::PanelArgs),
    Serve(commands::serve::ServeArgs),
    Team(commands::team::TeamArgs),
    Rule(commands::rule::RuleArgs),
    Schema(commands::schema::SchemaArgs),
    Man(commands::man::ManArgs),
    Completions(commands::completions::CompletionsArgs),
}

/// Reads what was typed: plain forms by hand, the rest with the general parser.
pub fn parse(words: &[OsString]) -> Result<Args, clap::Error> {
    let by_hand = quick_args::read(words.get(1..).unwrap_or_default());
    by_hand.map_or_else(|| Args::try_parse_from(words), Ok)
}

/// The same error about the words with their control characters escaped: clap prints an argument as it is.
pub fn escaped_error(error: clap::Error, words: &[OsString]) -> clap::Error {
    let shown: Vec<OsString> = words.iter().map(|word| on_one_line(&word.to_string_lossy()).into()).collect();
    if shown == words {
        return error;
    }
    let kind = error.kind();
    Args::try_parse_from(shown).err().unwrap_or_else(|| {
        // Only the control characters were wrong.
        let message = on_one_line(error.render().to_string().lines().next().unwrap_or_default());
        clap::Error::raw(kind, format!("{}\n", message.trim_start_matches("error: ")))
    })
}

/// What was typed behind `agent hook`, whatever it is; none when that is not
/// the command. All options that can stand before it have a value.
pub fn behind_agent_hook(words: &[OsString]) -> Option<&[OsString]> {
    let mut rest = words.get(1..)?;
    while let [first, behind @ ..] = rest
        && let Some(option) = first.to_str().filter(|word| word.starts_with("--"))
    {
        rest = if option.contains('=') { behind } else { behind.get(1..)? };
    }
    match rest {
        [first, second, behind @ ..] if first == "agent" && second == "hook" => Some(behind),
        _ => None,
    }
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

/// What people type to start a daemon,
const STARTS: [&str; 2] = ["start", "restart"];
/// and what does.
const START: &str = "`boathook daemon` starts one; `boathook daemon stop` ends one that runs";

/// Names the command that was meant, where its name alone does not lead there.
pub fn suggest(error: &mut clap::Error) {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else { return };
    if STARTS.contains(&typed.as_str()) {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![START.into()]));
        return;
    }
    let Some((_, meant)) = ELSEWHERE.iter().find(|(name, _)| name == typed) else { return };
    error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![(*meant).to_owned()]));
}

fn edition() -> impl TypedValueParser<Value = Edition> {
    PossibleValuesParser::new(Edition::ALL.map(Edition::name))
        .map(|name| Edition::named(&name).expect("only names of editions are accepted"))
}
