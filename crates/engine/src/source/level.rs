//! The kinds of sources, and what goes with each: rank, name, trust, surface.

/// A kind of source, highest priority first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A rule of our own, in every adapter.
    #[serde(rename = "built-in")]
    BuiltIn,
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
    /// A workspace's `.claude/settings.local.json`.
    #[serde(rename = "claude-local")]
    ClaudeLocal,
    /// A workspace's `.claude/settings.json`.
    #[serde(rename = "claude-project")]
    ClaudeProject,
    /// The user's `~/.claude/settings.json`.
    #[serde(rename = "claude-user")]
    ClaudeUser,
    /// A workspace's hookify rules.
    Hookify,
    /// A plugin.
    Plugin,
}

/// Some of the levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Levels(u16);

impl Levels {
    /// These.
    pub fn of(levels: &[Level]) -> Levels {
        levels.iter().fold(Levels::default(), |some, level| some.with(*level))
    }

    /// This one too.
    #[must_use]
    pub fn with(self, level: Level) -> Levels {
        Levels(self.0 | 1 << level as u16)
    }

    /// Whether this one is among them.
    pub fn has(self, level: Level) -> bool {
        self.0 & 1 << level as u16 != 0
    }
}

impl Level {
    /// The word used in lists, records and traces.
    pub fn name(self) -> &'static str {
        match self {
            Level::BuiltIn => "built-in",
            Level::Enterprise => "enterprise",
            Level::Team => "team",
            Level::Host => "host",
            Level::Project => "project",
            Level::User => "user",
            Level::ClaudeLocal => "claude-local",
            Level::ClaudeProject => "claude-project",
            Level::ClaudeUser => "claude-user",
            Level::Hookify => "hookify",
            Level::Plugin => "plugin",
        }
    }

    /// Every level, highest priority first.
    pub const ALL: [Level; 11] = [
        Level::BuiltIn,
        Level::Enterprise,
        Level::Team,
        Level::Host,
        Level::Project,
        Level::User,
        Level::ClaudeLocal,
        Level::ClaudeProject,
        Level::ClaudeUser,
        Level::Hookify,
        Level::Plugin,
    ];

    /// Whether an administrator put the hooks there, and the user cannot take
    /// them away.
    pub fn is_managed(self) -> bool {
        matches!(self, Level::Enterprise | Level::Team)
    }

    /// Whether hooks of this level run where agents run in the cloud.
    pub fn is_in_cloud(self) -> bool {
        match self {
            Level::BuiltIn | Level::Enterprise | Level::Team | Level::Host | Level::Project => true,
            Level::User
            | Level::ClaudeLocal
            | Level::ClaudeProject
            | Level::ClaudeUser
            | Level::Hookify
            | Level::Plugin => false,
        }
    }

    /// Whether its hooks come from Claude Code's settings.
    pub fn is_claude(self) -> bool {
        matches!(self, Level::ClaudeLocal | Level::ClaudeProject | Level::ClaudeUser)
    }

    /// Whether hooks of this level run only in a trusted workspace.
    pub fn needs_trust(self) -> bool {
        match self {
            Level::Project | Level::ClaudeLocal | Level::ClaudeProject | Level::Hookify => true,
            Level::BuiltIn
            | Level::Enterprise
            | Level::Team
            | Level::Host
            | Level::User
            | Level::ClaudeUser
            | Level::Plugin => false,
        }
    }
}
