//! The folder of one team on this device: `~/.cursor/managed/team_{id}`.
//!
//! A folder with neither our marker nor generations is never touched; a marker
//! that is lost beside generations is written again. What leads to `managed` may
//! be links of the user's, as dotfile managers make them; the folder of the
//! team and all below it are real, belong to the user, and nobody else may
//! write to them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::collect::{self, UNFINISHED};
use super::disk;
use super::fresh::{self, Fresh};
use super::hold::PATIENCE;
use super::install::InstallError;
use super::seal::{self, Fault, Seal, Tampered};
use crate::digest::Digest;
use crate::ids;
use crate::read_file::{self, CONFIG_LIMIT, Facts, Kind, Links, Owner};

/// The name of the marker.
pub(crate) const MARKER: &str = ".boathook";
/// The link to the generation in force.
pub(crate) const LINK: &str = "hooks";
/// Where generations stand.
pub(crate) const GENERATIONS: &str = "generations";
/// Whoever installs holds this file.
pub(super) const LOCK: &str = ".lock";

/// The folder of one team. Making this value touches nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Managed {
    pub(super) folder: PathBuf,
    /// How long others who work here are waited for.
    pub(super) patience: Duration,
}

/// Whose folder it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// The format: 1.
    pub format: u32,
    /// The server's address.
    pub server: String,
    /// The team.
    pub team: i64,
    /// The team's repository.
    pub repository: String,
}

/// The generation in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// The manifest it was made from.
    pub sequence: u64,
    /// The release it is.
    pub release: u64,
    /// Its name.
    pub generation: String,
    /// Where it stands.
    pub folder: PathBuf,
    /// What it must hold.
    pub seal: Seal,
}

impl Managed {
    /// The folder of a team.
    pub fn of(home: &Path, team: i64) -> Managed {
        Managed { folder: managed(home).join(format!("team_{team}")), patience: PATIENCE }
    }

    /// Every folder with our marker, or with generations.
    pub fn all(home: &Path) -> Vec<Managed> {
        let managed = managed(home);
        let mut names = collect::names(&managed);
        names.retain(|name| name.starts_with("team_"));
        names.sort();
        let folders =
            names.into_iter().map(|name| Managed { folder: managed.join(name), patience: PATIENCE });
        folders.filter(|folder| folder.marker().is_some() || folder.has_generations()).collect()
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whose it is; none without our marker.
    pub fn marker(&self) -> Option<Marker> {
        let read = read_file::read_linked(
            &self.folder.join(MARKER),
            CONFIG_LIMIT,
            Owner::UserOrRoot,
            Links::Refused,
        );
        serde_json::from_slice(&read.ok()?.bytes).ok()
    }

    /// Makes it ours, or finds that it is.
    pub fn claim(&self, marker: &Marker) -> Result<(), InstallError> {
        let managed = self.above();
        match self.standing()? {
            Standing::Ours(found) if found == *marker => {
                self.clear_above();
                return Ok(());
            }
            Standing::Ours(found) => return Err(self.of_another(&found)),
            Standing::Unmarked => {
                let _held = self.hold()?;
                self.replace(MARKER, marker)?;
            }
            Standing::Absent => {
                make_way(managed).map_err(|error| InstallError::disk(managed, error))?;
                check_folder(managed, read_file::facts(managed))?;
                let _held = self.hold_above()?;
                self.make(managed, marker).map_err(|error| InstallError::disk(&self.folder, error))?;
            }
        }
        match self.standing()? {
            Standing::Ours(found) if found == *marker => Ok(()),
            Standing::Ours(found) => Err(self.of_another(&found)),
            Standing::Unmarked => Err(self.unmarked()),
            Standing::Absent => Err(InstallError::disk(&self.folder, io::ErrorKind::NotFound.into())),
        }
    }

    /// Where the folders of all teams are.
    pub(super) fn above(&self) -> &Path {
        self.folder.parent().unwrap_or(Path::new("/"))
    }

    /// Removes what a claim that was killed left. Nobody waits for that.
    fn clear_above(&self) {
        let above = self.above();
        let is_left = collect::names(above).iter().any(|name| name.starts_with(UNFINISHED));
        let at_once = Managed { patience: Duration::ZERO, ..self.clone() };
        if cfg!(unix)
            && is_left
            && let Ok(_held) = at_once.hold_above()
        {
            collect::unfinished(above);
        }
    }

    /// The folder appears with its marker in it, so that one that was left
    /// half made is never taken for somebody else's.
    fn make(&self, managed: &Path, marker: &Marker) -> io::Result<()> {
        if cfg!(unix) {
            collect::unfinished(managed);
        }
        if read_file::link_facts(&self.folder).is_some() {
            return Ok(());
        }
        let fresh = managed.join(unfinished_name());
        let made = disk::make_folder(&fresh)
            .and_then(|()| disk::make_folder(&fresh.join(GENERATIONS)))
            .and_then(|()| {
                let text = serde_json::to_vec(marker).map_err(io::Error::other)?;
                disk::write_new(&fresh.join(MARKER), &text, 0o400)
            })
            .and_then(|()| disk::sync_folder(&fresh))
            .and_then(|()| fs::rename(&fresh, &self.folder))
            .and_then(|()| disk::sync_folder(managed));
        if made.is_err() {
            let _ = collect::remove_all(&fresh);
        }
        made
    }

    /// The generation in force; none when there is none, or its seal cannot be
    /// read.
    pub fn current(&self) -> Option<Current> {
        self.generation().ok()?
    }

    /// The same, with what is wrong. No link is no generation.
    pub(crate) fn generation(&self) -> Result<Option<Current>, Fault> {
        let target = match fs::read_link(self.folder.join(LINK)) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(_) => return Err(Fault::Unreadable("it is no link to a generation".into())),
        };
        let name = generation_name(&target)
            .ok_or_else(|| Fault::Unreadable(format!("it leads to {}", target.display())))?;
        let folder = self.generations().join(&name);
        let seal = sealed_generation(&folder)?;
        Ok(Some(Current { sequence: seal.sequence, release: seal.release, generation: name, folder, seal }))
    }

