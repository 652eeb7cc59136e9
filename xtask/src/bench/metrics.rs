//! The metrics: what is divided by what, and which ratio is good enough.

use super::measure::{Measured, Results};
use super::stages::{AGAIN, FLOOR, Who};
use super::statistics::Summary;

/// One line of the report.
pub struct Row {
    /// `M1` and so on; empty for comparisons without a target.
    pub id: &'static str,
    /// In words.
    pub metric: &'static str,
    /// Whose numbers these are.
    pub who: &'static str,
    /// What kind of number `value` is.
    pub unit: Unit,
    /// The ratios (or milliseconds) of all rounds.
    pub value: Summary,
    /// Times of the numerator, in nanoseconds.
    pub ours: Summary,
    /// Times of the denominator, in nanoseconds.
    pub base: Summary,
    /// The most that is good enough.
    pub target: Option<f64>,
    /// The floor did not agree with itself: nothing is said about the target.
    pub void: bool,
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Numerator by denominator.
    Ratio,
    /// Numerator less denominator.
    Milliseconds,
}

impl Row {
    /// Whether the median reaches the target.
    pub fn met(&self) -> Option<bool> {
        if self.void { None } else { self.target.map(|target| self.value.median <= target) }
    }
}

struct Metric {
    id: &'static str,
    text: &'static str,
    stage: &'static str,
    ours: &'static str,
    base: Base,
    unit: Unit,
    /// For the static build, and for the ordinary one.
    target: [f64; 2],
}

enum Base {
    /// The sum of these in the same round.
    Sum(&'static [&'static str]),
    /// A time in nanoseconds.
    Constant(f64),
}

const BUILDS: [(Who, &str); 2] = [(Who::Musl, "musl"), (Who::Glibc, "glibc")];
const TIMEOUT: Base = Base::Constant(200e6);

