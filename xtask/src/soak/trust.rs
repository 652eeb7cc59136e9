//! `kill -9` of `boathook trust`: the store says yes or no, and never breaks.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::command::Outcome;
use crate::random::Random;

use super::Finding;
use super::sandbox::Sandbox;

/// `trust` is killed within so many microseconds of its start.
const SPAN: u64 = 8_000;

/// Kills so many; after each the workspace is trusted or not, and nothing else.
pub fn kills(binary: &Path, times: usize) -> Outcome<Vec<Finding>> {
    let sandbox = Sandbox::new(binary, "trust")?;
    sandbox.write(
        "workspace/.cursor/hooks.json",
        "{\"version\": 1, \"hooks\": {\"beforeShellExecution\": [{\"command\": \"./deny.sh\", \"failClosed\": true}]}}\n",
    )?;
    sandbox.write("workspace/deny.sh", "#!/bin/sh\necho '{\"permission\":\"deny\"}'\n")?;
    let mut random = Random::seeded(7);
    let (mut denied, mut withheld, mut broken) = (0, 0, 0);
    for index in 0..times {
        let verb: &[&str] = if index % 2 == 0 { &["trust", "--yes"] } else { &["trust", "--revoke"] };
        let spawned = sandbox.command(verb).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut child = spawned.map_err(|error| format!("`trust` did not start: {error}"))?;
        thread::sleep(Duration::from_micros(random.below(SPAN)));
        child.kill().and_then(|()| child.wait()).map_err(|error| format!("cannot kill: {error}"))?;
        let output = sandbox.run_event().output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(2) if said.contains("deny") => denied += 1,
            Some(0) if said.trim() == "{}" => withheld += 1,
            _ => {
                broken += 1;
                println!("    broken: {}: {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
            }
        }
    }
    Ok(vec![Finding {
        what: "`trust --yes` or `trust --revoke` killed, then an event".to_owned(),
        times,
        wanted: "trusted or withheld, both seen".to_owned(),
        seen: format!("{denied} trusted, {withheld} withheld, {broken} broken"),
        good: broken == 0 && denied > 0 && withheld > 0,
    }])
}
