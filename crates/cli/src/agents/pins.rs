//! What the machine's settings of an agent say so that no repository and no user
//! switches hooks off: where they win over all other settings, the switch is
//! written there in the other position.

use boathook_engine::config::{Step, json_tree, remove_at, set_at, value_at};
use boathook_engine::problem::Problem;
use jsonc_parser::ast::Value as Node;

use super::wiring::Wiring;

/// The text with every pin of the agent.
pub fn pin(text: String, wiring: &Wiring) -> Result<String, Box<Problem>> {
    let mut text = text;
    for (path, value) in wiring.switches.pinned {
        if value_of(&text, path) != Some(*value) {
            text = set_at(&text, path, &value.to_string())?;
        }
    }
    Ok(text)
}

/// The text with what the original has in the place of pins: its own value, or
/// nothing, and then no object that is empty either.
pub fn unpin(text: String, wiring: &Wiring, original: Option<&str>) -> Result<String, Box<Problem>> {
    let mut text = text;
    for (path, value) in wiring.switches.pinned {
        if value_of(&text, path) != Some(*value) {
            continue;
        }
        if let Some(theirs) = original.and_then(|it| value_of(it, path)) {
            text = set_at(&text, path, &theirs.to_string())?;
            continue;
        }
        text = remove_at(&text, &steps(path))?;
        for length in (1..path.len()).rev() {
            let above = steps(&path[..length]);
            let had = original.is_some_and(|it| has(it, &above));
            if !had && is_empty(&text, &above) {
                text = remove_at(&text, &above)?;
            }
        }
    }
    Ok(text)
}

/// The pins that a text lacks, as a person would write them.
pub fn lacking(text: &str, wiring: &Wiring) -> Vec<String> {
    let pinned = wiring.switches.pinned.iter();
    let lacking = pinned.filter(|(path, value)| value_of(text, path) != Some(*value));
    lacking.map(|(path, value)| format!("`{}: {value}`", path.join("."))).collect()
}

fn steps<'p>(path: &[&'p str]) -> Vec<Step<'p>> {
    path.iter().map(|name| Step::Key(name)).collect()
}

fn value_of(text: &str, path: &[&str]) -> Option<bool> {
    let tree = json_tree(text.trim_start_matches('\u{feff}')).ok()?;
    match value_at(&tree, &steps(path)) {
        Some(Node::BooleanLit(literal)) => Some(literal.value),
        _ => None,
    }
}

fn has(text: &str, path: &[Step]) -> bool {
    json_tree(text.trim_start_matches('\u{feff}')).is_ok_and(|tree| value_at(&tree, path).is_some())
}

fn is_empty(text: &str, path: &[Step]) -> bool {
    let Ok(tree) = json_tree(text.trim_start_matches('\u{feff}')) else { return false };
    matches!(value_at(&tree, path), Some(Node::Object(object)) if object.properties.is_empty())
}
