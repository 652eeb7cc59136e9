//! Agents that can ask the daemon over HTTP, as far as they were seen to, and
//! what must be true for that to hold a gate.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use serde_json::Value;

use crate::http_address::open_to_others;

/// What is known of an agent that asks over HTTP.
#[derive(Debug, PartialEq, Eq)]
pub struct OverHttp {
    /// The agent's name.
    pub agent: &'static str,
    /// From this version on it was seen to hold back what it could not ask about.
    pub since: &'static str,
    /// Events that stay with the command: a process sees the agent's own
    /// environment and where it was started, and writes the file of variables.
    pub by_command: &'static [&'static str],
}

/// Claude Code calls no `http` handler when a session starts. Every prompt is
/// asked about by a process, too: it looks whether a proxy would take what is
/// asked over HTTP, and says which project the session belongs to. A session
/// that was refused ends without having told anybody the token.
pub const ALL: &[OverHttp] = &[OverHttp {
    agent: "claude",
    since: "2.1.295",
    by_command: &["SessionStart", "UserPromptSubmit", "SessionEnd"],
}];

/// Variables that lead requests elsewhere, and those that name exceptions.
const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];
const HERE: &str = "127.0.0.1";

/// What is known of this agent; none when it cannot ask over HTTP.
pub fn of(agent: &str) -> Option<&'static OverHttp> {
    ALL.iter().find(|it| it.agent == agent)
}

impl OverHttp {
    /// Whether an event is asked about over HTTP.
    pub fn asks(&self, event: &str) -> bool {
        !self.by_command.contains(&event)
    }

    /// Whether a version holds what it could not ask about; none when that
    /// cannot be told.
    pub fn holds_in(&self, version: &str) -> Option<bool> {
        Some(numbers(version)? >= numbers(self.since)?)
    }
}

/// The variable that leads what an agent asks over HTTP to a proxy. A repository
/// can set it, and whoever runs the proxy would answer in the daemon's place.
pub fn proxy(environment: &[(OsString, OsString)]) -> Option<&'static str> {
    let value = |name: &str| {
        let found = environment.iter().find(|(known, _)| known == OsStr::new(name));
        found.map(|(_, value)| value).filter(|value| !value.is_empty())
    };
    let proxy = PROXIES.into_iter().find(|name| value(name).is_some())?;
    let spares_us = |list: &OsString| {
        let list = list.to_string_lossy();
        list.split([',', ' ']).any(|host| host.trim() == HERE)
    };
    // Programs disagree on which of the two counts.
    let lists: Vec<&OsString> = EXCEPTIONS.into_iter().filter_map(value).collect();
    let spared = !lists.is_empty() && lists.into_iter().all(spares_us);
    (!spared).then_some(proxy)
}

/// What in an agent's settings keeps it from asking the daemon, in words.
pub fn settings_in_the_way(text: &str) -> Option<String> {
    let settings: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let variables = settings.get("env").and_then(Value::as_object).into_iter().flatten();
    let variables: Vec<(OsString, OsString)> =
        variables.filter_map(|(name, value)| Some((name.into(), value.as_str()?.into()))).collect();
    if let Some(variable) = proxy(&variables) {
        return Some(format!(
            "`env` sets {variable}, so prompts are refused: a proxy could answer for the daemon"
        ));
    }
    let allowed = settings.get("allowedHttpHookUrls")?.as_array()?;
    let ours = |url: &str| url == "*" || url.starts_with(&format!("http://{HERE}"));
    let none = !allowed.iter().filter_map(Value::as_str).any(ours);
    none.then(|| "`allowedHttpHookUrls` leaves the daemon out, so tool calls are refused".to_owned())
}

/// Why nothing may be done in this environment, in a sentence.
pub fn in_the_way(title: &str, name: &str, variable: &str) -> String {
    format!(
        "{variable} is set, so {title} would ask that proxy in place of the daemon, and it could answer anything. Add {HERE} to NO_PROXY, or type `boathook agent install {name} --user` for the wiring without HTTP."
    )
}

