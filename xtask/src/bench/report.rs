//! Writes the numbers down as Markdown that also reads well in a terminal.

use super::measure::{Measured, Results};
use super::metrics::{Row, Unit, peers, rows};
use super::stages::{FLOOR, Who};
use super::statistics::Summary;
use super::{explain, table};

/// Everything that was measured, as text.
pub fn report(results: &Results, facts: &[String]) -> String {
    let rows = rows(results);
    let mut text = String::from("## Targets\n\n");
    text.push_str(&targets(&rows));
    text.push_str(&leaks(results));
    text.push_str("\n## Targets that are not met, and where the time goes\n\n");
    text.push_str(&missed(&rows, results));
    text.push_str("\n## Peers in the same rounds\n\n");
    text.push_str(&comparison(&peers(results)));
    text.push_str("\n## The floor, and the noise\n\n");
    text.push_str(&noise(results));
    text.push_str(&format!(
        "\n## The machine\n\n{}",
        facts.iter().map(|fact| format!("- {fact}\n")).collect::<String>()
    ));
    text.push_str(&format!("- the run took {:.0} s\n", results.seconds));
    text
}

/// The page of the manual.
pub fn page(report: &str) -> String {
    format!("{HEAD}\n{report}")
}

const HEAD: &str = "\
# What a hook costs

Written by `cargo xtask bench --write`; do not edit.

The **floor** is the leanest way to run a hook: one `vfork` and `exec` of a static program without a C library, which
reads 1 KB from a pipe that is already filled and prints an answer. The engine does the same through its whole path:
configuration looked at, payload read, process group, deadline, stderr, answer parsed, record made.

All contenders take part in one run and their order is shuffled in every round. A ratio is taken within a round; the
table shows the median over rounds and, in brackets, the quartiles. The floor is measured twice: a stage in which it
differs from itself by more than 5 % is void and is measured again. Single hooks are pinned to one processor, Node and
parallel hooks are not. Ratios can be compared between machines and days; times cannot.
";

fn targets(rows: &[Row]) -> String {
    let header = [
        "id",
        "metric",
        "build",
        "median",
        "quartiles",
        "ours: median, p95",
        "base: median, p95",
        "target",
        "met",
    ];
    let lines = rows.iter().map(|row| {
        let met = match (row.void, row.met()) {
            (true, _) => "void",
            (false, Some(true)) => "yes",
            (false, Some(false)) => "NO",
            (false, None) => "",
        };
        let target = row.target.map_or(String::new(), |target| format!("<= {}", number(row.unit, target)));
        vec![
            row.id.into(),
            row.metric.into(),
            row.who.into(),
            number(row.unit, row.value.median),
            quartiles(row),
            times(&row.ours),
            times(&row.base),
            target,
            met.into(),
        ]
    });
    table::render(&header, lines)
}

fn comparison(rows: &[Row]) -> String {
    let header = ["what", "who", "median ratio", "quartiles", "median, p95", "floor: median, p95"];
    let lines = rows.iter().map(|row| {
        let value = number(row.unit, row.value.median);
        vec![row.metric.into(), row.who.into(), value, quartiles(row), times(&row.ours), times(&row.base)]
    });
    table::render(&header, lines)
}

/// M14, which is five counts and not a ratio.
fn leaks(results: &Results) -> String {
    let header = [
        "id",
        "metric",
        "build",
        "zombies",
        "descriptors",
        "threads",
        "processes",
        "memory",
        "target",
        "met",
    ];
    let metric = format!("left after {} events whose hooks fail", results.leak_events);
    let lines = [(Who::Musl, "musl"), (Who::Glibc, "glibc")].into_iter().filter_map(|(who, name)| {
        let &[zombies, descriptors, threads, processes, bytes, _] = results.leaks.get(&who)?.as_slice()
        else {
            return None;
        };
        let met = zombies + descriptors + threads + processes == 0 && bytes <= 1 << 20;
        let counts = [zombies, descriptors, threads, processes].map(|count| count.to_string());
        let mut line = vec!["M14".to_owned(), metric.clone(), name.to_owned()];
        line.extend(counts);
        line.push(format!("{} KB", bytes / 1024));
        line.extend(["0, 0, 0, 0, <= 1 MB".to_owned(), if met { "yes" } else { "NO" }.to_owned()]);
        Some(line)
    });
    format!("\n{}", table::render(&header, lines.collect::<Vec<_>>()))
}

fn missed(rows: &[Row], results: &Results) -> String {
    let missed: Vec<String> = rows
        .iter()
        .filter(|row| row.met() == Some(false))
        .map(|row| {
            format!("- **{}, {}** ({}): {}\n", row.id, row.who, row.metric, explain::explain(row, results))
        })
        .collect();
    let void = rows.iter().filter(|row| row.void).count();
    match (missed.is_empty(), void) {
        (true, 0) => "All targets are met.\n".to_owned(),
        (_, 0) => missed.concat(),
        (_, void) => {
            format!("{}- {void} lines are void: the machine was too noisy to say.\n", missed.concat())
        }
    }
}

fn noise(results: &Results) -> String {
    let header = ["stage", "rounds", "floor, musl: median, p95", "floor against itself", "measured", "valid"];
    let lines = results.in_order().map(|(name, measured): (_, &Measured)| {
        let ratios: Vec<String> = measured.noise.iter().map(|(_, ratio)| format!("{ratio:.3}")).collect();
        vec![
            name.to_owned(),
            measured.rounds.to_string(),
            times(&Summary::of(measured.of(Who::Musl, FLOOR))),
            ratios.join(", "),
            match measured.attempts {
                1 => "once".to_owned(),
                attempts => format!("{attempts} times"),
            },
            if measured.valid { "yes" } else { "NO" }.to_owned(),
        ]
    });
    table::render(&header, lines)
}

fn quartiles(row: &Row) -> String {
    format!("[{}, {}]", number(row.unit, row.value.lower), number(row.unit, row.value.upper))
}

/// Small ratios need more digits.
fn number(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Milliseconds => format!("{value:.1} ms"),
        Unit::Ratio if value.abs() < 0.1 => format!("{value:.4}"),
        Unit::Ratio => format!("{value:.2}"),
    }
}

/// A median and its p95 in a unit that reads well.
fn times(summary: &Summary) -> String {
    format!("{}, {}", time(summary.median), time(summary.p95))
}

/// Nanoseconds as a person says them.
pub fn time(nanos: f64) -> String {
    match nanos {
        nanos if nanos.abs() < 1e4 => format!("{:.2} us", nanos / 1e3),
        nanos if nanos.abs() < 1e6 => format!("{:.0} us", nanos / 1e3),
        nanos => format!("{:.2} ms", nanos / 1e6),
    }
}
