//! `boathook team admin hook`: the draft of the next release.

use std::path::PathBuf;

use boathook_engine::event::EventKind;
use boathook_server::team::wire::{Hook, HookDraft, HookVersion, Order};
use clap::Subcommand;

use super::desk::Desk;
use super::draft::{DraftArgs, Script, number};
use super::table::{Table, or_dash, time};
use crate::Status;
use crate::error::Failed;
use crate::payload_args::no_event;
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
    #[arg(value_parser = number)]
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
    #[arg(value_parser = number)]
    id: i64,
}

/// Remove a hook; the next release is without it
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// Its number, as `list` shows it
    #[arg(value_parser = number)]
    id: i64,
}

/// Put the hooks in this order
#[derive(Debug, clap::Args)]
pub struct OrderArgs {
    /// The number of every hook, once
    #[arg(required = true, value_name = "ID", value_parser = number)]
    ids: Vec<i64>,
}

/// List the versions of a hook, also of one that was removed
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
    /// Its number
    #[arg(value_parser = number)]
    id: i64,
    /// Print the script of this version
    #[arg(long, value_name = "NUMBER", value_parser = number)]
    show: Option<i64>,
}

pub fn hook(ui: &mut Ui, desk: &Desk, args: &HookArgs) -> Result<Status, Failed> {
    match &args.command {
        HookCommand::Add(args) => add(ui, desk, args)?,
        HookCommand::Edit(args) => edit(ui, desk, args)?,
        HookCommand::List(_) => list(ui, desk)?,
        HookCommand::Show(args) => show(ui, desk, args.id)?,
        HookCommand::Remove(args) => {
            desk.delete(&format!("/api/v1/hooks/{}", args.id))?;
            let text =
                format!("hook {} is removed from the draft; `publish` removes it from machines", args.id);
            desk.gone(ui, "removed", args.id, &text)?;
        }
        HookCommand::Order(args) => {
            let hooks: Vec<Hook> = desk.get("/api/v1/hooks")?;
            let known: Vec<i64> = hooks.iter().map(|hook| hook.id).collect();
            unordered(&known, &args.ids).map_or(Ok(()), |problem| {
                Err(Failed::other(problem, "write the number of every hook once, in the new order"))
            })?;
            desk.put::<serde_json::Value>("/api/v1/hooks/order", &Order { ids: args.ids.clone() })?;
            list(ui, desk)?;
        }
        HookCommand::History(args) => history(ui, desk, args)?,
    }
    Ok(Status::Success)
}

/// What is wrong with an order.
fn unordered(known: &[i64], ids: &[i64]) -> Option<String> {
    let named = |ids: Vec<&i64>| ids.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
    let missing: Vec<&i64> = known.iter().filter(|id| !ids.contains(id)).collect();
    let strange: Vec<&i64> = ids.iter().filter(|id| !known.contains(id)).collect();
    let twice: Vec<&i64> =
        ids.iter().enumerate().filter(|(at, id)| ids[..*at].contains(id)).map(|it| it.1).collect();
    match (missing.is_empty(), strange.is_empty(), twice.is_empty()) {
        (_, false, _) => Some(format!("there is no hook {}", named(strange))),
        (false, ..) => Some(format!("missing from this order: hook {}", named(missing))),
        (_, _, false) => Some(format!("twice in this order: hook {}", named(twice))),
        (true, true, true) => None,
    }
}

/// What is not wrong, and may not be meant.
fn doubts(hook: &Hook, others: &[Hook]) -> Vec<String> {
    let draft = &hook.draft;
    let mut doubts = Vec::new();
    let on_windows_alone = draft.operating_systems == ["Windows"];
    if !draft.script_content.starts_with("#!") && !on_windows_alone {
        doubts.push(format!("{} has no `#!` line, so it runs with sh", draft.script_name));
    }
    for other in others.iter().filter(|other| other.id != hook.id) {
        let is = &other.draft;
        let same_script = is.script_content == draft.script_content;
        if same_script && is.hook_step == draft.hook_step && is.matcher == draft.matcher {
            doubts.push(format!("hook {} runs the same script on the same event", other.id));
        }
        if !same_script && is.script_name.eq_ignore_ascii_case(&draft.script_name) {
            doubts.push(format!(
                "hook {} has another script of the name {}, so `publish` would refuse: give one of them another with `hook edit ID --name NAME`",
                other.id, is.script_name
            ));
        }
    }
    doubts
}