/// What starts a daemon that answers over HTTP. One that runs without would keep
/// it from starting.
pub const START: &str = "type `boathook daemon stop` if one runs without HTTP, then `boathook daemon --http`; or `boathook daemon install --http`, and the system starts it";

/// The mode of a file that others can read; none when they cannot get there.
pub fn exposed(file: &Path) -> Option<u32> {
    let folders = file.ancestors().skip(1).filter(|folder| folder.is_dir());
    let mut reachable = folders.map(|folder| open_to_others(folder).is_some_and(|mode| mode & 0o011 != 0));
    open_to_others(file).filter(|mode| mode & 0o044 != 0 && reachable.all(|reachable| reachable))
}

fn numbers(version: &str) -> Option<Vec<u64>> {
    let numbers: Option<Vec<u64>> = version.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_that_would_take_our_requests_is_seen() {
        let cases: [(&[(&str, &str)], Option<&str>); 11] = [
            (&[], None),
            (&[("HTTP_PROXY", "")], None),
            (&[("HTTP_PROXY", "http://p")], Some("HTTP_PROXY")),
            (&[("https_proxy", "http://p")], Some("https_proxy")),
            (&[("HTTPS_PROXY", "http://p"), ("NO_PROXY", "localhost")], Some("HTTPS_PROXY")),
            (&[("HTTPS_PROXY", "http://p"), ("NO_PROXY", "localhost, 127.0.0.1")], None),
            (&[("HTTPS_PROXY", "http://p"), ("no_proxy", "127.0.0.1")], None),
            (&[("HTTP_PROXY", "p"), ("NO_PROXY", "127.0.0.1"), ("no_proxy", "x")], Some("HTTP_PROXY")),
            (&[("HTTP_PROXY", "p"), ("NO_PROXY", "127.0.0.11")], Some("HTTP_PROXY")),
            (&[("HTTP_PROXY", "p"), ("NO_PROXY", "")], Some("HTTP_PROXY")),
            (&[("NO_PROXY", "x")], None),
        ];
        for (environment, expected) in cases {
            let environment: Vec<(OsString, OsString)> =
                environment.iter().map(|(name, value)| (name.into(), value.into())).collect();
            assert_eq!(proxy(&environment), expected, "{environment:?}");
        }
    }

    #[test]
    fn settings_that_lead_elsewhere_are_seen() {
        let cases = [
            ("{}", None),
            ("no JSON", None),
            (r#"{"env": {"HTTPS_PROXY": "http://p"}}"#, Some("HTTPS_PROXY")),
            (r#"{"env": {"HTTPS_PROXY": "http://p", "NO_PROXY": "127.0.0.1"}}"#, None),
            (r#"{"allowedHttpHookUrls": []}"#, Some("allowedHttpHookUrls")),
            (r#"{"allowedHttpHookUrls": ["https://example.com/*"]}"#, Some("allowedHttpHookUrls")),
            (r#"{"allowedHttpHookUrls": ["http://127.0.0.1:4711/*"]}"#, None),
        ];
        for (text, expected) in cases {
            let found = settings_in_the_way(text);
            match expected {
                Some(word) => assert!(found.is_some_and(|found| found.contains(word)), "{text}"),
                None => assert_eq!(found, None, "{text}"),
            }
        }
    }

    #[test]
    fn only_versions_that_were_seen_to_hold_count() {
        let claude = of("claude").expect("it can");
        let cases = [
            ("2.1.295", Some(true)),
            ("2.1.325", Some(true)),
            ("3.0.0", Some(true)),
            ("2.1.294", Some(false)),
            ("2.0.999", Some(false)),
            ("2.1", None),
            ("2.1.295-beta", None),
            ("", None),
        ];
        for (version, expected) in cases {
            assert_eq!(claude.holds_in(version), expected, "{version}");
        }
        for known in ALL {
            let agent = boathook_engine::agent::named(known.agent).expect(known.agent);
            assert!(known.by_command.iter().all(|event| agent.listens.contains(event)), "{known:?}");
        }
    }
}
