//! How one agent stands: found, wired, and what is wrong with that. Starts
//! nothing.

use std::path::{Path, PathBuf};

use super::changed::changes;
use super::codex::{self, CodexState, Trust};
use super::command::{Program, Stale};
use super::obstacles::{Concerns, Obstacle};
use super::over_http::{self, START, exposed};
use super::pins;
use super::present::{Found, present};
use super::silencers::variables;
use super::target::{Places, Wired, text_of};
use super::wiring::{Scope, Wiring};

/// What was found.
#[derive(Debug)]
pub struct Examined {
    pub wiring: &'static Wiring,
    pub found: Found,
    /// Where it is wired.
    pub wired: Vec<Wired>,
    /// What Codex keeps about our entries.
    pub codex: Option<CodexState>,
    /// What is wrong.
    pub problems: Vec<Fault>,
}

/// Something that is wrong.
#[derive(Debug)]
pub struct Fault {
    pub message: String,
    /// What to do.
    pub help: String,
    pub weight: Weight,
}

/// What it means for hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Some or all of them are not asked.
    NotAsked,
    /// They are not asked until a person did something that nobody else can do.
    Waits,
    /// They are asked, and more than once.
    Twice,
    /// They are asked, and others could ask them, too.
    Open,
    /// They are not asked: the workspace or a variable silences them.
    Silenced,
}

/// Looks at one agent. Without our own program's path nothing is said of the
/// paths that entries name.
pub fn examine(places: &Places, wiring: &'static Wiring, program: Option<&Program>) -> Examined {
    let looked: Vec<Wired> = Scope::ALL.iter().filter_map(|scope| places.wired(wiring, *scope)).collect();
    let mut examined = Examined {
        wiring,
        found: present(places, wiring),
        wired: Vec::new(),
        codex: None,
        problems: Vec::new(),
    };
    for wired in &looked {
        examined.look_at(places, wired, program);
    }
    let (wired, others): (Vec<Wired>, Vec<Wired>) = looked.into_iter().partition(Wired::is_wired);
    let of_file =
        |it: &Wired| it.obstacles.iter().map(|found| (it.file.clone(), found.clone())).collect::<Vec<_>>();
    let obstacles = wired.iter().chain(&others).flat_map(of_file).chain(places.obstacles_beside(wiring));
    let obstacles: Vec<(PathBuf, Obstacle)> = obstacles.collect();
    examined.wired = wired;
    let pinned = examined.look_at_pins();
    for (file, obstacle) in obstacles.iter().filter(|(_, it)| !(pinned && it.pinnable)) {
        examined.look_at_obstacle(places, file, obstacle);
    }
    examined.look_at_variables(places);
    if examined.wired.len() > 1 {
        let files: Vec<String> =
            examined.wired.iter().map(|wired| wired.file.display().to_string()).collect();
        let last = examined.wired.last().map_or("user", |wired| wired.scope.name());
        examined.say(
            Weight::Twice,
            format!(
                "it is wired {} times, so every hook may be asked as often: {}",
                files.len(),
                files.join(", ")
            ),
            format!("type `boathook agent uninstall {} --{last}`", wiring.name),
        );
    }
    examined.look_at_rivals(places);
    if wiring.name == "codex" {
        examined.look_at_codex(places);
    }
    examined
}

impl Examined {
    pub fn is_wired(&self) -> bool {
        !self.wired.is_empty()
    }

    fn say(&mut self, weight: Weight, message: String, help: String) {
        self.problems.push(Fault { message, help, weight });
    }

