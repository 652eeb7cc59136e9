//! Our entries in an agent's JSON: written, found and taken away in place. Who
//! else has hooks there keeps them, in their order.

use boathook_engine::config::{Step, add_to_list, json_tree, remove_at, replace_at, value_at};
use boathook_engine::problem::Problem;
use boathook_engine::remote::port_of;
use jsonc_parser::ast::Value as Node;
use serde_json::{Map, Value, json};

use super::command::{Program, called};
use super::wiring::{Form, Handler, Wiring};

const HOOKS: &str = "hooks";

/// One handler that calls us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The agent's event.
    pub event: String,
    /// The program it calls; none when it asks the daemon over HTTP.
    pub program: Option<String>,
    /// What the group it stands in is restricted to.
    pub matcher: Option<String>,
    /// Its place in the event's list, and in its group.
    pub place: (usize, Option<usize>),
    /// Nobody else's handler is in its group.
    alone: bool,
    /// All it says.
    pub handler: Value,
}

impl Entry {
    /// It asks the daemon over HTTP.
    pub fn is_http(&self) -> bool {
        self.program.is_none()
    }
}

/// The text with an entry of ours for each of the agent's events, and no other
/// of ours. What is there already, and as it should be, is not touched.
pub fn wire(text: &str, wiring: &Wiring, program: &Program) -> Result<String, Box<Problem>> {
    let Some(handler) = handler_of(wiring) else { return Ok(text.to_owned()) };
    let blank = text.trim_start_matches('\u{feff}').trim().is_empty();
    let mut text = if blank { handler.skeleton.to_owned() } else { text.to_owned() };
    let wanted: Vec<(&str, Map<String, Value>)> =
        wiring.events().iter().map(|event| (*event, fields(wiring, &handler, program, event))).collect();
    let mut seen: Vec<String> = Vec::new();
    // From behind, so that places before stay as they are.
    let mut found = entries(&text, wiring)?;
    found.sort_by_key(|entry| entry.place);
    for entry in &found {
        let wanted = wanted.iter().find(|(event, _)| *event == entry.event);
        match wanted.filter(|_| !seen.contains(&entry.event)) {
            Some((_, fields)) if entry.handler != Value::Object(fields.clone()) => {
                text = replace_at(&text, &steps(entry, false), &one_line(fields))?;
                seen.push(entry.event.clone());
            }
            Some(_) => seen.push(entry.event.clone()),
            None => {}
        }
    }
    let mut kept: Vec<String> = Vec::new();
    let mut surplus = Vec::new();
    for entry in found {
        if seen.contains(&entry.event) && !kept.contains(&entry.event) {
            kept.push(entry.event.clone());
        } else {
            surplus.push(entry);
        }
    }
    text = without(text, surplus, &|_| false)?;
    for (event, fields) in wanted.iter().filter(|(event, _)| !kept.iter().any(|it| it == event)) {
        let handler = one_line(fields);
        let element = match wiring.form {
            Form::Groups(_) => format!("{{ \"{HOOKS}\": [{handler}] }}"),
            Form::Flat(_) | Form::Plugin | Form::Scripts | Form::Native => handler,
        };
        text = add_to_list(&text, &[HOOKS, event], &element)?;
    }
    Ok(text)
}

/// What an entry of ours for this event says; none where there is no such thing.
pub fn wanted(wiring: &Wiring, program: &Program, event: &str) -> Option<Map<String, Value>> {
    let handler = handler_of(wiring).filter(|_| wiring.events().contains(&event))?;
    Some(fields(wiring, &handler, program, event))
}

