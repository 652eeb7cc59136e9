//! Installs the pinned agents from the npm registry, each once, into `target/agents`.

use std::path::{Path, PathBuf};

use crate::npm::{self, Missing};
use crate::rig::{Package, Rig};

/// An agent that is there.
pub struct Installed {
    /// The program to start.
    pub program: PathBuf,
    /// The `PATH` to start it with.
    pub path: String,
}

/// The agent, installed now or earlier.
pub fn install(agents: &Path, rig: &dyn Rig) -> Result<Installed, Missing> {
    let Package { npm, version, program, node } = rig.package();
    let directory = agents.join(format!("{}-{version}", rig.agent()));
    npm::once(&directory, &format!("{npm}@{version}"))?;
    let path = npm::path_with_node(agents, node)?;
    let program = directory.join("node_modules/.bin").join(program);
    match program.exists() {
        true => Ok(Installed { program, path }),
        false => Err(Missing::Failed(format!("{npm} {version} has no {}", program.display()))),
    }
}
