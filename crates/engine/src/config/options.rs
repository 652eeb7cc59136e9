//! The options of an entry: when it runs, how long, and what a failure means.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use jsonc_parser::ast::{Array, Value};

use super::entry::{Entry, truthy};
use super::syntax::{bytes_of, kind_of, property};
use crate::definition::{DEFAULT_LOOP_LIMIT, LONGEST_TIMEOUT, Lifetime};
use crate::dialect::{Dialect, claude};
use crate::event::Subject;
use crate::matcher::Matcher;
use crate::problem::{Fix, Problem};

/// Seconds from which a timeout is doubted.
const DOUBTED: f64 = 1000.0;
/// Seconds from which it can only be milliseconds, where the edition says so.
const MILLISECONDS: f64 = 5000.0;

/// What an entry says beside its command.
pub(super) struct Options {
    pub matcher: Matcher,
    pub matcher_at: Option<Range<usize>>,
    pub timeout: Duration,
    pub fail_closed: bool,
    pub monitor: bool,
    pub loop_limit: Option<u32>,
    pub dialect: Dialect,
    pub lifetime: Lifetime,
}

impl Entry<'_, '_, '_> {
    pub(super) fn fail_closed(&mut self) -> bool {
        let Some(value) = self.option("failClosed") else { return false };
        let (bytes, closed) = (bytes_of(value), truthy(value));
        match value {
            Value::BooleanLit(_) => {}
            Value::StringLit(text) if matches!(&*text.value, "true" | "false") => {
                let message = format!("`failClosed` is the text \"{}\", not a boolean", text.value);
                let problem = Problem::warning("fail-closed-is-text", message)
                    .help(format!("write \"failClosed\": {}", text.value))
                    .product("drops the whole file")
                    .fix(Fix::replace(bytes.clone(), text.value.to_string()));
                self.warn(bytes.clone(), problem);
            }
            other => {
                let message = format!("`failClosed` is {}, not a boolean", kind_of(other));
                let problem =
                    Problem::error("fail-closed-not-a-boolean", message).help("write true or false");
                self.fault(bytes.clone(), problem.product("drops the whole file"));
            }
        }
        if closed && !self.event.can_block() {
            self.no_effect(
                bytes,
                format!("`failClosed` has no effect: `{}` cannot block", self.event.name()),
            );
        }
        closed
    }

    /// Whether the hook is only watched: an extension of ours.
    pub(super) fn monitor(&mut self) -> bool {
        match self.option("monitor") {
            None => false,
            Some(Value::BooleanLit(flag)) => flag.value,
            Some(other) => {
                let message = format!("`monitor` is {}, not a boolean", kind_of(other));
                let problem = Problem::error("monitor-not-a-boolean", message);
                let fix = Fix::replace(bytes_of(other), truthy(other).to_string());
                self.fault(bytes_of(other), problem.help("write true or false").fix(fix));
                false
            }
        }
    }

    pub(super) fn matcher(&mut self) -> Matcher {
        let Some(value) = self.option("matcher") else { return Matcher::everything() };
        let Value::StringLit(pattern) = value else {
            self.matcher_not_a_string(value);
            return Matcher::everything();
        };
        let matcher = Matcher::new(&*pattern.value);
        if !matcher.is_everything() && self.event.spec().subject == Subject::None {
            let name = self.event.name();
            let message =
                format!("`matcher` has no effect: `{name}` has nothing to match, the hook runs every time");
            let problem = Problem::warning("no-effect", message).help("remove it, or decide in the script");
            self.warn(bytes_of(pattern), problem);
        }
        matcher
    }

    fn matcher_not_a_string(&mut self, value: &Value) {
        let message = format!("`matcher` is {}, not a string", kind_of(value));
        let problem = Problem::error("matcher-not-a-string", message).product("drops the whole file");
        let joined = match value {
            Value::Array(list) => alternatives(list),
            _ => None,
        };
        let inner = match value {
            Value::Object(object) => {
                property(object, "command").and_then(|command| command.value.as_string_lit())
            }
            _ => None,
        };
        let problem = match (joined, inner) {
            (Some(joined), _) => problem
                .help(format!("write \"matcher\": \"{joined}\""))
                .fix(Fix::replace(bytes_of(value), format!("\"{joined}\""))),
            (None, Some(inner)) => {
                let shown = super::syntax::excerpt(&inner.value);
                problem.help(format!("write \"matcher\": \"{shown}\", on an event that looks at commands"))
            }
            (None, None) => problem.help("a matcher is one regular expression, like \"Write|Delete\""),
        };
        self.fault(bytes_of(value), problem);
    }

    pub(super) fn timeout(&mut self, default: Duration) -> Duration {
        let Some(value) = self.option("timeout") else { return default };
        let Value::NumberLit(number) = value else {
            let message = format!("`timeout` is {}, not a number of seconds", kind_of(value));
            let problem = Problem::error("timeout-not-a-number", message).help(r#"write "timeout": 30"#);
            self.fault(bytes_of(value), problem.product("drops the whole file"));
            return default;
        };
        let seconds: f64 = number.value.parse().unwrap_or(f64::NAN);
        if !seconds.is_finite() || seconds <= 0.0 {
            let message = format!("`timeout` is {}; it must be more than 0 seconds", self.shown(value));
            let problem = Problem::error("timeout-not-positive", message).help(r#"write "timeout": 30"#);
            self.fault(bytes_of(value), problem.product("drops the whole file"));
            return default;
        }
        duration(self.doubt(bytes_of(value), seconds))
    }

    /// Warns about a timeout that is probably in milliseconds; gives its seconds.
    fn doubt(&mut self, bytes: Range<usize>, seconds: f64) -> f64 {
        let product = format!("waits up to {}", span(seconds));
        if seconds >= MILLISECONDS && self.reader.rules.long_timeouts_are_milliseconds {
            let meant = seconds / 1000.0;
            let message = format!("`timeout` {seconds} is read as milliseconds, as {meant} seconds");
            let problem = Problem::warning("timeout-in-milliseconds", message)
                .help(format!("`timeout` is in seconds: write {meant}"))
                .product(product);
            // A result that would be doubted again is no repair.
            let problem = if meant < DOUBTED {
                problem.fix(Fix::replace(bytes.clone(), meant.to_string()))
            } else {
                problem
            };
            self.warn(bytes, problem);
            return meant;
        }
        if seconds >= DOUBTED {
            let message = format!("`timeout` is in seconds: this hook may take {}", span(seconds));
            let help = format!("write {} if milliseconds were meant", seconds / 1000.0);
            self.warn(bytes, Problem::warning("timeout-very-long", message).help(help));
        }
        seconds
    }

    /// Whose payloads the hook reads: an extension of ours, for hooks that
    /// were written for another product.
    pub(super) fn dialect(&mut self) -> Dialect {
        let Some(value) = self.option("dialect") else { return Dialect::Cursor };
        let name = value.as_string_lit().map(|name| &*name.value);
        match name {
            Some("cursor") => return Dialect::Cursor,
            Some("claude") if claude::of_kind(self.event).is_some() => return Dialect::Claude(Arc::default()),
            Some("claude") => {
                let message = format!("`dialect` has no effect: Claude Code has no `{}`", self.event.name());
                self.no_effect(bytes_of(value), message);
            }
            _ => {
                let message =
                    format!("`dialect` is {}; it can be \"cursor\" or \"claude\"", self.shown(value));
                let problem = Problem::error("dialect-unknown", message);
                self.fault(bytes_of(value), problem.help(r#"write "dialect": "claude", or leave it out"#));
            }
        }
        Dialect::Cursor
    }

    pub(super) fn loop_limit(&mut self) -> Option<u32> {
        let Some(value) = self.option("loop_limit") else { return Some(DEFAULT_LOOP_LIMIT) };
        let limit = match value {
            Value::NullKeyword(_) => return None,
            Value::NumberLit(number) => whole(number.value),
            _ => None,
        };
        let Some(limit) = limit else {
            let message = format!("`loop_limit` is {}, not a whole number or null", self.shown(value));
            let problem = Problem::error("loop-limit-invalid", message)
                .help("write a number of follow-ups from 0, or null for no limit")
                .product("drops the whole file");
            self.fault(bytes_of(value), problem);
            return Some(DEFAULT_LOOP_LIMIT);
        };
        if !self.event.loops() {
            let message = format!("`loop_limit` has no effect: `{}` sends no follow-ups", self.event.name());
            self.no_effect(bytes_of(value), message);
        }
        Some(limit)
    }
}

/// A list of plain words as one expression.
fn alternatives(list: &Array) -> Option<String> {
    let words: Option<Vec<&str>> = list
        .elements
        .iter()
        .map(|element| element.as_string_lit().map(|text| &*text.value))
        .map(|word| {
            word.filter(|word| {
                !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            })
        })
        .collect();
    words.filter(|words| !words.is_empty()).map(|words| words.join("|"))
}

fn duration(seconds: f64) -> Duration {
    let exact = Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_TIMEOUT);
    exact.clamp(Duration::from_nanos(1), LONGEST_TIMEOUT)
}

fn whole(text: &str) -> Option<u32> {
    let number: f64 = text.parse().ok()?;
    let fits = number.is_finite() && number >= 0.0 && number.fract() == 0.0;
    // A cast of a float saturates: a limit beyond `u32` is as good as its end.
    fits.then_some(number as u32)
}

/// Seconds in the unit a person would use.
fn span(seconds: f64) -> String {
    if seconds < 2.0 * 3600.0 {
        format!("{:.0} minutes", seconds / 60.0)
    } else if seconds < 48.0 * 3600.0 {
        format!("{:.1} hours", seconds / 3600.0)
    } else if seconds < 1e9 {
        format!("{:.0} days", seconds / 86400.0)
    } else {
        "for ever".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_always_a_duration() {
        let year = LONGEST_TIMEOUT;
        let cases = [
            (0.5, Duration::from_millis(500)),
            (1e18, year),
            (f64::INFINITY, year),
            (1e-300, Duration::from_nanos(1)),
        ];
        for (seconds, expected) in cases {
            assert_eq!(duration(seconds), expected, "{seconds}");
        }
    }

    #[test]
    fn long_times_are_told_in_a_fitting_unit() {
        let cases = [(1000.0, "17 minutes"), (10_000.0, "2.8 hours"), (1e6, "12 days"), (1e18, "for ever")];
        for (seconds, expected) in cases {
            assert_eq!(span(seconds), expected);
        }
    }

    #[test]
    fn a_loop_limit_is_a_whole_number() {
        let cases = [
            ("0", Some(0)),
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("1e99", Some(u32::MAX)),
            ("-1", None),
            ("1.5", None),
        ];
        for (text, expected) in cases {
            assert_eq!(whole(text), expected, "{text}");
        }
    }
}
