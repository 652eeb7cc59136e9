//! `boathook agent status`: what is wired, and what can be enforced there.

use std::path::PathBuf;

use crate::report::path_text;
use boathook_engine::agent::{self, Agent};
use boathook_engine::event::EVENTS;
use serde_json::{Value, json};

use super::which::names;
use crate::Status;
use crate::agents::codex::CodexState;
use crate::agents::seen::Seen;
use crate::agents::{
    Examined, Found, Places, Program, WIRINGS, Wired, Wiring, ask_versions, examine, named, tables,
};
use crate::args::Global;
use crate::error::Failed;
use crate::fold::fold;
use crate::report;
use crate::settings::{dwelling, lasting_options, program, settings};
use crate::ui::{Style, Ui, clean, terminal_width};
use crate::write_file::{Access, put};

/// Where fields stand behind an event and its reach.
const FIELDS: usize = 46;
/// Stands for a space where no line may end.
const TOGETHER: &str = "\u{a0}";

/// Say which agents are wired, and what cannot be enforced there
///
/// For each agent: its program and version, where it is wired, and what is wrong
/// with that: an entry that calls a program that is gone or that somebody
/// changed, settings that the agent cannot read, hooks that are switched off
/// (also by the workspace), an agent that is wired twice, hooks that Codex does
/// not trust.
/// With a NAME, also what each event and each field of an answer come to there.
///
/// Exit code 1 when something is wrong.
#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// The agent [default: all]
    #[arg(value_name = "NAME", value_parser = names())]
    name: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "coverage")]
    json: bool,
    /// Print what every agent enforces, as tables in Markdown
    #[arg(long)]
    coverage: bool,
    /// Write these tables into a file
    #[arg(long, value_name = "FILE", requires = "coverage")]
    write: Option<PathBuf>,
    /// Start no program to ask for its version
    #[arg(long)]
    no_versions: bool,
}

pub fn status(ui: &mut Ui, global: &Global, args: &StatusArgs) -> Result<Status, Failed> {
    let seen = Seen::built_in();
    if args.coverage {
        return coverage(ui, &seen, args.write.as_ref());
    }
    let settings = settings(ui, global, &[])?;
    let places = Places::of(&settings);
    let options = lasting_options(&settings)?;
    let program = Program::at(program()?).ok();
    let program = program.map(|program| program.of_user(dwelling()).with_options(options));
    let chosen: Vec<&'static Wiring> = match args.name.as_deref().and_then(named) {
        Some(wiring) => vec![wiring],
        None => WIRINGS.iter().collect(),
    };
    let mut all: Vec<Examined> =
        chosen.into_iter().map(|wiring| examine(&places, wiring, program.as_ref())).collect();
    if !args.no_versions {
        ask(&places, &mut all);
    }
    all.iter_mut().for_each(|it| it.ask_daemon(program.as_ref()));
    let status = if all.iter().any(|it| !it.problems.is_empty()) { Status::Failure } else { Status::Success };
    if args.json {
        ui.json(&Value::Array(all.iter().map(|it| as_json(&seen, it)).collect()).to_string());
        return Ok(status);
    }
    let (there, absent): (Vec<&Examined>, Vec<&Examined>) =
        all.iter().partition(|it| args.name.is_some() || is_shown(it));
    there.iter().for_each(|it| show(ui, it));
    if !absent.is_empty() {
        let names: Vec<&str> = absent.iter().map(|it| it.wiring.name).collect();
        ui.line(&format!("not found here: {}", names.join(", ")));
    }
    if let Some(agent) = args.name.as_deref().and_then(agent::named) {
        show_coverage(ui, &seen, agent);
    }
    Ok(status)
}

/// Whether there is anything to say of an agent.
fn is_shown(it: &Examined) -> bool {
    it.found.is_there() || it.is_wired() || !it.problems.is_empty()
}

fn coverage(ui: &mut Ui, seen: &Seen, write: Option<&PathBuf>) -> Result<Status, Failed> {
    let page = tables::page(seen);
    match write {
        Some(file) => {
            let folder = file.parent().unwrap_or(file).to_owned();
            put(&folder, file, &page, Access::Read)?;
            ui.say(&format!("wrote {}", file.display()));
        }
        None => ui.line(page.trim_end()),
    }
    Ok(Status::Success)
}

