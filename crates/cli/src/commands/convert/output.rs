//! Files that a conversion writes: whole or not at all, and only when they differ.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Failed;
use crate::ui::Ui;
use crate::write_file::{Access, put, stays_below};

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
        stays_below(root, &self.path)?;
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
        let access = if self.is_script { Access::Execute } else { Access::Read };
        put(root, &self.path, &self.text, access)?;
        ui.line(&format!("{} {shown}", if there.is_some() { "changed" } else { "wrote" }));
        Ok(true)
    }
}
