//! One row for each agent: its programs, its files, the form of an entry in
//! them, the unit of its timeouts, and what its users must know.

use boathook_engine::agent;

use super::obstacles::Switches;
use super::strictness::Json;

/// For whom an agent is wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// In the user's own settings.
    User,
    /// In the workspace's settings, for everybody who works in it.
    Project,
    /// In the machine's settings, for every user.
    Managed,
}

/// How an agent is wired.
#[derive(Debug)]
pub struct Wiring {
    /// The word a person types, and what our command says.
    pub name: &'static str,
    /// Its name in sentences.
    pub title: &'static str,
    /// What its program is called; the first is asked for its version.
    pub programs: &'static [&'static str],
    /// The folder of the user's settings.
    pub home: Home,
    /// The file below that folder.
    pub user: Place,
    /// The file below a workspace.
    pub project: Place,
    /// The file of the machine.
    pub managed: Place,
    /// What stands in the file.
    pub form: Form,
    /// The payload does not name its event, so the command does.
    pub names_event: bool,
    /// We ran it; else it was written from documentation.
    pub run_by_us: bool,
    /// It refuses when our program is gone; else it goes on without hooks.
    pub shut_without_us: bool,
    /// What in its settings decides whether hooks run.
    pub switches: Switches,
    /// What to do after installing.
    pub next: &'static [&'static str],
}

/// The folder of a user's settings: from a variable, else below the home.
#[derive(Debug)]
pub struct Home {
    /// Empty when no variable moves it.
    pub variable: &'static str,
    /// Behind the variable's value.
    pub inside: &'static str,
    /// Below the home.
    pub folder: &'static str,
}

/// Where a file is.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// At this path below the folder in question; for the machine on Linux, and
    /// on macOS.
    At(&'static str, &'static str),
    /// There is no such place, for this reason.
    Nowhere(&'static str),
}

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// JSON: `hooks`, by event, groups with a list of handlers each.
    Groups(Handler),
    /// JSON: `hooks`, by event, handlers.
    Flat(Handler),
    /// A program in JavaScript that calls us.
    Plugin,
    /// A folder with one small script for each event.
    Scripts,
    /// The agent runs our files itself.
    Native,
}

/// One handler in an agent's settings.
#[derive(Debug, Clone, Copy)]
pub struct Handler {
    /// What an empty file of the agent's holds.
    pub skeleton: &'static str,
    /// What the agent's own reader takes.
    pub reads: Json,
    /// Under which name the command stands.
    pub command: &'static str,
    /// The name of the timeout, and an hour in its unit; an agent's own timeout
    /// opens the gate, so ours must end first.
    pub hour: Option<(&'static str, u64)>,
    /// Events that the agent gives less time: their longest.
    pub shorter: &'static [(&'static str, u64)],
    /// More names and values of every handler.
    pub more: &'static [(&'static str, &'static str)],
    /// More names and values of handlers of events that hold something back.
    pub of_gates: &'static [(&'static str, &'static str, &'static [&'static str])],
}

const HOUR: u64 = 3600;
const NO_FILE: &str = "{}\n";

const GROUPS: Handler = Handler {
    skeleton: NO_FILE,
    reads: Json::PLAIN,
    command: "command",
    hour: Some(("timeout", HOUR)),
    shorter: &[],
    more: &[("type", "command")],
    of_gates: &[],
};

/// Gemini CLI, and Qwen Code which grew out of it.
const NAMED: Handler = Handler {
    reads: Json { comments: true, ..Json::PLAIN },
    hour: Some(("timeout", HOUR * 1000)),
    more: &[("name", "boathook"), ("type", "command")],
    ..GROUPS
};

const DISABLE_ALL: Switches = Switches { off: &[(&["disableAllHooks"], true)], ..Switches::NONE };

