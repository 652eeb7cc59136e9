//! The environment a hook runs in.
//!
//! Hooks inherit it. The documented variables are set when true or known and
//! removed when merely inherited. Enterprise and team hooks lose the names
//! that steer other programs, and a session's variables of that kind never
//! reach a hook of a higher-priority source.
//!
//! Touches nothing: the inherited environment is an argument.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::session::Variable;
use crate::source::Level;

/// A hook of ours that calls us again finds here how deep it is,
pub const DEPTH: &str = "BOATHOOK_DEPTH";
/// and the source files it was called from.
pub const CALLED_FROM: &str = "BOATHOOK_CALLED_FROM";

/// What the variables of an event's hooks are made from.
#[derive(Debug, Clone)]
pub struct Surroundings<'a> {
    /// What we were started with.
    pub inherited: &'a [(OsString, OsString)],
    /// The first workspace root.
    pub project_dir: PathBuf,
    /// Version of the host.
    pub version: Cow<'a, str>,
    /// The signed-in user.
    pub user_email: Option<Cow<'a, str>>,
    /// The conversation's transcript file.
    pub transcript: Option<Cow<'a, str>>,
    /// Whether the workspace is remote.
    pub remote: bool,
    /// The session's variables.
    pub session: &'a [Variable],
    /// How deep we are called by our own hooks.
    pub depth: u32,
    /// The source files we were called from.
    pub called_from: &'a [OsString],
}

/// Environments that were made before. Making one costs more than a look, and
/// the runner keeps what it laid out for the same value.
#[derive(Debug, Default)]
pub struct Environments(Mutex<Vec<Made>>);

#[derive(Debug)]
struct Made {
    level: Level,
    source: PathBuf,
    key: Key,
    env: Arc<Vec<(OsString, OsString)>>,
}

/// Everything an environment depends on but what never changes in an engine.
#[derive(Debug, PartialEq)]
struct Key {
    project_dir: PathBuf,
    version: String,
    user_email: Option<String>,
    transcript: Option<String>,
    session: Vec<Variable>,
}

/// One conversation in a few workspaces needs this many.
const MOST_MADE: usize = 32;

impl Environments {
    /// The environment of a hook of this source.
    pub fn get(
        &self,
        level: Level,
        source: &Path,
        around: &Surroundings<'_>,
    ) -> Arc<Vec<(OsString, OsString)>> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = source.as_os_str();
        let fits =
            |one: &Made| one.level == level && one.source.as_os_str() == written && one.key.fits(around);
        if let Some(one) = made.iter().find(|one| fits(one)) {
            return Arc::clone(&one.env);
        }
        let env = Arc::new(environment(level, source, around));
        if made.len() == MOST_MADE {
            made.remove(0);
        }
        made.push(Made { level, source: source.to_owned(), key: Key::of(around), env: Arc::clone(&env) });
        env
    }
}

impl Key {
    fn of(around: &Surroundings<'_>) -> Key {
        Key {
            project_dir: around.project_dir.clone(),
            version: around.version.clone().into_owned(),
            user_email: around.user_email.clone().map(Cow::into_owned),
            transcript: around.transcript.clone().map(Cow::into_owned),
            session: around.session.to_vec(),
        }
    }

    fn fits(&self, around: &Surroundings<'_>) -> bool {
        self.project_dir.as_os_str() == around.project_dir.as_os_str()
            && self.version == around.version
            && self.user_email.as_deref() == around.user_email.as_deref()
            && self.transcript.as_deref() == around.transcript.as_deref()
            && self.session == around.session
    }
}

/// The documented variables: ours to set, never merely inherited.
const DOCUMENTED: &[&str] = &[
    "CURSOR_PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
    "CURSOR_VERSION",
    "CURSOR_USER_EMAIL",
    "CURSOR_TRANSCRIPT_PATH",
    "CURSOR_CODE_REMOTE",
    "CURSOR_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_ENV_FILE",
];

/// Names that steer other programs: loaders, shells, interpreters, git, pagers.
const STEERING: &[&str] = &[
    "IFS",
    "CDPATH",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PS4",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "FPATH",
    "ZDOTDIR",
    "NULLCMD",
    "READNULLCMD",
    "TERMCAP",
    "PATH_LOCALE",
    "NLSPATH",
    "HOSTALIASES",
    "RES_OPTIONS",
    "LOCALDOMAIN",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "SSH_ASKPASS",
    "PAGER",
    "LESSOPEN",
    "LESSCLOSE",
    "EDITOR",
    "VISUAL",
    "TMPPREFIX",
    "GCONV_PATH",
    "LOCPATH",
    "OPENSSL_CONF",
    "MANPAGER",
];
/// The same, by how they begin.
const STEERING_FAMILIES: &[&str] = &[
    "LD_",
    "_RLD",
    "DYLD_",
    "PERL",
    "PYTHON",
    "RUBY",
    "BUN_",
    "DENO_",
    "GIT_",
    "TERMINFO",
    "BASH_FUNC_",
    "Malloc",
    "BOATHOOK_",
];
/// Needed by every program, so inherited; a session's value for them steers all the same.
const STEERING_IN_A_SESSION: &[&str] = &["PATH", "HOME", "SHELL", "TMPDIR", "USER", "LOGNAME"];

/// Whether this name steers other programs.
pub fn steers(name: &str) -> bool {
    STEERING.contains(&name) || STEERING_FAMILIES.iter().any(|family| name.starts_with(family))
}

/// Whether a value for this name that somebody brings along steers other
/// programs: the same, and what every program needs.
pub fn steers_when_brought(name: &str) -> bool {
    steers(name) || STEERING_IN_A_SESSION.contains(&name)
}