/// The text without our entries. Lists that they leave empty go with them,
/// unless the text they were written into had them.
pub fn unwire(text: &str, wiring: &Wiring, original: Option<&str>) -> Result<String, Box<Problem>> {
    let original = original.map(|text| text.trim_start_matches('\u{feff}'));
    let tree = original.and_then(|text| json_tree(text).ok());
    let older = older_events(text, wiring);
    let had = |path: &[Step]| match (&tree, path) {
        (Some(tree), _) => value_at(tree, path).is_some(),
        (None, [_, Step::Key(event)]) => older.iter().any(|it| it == event),
        (None, _) => false,
    };
    without(text.to_owned(), entries(text, wiring)?, &had)
}

/// Events whose lists were there before us, as far as their order tells: we add
/// those that lack behind all others, in the order of our table, so a list stood
/// there when one follows that is earlier in the table.
fn older_events(text: &str, wiring: &Wiring) -> Vec<String> {
    let Ok(tree) = json_tree(text.trim_start_matches('\u{feff}')) else { return Vec::new() };
    let Some(Node::Object(events)) = value_at(&tree, &[Step::Key(HOOKS)]) else { return Vec::new() };
    let place = |name: &str| wiring.events().iter().position(|event| *event == name);
    let names = events.properties.iter().map(|it| it.name.as_str());
    let known: Vec<(&str, usize)> = names.filter_map(|name| Some((name, place(name)?))).collect();
    let is_older = |at: usize| known[at + 1..].iter().any(|(_, later)| *later < known[at].1);
    (0..known.len()).filter(|at| is_older(*at)).map(|at| known[at].0.to_owned()).collect()
}

/// Our entries in a text.
pub fn entries(text: &str, wiring: &Wiring) -> Result<Vec<Entry>, Box<Problem>> {
    let Some(handler) = handler_of(wiring) else { return Ok(Vec::new()) };
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let tree = json_tree(text)?;
    let Some(Node::Object(events)) = value_at(&tree, &[Step::Key(HOOKS)]) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for property in &events.properties {
        let Node::Array(list) = &property.value else { continue };
        for (index, element) in list.elements.iter().enumerate() {
            let ours = ours_in(element, wiring, &handler);
            let alone = match value_at(element, &[Step::Key(HOOKS)]) {
                Some(Node::Array(handlers)) => handlers.elements.len() == ours.len(),
                _ => true,
            };
            for (inner, program, handler) in ours {
                let event = property.name.as_str().to_owned();
                let matcher = text_of(value_at(element, &[Step::Key("matcher")]));
                found.push(Entry { event, program, matcher, place: (index, inner), alone, handler });
            }
        }
    }
    Ok(found)
}

/// The handlers of one element that call us: their place in a group, the
/// program, all they say.
fn ours_in(
    element: &Node,
    wiring: &Wiring,
    handler: &Handler,
) -> Vec<(Option<usize>, Option<String>, Value)> {
    let call = |node: &Node| {
        let text = |name: &str| text_of(value_at(node, &[Step::Key(name)]));
        let program = text(handler.command).and_then(|command| called(&command, wiring.name));
        let asks = text("url").is_some_and(|url| port_of(&url, wiring.name).is_some());
        (program.is_some() || asks).then(|| (program, plain(node)))
    };
    match (wiring.form, value_at(element, &[Step::Key(HOOKS)])) {
        (Form::Groups(_), Some(Node::Array(handlers))) => {
            let each = handlers.elements.iter().enumerate();
            each.filter_map(|(inner, node)| call(node).map(|(program, all)| (Some(inner), program, all)))
                .collect()
        }
        (Form::Flat(_), _) => call(element).map(|(program, all)| (None, program, all)).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Takes entries away, the last first, and then what they left empty.
fn without(
    mut text: String,
    mut entries: Vec<Entry>,
    had: &dyn Fn(&[Step]) -> bool,
) -> Result<String, Box<Problem>> {
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.place));
    let mut groups: Vec<(String, usize)> = Vec::new();
    for entry in &entries {
        let group = (entry.event.clone(), entry.place.0);
        if entry.alone && groups.contains(&group) {
            continue;
        }
        text = remove_at(&text, &steps(entry, entry.alone))?;
        groups.push(group);
    }
    let mut events: Vec<&str> = entries.iter().map(|entry| entry.event.as_str()).collect();
    events.sort_unstable();
    events.dedup();
    for event in events {
        text = without_empty(text, &[Step::Key(HOOKS), Step::Key(event)], had)?;
    }
    if entries.is_empty() { Ok(text) } else { without_empty(text, &[Step::Key(HOOKS)], had) }
}

