//! Hooks whose process outlives an event, and the same hooks without.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::run::{Keeper, Limits};
use boathook_engine::{Engine, Os, Roots, Settings};

use crate::bare::BareHook;
use crate::engines::{allowed_by, environment, shell_event};
use crate::hooks::Programs;

/// How often one that stays is asked for one number.
const ASKED: usize = 50;
/// How often before that, in a run of events: about as long as a start takes.
const BEFORE: usize = 1000;
/// Before every request: one that is started ahead has been there for a quarter
/// of a second, and its start disturbs nobody. Cold ones wait as long, so that
/// all come out of the same rest.
const BETWEEN: Duration = Duration::from_millis(270);

/// Engines with one such hook each, and what keeps their processes.
pub struct KeptEngines {
    directory: PathBuf,
    mark: &'static str,
    keeper: Arc<Keeper>,
    made: HashMap<String, Engine>,
    bare: Option<BareHook>,
}

type Numbers = Result<Vec<u64>, String>;

impl KeptEngines {
    /// Their homes stand in this directory, with this in their names.
    pub fn in_directory(directory: &Path, mark: &'static str) -> KeptEngines {
        let keeper = Arc::new(Keeper::new(Limits::default()));
        KeptEngines { directory: directory.to_owned(), mark, keeper, made: HashMap::new(), bare: None }
    }

    /// A process for the event.
    pub fn cold(&mut self, language: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("cold", language, programs)?;
        thread::sleep(BETWEEN);
        one(engine, payload)
    }

    /// The same right behind another one, without a rest.
    pub fn cold_in_a_run(&mut self, language: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("cold", language, programs)?;
        one(engine, payload)?;
        one(engine, payload)
    }

    /// One that stays and was just asked many times: the median of several events.
    pub fn stays_in_a_run(&mut self, language: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("stays", language, programs)?;
        for _ in 0..BEFORE {
            one(engine, payload)?;
        }
        self.median_of_many("stays", language, payload)
    }

    /// One that stays: the median of several events.
    pub fn stays(&mut self, language: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("stays", language, programs)?;
        thread::sleep(BETWEEN);
        one(engine, payload)?;
        self.median_of_many("stays", language, payload)
    }

    fn median_of_many(&self, way: &str, language: &str, payload: &[u8]) -> Numbers {
        let engine = self.made.get(&format!("{way}-{language}")).ok_or("it was not made yet")?;
        let times = (0..ASKED).map(|_| one(engine, payload)).collect::<Result<Vec<_>, _>>()?.concat();
        write_out(engine)?;
        match self.keeper.count() {
            0 => Err(format!("nobody stays for {language}")),
            _ => Ok(vec![median(times)]),
        }
    }

    /// The same when the one hook there is wants another event: what the engine
    /// does itself, and what no process can go below.
    pub fn nobody(&mut self, programs: &Programs, payload: &[u8]) -> Numbers {
        let engine = self.engine("nobody", "node", programs)?;
        thread::sleep(BETWEEN);
        let times = (0..=ASKED).map(|_| unasked(engine, payload)).collect::<Result<Vec<_>, _>>()?;
        write_out(engine)?;
        Ok(vec![median(times)])
    }

    /// The hook that stays, asked by nobody's engine: what no engine can go below.
    pub fn bare(&mut self, programs: &Programs, payload: &[u8]) -> Numbers {
        self.start_bare(programs)?;
        thread::sleep(BETWEEN);
        self.median_of_bare(programs, payload, ASKED)
    }

    /// The same without a rest, after as many as one with an engine is asked.
    pub fn bare_in_a_run(&mut self, programs: &Programs, payload: &[u8]) -> Numbers {
        self.start_bare(programs)?;
        self.median_of_bare(programs, payload, BEFORE + ASKED)
    }

    fn start_bare(&mut self, programs: &Programs) -> Result<(), String> {
        if self.bare.is_none() {
            self.bare = Some(BareHook::start(&programs.path("kept.mjs"))?);
        }
        Ok(())
    }

