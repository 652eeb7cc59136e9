//! Tasks of the project, run as `cargo xtask TASK`.

mod agents;
mod bench;
mod browser;
mod command;
mod dist;
mod fuzz;
mod npm;
mod progress;
mod project;
mod random;
mod soak;
mod table;
mod test;
mod tools;

use std::process::ExitCode;

use command::Outcome;

const USAGE: &str = "\
Usage: cargo xtask TASK

  test     format, lint and test everything; installs what that needs
  browser  walk the panel in a real Chromium, with screenshots in target/browser/shots
  dist     build the static binary that is shipped
  fuzz     run the fuzz targets for a minute each, or those that are named (--seconds N)
  bench    what a hook costs, beside a floor and peers (--quick, --write, --only STAGE)
  soak     long runs by hand (--agents, --kills, --payloads, --windows, --fleet, --memory, --bash, --fuzz, --quick, --write)";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Outcome<()> {
    let (task, rest) = args.split_first().ok_or_else(|| USAGE.to_owned())?;
    match task.as_str() {
        "test" => only_task(rest).and_then(|()| test::test()),
        "browser" => only_task(rest).and_then(|()| browser::browser()),
        "dist" => only_task(rest).and_then(|()| dist::dist()),
        "fuzz" => fuzz::Options::parse(rest).and_then(fuzz::fuzz),
        "bench" => bench::Options::parse(rest).and_then(bench::bench),
        "soak" => soak::Options::parse(rest).and_then(soak::soak),
        "help" | "--help" | "-h" => {
            println!("{USAGE}");
            Ok(())
        }
        unknown => Err(format!("there is no task `{unknown}`\n{USAGE}")),
    }
}

/// Refuses arguments a task does not have, so that a typing error is seen.
fn only_task(rest: &[String]) -> Outcome<()> {
    match rest.first() {
        None => Ok(()),
        Some(argument) => Err(format!("unexpected argument `{argument}`\n{USAGE}")),
    }
}