fn say_doubts(ui: &mut Ui, desk: &Desk, hook: &Hook) -> Result<(), Failed> {
    let others: Vec<Hook> = desk.get("/api/v1/hooks")?;
    doubts(hook, &others).iter().for_each(|doubt| ui.warning(doubt));
    Ok(())
}

/// The server takes no other; here the right one can be guessed.
fn is_event(name: &str) -> Result<(), Failed> {
    match EventKind::named(name) {
        Some(_) => Ok(()),
        None => Err(Failed::Other { problem: no_event(name), help: None }),
    }
}

fn add(ui: &mut Ui, desk: &Desk, args: &AddArgs) -> Result<(), Failed> {
    is_event(&args.event)?;
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
    say_doubts(ui, desk, &hook)?;
    desk.show(ui, &hook, |ui| {
        ui.line(&format!("hook {}: {} on {}", hook.id, hook.draft.script_name, hook.draft.hook_step));
        ui.hint("`boathook team admin publish` sends it out");
    })
}

fn edit(ui: &mut Ui, desk: &Desk, args: &EditArgs) -> Result<(), Failed> {
    let path = format!("/api/v1/hooks/{}", args.id);
    let hook: Hook = desk.get(&path)?;
    let mut draft = hook.draft.clone();
    if let Some(event) = &args.event {
        is_event(event)?;
        draft.hook_step.clone_from(event);
    }
    if let Some(file) = &args.script {
        draft.script_content = Script::read(file)?.content;
    }
    args.draft.apply(&mut draft);
    if draft == hook.draft {
        let help = "`boathook team admin hook edit --help` lists what can be changed";
        return Err(Failed::other(
            format!("hook {} is like this already; nothing was changed", hook.id),
            help,
        ));
    }
    let hook: Hook = desk.put(&path, &draft)?;
    say_doubts(ui, desk, &hook)?;
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

fn history(ui: &mut Ui, desk: &Desk, args: &HistoryArgs) -> Result<(), Failed> {
    let id = args.id;
    let versions: Vec<HookVersion> = desk.get(&format!("/api/v1/hooks/{id}/versions"))?;
    if let Some(number) = args.show {
        let found = versions.iter().find(|version| version.version == number);
        let found = found.ok_or_else(|| {
            let help = format!("`boathook team admin hook history {id}` lists them");
            Failed::other(format!("hook {id} has no version {number}"), help)
        })?;
        return desk.show(ui, found, |ui| ui.line(found.draft.script_content.trim_end()));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(id: i64, name: &str, content: &str) -> Hook {
        let draft = HookDraft {
            hook_step: "stop".to_owned(),
            script_name: name.to_owned(),
            script_content: content.to_owned(),
            operating_systems: Vec::new(),
            is_active: true,
            matcher: None,
            timeout: None,
            fail_closed: false,
            loop_limit: None,
            monitor: false,
        };
        Hook { id, position: id, version: 1, changed_at: 0, changed_by: String::new(), draft }
    }

    #[test]
    fn an_order_says_which_hooks_it_lacks() {
        let cases: [(&[i64], Option<&str>); 5] = [
            (&[3, 1, 2], None),
            (&[2, 1], Some("missing from this order: hook 3")),
            (&[1], Some("missing from this order: hook 2, 3")),
            (&[1, 2, 3, 9], Some("there is no hook 9")),
            (&[1, 2, 3, 1], Some("twice in this order: hook 1")),
        ];
        for (ids, expected) in cases {
            assert_eq!(unordered(&[1, 2, 3], ids).as_deref(), expected, "{ids:?}");
        }
    }

    #[test]
    fn what_may_not_be_meant_is_said() {
        let before = [hook(1, "guard.sh", "#!/bin/sh\n")];
        let cases = [
            (hook(2, "other.sh", "#!/bin/sh\nexit 2\n"), None),
            (hook(2, "other.sh", "exit 2\n"), Some("runs with sh")),
            (hook(2, "other.sh", "#!/bin/sh\n"), Some("hook 1 runs the same script")),
            (hook(2, "Guard.sh", "#!/bin/sh\nexit 2\n"), Some("`publish` would refuse")),
            (hook(1, "guard.sh", "#!/bin/sh\n"), None),
        ];
        for (new, expected) in cases {
            let said = doubts(&new, &before).join("\n");
            assert_eq!(said.is_empty(), expected.is_none(), "{said}");
            assert!(said.contains(expected.unwrap_or_default()), "{said}");
        }
        assert!(is_event("stop").is_ok());
        let wrong = is_event("stopp").expect_err("no event").to_string();
        assert!(wrong.contains("did you mean `stop`?"), "{wrong}");
    }
}
