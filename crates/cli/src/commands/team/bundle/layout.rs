//! Where the original product looks for hooks, on each system.

use boathook_engine::source::Os;

/// One folder to be written.
#[derive(Debug)]
pub struct Layout {
    pub os: Os,
    /// Its name in paths.
    pub system: &'static str,
    /// `system` or `user`.
    pub whose: &'static str,
    /// Where the hooks.json stands, below `/`, `C:\` or the home.
    pub directory: &'static str,
}

/// Every one. Hooks run in the folder of these files, so that paths in
/// commands stay as they are.
pub const LAYOUTS: [Layout; 6] = [
    Layout { os: Os::Linux, system: "linux", whose: "system", directory: "etc/cursor" },
    Layout { os: Os::Linux, system: "linux", whose: "user", directory: ".cursor" },
    Layout {
        os: Os::Macos,
        system: "macos",
        whose: "system",
        directory: "Library/Application Support/Cursor",
    },
    Layout { os: Os::Macos, system: "macos", whose: "user", directory: ".cursor" },
    Layout { os: Os::Windows, system: "windows", whose: "system", directory: "ProgramData/Cursor" },
    Layout { os: Os::Windows, system: "windows", whose: "user", directory: ".cursor" },
];

impl Layout {
    /// For everybody who uses the machine.
    pub fn is_of_system(&self) -> bool {
        self.whose == "system"
    }

    /// `linux/system`.
    pub fn folder(&self) -> String {
        format!("{}/{}", self.system, self.whose)
    }
}
