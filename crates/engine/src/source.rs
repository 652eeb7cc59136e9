//! Where hooks come from: the levels, their files, the directory their hooks
//! run in, and who outranks whom.
//!
//! The operating system is a value, so that all three are tested on one.
//! Looks at nothing but the `Roots` it is given, reads no file, and starts
//! nothing: a repository's own configuration cannot make us run its programs.

#[path = "source/imported.rs"]
mod imported;
#[path = "source/level.rs"]
mod level;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::bundle;
use crate::dialect::claude::Shape;
use crate::read_file::{self, DirectoryIdentity};

pub(crate) use imported::plugin_root;
pub use level::{Level, Levels};

/// An operating system whose paths we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Os {
    Linux,
    Macos,
    Windows,
}

/// How the text of a source is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A `hooks.json`.
    Cursor,
    /// A `hooks.json` of a generation of a team's signed hooks: it counts only
    /// as it was sealed.
    Sealed,
    /// A `settings.json` of Claude Code; its hooks read payloads of this shape.
    Claude(Shape),
    /// One hookify rule.
    Hookify,
    /// A plugin's `hooks.json`, or its manifest with the hooks in it; in
    /// either product's form.
    Plugin(Shape),
}

/// One file that may hold hooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its kind, which is its priority.
    pub level: Level,
    /// How its text is read.
    pub format: Format,
    /// The file.
    pub file: PathBuf,
    /// The directory its hooks run in.
    pub run_dir: PathBuf,
    /// The workspace it belongs to, for project sources and for plugins that
    /// stand inside a workspace.
    pub workspace: Option<PathBuf>,
}

/// Which sources take part. An agent asks all of them; the tests of one
/// source's hooks do not depend on what else a machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selection {
    /// All.
    #[default]
    All,
    /// Those that stand in a workspace.
    OfWorkspace,
    /// The user's own.
    OfUser,
}

/// Every place the engine may look at. Nothing else is read.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Whose paths apply.
    pub os: Os,
    /// Prefix of system paths: `/` outside tests.
    pub system: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The workspace's root folders, first one first.
    pub workspaces: Vec<PathBuf>,
    /// Our own state: log, sessions, trust.
    pub state: PathBuf,
    /// Directories of plugins whose hooks run, too.
    pub plugins: Vec<PathBuf>,
}

impl Roots {
    /// The machine's real places for this user, state directory and these workspace roots.
    pub fn new<W: Into<PathBuf>>(
        os: Os,
        home: impl Into<PathBuf>,
        state: impl Into<PathBuf>,
        workspaces: impl IntoIterator<Item = W>,
    ) -> Roots {
        Roots {
            os,
            system: PathBuf::from("/"),
            home: home.into(),
            workspaces: workspaces.into_iter().map(Into::into).collect(),
            state: state.into(),
            plugins: Vec::new(),
        }
    }
}

impl Os {
    /// The one this program was built for.
    pub fn current() -> Os {
        if cfg!(windows) {
            Os::Windows
        } else if cfg!(target_os = "macos") {
            Os::Macos
        } else {
            Os::Linux
        }
    }
}

impl Default for ThirdParty {
    /// Whatever a user already wrote runs.
    fn default() -> ThirdParty {
        ThirdParty { claude: true, shape: Shape::Claude }
    }
}

impl Selection {
    /// Whether a source takes part.
    pub fn includes(self, source: &Source) -> bool {
        match self {
            Selection::All => true,
            Selection::OfWorkspace => source.workspace.is_some(),
            Selection::OfUser => source.workspace.is_none() && !source.level.is_managed(),
        }
    }
}

impl Source {
    /// Enterprise hooks run from the directory of their file.
    pub fn enterprise(os: Os, system: &Path) -> Source {
        let prefixed = system != Path::new("/") && !system.as_os_str().is_empty();
        let directory = match os {
            Os::Linux => system.join("etc/cursor"),
            Os::Macos => system.join("Library/Application Support/Cursor"),
            Os::Windows if prefixed => below(&below(system, "ProgramData"), "Cursor"),
            Os::Windows => PathBuf::from(r"C:\ProgramData\Cursor"),
        };
        Source {
            level: Level::Enterprise,
            format: Format::Cursor,
            file: below(&directory, "hooks.json"),
            run_dir: directory,
            workspace: None,
        }
    }

    /// Team hooks run from the team's managed directory.
    pub fn team(managed: PathBuf) -> Source {
        Source {
            level: Level::Team,
            format: Format::Cursor,
            file: below(&managed, "hooks.json"),
            run_dir: managed,
            workspace: None,
        }
    }

