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
    connectrpc_build::Config::new()
        .files(&[FILE])
        .descriptor_set(described)
        .include_file("dashboard.rs")
        .client_feature_name("client")
        .compile()?;
    Ok(())
}
