//! Charts as SVG, drawn here. Each stands beside a table with the same numbers,
//! and a point's shape says what its colour does.

use boathook_engine::record::{Record, took};
use maud::{Markup, html};

use super::badge::{Tone, tone_of};
use super::feed::Entry;
use super::statistics::Hook;
use super::text::{clock, line, millis};

/// A drawing for a page of any width: the second is for a phone, where the first
/// could not be read. The style sheet shows one of them.
#[derive(Clone, Copy)]
struct Size {
    class: &'static str,
    width: f64,
    points: usize,
    name: usize,
}

const SIZES: [Size; 2] = [
    Size { class: "chart wide-chart", width: 960.0, points: MOST_POINTS, name: 90 },
    Size { class: "chart narrow-chart", width: 360.0, points: 120, name: 46 },
];

const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
/// Milliseconds that have a line.
const LINES: [f64; 8] = [0.01, 0.1, 1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0];
/// Where an axis begins unless something took less: most hooks start a process.
const MILLISECOND: usize = 2;
/// Fewer powers of ten make small differences look large.
const FEWEST: usize = 2;
/// More points than this are not drawn.
pub const MOST_POINTS: usize = 600;
/// Bars of one chart.
pub const MOST_BARS: usize = 12;

/// Runs over time: where each stands, and how long it took.
pub fn timeline(entries: &[&Entry]) -> Markup {
    let points: Vec<(f64, f64, &Record)> = entries.iter().filter_map(|entry| point(&entry.record)).collect();
    html! {
        @for size in SIZES { (timeline_of(&points, size)) }
        ul.legend aria-hidden="true" {
            li { "● answered" } li { "■ asked, failed open" } li { "◆ denied, failed closed" } li { "○ no opinion" }
        }
    }
}

fn timeline_of(points: &[(f64, f64, &Record)], size: Size) -> Markup {
    let points = &points[points.len().saturating_sub(size.points)..];
    let width = size.width;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return html! {} };
    let start = points.iter().map(|point| point.0).fold(f64::MAX, f64::min);
    let end = points.iter().map(|point| point.0).fold(f64::MIN, f64::max);
    let axis = Axis::of(points.iter().map(|point| point.1));
    let (top, bottom) = (16.0, 228.0);
    let across = |time: f64| {
        LEFT + 8.0
            + (width - LEFT - RIGHT - 16.0) * if end > start { (time - start) / (end - start) } else { 0.5 }
    };
    let up = |duration: f64| bottom - (bottom - top) * axis.place(duration);
    html! {
        svg class=(size.class) viewBox={ "0 0 " (width) " 262" } role="img" aria-label={ "The last " (points.len()) " runs over time, by how long they took. The table below has the numbers." } {
            @for at in axis.lines() {
                line.grid x1=(LEFT) x2=(width - RIGHT) y1=(tenth(up(at))) y2=(tenth(up(at))) {}
                text x=(LEFT - 8.0) y=(tenth(up(at) + 4.0)) text-anchor="end" { (label(at)) }
            }
            @for (time, duration, record) in points { (mark(across(*time), up(*duration), tone_of(record))) }
            @if points.len() > 1 { text x=(LEFT) y="252" { (clock_text(&first.2.timestamp)) } }
            text x=(width - RIGHT) y="252" text-anchor="end" { (clock_text(&last.2.timestamp)) }
        }
    }
}

/// From the median to the 95th part of each hook's runs.
pub fn bars(hooks: &[Hook]) -> Markup {
    let hooks = &hooks[..hooks.len().min(MOST_BARS)];
    html! {
        @for size in SIZES { (bars_of(hooks, size)) }
        ul.legend aria-hidden="true" { li { "▌ median" } li { "▬ to the 95th percentile" } li { "The axis is logarithmic." } }
    }
}

fn bars_of(hooks: &[Hook], size: Size) -> Markup {
    let axis = Axis::of(hooks.iter().flat_map(|hook| [hook.median, hook.p95]));
    let row = 42.0;
    let bottom = 10.0 + row * hooks.len() as f64;
    let left = 26.0;
    let across = |duration: f64| left + (size.width - RIGHT - 20.0 - left) * axis.place(duration);
    html! {
        svg class=(size.class) viewBox={ "0 0 " (size.width) " " (bottom + 30.0) } role="img" aria-label="How long hooks take: from the median to the 95th percentile. The table below has the numbers." {
            @for at in axis.lines() {
                line.grid x1=(tenth(across(at))) x2=(tenth(across(at))) y1="8" y2=(bottom) {}
                text x=(tenth(across(at))) y=(bottom + 20.0) text-anchor="middle" { (label(at)) }
            }
            @for (index, hook) in hooks.iter().enumerate() {
                @let top = 10.0 + row * index as f64;
                text.name x=(left + 6.0) y=(top + 14.0) { (line(&hook.command, size.name)) }
                rect.soft x=(tenth(across(hook.median))) y=(top + 23.0) width=(tenth((across(hook.p95) - across(hook.median)).max(2.0))) height="10" rx="3" {}
                rect.accent x=(tenth(across(hook.median) - 2.0)) y=(top + 20.0) width="4" height="16" rx="2" {}
            }
        }
    }
}