    /// A team's signed hooks, which run from the generation in force.
    pub(crate) fn sealed(folder: &Path) -> Source {
        let source = Source::team(below(folder, bundle::LINK));
        let run_dir = bundle::in_force(folder).unwrap_or_else(|| source.run_dir.clone());
        Source { format: Format::Sealed, run_dir, ..source }
    }

    /// Project hooks run from the project root, not from `.cursor/`.
    pub fn project(root: &Path) -> Source {
        Source {
            level: Level::Project,
            format: Format::Cursor,
            file: below(&below(root, ".cursor"), "hooks.json"),
            run_dir: root.to_owned(),
            workspace: Some(root.to_owned()),
        }
    }

    /// User hooks run from `~/.cursor/`.
    pub fn user(home: &Path) -> Source {
        let directory = below(home, ".cursor");
        Source {
            level: Level::User,
            format: Format::Cursor,
            file: below(&directory, "hooks.json"),
            run_dir: directory,
            workspace: None,
        }
    }

    /// The team's folder, when it is one of ours: a source is looked for again
    /// when anything in it has another name.
    pub(crate) fn team_folder(&self) -> Option<&Path> {
        match self.format {
            Format::Sealed => self.file.parent()?.parent(),
            Format::Cursor | Format::Claude(_) | Format::Hookify | Format::Plugin(_) => None,
        }
    }

    /// The file that is read. The name of a team's stays the same from one
    /// generation to the next.
    pub(crate) fn text_file(&self) -> std::borrow::Cow<'_, Path> {
        match self.format {
            Format::Sealed => self.run_dir.join("hooks.json").into(),
            Format::Cursor | Format::Claude(_) | Format::Hookify | Format::Plugin(_) => (&*self.file).into(),
        }
    }

    /// Whether its hooks run only in a trusted workspace.
    pub fn needs_trust(&self) -> bool {
        self.level.needs_trust() || (self.level == Level::Plugin && self.workspace.is_some())
    }

    /// A hookify rule has the workspace for its directory.
    pub fn hookify(root: &Path, file: PathBuf) -> Source {
        Source {
            level: Level::Hookify,
            format: Format::Hookify,
            file,
            run_dir: root.to_owned(),
            workspace: Some(root.to_owned()),
        }
    }
}

/// Which kinds of sources beside the product's own are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThirdParty {
    /// What was written for Claude Code: settings and hookify rules.
    pub claude: bool,
    /// The payload that hooks of Claude Code read.
    pub shape: Shape,
}

/// Every source of these workspaces, in the walk from high to low priority.
///
/// A workspace that is named twice counts once, and the home is no workspace:
/// its `.cursor/hooks.json` is the user's.
pub fn sources(roots: &Roots, workspaces: &[PathBuf], third_party: ThirdParty) -> Vec<Source> {
    let managed = managed(&roots.home);
    let teams = names(&managed, is_team).into_iter().map(|name| of_team(&managed.join(name)));
    let workspaces = distinct(workspaces, &roots.home);
    let mut sources = vec![Source::enterprise(roots.os, &roots.system)];
    sources.extend(teams);
    sources.extend(workspaces.iter().map(|workspace| Source::project(workspace)));
    sources.push(Source::user(&roots.home));
    if third_party.claude {
        let shape = third_party.shape;
        for local in [true, false] {
            sources.extend(workspaces.iter().map(|root| Source::claude_project(root, local, shape)));
        }
        sources.push(Source::claude_user(&roots.home, workspaces.first().copied(), shape));
        sources.extend(workspaces.iter().flat_map(|workspace| hookify_rules(workspace)));
    }
    sources
}

/// The directories that are listed to find sources: a name that appears in one
/// of them, or is gone, may be a source.
pub fn listed(roots: &Roots, workspaces: &[PathBuf], third_party: ThirdParty) -> Vec<PathBuf> {
    let mut listed = vec![managed(&roots.home)];
    if third_party.claude {
        listed.extend(distinct(workspaces, &roots.home).into_iter().map(|root| below(root, ".claude")));
    }
    listed
}

/// The source of a team's folder. Where it is ours, the link is followed here,
/// once: whatever it leads to a moment later, an event sees one generation.
fn of_team(folder: &Path) -> Source {
    if !bundle::is_ours(folder) {
        return Source::team(below(folder, bundle::LINK));
    }
    Source::sealed(folder)
}

fn hookify_rules(workspace: &Path) -> Vec<Source> {
    let directory = below(workspace, ".claude");
    let rules = names(&directory, is_hookify_rule).into_iter();
    rules.map(|name| Source::hookify(workspace, directory.join(name))).collect()
}

