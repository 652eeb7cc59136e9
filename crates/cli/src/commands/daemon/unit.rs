//! What tells the system to start the daemon: a unit of systemd, or an agent of
//! launchd. Pure: places and variables are arguments.

use std::path::{Path, PathBuf};

use boathook_engine::source::Os;

use crate::settings::Dwelling;

/// Every file of ours says so in these words.
pub const MARK: &str = "Written by `boathook daemon install`";

const LABEL: &str = "boathook.daemon";
/// Below the folder of the user's configuration.
const UNIT: &str = "systemd/user/boathook.service";

/// A file for the system, and the commands that make it count.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    pub file: PathBuf,
    pub text: String,
    pub enable: String,
    pub disable: String,
}

impl Unit {
    /// `command` is the program and its words. None where no such thing is known.
    pub fn of(os: Os, dwelling: &Dwelling, command: &[String], path: &str) -> Option<Unit> {
        match os {
            Os::Linux => Some(systemd(dwelling, command, path)),
            Os::Macos => Some(launchd(dwelling, command, path)),
            Os::Windows => None,
        }
    }
}

/// Where such a file may be, on any system.
pub fn unit_files(home: &Path, config: &Path) -> Vec<PathBuf> {
    let units = [config.parent().unwrap_or(home), &home.join(".config")].map(|folder| folder.join(UNIT));
    units.into_iter().chain([agent_file(home)]).collect()
}

fn agent_file(home: &Path) -> PathBuf {
    home.join(format!("Library/LaunchAgents/{LABEL}.plist"))
}

fn systemd(dwelling: &Dwelling, command: &[String], path: &str) -> Unit {
    let folder = dwelling.config.parent().unwrap_or(&dwelling.home);
    let variables: String = variables(dwelling, path)
        .iter()
        .map(|(name, value)| format!("Environment={}\n", word(&format!("{name}={value}"), false)))
        .collect();
    let command = command.iter().map(|word| of_command(word)).collect::<Vec<_>>().join(" ");
    let text = format!(
        "# {MARK}; `boathook daemon uninstall` removes it.
# Hooks get these variables and what your session gives to its services.
[Unit]
Description=Boathook answers the events of coding agents

[Service]
ExecStart={command}
{variables}Restart=on-failure
RestartSec=1
KillMode=mixed
TimeoutStopSec=15

[Install]
WantedBy=default.target
"
    );
    Unit {
        file: folder.join(UNIT),
        text,
        enable: "systemctl --user daemon-reload && systemctl --user enable --now boathook".to_owned(),
        disable: "systemctl --user disable --now boathook".to_owned(),
    }
}

fn launchd(dwelling: &Dwelling, command: &[String], path: &str) -> Unit {
    let file = agent_file(&dwelling.home);
    let variables: String = variables(dwelling, path)
        .iter()
        .map(|(name, value)| format!("    <key>{name}</key><string>{}</string>\n", escaped(value)))
        .collect();
    let command: String =
        command.iter().map(|word| format!("    <string>{}</string>\n", escaped(word))).collect();
    let text = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK}; `boathook daemon uninstall` removes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{command}  </array>
  <key>EnvironmentVariables</key>
  <dict>
{variables}  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key><false/>
  </dict>
  <key>ExitTimeOut</key><integer>15</integer>
</dict>
</plist>
"#
    );
    let enable = format!("launchctl bootstrap gui/$(id -u) '{}'", file.display());
    Unit { file, text, enable, disable: format!("launchctl bootout gui/$(id -u)/{LABEL}") }
}

/// What the daemon would not have of itself: where programs are found, and
/// where the user keeps state and settings when that is not the usual place.
fn variables(dwelling: &Dwelling, path: &str) -> Vec<(&'static str, String)> {
    let usual = Dwelling::of(dwelling.home.clone());
    let above = |folder: &Path| folder.parent().unwrap_or(folder).to_string_lossy().into_owned();
    let mut variables = vec![("PATH", path.to_owned())];
    if usual.state != dwelling.state {
        variables.push(("XDG_STATE_HOME", above(&dwelling.state)));
    }
    if usual.config != dwelling.config {
        variables.push(("XDG_CONFIG_HOME", above(&dwelling.config)));
    }
    variables
}

/// A word of ExecStart: options and their names stay as people type them.
fn of_command(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    if !text.is_empty() && text.bytes().all(plain) { text.to_owned() } else { word(text, true) }
}

/// One word of a unit, whatever stands in it.
fn word(text: &str, of_command: bool) -> String {
    let mut word = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => word.extend(['\\', character]),
            '%' => word.push_str("%%"),
            '$' if of_command => word.push_str("$$"),
            '\n' => word.push_str("\\n"),
            other => word.push(other),
        }
    }
    word + "\""
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_any_name_is_one_word() {
        let dwelling = Dwelling { state: "/s/boathook".into(), ..Dwelling::of("/home/me".into()) };
        let odd = "/opt/a \"b\" $c %d\\e&<f>";
        let command =
            [&format!("{odd}/boathook"), "--workspace", odd, "--edition", "2.3", "daemon", "--http"]
                .map(str::to_owned);
        let unit = |os| Unit::of(os, &dwelling, &command, "/bin:/x y").expect("a unit");
        let linux = unit(Os::Linux);
        assert_eq!(linux.file, Path::new("/home/me/.config/systemd/user/boathook.service"));
        let quoted = "/opt/a \\\"b\\\" $$c %%d\\\\e&<f>";
        let line = format!(
            "\nExecStart=\"{quoted}/boathook\" --workspace \"{quoted}\" --edition 2.3 daemon --http\n"
        );
        assert!(linux.text.contains(&line), "{}", linux.text);
        assert!(linux.text.contains("\nEnvironment=\"PATH=/bin:/x y\"\nEnvironment=\"XDG_STATE_HOME=/s\"\n"));
        let mac = unit(Os::Macos);
        assert_eq!(mac.file, Path::new("/home/me/Library/LaunchAgents/boathook.daemon.plist"));
        let quoted = "/opt/a \"b\" $c %d\\e&amp;&lt;f&gt;";
        let words = format!(
            "  <array>\n    <string>{quoted}/boathook</string>\n    <string>--workspace</string>\n    <string>{quoted}</string>\n"
        );
        assert!(mac.text.contains(&words), "{}", mac.text);
        assert!(
            mac.text.contains("<string>daemon</string>\n    <string>--http</string>\n  </array>"),
            "{}",
            mac.text
        );
        assert!(mac.text.contains("<key>XDG_STATE_HOME</key><string>/s</string>"));
        assert_eq!(Unit::of(Os::Windows, &dwelling, &command, ""), None);
    }
}
