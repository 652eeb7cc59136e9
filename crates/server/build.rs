//! Makes the Rust side of `proto/`, without a compiler from outside.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const FILE: &str = "aiserver/v1/dashboard.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/{FILE}");
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let described = Path::new(&out).join("dashboard.bin");
    let compiled = protox::Compiler::new(["proto"])?
        .include_source_info(true)
        .include_imports(true)
        .open_file(FILE)?
        .encode_file_descriptor_set();
    fs::write(&described, compiled)?;
    // Cargo is told to look at this file, too: one that is newer than this run
    // would have everything built again the next time.
    let age = fs::metadata(Path::new("proto").join(FILE))?.modified()?;
    fs::File::options().write(true).open(&described)?.set_modified(age)?;
    connectrpc_build::Config::new()
        .files(&[FILE])
        .descriptor_set(described)
        .include_file("dashboard.rs")
        .client_feature_name("client")
        .compile()?;
    Ok(())
}
