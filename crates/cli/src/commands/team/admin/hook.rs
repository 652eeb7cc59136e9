//! `boathook team admin hook`: the draft of the next release.

use std::path::PathBuf;

use boathook_server::team::wire::{Hook, HookDraft, HookVersion, Order};
use clap::Subcommand;

use super::desk::Desk;
use super::draft::{DraftArgs, Script};
use super::table::{Table, or_dash, time};
use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Write, change and order the hooks of the next release
#[derive(Debug, clap::Args)]
pub struct HookArgs {
    #[command(subcommand)]
    command: HookCommand,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum HookCommand {
    Add(AddArgs),
    Edit(EditArgs),
    List(ListArgs),
    Show(ShowArgs),
    Remove(RemoveArgs),
    Order(OrderArgs),
    History(HistoryArgs),
}

/// Write a hook
#[derive(Debug, clap::Args)]
pub struct AddArgs {
    /// The event, such as beforeShellExecution
    #[arg(value_name = "EVENT")]
    event: String,
    /// The script's file
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    #[command(flatten)]
    draft: DraftArgs,
}

/// Change a hook; what is not said stays
#[derive(Debug, clap::Args)]
pub struct EditArgs {
    /// Its number, as `list` shows it
    id: i64,
    /// Another event
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Another script
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    #[command(flatten)]
    draft: DraftArgs,
}

/// List the hooks in their order
#[derive(Debug, clap::Args)]
pub struct ListArgs {}

/// Print a hook's script, and what is said of it
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Its number, as `list` shows it
    id: i64,
}

/// Remove a hook; the next release is without it
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Its number, as `list` shows it
    id: i64,
}

/// Put the hooks in this order
#[derive(Debug, clap::Args)]
pub struct OrderArgs {
    /// The number of every hook, once
    #[arg(required = true, value_name = "ID")]
    ids: Vec<i64>,
}

/// List the versions of a hook, also of one that was removed
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// Its number
    id: i64,
}

pub fn hook(ui: &mut Ui, desk: &Desk, args: &HookArgs) -> Result<Status, Failed> {
    match &args.command {
        HookCommand::Add(args) => add(ui, desk, args)?,
        HookCommand::Edit(args) => edit(ui, desk, args)?,
        HookCommand::List(_) => list(ui, desk)?,
        HookCommand::Show(args) => show(ui, desk, args.id)?,
        HookCommand::Remove(args) => {
            desk.delete(&format!("/api/v1/hooks/{}", args.id))?;
            ui.say(&format!(
                "hook {} is removed from the draft; `publish` removes it from machines",
                args.id
            ));
        }
        HookCommand::Order(args) => {
            desk.put::<serde_json::Value>("/api/v1/hooks/order", &Order { ids: args.ids.clone() })?;
            list(ui, desk)?;
        }
        HookCommand::History(args) => history(ui, desk, args.id)?,
    }
    Ok(Status::Success)
}

fn add(ui: &mut Ui, desk: &Desk, args: &AddArgs) -> Result<(), Failed> {
    let Script { name, content } = Script::read(&args.script)?;
    let mut draft = HookDraft {
        hook_step: args.event.clone(),
        script_name: name,
        script_content: content,
        operating_systems: Vec::new(),
        is_active: true,
        matcher: None,
        timeout: None,
        fail_closed: false,
        loop_limit: None,
        monitor: false,
    };
    args.draft.apply(&mut draft);
    let hook: Hook = desk.post("/api/v1/hooks", &draft)?;
    desk.show(ui, &hook, |ui| {
        ui.line(&format!("hook {}: {} on {}", hook.id, hook.draft.script_name, hook.draft.hook_step));
        ui.hint("`boathook team admin publish` sends it out");
    })
}

fn edit(ui: &mut Ui, desk: &Desk, args: &EditArgs) -> Result<(), Failed> {
    let path = format!("/api/v1/hooks/{}", args.id);
    let hook: Hook = desk.get(&path)?;
    let mut draft = hook.draft;
    if let Some(event) = &args.event {
        draft.hook_step.clone_from(event);
    }
    if let Some(file) = &args.script {
        draft.script_content = Script::read(file)?.content;
    }
    args.draft.apply(&mut draft);
    let hook: Hook = desk.put(&path, &draft)?;
    desk.show(ui, &hook, |ui| {
        ui.line(&format!("hook {} is now at version {}", hook.id, hook.version));
        ui.hint("`boathook team admin publish` sends it out");
    })
}

fn list(ui: &mut Ui, desk: &Desk) -> Result<(), Failed> {
    let hooks: Vec<Hook> = desk.get("/api/v1/hooks")?;
    let table = Table::of(["ID", "EVENT", "SCRIPT", "OPTIONS", "VERSION", "CHANGED", "BY"], &hooks, |hook| {
        let draft = &hook.draft;
        [
            hook.id.to_string(),
            draft.hook_step.clone(),
            draft.script_name.clone(),
            options(draft),
            hook.version.to_string(),
            time(hook.changed_at),
            hook.changed_by.clone(),
        ]
    });
    desk.list(ui, &hooks, table, "there is no hook yet; `hook add EVENT --script FILE` writes one")
}

/// What is not as usual.
fn options(draft: &HookDraft) -> String {
    let mut options = Vec::new();
    if !draft.is_active {
        options.push("inactive".to_owned());
    }
    if draft.monitor {
        options.push("monitor".to_owned());
    }
    if draft.fail_closed {
        options.push("failClosed".to_owned());
    }
    options.extend(draft.timeout.map(|timeout| format!("{timeout} s")));
    options.extend(draft.loop_limit.map(|limit| format!("loop {limit}")));
    if !draft.operating_systems.is_empty() {
        options.push(draft.operating_systems.join("/"));
    }
    options.extend(draft.matcher.clone());
    options.join(", ")
}

fn show(ui: &mut Ui, desk: &Desk, id: i64) -> Result<(), Failed> {
    let hook: Hook = desk.get(&format!("/api/v1/hooks/{id}"))?;
    desk.show(ui, &hook, |ui| {
        let draft = &hook.draft;
        let said = options(draft);
        let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
        ui.say(&format!("{} on {}{said}, version {}", draft.script_name, draft.hook_step, hook.version));
        ui.line(draft.script_content.trim_end());
    })
}

fn history(ui: &mut Ui, desk: &Desk, id: i64) -> Result<(), Failed> {
    let versions: Vec<HookVersion> = desk.get(&format!("/api/v1/hooks/{id}/versions"))?;
    let head = ["VERSION", "CHANGED", "BY", "EVENT", "SCRIPT", "OPTIONS"];
    let table = Table::of(head, &versions, |version| {
        let removed = version.deleted.then_some("removed");
        [
            version.version.to_string(),
            time(version.changed_at),
            version.changed_by.clone(),
            version.draft.hook_step.clone(),
            version.draft.script_name.clone(),
            removed.map_or_else(|| options(&version.draft), str::to_owned),
        ]
    });
    desk.list(ui, &versions, table, &format!("hook {} has no version", or_dash(Some(id))))
}