/// A bar that is so full.
pub fn meter(share: f64) -> Markup {
    let width = tenth(share.clamp(0.0, 1.0) * 100.0);
    html! { span.meter aria-hidden="true" { svg viewBox="0 0 100 10" preserveAspectRatio="none" { rect width=(width) height="10" {} } } }
}

fn point(record: &Record) -> Option<(f64, f64, &Record)> {
    let duration = record.duration.filter(|duration| duration.is_finite())?;
    Some((millis(&record.timestamp)? as f64, duration, record))
}

/// A logarithmic scale, from one of the lines to another.
#[derive(Debug, PartialEq, Eq)]
struct Axis {
    first: usize,
    last: usize,
}

impl Axis {
    /// One that holds all of these.
    fn of(durations: impl Iterator<Item = f64>) -> Axis {
        let (shortest, longest) =
            durations.fold((f64::MAX, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
        let first = LINES.iter().rposition(|line| *line <= shortest).unwrap_or(0).min(MILLISECOND);
        let last = LINES.iter().position(|line| *line >= longest).unwrap_or(LINES.len() - 1);
        Axis { first, last: last.max(first + FEWEST) }
    }

    fn lines(&self) -> impl Iterator<Item = f64> {
        LINES[self.first..=self.last].iter().copied()
    }

    /// From 0 to 1.
    fn place(&self, duration: f64) -> f64 {
        let (low, high) = (LINES[self.first], LINES[self.last]);
        (duration.clamp(low, high) / low).log10() / (high / low).log10()
    }
}

/// What stands at a line.
fn label(at: f64) -> String {
    if at < 1.0 { format!("{at} ms") } else { took(at).replace(".0 ", " ") }
}

fn mark(x: f64, y: f64, tone: Tone) -> Markup {
    let (x, y) = (tenth(x), tenth(y));
    match tone {
        Tone::Good => html! { circle.good cx=(x) cy=(y) r="3.5" {} },
        Tone::Warn => html! { rect.warn x=(x - 3.5) y=(y - 3.5) width="7" height="7" {} },
        Tone::Bad => html! { path.bad d={ "M" (x) " " (y - 5.5) "l5.5 5.5-5.5 5.5-5.5-5.5z" } {} },
        Tone::Quiet => html! { circle.quiet.hollow cx=(x) cy=(y) r="3" {} },
    }
}

fn tenth(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Times stand as text in a drawing.
fn clock_text(timestamp: &str) -> String {
    let shown = clock(timestamp).into_string();
    let inner = shown.split('>').nth(1).and_then(|rest| rest.split('<').next());
    inner.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axis_holds_the_shortest_and_the_longest() {
        let cases: [(&str, &[f64], &[&str]); 7] = [
            ("nothing", &[], &["1 ms", "10 ms", "100 ms"]),
            ("processes", &[3.0, 50.0], &["1 ms", "10 ms", "100 ms"]),
            ("hooks that stay", &[0.3, 0.8], &["0.1 ms", "1 ms", "10 ms"]),
            ("both", &[0.8, 101.0], &["0.1 ms", "1 ms", "10 ms", "100 ms", "1 s"]),
            ("rules", &[0.02, 0.0], &["0.01 ms", "0.1 ms", "1 ms"]),
            ("a minute", &[1.0, 60_000.0], &["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]),
            ("longer than any line", &[5.0, f64::MAX], &["1 ms", "10 ms", "100 ms", "1 s", "10 s", "100 s"]),
        ];
        for (name, durations, expected) in cases {
            let axis = Axis::of(durations.iter().copied());
            assert_eq!(axis.lines().map(label).collect::<Vec<_>>(), expected, "{name}");
        }
    }

    #[test]
    fn every_duration_has_a_place_in_the_drawing() {
        let (processes, all) = (Axis { first: 2, last: 7 }, Axis { first: 0, last: 7 });
        let cases = [
            (&processes, 0.0, 0.0),
            (&processes, 1.0, 0.0),
            (&processes, 1_000.0, 0.6),
            (&processes, 100_000.0, 1.0),
            (&processes, f64::MAX, 1.0),
            (&processes, -5.0, 0.0),
            (&all, 0.001, 0.0),
            (&all, 0.1, 1.0 / 7.0),
            (&all, 1.0, 2.0 / 7.0),
        ];
        for (axis, duration, expected) in cases {
            assert!((axis.place(duration) - expected).abs() < 1e-9, "{duration} on {axis:?}");
        }
        let axis = Axis::of([0.3, 0.8, 40.0].into_iter());
        assert!(0.0 < axis.place(0.3) && axis.place(0.3) < axis.place(0.8), "they are told apart");
    }
}
