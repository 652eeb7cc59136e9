//! What a reader must know about the machine. No names, no paths.

use std::fs;
use std::process::Command;

use crate::command;

/// One line per fact.
pub fn facts() -> Vec<String> {
    let said = |program: &str, args: &[&str]| command::output_of(Command::new(program).args(args)).ok();
    let first_line = |text: String| text.lines().next().unwrap_or_default().trim().to_owned();
    let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpus.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_once(':').map_or("unknown", |(_, value)| value.trim()).to_owned()
    };
    let count = cpus.lines().filter(|line| line.starts_with("processor")).count();
    let virtual_machine = if cpus.contains(" hypervisor") { ", a virtual machine" } else { "" };
    let mut facts = vec![format!("{count} processors ({}){virtual_machine}", field("model name"))];
    let kernel = said("uname", &["-r"]).unwrap_or_default();
    // What follows the version names a build, and with it perhaps a machine.
    let version: String = kernel.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    facts.push(format!("Linux {}", version.trim_end_matches('.')));
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    facts.push(format!("load average {} when the run began", load.split(' ').next().unwrap_or("unknown")));
    let rest = [
        said("getconf", &["GNU_LIBC_VERSION"]),
        said("rustc", &["--version"]),
        said("node", &["--version"]).map(|version| format!("Node {version}")),
        said("bash", &["--version"]).map(first_line),
    ];
    facts.extend(rest.into_iter().flatten().map(|fact| fact.trim().to_owned()));
    facts
}
