//! This machine: its name, and what it knows of its team.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Stdio;

use boathook_engine::source::Os;

use crate::team::{Login, Place};

/// Where the things of a home's team are. Nothing is asked of any server from
/// there.
fn place_of(state: &Path, home: &Path) -> Place {
    Place { state: state.join("team"), home: home.to_owned(), os: Os::current(), environment: Vec::new() }
}

/// Who works here, as the team knows them. Most machines are in no team, and
/// that must cost nothing.
pub fn team_email(state: &Path, home: &Path) -> Option<String> {
    let place = place_of(state, home);
    if !place.state.join("login.json").exists() {
        return None;
    }
    Login::read(&place).ok()??.email
}

/// What this machine is called.
pub fn host_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "a machine".to_owned() } else { name }
}

/// Variables that a sync in the background keeps: a repository can set those
/// that agents hand on, and a certificate it brings must not count.
const KEPT: [&str; 16] = [
    "PATH",
    "LANG",
    "TZ",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SystemRoot",
    "USERPROFILE",
    "APPDATA",
    "TEMP",
];

/// Starts `boathook team sync --quiet` for this home, and waits for nothing:
/// not for its end, and not for its output. With `now` it does not ask whether
/// it is due. False when it could not be started.
pub fn start_sync(state: &Path, home: &Path, now: bool) -> bool {
    // The program finds its state by this variable alone.
    let (Some(above), true) = (state.parent(), state.file_name() == Some(OsStr::new("boathook"))) else {
        return false;
    };
    let Ok(program) = env::current_exe() else { return false };
    let kept = env::vars_os().filter(|(name, _)| KEPT.iter().any(|kept| name == kept));
    let kept: Vec<(OsString, OsString)> = kept.collect();
    let mut command = std::process::Command::new(program);
    command.args(["team", "sync", "--quiet"]).args(now.then_some("--now")).current_dir("/");
    command.env_clear().envs(kept).env("HOME", home).env("XDG_STATE_HOME", above);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Whoever ends our group must not end it in the middle.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().is_ok()
}