    fn look_at(&mut self, places: &Places, wired: &Wired, program: Option<&Program>) {
        let file = wired.file.display();
        let http = if wired.is_over_http() { " --http" } else { "" };
        let again =
            format!("type `boathook agent install {} --{}{http}`", self.wiring.name, wired.scope.name());
        if let Some(problem) = &wired.problem {
            self.say(
                Weight::NotAsked,
                format!("{file}:{problem}"),
                "repair the file: the agent may not read it either".to_owned(),
            );
        }
        if !wired.is_wired() {
            return;
        }
        self.look_at_http(places, wired, program);
        let then = match self.wiring.shut_without_us {
            true => "the agent refuses what it should ask about",
            false => "no hook is asked, and nothing is refused",
        };
        for called in &wired.programs {
            let problem = match program.and_then(|program| program.stale(called)) {
                Some(Stale::Gone) => format!("{file} calls {called}, which is gone: {then}"),
                Some(Stale::NotExecutable) => {
                    format!("{file} calls {called}, which is not executable: {then}")
                }
                Some(Stale::Other) => {
                    format!("{file} calls {called}, which is another program than this one")
                }
                None => continue,
            };
            self.say(Weight::NotAsked, problem, again.clone());
        }
        let elsewhere =
            program.and_then(|program| wired.commands.iter().find_map(|it| program.counts_elsewhere(it)));
        if let Some(words) = elsewhere.filter(|_| wired.scope == Scope::User) {
            let problem = format!(
                "{file} asks with `{words}`, which is elsewhere than your own state and configuration: what you trust and set here does not count there"
            );
            self.say(Weight::NotAsked, problem, again.clone());
        }
        let wanted = if self.wiring.is_plugin() { &[][..] } else { self.wiring.events() };
        let missing: Vec<&str> =
            wanted.iter().copied().filter(|event| !wired.events.iter().any(|it| it == event)).collect();
        if !missing.is_empty() {
            let problem = format!("{file} lacks our entry for {}", missing.join(", "));
            self.say(Weight::NotAsked, problem, again.clone());
        }
        for change in program.map(|it| changes(places, wired, self.wiring, it)).unwrap_or_default() {
            let problem = match wired.entries.is_empty() {
                true => change,
                false => format!("{file}: {change}"),
            };
            self.say(Weight::NotAsked, problem, again.clone());
        }
        for (event, matcher) in &wired.narrowed {
            let problem = format!(
                "{file}: our entry for {event} is restricted to `{matcher}`: hooks are not asked about the rest"
            );
            self.say(
                Weight::NotAsked,
                problem,
                "remove the `matcher`, unless that is what you want".to_owned(),
            );
        }
    }

    /// What is asked over HTTP needs the daemon's port and token, and a file that
    /// others do not read.
    fn look_at_http(&mut self, places: &Places, wired: &Wired, program: Option<&Program>) {
        if !wired.is_over_http() {
            return;
        }
        let file = wired.file.display();
        match program.and_then(Program::address) {
            Some(Ok(_)) => {}
            Some(Err(failed)) => {
                self.say(Weight::NotAsked, failed.to_string(), failed.help().unwrap_or_default());
            }
            None => {
                let problem = format!("{file} asks a daemon over HTTP, and there is none: gates are shut");
                self.say(Weight::NotAsked, problem, START.to_owned());
            }
        }
        for (file, text) in places.settings_of(self.wiring) {
            if let Some(words) = over_http::settings_in_the_way(&text) {
                self.say(Weight::NotAsked, format!("{}: {words}", file.display()), "remove it".to_owned());
            }
        }
        if let Some(mode) = exposed(&wired.file) {
            let problem =
                format!("{file} holds the daemon's token, and others can read it (mode {mode:04o})");
            self.say(Weight::Open, problem, format!("type `chmod 600 {file}`"));
        }
    }

    /// Whether the daemon answers, where anything is asked over HTTP.
    pub fn ask_daemon(&mut self, program: Option<&Program>) {
        if !self.wired.iter().any(Wired::is_over_http) {
            return;
        }
        let Some(Ok(address)) = program.and_then(Program::address) else { return };
        if let Err(why) = address.ask() {
            let problem = format!("the daemon does not answer over HTTP ({why}): tool calls are refused");
            self.say(Weight::NotAsked, problem, START.to_owned());
        }
    }

    /// A version that goes on when the daemon does not answer holds no gate.
    pub fn look_at_version(&mut self) {
        let Some(known) = over_http::of(self.wiring.name) else { return };
        let version = self.found.version.clone();
        let holds = version.as_deref().and_then(|version| known.holds_in(version));
        if self.wired.iter().any(Wired::is_over_http) && holds == Some(false) {
            let (title, name) = (self.wiring.title, self.wiring.name);
            let problem = format!(
                "{title} {} goes on when the daemon does not answer; {} was seen to refuse then",
                version.unwrap_or_default(),
                known.since
            );
            let help = format!("type `boathook agent install {name} --user` for the wiring without HTTP");
            self.say(Weight::NotAsked, problem, help);
        }
    }

