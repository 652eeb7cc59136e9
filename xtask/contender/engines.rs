//! The engine as a program that embeds it would use it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use boathook_engine::event::EventKind;
use boathook_engine::payload::Payload;
use boathook_engine::run::{Cancel, Invocation, Status, run_all};
use boathook_engine::{Decision, Engine, Event, Os, Roots, Settings, input};

use crate::hooks::{Hook, Programs};
use crate::leaks::MARK;
use crate::payloads::source_text;

/// One engine per case, each with a home of its own.
pub struct Engines {
    directory: PathBuf,
    made: HashMap<String, Engine>,
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
        let home = self.directory.join(format!("home-{case}-{}", std::process::id()));
        let text = match (case, programs.case(case)) {
            ("none", _) => UNMATCHED.to_owned(),
            ("content", _) => hooks_json("beforeReadFile", &programs.case("tiny").unwrap_or_default()),
            (_, Some(hooks)) => hooks_json("beforeShellExecution", &hooks),
            (_, None) => return Ok(home),
        };
        fs::create_dir_all(home.join(".cursor")).map_err(|error| error.to_string())?;
        fs::write(home.join(".cursor/hooks.json"), text).map_err(|error| error.to_string())?;
        Ok(home)
    }

    /// One event with the hooks of a case: from its bytes to the decision.
    pub fn handle(&mut self, case: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let hooks = programs.case(case).ok_or_else(|| format!("there is no case `{case}`"))?.len();
        let engine = self.engine(case, programs)?;
        let begin = Instant::now();
        let event = shell_event(payload)?;
        let decision = engine.handle(event);
        let nanos = begin.elapsed().as_nanos() as u64;
        allowed_by(&decision, hooks)?;
        Ok(vec![nanos])
    }

    /// Events that no hook wants; nanoseconds of one.
    pub fn unmatched(&mut self, times: u32, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("none", programs)?;
        let begin = Instant::now();
        for _ in 0..times {
            let decision = engine.handle(shell_event(payload)?);
            std::hint::black_box(&decision);
        }
        let nanos = begin.elapsed().as_nanos() as u64 / u64::from(times);
        Ok(vec![nanos])
    }

    /// A file's text becomes an event, and nothing more.
    pub fn event(&self, bytes: usize) -> Numbers {
        let read = read_file(bytes);
        let begin = Instant::now();
        std::hint::black_box(Event::of(&read));
        Ok(vec![begin.elapsed().as_nanos() as u64])
    }

    /// A file's text becomes an event, and the hook reads it all.
    pub fn content(&mut self, bytes: usize, programs: &Programs) -> Numbers {
        let engine = self.engine("content", programs)?;
        let read = read_file(bytes);
        let begin = Instant::now();
        let decision = engine.handle(Event::of(&read));
        let nanos = begin.elapsed().as_nanos() as u64;
        allowed_by(&decision, 1)?;
        Ok(vec![nanos])
    }

    /// The log is written after the answer is out, so it is no part of any time.
    pub fn write_out(&self) -> Result<(), String> {
        self.made
            .values()
            .try_for_each(|engine| engine.write_out().map(drop))
            .map_err(|error| error.to_string())
    }

    fn engine(&mut self, case: &str, programs: &Programs) -> Result<&Engine, String> {
        if !self.made.contains_key(case) {
            let home = self.home(case, programs)?;
            let state = home.join("state");
            let mut roots = Roots::new(Os::current(), &home, &state, [self.directory.join("workspace")]);
            roots.system = self.directory.join("system");
            let mut settings = Settings::new(roots);
            settings.environment = environment("bench");
            self.made.insert(case.to_owned(), Engine::new(settings));
        }
        self.made.get(case).ok_or_else(|| format!("no engine for `{case}`"))
    }
}

/// Runs hooks through the runner alone; nanoseconds.
pub fn run_hooks(hooks: &[Hook], directory: &Path, stdin: Vec<u8>, mark: &str) -> Result<u64, String> {
    let env = Arc::new(environment(mark));
    let stdin = Arc::new(stdin);
    let invocations: Vec<Invocation> = hooks
        .iter()
        .map(|hook| Invocation {
            command: hook.command.clone(),
            args: None,
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
        Some(reason) => Err(format!("a hook did not start: {reason}")),
        None => Ok(nanos),
    }
}

/// The environment of a hook.
pub fn environment(mark: &str) -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), "/usr/bin:/bin".into()), (MARK.into(), mark.into())]
}

fn read_file(bytes: usize) -> input::BeforeReadFile {
    let file_path = "/src/main.rs".to_owned();
    input::BeforeReadFile { file_path, content: source_text(bytes), ..Default::default() }
}

/// A command about to run, from its bytes.
pub fn shell_event(payload: &[u8]) -> Result<Event, String> {
    let payload = Payload::parse(payload).map_err(|error| error.to_string())?;
    Ok(Event::new(EventKind::BeforeShellExecution, payload))
}

/// A hook that did not run would make a fine but false number.
pub fn allowed_by(decision: &Decision, hooks: usize) -> Result<(), String> {
    let line = decision.answer_line();
    let ran = decision.hooks.len();
    match ran == hooks && line.trim() == r#"{"permission":"allow"}"# {
        true => Ok(()),
        false => Err(format!("{hooks} hooks should allow; {ran} ran and said {}", line.trim())),
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