/// Every agent that can be named.
pub const WIRINGS: &[Wiring] = &[
    Wiring {
        name: "claude",
        title: "Claude Code",
        programs: &["claude"],
        home: Home { variable: "CLAUDE_CONFIG_DIR", inside: "", folder: ".claude" },
        user: Place::At("settings.json", ""),
        project: Place::At(".claude/settings.json", ""),
        managed: Place::At(
            "etc/claude-code/managed-settings.json",
            "Library/Application Support/ClaudeCode/managed-settings.json",
        ),
        // A program that is gone must not open the gate; older versions do not
        // know the name and ignore it.
        form: Form::Groups(Handler {
            reads: Json { mark: true, ..Json::PLAIN },
            of_gates: &[("onFailure", "block", &["PreToolUse", "UserPromptSubmit"])],
            ..GROUPS
        }),
        names_event: false,
        run_by_us: true,
        shut_without_us: true,
        switches: Switches {
            only_managed: &["allowManagedHooksOnly"],
            beside: &[".claude/settings.local.json"],
            spares_managed: true,
            ..DISABLE_ALL
        },
        next: &["sessions that are open keep their old settings: start Claude Code anew"],
    },
    Wiring {
        name: "codex",
        title: "Codex CLI",
        programs: &["codex"],
        home: Home { variable: "CODEX_HOME", inside: "", folder: ".codex" },
        user: Place::At("hooks.json", ""),
        project: Place::At(".codex/hooks.json", ""),
        managed: Place::Nowhere(
            "Codex takes managed hooks from /etc/codex/requirements.toml or from its cloud, which Boathook does not write",
        ),
        form: Form::Groups(Handler { shorter: &[("SessionEnd", 3)], ..GROUPS }),
        names_event: false,
        run_by_us: true,
        shut_without_us: false,
        switches: Switches {
            off: &[(&["features", "hooks"], false), (&["features", "codex_hooks"], false)],
            top: &["description", "hooks"],
            beside: &[".codex/config.toml"],
            of_user: &["config.toml"],
            ..Switches::NONE
        },
        next: &[],
    },
    Wiring {
        name: "gemini",
        title: "Gemini CLI",
        programs: &["gemini"],
        home: Home { variable: "GEMINI_CLI_HOME", inside: ".gemini", folder: ".gemini" },
        user: Place::At("settings.json", ""),
        project: Place::At(".gemini/settings.json", ""),
        managed: Place::At(
            "etc/gemini-cli/settings.json",
            "Library/Application Support/GeminiCli/settings.json",
        ),
        form: Form::Groups(NAMED),
        names_event: false,
        run_by_us: true,
        shut_without_us: true,
        switches: Switches {
            off: &[(&["hooksConfig", "enabled"], false)],
            disabled: &["hooksConfig", "disabled"],
            pinned: &[(&["hooksConfig", "enabled"], true)],
            ..Switches::NONE
        },
        next: &["sessions that are open keep their old settings: start Gemini CLI anew"],
    },
    Wiring {
        name: "copilot",
        title: "GitHub Copilot CLI",
        programs: &["copilot"],
        home: Home { variable: "COPILOT_HOME", inside: "", folder: ".copilot" },
        user: Place::At("hooks/boathook.json", ""),
        project: Place::At(".github/hooks/boathook.json", ""),
        managed: Place::Nowhere("Boathook does not know Copilot's folder for managed hooks"),
        form: Form::Flat(Handler {
            skeleton: "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
            command: "bash",
            hour: Some(("timeoutSec", HOUR)),
            ..GROUPS
        }),
        names_event: true,
        run_by_us: true,
        shut_without_us: true,
        switches: Switches {
            beside: &[
                ".github/copilot/settings.json",
                ".github/copilot/settings.local.json",
                ".claude/settings.json",
                ".claude/settings.local.json",
            ],
            of_user: &["config.json", "settings.json"],
            off: &[(&["disableAllHooks"], true)],
            ..Switches::NONE
        },
        next: &["Copilot reads hooks of a project only in folders that you trusted"],
    },
    Wiring {
        name: "qwen",
        title: "Qwen Code",
        programs: &["qwen"],
        home: Home { variable: "QWEN_HOME", inside: "", folder: ".qwen" },
        user: Place::At("settings.json", ""),
        project: Place::At(".qwen/settings.json", ""),
        managed: Place::At(
            "etc/qwen-code/settings.json",
            "Library/Application Support/QwenCode/settings.json",
        ),
        form: Form::Groups(Handler { reads: Json { mark: true, comments: true }, ..NAMED }),
        names_event: false,
        run_by_us: true,
        shut_without_us: false,
        switches: Switches {
            pinned: &[(&["disableAllHooks"], false)],
            env_files: &[".env", ".qwen/.env", ".qwen/settings.json"],
            ..DISABLE_ALL
        },
        next: &["sessions that are open keep their old settings: start Qwen Code anew"],
    },
    Wiring {
        name: "opencode",
        title: "OpenCode",
        programs: &["opencode"],
        home: Home { variable: "XDG_CONFIG_HOME", inside: "opencode", folder: ".config/opencode" },
        user: Place::At("plugins/boathook.js", ""),
        project: Place::At(".opencode/plugins/boathook.js", ""),
        managed: Place::Nowhere("OpenCode has no plugins of the machine"),
        form: Form::Plugin,
        names_event: true,
        run_by_us: true,
        shut_without_us: true,
        switches: Switches::NONE,
        next: &["a session that is open has no new plugins: start OpenCode anew"],
    },
    Wiring {
        name: "cline",
        title: "Cline CLI",
        programs: &["cline"],
        home: Home { variable: "CLINE_DIR", inside: "", folder: ".cline" },
        user: Place::At("hooks", ""),
        project: Place::At(".clinerules/hooks", ""),
        managed: Place::Nowhere("Cline has no hooks of the machine"),
        form: Form::Scripts,
        names_event: true,
        run_by_us: true,
        shut_without_us: false,
        switches: Switches::NONE,
        next: &["a refusal ends Cline's whole run: it has no way to refuse a single call"],
    },
    Wiring {
        name: "cursor",
        title: "Cursor",
        programs: &["cursor-agent", "cursor"],
        home: Home { variable: "", inside: "", folder: ".cursor" },
        user: Place::Nowhere(NATIVE),
        project: Place::Nowhere(NATIVE),
        managed: Place::Nowhere(NATIVE),
        form: Form::Native,
        names_event: false,
        run_by_us: false,
        shut_without_us: false,
        switches: Switches::NONE,
        next: &[],
    },
    Wiring {
        name: "windsurf",
        title: "Windsurf",
        programs: &["windsurf"],
        home: Home { variable: "", inside: "", folder: ".codeium/windsurf" },
        user: Place::At("hooks.json", ""),
        project: Place::At(".windsurf/hooks.json", ""),
        managed: Place::At("etc/windsurf/hooks.json", "Library/Application Support/Windsurf/hooks.json"),
        form: Form::Flat(Handler { skeleton: "{\n  \"hooks\": {}\n}\n", hour: None, more: &[], ..GROUPS }),
        names_event: true,
        run_by_us: false,
        shut_without_us: false,
        switches: Switches::NONE,
        next: &[],
    },
    Wiring {
        name: "vscode",
        title: "VS Code",
        programs: &["code"],
        home: Home { variable: "", inside: "", folder: ".vscode" },
        user: Place::Nowhere("VS Code's hooks stand in a workspace: write `--project`"),
        project: Place::At(".github/hooks/boathook-vscode.json", ""),
        managed: Place::Nowhere("VS Code has no hooks of the machine"),
        form: Form::Flat(Handler { skeleton: "{\n  \"hooks\": {}\n}\n", ..GROUPS }),
        names_event: false,
        run_by_us: false,
        shut_without_us: false,
        switches: Switches::NONE,
        next: &["Copilot CLI reads .github/hooks as well, so it calls these hooks, too"],
    },
];

