//! `cargo xtask browser`: walks the panel in a real Chromium, and lets axe look at every page.
//!
//! Here is only what has to be there for it. What is seen and clicked stands in
//! `xtask/browser`, in JavaScript: that is what drives a browser.

use std::path::PathBuf;
use std::process::Command;

use crate::command::{self, Outcome, cargo};
use crate::npm::{self, Missing};
use crate::progress::Progress;
use crate::{project, tools};

const PUPPETEER: &str = "25.16.0";
const AXE: &str = "4.14.0";

/// The Node that this Puppeteer asks for.
const NODE: u32 = 22;

const STEP: &str = "the panel in a real browser";

/// The names a Chromium has, here and there.
const CHROMIUMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// The walk alone. Whoever asks for it wants to see it: that it cannot be done is an error.
pub fn browser() -> Outcome<()> {
    let mut progress = Progress::of("browser");
    let there = progress.step("Chromium and what drives it", install)?;
    walk_with(&there?, &mut progress)?;
    progress.finish();
    Ok(())
}

/// The walk as a part of all tests. A machine that cannot have a browser is no
/// failure of a change: that is said aloud.
pub fn walk(progress: &mut Progress) -> Outcome<()> {
    match progress.step("Chromium and what drives it", install)? {
        Ok(there) => walk_with(&there, progress),
        Err(reason) => {
            progress.skip(STEP, &reason);
            Ok(())
        }
    }
}

/// What a walk needs.
struct There {
    chromium: PathBuf,
    puppeteer: PathBuf,
    axe: PathBuf,
    /// The `PATH` with a Node that is new enough.
    path: String,
}

/// The inner error is why this machine cannot have it.
fn install() -> Outcome<Result<There, String>> {
    let chromium = match chromium() {
        Ok(chromium) => chromium,
        Err(reason) => return Ok(Err(reason)),
    };
    match packages(chromium) {
        Ok(there) => Ok(Ok(there)),
        Err(Missing::Unreachable(reason)) => Ok(Err(reason)),
        Err(Missing::Failed(reason)) => Err(reason),
    }
}

fn chromium() -> Result<PathBuf, String> {
    let mut missing = tools::install_packages(tools::FOR_BROWSER)?;
    let found = chromium_on_path();
    // Debian's package is one way to have it.
    missing.retain(|package| package.name != "chromium" || found.is_none());
    match found {
        Some(chromium) if missing.is_empty() => Ok(chromium),
        Some(_) | None => Err(tools::advice(&missing)),
    }
}

fn chromium_on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = CHROMIUMS.iter().flat_map(|name| directories.iter().map(move |directory| directory.join(name)));
    all.into_iter().find(|program| command::works(&program.to_string_lossy(), &["--version"]))
}

fn packages(chromium: PathBuf) -> Result<There, Missing> {
    let target = project::target().map_err(Missing::Failed)?;
    let [puppeteer, axe] = [("puppeteer-core", PUPPETEER), ("axe-core", AXE)].map(|(name, version)| {
        let directory = target.join("browser").join(format!("{name}-{version}"));
        npm::once(&directory, &format!("{name}@{version}")).map(|()| directory)
    });
    // The agents' Node serves here, too: it is a large package.
    let path = npm::path_with_node(&target.join("agents"), NODE)?;
    Ok(There { chromium, puppeteer: puppeteer?, axe: axe?, path })
}

fn walk_with(there: &There, progress: &mut Progress) -> Outcome<()> {
    progress.step("Boathook", || {
        command::run(cargo().current_dir(project::root()).args(["build", "--quiet", "--package", "boathook"]))
    })?;
    let target = project::target()?;
    progress.step(STEP, || {
        let mut node = Command::new("node");
        node.env("PATH", &there.path).arg(project::root().join("xtask/browser/walk.mjs"));
        node.arg("--boathook").arg(target.join("debug/boathook")).arg("--chromium").arg(&there.chromium);
        node.arg("--puppeteer").arg(&there.puppeteer).arg("--axe").arg(&there.axe);
        command::run(node.arg("--shots").arg(target.join("browser/shots")))
    })
}
