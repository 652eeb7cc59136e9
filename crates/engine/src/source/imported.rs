//! Sources of other products: Claude Code's settings, and plugins.

use std::path::{Path, PathBuf};

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

/// Whether a directory stands inside another, links resolved.
fn is_inside(directory: &Path, outer: &Path) -> bool {
    let settled = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    directory.starts_with(outer) || settled(directory).starts_with(settled(outer))
}
