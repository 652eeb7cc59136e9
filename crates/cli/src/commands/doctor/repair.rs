//! Repairs scripts: executable bits and line ends, of files that are the
//! user's or the workspace's to change.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::problem::{Problem, ScriptFix};
use boathook_engine::read_file::{self, Owner};
use boathook_engine::source::{Level, Source};

use super::examine::Found;
use crate::error::Failed;
use crate::ui::Ui;
use crate::write_file::replace;

/// Makes every repair that is safe; says how many. `left` are the files that
/// were said not to be repaired.
pub fn scripts(ui: &mut Ui, found: &Found, left: &mut BTreeSet<PathBuf>) -> Result<usize, Failed> {
    let repairs = possible(found);
    for fix in found.problems.iter().filter_map(|problem| problem.script_fix.as_ref()) {
        let path = path_of(fix);
        if !repairs.contains(&fix) && left.insert(path.clone()) {
            ui.warning(&format!(
                "{}: it is not repaired here: it stands elsewhere, or is a link",
                path.display()
            ));
        }
    }
    for fix in &repairs {
        let path = path_of(fix);
        make(fix).map_err(|error| Failed::file(path, error))?;
        ui.say(&format!("repaired {}: {}", path.display(), what(fix)));
    }
    Ok(repairs.len())
}

/// Every repair that may be made, each once.
pub fn possible(found: &Found) -> Vec<&ScriptFix> {
    let mut repairs: Vec<&ScriptFix> = Vec::new();
    for problem in &found.problems {
        let (Some(fix), Some(source)) = (&problem.script_fix, source_of(found, problem)) else { continue };
        if !repairs.contains(&fix) && is_ours(path_of(fix), source) {
            repairs.push(fix);
        }
    }
    repairs
}

fn what(fix: &ScriptFix) -> &'static str {
    match fix {
        ScriptFix::MakeExecutable(_) => "it is executable now",
        ScriptFix::RemoveCarriageReturns(_) => "its lines end without CR now",
    }
}

fn source_of<'f>(found: &'f Found, problem: &Problem) -> Option<&'f Source> {
    let report =
        found.set.sources.iter().find(|report| Some(&report.source.file) == problem.file.as_ref())?;
    Some(&report.source)
}

fn path_of(fix: &ScriptFix) -> &PathBuf {
    match fix {
        ScriptFix::MakeExecutable(path) | ScriptFix::RemoveCarriageReturns(path) => path,
    }
}

/// A hooks.json must not choose which file outside its own folder is changed:
/// whoever wrote it need not be the one who calls us.
fn is_ours(path: &Path, source: &Source) -> bool {
    let managed = matches!(source.level, Level::Enterprise | Level::Team);
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let inside = match (path.canonicalize(), source.run_dir.canonicalize()) {
        (Ok(path), Ok(folder)) => path.starts_with(folder),
        _ => false,
    };
    !managed && is_file && inside
}

fn make(fix: &ScriptFix) -> std::io::Result<()> {
    match fix {
        ScriptFix::MakeExecutable(path) => make_executable(path),
        ScriptFix::RemoveCarriageReturns(path) => {
            let read = read_file::read(path, read_file::CONFIG_LIMIT, Owner::Anybody);
            let bytes = read.map_err(std::io::Error::other)?.bytes;
            let text = String::from_utf8(bytes).map_err(std::io::Error::other)?;
            replace(path, text.replace("\r\n", "\n").as_bytes())
        }
    }
}

/// Whoever may read it may run it.
#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn make_executable(path: &Path) -> std::io::Result<()> {
    fs::metadata(path).map(|_| ())
}
