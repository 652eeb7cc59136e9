//! Where the files of an agent are, what ours would say there, and what of
//! ours stands there now.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use boathook_engine::engine::Settings;
use boathook_engine::problem::Problem;
use boathook_engine::read_file::{self, CONFIG_LIMIT, Owner, ReadError};
use boathook_engine::self_protection::Connection;
use boathook_engine::source::Os;

use super::changed::changes;
use super::command::{Program, called};
use super::entries::{Entry, entries};
use super::obstacles::{Obstacle, obstacles, obstacles_in_toml};
use super::wiring::{Form, Place, Scope, WIRINGS, Wiring};
use crate::error::Failed;
use crate::program_search::ProgramSearch;

/// The plugin for OpenCode; our program's path takes the place of the word.
const PLUGIN: &str = include_str!("opencode/plugin.js");
const PLUGIN_WORD: &str = "__BOATHOOK__";
/// The same for the words behind the command.
const PLUGIN_WORDS: &str = " /* and whose policy counts */";
/// A line that names our command in a file that is ours as a whole.
const CALLS: [&str; 2] = ["exec ", "// Calls: "];
/// Cline runs every file of an event's name with one of these endings, so a
/// script of the user's and ours can stand side by side.
const ENDINGS: [&str; 4] = ["", ".sh", ".bash", ".zsh"];

/// Every place where agents may have settings.
#[derive(Debug, Clone)]
pub struct Places {
    os: Os,
    system: PathBuf,
    pub home: PathBuf,
    pub workspace: Option<PathBuf>,
    /// Every folder whose programs are not started.
    pub search: ProgramSearch,
    pub environment: Vec<(OsString, OsString)>,
}

/// Every file that may connect an agent, or disconnect it, for self-protection.
pub fn connection_files(settings: &Settings) -> Vec<Connection> {
    let given = Places::of(settings);
    // Variables that a repository can set must not hide the usual place.
    let usual = Places { environment: Vec::new(), ..Places::of(settings) };
    let mut found: Vec<Connection> = Vec::new();
    for wiring in WIRINGS.iter().filter(|wiring| !wiring.is_native()) {
        for (places, scope) in [&given, &usual].into_iter().flat_map(|it| Scope::ALL.map(|scope| (it, scope)))
        {
            let Ok(entries) = places.path(wiring, scope) else { continue };
            let switches = (scope == Scope::User).then(|| places.home_of(wiring));
            let switches = switches
                .into_iter()
                .flat_map(|home| wiring.switches.of_user.iter().map(move |it| home.join(it)));
            for file in switches.chain([entries.clone()]) {
                let connection = Connection { file, entries: entries.clone() };
                if !found.contains(&connection) {
                    found.push(connection);
                }
            }
        }
    }
    found
}

/// One file that is written for an agent.
#[derive(Debug, Clone)]
pub struct Target {
    pub agent: &'static str,
    pub file: PathBuf,
    /// The event it is for, where each has a file.
    pub event: Option<&'static str>,
}

/// What of ours an agent has in one scope.
#[derive(Debug)]
pub struct Wired {
    pub scope: Scope,
    /// The settings, or the folder with scripts.
    pub file: PathBuf,
    /// Events with an entry of ours.
    pub events: Vec<String>,
    /// The programs our entries call, each once.
    pub programs: Vec<String>,
    /// Entries that somebody restricted: the event, to what.
    pub narrowed: Vec<(String, String)>,
    /// Our entries in JSON.
    pub entries: Vec<Entry>,
    /// What keeps entries from being called.
    pub obstacles: Vec<Obstacle>,
    /// The commands of ours that stand there, each once.
    pub commands: Vec<String>,
    /// Why the file could not be read.
    pub problem: Option<String>,
}

impl Places {
    pub fn of(settings: &Settings) -> Places {
        Places {
            os: settings.roots.os,
            system: settings.roots.system.clone(),
            home: settings.roots.home.clone(),
            workspace: settings.roots.workspaces.first().cloned(),
            search: ProgramSearch::new(settings),
            environment: settings.environment.clone(),
        }
    }

