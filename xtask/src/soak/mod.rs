//! `cargo xtask soak`: what takes too long for every change. Run by hand; its
//! tables stand in `docs/soak.md`.

mod agents;
mod bash;
mod denies;
mod fleet;
mod fuzzing;
mod kills;
mod memory;
mod page;
mod payloads;
mod pipe;
mod platforms;
mod processes;
mod sandbox;
mod trust;

use crate::command::Outcome;
use crate::progress::Progress;
use crate::{dist, table};

/// The command's options.
#[derive(Debug, Default, Clone, Copy)]
pub struct Options {
    /// Every scenario in every real agent.
    agents: bool,
    /// Thousands of denies and kills.
    kills: bool,
    /// A million damaged payloads of agents.
    payloads: bool,
    /// Windows under wine, macOS type-checked.
    windows: bool,
    /// A team server, and the first minute of 100,000 devices that come back.
    fleet: bool,
    /// Hostile configurations with little memory.
    memory: bool,
    /// Generated command lines in the real bash, against the rules.
    bash: bool,
    /// Ten minutes of every fuzz target.
    fuzz: bool,
    /// Few repetitions.
    quick: bool,
    /// Renew `docs/soak.md`.
    write: bool,
}

/// One line of a table.
pub struct Finding {
    /// What was done.
    pub what: String,
    /// How often.
    pub times: usize,
    /// What should come of it.
    pub wanted: String,
    /// What came of it.
    pub seen: String,
    /// Whether they agree.
    pub good: bool,
}

impl Options {
    /// Reads them from the command line. Without a choice everything runs.
    pub fn parse(args: &[String]) -> Outcome<Options> {
        let mut options = Options::default();
        for argument in args {
            match argument.as_str() {
                "--agents" => options.agents = true,
                "--kills" => options.kills = true,
                "--payloads" => options.payloads = true,
                "--windows" => options.windows = true,
                "--fleet" => options.fleet = true,
                "--memory" => options.memory = true,
                "--bash" => options.bash = true,
                "--fuzz" => options.fuzz = true,
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                unknown => {
                    let known = "--agents, --kills, --payloads, --windows, --fleet, --memory, --bash, --fuzz, --quick and --write";
                    return Err(format!("unknown option `{unknown}`; there are {known}"));
                }
            }
        }
        let Options { agents, kills, payloads, windows, fleet, memory, bash, fuzz, quick, write } = options;
        if ![agents, kills, payloads, windows, fleet, memory, bash, fuzz].contains(&true) {
            let all = true;
            options = Options {
                agents: all,
                kills: all,
                payloads: all,
                windows: all,
                fleet: all,
                memory: all,
                bash: all,
                fuzz: all,
                quick,
                write,
            };
        }
        match options {
            Options { quick: true, write: true, .. } => {
                Err("--quick proves nothing worth writing".to_owned())
            }
            options => Ok(options),
        }
    }

    fn often(self, times: usize) -> usize {
        if self.quick { times.div_ceil(50) } else { times }
    }
}

/// What was measured together.
struct Section {
    title: &'static str,
    /// How it was measured, where that is not plain from the lines.
    note: String,
    findings: Vec<Finding>,
}

impl Section {
    fn new(title: &'static str, findings: Vec<Finding>) -> Section {
        Section { title, note: String::new(), findings }
    }

    fn text(&self) -> String {
        let note = if self.note.is_empty() { String::new() } else { format!("{}\n\n", self.note) };
        note + &findings_table(&self.findings)
    }
}

/// Runs what was asked for.
pub fn soak(options: Options) -> Outcome<()> {
    let mut progress = Progress::of("soak");
    let mut sections = Vec::new();
    let agents = if options.agents { agents::soak(options, &mut progress) } else { Ok(()) };
    if options.kills {
        sections.push(Section::new("Denies and kills", kills_findings(options, &mut progress)?));
    }
    if options.payloads {
        let times = options.often(1_000_000);
        let finding = progress.step(&format!("{times} damaged payloads"), || payloads::payloads(times))?;
        sections.push(Section::new("Damaged payloads", vec![finding]));
    }
    if options.windows {
        sections.push(Section::new("Windows and macOS", platforms::findings(&mut progress)?));
    }
    if options.fleet {
        let seconds = if options.quick { 10 } else { 60 };
        let (note, findings) = fleet::findings(seconds, &mut progress)?;
        sections.push(Section { note, ..Section::new("A fleet that comes back", findings) });
    }
    if options.memory {
        let findings = progress.step("little memory", memory::findings)?;
        sections.push(Section::new("Little memory", findings));
    }
    if options.bash {
        let lines = options.often(102_000);
        let findings = progress.step(&format!("{lines} command lines in bash"), || bash::findings(lines))?;
        sections.push(Section::new("Rules and bash", findings));
    }
    if options.fuzz {
        let (note, findings) = fuzzing::findings(options.quick, &mut progress)?;
        sections.push(Section { note, ..Section::new("Fuzz targets", findings) });
    }
    progress.finish();
    for section in &sections {
        println!("\n## {}\n\n{}", section.title, section.text());
    }
    if options.write {
        page::write(sections.iter().map(|section| (section.title, section.text())))?;
    }
    let bad: Vec<&str> = sections
        .iter()
        .flat_map(|section| &section.findings)
        .filter(|finding| !finding.good)
        .map(|finding| finding.what.as_str())
        .collect();
    // A bad agent does not keep the rest from being seen.
    agents?;
    if bad.is_empty() { Ok(()) } else { Err(format!("soak: not as wanted: {}", bad.join("; "))) }
}

fn kills_findings(options: Options, progress: &mut Progress) -> Outcome<Vec<Finding>> {
    let binary = dist::build(progress)?;
    let times = options.often(10_000);
    let mut findings = vec![progress.step(&format!("{times} denies"), || denies::denies(&binary, times))?];
    let times = options.often(4_000);
    findings.extend(progress.step(&format!("{times} kills of `run`"), || kills::kills(&binary, times))?);
    let times = options.often(1_000);
    findings.extend(progress.step(&format!("{times} kills of `trust`"), || trust::kills(&binary, times))?);
    Ok(findings)
}

fn findings_table(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| {
        let good = if finding.good { "yes" } else { "NO" };
        let (what, wanted, seen) = (finding.what.clone(), finding.wanted.clone(), finding.seen.clone());
        vec![what, finding.times.to_string(), wanted, seen, good.to_owned()]
    });
    table::render(&["what", "times", "wanted", "seen", "good"], lines)
}
