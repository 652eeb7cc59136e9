//! Records as an output channel tells them: a paragraph for each event.

use boathook_engine::record::Record;

use super::{time, words};
use crate::ui::{Style, Ui, clean};

/// A longer text is cut here; the record itself has all of it.
const LONGEST: usize = 2_000;

/// Remembers the event it told of last: several hooks of one event have one
/// heading.
#[derive(Default)]
pub struct Channel {
    last: Option<(String, String, Option<String>)>,
    told: usize,
}

impl Channel {
    pub fn print(&mut self, ui: &mut Ui, record: &Record) {
        let event = (record.timestamp.clone(), record.step.clone(), record.conversation.clone());
        if self.last.as_ref() != Some(&event) {
            heading(ui, record);
            self.last = Some(event);
            self.told = 0;
        }
        match &record.command {
            Some(command) => {
                self.told += 1;
                hook(ui, record, self.told, command);
            }
            None => {
                optional(ui, "source", record.place.as_deref());
                optional(ui, "reason", record.reason.as_deref());
                fact(ui, "input", &shortened(record, record.request.get()));
                if record.blocked {
                    fact(ui, "result", "the event was refused");
                }
            }
        }
    }
}

fn optional(ui: &mut Ui, name: &str, value: Option<&str>) {
    value.iter().for_each(|value| fact(ui, name, value));
}

fn heading(ui: &mut Ui, record: &Record) {
    let time = ui.styled(&time::long(&record.timestamp), Style::Dim);
    let step = ui.styled(&record.step, Style::Bold);
    let by = record.agent.as_ref().map(|agent| format!(" by {}", clean(agent))).unwrap_or_default();
    ui.painted_line(&format!("{time} {step} requested{by}, {}", words::found(record)));
    for hook in &record.not_run {
        fact(ui, "not run", hook);
    }
}

fn hook(ui: &mut Ui, record: &Record, number: usize, command: &str) {
    let place = record.place.as_deref().unwrap_or_default();
    let (result, style) = words::result(record);
    ui.line(&format!("  hook {number} ({})", record.id));
    fact(ui, "source", &format!("{} {place}", record.source.as_deref().unwrap_or_default()));
    fact(ui, "directory", record.directory.as_deref().unwrap_or_default());
    fact(ui, "timeout", &record.timeout_ms.map(|millis| format!("{millis} ms")).unwrap_or_default());
    fact(ui, "command", command);
    fact(
        ui,
        "duration",
        &record.duration.map(|millis| format!("{millis:.1} ms")).unwrap_or_else(|| "did not run".to_owned()),
    );
    fact(ui, "exit", &record.exit_code.map(|code| code.to_string()).unwrap_or_else(|| "none".to_owned()));
    fact(ui, "input", &shortened(record, record.request.get()));
    fact(
        ui,
        "output",
        &record.response.as_ref().map(|response| shortened(record, response.get())).unwrap_or_default(),
    );
    if !record.stderr.is_empty() {
        fact(ui, "stderr", &shortened(record, record.stderr.trim_end()));
    }
    let result = ui.styled(result, style);
    let refused = if record.blocked { "; the event was refused" } else { "" };
    let reason = record.reason.as_ref().map(|reason| format!(": {}", clean(reason))).unwrap_or_default();
    ui.painted_line(&format!("    result     {result}{reason}{refused}"));
    for note in &record.notes {
        fact(ui, "note", note);
    }
}

fn fact(ui: &mut Ui, name: &str, value: &str) {
    let value = value.replace('\n', "\n               ");
    ui.line(format!("    {name:<10} {value}").trim_end());
}

fn shortened(record: &Record, text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let cut = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}… ({} bytes; `boathook log {}` shows all)", &text[..cut], text.len(), words::short_id(record))
}
