//! The coverage tables: what of our events and answers each agent has, made
//! from the dialects and from what was seen in the real agents.

use boathook_engine::agent::{AGENTS, Agent, Covered, Effect, Reach};
use boathook_engine::event::{AnswerField, EVENTS, EventSpec};

use super::seen::{Proof, Seen};
use super::silencers::SILENCERS;
use super::wiring::WIRINGS;

/// The fields that hold something back.
const GATES: [&str; 2] = ["permission", "continue"];

/// All of it as a page in Markdown.
pub fn page(seen: &Seen) -> String {
    let mut page = format!("{HEAD}\n## Agents\n\n| Agent | Name | Driven by our tests |\n|---|---|---|\n");
    for wiring in WIRINGS {
        let driven =
            match AGENTS.iter().find(|agent| agent.name == wiring.name).and_then(|agent| agent.driven) {
                Some(version) => format!("version {version}"),
                None if wiring.is_native() => "runs these hooks itself".to_owned(),
                None => "no: written from its documentation".to_owned(),
            };
        page.push_str(&format!("| {} | `{}` | {driven} |\n", wiring.title, wiring.name));
    }
    page.push_str("\n## Events\n\n");
    page.push_str(&table(
        &["Event"],
        EVENTS.iter().map(|spec| (vec![spec.name.to_owned()], event_cells(seen, spec))),
    ));
    page.push_str("\n## Fields of answers\n\n");
    let rows = EVENTS.iter().flat_map(|spec| spec.answers.iter().map(move |field| (spec, *field)));
    let rows = rows.map(|(spec, field)| {
        (vec![spec.name.to_owned(), format!("`{}`", field.name())], field_cells(seen, spec, field))
    });
    page.push_str(&table(&["Event", "Field"], rows));
    page.push_str(&scenarios(seen));
    page.push_str(&unseen());
    page.push_str(&silencers());
    for agent in agents() {
        page.push_str(&format!("\n## What differs in {}\n\n{}", agent.title, differences_table(agent)));
    }
    page
}

/// What keeps agents from calling us although they are connected.
fn silencers() -> String {
    let mut text = String::from(SILENCED);
    for agent in agents() {
        for one in SILENCERS.iter().filter(|it| it.agent == agent.name) {
            let (way, managed) = (one.way.name(), one.managed.name());
            text.push_str(&format!("| {} | {way} | {} | {managed} |\n", agent.title, cell(&one.text())));
        }
    }
    text
}

const SILENCED: &str = "
## What silences Boathook

These keep the agent from calling Boathook although it is connected. `boathook agent status` and `boathook doctor` name those that the
workspace at hand or the environment sets, with file and line; a flag leaves no trace in any file. Where the last column says
\"closed\", hooks that were connected with `--managed` run all the same.

| Agent | Kind | What | With `--managed` |
|---|---|---|---|
";

/// What agents do without an event, so that no hook can hold it back.
fn unseen() -> String {
    let mut text = String::from(UNSEEN);
    for agent in agents() {
        for one in agent.unseen {
            text.push_str(&format!("| {} | {} | {} |\n", agent.title, cell(one.action), cell(one.reason)));
        }
    }
    text
}

const UNSEEN: &str = "
## What no hook can deny