    /// The folder of the user's settings.
    pub fn home_of(&self, wiring: &Wiring) -> PathBuf {
        let named = self.environment.iter().find(|(name, _)| name == wiring.home.variable);
        let moved = named.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
        match moved {
            Some(folder) if wiring.home.inside.is_empty() => folder,
            Some(folder) => folder.join(wiring.home.inside),
            None => self.home.join(wiring.home.folder),
        }
    }

    /// The same places as another workspace sees them.
    pub fn with_workspace(&self, workspace: PathBuf) -> Places {
        Places { workspace: Some(workspace), ..self.clone() }
    }

    /// The file that the agent's variable leads to and the usual one, where only
    /// the usual one has entries of ours.
    pub fn led_away(&self, wiring: &Wiring) -> Option<(PathBuf, PathBuf)> {
        let mut usual = self.with_workspace(PathBuf::new());
        usual.environment.clear();
        let wired = usual.wired(wiring, Scope::User).filter(Wired::is_wired)?;
        let now = self.wired(wiring, Scope::User).filter(|it| !it.is_wired())?;
        Some((now.file, wired.file))
    }

    /// The agent's file, or why it has none in this scope.
    pub fn path(&self, wiring: &Wiring, scope: Scope) -> Result<PathBuf, Failed> {
        let (linux, macos) = match wiring.place(scope) {
            Place::At(linux, macos) => (linux, macos),
            Place::Nowhere(reason) => return Err(Failed::Other { problem: reason.to_owned(), help: None }),
        };
        match scope {
            Scope::User => Ok(self.home_of(wiring).join(linux)),
            Scope::Project => match &self.workspace {
                Some(workspace) => Ok(workspace.join(linux)),
                None => Err(Failed::other("there is no workspace", "name one with `--workspace DIR`")),
            },
            Scope::Managed => match self.os {
                Os::Linux => Ok(self.system.join(linux)),
                Os::Macos => Ok(self.system.join(macos)),
                Os::Windows => {
                    let problem = format!("managed settings of {} on Windows are not written", wiring.title);
                    Err(Failed::other(problem, "write `--user`"))
                }
            },
        }
    }

    /// The files that installing writes.
    pub fn targets(&self, wiring: &Wiring, scope: Scope) -> Result<Vec<Target>, Failed> {
        let path = self.path(wiring, scope)?;
        Ok(match wiring.form {
            Form::Groups(_) | Form::Flat(_) | Form::Plugin => {
                vec![Target { agent: wiring.name, file: path, event: None }]
            }
            Form::Scripts => {
                let events = wiring.events().iter();
                events
                    .map(|event| Target {
                        agent: wiring.name,
                        file: script_file(&path, event, wiring.name),
                        event: Some(event),
                    })
                    .collect()
            }
            Form::Native => Vec::new(),
        })
    }

    /// The files of ours that are there; and the settings, which may hold ours.
    pub fn installed(&self, wiring: &Wiring, scope: Scope) -> Result<Vec<Target>, Failed> {
        if !matches!(wiring.form, Form::Scripts) {
            return self.targets(wiring, scope);
        }
        let folder = self.path(wiring, scope)?;
        let names = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = names.filter(|file| ours_whole(file, wiring.name).is_some()).collect();
        files.sort();
        Ok(files.into_iter().map(|file| Target { agent: wiring.name, file, event: None }).collect())
    }