const METRICS: &[Metric] = &[
    ratio("M1", "one tiny hook by the engine / floor", "tiny", "engine tiny", &[FLOOR], [1.25, 1.60]),
    ratio("M1", "one tiny hook by the runner alone / floor", "tiny", "runner tiny", &[FLOOR], [1.25, 1.60]),
    ratio(
        "M2",
        "command that needs a shell / `sh -c` by vfork",
        "script",
        "engine shell",
        &["floor shell"],
        [1.05; 2],
    ),
    ratio("M3", "bash script as hook / its floor", "script", "engine bash", &["floor bash"], [1.05; 2]),
    ratio("M4", "8 bash hooks together / 8 floors", "parallel", "engine bash8", &["floor8 bash"], [0.62; 2]),
    ratio("M5", "8 hooks that sleep 50 ms / one", "sleepers", "engine sleep8", &["engine sleep"], [1.15; 2]),
    ratio(
        "M5",
        "16 sleeping hooks / the slowest alone",
        "sleepers",
        "engine sleep16",
        &["engine slowest"],
        [1.5; 2],
    ),
    ratio("M6", "1 KB of ready bytes / raw pipe", "small payload", "ready 1024", &["pipe 1024"], [1.25; 2]),
    ratio(
        "M6",
        "1 MB of ready bytes / raw pipe",
        "small payload",
        "ready 1000000",
        &["pipe 1000000"],
        [1.3; 2],
    ),
    ratio(
        "M6",
        "50 MB of ready bytes / raw pipe",
        "large payload",
        "ready 50000000",
        &["pipe 50000000"],
        [1.1; 2],
    ),
    ratio(
        "M7",
        "1 MB of text to JSON to hook / ready bytes",
        "small payload",
        "content 1000000",
        &["ready 1000000"],
        [1.6; 2],
    ),
    ratio(
        "M7",
        "50 MB of text to JSON to hook / ready bytes",
        "large payload",
        "content 50000000",
        &["ready 50000000"],
        [5.2; 2],
    ),
    ratio(
        "M8",
        "command, 10 hooks, none wanted / `/bin/true`",
        "command",
        "cli none",
        &["floor true"],
        [0.5; 2],
    ),
    ratio("M8", "command, 10 hooks, none wanted / floor", "command", "cli none", &[FLOOR], [3.5; 2]),
    ratio(
        "M9",
        "command with a tiny hook / (command without + floor)",
        "command",
        "cli tiny",
        &["cli none", FLOOR],
        [1.15; 2],
    ),
    ratio(
        "daemon",
        "event that no hook wants, by the daemon over an open connection / `/bin/true`",
        "daemon",
        "daemon none",
        &["floor true"],
        [0.1; 2],
    ),
    ratio(
        "adapter",
        "`agent hook` with a bash hook / a static launcher of it",
        "adapter",
        "agent bash",
        &["launcher bash"],
        [1.4; 2],
    ),
    ratio(
        "adapter",
        "`agent hook` with a tiny hook / a static launcher of it",
        "adapter",
        "agent tiny",
        &["launcher tiny"],
        [1.4; 2],
    ),
    ratio(
        "M10",
        "event that no hook wants, in process / floor",
        "in process",
        "unmatched none",
        &[FLOOR],
        [0.03; 2],
    ),
    ratio(
        "M18",
        "100 hookify rules asked about one event / floor",
        "in process",
        "rules asked",
        &[FLOOR],
        [0.05; 2],
    ),
    ratio(
        "M16",
        "node hook that stays / a process per event, one event after another",
        "kept in a run",
        "stays-in-a-run node",
        &["cold-in-a-run node"],
        [0.001; 2],
    ),
    ratio(
        "M16",
        "node hook that stays / a process per event, both on one processor",
        "kept pinned",
        "stays-in-a-run node",
        &["cold-in-a-run node"],
        [0.001; 2],
    ),
    ratio(
        "M16",
        "node hook that stays / a process per event, after a rest of 270 ms",
        "kept",
        "stays node",
        &["cold node"],
        [0.001; 2],
    ),
    ratio("M17", "node hook started ahead / at its event", "kept", "ahead node", &["cold node"], [0.12; 2]),
    ratio(
        "M17",
        "python hook started ahead / at its event",
        "kept",
        "ahead python",
        &["cold python"],
        [0.25; 2],
    ),
    ratio("M17", "bash hook started ahead / at its event", "kept", "ahead bash", &["cold bash"], [0.25; 2]),
    extra("M11", "200 ms timeout, hook sleeps: overshoot", "runner sleeper", TIMEOUT, 10.0),
    extra("M11", "200 ms timeout, hook ignores TERM: overshoot", "runner term-trap", TIMEOUT, 10.0),
    extra("M11", "200 ms timeout, hook has a child: overshoot", "runner grandchild", TIMEOUT, 10.0),
    extra("M11", "200 ms timeout, a child left the group: overshoot", "runner escapee", TIMEOUT, 70.0),
    extra(
        "M12",
        "answer complete, child holds stdout: extra wait",
        "runner answers-leaves-child",
        Base::Sum(&["runner answers"]),
        5.0,
    ),
    extra(
        "M12",
        "no answer, child holds stdout: extra wait",
        "runner talks-leaves-child",
        Base::Sum(&["runner answers"]),
        60.0,
    ),
];

const fn ratio(
    id: &'static str,
    text: &'static str,
    stage: &'static str,
    ours: &'static str,
    base: &'static [&'static str],
    target: [f64; 2],
) -> Metric {
    Metric { id, text, stage, ours, base: Base::Sum(base), unit: Unit::Ratio, target }
}

const fn extra(id: &'static str, text: &'static str, ours: &'static str, base: Base, target: f64) -> Metric {
    Metric { id, text, stage: "timeouts", ours, base, unit: Unit::Milliseconds, target: [target; 2] }
}

/// All metrics that have a target and are ratios or waits.
pub fn rows(results: &Results) -> Vec<Row> {
    let mut rows = Vec::new();
    for metric in METRICS {
        let Some(measured) = results.stage(metric.stage) else { continue };
        for (index, (who, name)) in BUILDS.into_iter().enumerate() {
            let ours = measured.of(who, metric.ours);
            let base = match metric.base {
                Base::Sum(names) => sum(measured, who, names),
                Base::Constant(nanos) => vec![nanos; ours.len()],
            };
            let target = Some(metric.target[index]);
            rows.push(row(measured, (metric.id, metric.text, name), metric.unit, (ours, &base), target));
        }
    }
    rows.extend(large_parent(results));
    rows.extend(spread(results));
    rows.extend(rules_beside(results));
    rows.extend(daemon_beside(results));
    rows.extend(kept_beside(results));
    rows
}