    /// Before every question an engine does its own work, outside of the time:
    /// how long a hook has waited decides how soon it wakes.
    fn median_of_bare(&mut self, programs: &Programs, payload: &[u8], asked: usize) -> Numbers {
        self.engine("nobody", "node", programs)?;
        let (Some(engine), Some(hook)) = (self.made.get("nobody-node"), &mut self.bare) else {
            return Err("it was not made yet".to_owned());
        };
        let mut times = Vec::new();
        for _ in 0..=asked {
            unasked(engine, payload)?;
            times.push(hook.ask(payload)?);
        }
        write_out(engine)?;
        Ok(vec![median(times.split_off(times.len() - ASKED))])
    }

    /// One that was started before its event.
    pub fn ahead(&mut self, language: &str, programs: &Programs, payload: &[u8]) -> Numbers {
        let first = !self.made.contains_key(&format!("ahead-{language}"));
        let engine = self.engine("ahead", language, programs)?;
        if first {
            one(engine, payload)?;
        }
        thread::sleep(BETWEEN);
        one(engine, payload)
    }

    fn engine(&mut self, way: &str, language: &str, programs: &Programs) -> Result<&Engine, String> {
        let name = format!("{way}-{language}");
        if !self.made.contains_key(&name) {
            let engine = self.make(way, language, programs)?;
            self.made.insert(name.clone(), engine);
        }
        self.made.get(&name).ok_or_else(|| format!("no engine for `{name}`"))
    }

    fn make(&self, way: &str, language: &str, programs: &Programs) -> Result<Engine, String> {
        let command = match language {
            "node" => format!("/usr/bin/node {}", programs.path("kept.mjs")),
            "python" => format!("/usr/bin/python3 {}", programs.path("kept.py")),
            "bash" => programs.bash(),
            _ => return Err(format!("there is no `{language}`")),
        };
        let option = match way {
            "stays" => r#", "persistent": true"#,
            "ahead" => r#", "prestart": true"#,
            "nobody" => r#", "persistent": true, "matcher": "^never$""#,
            _ => "",
        };
        let home = self.directory.join(format!("home-{}-{way}-{language}-{}", self.mark, std::process::id()));
        let entry = format!(r#"{{"command": "{command}"{option}}}"#);
        let text = format!(r#"{{"version": 1, "hooks": {{"beforeShellExecution": [{entry}]}}}}"#);
        fs::create_dir_all(home.join(".cursor")).map_err(|error| error.to_string())?;
        fs::write(home.join(".cursor/hooks.json"), text).map_err(|error| error.to_string())?;
        // A file that just changed is read again at every look.
        thread::sleep(Duration::from_millis(2100));
        let state = home.join("state");
        let mut roots = Roots::new(Os::current(), &home, &state, [self.directory.join("workspace")]);
        roots.system = self.directory.join("system");
        let mut settings = Settings::new(roots);
        settings.environment = environment("bench");
        settings.keeper = (way != "cold").then(|| Arc::clone(&self.keeper));
        Ok(Engine::new(settings))
    }
}

/// As a host does when its answers are out; no part of any time.
fn write_out(engine: &Engine) -> Result<(), String> {
    engine.write_out().map(drop).map_err(|error| error.to_string())
}

fn median(mut times: Vec<u64>) -> u64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or(0)
}

/// An event that reaches no hook.
fn unasked(engine: &Engine, payload: &[u8]) -> Result<u64, String> {
    let begin = Instant::now();
    let decision = engine.handle(shell_event(payload)?);
    let nanos = begin.elapsed().as_nanos() as u64;
    if decision.hooks.is_empty() { Ok(nanos) } else { Err("a hook was asked that should not".to_owned()) }
}

fn one(engine: &Engine, payload: &[u8]) -> Numbers {
    let begin = Instant::now();
    let decision = engine.handle(shell_event(payload)?);
    let nanos = begin.elapsed().as_nanos() as u64;
    allowed_by(&decision, 1)?;
    match decision.hooks.iter().flat_map(|hook| &hook.warnings).next() {
        Some(warning) => Err(format!("a hook was not kept: {warning}")),
        None => Ok(vec![nanos]),
    }
}