    /// What of ours the agent has in this scope; none where it has no place.
    pub fn wired(&self, wiring: &Wiring, scope: Scope) -> Option<Wired> {
        let file = self.path(wiring, scope).ok()?;
        let mut wired = Wired {
            scope,
            events: Vec::new(),
            programs: Vec::new(),
            narrowed: Vec::new(),
            entries: Vec::new(),
            obstacles: Vec::new(),
            commands: Vec::new(),
            problem: None,
            file,
        };
        match wiring.form {
            Form::Groups(_) | Form::Flat(_) => wired.look_into_json(wiring),
            Form::Plugin => {
                let program = ours_whole(&wired.file, wiring.name);
                wired.events.extend(program.iter().map(|_| "plugin".to_owned()));
                wired.programs.extend(program);
                wired.commands.extend(command_of(&wired.file, wiring.name));
            }
            Form::Scripts => {
                for target in self.installed(wiring, scope).unwrap_or_default() {
                    wired
                        .events
                        .extend(target.file.file_stem().map(|name| name.to_string_lossy().into_owned()));
                    wired.programs.extend(ours_whole(&target.file, wiring.name));
                    wired.commands.extend(command_of(&target.file, wiring.name));
                }
            }
            Form::Native => {}
        }
        wired.programs.sort();
        wired.programs.dedup();
        wired.commands.sort();
        wired.commands.dedup();
        Some(wired)
    }

    /// What more files of the workspace say about hooks.
    pub fn obstacles_beside(&self, wiring: &Wiring) -> Vec<(PathBuf, Obstacle)> {
        let files = wiring.switches.beside.iter();
        let files = files.filter_map(|name| Some(self.workspace.as_ref()?.join(name)));
        let of_file = |file: PathBuf| {
            let found = text_of(&file).map(|text| match file.extension().is_some_and(|it| it == "toml") {
                true => obstacles_in_toml(&text, wiring),
                false => obstacles(&text, wiring, Scope::Project),
            });
            found.unwrap_or_default().into_iter().map(move |it| (file.clone(), it))
        };
        files.flat_map(of_file).collect()
    }

    /// Every file that the agent reads its settings from, as far as it is there.
    pub fn settings_of(&self, wiring: &Wiring) -> Vec<(PathBuf, String)> {
        let own = Scope::ALL.into_iter().filter_map(|scope| self.path(wiring, scope).ok());
        let beside = wiring.switches.beside.iter();
        let beside = beside.filter_map(|name| Some(self.workspace.as_ref()?.join(name)));
        own.chain(beside).filter_map(|file| text_of(&file).map(|text| (file, text))).collect()
    }

    /// Where a file really is, when a folder on the way to it is a link.
    pub fn really(&self, file: &Path) -> Option<PathBuf> {
        let settled = file.canonicalize().ok()?;
        let roots = self.workspace.iter().chain([&self.home, &self.system]);
        let straight = roots.filter_map(|root| Some((root, file.strip_prefix(root).ok()?)));
        // The home itself may be behind a link; nobody means that.
        let expected = straight.max_by_key(|(root, _)| root.components().count());
        let expected = expected.and_then(|(root, rest)| Some(root.canonicalize().ok()?.join(rest)));
        (Some(&settled) != expected.as_ref() && settled != file).then_some(settled)
    }

    /// Whether a wiring does its work: the program it calls is there, every event
    /// asks it, and nothing keeps it from being asked. What a project's settings
    /// call must be this program: a repository must not pass for wired.
    pub fn works(&self, wired: &Wired, wiring: &Wiring, program: &Program) -> bool {
        let there = |called: &String| match (Path::new(called).is_absolute(), wired.scope) {
            (true, Scope::Project) => program.stale(called).is_none(),
            (true, Scope::User | Scope::Managed) => Path::new(called).is_file(),
            (false, _) => called == "boathook" && program.is_on_path(),
        };
        let wanted = if wiring.is_plugin() { &[][..] } else { wiring.events() };
        wired.is_wired()
            && wired.problem.is_none()
            && wired.obstacles.is_empty()
            && wired.narrowed.is_empty()
            && wired.programs.iter().all(there)
            && wanted.iter().all(|event| wired.events.iter().any(|it| it == event))
            && changes(self, wired, wiring, program).is_empty()
    }
}

