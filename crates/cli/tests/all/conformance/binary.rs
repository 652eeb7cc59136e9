//! Runs a case on the binary, as the README of the cases describes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

use super::case::{Case, Step};
use super::compare::Observed;
use super::layout::Layout;
use super::suite::prepare;

/// Runs every step.
pub fn run(case: &Case, layout: &Layout, report: &mut dyn FnMut(usize, Observed)) -> Result<(), String> {
    for (index, step) in case.steps.iter().enumerate() {
        prepare(case, index, layout, trust)?;
        let started = Instant::now();
        let output = run_step(case, step, layout)?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let observed = Observed {
            line: one_line(&output)?,
            exit: output.status.code().ok_or("killed by a signal")?,
            trace: trace_in(&stderr),
            stderr: Some(stderr),
            elapsed: started.elapsed(),
        };
        report(index, observed);
    }
    Ok(())
}

/// `boathook trust --yes` for the workspaces that the case trusts.
fn trust(layout: &Layout, case: &Case) -> Result<(), String> {
    let workspaces = layout.trusted(case);
    if workspaces.is_empty() {
        return Ok(());
    }
    let mut command = boathook(case, layout, &workspaces);
    command.args(["trust", "--yes"]).args(layout.plugin_options(case));
    let output = feed(command, "")?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "trust --yes failed: {}",
        String::from_utf8_lossy(&output.stderr).trim().replace('\n', " | ")
    ))
}

fn run_step(case: &Case, step: &Step, layout: &Layout) -> Result<Output, String> {
    let mut command = boathook(case, layout, &layout.workspaces(case));
    command.args(["--edition", &case.edition, "run", &step.event]);
    command.args(case.options.iter().chain(&step.options).map(|option| layout.fill(option)));
    if step.expect.trace.is_some() {
        command.arg("--trace");
    }
    feed(command, &layout.payload(step.payload.as_ref()))
}

fn boathook(case: &Case, layout: &Layout, workspaces: &[PathBuf]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_boathook"));
    command.env_clear().envs(layout.env(case)).current_dir(layout.path(&case.cwd));
    command.arg("--root").arg(layout.path("system"));
    for workspace in workspaces {
        command.arg("--workspace").arg(workspace);
    }
    command
}

fn feed(mut command: Command, input: &str) -> Result<Output, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("boathook did not start: {error}"))?;
    // A program that fails before it reads closes the pipe: its exit code says so.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().map_err(|error| format!("boathook did not end: {error}"))
}

/// The answer is one line, or nothing at all.
fn one_line(output: &Output) -> Result<Option<String>, String> {
    let text = String::from_utf8(output.stdout.clone()).map_err(|_| "stdout is not UTF-8".to_owned())?;
    match text.strip_suffix('\n') {
        None if text.is_empty() => Ok(None),
        Some(line) if !line.contains('\n') => Ok(Some(line.to_owned())),
        _ => Err(format!("stdout is not one line: {text:?}")),
    }
}

/// The first JSON object on stderr that lists hooks.
fn trace_in(stderr: &str) -> Option<Value> {
    let starts = stderr.match_indices('{').map(|(start, _)| start);
    let line_starts = starts.filter(|start| *start == 0 || stderr.as_bytes()[start - 1] == b'\n');
    line_starts
        .filter_map(|start| {
            serde_json::Deserializer::from_str(&stderr[start..]).into_iter::<Value>().next()?.ok()
        })
        .find(|value| value.get("hooks").is_some())
}