const NATIVE: &str =
    "Cursor runs .cursor/hooks.json and ~/.cursor/hooks.json itself: there is nothing to install";

/// Pairs that would both be called by one program, and why.
const TOGETHER: [(&str, &str, &str); 1] =
    [("copilot", "vscode", "Copilot CLI reads every file of .github/hooks, so it would call Boathook twice")];

/// The wiring of this name.
pub fn named(name: &str) -> Option<&'static Wiring> {
    WIRINGS.iter().find(|wiring| wiring.name == name)
}

impl Wiring {
    /// Whether the agent runs our files itself.
    pub fn is_native(&self) -> bool {
        matches!(self.form, Form::Native)
    }

    /// Whether one file hears all events.
    pub fn is_plugin(&self) -> bool {
        matches!(self.form, Form::Plugin)
    }

    /// What is said of an agent that needs nothing.
    pub fn native(&self) -> &'static str {
        NATIVE
    }

    /// The events it is installed for: those its dialect understands.
    pub fn events(&self) -> &'static [&'static str] {
        agent::named(self.name).map_or(&[], |agent| agent.listens)
    }

    /// Where its file is for this scope.
    pub fn place(&self, scope: Scope) -> Place {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
            Scope::Managed => self.managed,
        }
    }

    /// The other agent whose wiring would make this one fire twice, and why.
    pub fn rivals(&self) -> impl Iterator<Item = (&'static Wiring, &'static str)> {
        TOGETHER.iter().filter_map(|(one, other, why)| match self.name {
            name if name == *one => Some((named(other)?, *why)),
            name if name == *other => Some((named(one)?, *why)),
            _ => None,
        })
    }
}

impl Scope {
    /// All, in the order they are looked at.
    pub const ALL: [Scope; 3] = [Scope::Managed, Scope::User, Scope::Project];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Managed => "managed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_a_wiring_and_every_wiring_an_agent() {
        let wired: Vec<&str> = WIRINGS.iter().map(|wiring| wiring.name).collect();
        let known: Vec<&str> = agent::AGENTS.iter().map(|agent| agent.name).collect();
        assert_eq!(wired, known);
        for wiring in WIRINGS.iter().filter(|wiring| !wiring.is_native()) {
            let agent = agent::named(wiring.name).expect(wiring.name);
            assert!(!wiring.events().is_empty(), "{}: nothing to be installed for", wiring.name);
            assert_eq!(wiring.run_by_us, agent.driven.is_some(), "{}", wiring.name);
            assert_eq!(wiring.title, agent.title, "{}", wiring.name);
        }
    }

    #[test]
    fn what_a_row_says_of_an_event_is_of_one_that_is_installed() {
        for wiring in WIRINGS {
            let (Form::Groups(handler) | Form::Flat(handler)) = wiring.form else { continue };
            let shorter = handler.shorter.iter().map(|(event, _)| *event);
            let gates = handler.of_gates.iter().flat_map(|(_, _, events)| events.iter().copied());
            for event in shorter.chain(gates) {
                assert!(wiring.events().contains(&event), "{}: {event}", wiring.name);
            }
        }
    }
}