/// Takes a list or an object away that holds nothing.
fn without_empty(text: String, path: &[Step], had: &dyn Fn(&[Step]) -> bool) -> Result<String, Box<Problem>> {
    let plain = text.trim_start_matches('\u{feff}');
    let tree = json_tree(plain)?;
    let range = match value_at(&tree, path) {
        Some(Node::Array(list)) if list.elements.is_empty() => list.range,
        Some(Node::Object(object)) if object.properties.is_empty() => object.range,
        _ => return Ok(text),
    };
    // A comment of somebody's stays, and so does what it stands in.
    if !plain[range.start + 1..range.end - 1].trim().is_empty() || had(path) {
        return Ok(text);
    }
    remove_at(&text, path)
}

/// The way to an entry; to its group when that goes as a whole.
fn steps(entry: &Entry, group: bool) -> Vec<Step<'_>> {
    let mut steps = vec![Step::Key(HOOKS), Step::Key(&entry.event), Step::Item(entry.place.0)];
    if let Some(inner) = entry.place.1.filter(|_| !group) {
        steps.extend([Step::Key(HOOKS), Step::Item(inner)]);
    }
    steps
}

/// One handler of ours.
fn fields(wiring: &Wiring, handler: &Handler, program: &Program, event: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(address) = program.http_of(wiring.name, event) {
        fields.insert("type".to_owned(), Value::from("http"));
        fields.insert("url".to_owned(), Value::from(address.url(wiring.name)));
        fields.insert("headers".to_owned(), json!({ "Authorization": address.authorization() }));
    } else {
        for (name, value) in handler.more {
            fields.insert((*name).to_owned(), Value::from(*value));
        }
        let command = program.command(wiring.name, wiring.names_event.then_some(event));
        fields.insert(handler.command.to_owned(), Value::from(command));
    }
    if let Some((name, hour)) = handler.hour {
        let shorter = handler.shorter.iter().find(|(of, _)| *of == event).map(|(_, longest)| *longest);
        fields.insert(name.to_owned(), Value::from(shorter.unwrap_or(hour)));
    }
    for (name, value, _) in handler.of_gates.iter().filter(|(_, _, events)| events.contains(&event)) {
        fields.insert((*name).to_owned(), Value::from(*value));
    }
    fields
}

fn handler_of(wiring: &Wiring) -> Option<Handler> {
    match wiring.form {
        Form::Groups(handler) | Form::Flat(handler) => Some(handler),
        Form::Plugin | Form::Scripts | Form::Native => None,
    }
}

/// With spaces where a person would put them.
fn one_line(fields: &Map<String, Value>) -> String {
    let field = |(name, value): (&String, &Value)| format!("\"{name}\": {value}");
    format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
}

fn text_of(node: Option<&Node>) -> Option<String> {
    match node {
        Some(Node::StringLit(text)) => Some(text.value.to_string()),
        _ => None,
    }
}

/// A node as a value that can be compared.
fn plain(node: &Node) -> Value {
    match node {
        Node::StringLit(text) => Value::from(text.value.to_string()),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or(Value::Null),
        Node::BooleanLit(literal) => Value::from(literal.value),
        Node::Object(object) => {
            let fields = object.properties.iter();
            Value::Object(fields.map(|it| (it.name.as_str().to_owned(), plain(&it.value))).collect())
        }
        Node::Array(list) => Value::Array(list.elements.iter().map(plain).collect()),
        Node::NullKeyword(_) => Value::Null,
    }
}