    /// Whether the machine's settings keep all others from switching hooks off.
    /// Connected without that, they do not hold.
    fn look_at_pins(&mut self) -> bool {
        let managed = self.wired.iter().find(|wired| wired.scope == Scope::Managed);
        let Some(file) = managed.map(|wired| wired.file.clone()) else { return false };
        let lacking = text_of(&file).map(|text| pins::lacking(&text, self.wiring)).unwrap_or_default();
        for name in &lacking {
            let problem =
                format!("{}: it lacks {name}, so a repository can switch hooks off", file.display());
            let help = format!("type `boathook agent install {} --managed`", self.wiring.name);
            self.say(Weight::NotAsked, problem, help);
        }
        lacking.is_empty()
    }

    /// Variables that silence, also those that files of the workspace set.
    fn look_at_variables(&mut self, places: &Places) {
        let wired = self.wired.iter().map(|wired| wired.scope).collect::<Vec<_>>();
        let led_away = places.led_away(self.wiring).is_some();
        for found in variables(places, self.wiring) {
            let concerned = match found.spares_managed {
                true => led_away || wired.iter().any(|scope| *scope != Scope::Managed),
                false => led_away || !wired.is_empty(),
            };
            if concerned {
                self.say(Weight::Silenced, found.message, found.help);
            }
        }
    }

    /// What a file of the agent's says about hooks, also about those elsewhere.
    fn look_at_obstacle(&mut self, places: &Places, file: &Path, obstacle: &Obstacle) {
        let concerned = self.wired.iter().any(|wired| match obstacle.concerns {
            Concerns::All => true,
            Concerns::Own => wired.file == file,
            Concerns::Unmanaged => wired.scope != Scope::Managed,
        });
        if concerned {
            let place = obstacle.place.map_or(String::new(), |(line, column)| format!("{line}:{column}:"));
            let problem = format!("{}:{place} {}: ours are not called", file.display(), obstacle.message);
            let of_workspace = places.workspace.as_ref().is_some_and(|workspace| file.starts_with(workspace));
            let own = obstacle.concerns == Concerns::Own;
            let weight = if of_workspace && !own { Weight::Silenced } else { Weight::NotAsked };
            self.say(weight, problem, obstacle.help.clone());
        }
    }

    fn look_at_rivals(&mut self, places: &Places) {
        if !self.is_wired() {
            return;
        }
        for (rival, why) in self.wiring.rivals() {
            let wired =
                Scope::ALL.iter().filter_map(|scope| places.wired(rival, *scope)).find(Wired::is_wired);
            if let Some(wired) = wired {
                let help = format!("type `boathook agent uninstall {} --{}`", rival.name, wired.scope.name());
                self.say(Weight::Twice, format!("{} is wired, too: {why}", rival.title), help);
            }
        }
    }

    fn look_at_codex(&mut self, places: &Places) {
        let Some(wired) = self.wired.first() else { return };
        let state = codex::state(places, wired);
        if let Some(problem) = &state.problem {
            self.say(
                Weight::NotAsked,
                problem.clone(),
                "repair the file: Codex does not start with it".to_owned(),
            );
        }
        if let Some(off) = state.off {
            self.say(Weight::NotAsked, format!("Codex runs no hooks: {off}"), "remove that line".to_owned());
        }
        let which = |events: Vec<&str>| match events.len() == state.entries.len() {
            true => "our entries".to_owned(),
            false => events.join(", "),
        };
        let look = "start `codex` once and choose Review, or Trust all, when it asks; later, `/hooks` in it shows them";
        let kinds = [
            (
                Trust::Never,
                Weight::Waits,
                "Codex does not trust {} yet: `codex` asks for trust when it starts, `codex exec` runs none of them and prints nothing about it",
                look,
            ),
            (
                Trust::Changed,
                Weight::Waits,
                "what somebody trusted in Codex changed since, and is skipped until it is trusted again: {}",
                look,
            ),
            (
                Trust::Off,
                Weight::NotAsked,
                "switched off in Codex, and not run: {}",
                "start `codex`, type `/hooks`, and switch it on",
            ),
        ];
        for (trust, weight, words, help) in kinds {
            let events = state.of(trust);
            if !events.is_empty() {
                self.say(weight, words.replace("{}", &which(events)), help.to_owned());
            }
        }
        self.codex = Some(state);
    }
}
