//! Sources of other products: Claude Code's settings, and plugins.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use super::{Format, Level, Source, below};
use crate::dialect::claude::Shape;

impl Source {
    /// Claude Code's settings of a workspace, by the name of the file. Their
    /// hooks run from the workspace's root.
    pub fn claude_project(root: &Path, local: bool, shape: Shape) -> Source {
        let (level, name) = match local {
            true => (Level::ClaudeLocal, "settings.local.json"),
            false => (Level::ClaudeProject, "settings.json"),
        };
        Source {
            level,
            format: Format::Claude(shape),
            file: below(&below(root, ".claude"), name),
            run_dir: root.to_owned(),
            workspace: Some(root.to_owned()),
        }
    }

    /// Claude Code's settings of the user. Their hooks run from the root of
    /// the workspace too, and from the home where there is none.
    pub fn claude_user(home: &Path, root: Option<&Path>, shape: Shape) -> Source {
        Source {
            level: Level::ClaudeUser,
            format: Format::Claude(shape),
            file: below(&below(home, ".claude"), "settings.json"),
            run_dir: root.unwrap_or(home).to_owned(),
            workspace: None,
        }
    }

    /// A plugin's hooks run from the plugin's root, always. One that stands
    /// inside a workspace belongs to it.
    pub fn plugin(root: &Path, file: PathBuf, workspaces: &[PathBuf], shape: Shape) -> Source {
        let holds = |workspace: &&PathBuf| is_inside(root, workspace) || is_inside(&file, workspace);
        let workspace = workspaces.iter().find(holds).cloned();
        Source {
            level: Level::Plugin,
            format: Format::Plugin(shape),
            file,
            run_dir: root.to_owned(),
            workspace,
        }
    }
}

/// The root of a plugin that somebody named: links resolved, but for the first
/// one that stands in a workspace. Where such a link leads, the workspace
/// decides, so the plugin counts as standing where the link does.
pub(crate) fn plugin_root(named: &Path, workspaces: &[PathBuf]) -> PathBuf {
    const MOST_LINKS: usize = 64;
    let outer: Vec<PathBuf> = workspaces.iter().map(|workspace| settled(workspace)).collect();
    let mut way: VecDeque<PathBuf> = parts(named).collect();
    let (mut here, mut links) = (PathBuf::new(), 0);
    while let Some(part) = way.pop_front() {
        if part == Path::new("..") {
            here.pop();
            continue;
        }
        let next = here.join(part);
        match std::fs::read_link(&next).ok().filter(|_| links < MOST_LINKS) {
            Some(_) if outer.iter().any(|outer| next.starts_with(outer)) => {
                return way.iter().fold(next, |root, part| root.join(part));
            }
            Some(target) => {
                links += 1;
                parts(&target).collect::<Vec<_>>().into_iter().rev().for_each(|part| way.push_front(part));
            }
            None => here = next,
        }
    }
    // Windows knows its links better than the walk does.
    if cfg!(windows) { settled(named) } else { here }
}

/// One name after the other; a root, or a drive with its root, is one of them.
fn parts(path: &Path) -> impl Iterator<Item = PathBuf> {
    let written = path.components().filter(|part| *part != Component::CurDir);
    written.map(|part| PathBuf::from(part.as_os_str()))
}

fn settled(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Whether a directory stands inside another: as it is written, or with its
/// links resolved.
fn is_inside(directory: &Path, outer: &Path) -> bool {
    directory.starts_with(outer)
        || directory.starts_with(settled(outer))
        || settled(directory).starts_with(settled(outer))
}
