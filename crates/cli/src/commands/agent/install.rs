//! `boathook agent install`: wires an agent to Boathook in the agent's own settings.

use boathook_engine::engine::Settings;

use super::which::{Which, show_difference};
use crate::Status;
use crate::agents::{
    Done, Scope, Weight, Wiring, Work, ask_versions, examine, install as write, over_http, present,
};
use crate::args::Global;
use crate::error::Failed;
use crate::http_address::HttpAddress;
use crate::settings::settings;
use crate::ui::Ui;

/// Wire an agent to Boathook, in the agent's own settings
///
/// Adds one command, always the same, for each event that Boathook understands.
/// What stands in the settings stays: other hooks, comments, order. A second
/// time changes nothing. `boathook agent uninstall` puts back what was there.
///
/// Settings that are broken, that the agent itself cannot read, that are
/// read-only, a link, or changed by somebody else at the same time are left
/// alone. An agent is wired once, for the user or for the project; the machine's
/// wiring may be added to either.
///
/// Exit code 1 when an agent could not be wired, or would not ask hooks although
/// it is.
#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    #[command(flatten)]
    which: Which,
    /// Have it ask the daemon over HTTP, which starts no process for a tool call (Claude Code)
    #[arg(long, conflicts_with_all = ["all", "project", "managed"])]
    http: bool,
}

pub fn install(ui: &mut Ui, global: &Global, args: &InstallArgs) -> Result<Status, Failed> {
    let scope = args.which.scope();
    can_be_carried(global, scope)?;
    let settings = settings(ui, global, &[])?;
    let http = if args.http { Some(daemon(&settings)?) } else { None };
    args.which.each(
        ui,
        &settings,
        http,
        |ui, work, wiring| is_meant(ui, work, wiring, scope),
        |ui, work, wiring| one(ui, work, wiring, scope),
        |ui, _| ui.say("no agent was found: neither a program on the PATH nor a folder in your home"),
    )
}

/// What was typed and would be lost in an agent's settings. `--root` and `--plugin-dir` are carried.
fn can_be_carried(global: &Global, scope: Scope) -> Result<(), Failed> {
    if let Some(edition) = global.edition {
        let problem = "`--edition` would be lost: the settings of an agent name no edition";
        let help =
            format!("write `edition = \"{}\"` in config.toml, where every agent finds it", edition.name());
        return Err(Failed::other(problem, help));
    }
    if !global.workspace.is_empty() && scope != Scope::Project {
        let problem = format!(
            "`--workspace` would be lost: what `--{}` writes is for every workspace, and the agent says in which it works",
            scope.name()
        );
        return Err(Failed::other(
            problem,
            "leave it out, or write `--project` to install into that workspace",
        ));
    }
    Ok(())
}

/// Agents of which this machine has something, and that have a place for it.
fn is_meant(ui: &mut Ui, work: &Work, wiring: &Wiring, scope: Scope) -> bool {
    let places = work.places;
    if places.path(wiring, scope).is_err() || !present(places, wiring).is_there() {
        return false;
    }
    let wired = |rival: &Wiring| {
        let mut all = Scope::ALL.iter().filter_map(|it| places.wired(rival, *it));
        all.any(|it| places.works(&it, rival, work.program))
    };
    let rival = wiring.rivals().find(|(rival, _)| wired(rival));
    if let Some((rival, why)) = rival {
        ui.say(&format!("{} is left out, because {} is wired: {why}", wiring.title, rival.title));
    }
    rival.is_none()
}

fn one(ui: &mut Ui, work: &Work, wiring: &'static Wiring, scope: Scope) -> Result<Status, Failed> {
    if wiring.is_native() {
        ui.say(wiring.native());
        return Ok(Status::Success);
    }
    let there = present(work.places, wiring).is_there();
    if work.program.asks_over_http() {
        can_ask(work, wiring)?;
    }
    let done = write(work, wiring, scope)?;
    let changed: Vec<&Done> = done.iter().filter(|done| done.changed()).collect();
    if work.dry_run {
        changed.iter().for_each(|done| show_difference(ui, work.program, done));
    }
    if changed.is_empty() {
        ui.say(&format!("{} is wired already; nothing changes", wiring.title));
        return Ok(what_is_wrong(ui, work, wiring));
    }
    if work.dry_run {
        ui.say("nothing was written");
        return Ok(Status::Success);
    }
    ui.say(&format!("{} is wired", wiring.title));
    for done in changed {
        let really = done.really.as_ref().map_or(String::new(), |it| format!(", which is {}", it.display()));
        ui.say(&format!("  wrote {}{really}", done.file.display()));
        if let Some(backup) = &done.backup {
            ui.say(&format!("  it was  {}", backup.display()));
        }
    }
    if !there {
        ui.note(&format!("{} was not found on this machine; the settings wait for it", wiring.title));
    }
    after(ui, work, wiring, scope);
    Ok(what_is_wrong(ui, work, wiring))
}

