//! Where hooks come from: the levels, their files, the directory their hooks
//! run in, and who outranks whom.
//!
//! The operating system is a value, so that all three are tested on one.
//! Touches nothing but the `Roots` it is given.

use std::path::{Path, PathBuf};

/// An operating system whose paths we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Os {
    Linux,
    Macos,
    Windows,
}

/// A kind of source, highest priority first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The machine's owner.
    Enterprise,
    /// The team's managed hooks.
    Team,
    /// Injected at run time by the program that embeds the engine.
    Host,
    /// The workspace's own `.cursor/hooks.json`.
    Project,
    /// The user's `~/.cursor/hooks.json`.
    User,
}

/// One file that may hold hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its kind, which is its priority.
    pub level: Level,
    /// The file.
    pub file: PathBuf,
    /// The directory its hooks run in.
    pub run_dir: PathBuf,
    /// The workspace it belongs to, for project sources.
    pub workspace: Option<PathBuf>,
}

/// Every place the engine may look at. Nothing else is read.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Whose paths apply.
    pub os: Os,
    /// Prefix of system paths: `/` outside tests.
    pub system: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The workspace's root folders, first one first.
    pub workspaces: Vec<PathBuf>,
    /// Our own state: log, sessions, trust.
    pub state: PathBuf,
}

impl Os {
    /// The one this program was built for.
    pub fn current() -> Os {
        if cfg!(windows) {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::Macos
        } else {
            Os::Linux
        }
    }
}

impl Level {
    /// The word used in lists, records and traces.
    pub fn name(self) -> &'static str {
        match self {
            Level::Enterprise => "enterprise",
            Level::Team => "team",
            Level::Host => "host",
            Level::Project => "project",
            Level::User => "user",
        }
    }

    /// Whether hooks of this level run only in a trusted workspace.
    pub fn needs_trust(self) -> bool {
        self == Level::Project
    }
}

impl Source {
    /// Enterprise hooks run from the directory of their file.
    pub fn enterprise(os: Os, system: &Path) -> Source {
        let directory = match os {
            Os::Linux => system.join("etc/cursor"),
            Os::Macos => system.join("Library/Application Support/Cursor"),
            Os::Windows if system == Path::new("/") || system.as_os_str().is_empty() => {
                PathBuf::from(r"C:\ProgramData\Cursor")
            }
            Os::Windows => system.join("ProgramData/Cursor"),
        };
        Source {
            level: Level::Enterprise,
            file: directory.join("hooks.json"),
            run_dir: directory,
            workspace: None,
        }
    }

    /// Team hooks run from the team's managed directory.
    pub fn team(managed: PathBuf) -> Source {
        Source { level: Level::Team, file: managed.join("hooks.json"), run_dir: managed, workspace: None }
    }

    /// Project hooks run from the project root, not from `.cursor/`.
    pub fn project(root: &Path) -> Source {
        Source {
            level: Level::Project,
            file: root.join(".cursor").join("hooks.json"),
            run_dir: root.to_owned(),
            workspace: Some(root.to_owned()),
        }
    }

    /// User hooks run from `~/.cursor/`.
    pub fn user(home: &Path) -> Source {
        let directory = home.join(".cursor");
        Source { level: Level::User, file: directory.join("hooks.json"), run_dir: directory, workspace: None }
    }
}
