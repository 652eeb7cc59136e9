//! What a person must know when a session begins: what silences Boathook in
//! this or another agent that works in the same workspace. The agent that is
//! silenced cannot say it itself.

use boathook_engine::engine::Settings;
use boathook_engine::problem::Problem;

use super::examine::{Weight, examine};
use super::target::Places;
use super::wiring::WIRINGS;

/// Settings of the workspaces and variables that silence a connected agent. What
/// users switch off in their own settings is their choice, and no news.
pub fn silencers(settings: &Settings) -> Vec<Problem> {
    let places = Places::of(settings);
    let workspaces = settings.roots.workspaces.iter().map(|it| places.with_workspace(it.clone()));
    let mut found: Vec<Problem> = Vec::new();
    for (places, wiring) in workspaces.flat_map(|it| WIRINGS.iter().map(move |wiring| (it.clone(), wiring))) {
        let problems = examine(&places, wiring, None).problems.into_iter();
        for fault in problems.filter(|fault| fault.weight == Weight::Silenced) {
            let message = format!("{}: {}", wiring.title, fault.message);
            if !found.iter().any(|it| it.message == message) {
                found.push(Problem::warning("agent-silenced", message).help(&fault.help));
            }
        }
    }
    found
}
