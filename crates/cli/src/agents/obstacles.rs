//! What in an agent's own settings keeps our entries from being called.

use boathook_engine::config::{Step, json_tree, value_at};
use jsonc_parser::ast::Value as Node;

use super::command::called;
use super::strictness::unread;
use super::wiring::{Scope, Wiring};

/// Names in an agent's settings that decide whether hooks run.
#[derive(Debug, Clone, Copy)]
pub struct Switches {
    /// These switch all hooks off, with this value.
    pub off: &'static [(&'static [&'static str], bool)],
    /// In the machine's settings this leaves only the machine's hooks.
    pub only_managed: &'static [&'static str],
    /// A list of hooks that are switched off, by name or by command.
    pub disabled: &'static [&'static str],
    /// Any other name at the top makes the agent reject the whole file; empty
    /// when it takes all.
    pub top: &'static [&'static str],
    /// More files of a workspace that the agent reads, and where any of this
    /// may stand.
    pub beside: &'static [&'static str],
    /// More files of the user's settings that can switch hooks off.
    pub of_user: &'static [&'static str],
    /// What other files switch off, the machine's hooks are not.
    pub spares_managed: bool,
}

/// One of them, found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What it does.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Whose entries it concerns.
    pub concerns: Concerns,
    /// Its line and column, where that helps.
    pub place: Option<(usize, usize)>,
}

/// Whose entries something concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concerns {
    /// Entries in any file.
    All,
    /// Those in the same file.
    Own,
    /// Those outside the machine's settings.
    Unmanaged,
}

impl Switches {
    /// An agent that has none.
    pub const NONE: Switches = Switches {
        off: &[],
        only_managed: &[],
        disabled: &[],
        top: &[],
        beside: &[],
        of_user: &[],
        spares_managed: false,
    };
}

/// What stands in one file.
pub fn obstacles(text: &str, wiring: &Wiring, scope: Scope) -> Vec<Obstacle> {
    let Ok(tree) = json_tree(text.trim_start_matches('\u{feff}')) else { return Vec::new() };
    let switches = &wiring.switches;
    // What the agent does not read switches nothing off.
    if let Some(unread) = unread(text, wiring) {
        let (message, help) = (unread.words(wiring), unread.help().to_owned());
        return vec![Obstacle { message, help, concerns: Concerns::Own, place: Some(unread.place) }];
    }
    let mut found = Vec::new();
    for (path, value) in switches.off.iter().filter(|(path, value)| flag(&tree, path) == Some(*value)) {
        let name = path.join(".");
        let spared = switches.spares_managed && scope != Scope::Managed;
        let (which, concerns) = match spared {
            true => ("every hook but the machine's", Concerns::Unmanaged),
            false => ("every hook", Concerns::All),
        };
        let mut it = obstacle(format!("`{name}: {value}` switches {which} off"), &name, concerns);
        if spared && scope == Scope::Project {
            it.help = format!(
                "remove `{name}`, or have hooks that no repository switches off: `boathook agent install {} --managed`",
                wiring.name
            );
        }
        found.push(it);
    }
    if scope == Scope::Managed && flag(&tree, switches.only_managed) == Some(true) {
        let name = switches.only_managed.join(".");
        let help = format!("type `boathook agent install {} --managed` in its place", wiring.name);
        let message = format!("`{name}` lets only hooks of the machine's settings run");
        found.push(Obstacle { message, help, concerns: Concerns::Unmanaged, place: None });
    }
    if let Some(Node::Array(list)) = at(&tree, switches.disabled) {
        let texts = list.elements.iter().filter_map(|it| Some(it.as_string_lit()?.value.to_string()));
        if let Some(ours) = texts.into_iter().find(|it| it == "boathook" || called(it, wiring.name).is_some())
        {
            let name = switches.disabled.join(".");
            found.push(obstacle(format!("`{name}` switches `{ours}` off"), &name, Concerns::All));
        }
    }
    let names = tree.as_object().into_iter().flat_map(|top| &top.properties).map(|it| it.name.as_str());
    if let Some(name) = names.into_iter().find(|it| !switches.top.is_empty() && !switches.top.contains(it)) {
        let message = format!("{} knows no `{name}` there and rejects the whole file", wiring.title);
        found.push(obstacle(message, name, Concerns::Own));
    }
    found
}

fn obstacle(message: String, name: &str, concerns: Concerns) -> Obstacle {
    Obstacle { message, help: format!("remove `{name}`"), concerns, place: None }
}

fn flag(tree: &Node, path: &[&str]) -> Option<bool> {
    match at(tree, path) {
        Some(Node::BooleanLit(literal)) => Some(literal.value),
        _ => None,
    }
}

fn at<'a>(tree: &'a Node<'a>, path: &[&str]) -> Option<&'a Node<'a>> {
    let steps: Vec<Step> = path.iter().map(|name| Step::Key(name)).collect();
    value_at(tree, &steps).filter(|_| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::wiring::named;
    use super::*;

    #[test]
    fn what_keeps_an_agent_from_calling_us_is_found() {
        let cases = [
            ("claude", Scope::User, "{}", None),
            ("claude", Scope::User, "{\"disableAllHooks\": true}", Some(Concerns::Unmanaged)),
            ("claude", Scope::Project, "{\"disableAllHooks\": true}", Some(Concerns::Unmanaged)),
            ("claude", Scope::Managed, "{\"disableAllHooks\": true}", Some(Concerns::All)),
            ("qwen", Scope::User, "{\"disableAllHooks\": true}", Some(Concerns::All)),
            ("claude", Scope::User, "{} // mine", Some(Concerns::Own)),
            ("claude", Scope::Project, "{\"disableAllHooks\": true,}", Some(Concerns::Own)),
            ("claude", Scope::User, "{\"disableAllHooks\": false}", None),
            ("claude", Scope::User, "{\"allowManagedHooksOnly\": true}", None),
            ("claude", Scope::Managed, "{\"allowManagedHooksOnly\": true}", Some(Concerns::Unmanaged)),
            ("gemini", Scope::User, "{\"hooksConfig\": {\"enabled\": false}}", Some(Concerns::All)),
            ("gemini", Scope::User, "{\"hooksConfig\": {\"disabled\": [\"boathook\"]}}", Some(Concerns::All)),
            ("gemini", Scope::User, "{\"hooksConfig\": {\"disabled\": [\"mine\"]}}", None),
            ("codex", Scope::User, "{\"version\": 1, \"hooks\": {}}", Some(Concerns::Own)),
            ("codex", Scope::User, "{\"description\": \"x\", \"hooks\": {}}", None),
        ];
        for (name, scope, text, expected) in cases {
            let found = obstacles(text, named(name).expect(name), scope);
            assert_eq!(found.first().map(|it| it.concerns), expected, "{name} {text}");
        }
    }
}
