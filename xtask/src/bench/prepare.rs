//! Builds and installs everything that takes part: the floor, both builds of
//! the engine and of the command, the peers.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, Outcome, cargo};
use crate::dist;
use crate::progress::Progress;
use crate::{project, tools};

use super::coprocess::Coprocess;

const GEMINI: (&str, &str) = ("@google/gemini-cli-core", "0.61.0");
const ADAPTER: (&str, &str) = ("agent-harness-adapter", "0.2.2");

/// Hooks as people write them with our helper.
const NODE_HOOK: &str = r#"import { serve } from "./boathook_hook.mjs";
serve(() => ({ permission: "allow" }));
"#;
const PYTHON_HOOK: &str = r#"from boathook_hook import serve
serve(lambda event: {"permission": "allow"})
"#;
/// A hook as people write them: a line is read, an answer printed.
const BASH_HOOK: &str = "#!/bin/bash\nIFS= read -r input\necho '{\"permission\":\"allow\"}'\n";

/// Where everything stands.
pub struct Laboratory {
    /// Hooks, commands, homes.
    pub directory: PathBuf,
    musl: PathBuf,
    glibc: PathBuf,
    gemini: PathBuf,
}

impl Laboratory {
    /// The engine as it was built for musl.
    pub fn start_musl(&self) -> Outcome<Coprocess> {
        Coprocess::start(
            "the musl build",
            Command::new(&self.musl).arg(&self.directory).current_dir(&self.directory),
        )
    }

    /// The engine as it was built for glibc.
    pub fn start_glibc(&self) -> Outcome<Coprocess> {
        Coprocess::start(
            "the glibc build",
            Command::new(&self.glibc).arg(&self.directory).current_dir(&self.directory),
        )
    }

    /// The peers that live in Node.
    pub fn start_node(&self) -> Outcome<Coprocess> {
        let script = project::root().join("xtask/bench/peers.mjs");
        let mut node = Command::new("node");
        node.arg("--max-old-space-size=512").arg(script).arg(&self.directory).arg(&self.gemini);
        Coprocess::start("Node", &mut node)
    }
}

/// Makes everything ready, with the command or without. The second time most of
/// it is there.
pub fn prepare(progress: &mut Progress, with_command: bool) -> Outcome<Laboratory> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("the benchmark's floor is written for Linux on x86-64".to_owned());
    }
    let musl = dist::static_target().ok_or("there is no static build for this machine")?;
    let directory = project::target()?.join("bench");
    // Homes of an earlier run would bring their logs along.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("system"))
        .and_then(|()| fs::create_dir_all(directory.join("workspace")))
        .map_err(|error| error.to_string())?;

    progress.step("floor", || build_floor(&directory))?;
    progress.step("peers", || install_peers(&directory))?;
    progress.step("target", || dist::ready(musl))?;
    progress.step("launcher", || build_launcher(musl, &directory))?;
    let built_glibc = progress.step("glibc build", || build(None, with_command))?;
    let built_musl = progress.step("musl build", || build(Some(musl), with_command))?;
    if with_command {
        link(&built_glibc.join("boathook"), &directory.join("boathook-glibc"))?;
        link(&built_musl.join("boathook"), &directory.join("boathook-musl"))?;
    }

    let gemini = tools::npm_install(GEMINI.0, GEMINI.1)?.join("node_modules").join(GEMINI.0);
    Ok(Laboratory {
        directory,
        musl: built_musl.join("contender"),
        glibc: built_glibc.join("contender"),
        gemini,
    })
}

/// No C library, no start files: the program is nothing but its own code.
fn build_floor(directory: &Path) -> Outcome<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "--crate-type", "bin", "-C", "opt-level=2", "-C", "panic=abort"]);
    rustc.args(["-C", "relocation-model=static", "-C", "target-feature=+crt-static", "-C", "strip=symbols"]);
    rustc.args(["-C", "link-args=-nostartfiles -nostdlib -static -no-pie"]);
    rustc.arg(project::root().join("xtask/bench/floor.rs")).arg("-o").arg(directory.join("floor"));
    command::run_quietly(&mut rustc)?;
    write_program(&directory.join("hook.bash"), BASH_HOOK)?;
    write_kept_hooks(directory)
}

/// The same answer in two languages, in a script that may stay.
fn write_kept_hooks(directory: &Path) -> Outcome<()> {
    let helpers = project::root().join("helpers");
    for helper in ["boathook_hook.mjs", "boathook_hook.py"] {
        fs::copy(helpers.join(helper), directory.join(helper)).map_err(|error| error.to_string())?;
    }
    write_program(&directory.join("kept.mjs"), NODE_HOOK)?;
    write_program(&directory.join("kept.py"), PYTHON_HOOK)
}

/// Static, like the program it is compared with.
fn build_launcher(target: &str, directory: &Path) -> Outcome<()> {
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-C", "opt-level=3", "-C", "panic=abort", "-C", "strip=symbols"]);
    rustc.args(["-C", "relocation-model=static", "--target", target]);
    rustc.arg(project::root().join("xtask/bench/launcher.rs")).arg("-o").arg(directory.join("launcher"));
    command::run_quietly(&mut rustc)
}

fn install_peers(directory: &Path) -> Outcome<()> {
    let missing = tools::install_packages(tools::FOR_PEERS)?;
    if !missing.is_empty() {
        return Err(tools::advice(&missing));
    }
    tools::npm_install(GEMINI.0, GEMINI.1)?;
    let adapter = tools::cargo_install(ADAPTER.0, ADAPTER.1)?;
    link(&adapter, &directory.join(ADAPTER.0))?;
    let floor = directory.join("floor");
    let entry = format!("{{\"type\": \"command\", \"command\": \"{}\"}}", floor.display());
    let hooks =
        format!("{{\"hooks\": {{\"PreToolUse\": [{{\"matcher\": \"Bash\", \"hooks\": [{entry}]}}]}}}}\n");
    fs::write(directory.join("peer-hooks.json"), hooks).map_err(|error| error.to_string())
}

/// Both programs for one C library, or the contender alone: where they are.
fn build(target: Option<&str>, with_command: bool) -> Outcome<PathBuf> {
    let args = ["build", "--quiet", "--release", "--locked", "-p", "xtask", "--features", "xtask/bench"];
    let mut cargo = cargo();
    cargo.current_dir(project::root()).args(args).args(["--bin", "contender"]);
    if with_command {
        cargo.args(["-p", "boathook", "--bin", "boathook"]);
    }
    if let Some(target) = target {
        cargo.args(dist::for_target(target));
    }
    command::run(&mut cargo)?;
    let built = project::target()?;
    Ok(target.map_or(built.clone(), |target| built.join(target)).join("release"))
}

fn link(program: &Path, name: &Path) -> Outcome<()> {
    std::os::unix::fs::symlink(program, name).map_err(|error| format!("{}: {error}", name.display()))
}

fn write_program(path: &Path, text: &str) -> Outcome<()> {
    fs::write(path, text).map_err(|error| error.to_string())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|error| error.to_string())
}
