//! What in an agent's own settings keeps our entries from being called.

use boathook_engine::config::{Step, json_tree, value_at};
use boathook_engine::problem::Place;
use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;

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
    /// What the machine's settings say so that no other file switches hooks off:
    /// they win over those of users and workspaces.
    pub pinned: &'static [(&'static [&'static str], bool)],
    /// Files of a workspace from which the agent takes variables.
    pub env_files: &'static [&'static str],
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
    /// It has no effect while the machine's settings pin the opposite.
    pub pinnable: bool,
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
        pinned: &[],
        env_files: &[],
    };
}

/// What stands in one file.
pub fn obstacles(text: &str, wiring: &Wiring, scope: Scope) -> Vec<Obstacle> {
    let Ok(tree) = json_tree(text.trim_start_matches('\u{feff}')) else { return Vec::new() };
    let switches = &wiring.switches;
    // What the agent does not read switches nothing off.
    if let Some(unread) = unread(text, wiring) {
        let (message, help) = (unread.words(wiring), unread.help().to_owned());
        let place = Some(unread.place);
        return vec![Obstacle { message, help, concerns: Concerns::Own, place, pinnable: false }];
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
        it.place = place_of(text, &tree, path);
        it.pinnable = scope != Scope::Managed && switches.pinned.iter().any(|(pinned, _)| pinned == path);
        if (spared || it.pinnable) && scope == Scope::Project {
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
        let place = place_of(text, &tree, switches.only_managed);
        found.push(Obstacle { message, help, concerns: Concerns::Unmanaged, place, pinnable: false });
    }
    if let Some(Node::Array(list)) = at(&tree, switches.disabled) {
        let texts = list.elements.iter().filter_map(|it| Some(it.as_string_lit()?.value.to_string()));
        if let Some(ours) = texts.into_iter().find(|it| it == "boathook" || called(it, wiring.name).is_some())
        {
            let name = switches.disabled.join(".");
            let place = place_of(text, &tree, switches.disabled);
            found.push(Obstacle {
                place,
                ..obstacle(format!("`{name}` switches `{ours}` off"), &name, Concerns::All)
            });
        }
    }
    let names = tree.as_object().into_iter().flat_map(|top| &top.properties).map(|it| it.name.as_str());
    if let Some(name) = names.into_iter().find(|it| !switches.top.is_empty() && !switches.top.contains(it)) {
        let message = format!("{} knows no `{name}` there and rejects the whole file", wiring.title);
        let place = place_of(text, &tree, &[name]);
        found.push(Obstacle { place, ..obstacle(message, name, Concerns::Own) });
    }
    found
}

fn obstacle(message: String, name: &str, concerns: Concerns) -> Obstacle {
    Obstacle { message, help: format!("remove `{name}`"), concerns, place: None, pinnable: false }
}

/// The line and column of the value at a path.
fn place_of(text: &str, tree: &Node, path: &[&str]) -> Option<(usize, usize)> {
    let range = at(tree, path)?.range();
    let place = Place::in_text(text.trim_start_matches('\u{feff}'), range.start..range.end);
    Some((place.line, place.column))
}

/// The same for settings in TOML, which only switch hooks off.
pub fn obstacles_in_toml(text: &str, wiring: &Wiring) -> Vec<Obstacle> {
    let Ok(tables) = toml::from_str::<Tables>(text) else { return Vec::new() };
    let of_path = |(path, off): &(&'static [&'static str], bool)| {
        let [table, name] = **path else { return None };
        let value = tables.get(table)?.get_ref().as_table()?.get(name)?.as_bool()?;
        (value == *off).then_some((table, name, value))
    };
    let off = wiring.switches.off.iter().filter_map(of_path);
    let found = off.map(|(table, name, value)| {
        let start = tables.get(table).map_or(0, |it| it.span().start);
        let line = text[start..].lines().position(|line| line.trim_start().starts_with(name));
        let line = text[..start].matches('\n').count() + 1 + line.unwrap_or_default();
        let message = format!("`{name} = {value}` under `[{table}]` switches every hook off");
        Obstacle { place: Some((line, 1)), ..obstacle(message, name, Concerns::All) }
    });
    found.collect()
}

type Tables = std::collections::BTreeMap<String, toml::Spanned<toml::Value>>;

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
