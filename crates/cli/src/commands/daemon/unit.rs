//! What tells the system to start the daemon: a unit of systemd, or an agent of
//! launchd. Pure: places and variables are arguments.

use std::path::{Path, PathBuf};

use boathook_engine::source::Os;

use crate::settings::Dwelling;

/// Every file of ours says so in these words.
pub const MARK: &str = "Written by `boathook daemon install`";

const LABEL: &str = "boathook.daemon";

/// A file for the system, and the commands that make it count.
#[derive(Debug, PartialEq, Eq)]
pub struct Unit {
    pub file: PathBuf,
    pub text: String,
    pub enable: String,
    pub disable: String,
}

impl Unit {
    /// None where no such thing is known.
    pub fn of(os: Os, dwelling: &Dwelling, program: &Path, path: &str) -> Option<Unit> {
        match os {
            Os::Linux => Some(systemd(dwelling, program, path)),
            Os::Macos => Some(launchd(dwelling, program, path)),
            Os::Windows => None,
        }
    }

    /// The same for a daemon that answers over HTTP, too.
    pub fn over_http(self) -> Unit {
        let (line, word) = (" daemon\n", "<string>daemon</string>\n");
        let text = self.text.replacen(line, " daemon --http\n", 1);
        let text = text.replacen(word, &format!("{word}    <string>--http</string>\n"), 1);
        Unit { text, ..self }
    }
}

fn systemd(dwelling: &Dwelling, program: &Path, path: &str) -> Unit {
    let folder = dwelling.config.parent().unwrap_or(&dwelling.home).join("systemd/user");
    let variables: String = variables(dwelling, path)
        .iter()
        .map(|(name, value)| format!("Environment={}\n", word(&format!("{name}={value}"), false)))
        .collect();
    let command = word(&program.to_string_lossy(), true);
    let text = format!(
        "# {MARK}; `boathook daemon uninstall` removes it.
# Hooks get these variables and what your session gives to its services.
[Unit]
Description=Boathook answers the events of coding agents

[Service]
ExecStart={command} daemon
{variables}Restart=on-failure
RestartSec=1
KillMode=mixed
TimeoutStopSec=15

[Install]
WantedBy=default.target
"
    );
    Unit {
        file: folder.join("boathook.service"),
        text,
        enable: "systemctl --user daemon-reload && systemctl --user enable --now boathook".to_owned(),
        disable: "systemctl --user disable --now boathook".to_owned(),
    }
}

fn launchd(dwelling: &Dwelling, program: &Path, path: &str) -> Unit {
    let file = dwelling.home.join(format!("Library/LaunchAgents/{LABEL}.plist"));
    let variables: String = variables(dwelling, path)
        .iter()
        .map(|(name, value)| format!("    <key>{name}</key><string>{}</string>\n", escaped(value)))
        .collect();
    let text = format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- {MARK}; `boathook daemon uninstall` removes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{}</string>
    <string>daemon</string>
  </array>
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
"#,
        escaped(&program.to_string_lossy())
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
        let program = Path::new("/opt/a \"b\" $c %d\\e&<f>/boathook");
        let unit = |os| Unit::of(os, &dwelling, program, "/bin:/x y").expect("a unit");
        let linux = unit(Os::Linux);
        assert_eq!(linux.file, Path::new("/home/me/.config/systemd/user/boathook.service"));
        assert!(linux.text.contains("\nExecStart=\"/opt/a \\\"b\\\" $$c %%d\\\\e&<f>/boathook\" daemon\n"));
        assert!(linux.text.contains("\nEnvironment=\"PATH=/bin:/x y\"\nEnvironment=\"XDG_STATE_HOME=/s\"\n"));
        let mac = unit(Os::Macos);
        assert_eq!(mac.file, Path::new("/home/me/Library/LaunchAgents/boathook.daemon.plist"));
        assert!(mac.text.contains("<string>/opt/a \"b\" $c %d\\e&amp;&lt;f&gt;/boathook</string>"));
        assert!(mac.text.contains("<key>XDG_STATE_HOME</key><string>/s</string>"));
        assert_eq!(Unit::of(Os::Windows, &dwelling, program, ""), None);
        assert!(linux.over_http().text.contains("/boathook\" daemon --http\nEnvironment="));
        assert!(
            mac.over_http().text.contains("<string>daemon</string>\n    <string>--http</string>\n  </array>")
        );
    }
}
