//! How results look: a line for each case, and for one that failed what was
//! expected, what came, and what each hook did.

use boathook_engine::decision::HookReport;
use serde_json::{Value, json};

use super::case::Case;
use super::compare::ran_at_all;
use super::execute::Verdict;
use crate::ui::{Style, Ui};

/// This many lines of a hook's stderr are shown.
const STDERR_LINES: usize = 12;

/// One case.
pub fn result(ui: &mut Ui, case: &Case, verdict: &Verdict) {
    let took = ui.styled(&format!("({} ms)", verdict.took.as_millis()), Style::Dim);
    let name = crate::ui::clean(&case.name.replace('\n', " "));
    if verdict.passed() {
        let ok = ui.styled("ok", Style::Green);
        return ui.painted_line(&format!("{ok}    {name} {took}"));
    }
    let failed = ui.styled("FAIL", Style::Red);
    ui.painted_line(&format!("{failed}  {name} {took}"));
    ui.line(&format!("      {}:{}", case.file.display(), case.line));
    for line in detail(verdict) {
        let style = match line.as_bytes().first() {
            Some(b'+') => Style::Green,
            Some(b'-') => Style::Red,
            _ => Style::Dim,
        };
        let line = ui.styled(&line, style);
        ui.painted_line(&format!("      {line}"));
    }
}

/// What is wrong, in one line.
pub fn headline(verdict: &Verdict) -> String {
    if let Some(trouble) = &verdict.trouble {
        return trouble.clone();
    }
    let what: Vec<&str> = verdict.differences.iter().map(|difference| difference.what).collect();
    format!("not as expected: {}", what.join(", "))
}

/// What is wrong, in full.
pub fn detail(verdict: &Verdict) -> Vec<String> {
    let mut lines: Vec<String> = verdict.trouble.iter().cloned().collect();
    for difference in &verdict.differences {
        lines.push(format!("{} (- expected, + came):", title(difference.what)));
        lines.extend(difference.lines());
    }
    if verdict.trouble.is_none() && verdict.actual.hooks.is_empty() {
        lines.push("no hook is configured for this event".to_owned());
    }
    lines.extend(verdict.actual.hooks.iter().map(hook));
    for (command, text) in &verdict.actual.stderr {
        lines.push(format!("stderr of `{command}`:"));
        lines.extend(text.lines().take(STDERR_LINES).map(|line| format!("  {line}")));
        if text.lines().count() > STDERR_LINES {
            lines.push("  …".to_owned());
        }
    }
    lines
}

fn title(what: &str) -> &str {
    match what {
        "exit" => "exit code",
        "ran" => "hooks that ran",
        "failed" => "hooks that failed",
        other => other,
    }
}

fn hook(report: &HookReport) -> String {
    let came = if ran_at_all(report.outcome) { "ran" } else { "did not run" };
    let mut facts = vec![report.outcome.name().replace('_', " ")];
    facts.extend(report.permission.map(str::to_owned));
    facts.extend(report.exit_code.map(|code| format!("exit code {code}")));
    facts.extend(report.reason.clone());
    facts.extend(report.warnings.iter().cloned());
    facts.extend(report.lost.iter().cloned());
    format!("hook `{}` {came}: {}", report.command.replace('\n', " "), facts.join(", "))
}

/// One case as data.
pub fn as_json(case: &Case, verdict: &Verdict) -> Value {
    let difference = |it: &super::compare::Difference| json!({ "what": it.what, "expected": it.expected, "actual": it.actual });
    json!({
        "name": case.name,
        "file": case.file,
        "line": case.line,
        "event": case.event.name(),
        "passed": verdict.passed(),
        "duration_ms": u64::try_from(verdict.took.as_millis()).unwrap_or(u64::MAX),
        "trouble": verdict.trouble,
        "exit": verdict.actual.exit,
        "answer": verdict.actual.answer,
        "differences": verdict.differences.iter().map(difference).collect::<Vec<_>>(),
        "hooks": verdict.actual.hooks,
    })
}
