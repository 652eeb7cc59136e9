//! All integration tests of this package, in one program: with a program for each file, the helpers would be
//! compiled and everything linked as often as there are files.
//!
//! Every file of this folder is declared here as a module; a test finds a file that is not.

// What tests have in common.
mod context;
mod false_daemon;
mod generation;
mod keeping;
mod model;
mod over_http;
mod pages;
mod served;
mod serving;
mod signing_server;
mod team_client;
mod terminal;
mod verdict;
mod visitor;

// The tests.
mod agent_hook;
mod agent_http;
mod agent_install;
mod agent_odd_files;
mod agent_payloads;
mod agent_roots;
mod agent_silencers;
mod agent_status;
mod agent_threats;
mod agent_trail;
mod agent_wiring;
mod check;
mod claude_async;
mod claude_corpus;
mod claude_settings;
mod clients;
mod completions;
mod config_findings;
mod config_properties;
mod conformance;
mod convert_claude;
mod convert_hookify;
mod cookbook;
mod corpus;
mod daemon;
mod daemon_changes;
mod daemon_client;
mod daemon_doors;
mod daemon_http;
mod daemon_kept;
mod daemon_limits;
mod daemon_place;
mod daemon_replies;
mod daemon_resources;
mod dependencies;
mod doctor;
mod enterprise_owner;
mod examples;
mod explain;
mod gates_stay_shut;
mod hookify;
mod hookify_rules;
mod init;
mod install_faults;
mod json_edit_laws;
mod judge;
mod judge_setup;
mod kept_helpers;
mod kept_hooks;
mod kept_in_a_run;
mod list;
mod log;
mod log_follow;
mod man;
mod manual;
mod matcher_laws;
mod monitor;
mod new;
mod opencode_plugin;
mod panel;
mod panel_door;
mod plugins;
mod processes;
mod python_patterns;
mod red_team_answers;
mod red_team_environment;
mod red_team_output;
mod red_team_trust;
mod replay;
mod resource_limits;
mod rules;
mod run;
mod sample_hooks;
mod schema;
mod seed_examples;
mod self_protection;
mod shell_comparison;
mod shell_everyday;
mod shell_reader;
mod tab_edits_laws;
mod team_bundle;
mod team_certificate;
mod team_healing;
mod team_hooks;
mod team_kills;
mod team_login;
mod team_notice;
mod team_refresh;
mod team_server;
mod team_server_postgres;
mod team_sign;
mod team_status;
mod team_threats;
mod team_tuf;
mod test_cases;
mod threats_config;
mod threats_environment;
mod threats_hooks;
mod transport;
mod trust;
mod untrusted;

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
