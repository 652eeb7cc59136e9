//! Files that a conversion writes: whole or not at all, and only when they differ.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Failed;
use crate::ui::Ui;

/// One file, as it should be.
pub struct Output {
    /// Where.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
    /// Whether it can be run.
    pub is_script: bool,
}

impl Output {
    /// Writes it, and says so; says so only with `dry_run`, and nothing when it is there.
    pub fn write(&self, ui: &mut Ui, root: &Path, dry_run: bool) -> Result<bool, Failed> {
        let shown = self.path.strip_prefix(root).unwrap_or(&self.path).display().to_string();
        let there = fs::read(&self.path).ok();
        if there.as_deref() == Some(self.text.as_bytes()) {
            ui.line(&format!("unchanged {shown}"));
            return Ok(false);
        }
        let word = if there.is_some() { "change" } else { "write" };
        if dry_run {
            ui.line(&format!("would {word} {shown}"));
            return Ok(false);
        }
        self.replace().map_err(|error| Failed::file(&self.path, error))?;
        ui.line(&format!("{} {shown}", if there.is_some() { "changed" } else { "wrote" }));
        Ok(true)
    }

    fn replace(&self) -> std::io::Result<()> {
        // A link stays a link: what it leads to is replaced.
        let target = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        let folder = target.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".boathook-").tempfile_in(folder)?;
        file.write_all(self.text.as_bytes())?;
        set_access(file.as_file(), &target, self.is_script)?;
        file.persist(&target).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// A file that was there keeps what others may do with it.
#[cfg(unix)]
fn set_access(file: &fs::File, old: &Path, is_script: bool) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let fresh = if is_script { 0o755 } else { 0o644 };
    let mode = fs::metadata(old).map_or(fresh, |facts| facts.permissions().mode() | (fresh & 0o111));
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(windows)]
fn set_access(_: &fs::File, _: &Path, _: bool) -> std::io::Result<()> {
    Ok(())
}
