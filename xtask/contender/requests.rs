//! What can be asked for: each request prepares, runs once, and gives numbers.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::daemon::{Daemon, asks_a_daemon};
use crate::engines::{Engines, run_hooks};
use crate::floor::{Input, Program};
use crate::hooks::{Hook, Programs};
use crate::kept::KeptEngines;
use crate::leaks::belongings;
use crate::machine::{self, Processors};
use crate::payloads::{peer_line, ready_line};
use crate::rules::RuleEngines;

/// How often a thing below a microsecond is repeated to be seen.
const MANY: u32 = 200;

/// Everything that is prepared once and measured often.
pub struct Laboratory {
    processors: Processors,
    programs: Programs,
    directory: PathBuf,
    engines: Engines,
    kept: KeptEngines,
    /// Their processes stay where they were started: on one processor.
    kept_pinned: KeptEngines,
    pinned: bool,
    rules: RuleEngines,
    daemon: Option<Daemon>,
    started: HashMap<String, Program>,
    payload: Vec<u8>,
    peer_payload: Vec<u8>,
    ballast: Vec<u8>,
}

type Numbers = Result<Vec<u64>, String>;

impl Laboratory {
    /// With the programs that stand in this directory.
    pub fn in_directory(directory: &Path) -> io::Result<Laboratory> {
        let programs = Programs::of(directory);
        Ok(Laboratory {
            processors: Processors::found()?,
            engines: Engines::in_directory(directory),
            kept: KeptEngines::in_directory(directory, "anywhere"),
            kept_pinned: KeptEngines::in_directory(directory, "pinned"),
            pinned: false,
            rules: RuleEngines::default(),
            daemon: None,
            programs,
            directory: directory.to_owned(),
            started: HashMap::new(),
            payload: ready_line(1024),
            peer_payload: peer_line(1024),
            ballast: Vec::new(),
        })
    }

    /// Answers a round: requests with a bar between them, one number for each.
    ///
    /// A floor that nobody counts comes first: whoever is asked first would
    /// otherwise pay for the caches that the last round's neighbours filled.
    pub fn round(&mut self, requests: &str) -> Numbers {
        self.start("tiny")?;
        let first = |numbers: Vec<u64>| numbers.first().copied().unwrap_or(0);
        let numbers = requests.split('|').map(|request| self.take(request.trim()).map(first)).collect();
        self.engines.write_out()?;
        numbers
    }

    /// Answers one request.
    pub fn take(&mut self, request: &str) -> Numbers {
        let (verb, object) = request.split_once(' ').unwrap_or((request, ""));
        match verb {
            "pin" | "unpin" => self.pin(verb == "pin"),
            "grow" => {
                self.ballast = machine::grow(number(object)?);
                Ok(vec![self.ballast.len() as u64])
            }
            "floor" => self.start(object),
            "floor8" => (0..8).map(|_| self.start(object)).sum_numbers(),
            "cli" | "agent" | "launcher" => self.start(&format!("{verb}-{object}")),
            "pipe" => self.pipe(number(object)?),
            "ready" => self.ready(number(object)?),
            "event" => self.engines.event(number(object)?),
            "content" => self.engines.content(number(object)?, &self.programs),
            "runner" => self.runner(object),
            "engine" => self.engines.handle(object, &self.programs, &self.payload),
            "daemon" => {
                let daemon = self.daemon.take().map_or_else(|| self.start_daemon(), Ok)?;
                self.daemon.insert(daemon).unmatched(MANY)
            }
            "unmatched" => self.engines.unmatched(MANY, &self.programs, &self.payload),
            "rules" => match object {
                "asked" => self.rules.asked(MANY, &self.payload),
                "silent" => self.rules.silent(false, MANY, &self.directory, &self.payload),
                "files" => self.rules.silent(true, MANY, &self.directory, &self.payload),
                "load" => self.rules.load(&self.directory, &self.payload),
                _ => Err(format!("unknown request `{request}`")),
            },
            "cold" | "cold-in-a-run" | "stays" | "stays-in-a-run" | "nobody" | "bare" | "bare-in-a-run"
            | "ahead" => self.kept(verb, object),
            "leaks" => self.leaks(number(object)? as u32),
            _ => Err(format!("unknown request `{request}`")),
        }
    }

