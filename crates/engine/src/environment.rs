//! The environment a hook runs in.
//!
//! Hooks inherit it. The documented variables are set when true or known and
//! removed when merely inherited. Enterprise and team hooks start from a clean
//! environment instead (`clean`), because a repository can set variables of the
//! agent. A session's variables never reach a hook of a higher-priority source.
//!
//! The inherited environment is an argument; of the system only the account's
//! entry in `/etc/passwd` is read, for enterprise and team hooks.

#[path = "environment/clean.rs"]
mod clean;

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
    /// The user's home, as the caller determined it.
    pub home: &'a Path,
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

/// The longest value that can be given to a process as one variable, with room
/// for the limit of Linux (128 KiB for one string).
pub const MAX_VALUE_BYTES: usize = 96 * 1024;

/// What a hooks file says about the environment of its hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredEnvironment {
    /// Variables with fixed values.
    pub set: Vec<(String, String)>,
    /// Names that enterprise and team hooks inherit; other hooks inherit all.
    pub inherit: Vec<String>,
}

impl Surroundings<'_> {
    /// The first variable whose value from the payload no process can be given.
    pub fn unusable_value(&self) -> Option<(&'static str, String)> {
        let project = self.project_dir.to_string_lossy();
        let values = [
            ("CURSOR_PROJECT_DIR", Some(&*project)),
            ("CURSOR_VERSION", Some(&*self.version)),
            ("CURSOR_USER_EMAIL", self.user_email.as_deref()),
            ("CURSOR_TRANSCRIPT_PATH", self.transcript.as_deref()),
        ];
        values.into_iter().find_map(|(name, value)| Some((name, problem_with_value(value?)?)))
    }
}

/// Why a value cannot be given to a process as a variable.
pub fn problem_with_value(value: &str) -> Option<String> {
    if value.len() > MAX_VALUE_BYTES {
        return Some(format!("its value has {} bytes, and {MAX_VALUE_BYTES} is the most", value.len()));
    }
    value.contains('\0').then(|| "its value holds a NUL".to_owned())
}

/// Environments that were made before. Making one costs more than a look, and
/// the runner keeps what it laid out for the same value.
#[derive(Debug, Default)]
pub struct Environments(Mutex<Vec<Made>>);

#[derive(Debug)]
struct Made {
    level: Level,
    source: PathBuf,
    declared: Option<Arc<DeclaredEnvironment>>,
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
        declared: Option<&Arc<DeclaredEnvironment>>,
        around: &Surroundings<'_>,
    ) -> Arc<Vec<(OsString, OsString)>> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let written = source.as_os_str();
        let fits = |one: &Made| {
            one.level == level
                && one.source.as_os_str() == written
                && one.declared.as_ref() == declared
                && one.key.fits(around)
        };
        if let Some(one) = made.iter().find(|one| fits(one)) {
            return Arc::clone(&one.env);
        }
        let env = Arc::new(environment(level, source, declared.map(Arc::as_ref), around));
        if made.len() == MOST_MADE {
            made.remove(0);
        }
        let (source, declared) = (source.to_owned(), declared.cloned());
        made.push(Made { level, source, declared, key: Key::of(around), env: Arc::clone(&env) });
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

