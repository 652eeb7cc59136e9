//! Where things are: the project, its target directory, the tools installed for it.

use std::path::{Path, PathBuf};

use crate::command::Outcome;

/// The project's root directory.
///
/// Cargo names the package at run time; the name it had at build time may be
/// that of another clone that shares the target directory.
pub fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package.parent().unwrap_or(Path::new(".")).to_owned()
}

/// Cargo's target directory, wherever it was configured: this program stands in it.
pub fn target() -> Outcome<PathBuf> {
    let own = std::env::current_exe().map_err(|error| format!("where is this program? {error}"))?;
    let target = own.ancestors().nth(2).ok_or("this program does not stand in a target directory")?;
    Ok(target.to_owned())
}

/// What the tasks install for themselves. Nothing outside the project changes.
pub fn tools() -> Outcome<PathBuf> {
    Ok(target()?.join("tools"))
}
