//! The tables, as numbered steps from an empty database to what this version
//! reads and writes.
//!
//! A step that was shipped is never changed: a change is a new step. Steps are
//! written once for both databases; `{BYTES}` stands for the type of bytes.

/// One step: its statements run in one transaction, together with the note
/// that it was done.
pub struct Step {
    /// Its number; they go up by one.
    pub number: i64,
    /// Its statements.
    pub statements: &'static [&'static str],
}

/// All steps.
pub const STEPS: &[Step] =
    &[Step { number: 1, statements: FIRST }, Step { number: 2, statements: WHAT_A_TOKEN_WAS_MADE_WITH }];

/// Of what is older nobody knows it any more.
const WHAT_A_TOKEN_WAS_MADE_WITH: &[&str] = &[
    "ALTER TABLE tokens ADD COLUMN made_with BIGINT",
    "ALTER TABLE codes ADD COLUMN made_with BIGINT",
    "CREATE INDEX tokens_made_with ON tokens (team_id, made_with)",
];

const FIRST: &[&str] = &[
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "CREATE TABLE teams (
        team_id BIGINT PRIMARY KEY,
        name TEXT NOT NULL,
        mode TEXT NOT NULL,
        repository TEXT NOT NULL UNIQUE,
        channel TEXT NOT NULL,
        root_fingerprint TEXT NOT NULL,
        stale_days BIGINT NOT NULL,
        stale_policy TEXT NOT NULL,
        halt_percent BIGINT NOT NULL,
        halt_least BIGINT NOT NULL,
        created_at BIGINT NOT NULL
    )",
    "CREATE TABLE counters (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        name TEXT NOT NULL,
        value BIGINT NOT NULL,
        PRIMARY KEY (team_id, name)
    )",
    "CREATE TABLE members (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        member_id BIGINT NOT NULL,
        email TEXT NOT NULL,
        email_key TEXT NOT NULL,
        role TEXT NOT NULL,
        canary BIGINT NOT NULL,
        added_at BIGINT NOT NULL,
        removed_at BIGINT,
        PRIMARY KEY (team_id, member_id)
    )",
    "CREATE UNIQUE INDEX members_email ON members (team_id, email_key) WHERE removed_at IS NULL",
    "CREATE TABLE devices (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        device_id TEXT NOT NULL,
        name TEXT NOT NULL,
        os TEXT NOT NULL,
        member_id BIGINT,
        enrolled BIGINT NOT NULL,
        added_at BIGINT NOT NULL,
        revoked_at BIGINT,
        seen_at BIGINT,
        report_sequence BIGINT,
        report_release BIGINT,
        report_code TEXT,
        report_detail TEXT,
        PRIMARY KEY (team_id, device_id),
        FOREIGN KEY (team_id, member_id) REFERENCES members (team_id, member_id)
    )",
    "CREATE TABLE tokens (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        token_id BIGINT NOT NULL,
        kind TEXT NOT NULL,
        prefix TEXT NOT NULL,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        member_id BIGINT,
        device_id TEXT,
        digest TEXT NOT NULL UNIQUE,
        created_at BIGINT NOT NULL,
        expires_at BIGINT,
        revoked_at BIGINT,
        used_at BIGINT,
        PRIMARY KEY (team_id, token_id),
        FOREIGN KEY (team_id, member_id) REFERENCES members (team_id, member_id),
        FOREIGN KEY (team_id, device_id) REFERENCES devices (team_id, device_id)
    )",
    "CREATE TABLE codes (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        digest TEXT NOT NULL,
        challenge TEXT NOT NULL,
        redirect TEXT NOT NULL,
        member_id BIGINT NOT NULL,
        expires_at BIGINT NOT NULL,
        PRIMARY KEY (team_id, digest),
        FOREIGN KEY (team_id, member_id) REFERENCES members (team_id, member_id)
    )",
    "CREATE TABLE hooks (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        hook_id BIGINT NOT NULL,
        position BIGINT NOT NULL,
        version BIGINT NOT NULL,
        changed_at BIGINT NOT NULL,
        changed_by TEXT NOT NULL,
        draft TEXT NOT NULL,
        PRIMARY KEY (team_id, hook_id)
    )",
    "CREATE TABLE hook_versions (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        hook_id BIGINT NOT NULL,
        version BIGINT NOT NULL,
        changed_at BIGINT NOT NULL,
        changed_by TEXT NOT NULL,
        deleted BIGINT NOT NULL,
        draft TEXT NOT NULL,
        PRIMARY KEY (team_id, hook_id, version)
    )",
    "CREATE TABLE releases (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        number BIGINT NOT NULL,
        state TEXT NOT NULL,
        canary BIGINT NOT NULL,
        percent BIGINT NOT NULL,
        published_by TEXT NOT NULL,
        published_at BIGINT NOT NULL,
        note TEXT NOT NULL,
        restores BIGINT,
        halted_because TEXT,
        hooks TEXT NOT NULL,
        PRIMARY KEY (team_id, number)
    )",
    "CREATE TABLE reports (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        release BIGINT NOT NULL,
        device_id TEXT NOT NULL,
        code TEXT NOT NULL,
        reported_at BIGINT NOT NULL,
        PRIMARY KEY (team_id, release, device_id),
        FOREIGN KEY (team_id, device_id) REFERENCES devices (team_id, device_id)
    )",
    "CREATE TABLE scripts (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        digest TEXT NOT NULL,
        content {BYTES} NOT NULL,
        PRIMARY KEY (team_id, digest)
    )",
    "CREATE TABLE keys (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        role TEXT NOT NULL,
        key_id TEXT NOT NULL,
        public {BYTES} NOT NULL,
        sealed {BYTES},
        PRIMARY KEY (team_id, role, key_id)
    )",
    "CREATE TABLE metadata (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        role TEXT NOT NULL,
        version BIGINT NOT NULL,
        content {BYTES} NOT NULL,
        PRIMARY KEY (team_id, role, version)
    )",
    "CREATE TABLE manifests (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        sequence BIGINT NOT NULL,
        digest TEXT NOT NULL,
        content {BYTES} NOT NULL,
        PRIMARY KEY (team_id, sequence)
    )",
    "CREATE INDEX manifests_digest ON manifests (team_id, digest)",
    "CREATE TABLE waiting (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        role TEXT NOT NULL,
        version BIGINT NOT NULL,
        content {BYTES} NOT NULL,
        sequence BIGINT,
        manifest {BYTES},
        PRIMARY KEY (team_id, role, version)
    )",
    "CREATE TABLE floors (
        team_id BIGINT NOT NULL REFERENCES teams (team_id),
        name TEXT NOT NULL,
        value BIGINT NOT NULL,
        PRIMARY KEY (team_id, name)
    )",
];
