//! What can be typed: the commands, and the options that go with all of them.

use std::path::PathBuf;

use boathook_engine::edition::Edition;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ColorChoice, Parser, Subcommand};

use crate::commands;

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
    Explain(commands::explain::ExplainArgs),
    Check(commands::check::CheckArgs),
    List(commands::list::ListArgs),
    Trust(commands::trust::TrustArgs),
    Init(commands::init::InitArgs),
    Hookify(commands::hookify::HookifyArgs),
    Convert(commands::convert::ConvertArgs),
    Log(commands::log::LogArgs),
    Schema(commands::schema::SchemaArgs),
    Completions(commands::completions::CompletionsArgs),
}

fn edition() -> impl TypedValueParser<Value = Edition> {
    PossibleValuesParser::new(Edition::ALL.map(Edition::name))
        .map(|name| Edition::named(&name).expect("only names of editions are accepted"))
}
