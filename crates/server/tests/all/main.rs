//! All integration tests of this package, in one program: with a program for each file, the helpers would be
//! compiled and everything linked as often as there are files.
//!
//! Whatever stands in this folder is a module that is named here; a test looks for one that was forgotten.

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

/// What is not named is not compiled, and its tests would be missed by nobody.
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