impl Wired {
    /// Whether anything of ours is there.
    pub fn is_wired(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether any of it asks the daemon over HTTP.
    pub fn is_over_http(&self) -> bool {
        self.entries.iter().any(Entry::is_http)
    }

    fn look_into_json(&mut self, wiring: &Wiring) {
        let text = match read_file::read(&self.file, CONFIG_LIMIT, Owner::Anybody) {
            Ok(read) => String::from_utf8(read.bytes).map_err(|_| "it is not UTF-8".to_owned()),
            Err(ReadError::Absent) => return,
            Err(error) => Err(error.to_string()),
        };
        match text.and_then(|text| Ok((entries(&text, wiring).map_err(|problem| in_place(&problem))?, text)))
        {
            Ok((found, text)) => {
                self.events = found.iter().map(|entry| entry.event.clone()).collect();
                self.programs = found.iter().filter_map(|entry| entry.program.clone()).collect();
                let narrowed = found.iter().filter_map(|it| Some((it.event.clone(), it.matcher.clone()?)));
                self.narrowed = narrowed.filter(|(_, to)| !matches!(to.as_str(), "" | "*" | ".*")).collect();
                self.obstacles = obstacles(&text, wiring, self.scope);
                let texts = found.iter().filter_map(|it| it.handler.as_object()).flat_map(|it| it.values());
                let texts = texts.filter_map(serde_json::Value::as_str);
                let ours = texts.filter(|text| called(text, wiring.name).is_some());
                self.commands = ours.map(str::to_owned).collect();
                self.entries = found;
            }
            Err(problem) => self.problem = Some(problem),
        }
    }
}

impl Target {
    /// What a file that is ours as a whole holds.
    pub fn whole(&self, wiring: &Wiring, program: &Program) -> String {
        let name = wiring.name;
        let about =
            format!("Written by `boathook agent install {name}`: changes are lost when that is typed again.");
        match self.event {
            Some(event) => {
                let command = program.command(name, Some(event));
                format!(
                    "#!/bin/sh\n# {about}\n# `boathook agent uninstall {name}` removes it.\nexec {command}\n"
                )
            }
            None => {
                let json = |text: &str| serde_json::Value::from(text).to_string();
                let path = json(program.text());
                let plugin = PLUGIN.replace(PLUGIN_WORD, path.trim_matches('"'));
                let words: Vec<_> = program.words().iter().map(|word| format!(", {}", json(word))).collect();
                let plugin = plugin.replace(PLUGIN_WORDS, &words.concat());
                // The plugin itself says who wrote it.
                format!("// Calls: {}\n{plugin}", program.command(name, None))
            }
        }
    }
}

/// The program a file of ours calls; none when the file is not ours.
pub fn ours_whole(file: &Path, agent: &str) -> Option<String> {
    program_in(&text_of(file)?, agent)
}

/// The text of a file that can be read.
pub fn text_of(file: &Path) -> Option<String> {
    let read = read_file::read(file, CONFIG_LIMIT, Owner::Anybody).ok()?;
    String::from_utf8(read.bytes).ok()
}

/// The program that a text of ours calls.
pub fn program_in(text: &str, agent: &str) -> Option<String> {
    command_in(text, agent).and_then(|command| called(command, agent))
}

/// The command in a file of ours.
fn command_of(file: &Path, agent: &str) -> Option<String> {
    let read = read_file::read(file, CONFIG_LIMIT, Owner::Anybody).ok()?;
    command_in(&String::from_utf8(read.bytes).ok()?, agent).map(str::to_owned)
}

fn command_in<'t>(text: &'t str, agent: &str) -> Option<&'t str> {
    let mut commands =
        text.lines().filter_map(|line| CALLS.iter().find_map(|start| line.strip_prefix(start)));
    commands.find(|command| called(command, agent).is_some())
}

/// A problem in one line.
pub fn in_place(problem: &Problem) -> String {
    match &problem.place {
        Some(place) => format!("{}:{}: {}", place.line, place.column, problem.message),
        None => problem.message.clone(),
    }
}

/// The script of ours for an event, or the first name nobody has taken.
fn script_file(folder: &Path, event: &str, agent: &str) -> PathBuf {
    let names = ENDINGS.map(|ending| folder.join(format!("{event}{ending}")));
    let ours = names.iter().find(|file| ours_whole(file, agent).is_some());
    let free = || names.iter().find(|file| file.symlink_metadata().is_err());
    ours.or_else(free).unwrap_or(&names[0]).clone()
}
