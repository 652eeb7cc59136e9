//! Installing and uninstalling: first everything is looked at and what will
//! stand there is worked out, then it is written, file by file.

use std::path::PathBuf;

use boathook_engine::config::json_tree;
use boathook_engine::problem::Problem;

use super::command::Program;
use super::entries::{entries, unwire, wire};
use super::files;
use super::pins::{pin, unpin};
use super::record::{Record, Records};
use super::strictness::unread;
use super::target::{Places, Target, in_place, program_in, text_of};
use super::wiring::{Form, Scope, Wiring};
use crate::error::Failed;
use crate::write_file::{Access, stays_below};

/// How the names of files begin that are ours alone.
const NAME: &str = "boathook";

/// What is needed for both.
pub struct Work<'w> {
    pub places: &'w Places,
    pub program: &'w Program,
    /// Our state directory.
    pub state: PathBuf,
    /// Nothing is written.
    pub dry_run: bool,
}

/// What became of one file.
#[derive(Debug)]
pub struct Done {
    pub file: PathBuf,
    /// What stood there, and what stands there now; none is no file.
    pub before: Option<String>,
    pub after: Option<String>,
    /// Where the text of before is kept.
    pub backup: Option<PathBuf>,
    /// Uninstalling put back the bytes that were there before installing.
    pub restored: bool,
    /// There is a record of what we wrote there.
    pub recorded: bool,
    /// Where the file really is, when the way to it is a link.
    pub really: Option<PathBuf>,
}

impl Done {
    pub fn changed(&self) -> bool {
        self.before != self.after
    }
}

/// Writes our entries for an agent.
pub fn install(work: &Work, wiring: &Wiring, scope: Scope) -> Result<Vec<Done>, Failed> {
    let records = Records::of(&work.state);
    let _lock = if work.dry_run { None } else { Some(records.lock()?) };
    let targets = work.places.targets(wiring, scope)?;
    let program = work.program.for_scope(scope);
    alone(work, wiring, scope)?;
    let mut planned = Vec::new();
    for target in targets {
        inside(work.places, scope, &target)?;
        let before = files::look(&target.file)?;
        let after = match wiring.form {
            Form::Groups(_) | Form::Flat(_) => {
                let text = before.as_deref().unwrap_or_default();
                readable(&target, wiring, text)?;
                let wired = wire(text, wiring, &program);
                let wired =
                    if scope == Scope::Managed { wired.and_then(|it| pin(it, wiring)) } else { wired };
                wired.map_err(|problem| other_form(&target, &problem))?
            }
            Form::Plugin | Form::Scripts | Form::Native => {
                not_anothers(&target, before.as_deref())?;
                target.whole(wiring, &program)
            }
        };
        planned.push((target, before, after));
    }
    let mut done = Vec::new();
    for (target, before, after) in planned {
        let mut backup = None;
        if !work.dry_run && before.as_deref() != Some(&after) {
            let access = match (target.event, program.asks_over_http()) {
                (Some(_), _) => Access::Execute,
                (None, true) => Access::Nothing,
                (None, false) => Access::Read,
            };
            backup = write(&records, wiring, &target, before.as_deref(), &after, access)?;
        }
        let really = work.places.really(&target.file);
        let after = Some(after);
        done.push(Done { file: target.file, before, after, backup, restored: false, recorded: true, really });
    }
    Ok(done)
}