/// Where the daemon answers over HTTP, and that it does.
fn daemon(settings: &Settings) -> Result<HttpAddress, Failed> {
    let Some(address) = HttpAddress::read(&settings.roots.state)? else {
        return Err(Failed::other("there is no daemon that answers over HTTP", over_http::START));
    };
    let silent =
        |why| Failed::other(format!("the daemon does not answer over HTTP: {why}"), over_http::START);
    address.ask().map_err(silent).map(|()| address)
}

/// What is asked over HTTP must hold when nobody answers, reach the daemon and
/// nobody else, and keep its token.
fn can_ask(work: &Work, wiring: &'static Wiring) -> Result<(), Failed> {
    let without = format!("`boathook agent install {}` wires it without HTTP", wiring.name);
    let refuse = |problem: String| Err(Failed::other(problem, without.clone()));
    let Some(known) = over_http::of(wiring.name) else {
        return refuse(format!("{} does not ask over HTTP, as far as we know", wiring.title));
    };
    if let Some(variable) = over_http::proxy(&work.places.environment) {
        return Err(Failed::Other {
            problem: over_http::in_the_way(wiring.title, wiring.name, variable),
            help: None,
        });
    }
    let mut found = [(wiring, present(work.places, wiring))];
    ask_versions(work.places, &mut found);
    let version = found[0].1.version.clone();
    let title = wiring.title;
    match version.as_deref().map(|version| (version, known.holds_in(version))) {
        Some((_, Some(true))) => {}
        Some((version, Some(false))) => {
            return refuse(format!(
                "{title} {version} goes on when the daemon does not answer; {} was seen to refuse then",
                known.since
            ));
        }
        Some((version, None)) => {
            return refuse(format!(
                "nobody can tell whether {title} {version} refuses when the daemon does not answer"
            ));
        }
        None => {
            return refuse(format!(
                "the version of {title} is not known, and before {} it goes on when the daemon does not answer",
                known.since
            ));
        }
    }
    let file = work.places.path(wiring, Scope::User)?;
    match over_http::exposed(&file) {
        Some(mode) => Err(Failed::other(
            format!(
                "{} would hold the daemon's token, and others can read it (mode {mode:04o})",
                file.display()
            ),
            format!("type `chmod 600 {}`, and this again", file.display()),
        )),
        None => Ok(()),
    }
}

/// What a person must know or do now.
fn after(ui: &mut Ui, work: &Work, wiring: &'static Wiring, scope: Scope) {
    if !wiring.run_by_us {
        ui.note("written from documentation; not run by us");
    }
    wiring.next.iter().for_each(|next| ui.note(next));
    if work.program.asks_over_http() {
        ui.note("while no daemon answers, tool calls are refused: `boathook daemon install --http` has your system start it");
    }
    if scope == Scope::Project && !work.program.is_on_path() {
        ui.note("boathook is not on the PATH, so its path on this machine was written: others who share the workspace need it there, too");
    }
    if scope == Scope::Project {
        ui.note(&match wiring.shut_without_us {
            true => format!(
                "where boathook is missing, {} refuses: everybody who works here needs it",
                wiring.title
            ),
            false => format!("where boathook is missing, {} goes on without hooks", wiring.title),
        });
    }
}

/// What keeps it from working, as `status` says it. That a person must do
/// something that nobody else can do is no failure.
fn what_is_wrong(ui: &mut Ui, work: &Work, wiring: &'static Wiring) -> Status {
    let examined = examine(work.places, wiring, Some(work.program));
    if examined.codex.as_ref().is_some_and(|codex| codex.own_hooks) {
        ui.note("config.toml has hooks of its own: Codex runs those and the ones of hooks.json");
    }
    let mut status = Status::Success;
    for fault in examined.problems {
        ui.warning(&fault.message);
        ui.help(&fault.help);
        if matches!(fault.weight, Weight::NotAsked | Weight::Silenced) {
            status = Status::Failure;
        }
    }
    status
}
