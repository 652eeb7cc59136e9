//! Where the user lives: the home, our state (trust, log, sessions) and our
//! configuration.
//!
//! Commands that a person types follow HOME and the XDG variables. What an agent
//! calls follows the words in its own settings, because a repository can set the
//! variables that agents hand on.

use std::env;
use std::path::{Path, PathBuf};

/// Where the user's things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dwelling {
    pub home: PathBuf,
    /// Our own folder in it.
    pub state: PathBuf,
    /// Our own folder in it.
    pub config: PathBuf,
}

/// What the command in an agent's settings says of that.
#[derive(Debug, Clone, Default, PartialEq, Eq, clap::Args)]
pub struct Given {
    /// The user's home, whatever HOME says
    #[arg(long, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Where trust, log and sessions are [default: .local/state/boathook in the home]
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Where config.toml is [default: .config/boathook in the home]
    #[arg(long, value_name = "DIR")]
    pub config_dir: Option<PathBuf>,
}

/// As HOME and the XDG variables say; none without a home.
pub fn ours() -> Option<Dwelling> {
    let home = of_variable().filter(|home| home.is_absolute())?;
    // XDG wants absolute paths and says to ignore others.
    let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let below = |folder: PathBuf| folder.join("boathook");
    let Dwelling { home, state, config } = Dwelling::of(home);
    Some(Dwelling {
        home,
        state: named("XDG_STATE_HOME").map_or(state, below),
        config: named("XDG_CONFIG_HOME").map_or(config, below),
    })
}

impl Dwelling {
    /// Where things are unless somebody says otherwise.
    pub fn of(home: PathBuf) -> Dwelling {
        let (state, config) = (home.join(".local/state/boathook"), home.join(".config/boathook"));
        Dwelling { home, state, config }
    }

    /// Nowhere.
    pub fn unknown() -> Dwelling {
        Dwelling::of(PathBuf::from("/nonexistent"))
    }

    /// The words that say so in a command, always the same for the same place.
    pub fn words(&self) -> Vec<(&'static str, &Path)> {
        let usual = Dwelling::of(self.home.clone());
        let state = (usual.state != self.state).then_some(("--state-dir", self.state.as_path()));
        let config = (usual.config != self.config).then_some(("--config-dir", self.config.as_path()));
        [("--home", self.home.as_path())].into_iter().chain(state).chain(config).collect()
    }
}

impl Given {
    /// The home that was given, else the one that HOME says.
    pub fn home(&self) -> Option<PathBuf> {
        self.home.clone().or_else(of_variable).filter(|home| home.is_absolute())
    }

    /// Where the user lives, or why that cannot be known.
    pub fn dwelling(&self, workspaces: &[PathBuf]) -> Result<Dwelling, String> {
        let Some(home) = self.home() else { return Err(doubtful("HOME is not an absolute path")) };
        if self.home.is_none()
            && let Some(around) = inside(&home, workspaces)
        {
            let why = format!("HOME is {}, inside of {}", home.display(), around.display());
            return Err(doubtful(&why));
        }
        let usual = Dwelling::of(home);
        let state = self.state_dir.clone().unwrap_or(usual.state);
        let config = self.config_dir.clone().unwrap_or(usual.config);
        Ok(Dwelling { home: usual.home, state, config })
    }

    /// The same, beside somebody whose home is known.
    pub fn beside(&self, ours: &Dwelling) -> Dwelling {
        let usual = Dwelling::of(self.home.clone().unwrap_or_else(|| ours.home.clone()));
        Dwelling {
            state: self.state_dir.clone().unwrap_or(usual.state),
            config: self.config_dir.clone().unwrap_or(usual.config),
            home: usual.home,
        }
    }
}

fn doubtful(why: &str) -> String {
    format!(
        "{why}, so nobody can tell whose hooks guard this, and it is refused. `boathook agent install` writes `--home` into the agent's own settings; or start the agent with your own HOME."
    )
}

fn of_variable() -> Option<PathBuf> {
    env::home_dir()
}

/// The workspace or the repository that a home stands in: then whoever wrote
/// that would say what the user trusts.
fn inside(home: &Path, workspaces: &[PathBuf]) -> Option<PathBuf> {
    let settled = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let home = settled(home);
    let above = |folder: &Path| folder.parent().is_some() && home != folder && home.starts_with(folder);
    let workspace = workspaces.iter().map(|root| settled(root)).find(|root| above(root));
    let repository = || home.ancestors().skip(1).find(|folder| folder.join(".git").exists());
    workspace.or_else(|| repository().map(Path::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_says_is_where_the_user_lives() {
        let usual = Dwelling::of("/home/me".into());
        assert_eq!(usual.words(), [("--home", Path::new("/home/me"))]);
        let moved = Dwelling { state: "/s/boathook".into(), config: "/c/boathook".into(), ..usual.clone() };
        let words = moved.words();
        assert_eq!(
            words.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["--home", "--state-dir", "--config-dir"]
        );
        let given = Given {
            home: Some("/home/me".into()),
            state_dir: Some("/s/boathook".into()),
            config_dir: Some("/c/boathook".into()),
        };
        assert_eq!(given.dwelling(&["/home".into()]), Ok(moved.clone()), "a home that was given is believed");
        assert_eq!(given.beside(&usual), moved);
        assert_eq!(Given::default().beside(&usual), usual);
    }
}