These actions fire no event of their own in the agent, so no hook is asked about them. In every agent it is also unseen what
a program does that a hook allowed to start, such as a script that the agent wrote before
([Self-protection](self-protection.md#what-it-does-not-see)): what must hold against that belongs to root.

| Agent | Action | Why, and what to guard in its place |
|---|---|---|
";

/// What came of each scenario in each agent that was driven.
fn scenarios(seen: &Seen) -> String {
    let driven: Vec<&Agent> = AGENTS.iter().copied().filter(|agent| agent.driven.is_some()).collect();
    let ways: Vec<(&Agent, &str)> =
        driven.iter().flat_map(|agent| seen.ways(agent.name).map(|way| (*agent, way))).collect();
    let names: Vec<&str> = ways.iter().map(|(_, name)| *name).collect();
    let mut text =
        format!("{SCENARIOS}| Scenario | {} |\n|{}\n", names.join(" | "), "---|".repeat(names.len() + 1));
    let mut meanings = String::from("\n| Scenario | What happens | What it proves |\n|---|---|---|\n");
    for (id, shows, cells) in seen.scenarios(&names) {
        text.push_str(&format!("| {id} | {} |\n", cells.join(" | ")));
        meanings.push_str(&format!("| {id} | {} | {} |\n", cell(shows), seen.proved(id).join(", ")));
    }
    let mut absences = String::new();
    for (agent, name) in ways {
        let way = if name == agent.name { "" } else { " over HTTP" };
        for (why, scenarios) in seen.absences(name) {
            absences.push_str(&format!("- {}{way} ({}): {}\n", agent.title, scenarios.join(", "), cell(why)));
        }
    }
    if !absences.is_empty() {
        absences.insert_str(0, "\nWhere a scenario does not exist:\n\n");
    }
    format!("{text}{meanings}{absences}")
}

const SCENARIOS: &str = "
## What was seen

The real agents, each driven offline by a model of ours through `cargo xtask soak --agents`. B: refused, and the model was
told why; N: not run; R: ran; W: ran as rewritten; ok: as the scenario says; –: does not exist there; in bold: not as it
should be. A name with `-http` is the same agent, wired to the daemon over HTTP.

";

const HEAD: &str = "# What each agent enforces

Written by `boathook agent status --coverage`, from the dialects and from what was seen when the real agents were driven.

| Word | Means |
|---|---|
| enforced | the event fires, and a refusal holds |
| observed | the event fires |
| applied | the field does what it does in Cursor |
| degraded | it does something else; below it says what |
| lost | it does nothing there, and Boathook says so when it happens |
| – | there is no such event there |
| (not run) | it follows from the code; nobody saw it in the real agent |
";

/// What differs from Cursor in one agent: the event, the field or nothing, and
/// how.
pub fn differences(agent: &Agent) -> Vec<(&'static str, &'static str, String)> {
    let mut rows = Vec::new();
    for row in agent.coverage {
        let event = row.event.name();
        if !row.note.is_empty() {
            rows.push((event, "", row.note.to_owned()));
        }
        // Of an event that does not exist no field is lost.
        let fields = row.fields.iter().filter(|_| row.reach != Reach::NotAvailable);
        for (field, effect) in fields {
            match effect {
                Effect::Applied => {}
                Effect::Degraded(how) => rows.push((event, field.name(), format!("degraded: {how}"))),
                Effect::Lost(why) => rows.push((event, field.name(), format!("lost: {why}"))),
            }
        }
    }
    rows
}

/// The same as a table.
fn differences_table(agent: &Agent) -> String {
    let mut text = String::from("| Event | Field | What differs |\n|---|---|---|\n");
    for (event, field, words) in differences(agent) {
        let field = if field.is_empty() { String::new() } else { format!("`{field}` ") };
        text.push_str(&format!("| {event} | {field}| {} |\n", cell(&words)));
    }
    text
}

/// How far one event reaches in one agent, and whether that was seen.
pub fn reach(seen: &Seen, agent: &Agent, spec: &EventSpec) -> String {
    match covered(agent, spec).map_or(Reach::NotAvailable, |row| row.reach) {
        Reach::Enforced => with(seen.proof(agent.name, spec.name, &GATES), "enforced"),
        Reach::Observed => with(seen.proof(agent.name, spec.name, &[]), "observed"),
        Reach::NotAvailable => "–".to_owned(),
    }
}

/// What becomes of one field in one agent.
pub fn effect(seen: &Seen, agent: &Agent, spec: &EventSpec, field: AnswerField) -> String {
    let Some(row) = covered(agent, spec).filter(|row| row.reach != Reach::NotAvailable) else {
        return "–".to_owned();
    };
    match row.fields.iter().find(|(of, _)| *of == field) {
        Some((_, Effect::Applied)) => with(seen.proof(agent.name, spec.name, &[field.name()]), "applied"),
        Some((_, Effect::Degraded(_))) => "degraded".to_owned(),
        Some((_, Effect::Lost(_))) | None => "lost".to_owned(),
    }
}

fn event_cells(seen: &Seen, spec: &EventSpec) -> Vec<String> {
    agents().map(|agent| reach(seen, agent, spec)).collect()
}

fn field_cells(seen: &Seen, spec: &EventSpec, field: AnswerField) -> Vec<String> {
    agents().map(|agent| effect(seen, agent, spec, field)).collect()
}

/// All but the one that runs these hooks itself: there is nothing to enforce
/// for us.
fn agents() -> impl Iterator<Item = &'static Agent> {
    let native = |agent: &&Agent| WIRINGS.iter().any(|it| it.name == agent.name && it.is_native());
    AGENTS.iter().copied().filter(move |agent| !native(agent))
}

fn covered(agent: &Agent, spec: &EventSpec) -> Option<&'static Covered> {
    agent.coverage.iter().find(|row| row.event == spec.kind)
}

fn with(proof: Proof, word: &str) -> String {
    match proof {
        Proof::Seen => word.to_owned(),
        Proof::NotRun => format!("{word} (not run)"),
        Proof::Failed => format!("**not {word}**"),
    }
}

fn table(first: &[&str], rows: impl Iterator<Item = (Vec<String>, Vec<String>)>) -> String {
    let titles = agents().map(|agent| agent.title);
    let head: Vec<&str> = first.iter().copied().chain(titles).collect();
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for (first, cells) in rows {
        text.push_str(&format!("| {} |\n", [first, cells].concat().join(" | ")));
    }
    text
}

/// Text that cannot end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
