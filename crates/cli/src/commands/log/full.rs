//! One record with all it holds.

use boathook_engine::payload::spread;
use boathook_engine::record::Record;

use super::{time, words};
use crate::ui::{Style, Ui, clean};

/// Prints it.
pub fn show(ui: &mut Ui, record: &Record) {
    let (result, style) = words::result(record);
    fact(ui, "id", &record.id);
    fact(ui, "time", &time::long(&record.timestamp));
    fact(ui, "event", &format!("{}, {}", record.step, words::found(record)));
    optional(ui, "agent", record.agent.as_deref());
    optional(ui, "hook", record.command.as_deref());
    optional(ui, "source", record.source.as_deref());
    optional(ui, "place", record.place.as_deref());
    optional(ui, "directory", record.directory.as_deref());
    optional(
        ui,
        "timeout",
        record.timeout_ms.map(|millis| format!("{} s", millis as f64 / 1000.0)).as_deref(),
    );
    optional(ui, "took", record.duration.map(time::took).as_deref());
    optional(ui, "exit code", record.exit_code.map(|code| code.to_string()).as_deref());
    optional(ui, "process", record.process.as_deref());
    let result = ui.styled(result, style);
    painted(ui, "result", &result);
    optional(ui, "reason", record.reason.as_deref());
    optional(ui, "would", record.would.as_ref().map(|would| format!("{would} (monitor)")).as_deref());
    if record.blocked {
        let refused = ui.styled("the event was refused", Style::Red);
        painted(ui, "decision", &refused);
    }
    if record.automatic_followup {
        fact(ui, "follow-up", "sent by itself");
    }
    for note in &record.notes {
        fact(ui, "note", note);
    }
    for hook in &record.not_run {
        fact(ui, "not run", hook);
    }
    optional(ui, "conversation", record.conversation.as_deref());
    if let Some(lack) = words::lack(record) {
        fact(ui, "input is", &lack);
    }
    block(ui, "input", &spread(record.request.get()));
    match &record.response {
        Some(response) => block(ui, "output", &spread(response.get())),
        None => fact(ui, "output", "nothing"),
    }
    if !record.stderr.is_empty() {
        block(ui, "stderr", &record.stderr);
    }
}

fn optional(ui: &mut Ui, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        fact(ui, name, value);
    }
}

/// A name and what it is; further lines stand below the first.
fn fact(ui: &mut Ui, name: &str, value: &str) {
    painted(ui, name, &clean(value).replace('\n', "\n             "));
}

fn painted(ui: &mut Ui, name: &str, value: &str) {
    let name = ui.styled(&format!("{name:<12}"), Style::Bold);
    ui.painted_line(format!("{name} {value}").trim_end());
}

/// A name, and a text of many lines below it.
fn block(ui: &mut Ui, name: &str, text: &str) {
    let name = ui.styled(name, Style::Bold);
    ui.painted_line(&name);
    for line in text.trim_end().lines() {
        ui.line(&format!("  {line}"));
    }
}
