//! The command line of the program.

use std::path::PathBuf;

use crate::Outcome;

/// What was asked for.
#[derive(Debug, Default)]
pub struct Options {
    /// The set that `cargo xtask test` runs.
    pub small: bool,
    /// Renew `conformance/agents/seen.json` below this directory.
    pub write: Option<PathBuf>,
    /// The Boathook to install.
    pub binary: Option<PathBuf>,
    /// Leave the directories of good runs too.
    pub keep: bool,
    /// These agents only.
    pub agents: Vec<String>,
    /// These scenarios only.
    pub only: Vec<String>,
}

const USAGE: &str =
    "usage: agents [--small] [--write PROJECT] [--binary PATH] [--keep] [--agent NAME]… [--only SCENARIO]…";

impl Options {
    /// Reads them.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Outcome<Options> {
        let mut options = Options::default();
        while let Some(argument) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("`{argument}` needs a value\n{USAGE}"));
            match argument.as_str() {
                "--small" => options.small = true,
                "--write" => options.write = Some(value()?.into()),
                "--keep" => options.keep = true,
                "--binary" => options.binary = Some(value()?.into()),
                "--agent" => options.agents.push(value()?),
                "--only" => options.only.push(value()?),
                unknown => return Err(format!("unknown argument `{unknown}`\n{USAGE}")),
            }
        }
        // What was not looked at stays as an earlier run wrote it.
        match options.write.is_some() && options.small {
            true => Err("the small set is not worth writing".to_owned()),
            false => Ok(options),
        }
    }
}
