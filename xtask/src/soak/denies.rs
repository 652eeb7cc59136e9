//! A hook that prints its deny and exits at once: every one must be heard.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::command::Outcome;

use super::Finding;
use super::sandbox::Sandbox;

/// Runs it so many times, on every processor at once.
pub fn denies(binary: &Path, times: usize) -> Outcome<Finding> {
    let sandbox = Sandbox::new(binary, "denies")?;
    sandbox.write(
        "home/.cursor/deny.sh",
        "#!/bin/sh\necho '{\"permission\":\"deny\",\"user_message\":\"no\"}'\n",
    )?;
    sandbox.write(
        "home/.cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": [{\"command\": \"./deny.sh\"}]}}\n",
    )?;
    let (next, heard) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let first_miss = Mutex::new(None);
    let workers = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < times {
                    match deny(&sandbox) {
                        Ok(()) => {
                            heard.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(miss) => {
                            first_miss.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(miss);
                        }
                    }
                }
            });
        }
    });
    if let Some(miss) = first_miss.into_inner().unwrap_or_else(PoisonError::into_inner) {
        println!("    first miss: {miss}");
    }
    let heard = heard.into_inner();
    Ok(Finding {
        what: "a hook denies and exits at once".to_owned(),
        times,
        wanted: format!("{times} denies"),
        seen: format!("{heard} denies"),
        good: heard == times,
    })
}

fn deny(sandbox: &Sandbox) -> Result<(), String> {
    let output = sandbox.run_event().output().map_err(|error| error.to_string())?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    match output.status.code() == Some(2) && stdout.contains("\"permission\":\"deny\"") {
        true => Ok(()),
        false => Err(format!("{}: {stdout}{}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}
