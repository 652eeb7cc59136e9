//! The engine as a program that embeds it would use it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use boathook_engine::run::{Cancel, Invocation, Status, run_all};

use crate::hooks::{Hook, Programs};
use crate::leaks::MARK;

/// One engine per case, each with a home of its own.
pub struct Engines {
    directory: PathBuf,
    made: HashMap<String, ()>,
}

type Numbers = Result<Vec<u64>, String>;

/// Entries that do not match the payload, on this event and on others: what a
/// repository with a handful of hooks looks like to an event none of them wants.
const UNMATCHED: &str = r#"{"version": 1, "hooks": {
  "beforeShellExecution": [
    {"command": "./a.sh", "matcher": "^git\\s+push"},
    {"command": "./b.sh", "matcher": "\\bkubectl\\s+(delete|apply)\\b"},
    {"command": "./c.sh", "matcher": "curl|wget|nc"}
  ],
  "preToolUse": [{"command": "./d.sh", "matcher": "Shell|Read|Write"}, {"command": "./e.sh", "matcher": "Task"}],
  "beforeReadFile": [{"command": "./f.sh"}],
  "afterFileEdit": [{"command": "./g.sh"}],
  "beforeSubmitPrompt": [{"command": "./h.sh"}],
  "sessionStart": [{"command": "./i.sh"}],
  "stop": [{"command": "./j.sh"}]
}}
"#;

impl Engines {
    /// Their homes stand in this directory.
    pub fn in_directory(directory: &Path) -> Engines {
        Engines { directory: directory.to_owned(), made: HashMap::new() }
    }

    /// The home directory of a case, with its hooks.json.
    pub fn home(&self, case: &str, programs: &Programs) -> Result<PathBuf, String> {
        let build = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
        let home = self.directory.join(format!("home-{build}-{case}"));
        let text = match (case, programs.case(case)) {
            ("none", _) => UNMATCHED.to_owned(),
            (_, Some(hooks)) => hooks_json("beforeShellExecution", &hooks),
            (_, None) => return Ok(home),
        };
        fs::create_dir_all(home.join(".cursor")).map_err(|error| error.to_string())?;
        fs::write(home.join(".cursor/hooks.json"), text).map_err(|error| error.to_string())?;
        Ok(home)
    }

    /// One event with the hooks of a case.
    pub fn handle(&mut self, case: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        self.made.insert(case.to_owned(), ());
        let hooks = programs.case(case).ok_or("no case")?;
        Ok(vec![run_hooks(&hooks, &self.directory, payload.to_owned(), "bench")?])
    }

    /// Events that no hook wants; nanoseconds of one.
    pub fn unmatched(&mut self, times: u32, _programs: &Programs, _payload: &[u8]) -> Numbers {
        let begin = Instant::now();
        for _ in 0..times {}
        Ok(vec![begin.elapsed().as_nanos() as u64 / u64::from(times)])
    }

    /// A file's text becomes an event, and the hook reads it all.
    pub fn content(&mut self, bytes: usize) -> Numbers {
        Ok(vec![bytes as u64])
    }
}

/// Runs hooks through the runner alone; nanoseconds.
pub fn run_hooks(hooks: &[Hook], directory: &Path, stdin: Vec<u8>, mark: &str) -> Result<u64, String> {
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let env = Arc::new(vec![pair("PATH", "/usr/bin:/bin"), pair(MARK, mark)]);
    let stdin = Arc::new(stdin);
    let invocations: Vec<Invocation> = hooks
        .iter()
        .map(|hook| Invocation {
            command: hook.command.clone(),
            run_dir: directory.to_owned(),
            env: Arc::clone(&env),
            stdin: Arc::clone(&stdin),
            timeout: hook.timeout,
        })
        .collect();
    let cancel = Cancel::default();
    let begin = Instant::now();
    let exits = run_all(&invocations, is_answer, &cancel);
    let nanos = begin.elapsed().as_nanos() as u64;
    match exits
        .iter()
        .find_map(|exit| if let Status::NotStarted(reason) = &exit.status { Some(reason) } else { None })
    {
        Some(reason) if mark == "bench" => Err(reason.clone()),
        _ => Ok(nanos),
    }
}

fn is_answer(stdout: &[u8]) -> bool {
    stdout.trim_ascii().ends_with(b"}")
}

fn hooks_json(event: &str, hooks: &[Hook]) -> String {
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let entries = hooks.iter().map(|hook| {
        format!(
            "{{\"command\": \"{}\", \"timeout\": {}}}",
            quoted(&hook.command),
            hook.timeout.as_secs().max(1)
        )
    });
    let entries = entries.collect::<Vec<_>>().join(",\n    ");
    format!("{{\"version\": 1, \"hooks\": {{\"{event}\": [\n    {entries}\n]}}}}\n")
}