fn ask(places: &Places, all: &mut [Examined]) {
    let mut found: Vec<(&'static Wiring, Found)> =
        all.iter().map(|it| (it.wiring, it.found.clone())).collect();
    ask_versions(places, &mut found);
    for (examined, (_, found)) in all.iter_mut().zip(found) {
        examined.found = found;
        examined.look_at_version();
    }
}

fn show(ui: &mut Ui, it: &Examined) {
    let title = ui.styled(it.wiring.title, Style::Bold);
    ui.painted_line(&format!("{title} ({})", it.wiring.name));
    row(ui, "program", None, &program_words(it));
    if it.wiring.is_native() {
        row(ui, "wired", Some(Style::Green), it.wiring.native());
        return ui.line("");
    }
    let style = if it.problems.is_empty() { Style::Green } else { Style::Yellow };
    it.wired.iter().for_each(|wired| row(ui, "wired", Some(style), &wired_words(wired)));
    if !it.is_wired() {
        let words = format!("no; `boathook agent install {}` does it", it.wiring.name);
        row(ui, "wired", Some(Style::Dim), &words);
    }
    if let Some(codex) = it.codex.as_ref().filter(|codex| codex.trusts_all()) {
        let words = format!("Codex trusts all {} entries as they are", codex.entries.len());
        row(ui, "trust", Some(Style::Green), &words);
    }
    if it.codex.as_ref().is_some_and(|codex| codex.own_hooks) {
        row(ui, "beside", None, "config.toml has hooks of its own; Codex runs both");
    }
    // Behind `warning: `, and in the margin that further lines have.
    let width = terminal_width().map(|width| width.saturating_sub(9));
    ui.as_data(|ui| {
        for fault in &it.problems {
            ui.warning(&fold(&fault.message, width, 0));
            ui.help(&fold(&fault.help, width, 0));
        }
    });
    ui.line("");
}

/// A name and what is said of it, folded under itself.
fn row(ui: &mut Ui, name: &str, style: Option<Style>, words: &str) {
    let text = clean(&fold(&format!("  {name:<8} {words}"), terminal_width(), 11));
    let painted = style.map_or_else(|| name.to_owned(), |style| ui.styled(name, style));
    ui.painted_line(&text.replacen(name, &painted, 1));
}

fn program_words(it: &Examined) -> String {
    let Some(program) = &it.found.program else {
        return match &it.found.home {
            Some(home) => format!("not on the PATH; its folder {} is there", home.display()),
            None => "not found".to_owned(),
        };
    };
    let version = match (&it.found.version, it.found.no_version) {
        (Some(version), _) => format!("version {version}"),
        (None, Some(reason)) => reason.to_owned(),
        (None, None) => "not asked for its version".to_owned(),
    };
    format!("{}, {version}{}", program.display(), driven_words(it))
}

fn driven_words(it: &Examined) -> String {
    match agent::named(it.wiring.name).and_then(|agent| agent.driven) {
        Some(driven) if it.found.version.as_deref() == Some(driven) => ", which our tests drive".to_owned(),
        Some(driven) => format!("; our tests drive {driven}"),
        None if it.wiring.is_native() => String::new(),
        None => "; written from documentation, not run by us".to_owned(),
    }
}

fn wired_words(wired: &Wired) -> String {
    let events = match wired.events.len() {
        1 => "1 entry".to_owned(),
        number => format!("{number} entries"),
    };
    let http = if wired.is_over_http() { ", over HTTP" } else { "" };
    format!("{}: {} ({events}{http})", wired.scope.name(), wired.file.display())
}

fn show_coverage(ui: &mut Ui, seen: &Seen, agent: &Agent) {
    let width = terminal_width();
    let margin = if width.is_some_and(|width| width < FIELDS + 30) { 6 } else { FIELDS };
    let room = width.map_or(0, |width| width.saturating_sub(margin));
    ui.line("What hooks come to there");
    for spec in EVENTS {
        let event = report::cell(ui, spec.name, 22, None);
        let reach = report::cell(ui, &tables::reach(seen, agent, spec), 20, None);
        let fields: Vec<String> = spec
            .answers
            .iter()
            .map(|field| together(field.name(), &tables::effect(seen, agent, spec, *field), room))
            .collect();
        let fields = if reach.trim() == "–" { String::new() } else { fields.join(", ") };
        let text = fold(format!("  {event} {reach} {fields}").trim_end(), width, margin);
        ui.painted_line(&painted(ui, &text.replace(TOGETHER, " ")));
    }
    ui.line("What differs from Cursor");
    for (event, field, words) in tables::differences(agent) {
        let name = if field.is_empty() { event.to_owned() } else { format!("{event} {field}") };
        ui.painted_line(&painted(ui, &fold(&format!("  {name}: {words}"), width, 4)));
    }
}

/// A field and what becomes of it, on one line where there is room for that.
fn together(field: &str, effect: &str, room: usize) -> String {
    let words = format!("{field} {effect}");
    if words.len() < room { words.replace(' ', TOGETHER) } else { words }
}

/// The words that say how far something holds, in their colours.
fn painted(ui: &Ui, text: &str) -> String {
    let paint = |word: &str| {
        let style = match word.trim_end_matches([',', ':']) {
            "enforced" | "applied" => Style::Green,
            "degraded" => Style::Yellow,
            "lost" | "**not" => Style::Red,
            _ => return clean(word),
        };
        ui.styled(word, style)
    };
    let line = |line: &str| line.split(' ').map(paint).collect::<Vec<_>>().join(" ");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// What Codex makes of each entry, by event.
fn trust(codex: &CodexState) -> Value {
    let each = codex.entries.iter().map(|(event, trust)| (event.clone(), Value::from(trust.name())));
    Value::Object(each.collect())
}

fn as_json(seen: &Seen, it: &Examined) -> Value {
    let agent = agent::named(it.wiring.name);
    let wired = |wired: &Wired| {
        json!({
            "scope": wired.scope.name(),
            "file": path_text(&wired.file),
            "events": wired.events,
            "programs": wired.programs,
            "http": wired.is_over_http(),
        })
    };
    let events = agent.map(|agent| {
        let of =
            EVENTS.iter().map(|spec| (spec.name.to_owned(), Value::from(tables::reach(seen, agent, spec))));
        Value::Object(of.collect())
    });
    json!({
        "agent": it.wiring.name,
        "title": it.wiring.title,
        "program": it.found.program.as_deref().map(path_text),
        "version": it.found.version,
        "driven": agent.and_then(|agent| agent.driven),
        "native": it.wiring.is_native(),
        "wired": it.wired.iter().map(wired).collect::<Vec<_>>(),
        "trust": it.codex.as_ref().map(trust),
        "events": events,
        "problems": it.problems.iter().map(|it| json!({ "message": it.message, "help": it.help })).collect::<Vec<_>>(),
    })
}
