//! `boathook daemon install`, `boathook daemon uninstall`: the file from which
//! the system starts the daemon. Nothing is started or stopped here.

use std::iter;

use boathook_engine::source::Os;

use super::unit::{MARK, Unit};
use crate::Status;
use crate::agents::files;
use crate::args::Global;
use crate::error::Failed;
use crate::settings;
use crate::ui::Ui;
use crate::write_file::Access;

/// Write the file from which your system starts the daemon
///
/// A user unit of systemd on Linux, an agent of launchd on macOS, with the path
/// of this program, your PATH, which hooks get, and the options of every command
/// that are typed here. Starts nothing: it prints the command that does.
#[derive(Debug, clap::Args)]
pub struct InstallArgs {
    /// Have it answer over HTTP, too
    #[arg(long)]
    http: bool,
    /// Print the file and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Remove the file that `daemon install` wrote
#[derive(Debug, clap::Args)]
pub struct UninstallArgs {
    /// Say what would be removed, and remove nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn install(ui: &mut Ui, global: &Global, args: &InstallArgs) -> Result<Status, Failed> {
    let mut words = settings::lasting_words(global)?;
    words.push("daemon".to_owned());
    words.extend(args.http.then(|| "--http".to_owned()));
    let unit = unit(&words)?;
    if args.dry_run {
        ui.say(&format!("{}:", unit.file.display()));
        ui.line(unit.text.trim_end());
        return Ok(Status::Success);
    }
    let there = ours(&unit)?;
    if there.as_deref() == Some(&unit.text) {
        ui.say(&format!("{} is there already", unit.file.display()));
    } else {
        files::put(&unit.file, there.as_deref(), &unit.text, Access::Read)?;
        ui.say(&format!("wrote {}", unit.file.display()));
    }
    ui.hint(&format!("this starts it, now and whenever you log in: {}", unit.enable));
    Ok(Status::Success)
}

pub fn uninstall(ui: &mut Ui, args: &UninstallArgs) -> Result<Status, Failed> {
    let unit = unit(&[])?;
    let Some(there) = ours(&unit)? else {
        ui.say(&format!("{} is not there", unit.file.display()));
        return Ok(Status::Success);
    };
    if args.dry_run {
        ui.say(&format!("would remove {}", unit.file.display()));
        return Ok(Status::Success);
    }
    files::remove(&unit.file, &there)?;
    ui.say(&format!("removed {}", unit.file.display()));
    ui.hint(&format!("a daemon that runs goes on; this stops it for good: {}", unit.disable));
    Ok(Status::Success)
}

/// What stands there, if we wrote it.
fn ours(unit: &Unit) -> Result<Option<String>, Failed> {
    let there = files::look(&unit.file)?;
    match there {
        Some(text) if !text.contains(MARK) => Err(Failed::other(
            format!("{}: somebody else wrote it; nothing was changed", unit.file.display()),
            "move it away, or keep starting the daemon from it",
        )),
        there => Ok(there),
    }
}

/// `words` are what stands behind the program.
fn unit(words: &[String]) -> Result<Unit, Failed> {
    let dwelling = settings::dwelling()
        .ok_or_else(|| Failed::other("there is no home directory", "HOME must be an absolute path"))?;
    let (program, _) = settings::program()?;
    let command: Vec<String> =
        iter::once(program.to_string_lossy().into_owned()).chain(words.iter().cloned()).collect();
    Unit::of(Os::current(), &dwelling, &command, &settings::search_path())
        .ok_or_else(|| Failed::other("this system starts no daemon of ours yet", "`boathook run` needs none"))
}
