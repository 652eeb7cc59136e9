//! `boathook convert`: hooks that were written for another product, as a Cursor hooks.json.

mod claude;

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::Subcommand;

use crate::Status;
use crate::args::Global;
use crate::error::Failed;
use crate::ui::Ui;

/// Write a Cursor hooks.json from hooks of another product
///
/// An existing hooks.json keeps its entries, its order and its comments; what
/// stands in it already is not written again. What has no counterpart is
/// reported with its line, and not written.
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    #[command(subcommand)]
    from: Origin,
}

/// Where the hooks come from.
#[derive(Debug, Subcommand)]
enum Origin {
    Claude(claude::ClaudeArgs),
}

pub fn convert(ui: &mut Ui, global: &Global, args: &ConvertArgs) -> Result<Status, Failed> {
    match &args.from {
        Origin::Claude(args) => claude::convert(ui, global, args),
    }
}

/// Writes a file whole or not at all. A link stays a link: what it leads to is
/// replaced, and keeps its permissions.
fn write_file(file: &Path, text: &str) -> Result<(), Failed> {
    let target = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let folder = target.parent().unwrap_or(Path::new("."));
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(folder)?;
        let permissions = fs::metadata(&target).map(|found| found.permissions());
        let mut fresh = tempfile::Builder::new().prefix(".boathook-").tempfile_in(folder)?;
        fresh.write_all(text.as_bytes())?;
        match permissions {
            Ok(permissions) => fresh.as_file().set_permissions(permissions)?,
            Err(_) => readable_by_all(fresh.as_file())?,
        }
        fresh.as_file().sync_all()?;
        fresh.persist(&target)?;
        Ok(())
    };
    write().map_err(|error| Failed::file(file, error))
}

#[cfg(unix)]
fn readable_by_all(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}