/// What stands below M16: no engine can be faster, and the engine's own part of such an event.
fn kept_beside(results: &Results) -> Vec<Row> {
    const BESIDE: [(&str, &str, &str, &str); 4] = [
        (
            "the same without an engine, one event after another",
            "kept in a run",
            "bare-in-a-run node",
            "cold-in-a-run node",
        ),
        (
            "the same without an engine, on one processor",
            "kept pinned",
            "bare-in-a-run node",
            "cold-in-a-run node",
        ),
        ("the same without an engine, each after a rest", "kept", "bare node", "cold node"),
        ("the same event, its hook not asked / node hook that stays", "kept", "nobody asked", "stays node"),
    ];
    let mut rows = Vec::new();
    for (metric, stage, ours, base) in BESIDE {
        let Some(measured) = results.stage(stage) else { continue };
        for (who, build) in BUILDS {
            let numbers = (measured.of(who, ours), measured.of(who, base));
            rows.push(row(measured, ("", metric, build), Unit::Ratio, numbers, None));
        }
    }
    rows
}

/// What stands around the daemon's target: commands that begin and end.
fn daemon_beside(results: &Results) -> Vec<Row> {
    const BESIDE: [(&str, &str, &str); 3] = [
        ("`run`, not pinned / `/bin/true`", "cli none", "floor true"),
        ("`run --daemon` / `/bin/true`", "cli daemon", "floor true"),
        ("the daemon over an open connection / `run`", "daemon none", "cli none"),
    ];
    let Some(measured) = results.stage("daemon") else { return Vec::new() };
    let mut rows = Vec::new();
    for (metric, ours, base) in BESIDE {
        for (who, build) in BUILDS {
            let numbers = (measured.of(who, ours), measured.of(who, base));
            rows.push(row(measured, ("", metric, build), Unit::Ratio, numbers, None));
        }
    }
    rows
}

/// What stands around M18: the whole event, files that are looked at, loading.
fn rules_beside(results: &Results) -> Vec<Row> {
    const BESIDE: [(&str, &str); 3] = [
        ("an event with 100 rules in the engine / floor", "rules silent"),
        ("the same, the rules being files / floor", "rules files"),
        ("100 rule files read, compiled and asked once / floor", "rules load"),
    ];
    let Some(measured) = results.stage("in process") else { return Vec::new() };
    let mut rows = Vec::new();
    for (metric, name) in BESIDE {
        for (who, build) in BUILDS {
            let numbers = (measured.of(who, name), measured.of(who, FLOOR));
            rows.push(row(measured, ("", metric, build), Unit::Ratio, numbers, None));
        }
    }
    rows
}

