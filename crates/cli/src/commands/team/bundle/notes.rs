//! What stands beside a bundle: checksums, and how to install it.

use std::fmt::Write;

use boathook_engine::digest::Digest;

use super::content::File;
use super::install;
use super::layout::Layout;
use crate::commands::team::words::counted;

/// One line for each file, as `sha256sum -c` reads them inside the folder.
pub fn checksums(layout: &Layout, files: &[File]) -> String {
    let line = |file: &File| format!("{}  {}/{}\n", Digest::of(&file.bytes), layout.directory, file.name);
    files.iter().map(line).collect()
}

/// How the folder is installed.
pub fn note(layout: &Layout, files: &[File]) -> String {
    let Layout { system, whose, .. } = layout;
    let mut note = String::new();
    let says = if layout.is_of_system() {
        "Hooks for everybody who uses the machine. They outrank all others, and only\nwhat the machine's owner alone can write is run by Boathook."
    } else {
        "Hooks for one user. A hooks.json of the user's own is not overwritten: add these\nentries to it instead."
    };
    let _ = writeln!(note, "{system}/{whose}: {}\n\n{says}\n", counted(files.len() as u64, "file"));
    let _ = writeln!(note, "Install them, from the folder that holds `{system}`:\n");
    let _ = writeln!(note, "    {}\n", install::start(layout));
    let _ = writeln!(
        note,
        "It asks nothing. It compares the files with {whose}.sha256, copies them, and removes\nwhat an older bundle brought and this one does not."
    );
    let _ =
        writeln!(note, "\nLook whether it worked: `boathook list`, and `boathook check` for what is wrong.");
    note
}
