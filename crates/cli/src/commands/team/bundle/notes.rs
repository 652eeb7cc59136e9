//! What stands beside a bundle: checksums, and how to install it.

use std::fmt::Write;

use boathook_engine::digest::Digest;
use boathook_engine::source::Os;

use super::content::File;
use super::layout::Layout;
use crate::commands::team::words::counted;

/// One line for each file, as `sha256sum -c` reads them inside the folder.
pub fn checksums(layout: &Layout, files: &[File]) -> String {
    let line = |file: &File| format!("{}  {}/{}\n", Digest::of(&file.bytes), layout.directory, file.name);
    files.iter().map(line).collect()
}

/// How the folder is installed.
pub fn note(layout: &Layout, files: &[File]) -> String {
    let Layout { os, system, whose, directory } = layout;
    let mut note = String::new();
    let of_system = *whose == "system";
    let says = if of_system {
        "Hooks for everybody who uses the machine. They outrank all others, and only\nwhat the machine's owner alone can write is run by Boathook."
    } else {
        "Hooks for one user. The file takes the place of the user's own hooks.json:\nwhere there is one, add these entries to it instead."
    };
    let _ = writeln!(note, "{system}/{whose}: {}\n\n{says}\n", counted(files.len() as u64, "file"));
    let _ = writeln!(note, "Check the files:\n\n    {}\n", check(*os, system, whose));
    let _ = writeln!(note, "Install them:\n");
    for line in install(*os, of_system, directory) {
        let _ = writeln!(note, "    {line}");
    }
    let _ =
        writeln!(note, "\nLook whether it worked: `boathook list`, and `boathook check` for what is wrong.");
    note
}

fn check(os: Os, system: &str, whose: &str) -> String {
    match os {
        Os::Linux => format!("cd {system}/{whose} && sha256sum -c ../{whose}.sha256"),
        Os::Macos => format!("cd {system}/{whose} && shasum -a 256 -c ../{whose}.sha256"),
        Os::Windows => {
            format!("Get-FileHash -Algorithm SHA256 on each file; compare with {system}\\{whose}.sha256")
        }
    }
}

fn install(os: Os, of_system: bool, directory: &str) -> Vec<String> {
    match (os, of_system) {
        (Os::Linux | Os::Macos, true) => vec![
            format!("sudo mkdir -p '/{directory}'"),
            format!("sudo cp -R '{directory}/.' '/{directory}/'"),
            format!("sudo chown -R root '/{directory}'"),
            format!("sudo chmod -R go-w '/{directory}'"),
        ],
        (Os::Linux | Os::Macos, false) => {
            vec![format!("mkdir -p ~/{directory}"), format!("cp -R {directory}/. ~/{directory}/")]
        }
        (Os::Windows, true) => vec![
            r"xcopy /E /I ProgramData\Cursor C:\ProgramData\Cursor".to_owned(),
            r#"icacls C:\ProgramData\Cursor /inheritance:r /grant "Administrators:(OI)(CI)F" "SYSTEM:(OI)(CI)F" "Users:(OI)(CI)RX""#
                .to_owned(),
        ],
        (Os::Windows, false) => vec![r"xcopy /E /I .cursor %USERPROFILE%\.cursor".to_owned()],
    }
}
