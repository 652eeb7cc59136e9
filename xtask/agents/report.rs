//! What was seen: a table for people, a JSON for the generators.

use serde_json::{Value, json};

use crate::judge::{Finding, Letter};
use crate::scenario;
use crate::table;

/// Agents across, scenarios down, and what the letters mean.
pub fn table(findings: &[Finding]) -> String {
    let mut agents: Vec<(&str, &str)> = Vec::new();
    for finding in findings {
        if !agents.contains(&(finding.agent, finding.version)) {
            agents.push((finding.agent, finding.version));
        }
    }
    let names: Vec<String> = agents.iter().map(|(agent, version)| format!("{agent} {version}")).collect();
    let mut header = vec!["scenario"];
    header.extend(names.iter().map(String::as_str));
    let tried = scenario::all().filter(|scenario| findings.iter().any(|one| one.scenario == scenario.id));
    let lines = tried.map(|scenario| {
        let cells = agents.iter().map(|(agent, _)| cell(findings, agent, scenario.id));
        std::iter::once(scenario.id.to_owned()).chain(cells).collect()
    });
    format!("{}\n{LEGEND}\n{}", table::render(&header, lines), absences(findings))
}

const LEGEND: &str = "\
B refused and the reason told, N not run, R ran, W ran as rewritten, ok as checked, – does not exist there.";

/// What was not as wanted, one per line.
pub fn complaints(findings: &[Finding]) -> Vec<String> {
    let bad = findings.iter().filter(|finding| !finding.good());
    bad.map(|finding| {
        let Finding { agent, scenario, wanted, seen, .. } = finding;
        let reasons = finding.complaints.join("\n    ");
        format!("{agent}/{scenario}: wanted {}, seen {}\n    {reasons}", wanted.text(), seen.text())
    })
    .collect()
}

/// `conformance/agents/seen.json`.
pub fn json(findings: &[Finding]) -> String {
    let entry = |finding: &Finding| -> Value {
        let mut entry = json!({
            "agent": finding.agent,
            "version": finding.version,
            "scenario": finding.scenario,
            "wanted": finding.wanted.text(),
            "seen": finding.seen.text(),
            "good": finding.good(),
        });
        if !finding.unheard.is_empty() {
            entry["unheard"] = json!(finding.unheard);
        }
        if let Some(why) = finding.lacks {
            entry["lacks"] = json!(why);
        }
        entry
    };
    let scenarios: Vec<Value> = scenario::all()
        .map(|scenario| {
            let proves: Vec<Value> = scenario
                .proves
                .iter()
                .map(|(event, field)| json!({"event": event, "field": field}))
                .collect();
            json!({"id": scenario.id, "shows": scenario.shows, "proves": proves})
        })
        .collect();
    let seen: Vec<Value> = findings.iter().map(entry).collect();
    format!("{:#}\n", json!({"scenarios": scenarios, "seen": seen}))
}

fn cell(findings: &[Finding], agent: &str, scenario: &str) -> String {
    let found = findings.iter().find(|one| one.agent == agent && one.scenario == scenario);
    match found {
        None => String::new(),
        Some(finding) if finding.good() => finding.seen.text().to_owned(),
        Some(finding) if finding.seen == Letter::Broken => "FAIL".to_owned(),
        Some(finding) => format!("FAIL ({})", finding.seen.text()),
    }
}

fn absences(findings: &[Finding]) -> String {
    let absent = findings.iter().filter_map(|finding| finding.lacks.map(|why| (finding, why)));
    absent.map(|(finding, why)| format!("{} {}: {why}.\n", finding.agent, finding.scenario)).collect()
}
