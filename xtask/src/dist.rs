//! `cargo xtask dist`: the static binary that is shipped.

use std::fs;
use std::path::PathBuf;

use crate::command::{self, Outcome, cargo};
use crate::progress::Progress;
use crate::{project, tools};

/// Builds it, and says where it is.
pub fn dist() -> Outcome<()> {
    let mut progress = Progress::of("dist");
    let binary = build(&mut progress)?;
    let size = fs::metadata(&binary).map_err(|error| format!("{}: {error}", binary.display()))?.len();
    progress.finish();
    println!("{} ({:.2} MB)", binary.display(), size as f64 / 1e6);
    Ok(())
}

/// Builds it: the release profile strips it.
pub fn build(progress: &mut Progress) -> Outcome<PathBuf> {
    let target = static_target().ok_or("the static build exists for Linux only")?;
    progress.step(&format!("target {target}"), || ready(target))?;
    progress.step("static release build", || {
        let args = ["build", "--release", "--locked", "--package", "boathook"];
        command::run(cargo().current_dir(project::root()).args(args).args(for_target(target)))
    })?;
    Ok(project::target()?.join(target).join("release/boathook"))
}

/// Installs what the static target needs: Rust's part of it, and a compiler for
/// the C in SQLite.
pub fn ready(target: &str) -> Outcome<()> {
    tools::add_target(target)?;
    let missing = tools::install_packages(tools::FOR_STATIC)?;
    if missing.is_empty() { Ok(()) } else { Err(tools::advice(&missing)) }
}

/// What every cargo command for the static target is given.
///
/// A program at a fixed address has nothing to relocate, so it starts sooner
/// and shares more of its pages. What it hashes is small, and to ask the
/// processor whether it can do that itself takes longer than the hashing: in a
/// virtual machine the answer comes from the host. And the functions that a call
/// of an agent goes through stand side by side (`xtask/hot`), so that few pages
/// of a large program are touched.
pub fn for_target(target: &str) -> [String; 4] {
    let order = project::root().join("xtask/hot.ld");
    let flags = [
        "-Crelocation-model=static".to_owned(),
        "-Csymbol-mangling-version=v0".to_owned(),
        r#"--cfg=sha2_256_backend="soft""#.to_owned(),
        "-Clink-arg=-T".to_owned(),
        format!("-Clink-arg={}", order.display()),
    ];
    let flags = format!("target.{target}.rustflags = {flags:?}");
    ["--target".to_owned(), target.to_owned(), "--config".to_owned(), flags]
}

/// The target without a C library outside the binary, on the machine's own processor.
pub fn static_target() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Some("x86_64-unknown-linux-musl"),
        ("linux", "aarch64") => Some("aarch64-unknown-linux-musl"),
        _ => None,
    }
}