    /// What of the current generation does not fit its seal.
    pub fn tampered(&self) -> Vec<Tampered> {
        match self.generation() {
            Ok(Some(current)) => current.seal.faults(&current.folder),
            Ok(None) => Vec::new(),
            Err(fault) => vec![Tampered { file: seal::NAME.to_owned(), fault }],
        }
    }

    /// A script of the current generation, when it is what was sealed.
    pub fn script(&self, digest: &Digest) -> Option<Vec<u8>> {
        let current = self.current()?;
        let (name, _) = current.seal.files.iter().find(|(_, sealed)| *sealed == digest)?;
        current.seal.check(&current.folder, name).ok()
    }

    /// What is known of the age of its hooks.
    pub fn fresh(&self) -> Option<Fresh> {
        read_fresh(&self.folder)
    }

    /// Keeps how old the hooks are. The newest time that was seen never goes
    /// back.
    pub fn write_fresh(&self, fresh: &Fresh) -> Result<(), InstallError> {
        self.must_be_ours()?;
        let _held = self.hold()?;
        self.replace(fresh::NAME, &fresh.after(self.fresh()))
    }

    /// Replaces one of our files, whatever stands in its place. The caller
    /// holds the folder.
    fn replace(&self, name: &str, content: &impl Serialize) -> Result<(), InstallError> {
        let (unfinished, path) = (self.folder.join(unfinished_name()), self.folder.join(name));
        let written = serde_json::to_vec(content)
            .map_err(io::Error::other)
            .and_then(|text| disk::write_new(&unfinished, &text, 0o400))
            .and_then(|()| self.make_room(&path))
            .and_then(|()| fs::rename(&unfinished, &path))
            .and_then(|()| disk::sync_folder(&self.folder));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        collect::unfinished(&self.folder);
        written.map_err(|error| InstallError::disk(&self.folder, error))
    }

    /// A folder that somebody put in place of a link or a file of ours has no
    /// part in what was signed, and cannot be replaced in one step.
    pub(super) fn make_room(&self, path: &Path) -> io::Result<()> {
        match read_file::link_facts(path).map(|facts| facts.kind) {
            Some(Kind::Directory) => fs::rename(path, self.folder.join(unfinished_name())),
            Some(_) | None => Ok(()),
        }
    }

    /// Removes it, if it is ours: the link first, so that no hook of it runs
    /// half, and the marker last, so that it can be done again.
    pub fn remove(&self) -> Result<(), InstallError> {
        match self.standing()? {
            Standing::Absent => return Ok(()),
            Standing::Ours(_) | Standing::Unmarked => {}
        }
        let _held = self.hold()?;
        let failed = |error| InstallError::disk(&self.folder, error);
        collect::remove_all(&self.folder.join(LINK)).map_err(failed)?;
        disk::sync_folder(&self.folder).map_err(failed)?;
        collect::unfinished(&self.folder);
        for name in [GENERATIONS, fresh::NAME, LOCK, MARKER] {
            collect::remove_all(&self.folder.join(name)).map_err(failed)?;
        }
        // What somebody else put there stays, and the folder with it.
        let _ = fs::remove_dir(&self.folder);
        Ok(())
    }

    pub(super) fn generations(&self) -> PathBuf {
        self.folder.join(GENERATIONS)
    }

