//! How one agent stands: found, wired, and what is wrong with that. Starts
//! nothing.

use std::path::{Path, PathBuf};

use super::codex::{self, CodexState, Trust};
use super::command::{Program, Stale};
use super::obstacles::{Concerns, Obstacle};
use super::present::{Found, present};
use super::target::{Places, Wired};
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
    /// What is wrong, and what to do.
    pub problems: Vec<(String, String)>,
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
        examined.look_at(wired, program);
    }
    let (wired, others): (Vec<Wired>, Vec<Wired>) = looked.into_iter().partition(Wired::is_wired);
    let of_file =
        |it: &Wired| it.obstacles.iter().map(|found| (it.file.clone(), found.clone())).collect::<Vec<_>>();
    let obstacles: Vec<(PathBuf, Obstacle)> = wired.iter().chain(&others).flat_map(of_file).collect();
    examined.wired = wired;
    for (file, obstacle) in &obstacles {
        examined.look_at_obstacle(file, obstacle);
    }
    if examined.wired.len() > 1 {
        let files: Vec<String> =
            examined.wired.iter().map(|wired| wired.file.display().to_string()).collect();
        let last = examined.wired.last().map_or("user", |wired| wired.scope.name());
        examined.say(
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

    fn say(&mut self, problem: String, help: String) {
        self.problems.push((problem, help));
    }

    fn look_at(&mut self, wired: &Wired, program: Option<&Program>) {
        let file = wired.file.display();
        let again = format!("type `boathook agent install {} --{}`", self.wiring.name, wired.scope.name());
        if let Some(problem) = &wired.problem {
            self.say(
                format!("{file}:{problem}"),
                "repair the file: the agent may not read it either".to_owned(),
            );
        }
        if !wired.is_wired() {
            return;
        }
        let then = match self.wiring.shut_without_us {
            true => "the agent refuses what it should ask about",
            false => "no hook is asked, and nothing is refused",
        };
        for called in &wired.programs {
            let problem = match program.and_then(|program| program.stale(called)) {
                Some(Stale::Gone) => format!("{file} calls {called}, which is gone: {then}"),
                Some(Stale::Other) => {
                    format!("{file} calls {called}, which is another program than this one")
                }
                None => continue,
            };
            self.say(problem, again.clone());
        }
        let elsewhere =
            program.and_then(|program| wired.commands.iter().find_map(|it| program.counts_elsewhere(it)));
        if let Some(words) = elsewhere.filter(|_| wired.scope == Scope::User) {
            let problem = format!(
                "{file} asks with `{words}`, which is elsewhere than your own state and configuration: what you trust and set here does not count there"
            );
            self.say(problem, again.clone());
        }
        let wanted = if self.wiring.is_plugin() { &[][..] } else { self.wiring.events() };
        let missing: Vec<&str> =
            wanted.iter().copied().filter(|event| !wired.events.iter().any(|it| it == event)).collect();
        if !missing.is_empty() {
            self.say(format!("{file} lacks our entry for {}", missing.join(", ")), again);
        }
        for (event, matcher) in &wired.narrowed {
            let problem = format!(
                "{file}: our entry for {event} is restricted to `{matcher}`: hooks are not asked about the rest"
            );
            self.say(problem, "remove the `matcher`, unless that is what you want".to_owned());
        }
    }

    /// What a file of the agent's says about hooks, also about those elsewhere.
    fn look_at_obstacle(&mut self, file: &Path, obstacle: &Obstacle) {
        let concerned = self.wired.iter().any(|wired| match obstacle.concerns {
            Concerns::All => true,
            Concerns::Own => wired.file == file,
            Concerns::Unmanaged => wired.scope != Scope::Managed,
        });
        if concerned {
            let problem = format!("{}: {}: ours are not called", file.display(), obstacle.message);
            self.say(problem, obstacle.help.clone());
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
                self.say(format!("{} is wired, too: {why}", rival.title), help);
            }
        }
    }

    fn look_at_codex(&mut self, places: &Places) {
        let Some(wired) = self.wired.first() else { return };
        let state = codex::state(places, wired);
        if let Some(problem) = &state.problem {
            self.say(problem.clone(), "repair the file: Codex does not start with it".to_owned());
        }
        if let Some(off) = state.off {
            self.say(format!("Codex runs no hooks: {off}"), "remove that line".to_owned());
        }
        let which = |events: Vec<&str>| match events.len() == state.entries.len() {
            true => "our entries".to_owned(),
            false => events.join(", "),
        };
        let look = "start `codex`, type `/hooks`, look at the entries of Boathook and trust them";
        let kinds = [
            (
                Trust::Never,
                "nobody trusted {} in Codex: it skips what is not trusted, and says nothing",
                look,
            ),
            (
                Trust::Changed,
                "what somebody trusted in Codex changed since, and is skipped until it is trusted again: {}",
                look,
            ),
            (
                Trust::Off,
                "switched off in Codex, and not run: {}",
                "start `codex`, type `/hooks`, and switch it on",
            ),
        ];
        for (trust, words, help) in kinds {
            let events = state.of(trust);
            if !events.is_empty() {
                self.say(words.replace("{}", &which(events)), help.to_owned());
            }
        }
        self.codex = Some(state);
    }
}
