//! The engine stays small: what its dependency tree must not hold.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_engine_has_no_runtime_and_no_network() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "-p", "boathook-engine", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo tree");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let packages: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(packages.contains("serde_json"), "the tree was read");
    assert!(packages.len() < 40, "{} packages: {packages:?}", packages.len());
    let banned = [
        "tokio",
        "async-std",
        "smol",
        "futures",
        "mio",
        "hyper",
        "reqwest",
        "ureq",
        "curl",
        "rustls",
        "native-tls",
        "openssl",
        "ring",
        "aws-lc-rs",
        "h2",
        "http",
    ];
    for name in banned {
        assert!(!packages.contains(name), "{name} is in the engine's tree");
    }
}