    pub(super) fn must_be_ours(&self) -> Result<(), InstallError> {
        match self.standing()? {
            Standing::Ours(_) => Ok(()),
            Standing::Unmarked => Err(self.unmarked()),
            Standing::Absent => Err(InstallError::Foreign {
                folder: self.folder.clone(),
                reason: "is not there: it was not claimed".into(),
            }),
        }
    }

    fn standing(&self) -> Result<Standing, InstallError> {
        let Some(facts) = read_file::link_facts(&self.folder) else { return Ok(Standing::Absent) };
        check_folder(&self.folder, Some(facts))?;
        match self.marker() {
            Some(marker) => Ok(Standing::Ours(marker)),
            None if self.has_generations() => Ok(Standing::Unmarked),
            None => Err(self.unmarked()),
        }
    }

    /// Nobody but us makes that folder.
    fn has_generations(&self) -> bool {
        let generations = self.generations();
        check_folder(&generations, read_file::link_facts(&generations)).is_ok()
    }

    fn unmarked(&self) -> InstallError {
        InstallError::Foreign {
            folder: self.folder.clone(),
            reason: format!("has no {MARKER} of ours; move it away if nobody needs it"),
        }
    }

    fn of_another(&self, found: &Marker) -> InstallError {
        let reason = format!(
            "belongs to team {} of {} (repository {}); `boathook team logout` removes it",
            found.team, found.server, found.repository
        );
        InstallError::Foreign { folder: self.folder.clone(), reason }
    }
}

/// Whether what a team's folder holds was sealed. The marker alone does not
/// decide: whoever removed it would switch the seal off.
pub(crate) fn is_ours(folder: &Path) -> bool {
    let signs = [folder.join(MARKER), folder.join(GENERATIONS), folder.join(LINK).join(seal::NAME)];
    signs.iter().any(|sign| read_file::link_facts(sign).is_some())
}

/// The generation that the link in a team's folder leads to.
pub(crate) fn in_force(folder: &Path) -> Option<PathBuf> {
    let target = fs::read_link(folder.join(LINK)).ok()?;
    Some(folder.join(GENERATIONS).join(generation_name(&target)?))
}

/// The seal of a generation that nobody else could have put there.
pub(crate) fn sealed_generation(generation: &Path) -> Result<Seal, Fault> {
    for folder in generation.ancestors().take(3) {
        let facts = read_file::link_facts(folder);
        check_folder(folder, facts).map_err(|error| Fault::Unreadable(error.to_string()))?;
    }
    Seal::read(generation)
}

/// What is known of the age of the hooks in a team's folder.
pub(crate) fn read_fresh(folder: &Path) -> Option<Fresh> {
    let path = folder.join(fresh::NAME);
    let read = read_file::read_linked(&path, CONFIG_LIMIT, Owner::UserOrRoot, Links::Refused).ok()?;
    serde_json::from_slice(&read.bytes).ok().filter(Fresh::is_possible)
}

enum Standing {
    Absent,
    Ours(Marker),
    /// Generations of ours, and no marker that can be read.
    Unmarked,
}

/// A name that the next one who works here removes.
pub(super) fn unfinished_name() -> String {
    format!("{UNFINISHED}{}", ids::record_id())
}

/// The name in `generations/{name}`, which is one plain part.
fn generation_name(target: &Path) -> Option<String> {
    let name = target.strip_prefix(GENERATIONS).ok()?.to_str()?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (!name.is_empty() && name.bytes().all(plain)).then(|| name.to_owned())
}

fn managed(home: &Path) -> PathBuf {
    home.join(".cursor").join("managed")
}

/// The folders down to `managed`; those that are there stay as they are.
fn make_way(managed: &Path) -> io::Result<()> {
    if let Some(above) = managed.parent().filter(|above| !above.exists()) {
        make_way(above)?;
    }
    match disk::make_folder(managed) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A real folder of the user's that nobody else may write to.
pub(super) fn check_folder(folder: &Path, facts: Option<Facts>) -> Result<(), InstallError> {
    let refuse = |reason: String| Err(InstallError::Foreign { folder: folder.to_owned(), reason });
    let Some(facts) = facts else { return refuse("is not there".into()) };
    if facts.kind != Kind::Directory {
        return refuse(format!("is not a folder but {}", facts.kind.name()));
    }
    if cfg!(windows) {
        return Ok(());
    }
    if facts.uid != read_file::our_uid() {
        return refuse(format!("belongs to another user (uid {})", facts.uid));
    }
    if facts.mode & 0o022 != 0 {
        return refuse("may be written by others; `chmod go-w` it after looking at what it holds".into());
    }
    Ok(())
}