/// The workspaces, each once, without the home.
fn distinct<'a>(workspaces: &'a [PathBuf], home: &Path) -> Vec<&'a Path> {
    let mut seen = HashSet::from([identity(home)]);
    workspaces.iter().map(PathBuf::as_path).filter(|workspace| seen.insert(identity(workspace))).collect()
}

/// One event may name this many workspace roots. Each is looked at for several sources, on every event.
pub const MAX_WORKSPACE_ROOTS: usize = 256;

/// More workspace roots than are looked at. Leaving some out could open a gate.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0} workspace roots are named, and at most {MAX_WORKSPACE_ROOTS} are looked at, so no hook was asked"
)]
pub struct TooManyRootsError(usize);

impl TooManyRootsError {
    /// What to do about it.
    pub const HELP: &'static str = "name the folders that the agent works in, or one folder above them";
}

/// Whether so many workspace roots are looked at.
pub fn check_root_count(count: usize) -> Result<(), TooManyRootsError> {
    if count > MAX_WORKSPACE_ROOTS { Err(TooManyRootsError(count)) } else { Ok(()) }
}

/// These roots, each directory once however it is written, in their order.
pub fn distinct_roots(mut roots: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    roots.retain(|root| seen.insert(identity(root)));
    roots
}

/// What two names of one directory have in common; of a path that leads nowhere
/// its own name.
fn identity(path: &Path) -> DirectoryIdentity {
    read_file::directory_identity(path).unwrap_or_else(|| DirectoryIdentity::Name(path.to_owned()))
}

fn is_team(name: &str) -> bool {
    name.starts_with("team_")
}

fn is_hookify_rule(name: &str) -> bool {
    name.starts_with("hookify.") && name.ends_with(".local.md")
}

/// Where the teams' managed hooks stand, one folder for each team.
fn managed(home: &Path) -> PathBuf {
    below(&below(home, ".cursor"), "managed")
}

/// The workspace somebody stands in: the nearest directory upwards that holds
/// `.cursor` or `.git`, else the directory itself.
///
/// The user's own `~/.cursor` does not make the home a workspace; a `.git`
/// beside it does.
pub fn find_workspace(cwd: &Path, home: &Path) -> PathBuf {
    marked_workspace(cwd, home).unwrap_or_else(|| cwd.to_owned())
}

/// The same; none when no directory upwards holds either.
pub fn marked_workspace(cwd: &Path, home: &Path) -> Option<PathBuf> {
    let is_root = |directory: &&Path| {
        directory.join(".git").exists()
            || (directory.join(".cursor").is_dir() && !same_place(directory, home))
    };
    cwd.ancestors().find(is_root).map(Path::to_owned)
}

/// A workspace root as the host wrote it, as a path of this system. On Windows
/// editors write `/c:/Users/me`; everywhere else a root stays as it is, but
/// for a `file://` before it.
pub fn native_root(os: Os, root: &str) -> PathBuf {
    let root = root.strip_prefix("file://").unwrap_or(root);
    match os {
        Os::Linux | Os::Macos => PathBuf::from(root),
        Os::Windows => PathBuf::from(windows_root(root)),
    }
}

fn windows_root(root: &str) -> String {
    let plain = root.strip_prefix(['/', '\\']).filter(|rest| has_drive(rest)).unwrap_or(root);
    let mut native = plain.replace('/', r"\");
    if has_drive(&native) {
        native[..1].make_ascii_uppercase();
        // A drive alone is the directory one last stood in there, not its root.
        if native.len() == 2 {
            native.push('\\');
        }
    }
    let short = native.trim_end_matches('\\').len();
    if short > 2 {
        native.truncate(short);
    }
    native
}

fn has_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() >= 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && bytes.get(2).is_none_or(|byte| matches!(byte, b'/' | b'\\'))
}

/// A name below a directory, with the separator the directory is written with.
fn below(directory: &Path, name: &str) -> PathBuf {
    match directory.to_str() {
        Some(text) if has_drive(text) || text.starts_with(r"\\") => {
            PathBuf::from(format!(r"{}\{name}", text.trim_end_matches('\\')))
        }
        Some(_) | None => directory.join(name),
    }
}

/// What a directory holds under names of this kind, sorted.
fn names(directory: &Path, is_wanted: fn(&str) -> bool) -> Vec<OsString> {
    let Ok(entries) = std::fs::read_dir(directory).map_err(crate::shortage::noted) else { return Vec::new() };
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.file_name())).collect();
    names.retain(|name| is_wanted(&name.to_string_lossy()));
    names.sort();
    names
}

/// Whether two paths lead to one directory, however they are spelt.
fn same_place(one: &Path, other: &Path) -> bool {
    one == other || read_file::same_directory(one, other)
}

#[cfg(test)]
#[path = "source/tests.rs"]
mod tests;
