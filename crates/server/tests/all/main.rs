//! All integration tests of this package, in one program: with a program for each file, the helpers would be
//! compiled and everything linked as often as there are files.
//!
//! Every file of this folder is declared here as a module; a test finds a file that is not.

// What tests have in common.
mod office;
mod postgres;

// The tests.
mod store;
mod team_api;
mod team_keys;
mod team_operate;
mod team_publish;
mod team_python;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A file that is not declared is not compiled, so its tests would be lost without an error.
#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all");
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let stems = entries.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned());
    let there: BTreeSet<String> = stems.filter(|stem| stem != "main").collect();
    let named =
        include_str!("main.rs").lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(there, named.map(str::to_owned).collect());
}
