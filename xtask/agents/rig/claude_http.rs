//! Claude Code, wired to a daemon over HTTP: the same agent, asked in another way.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::claude::Claude;
use super::{Act, Package, Rig, Session};
use crate::Outcome;
use crate::model::ToolCall;
use crate::place::Place;

pub struct ClaudeHttp;

impl Rig for ClaudeHttp {
    fn name(&self) -> &'static str {
        "claude-http"
    }

    fn agent(&self) -> &'static str {
        Claude.name()
    }

    fn over_http(&self) -> bool {
        true
    }

    fn package(&self) -> Package {
        Claude.package()
    }

    /// Its settings hold a token, so they are the user's alone.
    fn prepare(&self, session: &Session) -> Outcome<()> {
        Claude.prepare(session)?;
        let file = session.place.home.join(".claude/settings.json");
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&file, private).map_err(|error| format!("{}: {error}", file.display()))
    }

    fn command(&self, session: &Session, command: &mut Command) {
        Claude.command(session, command);
    }

    fn call(&self, act: &Act, place: &Place) -> Option<ToolCall> {
        Claude.call(act, place)
    }

    fn lacks(&self, scenario: &str) -> Option<&'static str> {
        Claude.lacks(scenario)
    }

    fn keeps_directory(&self) -> bool {
        Claude.keeps_directory()
    }

    fn runs_claude_settings(&self) -> bool {
        Claude.runs_claude_settings()
    }

    fn own_hook(&self, place: &Place, command: &str) -> Outcome<()> {
        Claude.own_hook(place, command)
    }
}
