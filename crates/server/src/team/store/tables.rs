//! Every table with its columns, in an order in which each row finds the rows
//! it names already there: what an export holds.

/// A table.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// How many of them, from the first, make its key.
    pub key: usize,
}

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// The step that added it: exports from before have rows without it.
    pub since: i64,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A whole number.
    Number,
    /// Text.
    Text,
    /// Bytes.
    Bytes,
}

const fn number(name: &'static str) -> Column {
    Column { name, holds: Holds::Number, since: 1 }
}

const fn text(name: &'static str) -> Column {
    Column { name, holds: Holds::Text, since: 1 }
}

const fn bytes(name: &'static str) -> Column {
    Column { name, holds: Holds::Bytes, since: 1 }
}

const TEAM: Column = number("team_id");
const MADE_WITH: Column = Column { since: 2, ..number("made_with") };

/// All tables but the list of steps.
pub const TABLES: &[Table] = &[
    Table { name: "settings", columns: &[text("name"), number("value")], key: 1 },
    Table {
        name: "teams",
        columns: &[
            TEAM,
            text("name"),
            text("mode"),
            text("repository"),
            text("channel"),
            text("root_fingerprint"),
            number("stale_days"),
            text("stale_policy"),
            number("halt_percent"),
            number("halt_least"),
            number("created_at"),
        ],
        key: 1,
    },
    Table { name: "counters", columns: &[TEAM, text("name"), number("value")], key: 2 },
    Table {
        name: "members",
        columns: &[
            TEAM,
            number("member_id"),
            text("email"),
            text("email_key"),
            text("role"),
            number("canary"),
            number("added_at"),
            number("removed_at"),
        ],
        key: 2,
    },
    Table {
        name: "devices",
        columns: &[
            TEAM,
            text("device_id"),
            text("name"),
            text("os"),
            number("member_id"),
            number("enrolled"),
            number("added_at"),
            number("revoked_at"),
            number("seen_at"),
            number("report_sequence"),
            number("report_release"),
            text("report_code"),
            text("report_detail"),
        ],
        key: 2,
    },
    Table {
        name: "tokens",
        columns: &[
            TEAM,
            number("token_id"),
            text("kind"),
            text("prefix"),
            text("name"),
            text("role"),
            number("member_id"),
            text("device_id"),
            text("digest"),
            number("created_at"),
            number("expires_at"),
            number("revoked_at"),
            number("used_at"),
            MADE_WITH,
        ],
        key: 2,
    },
    Table {
        name: "codes",
        columns: &[
            TEAM,
            text("digest"),
            text("challenge"),
            text("redirect"),
            number("member_id"),
            number("expires_at"),
            MADE_WITH,
        ],
        key: 2,
    },
    Table {
        name: "hooks",
        columns: &[
            TEAM,
            number("hook_id"),
            number("position"),
            number("version"),
            number("changed_at"),
            text("changed_by"),
            text("draft"),
        ],
        key: 2,
    },
    Table {
        name: "hook_versions",
        columns: &[
            TEAM,
            number("hook_id"),
            number("version"),
            number("changed_at"),
            text("changed_by"),
            number("deleted"),
            text("draft"),
        ],
        key: 3,
    },
    Table {
        name: "releases",
        columns: &[
            TEAM,
            number("number"),
            text("state"),
            number("canary"),
            number("percent"),
            text("published_by"),
            number("published_at"),
            text("note"),
            number("restores"),
            text("halted_because"),
            text("hooks"),
        ],
        key: 2,
    },
    Table {
        name: "reports",
        columns: &[TEAM, number("release"), text("device_id"), text("code"), number("reported_at")],
        key: 3,
    },
    Table { name: "scripts", columns: &[TEAM, text("digest"), bytes("content")], key: 2 },
    Table {
        name: "keys",
        columns: &[TEAM, text("role"), text("key_id"), bytes("public"), bytes("sealed")],
        key: 3,
    },
    Table { name: "metadata", columns: &[TEAM, text("role"), number("version"), bytes("content")], key: 3 },
    Table {
        name: "manifests",
        columns: &[TEAM, number("sequence"), text("digest"), bytes("content")],
        key: 2,
    },
    Table {
        name: "waiting",
        columns: &[
            TEAM,
            text("role"),
            number("version"),
            bytes("content"),
            number("sequence"),
            bytes("manifest"),
        ],
        key: 3,
    },
    Table { name: "floors", columns: &[TEAM, text("name"), number("value")], key: 2 },
];

impl Table {
    /// How many columns it had after a step; later ones stand behind those.
    pub fn width(&self, step: i64) -> usize {
        self.columns.iter().filter(|column| column.since <= step).count()
    }

    /// The names of its columns, as a statement lists them.
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        names.join(", ")
    }
}
