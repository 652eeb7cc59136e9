//! Finds programs on the PATH, and recognises those that a workspace brings.
//!
//! A repository can get its own folders into a PATH (`node_modules/.bin`, a virtual environment, a `.envrc`). What it
//! puts there is its code, and is never started without trust: not in the workspace at hand, not from a folder below or
//! above it, and not from outside.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use boathook_engine::engine::Settings;

/// What makes a folder a workspace.
const MARKERS: [&str; 3] = [".git", ".cursor", ".hg"];
/// Package managers that are Git repositories themselves.
const PACKAGE_MANAGERS: [&str; 5] = [
    "/usr/local",
    "/usr/local/Homebrew",
    "/opt/homebrew",
    "/home/linuxbrew/.linuxbrew",
    "/home/linuxbrew/.linuxbrew/Homebrew",
];

/// Where programs are looked for, and which folders bring their own.
#[derive(Debug, Clone)]
pub struct ProgramSearch {
    path: OsString,
    home: PathBuf,
    workspaces: Vec<PathBuf>,
}

impl ProgramSearch {
    /// For these settings: their PATH, home and workspaces.
    pub fn new(settings: &Settings) -> ProgramSearch {
        let path =
            settings.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        ProgramSearch::of(path.unwrap_or_default(), &settings.roots.home, &settings.roots.workspaces)
    }

    /// For this PATH, home and these workspaces.
    pub fn of(path: OsString, home: &Path, workspaces: &[PathBuf]) -> ProgramSearch {
        ProgramSearch { path, home: home.to_owned(), workspaces: workspaces.to_vec() }
    }

    /// The first program of this name, wherever it is.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        self.folders().map(|folder| folder.join(name)).find(|file| is_program(file))
    }

    /// The first program of this name that no workspace brings.
    pub fn find_outside_workspaces(&self, name: &str) -> Option<PathBuf> {
        let files = self.folders().map(|folder| folder.join(name)).filter(|file| is_program(file));
        files.into_iter().find(|file| !self.is_of_workspace(file))
    }

    /// The PATH without folders that depend on the current directory, and without those of workspaces.
    pub fn path_outside_workspaces(&self) -> OsString {
        let folders = self.folders().filter(|folder| !self.is_of_workspace(folder));
        std::env::join_paths(folders).unwrap_or_default()
    }

    /// Whether a workspace brings this file or folder, by its name or by where its links lead.
    pub fn is_of_workspace(&self, path: &Path) -> bool {
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        [path, &resolved].into_iter().any(|path| {
            let is_below = |root: &PathBuf| path.starts_with(root) || path.starts_with(resolve(root));
            self.workspaces.iter().any(is_below)
                || is_in_node_modules(path)
                || path.ancestors().any(|folder| self.is_marked(folder))
        })
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        std::env::split_paths(&self.path).filter(|folder| folder.is_absolute())
    }

    /// Whether this folder is somebody's workspace. Homes, and the folders of version and package managers, have
    /// markers as well, and their programs are the user's own.
    fn is_marked(&self, folder: &Path) -> bool {
        let home = resolve(&self.home);
        let is_hidden = folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_of_home = home.starts_with(folder)
            || (is_hidden && folder.parent().is_some_and(|above| above == home || above == self.home));
        let is_manager = PACKAGE_MANAGERS.iter().any(|manager| folder == Path::new(manager));
        !is_of_home && !is_manager && MARKERS.iter().any(|marker| folder.join(marker).exists())
    }
}

/// npm puts programs there for the one who works in that folder, never for a user or a machine.
fn is_in_node_modules(path: &Path) -> bool {
    let names: Vec<&OsStr> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name),
            _ => None,
        })
        .collect();
    names.windows(2).any(|pair| pair[0] == "node_modules" && pair[1] == ".bin")
}

fn resolve(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