/// Takes our entries away, and puts back what was there where nobody changed
/// anything since.
pub fn uninstall(work: &Work, wiring: &Wiring, scope: Scope) -> Result<Vec<Done>, Failed> {
    let records = Records::of(&work.state);
    let _lock = if work.dry_run { None } else { Some(records.lock()?) };
    let mut done = Vec::new();
    let mut folders = Vec::new();
    for target in work.places.installed(wiring, scope)? {
        if let Some(text) = without_ours(&target, wiring) {
            if !work.dry_run {
                records.forget(&target)?;
            }
            let (before, after) = (Some(text.clone()), Some(text));
            let file = target.file;
            done.push(Done {
                file,
                before,
                after,
                backup: None,
                restored: false,
                recorded: false,
                really: None,
            });
            continue;
        }
        inside(work.places, scope, &target)?;
        let before = files::look(&target.file)?;
        let record = records.read(&target)?;
        let recorded = record.is_some();
        let really = work.places.really(&target.file);
        let (after, restored) = match &before {
            Some(text) => undone(&records, wiring, scope, &target, record.as_ref(), text)?,
            None => (None, false),
        };
        if !work.dry_run {
            files::sweep(&target.file);
            match (&before, &after) {
                (Some(before), Some(after)) if before != after => {
                    files::put(&target.file, Some(before), after, Access::Read)?;
                }
                (Some(before), None) => files::remove(&target.file, before)?,
                _ => {}
            }
            if after.is_none() {
                folders.extend(record.into_iter().flat_map(|record| record.folders));
            }
            records.forget(&target)?;
        }
        done.push(Done { file: target.file, before, after, backup: None, restored, recorded, really });
    }
    folders.sort_by_key(|folder: &PathBuf| folder.components().count());
    files::remove_folders(&folders);
    Ok(done)
}

/// The text without ours, none when the file goes; and whether that is what
/// stood there before us.
fn undone(
    records: &Records,
    wiring: &Wiring,
    scope: Scope,
    target: &Target,
    record: Option<&Record>,
    text: &str,
) -> Result<(Option<String>, bool), Failed> {
    let handler = match wiring.form {
        Form::Groups(handler) | Form::Flat(handler) => handler,
        Form::Plugin | Form::Scripts | Form::Native => {
            // Our file as a whole, or somebody else's of the same name.
            return Ok(match program_in(text, wiring.name) {
                Some(_) => (None, true),
                None => (Some(text.to_owned()), false),
            });
        }
    };
    let original = match record {
        Some(record) => records.original(target, record)?,
        None => None,
    };
    if let Some(record) = record.filter(|record| record.is_ours(text)) {
        if record.made_it() {
            return Ok((None, true));
        }
        if original.is_some() {
            return Ok((original, true));
        }
    }
    let left = unwire(text, wiring, original.as_deref());
    // Without a record nobody can say who wrote a switch.
    let left = match (scope, record) {
        (Scope::Managed, Some(_)) => left.and_then(|text| unpin(text, wiring, original.as_deref())),
        _ => left,
    };
    let left = left.map_err(|problem| other_form(target, &problem))?;
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let nothing = [bare(handler.skeleton), "{}".to_owned(), bare("{\"version\":1}")].contains(&bare(&left));
    // Without a record, a file of our own name was made by us.
    let named_by_us = || target.file.file_stem().is_some_and(|name| name.to_string_lossy().starts_with(NAME));
    let made = record.map_or_else(named_by_us, Record::made_it);
    Ok(if made && nothing && left != text { (None, false) } else { (Some(left), false) })
}

/// Keeps what stands there, then writes.
fn write(
    records: &Records,
    wiring: &Wiring,
    target: &Target,
    before: Option<&str>,
    after: &str,
    access: Access,
) -> Result<Option<PathBuf>, Failed> {
    let old = records.read(target)?;
    let original = original_of(records, wiring, target, old.as_ref(), before)?;
    files::sweep(&target.file);
    let folders = files::missing_folders(&target.file);
    let backup = records.keep(target, old.as_ref(), original.as_deref(), after, folders)?;
    files::put(&target.file, before, after, access)?;
    Ok(backup)
}

