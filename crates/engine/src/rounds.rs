//! Hooks that must be asked again before a decision stands.
//!
//! Redactions (law 6): when several hooks replace the same text differently,
//! the losers are asked again about the winner's text until nobody changes it.
//! Rewrites (law 16): when a lower-priority source rewrote the input, higher
//! ones are asked about what will really run. What does not settle is refused.
//!
//! Pure but for the `ask` it is given.

use crate::answer::Answer;
use crate::edition::Rules;
use crate::event::AnswerField;
use crate::fill::Event;
use crate::load::Hook;
use crate::merge::{Heard, preferred};
use crate::outcome::{Failure, Outcome, ReadOutcome};
use crate::payload::compact;

/// A redaction that still changes after this many rounds is refused.
pub const MOST_ROUNDS: u32 = 3;

/// Asks those hooks again about another event.
pub type Ask<'a, 'f> = &'f mut dyn FnMut(&Event, &dyn Fn(&Hook) -> bool) -> Vec<Heard<'a>>;

/// A field of an answer that replaces a field of the input.
struct Replacement {
    input: &'static str,
    get: fn(&Answer) -> Option<String>,
    set: fn(&mut Answer, String),
}

const NEW_CONTENT: Replacement = Replacement {
    input: "content",
    get: |answer| answer.new_content.clone(),
    set: |answer, text| answer.new_content = Some(text),
};

const MCP_OUTPUT: Replacement = Replacement {
    input: "tool_output",
    get: |answer| answer.updated_mcp_tool_output.as_ref().map(|output| compact(output.get()).into_owned()),
    set: |answer, text| answer.updated_mcp_tool_output = serde_json::value::RawValue::from_string(text).ok(),
};

/// Asks again where the law says so; what was heard then counts.
pub fn settle<'a>(heard: &mut Vec<Heard<'a>>, event: &Event, rules: &Rules, ask: Ask<'a, '_>) {
    if event.kind.answers(AnswerField::NewContent) {
        settle_replacements(heard, event, rules, &NEW_CONTENT, ask);
    } else if event.kind.answers(AnswerField::UpdatedMcpToolOutput) {
        settle_replacements(heard, event, rules, &MCP_OUTPUT, ask);
    } else if event.kind.answers(AnswerField::UpdatedInput) {
        settle_rewrite(heard, event, rules, ask);
    }
}

fn settle_replacements<'a>(
    heard: &mut [Heard<'a>],
    event: &Event,
    rules: &Rules,
    field: &Replacement,
    ask: Ask<'a, '_>,
) {
    let mut values = replacements(heard, field);
    let differ = values.iter().any(|(_, text)| *text != values[0].1);
    if !differ || heard.iter().any(|heard| answer_of(heard).is_some_and(Answer::refuses)) {
        return;
    }
    let redactors: Vec<String> = values.iter().map(|(index, _)| heard[*index].hook.id.clone()).collect();
    let Some((mut winner, mut text)) = preferred(&values, rules).cloned() else { return };
    for _ in 0..MOST_ROUNDS {
        let mut changed = event.clone();
        changed.payload.set(field.input, &text);
        let winner_id = heard[winner].hook.id.clone();
        let again = ask(&changed, &|hook| hook.id != winner_id && redactors.contains(&hook.id));
        if let Some(trouble) = take_in(heard, again) {
            return refuse(heard, event, field, trouble);
        }
        if heard.iter().any(|heard| answer_of(heard).is_some_and(Answer::refuses)) {
            return;
        }
        values = replacements(heard, field);
        let changing: Vec<_> =
            values.iter().filter(|(index, new)| *index != winner && *new != text).cloned().collect();
        let Some((next, new)) = preferred(&changing, rules).cloned() else {
            return give_all(heard, field, &redactors, &text);
        };
        (winner, text) = (next, new);
    }
    refuse(heard, event, field, Failure::Unsettled(MOST_ROUNDS));
}

/// Puts the second answers in place of the first. A redactor that fails now
/// would lose its redaction: that is trouble.
fn take_in<'a>(heard: &mut [Heard<'a>], again: Vec<Heard<'a>>) -> Option<Failure> {
    let mut trouble = None;
    for new in again {
        if let Outcome::Failed(failure) = &new.read.outcome {
            trouble.get_or_insert(failure.clone());
        }
        if let Some(old) = heard.iter_mut().find(|old| old.hook.id == new.hook.id) {
            let runs = old.runs + new.runs;
            *old = Heard { runs, ..new };
        }
    }
    trouble
}

/// Everyone agrees on this text now.
fn give_all(heard: &mut [Heard<'_>], field: &Replacement, redactors: &[String], text: &str) {
    for heard in heard.iter_mut().filter(|heard| redactors.contains(&heard.hook.id)) {
        if let Outcome::Silent | Outcome::NoOpinion = heard.read.outcome {
            heard.read.outcome = Outcome::Answer(Box::default());
        }
        if let Outcome::Answer(answer) = &mut heard.read.outcome {
            (field.set)(answer, text.to_owned());
        }
    }
}

/// On a gate the action is refused; an MCP tool's output is withheld whole.
fn refuse(heard: &mut [Heard<'_>], event: &Event, field: &Replacement, failure: Failure) {
    let Some(first) = heard.iter_mut().find(|heard| answer_of(heard).and_then(field.get).is_some()) else {
        return;
    };
    if event.kind.can_block() {
        first.read = ReadOutcome { blocks: true, ..ReadOutcome::failed(failure) };
        return;
    }
    let notice = format!("The output was withheld: a redaction of it {failure}.");
    first.read.warnings.push(notice.clone());
    let text = serde_json::Value::from(notice).to_string();
    for heard in heard.iter_mut() {
        if let Outcome::Answer(answer) = &mut heard.read.outcome {
            (field.set)(answer, text.clone());
        }
    }
}

fn settle_rewrite<'a>(heard: &mut Vec<Heard<'a>>, event: &Event, rules: &Rules, ask: Ask<'a, '_>) {
    if heard.iter().any(|heard| answer_of(heard).is_some_and(Answer::refuses)) {
        return;
    }
    let rewrites: Vec<_> = heard
        .iter()
        .filter_map(|heard| Some((heard.hook.source.level, answer_of(heard)?.updated_input.clone()?)))
        .collect();
    let Some((level, input)) = preferred(&rewrites, rules).cloned() else { return };
    let mut rewritten = event.clone();
    rewritten.payload.set("tool_input", &input);
    for mut new in ask(&rewritten, &|hook| hook.source.level < level) {
        let rewrites_again = answer_of(&new)
            .and_then(|answer| answer.updated_input.as_ref())
            .is_some_and(|again| compact(again.get()) != compact(input.get()));
        if rewrites_again {
            new.read = ReadOutcome { blocks: true, ..ReadOutcome::failed(Failure::RewrittenAgain) };
        }
        match heard.iter_mut().find(|old| old.hook.id == new.hook.id) {
            Some(old) => {
                let runs = old.runs + new.runs;
                *old = Heard { runs, ..new };
            }
            None => heard.push(new),
        }
    }
}

fn replacements(heard: &[Heard<'_>], field: &Replacement) -> Vec<(usize, String)> {
    heard
        .iter()
        .enumerate()
        .filter_map(|(index, heard)| Some((index, (field.get)(answer_of(heard)?)?)))
        .collect()
}

fn answer_of<'h>(heard: &'h Heard<'_>) -> Option<&'h Answer> {
    match &heard.read.outcome {
        Outcome::Answer(answer) => Some(answer),
        Outcome::NoOpinion | Outcome::Silent | Outcome::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests;