    fn pin(&mut self, pinned: bool) -> Numbers {
        self.pinned = pinned;
        let done = if pinned { self.processors.pin() } else { self.processors.unpin() };
        done.map(|()| vec![]).map_err(|error| error.to_string())
    }

    fn kept(&mut self, verb: &str, language: &str) -> Numbers {
        let (programs, payload) = (&self.programs, &self.payload);
        let kept = if self.pinned { &mut self.kept_pinned } else { &mut self.kept };
        match verb {
            "cold" => kept.cold(language, programs, payload),
            "cold-in-a-run" => kept.cold_in_a_run(language, programs, payload),
            "stays" => kept.stays(language, programs, payload),
            "stays-in-a-run" => kept.stays_in_a_run(language, programs, payload),
            "nobody" => kept.nobody(programs, payload),
            "bare" => kept.bare(programs, payload),
            "bare-in-a-run" => kept.bare_in_a_run(programs, payload),
            "ahead" => kept.ahead(language, programs, payload),
            _ => Err(format!("unknown request `{verb}`")),
        }
    }

    /// Starts a program in the leanest way.
    fn start(&mut self, name: &str) -> Numbers {
        if !self.started.contains_key(name) {
            let program = self.program(name)?;
            self.started.insert(name.to_owned(), program);
        }
        let told_by_agent = name == "peer" || name.starts_with("agent-");
        let payload = if told_by_agent { &self.peer_payload } else { &self.payload };
        let run =
            self.started[name].run(Input::Ready(payload)).map_err(|error| format!("{name}: {error}"))?;
        let expected: &[u8] = match name {
            "true" => b"",
            "cli-version" => concat!("boathook ", env!("CARGO_PKG_VERSION")).as_bytes(),
            "cli-none" | "cli-daemon" => b"{}",
            // An `allow` of a hook is silence: the agent's own prompt stays.
            "agent-bash" | "agent-tiny" => b"",
            _ => br#"{"permission":"allow"}"#,
        };
        if run.code != 0 || run.stdout.trim_ascii() != expected {
            return Err(format!("{name}: exit code {}: {}", run.code, String::from_utf8_lossy(&run.stdout)));
        }
        Ok(vec![run.nanos])
    }

    fn program(&self, name: &str) -> Result<Program, String> {
        let floor = self.programs.floor();
        let mut words: Vec<String> = match name {
            "tiny" => vec![floor],
            "shell" => vec!["/bin/sh".into(), "-c".into(), self.programs.shell_line()],
            "bash" => vec![self.programs.bash()],
            "true" => vec!["/bin/true".into()],
            "peer" => {
                let peer = self.programs.path("agent-harness-adapter");
                let words = ["hook", "claude", "pre-tool", "--hooks", &self.programs.path("peer-hooks.json")];
                std::iter::once(peer).chain(words.map(str::to_owned)).collect()
            }
            "cli-version" => vec![self.programs.boathook(), "--version".into()],
            "cli-tiny" | "cli-none" => self.boathook(&["run", "beforeShellExecution"]),
            "cli-daemon" => self.boathook(&["run", "beforeShellExecution", "--daemon"]),
            "agent-bash" | "agent-tiny" => self.boathook(&["agent", "hook", "claude"]),
            "launcher-bash" => vec![self.programs.path("launcher"), self.programs.bash()],
            "launcher-tiny" => vec![self.programs.path("launcher"), floor],
            _ => return Err(format!("there is no program `{name}`")),
        };
        let case = match name {
            "cli-daemon" => "none",
            _ => name.trim_start_matches("cli-").trim_start_matches("agent-"),
        };
        let home = self.engines.home(case, &self.programs)?;
        if name.starts_with("agent-") {
            // As `agent install` writes it: no variable says whose hooks count.
            words.extend(["--home".to_owned(), home.to_string_lossy().into_owned()]);
        }
        let environment = [("PATH", OsStr::new("/usr/bin:/bin")), ("HOME", home.as_os_str())];
        Program::new(&words, &environment).map_err(|error| error.to_string())
    }

