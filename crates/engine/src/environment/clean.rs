//! The clean environment that enterprise and team hooks start from.
//!
//! A repository can set variables of the agent (a `.env`, `env` in a project's
//! settings), and nearly every program has variables that steer it. So only
//! these names are passed on, each with a check of its value; a file that needs
//! more lists it.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};
#[cfg(unix)]
use std::sync::OnceLock;

use super::{DeclaredEnvironment, Surroundings, is_reserved, set};

/// Where programs are found, unless the hooks file sets another `PATH`. On
/// macOS `/usr/local` may belong to a user, so it is not among them.
#[cfg(not(windows))]
const SYSTEM_PATH: &str = if cfg!(target_os = "macos") {
    "/usr/bin:/bin:/usr/sbin:/sbin"
} else {
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin"
};

/// A longer name of a locale, terminal or time zone is not one.
const MAX_NAME_BYTES: usize = 64;

/// The base of a managed hook's environment, and what its file lists.
pub(super) fn managed_environment(
    declared: Option<&DeclaredEnvironment>,
    around: &Surroundings<'_>,
) -> Vec<(OsString, OsString)> {
    let mut env = Vec::new();
    if around.home.is_absolute() {
        set(&mut env, "HOME", around.home);
    }
    for (name, value) in around.inherited {
        if let Some(name) = name.to_str()
            && passes(name, value, around)
        {
            set(&mut env, name, value);
        }
    }
    add_account(&mut env);
    add_system(&mut env, around);
    for name in declared.iter().flat_map(|declared| &declared.inherit).filter(|name| !is_reserved(name)) {
        if let Some((_, value)) = around.inherited.iter().find(|(known, _)| known == name.as_str()) {
            set(&mut env, name, value);
        }
    }
    env
}

/// Whether an inherited variable is passed on.
fn passes(name: &str, value: &OsStr, around: &Surroundings<'_>) -> bool {
    let Some(text) = value.to_str() else { return false };
    match name {
        "TERM" => is_plain_name(text, "._+-"),
        "TZ" => {
            is_plain_name(text, "._+-,:/<>")
                && !text.trim_start_matches(':').starts_with('/')
                && !text.contains("..")
        }
        // A `/` in a locale's name makes the C library load it from that directory.
        "LANG" => is_plain_name(text, "._@-"),
        "TMPDIR" => is_outside_project(value, around),
        "USER" | "LOGNAME" if cfg!(unix) => is_plain_name(text, "._@-"),
        "SHELL" if cfg!(unix) => is_outside_project(value, around),
        _ if name
            .strip_prefix("LC_")
            .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_uppercase())) =>
        {
            is_plain_name(text, "._@-")
        }
        _ => cfg!(windows) && passes_on_windows(name, value, around),
    }
}

fn is_plain_name(text: &str, punctuation: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || punctuation.contains(c);
    text.len() <= MAX_NAME_BYTES && text.chars().all(plain)
}

/// Whether a path is absolute, has no `..`, and is not inside of the workspace, whatever links lead to it
/// (`/proc/self/root` is one).
fn is_outside_project(value: &OsStr, around: &Surroundings<'_>) -> bool {
    let path = Path::new(value);
    let project = &around.project_dir;
    if !path.is_absolute() || path.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    if project.as_os_str().is_empty() {
        return true;
    }
    // A folder that does not exist yet may be created inside of the workspace later.
    let Ok(resolved) = path.canonicalize() else { return false };
    let resolved_project = project.canonicalize().unwrap_or_else(|_| project.clone());
    !path.starts_with(project) && !resolved.starts_with(resolved_project)
}

/// What programs need on Windows: folders, and how commands are found.
fn passes_on_windows(name: &str, value: &OsStr, around: &Surroundings<'_>) -> bool {
    const FOLDERS: [&str; 14] = [
        "SYSTEMROOT",
        "WINDIR",
        "SYSTEMDRIVE",
        "USERPROFILE",
        "HOMEDRIVE",
        "HOMEPATH",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PUBLIC",
        "TEMP",
        "TMP",
    ];
    const NAMES: [&str; 5] = ["USERNAME", "USERDOMAIN", "COMPUTERNAME", "NUMBER_OF_PROCESSORS", "OS"];
    let upper = name.to_ascii_uppercase();
    if NAMES.contains(&upper.as_str()) || matches!(upper.as_str(), "SYSTEMDRIVE" | "HOMEDRIVE" | "HOMEPATH") {
        return true;
    }
    FOLDERS.contains(&upper.as_str()) && is_outside_project(value, around)
}

/// Puts the account's own name and shell in place of inherited ones.
#[cfg(unix)]
fn add_account(env: &mut Vec<(OsString, OsString)>) {
    static ACCOUNT: OnceLock<Option<(String, String)>> = OnceLock::new();
    let read = || {
        let text = std::fs::read_to_string("/etc/passwd").ok()?;
        let user_id = rustix::process::getuid().as_raw().to_string();
        text.lines().find_map(|line| {
            let fields: Vec<&str> = line.split(':').collect();
            let [name, _, id, _, _, _, shell] = fields[..] else { return None };
            (id == user_id).then(|| (name.to_owned(), shell.to_owned()))
        })
    };
    if let Some((name, shell)) = ACCOUNT.get_or_init(read) {
        set(env, "USER", name);
        set(env, "LOGNAME", name);
        if !shell.is_empty() {
            set(env, "SHELL", shell);
        }
    }
}

#[cfg(not(unix))]
fn add_account(_env: &mut Vec<(OsString, OsString)>) {}

#[cfg(not(windows))]
fn add_system(env: &mut Vec<(OsString, OsString)>, _around: &Surroundings<'_>) {
    set(env, "PATH", SYSTEM_PATH);
}

/// The folder of Windows decides which programs run, so only a plain folder of
/// a drive is believed.
#[cfg(windows)]
fn add_system(env: &mut Vec<(OsString, OsString)>, around: &Surroundings<'_>) {
    let is_plain = |text: &str| {
        let bytes = text.as_bytes();
        text.len() > 3
            && bytes[0].is_ascii_alphabetic()
            && &text[1..3] == ":\\"
            && bytes[3..].iter().all(u8::is_ascii_alphanumeric)
    };
    let inherited = around.inherited.iter().find(|(name, _)| name.eq_ignore_ascii_case("SystemRoot"));
    let given =
        inherited.and_then(|(_, value)| value.to_str()).filter(|text| text.is_ascii() && is_plain(text));
    let root = given.unwrap_or("C:\\Windows").to_owned();
    env.retain(|(name, _)| !name.eq_ignore_ascii_case("SystemRoot") && !name.eq_ignore_ascii_case("windir"));
    set(
        env,
        "Path",
        format!(r"{root}\System32;{root};{root}\System32\Wbem;{root}\System32\WindowsPowerShell\v1.0"),
    );
    set(env, "ComSpec", format!(r"{root}\System32\cmd.exe"));
    set(env, "PATHEXT", ".COM;.EXE;.BAT;.CMD");
    set(env, "windir", &root);
    set(env, "SystemRoot", root);
}
