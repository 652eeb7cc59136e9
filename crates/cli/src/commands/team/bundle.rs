//! `boathook team bundle`: a team's hooks as files, for machines that are managed otherwise.

mod content;
mod layout;
mod notes;

use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::bundle::Managed;
use boathook_engine::source::Os;

use self::content::Content;
use self::layout::{LAYOUTS, Layout};
use super::here;
use super::words::counted;
use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write the team's hooks as files for machines that are managed otherwise
///
/// For each system two folders are written, `system` and `user`, with every file
/// at the path where the original product looks for it, and beside them the
/// checksums and a note that says how to install them. An entry of DIR's
/// hooks.json is for every system, or for those that its `_operating_systems`
/// lists: Linux, Macintosh, Windows.
#[derive(Debug, clap::Args)]
pub struct BundleArgs {
    /// A folder with a hooks.json and the scripts it names
    #[arg(long, value_name = "DIR", required_unless_present = "published", conflicts_with = "published")]
    from: Option<PathBuf>,
    /// What this machine last got from the team's server, for its own system
    #[arg(long)]
    published: bool,
    /// Where to write; a folder that is empty or not there
    #[arg(long, value_name = "DIR", default_value = "boathook-bundle")]
    out: PathBuf,
}

pub fn bundle(ui: &mut Ui, _global: &Global, args: &BundleArgs) -> Result<Status, Failed> {
    let (folder, systems) = match &args.from {
        Some(folder) => (folder.clone(), None),
        None => (published()?, Some(Os::current())),
    };
    let content = Content::read(&folder)?;
    must_be_empty(&args.out)?;
    for layout in LAYOUTS.iter().filter(|layout| systems.is_none_or(|os| os == layout.os)) {
        let files = write(&content, layout, &args.out)?;
        ui.line(&format!("{}: {}", args.out.join(layout.folder()).display(), counted(files as u64, "file")));
    }
    if systems.is_some() {
        ui.hint("hooks for other systems do not come to this machine; run this on one of each");
    }
    ui.hint("the notes beside the folders say how to install them");
    Ok(Status::Success)
}

/// The generation in force, when it is what was signed.
fn published() -> Result<PathBuf, Failed> {
    let place = here::place()?;
    let managed = Managed::of(&place.home, here::member(&place)?.team);
    let Some(current) = managed.current() else {
        return Err(Failed::other(
            "no hooks of the team are on this machine",
            "`boathook team sync` gets them",
        ));
    };
    match managed.tampered().first() {
        Some(found) => Err(Failed::other(found.words(), "`boathook team sync`, then do this again")),
        None => Ok(current.folder),
    }
}

fn must_be_empty(out: &Path) -> Result<(), Failed> {
    let mut entries = match fs::read_dir(out) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failed::file(out, error)),
    };
    match entries.next() {
        None => Ok(()),
        Some(_) => {
            let problem = format!("{} is not empty", out.display());
            Err(Failed::other(problem, "name another folder with `--out DIR`, or remove this one"))
        }
    }
}

/// Writes one folder with its checksums and its note; says how many files.
fn write(content: &Content, layout: &Layout, out: &Path) -> Result<usize, Failed> {
    let folder = out.join(layout.folder());
    let files = content.files_for(layout.os);
    for file in &files {
        let path = folder.join(layout.directory).join(&file.name);
        put(&path, &file.bytes, file.executable)?;
    }
    let beside = |ending: &str| out.join(format!("{}{ending}", layout.folder()));
    put(&beside(".sha256"), notes::checksums(layout, &files).as_bytes(), false)?;
    put(&beside(".txt"), notes::note(layout, &files).as_bytes(), false)?;
    Ok(files.len())
}

fn put(path: &Path, bytes: &[u8], executable: bool) -> Result<(), Failed> {
    let failed = |error| Failed::file(path, error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, bytes).map_err(failed)?;
    let access =
        if executable { crate::write_file::Access::Execute } else { crate::write_file::Access::Read };
    crate::write_file::set_access(&file, access).map_err(failed)
}