/// What uninstalling is to put back: what stood there before us. When somebody
/// changed the file since, that is the file as it is now without our entries.
fn original_of(
    records: &Records,
    wiring: &Wiring,
    target: &Target,
    old: Option<&Record>,
    before: Option<&str>,
) -> Result<Option<String>, Failed> {
    let Some(before) = before else { return Ok(None) };
    if matches!(wiring.form, Form::Plugin | Form::Scripts | Form::Native) {
        return Ok(None);
    }
    let known = match old.filter(|record| record.is_ours(before)) {
        Some(record) if record.made_it() => return Ok(None),
        Some(record) => records.original(target, record)?,
        None => None,
    };
    match known {
        Some(known) => Ok(Some(known)),
        None => unwire(before, wiring, None).map(Some).map_err(|problem| other_form(target, &problem)),
    }
}

/// An agent that is wired twice would ask every hook twice. The machine's wiring
/// holds whatever users and projects have; and what does not work keeps nobody
/// from wiring: a repository must not stand in the way of its users.
fn alone(work: &Work, wiring: &Wiring, scope: Scope) -> Result<(), Failed> {
    let places = work.places;
    let others = Scope::ALL.into_iter().filter(|other| *other != scope && scope != Scope::Managed);
    let other_scopes = others.map(|other| (wiring, other, ""));
    let rivals = wiring.rivals().flat_map(|(rival, why)| Scope::ALL.map(|scope| (rival, scope, why)));
    for (other, other_scope, why) in other_scopes.chain(rivals) {
        let wired = places.wired(other, other_scope);
        let Some(wired) = wired.filter(|it| places.works(it, other, work.program)) else { continue };
        let why = if why.is_empty() { "every hook would be asked twice" } else { why };
        let problem = format!("{} is wired already, by {}: {why}", other.title, wired.file.display());
        let help = format!("first type `boathook agent uninstall {} --{}`", other.name, other_scope.name());
        return Err(Failed::other(problem, help));
    }
    Ok(())
}

/// The text of settings that hold nothing of ours: there is nothing to take out,
/// whoever may write there.
fn without_ours(target: &Target, wiring: &Wiring) -> Option<String> {
    let text = text_of(&target.file)?;
    let ours = match wiring.form {
        Form::Groups(_) | Form::Flat(_) => !entries(&text, wiring).ok()?.is_empty(),
        Form::Plugin | Form::Scripts | Form::Native => program_in(&text, wiring.name).is_some(),
    };
    (!ours).then_some(text)
}

/// What the agent itself cannot read would never be called.
fn readable(target: &Target, wiring: &Wiring, text: &str) -> Result<(), Failed> {
    match unread(text, wiring) {
        // What is broken altogether is told in other words.
        Some(unread) if json_tree(text.trim_start_matches('\u{feff}')).is_ok() => {
            let (line, column) = unread.place;
            let file = target.file.display();
            let problem = format!("{file}:{line}:{column}: {}; nothing was changed", unread.words(wiring));
            Err(Failed::other(problem, format!("{}, and type the command again", unread.help())))
        }
        _ => Ok(()),
    }
}

/// A repository must not choose where on the disk something is written.
fn inside(places: &Places, scope: Scope, target: &Target) -> Result<(), Failed> {
    match (&places.workspace, scope) {
        (Some(workspace), Scope::Project) if !target.file.is_symlink() => {
            stays_below(workspace, &target.file)
        }
        _ => Ok(()),
    }
}

/// A file of this name that somebody else wrote stays.
fn not_anothers(target: &Target, before: Option<&str>) -> Result<(), Failed> {
    match before {
        Some(text) if program_in(text, target.agent).is_none() => Err(Failed::other(
            format!("{} is not ours; nothing was changed", target.file.display()),
            "rename it, and type the command again",
        )),
        _ => Ok(()),
    }
}

fn other_form(target: &Target, problem: &Problem) -> Failed {
    let help =
        problem.help.clone().unwrap_or_else(|| "repair the file, and type the command again".to_owned());
    Failed::other(format!("{}:{}; nothing was changed", target.file.display(), in_place(problem)), help)
}
