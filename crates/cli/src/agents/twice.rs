//! One program that calls us in two names. Copilot CLI runs the hooks of a
//! project's `.claude/settings.json` itself, so where Copilot is wired too, every
//! hook would be asked twice.
//!
//! Silence must never be an open gate: who is not sure that Copilot asks in its
//! own name answers.

use std::path::Path;

use boathook_engine::agent::{Agent, Happening};
use boathook_engine::dialect::copilot::pascal::{IN_CLAUDES_NAME, is_in_claudes_name};
use boathook_engine::engine::Settings;
use boathook_engine::payload::Payload;

use super::target::{Places, Wired};
use super::wiring::{Scope, named};

static COPILOT: Agent = IN_CLAUDES_NAME;

/// Who speaks, inside of Copilot: Claude Code may run in a shell of Copilot's,
/// so the payload decides.
pub fn speaker(called: &'static Agent, bytes: &[u8]) -> &'static Agent {
    let foreign = called.name == "claude" && Payload::parse(bytes).is_ok_and(|it| is_in_claudes_name(&it));
    if foreign { &COPILOT } else { called }
}

/// Whether Copilot asks us about the same in its own name.
pub fn is_asked_already(agent: &'static Agent, happening: &Happening, settings: &Settings) -> bool {
    let Some(wiring) = named(COPILOT.name).filter(|_| std::ptr::eq(agent, &COPILOT)) else { return false };
    let places = Places::of(settings);
    let mut wired = [Scope::User, Scope::Project].into_iter().filter_map(|scope| places.wired(wiring, scope));
    wired.any(|wired| asks(&wired, &happening.event))
}

/// An entry that is restricted, switched off, or calls a program that is gone
/// may not ask.
fn asks(wired: &Wired, event: &str) -> bool {
    let there = |program: &String| {
        let path = Path::new(program);
        !path.is_absolute() || path.exists()
    };
    wired.problem.is_none()
        && wired.obstacles.is_empty()
        && wired.narrowed.is_empty()
        && wired.events.iter().any(|name| name == event)
        && wired.programs.iter().all(there)
}