    /// The daemon of the hooks that `cli none` has, too.
    fn start_daemon(&self) -> Result<Daemon, String> {
        let home = self.engines.home("none", &self.programs)?;
        let system = self.programs.path("system");
        let command = [self.programs.boathook(), "--root".to_owned(), system];
        let daemon = Daemon::start(&command, &home, &self.directory, &self.payload)?;
        asks_a_daemon(&self.boathook(&["run", "beforeShellExecution", "--daemon"]), &home)?;
        Ok(daemon)
    }

    /// Our command, with nothing of this machine's system or of a workspace.
    fn boathook(&self, command: &[&str]) -> Vec<String> {
        let (system, workspace) = (self.programs.path("system"), self.programs.path("workspace"));
        let places = ["--root", &system, "--workspace", &workspace];
        let words = command.iter().chain(&places).map(|word| (*word).to_owned());
        std::iter::once(self.programs.boathook()).chain(words).collect()
    }

    /// The raw pipe: a blocking write, nothing else.
    fn pipe(&mut self, bytes: usize) -> Numbers {
        let line = ready_line(bytes);
        let program = self.program("tiny")?;
        let run = program.run(Input::Written(&line)).map_err(|error| error.to_string())?;
        Ok(vec![run.nanos])
    }

    /// Bytes that are ready, through the runner.
    fn ready(&mut self, bytes: usize) -> Numbers {
        let hooks = self.case("tiny")?;
        let nanos = run_hooks(&hooks, &self.directory, ready_line(bytes), "ready")?;
        Ok(vec![nanos])
    }

    fn runner(&mut self, case: &str) -> Numbers {
        let hooks = self.case(case)?;
        Ok(vec![run_hooks(&hooks, &self.directory, self.payload.clone(), "bench")?])
    }

    fn case(&self, name: &str) -> Result<Vec<Hook>, String> {
        self.programs.case(name).ok_or_else(|| format!("there is no case `{name}`"))
    }

    /// Many events whose hooks fail: what is left afterwards, as differences.
    fn leaks(&mut self, events: u32) -> Numbers {
        let failures = self.programs.failures();
        let mark = format!("{}", std::process::id());
        let run = |events: u32| -> Result<(), String> {
            for index in 0..events {
                let hooks = &failures[index as usize % failures.len()..][..1];
                run_hooks(hooks, &self.directory, self.payload.clone(), &mark)?;
            }
            Ok(())
        };
        // The first runs fill the allocator and every lazy value of the libraries.
        run(events / 10)?;
        let before = belongings(&mark);
        let begin = Instant::now();
        run(events)?;
        let took = begin.elapsed();
        // A hook's own background child may live as long as it wants to: one second here.
        thread::sleep(Duration::from_millis(1500));
        let after = belongings(&mark);
        let grown = |after: u64, before: u64| after.saturating_sub(before);
        Ok(vec![
            grown(after.zombies, before.zombies),
            grown(after.descriptors, before.descriptors),
            grown(after.threads, before.threads),
            after.marked,
            grown(after.resident, before.resident),
            took.as_nanos() as u64,
        ])
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// The sum of single measurements.
trait SumNumbers {
    fn sum_numbers(self) -> Numbers;
}

impl<I: Iterator<Item = Numbers>> SumNumbers for I {
    fn sum_numbers(self) -> Numbers {
        let mut sum = 0;
        for numbers in self {
            sum += numbers?.iter().sum::<u64>();
        }
        Ok(vec![sum])
    }
}
