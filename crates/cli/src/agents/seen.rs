//! What was seen in the real agents: the harness's findings, as they were when
//! this program was built.

use serde::Deserialize;

const SEEN: &str = include_str!("../../../../conformance/agents/seen.json");

/// All findings.
#[derive(Debug, Default, Deserialize)]
pub struct Seen {
    #[serde(default)]
    scenarios: Vec<Scenario>,
    #[serde(default)]
    seen: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
struct Scenario {
    id: String,
    /// What happens in it, in a sentence.
    #[serde(default)]
    shows: String,
    proves: Vec<Proved>,
}

/// An event, and a field of its answers; empty for the event itself.
#[derive(Debug, Deserialize)]
struct Proved {
    event: String,
    field: String,
}

#[derive(Debug, Deserialize)]
struct Finding {
    agent: String,
    scenario: String,
    /// A letter for what came of it.
    #[serde(default)]
    seen: String,
    good: bool,
    /// Events of it that nothing there tells of: it proves nothing about them.
    #[serde(default)]
    unheard: Vec<String>,
    /// Why the scenario does not exist there.
    #[serde(default)]
    lacks: Option<String>,
}

/// Whether something was seen to be as a table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It was.
    Seen,
    /// It was not.
    Failed,
    /// Nobody looked.
    NotRun,
}

impl Seen {
    /// The findings this program was built with.
    pub fn built_in() -> Seen {
        Seen::read(SEEN)
    }

    /// A file of another form holds no findings: nothing counts as seen.
    fn read(text: &str) -> Seen {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Every scenario by its name and what happens in it, with what came of it
    /// in these agents; nothing where nobody looked.
    pub fn scenarios<'s>(
        &'s self,
        agents: &'s [&'s str],
    ) -> impl Iterator<Item = (&'s str, &'s str, Vec<String>)> + 's {
        let cell = |agent: &str, scenario: &str| {
            let found = self.seen.iter().find(|it| it.agent == agent && it.scenario == scenario);
            found.map_or(String::new(), |it| match it.good {
                true => it.seen.clone(),
                false => format!("**{}**", it.seen),
            })
        };
        self.scenarios.iter().map(move |scenario| {
            let cells = agents.iter().map(|agent| cell(agent, &scenario.id)).collect();
            (scenario.id.as_str(), scenario.shows.as_str(), cells)
        })
    }

    /// The names under which an agent was driven: its own, and one more where it
    /// was wired over HTTP.
    pub fn ways<'s>(&'s self, agent: &'s str) -> impl Iterator<Item = &'s str> + 's {
        let of_agent = self.seen.iter().map(|it| it.agent.as_str());
        let other = of_agent.into_iter().find(|name| name.strip_suffix("-http") == Some(agent));
        std::iter::once(agent).chain(other)
    }

    /// The events that a scenario is about, each with the field of its answer.
    pub fn proved(&self, scenario: &str) -> Vec<String> {
        let found = self.scenarios.iter().find(|it| it.id == scenario);
        let words = |it: &Proved| match it.field.as_str() {
            "" => it.event.clone(),
            field => format!("{} `{field}`", it.event),
        };
        found.map(|it| it.proves.iter().map(words).collect()).unwrap_or_default()
    }

    /// Why scenarios do not exist in an agent, each reason once.
    pub fn absences(&self, agent: &str) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for finding in self.seen.iter().filter(|it| it.agent == agent) {
            let Some(why) = finding.lacks.as_deref() else { continue };
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, scenarios)) => scenarios.push(&finding.scenario),
                None => reasons.push((why, vec![&finding.scenario])),
            }
        }
        reasons
    }

    /// Whether one of these fields on this event was seen to work; any field
    /// when none is named.
    pub fn proof(&self, agent: &str, event: &str, fields: &[&str]) -> Proof {
        let fits =
            |it: &Proved| it.event == event && (fields.is_empty() || fields.contains(&it.field.as_str()));
        let about = self.scenarios.iter().filter(|scenario| scenario.proves.iter().any(fits));
        let ids: Vec<&str> = about.map(|scenario| scenario.id.as_str()).collect();
        let of_agent = self.seen.iter().filter(|it| it.agent == agent && it.lacks.is_none());
        let of_agent = of_agent.filter(|it| !it.unheard.iter().any(|unheard| unheard == event));
        let mut proof = Proof::NotRun;
        for finding in of_agent.filter(|it| ids.contains(&it.scenario.as_str())) {
            if !finding.good {
                return Proof::Failed;
            }
            proof = Proof::Seen;
        }
        proof
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_seen_counts() {
        let seen = Seen::read(
            r#"{"scenarios": [
                {"id": "deny", "shows": "It.", "proves": [{"event": "preToolUse", "field": "permission"}]},
                {"id": "say", "shows": "It.", "proves": [{"event": "stop", "field": ""}]}],
              "seen": [
                {"agent": "a", "version": "1", "scenario": "deny", "wanted": "B", "seen": "B", "good": true},
                {"agent": "b", "version": "1", "scenario": "deny", "wanted": "B", "seen": "R", "good": false},
                {"agent": "c", "version": "1", "scenario": "deny", "wanted": "B", "seen": "-", "good": true, "lacks": "no tools"},
                {"agent": "d", "version": "1", "scenario": "say", "wanted": "ok", "seen": "ok", "good": true, "unheard": ["stop"]},
                {"agent": "a", "version": "1", "scenario": "say", "wanted": "ok", "seen": "ok", "good": true}]}"#,
        );
        let cases = [
            ("a", "preToolUse", &["permission"][..], Proof::Seen),
            ("a", "preToolUse", &["updated_input"], Proof::NotRun),
            ("b", "preToolUse", &["permission"], Proof::Failed),
            ("c", "preToolUse", &["permission"], Proof::NotRun),
            ("a", "stop", &[], Proof::Seen),
            ("d", "stop", &[], Proof::NotRun),
            ("a", "sessionEnd", &[], Proof::NotRun),
        ];
        for (agent, event, fields, expected) in cases {
            assert_eq!(seen.proof(agent, event, fields), expected, "{agent} {event} {fields:?}");
        }
        assert_eq!(Seen::read("[]").proof("a", "stop", &[]), Proof::NotRun);
    }

    #[test]
    fn the_findings_that_are_built_in_can_be_read() {
        assert!(serde_json::from_str::<Seen>(SEEN).is_ok());
    }
}
