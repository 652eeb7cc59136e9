//! How a run looks beside the same run again.

use boathook_engine::record::Record;
use serde::Serialize;
use serde_json::Value;
use similar::TextDiff;

use crate::commands::log::{time, words};
use crate::ui::{Style, Ui};

/// One hook, then and now; without one of them it did not run.
#[derive(Debug, Serialize)]
pub struct Told {
    pub command: String,
    pub before: Option<Run>,
    pub now: Option<Run>,
}

/// One run.
#[derive(Debug, Clone, Serialize)]
pub struct Run {
    pub result: String,
    pub reason: Option<String>,
    pub exit_code: Option<i32>,
    pub duration: Option<f64>,
    pub response: Option<String>,
    pub stderr: String,
}

impl Run {
    /// As it was recorded.
    pub fn of(record: &Record) -> Run {
        let (result, _) = words::result(record);
        // Whether a failure let the action through is the event's affair.
        let result = if result.starts_with("failed") { "failed" } else { result };
        Run {
            result: result.to_owned(),
            reason: record.reason.clone(),
            exit_code: record.exit_code,
            duration: record.duration,
            response: record.response.as_ref().map(|response| response.get().to_owned()),
            stderr: record.stderr.clone(),
        }
    }

    fn answer(&self) -> String {
        let Some(response) = &self.response else { return "(nothing)".to_owned() };
        match serde_json::from_str::<Value>(response) {
            Ok(Value::String(text)) => text,
            Ok(value) => serde_json::to_string_pretty(&value).unwrap_or_default(),
            Err(_) => response.clone(),
        }
    }
}

impl Told {
    /// Whether it came to the same.
    pub fn is_same(&self) -> bool {
        match (&self.before, &self.now) {
            (Some(before), Some(now)) => {
                before.result == now.result
                    && before.exit_code == now.exit_code
                    && before.answer() == now.answer()
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

/// Every hook of them.
pub fn all(ui: &mut Ui, record: &Record, told: &[Told]) {
    ui.line(&format!("{} of {}", record.step, time::long(&record.timestamp)));
    for it in told {
        one(ui, it);
    }
    match told.iter().filter(|it| !it.is_same()).count() {
        _ if told.is_empty() => ui.line("no hook ran, then or now"),
        0 => ui.line("the same as then"),
        _ => ui.line("not the same as then"),
    }
}

fn one(ui: &mut Ui, told: &Told) {
    let name = ui.styled(&told.command.replace('\n', "\n  "), Style::Bold);
    ui.painted_line(&name);
    ui.line("             then             now");
    let column = |run: Option<&Run>, text: &dyn Fn(&Run) -> String| run.map_or("-".to_owned(), text);
    let mut row = |name: &str, text: &dyn Fn(&Run) -> String| {
        let (before, now) = (column(told.before.as_ref(), text), column(told.now.as_ref(), text));
        ui.line(format!("  {name:<10} {before:<16} {now}").trim_end());
    };
    row("result", &|run| run.result.clone());
    row("exit code", &|run| run.exit_code.map_or("none".to_owned(), |code| code.to_string()));
    row("took", &|run| run.duration.map_or("-".to_owned(), time::took));
    for (when, run) in [("then", &told.before), ("now", &told.now)] {
        if let Some(reason) = run.as_ref().and_then(|run| run.reason.as_ref()) {
            ui.line(&format!("  {when}: {reason}"));
        }
    }
    let none = "(did not run)".to_owned();
    let answer = |run: &Option<Run>| run.as_ref().map_or(none.clone(), Run::answer);
    texts(ui, "answer", &answer(&told.before), &answer(&told.now));
    let stderr = |run: &Option<Run>| run.as_ref().map(|run| run.stderr.clone()).unwrap_or_default();
    if !(stderr(&told.before).is_empty() && stderr(&told.now).is_empty()) {
        texts(ui, "stderr", &stderr(&told.before), &stderr(&told.now));
    }
}

/// The text when both are the same, else what differs.
fn texts(ui: &mut Ui, what: &str, before: &str, now: &str) {
    if before == now {
        ui.line(&format!("  {what}, then and now:"));
        return before.lines().for_each(|line| ui.line(&format!("    {line}")));
    }
    ui.line(&format!("  {what} (- then, + now):"));
    let whole_lines = |text: &str| {
        if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
    };
    let (before, now) = (whole_lines(before), whole_lines(now));
    for change in TextDiff::from_lines(&before, &now).iter_all_changes() {
        let style = match change.tag() {
            similar::ChangeTag::Delete => Style::Red,
            similar::ChangeTag::Insert => Style::Green,
            similar::ChangeTag::Equal => Style::Dim,
        };
        let line = ui.styled(&format!("{}{}", change.tag(), change.value().trim_end_matches('\n')), style);
        ui.painted_line(&format!("    {line}"));
    }
}
