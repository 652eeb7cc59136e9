//! `persistent` and `prestart` of an entry: how long a process of its lives.
//!
//! Both are extensions of ours, and both only save time: where they cannot be
//! meant the hook runs with a process per event, and a warning says so.

use jsonc_parser::ast::Value;

use super::entry::{Entry, truthy};
use super::placeholders::mentioned;
use super::syntax::{bytes_of, kind_of};
use crate::definition::{Action, Lifetime};
use crate::problem::{Fix, Problem};

const STAYS: &str = "persistent";
const AHEAD: &str = "prestart";

impl Entry<'_, '_, '_> {
    /// How long a process of this action lives.
    pub(super) fn lifetime(&mut self, action: &Action) -> Lifetime {
        let wanted = match (self.says(STAYS), self.says(AHEAD)) {
            (false, false) => return Lifetime::Event,
            (true, false) => Lifetime::Stays,
            (false, true) => Lifetime::Ahead,
            (true, true) => {
                self.both();
                Lifetime::Stays
            }
        };
        match action {
            Action::Command(command) => match mentioned(command).next() {
                Some(name) => self.depends_on_the_event(wanted, name),
                None => wanted,
            },
            Action::Prompt { .. } | Action::Rule(_) => {
                let key = key_of(wanted);
                if let Some(value) = self.option(key) {
                    let message = format!("`{key}` has no effect: this hook has no process");
                    self.no_effect(bytes_of(value), message);
                }
                Lifetime::Event
            }
            Action::Broken { .. } => Lifetime::Event,
        }
    }

    fn says(&mut self, key: &'static str) -> bool {
        let Some(value) = self.option(key) else { return false };
        if let Value::BooleanLit(flag) = value {
            return flag.value;
        }
        let message = format!("`{key}` is {}, not a boolean; it counts as false", kind_of(value));
        let problem = Problem::warning("lifetime-not-a-boolean", message)
            .help(format!("write \"{key}\": true, or leave it out"))
            .fix(Fix::replace(bytes_of(value), truthy(value).to_string()));
        self.warn(bytes_of(value), problem);
        false
    }

    fn both(&mut self) {
        let Some(value) = self.option(AHEAD) else { return };
        let message = format!("`{STAYS}` and `{AHEAD}` cannot both be true; `{STAYS}` counts");
        let problem = Problem::warning("persistent-and-prestart", message)
            .help("a process that stays needs no start; remove one of them")
            .fix(Fix::replace(bytes_of(value), "false"));
        self.warn(bytes_of(value), problem);
    }

    /// What a payload says stands in the environment of such a hook, which no
    /// process has before its event.
    fn depends_on_the_event(&mut self, wanted: Lifetime, name: &str) -> Lifetime {
        let key = key_of(wanted);
        if let Some(value) = self.option(key) {
            let message =
                format!("`{key}` has no effect: `${{{name}}}` in the command is known only at the event");
            let problem = Problem::warning("no-effect", message);
            self.warn(bytes_of(value), problem.help(format!("read `{name}` from the JSON on stdin instead")));
        }
        Lifetime::Event
    }
}

fn key_of(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Ahead => AHEAD,
        Lifetime::Stays | Lifetime::Event => STAYS,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, read as read_file};
    use super::*;
    use crate::edition::Edition;

    fn read(event: &str, entry: &str, edition: Edition) -> Config {
        let text = format!(r#"{{"version": 1, "hooks": {{"{event}": [{entry}]}}}}"#);
        read_file(text.as_bytes(), edition)
    }

    #[test]
    fn a_lifetime_is_what_the_entry_says_where_it_can_be_meant() {
        let cases = [
            (r#"{"command": "a"}"#, Lifetime::Event, ""),
            (r#"{"command": "a", "persistent": true}"#, Lifetime::Stays, ""),
            (r#"{"command": "a", "prestart": true}"#, Lifetime::Ahead, ""),
            (r#"{"command": "a", "persistent": false, "prestart": true}"#, Lifetime::Ahead, ""),
            (
                r#"{"command": "a", "persistent": true, "prestart": true}"#,
                Lifetime::Stays,
                "persistent-and-prestart",
            ),
            (r#"{"command": "a", "persistent": "true"}"#, Lifetime::Event, "lifetime-not-a-boolean"),
            (r#"{"command": "a", "prestart": 1}"#, Lifetime::Event, "lifetime-not-a-boolean"),
            (r#"{"command": "a \"${command}\"", "prestart": true}"#, Lifetime::Event, "no-effect"),
            (r#"{"type": "prompt", "prompt": "p", "persistent": true}"#, Lifetime::Event, "no-effect"),
            (
                r#"{"command": "boathook rule x", "rule": {"shell": "rm", "deny": "no"}, "prestart": true}"#,
                Lifetime::Event,
                "no-effect",
            ),
        ];
        for (entry, lifetime, code) in cases {
            let config = read("beforeShellExecution", entry, Edition::Docs);
            assert_eq!(config.definitions[0].lifetime, lifetime, "{entry}");
            let codes: Vec<&str> = config.problems.iter().map(|problem| problem.code).collect();
            assert_eq!(codes.join(" "), code, "{entry}");
            assert!(!matches!(config.definitions[0].action, Action::Broken { .. }), "{entry}: it still runs");
        }
        let old = read("stop", r#"{"command": "a", "persistent": true}"#, Edition::V2_3);
        assert_eq!(old.definitions[0].lifetime, Lifetime::Event, "edition 2.3 reads the command alone");
    }
}
