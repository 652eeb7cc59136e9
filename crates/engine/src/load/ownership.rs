//! Whether an enterprise's hooks are really the machine's owner's: the file,
//! the scripts it names by their paths, and the folders they stand in belong
//! to root, and nobody else may write to them. What a user could change is no
//! policy for users.
//!
//! Links are followed: what they lead to is judged. Where system paths have a
//! prefix, as in tests, the owner of the prefix counts like root. On Windows
//! nothing is looked at.

use std::path::{Path, PathBuf};

use crate::config;
use crate::definition::Definition;
use crate::problem::Problem;
use crate::read_file::{self, Facts, Glimpse};
use crate::source::{Roots, Source};

/// What was found.
#[derive(Default)]
pub(super) struct Judged {
    pub(super) refusal: Option<Refusal>,
    /// What must change before it can be another.
    pub(super) looked_at: Vec<(PathBuf, Glimpse)>,
}

/// Why a source is refused as a whole.
pub(super) struct Refusal {
    pub(super) reason: String,
    pub(super) problem: Problem,
}

/// Looks at the files of an enterprise's hooks.
pub(super) fn judge(source: &Source, definitions: &[Definition], roots: &Roots) -> Judged {
    if cfg!(windows) {
        return Judged::default();
    }
    let scope = config::scope_of(source, roots);
    let mut files: Vec<PathBuf> =
        definitions.iter().filter_map(|definition| config::script_of(definition, &scope)).collect();
    files.insert(0, source.file.clone());
    files.dedup();
    let folders = files.iter().filter_map(|file| file.parent().map(Path::to_owned));
    let glimpse = |path: PathBuf| (path.clone(), Glimpse::at(&path));
    let mut looked_at: Vec<_> = folders.chain(files.iter().skip(1).cloned()).map(glimpse).collect();
    looked_at.dedup();
    let owners = Owners::of(&roots.system);
    let found = files.iter().find_map(|file| owners.fault(file));
    looked_at.extend(found.iter().map(|(path, _)| glimpse(path.clone())));
    Judged { refusal: found.map(|(path, fault)| refusal(source, &path, &fault)), looked_at }
}

fn refusal(source: &Source, path: &Path, fault: &Fault) -> Refusal {
    let shown = path.display();
    let (reason, help) = match fault {
        Fault::Owner(uid) => (
            format!("{shown} belongs to uid {uid}, and not to root"),
            format!("look at what it says, then run `sudo chown root '{shown}'`"),
        ),
        Fault::Writable(mode) => (
            format!("{shown} may be written by others than root (mode {:04o})", mode & 0o7777),
            format!("look at what it says, then run `sudo chmod go-w '{shown}'`"),
        ),
    };
    let message = format!("is refused: {reason}; its hooks do not run and count as failed");
    let mut problem = Problem::error("not-protected", message).help(help);
    problem.file = Some(source.file.clone());
    Refusal { reason, problem }
}

enum Fault {
    Owner(u32),
    Writable(u32),
}

/// Who may own an enterprise's files, and up to which folder.
struct Owners {
    root: PathBuf,
    other: Option<u32>,
}

impl Owners {
    fn of(system: &Path) -> Owners {
        let prefixed = system != Path::new("/") && !system.as_os_str().is_empty();
        let other = read_file::facts(system).filter(|_| prefixed).map(|facts| facts.uid);
        let root = system.canonicalize().unwrap_or_else(|_| system.to_owned());
        Owners { root, other }
    }

    /// The first thing wrong with a file or a folder above it, up to the root.
    /// One that is not there is somebody else's to tell.
    fn fault(&self, file: &Path) -> Option<(PathBuf, Fault)> {
        let file = file.canonicalize().ok()?;
        let inside = file.starts_with(&self.root);
        let above = file.ancestors().take_while(|folder| !inside || folder.starts_with(&self.root));
        let judge = |(height, path): (usize, &Path)| {
            Some((path.to_owned(), self.judge(&read_file::facts(path)?, height)?))
        };
        above.enumerate().filter_map(judge).next()
    }

    /// Of the file itself (height 0), the folder it stands in (1), and so on.
    fn judge(&self, facts: &Facts, height: usize) -> Option<Fault> {
        // In a sticky folder, such as /tmp, nobody moves what is somebody
        // else's. But beside a script others could put what it reads.
        let kept = height > 1 && facts.mode & 0o1000 != 0;
        if facts.uid != 0 && Some(facts.uid) != self.other {
            Some(Fault::Owner(facts.uid))
        } else if facts.mode & 0o022 != 0 && !kept {
            Some(Fault::Writable(facts.mode))
        } else {
            None
        }
    }
}