/// The same work by others, in the same rounds.
pub fn peers(results: &Results) -> Vec<Row> {
    const TINY: &str = "one tiny hook / floor, not pinned";
    const BASH: &str = "bash script as hook / its floor, not pinned";
    const EIGHT: &str = "8 bash hooks / 8 floors, not pinned";
    const COMMAND: &str = "a command from start to exit, one tiny hook / floor";
    let gemini = "gemini-cli-core 0.61.0";
    let pipeline = "printf, base64 -d, from Node";
    let comparisons: &[(&str, &str, Who, &str, &str, &str)] = &[
        (TINY, "boathook, musl", Who::Musl, "engine tiny", FLOOR, "peers"),
        (TINY, "boathook, glibc", Who::Glibc, "engine tiny", FLOOR, "peers"),
        (TINY, gemini, Who::Node, "gemini tiny", FLOOR, "peers"),
        (TINY, pipeline, Who::Node, "pipeline tiny", FLOOR, "peers"),
        (BASH, "boathook, musl", Who::Musl, "engine bash", "floor bash", "peers"),
        (BASH, "boathook, glibc", Who::Glibc, "engine bash", "floor bash", "peers"),
        (BASH, gemini, Who::Node, "gemini bash", "floor bash", "peers"),
        (BASH, pipeline, Who::Node, "pipeline bash", "floor bash", "peers"),
        (EIGHT, "boathook, musl", Who::Musl, "engine bash8", "floor8 bash", "parallel"),
        (EIGHT, "boathook, glibc", Who::Glibc, "engine bash8", "floor8 bash", "parallel"),
        (EIGHT, "gemini-cli-core 0.61.0, parallel", Who::Node, "gemini8 bash", "floor8 bash", "parallel"),
        (
            EIGHT,
            "printf, base64 -d, from Node, in turn",
            Who::Node,
            "pipeline8 bash",
            "floor8 bash",
            "parallel",
        ),
        (COMMAND, "boathook, musl", Who::Musl, "cli tiny", FLOOR, "command"),
        (COMMAND, "boathook, glibc", Who::Glibc, "cli tiny", FLOOR, "command"),
        (COMMAND, "agent-harness-adapter 0.2.2", Who::Musl, "floor peer", FLOOR, "command"),
    ];
    let mut rows = Vec::new();
    for &(metric, name, who, ours, base, stage) in comparisons {
        let Some(measured) = results.stage(stage) else { continue };
        // Node cannot measure the floor itself: the static build does it in the same round.
        let floor = measured.of(if who == Who::Node { Who::Musl } else { who }, base);
        rows.push(row(measured, ("", metric, name), Unit::Ratio, (measured.of(who, ours), floor), None));
    }
    rows
}

fn row(
    measured: &Measured,
    (id, metric, who): (&'static str, &'static str, &'static str),
    unit: Unit,
    (ours, base): (&[f64], &[f64]),
    target: Option<f64>,
) -> Row {
    let pairs = ours.iter().zip(base);
    let values: Vec<f64> = match unit {
        Unit::Ratio => pairs.map(|(ours, base)| ours / base).collect(),
        Unit::Milliseconds => pairs.map(|(ours, base)| (ours - base) / 1e6).collect(),
    };
    let (value, ours, base) = (Summary::of(&values), Summary::of(ours), Summary::of(base));
    Row { id, metric, who, unit, value, ours, base, target, void: !measured.valid }
}

fn sum(measured: &Measured, who: Who, names: &'static [&'static str]) -> Vec<f64> {
    let mut sum = Vec::new();
    for &name in names {
        let numbers = measured.of(who, name);
        sum.resize(numbers.len(), 0.0);
        sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    sum
}

/// M13: the same hook from a process of 1 GB.
fn large_parent(results: &Results) -> Vec<Row> {
    let Some(measured) = results.stage("large parent") else { return Vec::new() };
    let pairs = [(Who::LargeMusl, Who::Musl, "musl"), (Who::LargeGlibc, Who::Glibc, "glibc")];
    let text = "one tiny hook, parent of 1 GB / small parent";
    let one = |(large, small, name)| {
        let numbers = (measured.of(large, "engine tiny"), measured.of(small, "engine tiny"));
        row(measured, ("M13", text, name), Unit::Ratio, numbers, Some(1.2))
    };
    pairs.map(one).into()
}

/// M15: how much worse the slow rounds of M1 are than the slow rounds of the floor.
fn spread(results: &Results) -> Vec<Row> {
    let Some(measured) = results.stage("tiny") else { return Vec::new() };
    let one = |(who, name)| {
        let ours = Summary::of(measured.of(who, "engine tiny"));
        let base = Summary::of(&[measured.of(who, FLOOR), measured.of(who, AGAIN)].concat());
        let value = Summary::of(&[(ours.p95 / ours.median) / (base.p95 / base.median)]);
        let metric = "p95/median of M1 / p95/median of the floor";
        Row {
            id: "M15",
            metric,
            who: name,
            unit: Unit::Ratio,
            value,
            ours,
            base,
            target: Some(1.2),
            void: !measured.valid,
        }
    };
    BUILDS.map(one).into()
}
