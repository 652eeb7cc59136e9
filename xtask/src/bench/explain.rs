//! Says where the time of a missed target goes, from the same run's numbers.

use super::measure::{Measured, Results};
use super::metrics::Row;
use super::report::time;
use super::stages::{FLOOR, Who};
use super::statistics::Summary;

/// One or two sentences.
pub fn explain(row: &Row, results: &Results) -> String {
    let who = if row.who == "musl" { Who::Musl } else { Who::Glibc };
    let median = |stage: &str, name| results.stage(stage).map_or(0.0, |measured| middle(measured, who, name));
    match row.id {
        "M1" if row.metric.contains("engine") => {
            let (floor, runner, engine) =
                (median("tiny", FLOOR), median("tiny", "runner tiny"), median("tiny", "engine tiny"));
            format!(
                "of {}, the floor is {}; starting and watching the process (stderr, group, deadline, environment) adds {}, \
                 the rest of the path (sources looked at, payload, answer, record) adds {}",
                time(engine),
                time(floor),
                time(runner - floor),
                time(engine - runner),
            )
        }
        "M7" => {
            let (stage, event) = match row.metric.starts_with("50") {
                true => ("large payload", "event 50000000"),
                false => ("small payload", "event 1000000"),
            };
            let event = median(stage, event);
            format!(
                "of {}, handing over ready bytes is {}; making the event from the text takes {}, and the rest of the path \
                 (reading the fields, the record) {}",
                time(row.ours.median),
                time(row.base.median),
                time(event),
                time(row.ours.median - row.base.median - event),
            )
        }
        "M8" => {
            let (floor, start) = (median("command", FLOOR), median("command", "cli version"));
            let event = median("in process", "unmatched none");
            let library = match who {
                Who::Glibc => " (most of it the dynamic C library, which the static build does not have)",
                _ => "",
            };
            format!(
                "of {}, the floor is {}; the program's own start and its arguments take {}{library}; the sources, the \
                 decision, the log and the exit take {}, where an engine that already stands takes {} for the same event",
                time(row.ours.median),
                time(floor),
                time(start - floor),
                time(row.ours.median - start),
                time(event),
            )
        }
        "M9" => {
            let extra = row.ours.median - row.base.median;
            let engine = median("tiny", "engine tiny") - median("tiny", FLOOR);
            format!(
                "{} more than the two parts; {} of it is the engine's own cost of a hook (as in M1), the rest the record \
                 that is written once a hook ran",
                time(extra),
                time(engine),
            )
        }
        "M2" | "M3" | "M4" => {
            let engine = median("tiny", "engine tiny") - median("tiny", FLOOR);
            format!(
                "{} against {}; the engine's own cost of one tiny hook is {} (M1), the rest is what the hook's process \
                 pays for a second pipe, a group of its own and a longer environment",
                time(row.ours.median),
                time(row.base.median),
                time(engine),
            )
        }
        "M10" => format!(
            "one event takes {}: its payload is parsed and filled, four sources are looked at, the session is looked up, \
             the three matchers of the event run, and a record is made",
            time(row.ours.median),
        ),
        _ => format!("{} against {}", time(row.ours.median), time(row.base.median)),
    }
}

fn middle(measured: &Measured, who: Who, name: &'static str) -> f64 {
    Summary::of(measured.of(who, name)).median
}
