//! `cargo xtask bench`: what the engine costs, as ratios to a floor and to peers.
//!
//! Protocol: all contenders in one run, their order shuffled in every round;
//! a ratio is taken within a round, and what is reported is the median over
//! rounds. The floor is measured twice, and a run in which the two differ by
//! more than a twentieth is void. Single hooks are pinned to one processor; what
//! runs in parallel, what rests in between, and peers in Node are not. Absolute
//! times are for orientation only.

mod coprocess;
mod explain;
mod facts;
mod measure;
mod metrics;
mod prepare;
mod report;
mod stages;
mod statistics;

use std::fs;

use crate::command::Outcome;
use crate::progress::Progress;
use crate::{project, table};

/// The command's options.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// Few rounds: shows that everything works, measures nothing.
    pub quick: bool,
    /// Renew `docs/benchmarks.md`.
    pub write: bool,
    /// Measure this stage alone.
    pub only: Option<String>,
}

impl Options {
    /// Reads them from the command line.
    pub fn parse(args: &[String]) -> Outcome<Options> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(argument) = args.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--only" => options.only = Some(stage_named(args.next())?),
                unknown => {
                    let known = "--quick, --write and --only STAGE";
                    return Err(format!("unknown option `{unknown}`; there are {known}"));
                }
            }
        }
        match options {
            Options { quick: true, write: true, .. } => {
                Err("--quick measures nothing worth writing".to_owned())
            }
            Options { only: Some(_), write: true, .. } => Err("one stage alone makes no page".to_owned()),
            options => Ok(options),
        }
    }
}

fn stage_named(name: Option<&String>) -> Outcome<String> {
    let stages = stages::stages();
    let known = || stages.iter().map(|stage| stage.name).collect::<Vec<_>>().join(", ");
    let found = name.filter(|name| stages.iter().any(|stage| stage.name == **name));
    found.cloned().ok_or_else(|| format!("--only needs a stage; there are {}", known()))
}

/// Measures and reports.
pub fn bench(options: Options) -> Outcome<()> {
    let mut progress = Progress::of("bench");
    let laboratory = prepare::prepare(&mut progress, stages::needs_command(options.only.as_deref()))?;
    let facts = facts::facts();
    let results = measure::measure(&laboratory, &options, &mut progress)?;
    let report = report::report(&results, &facts);
    progress.finish();
    println!("\n{report}");
    if options.write {
        let page = project::root().join("docs/benchmarks.md");
        fs::create_dir_all(project::root().join("docs")).map_err(|error| error.to_string())?;
        fs::write(&page, report::page(&report)).map_err(|error| format!("docs/benchmarks.md: {error}"))?;
        println!("wrote docs/benchmarks.md");
    }
    Ok(())
}