/// The whole environment of one hook.
pub fn environment(level: Level, source: &Path, around: &Surroundings<'_>) -> Vec<(OsString, OsString)> {
    let managed = level.is_managed();
    let mut env: Vec<(OsString, OsString)> = Vec::with_capacity(around.inherited.len() + 8);
    for (name, value) in around.inherited {
        let text = name.to_string_lossy();
        if DOCUMENTED.contains(&&*text) || text.starts_with("BOATHOOK_") || (managed && steers(&text)) {
            continue;
        }
        let value = if managed && text == "PATH" { without_relative_entries(value) } else { value.clone() };
        env.push((name.clone(), value));
    }
    for variable in around.session {
        if reaches(variable, level) {
            set(&mut env, &variable.name, &variable.value);
        }
    }
    set(&mut env, "CURSOR_PROJECT_DIR", &around.project_dir);
    set(&mut env, "CLAUDE_PROJECT_DIR", &around.project_dir);
    set(&mut env, "CURSOR_VERSION", &*around.version);
    if let Some(email) = around.user_email.as_deref() {
        set(&mut env, "CURSOR_USER_EMAIL", email);
    }
    if let Some(transcript) = around.transcript.as_deref() {
        set(&mut env, "CURSOR_TRANSCRIPT_PATH", transcript);
    }
    if around.remote {
        set(&mut env, "CURSOR_CODE_REMOTE", "true");
    }
    set(&mut env, DEPTH, (around.depth + 1).to_string());
    let mut called_from = around.called_from.to_vec();
    called_from.push(source.as_os_str().to_owned());
    if let Ok(list) = std::env::join_paths(called_from) {
        set(&mut env, CALLED_FROM, list);
    }
    env
}

/// A session's variable reaches every later hook; one that steers other
/// programs does not reach hooks of a higher priority than its own.
fn reaches(variable: &Variable, level: Level) -> bool {
    let name = variable.name.as_str();
    let steering = steers_when_brought(name);
    !DOCUMENTED.contains(&name) && (!steering || variable.level <= level)
}

/// A directory that is not absolute is wherever the agent happens to be.
fn without_relative_entries(path: &OsStr) -> OsString {
    let kept = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    std::env::join_paths(kept).unwrap_or_default()
}

fn set(env: &mut Vec<(OsString, OsString)>, name: &str, value: impl AsRef<OsStr>) {
    let value = value.as_ref().to_owned();
    match env.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => env.push((name.into(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around<'a>(inherited: &'a [(OsString, OsString)], session: &'a [Variable]) -> Surroundings<'a> {
        Surroundings {
            inherited,
            project_dir: PathBuf::from("/work"),
            version: "3.0.0".into(),
            user_email: None,
            transcript: None,
            remote: false,
            session,
            depth: 0,
            called_from: &[],
        }
    }

    fn value(env: &[(OsString, OsString)], name: &str) -> Option<String> {
        env.iter().find(|(known, _)| known == name).map(|(_, value)| value.to_string_lossy().into_owned())
    }

    fn inherited(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn documented_variables_are_never_merely_inherited() {
        let inherited =
            inherited(&[("CURSOR_TRANSCRIPT_PATH", "/old"), ("CURSOR_CODE_REMOTE", "true"), ("HOME", "/h")]);
        let env = environment(Level::User, Path::new("/h/.cursor/hooks.json"), &around(&inherited, &[]));
        let expected = [
            ("CURSOR_TRANSCRIPT_PATH", None),
            ("CURSOR_CODE_REMOTE", None),
            ("HOME", Some("/h")),
            ("CURSOR_PROJECT_DIR", Some("/work")),
            ("CLAUDE_PROJECT_DIR", Some("/work")),
            ("CURSOR_VERSION", Some("3.0.0")),
            ("BOATHOOK_DEPTH", Some("1")),
        ];
        for (name, expected) in expected {
            assert_eq!(value(&env, name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn managed_hooks_lose_what_steers_other_programs() {
        let pairs = [
            ("LD_PRELOAD", "x"),
            ("BASH_ENV", "x"),
            ("NODE_OPTIONS", "x"),
            ("BASH_FUNC_ls%%", "x"),
            ("GIT_DIR", "x"),
        ];
        let mut given = inherited(&pairs);
        given.extend(inherited(&[("PATH", ".:/usr/bin::/bin"), ("TERM", "dumb")]));
        let source = Path::new("/etc/cursor/hooks.json");
        let managed = environment(Level::Enterprise, source, &around(&given, &[]));
        let users = environment(Level::User, source, &around(&given, &[]));
        for (name, _) in pairs {
            assert_eq!(value(&managed, name), None, "{name}");
            assert_eq!(value(&users, name).as_deref(), Some("x"), "{name}");
        }
        assert_eq!(value(&managed, "PATH").as_deref(), Some("/usr/bin:/bin"));
        assert_eq!(value(&managed, "TERM").as_deref(), Some("dumb"));
    }

    #[test]
    fn a_sessions_steering_names_never_climb() {
        let of = |level, name: &str| Variable { name: name.to_owned(), value: "s".to_owned(), level };
        let session =
            [of(Level::Project, "PATH"), of(Level::Project, "TICKET"), of(Level::Project, "CURSOR_VERSION")];
        let source = Path::new("/x/hooks.json");
        let given = inherited(&[("PATH", "/bin")]);
        let cases = [
            (Level::Enterprise, "PATH", "/bin"),
            (Level::Enterprise, "TICKET", "s"),
            (Level::Project, "PATH", "s"),
            (Level::User, "PATH", "s"),
            (Level::User, "CURSOR_VERSION", "3.0.0"),
        ];
        for (level, name, expected) in cases {
            let env = environment(level, source, &around(&given, &session));
            assert_eq!(value(&env, name).as_deref(), Some(expected), "{level:?} {name}");
        }
    }
}
