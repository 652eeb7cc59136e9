//! The samples: which scripts run on which event, and their texts.

use boathook_engine::edition::Edition;
use boathook_engine::event::EVENTS;

/// A hooks.json and the scripts it names.
pub struct Sample {
    pub entries: Vec<Entry>,
    pub scripts: Vec<Script>,
}

/// The hooks of one event.
pub struct Entry {
    pub event: &'static str,
    pub scripts: Vec<&'static str>,
}

/// One script, ready to be written.
pub struct Script {
    pub name: &'static str,
    pub text: String,
}

/// Scripts as they stand in this repository. A line `@part@` stands for one
/// of `PARTS`: a written script stands alone, so that trust covers all of it.
const SCRIPTS: &[(&str, &str)] = &[
    ("beforePromptSubmit.sh", include_str!("scripts/beforePromptSubmit.sh")),
    ("session-init.sh", include_str!("scripts/session-init.sh")),
    ("audit.sh", include_str!("scripts/audit.sh")),
    ("block-git.sh", include_str!("scripts/block-git.sh")),
    ("redact-secrets-tab.sh", include_str!("scripts/redact-secrets-tab.sh")),
    ("format-tab.sh", include_str!("scripts/format-tab.sh")),
];

const PARTS: &[(&str, &str)] = &[
    ("@read_json@", include_str!("scripts/read_json.awk")),
    ("@state_folder@", include_str!("scripts/state_folder.sh")),
    ("@state_log@", include_str!("scripts/state_log.sh")),
    ("@shared_log@", include_str!("scripts/shared_log.sh")),
];

const FIRST: &[(&str, &[&str])] = &[("beforeSubmitPrompt", &["beforePromptSubmit.sh"])];

const FULL: &[(&str, &[&str])] = &[
    ("sessionStart", &["session-init.sh"]),
    ("sessionEnd", &["audit.sh"]),
    ("beforeShellExecution", &["audit.sh", "block-git.sh"]),
    ("beforeMCPExecution", &["audit.sh"]),
    ("afterShellExecution", &["audit.sh"]),
    ("afterMCPExecution", &["audit.sh"]),
    ("afterFileEdit", &["audit.sh"]),
    ("beforeSubmitPrompt", &["audit.sh"]),
    ("preCompact", &["audit.sh"]),
    ("stop", &["audit.sh"]),
    ("beforeTabFileRead", &["redact-secrets-tab.sh"]),
    ("afterTabFileEdit", &["format-tab.sh"]),
];

impl Sample {
    /// One hook that logs and has no opinion.
    pub fn first(edition: Edition) -> Sample {
        Sample::of(FIRST, edition)
    }

    /// A hook on most events.
    pub fn full(edition: Edition) -> Sample {
        Sample::of(FULL, edition)
    }

    /// The hooks.json. `prefix` stands before the names of scripts.
    pub fn hooks_json(&self, prefix: &str) -> String {
        let line = |entry: &Entry| format!("\"{}\": [{}]", entry.event, entry.list(prefix));
        let lines: Vec<String> = self.entries.iter().map(line).collect();
        format!("{{\n  \"version\": 1,\n  \"hooks\": {{\n    {}\n  }}\n}}\n", lines.join(",\n    "))
    }

    /// Only what the edition knows, and only scripts that are used.
    fn of(table: &[(&'static str, &[&'static str])], edition: Edition) -> Sample {
        let rules = edition.rules();
        let known = |event: &str| {
            !rules.only_first_events || EVENTS.iter().any(|spec| spec.name == event && spec.in_2_3)
        };
        let entries: Vec<Entry> = table
            .iter()
            .filter(|(event, _)| known(event))
            .map(|(event, scripts)| Entry { event, scripts: scripts.to_vec() })
            .collect();
        let used = |name: &str| entries.iter().any(|entry| entry.scripts.contains(&name));
        let scripts = SCRIPTS.iter().filter(|(name, _)| used(name));
        let scripts =
            scripts.map(|(name, template)| Script { name, text: filled(template, edition) }).collect();
        Sample { entries, scripts }
    }
}

impl Entry {
    /// The event's hooks, as they stand in its list.
    pub fn list(&self, prefix: &str) -> String {
        let hook = |script: &&str| format!("{{ \"command\": \"{prefix}{script}\" }}");
        self.scripts.iter().map(hook).collect::<Vec<_>>().join(", ")
    }
}

/// A part of scripts by its name.
pub fn part(name: &str) -> &'static str {
    PARTS.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text)
}

/// A template with its parts in place.
fn filled(template: &str, edition: Edition) -> String {
    let mut text = String::new();
    for line in template.lines() {
        let name = match line {
            // The first generation's sample logged where everybody can write.
            "@log@" if edition.rules().sample_log_is_shared => "@shared_log@",
            "@log@" => "@state_log@",
            other => other,
        };
        match PARTS.iter().find(|(part, _)| *part == name) {
            Some((_, part)) => text.push_str(&filled(part, edition)),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_is_named_by_a_sample_and_has_all_its_parts() {
        for edition in Edition::ALL {
            for sample in [Sample::first(edition), Sample::full(edition)] {
                for entry in &sample.entries {
                    for name in &entry.scripts {
                        assert!(sample.scripts.iter().any(|script| script.name == *name), "{name}");
                    }
                }
                for script in &sample.scripts {
                    assert!(script.text.starts_with("#!/bin/sh\n"), "{}", script.name);
                    assert!(!script.text.lines().any(|line| line.starts_with('@')), "{}", script.name);
                }
            }
        }
        let used = |name: &str| {
            let samples = [Sample::first(Edition::Docs), Sample::full(Edition::Docs)];
            samples.iter().any(|sample| sample.scripts.iter().any(|script| script.name == name))
        };
        assert!(SCRIPTS.iter().all(|(name, _)| used(name)));
    }

    #[test]
    fn an_older_edition_gets_only_events_it_knows() {
        let events: Vec<&str> = Sample::full(Edition::V2_3).entries.iter().map(|entry| entry.event).collect();
        assert!(!events.contains(&"sessionStart") && !events.contains(&"preCompact"), "{events:?}");
        assert_eq!(events.len(), 9);
    }
}
