//! Whether what is ours still says what we would write: an entry that somebody
//! edited may be called, and its answer go nowhere.

use serde_json::{Map, Value};

use super::command::Program;
use super::entries::{Entry, wanted};
use super::target::{Places, Target, Wired, ours_whole, text_of};
use super::wiring::{Form, Wiring};

/// What differs, in words: one for each entry or file. Which program is called
/// is told elsewhere.
pub fn changes(places: &Places, wired: &Wired, wiring: &Wiring, program: &Program) -> Vec<String> {
    let program = program.for_scope(wired.scope);
    let address = || program.address().and_then(Result::ok);
    let address = if wired.is_over_http() { address() } else { None };
    // Without a port and a token nobody can say what should stand there.
    if wired.is_over_http() && address.is_none() {
        return Vec::new();
    }
    let program = program.over_http(address);
    let entries = wired.entries.iter().filter_map(|entry| changed_entry(entry, wiring, &program));
    let files = places.installed(wiring, wired.scope).unwrap_or_default().into_iter();
    let files = files.filter_map(|target| changed_file(&target, wiring, &program));
    entries.chain(files).collect()
}

fn changed_entry(entry: &Entry, wiring: &Wiring, program: &Program) -> Option<String> {
    let program = match &entry.program {
        Some(called) => program.called_as(called),
        None => program.clone(),
    };
    let wanted = wanted(wiring, &program, &entry.event)?;
    let found = entry.handler.as_object()?;
    let words = differences(found, &wanted);
    let file = format!("our entry for {} was changed: {}", entry.event, words.join(", "));
    (!words.is_empty()).then_some(file)
}

fn differences(found: &Map<String, Value>, wanted: &Map<String, Value>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (name, value) in wanted {
        match found.get(name) {
            None => words.push(format!("`{name}` is gone")),
            // A token is for nobody's eyes.
            Some(now) if now != value && name == "headers" => {
                words.push("`headers` has another token".to_owned())
            }
            Some(now) if now != value => words.push(format!("`{name}` is `{}`", plain(now))),
            Some(_) => {}
        }
    }
    // A matcher is told elsewhere, by what it leaves out.
    let more = found.iter().filter(|(name, _)| !wanted.contains_key(*name) && *name != "matcher");
    words.extend(more.map(|(name, value)| format!("`{name}: {}` was added", plain(value))));
    words
}

/// A file that is ours as a whole.
fn changed_file(target: &Target, wiring: &Wiring, program: &Program) -> Option<String> {
    let called = ours_whole(&target.file, wiring.name)?;
    let text = text_of(&target.file)?;
    let name = target.file.file_stem()?.to_str()?;
    let event = wiring.events().iter().copied().find(|event| *event == name);
    // A script for an event that we no longer know is nobody's fault.
    if matches!(wiring.form, Form::Scripts) && event.is_none() {
        return None;
    }
    let target = Target { event, ..target.clone() };
    let same = text == target.whole(wiring, &program.called_as(&called));
    (!same).then(|| format!("{} is not what this version writes there", target.file.display()))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_has_its_words() {
        let map = |text: &str| serde_json::from_str::<Map<String, Value>>(text).expect("an object");
        let wanted = map(r#"{"command": "x", "timeout": 3600, "onFailure": "block"}"#);
        let cases = [
            (r#"{"onFailure": "block", "timeout": 3600, "command": "x"}"#, &[][..]),
            (
                r#"{"command": "x || true", "timeout": 3600, "onFailure": "block"}"#,
                &["`command` is `x || true`"],
            ),
            (r#"{"command": "x", "timeout": 1}"#, &["`timeout` is `1`", "`onFailure` is gone"]),
            (r#"{"command": "x", "timeout": 3600, "onFailure": "block", "matcher": "y"}"#, &[]),
            (
                r#"{"command": "x", "timeout": 3600, "onFailure": "block", "async": true, "if": "Bash(ls)"}"#,
                &["`async: true` was added", "`if: Bash(ls)` was added"],
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(differences(&map(found), &wanted), expected, "{found}");
        }
    }
}
