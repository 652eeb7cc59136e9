//! One program that calls us in two names. Copilot CLI runs the hooks of a
//! project's `.claude/settings.json` itself, so where Copilot is wired too, every
//! hook would be asked twice.
//!
//! Silence must never be an open gate: who is not sure that Copilot asks in its
//! own name answers.

use boathook_engine::agent::{Agent, Happening};
use boathook_engine::dialect::copilot::pascal::{IN_CLAUDES_NAME, is_in_claudes_name};
use boathook_engine::engine::Settings;
use boathook_engine::payload::Payload;

use super::command::Program;
use super::target::Places;
use super::wiring::{Scope, named};
use crate::settings::{Dwelling, lasting_options, program};

static COPILOT: Agent = IN_CLAUDES_NAME;

/// Who speaks, inside of Copilot: Claude Code may run in a shell of Copilot's,
/// so the payload decides.
pub fn speaker(called: &'static Agent, bytes: &[u8]) -> &'static Agent {
    let foreign = called.name == "claude" && Payload::parse(bytes).is_ok_and(|it| is_in_claudes_name(&it));
    if foreign { &COPILOT } else { called }
}

/// Whether Copilot asks us about the same in its own name, and hears the answer.
pub fn is_asked_already(agent: &'static Agent, happening: &Happening, settings: &Settings) -> bool {
    let Some(wiring) = named(COPILOT.name).filter(|_| std::ptr::eq(agent, &COPILOT)) else { return false };
    let Some(program) = program().ok().and_then(|path| Program::at(path).ok()) else { return false };
    let (home, state) = (settings.roots.home.clone(), settings.roots.state.clone());
    let options = lasting_options(settings).unwrap_or_default();
    let program = program.of_user(Some(Dwelling { state, ..Dwelling::of(home) })).with_options(options);
    let places = Places::of(settings);
    let mut wired = [Scope::User, Scope::Project].into_iter().filter_map(|scope| places.wired(wiring, scope));
    // An entry that somebody edited may be called and its answer go nowhere.
    wired.any(|it| it.events.contains(&happening.event) && places.works(&it, wiring, &program))
}