/// The whole environment of one hook.
///
/// Enterprise and team hooks start from a clean environment (`clean`); all
/// others inherit ours. `declared` is what the hook's own file sets or lists.
pub fn environment(
    level: Level,
    source: &Path,
    declared: Option<&DeclaredEnvironment>,
    around: &Surroundings<'_>,
) -> Vec<(OsString, OsString)> {
    let inheritable = |name: &OsString| {
        let text = name.to_string_lossy();
        !DOCUMENTED.contains(&&*text) && !text.starts_with("BOATHOOK_")
    };
    let mut env = if level.is_managed() {
        clean::managed_environment(declared, around)
    } else {
        let all = around.inherited.iter();
        all.filter(|(name, _)| inheritable(name)).cloned().collect()
    };
    for (name, value) in declared.iter().flat_map(|declared| &declared.set) {
        set(&mut env, name, value);
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

/// A session's variable reaches the hooks of its own and of lower priorities:
/// no source changes what the hooks of a higher one find.
fn reaches(variable: &Variable, level: Level) -> bool {
    !DOCUMENTED.contains(&variable.name.as_str()) && variable.level <= level
}

/// Whether only Boathook sets this name: no file and no session may.
pub fn is_reserved(name: &str) -> bool {
    DOCUMENTED.contains(&name) || name.starts_with("BOATHOOK_")
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
            home: Path::new("/home/me"),
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
        let env =
            environment(Level::User, Path::new("/h/.cursor/hooks.json"), None, &around(&inherited, &[]));
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
    fn red_team_c3_managed_hooks_start_from_an_allow_list() {
        let pairs = [
            ("LD_PRELOAD", "x"),
            ("CURL_HOME", "x"),
            ("http_proxy", "x"),
            ("ALL_PROXY", "x"),
            ("SSL_CERT_FILE", "x"),
            ("XDG_CONFIG_HOME", "x"),
            ("NEVER_HEARD_OF", "x"),
        ];
        let mut given = inherited(&pairs);
        let odd = [("PATH", "/evil:/usr/bin"), ("HOME", "/evil"), ("TERM", "dumb"), ("LANG", "/evil/x")];
        given.extend(inherited(&odd));
        given.extend(inherited(&[("TMPDIR", "/work/evil"), ("TZ", "Europe/Berlin"), ("LC_ALL", "C.UTF-8")]));
        let source = Path::new("/etc/cursor/hooks.json");
        for level in [Level::Enterprise, Level::Team] {
            let managed = environment(level, source, None, &around(&given, &[]));
            for (name, _) in pairs {
                assert_eq!(value(&managed, name), None, "{name}");
            }
            assert_eq!(value(&managed, "HOME").as_deref(), Some("/home/me"));
            assert!(!value(&managed, "PATH").expect("a PATH").contains("evil"));
            assert_eq!(value(&managed, "LANG"), None);
            assert_eq!(value(&managed, "TMPDIR"), None);
            assert_eq!(value(&managed, "TERM").as_deref(), Some("dumb"));
            assert_eq!(value(&managed, "TZ").as_deref(), Some("Europe/Berlin"));
            assert_eq!(value(&managed, "LC_ALL").as_deref(), Some("C.UTF-8"));
        }
        let users = environment(Level::User, source, None, &around(&given, &[]));
        assert_eq!(value(&users, "CURL_HOME").as_deref(), Some("x"));
        let declared = DeclaredEnvironment {
            set: vec![("PATH".to_owned(), "/opt/policy".to_owned())],
            inherit: vec!["NEVER_HEARD_OF".to_owned()],
        };
        let managed = environment(Level::Team, source, Some(&declared), &around(&given, &[]));
        assert_eq!(value(&managed, "PATH").as_deref(), Some("/opt/policy"));
        assert_eq!(value(&managed, "NEVER_HEARD_OF").as_deref(), Some("x"));
        assert_eq!(value(&managed, "CURL_HOME"), None);
    }

    #[test]
    fn red_team_h5_session_variables_never_reach_a_higher_priority() {
        let of = |level, name: &str| Variable { name: name.to_owned(), value: "s".to_owned(), level };
        let session = [
            of(Level::Project, "CURL_HOME"),
            of(Level::Project, "TICKET"),
            of(Level::Project, "CURSOR_VERSION"),
            of(Level::Enterprise, "POLICY"),
        ];
        let source = Path::new("/x/hooks.json");
        let cases = [
            (Level::Enterprise, "CURL_HOME", None),
            (Level::Enterprise, "TICKET", None),
            (Level::Team, "TICKET", None),
            (Level::Enterprise, "POLICY", Some("s")),
            (Level::Team, "POLICY", Some("s")),
            (Level::Project, "TICKET", Some("s")),
            (Level::User, "TICKET", Some("s")),
            (Level::User, "CURSOR_VERSION", Some("3.0.0")),
        ];
        for (level, name, expected) in cases {
            let env = environment(level, source, None, &around(&[], &session));
            assert_eq!(value(&env, name).as_deref(), expected, "{level:?} {name}");
        }
    }
}
