//! Hands an address to the user's browser.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use boathook_engine::source::{Os, marked_workspace};

use super::dwelling;
use crate::program_search::ProgramSearch;

/// Names the browser for `xdg-open`, as names or paths with colons between them.
const BROWSER: &str = "BROWSER";

/// Opens an address; says whether a program took it. That program may live as long as the browser, so its end is not
/// waited for. It is found on the PATH, but never in a workspace: one that is named here, or any other.
pub fn open_in_browser(url: &str, workspaces: &[PathBuf]) -> bool {
    let Some(mut command) = opener(workspaces) else { return false };
    let quiet = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = quiet.spawn() else { return false };
    std::thread::spawn(move || child.wait());
    true
}

fn opener(workspaces: &[PathBuf]) -> Option<std::process::Command> {
    // `start` of Windows is a word of its shell, which reads more into an address.
    let (name, first): (_, &[&str]) = match Os::current() {
        Os::Macos => ("open", &[]),
        Os::Windows => ("rundll32.exe", &["url.dll,FileProtocolHandler"]),
        Os::Linux => ("xdg-open", &[]),
    };
    let home = dwelling::ours().map(|ours| ours.home).unwrap_or_default();
    let here = env::current_dir().ok();
    let around = here.as_deref().and_then(|here| marked_workspace(here, &home));
    let known: Vec<PathBuf> = workspaces.iter().cloned().chain(around).collect();
    let search = ProgramSearch::of(env::var_os("PATH").unwrap_or_default(), &home, &known);
    let mut command = std::process::Command::new(search.find_outside_workspaces(name)?);
    // It is a script that starts more programs by their names.
    command.args(first).env("PATH", search.path_outside_workspaces());
    if env::var(BROWSER).is_ok_and(|list| list.split(':').any(|it| is_doubtful(it, &search))) {
        command.env_remove(BROWSER);
    }
    Some(command)
}

/// Whether the browser is named by a path that depends on the current directory, or that a workspace brings.
fn is_doubtful(browser: &str, search: &ProgramSearch) -> bool {
    let program = Path::new(browser.split_whitespace().next().unwrap_or_default());
    browser.contains('/') && (!program.is_absolute() || search.is_of_workspace(program))
}
