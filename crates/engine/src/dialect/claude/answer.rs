//! What a hook of Claude Code meant by its output and its exit code.
//!
//! JSON is read as everybody's is. What differs: text is context or nothing,
//! never a failure; exit code 2 goes to the model where nothing can be refused.

use super::events::{ClaudeEvent, ExitTwo, of_kind};
use super::{Options, Shape, encode_event, tools};
use crate::answer::Answer;
use crate::edition::Rules;
use crate::fill::Event;
use crate::outcome::{Outcome, ReadOutcome, plain_text, read_outcome};
use crate::payload::Payload;
use crate::run::{Exit, Status};

/// What this exit means.
pub fn decode_answer(exit: &Exit, event: &Event, options: &Options, rules: &Rules) -> ReadOutcome {
    let sent = encode_event(event, options);
    let claude = of_kind(event.kind).filter(|_| options.shape == Shape::Claude);
    let read = match claude {
        Some(claude) => decode(exit, event, options, claude, &sent, rules),
        None => read_outcome(exit, event.kind, &sent, rules),
    };
    if options.background { without_a_say(read) } else { read }
}

fn decode(
    exit: &Exit,
    event: &Event,
    options: &Options,
    claude: &ClaudeEvent,
    sent: &Payload,
    rules: &Rules,
) -> ReadOutcome {
    match exit.status {
        Status::Code(0) => {
            if let Some(text) = plain_text(&exit.stdout) {
                return of_text(text, claude);
            }
        }
        Status::Code(2) => match claude.exit_two {
            ExitTwo::Refuses => {}
            ExitTwo::GoesOn => {
                return says(Answer { followup_message: Some(reason(exit)), ..Answer::default() });
            }
            ExitTwo::TellsModel => {
                return says(Answer { additional_context: Some(reason(exit)), ..Answer::default() });
            }
            ExitTwo::TellsUser => {
                let words = Some(reason(exit));
                return says(Answer {
                    user_message: words.clone(),
                    system_message: words,
                    ..Answer::default()
                });
            }
        },
        _ => {}
    }
    let mut read = read_outcome(exit, event.kind, sent, rules);
    read.warnings.extend(other_event(&exit.stdout, claude));
    if let Outcome::Answer(answer) = &mut read.outcome {
        by_native_names(answer, event, options);
        // Who wants everything to stop wants no follow-up.
        if event.kind.loops() && answer.proceed == Some(false) {
            answer.followup_message = None;
        }
    }
    read
}

/// Text with exit code 0.
fn of_text(text: String, claude: &ClaudeEvent) -> ReadOutcome {
    if claude.text_is_context {
        return says(Answer { additional_context: Some(text), ..Answer::default() });
    }
    ReadOutcome::plain(Outcome::NoOpinion)
}

fn says(answer: Answer) -> ReadOutcome {
    ReadOutcome::plain(Outcome::Answer(Box::new(answer)))
}

/// What stands on stderr; an exit code alone still says something.
fn reason(exit: &Exit) -> String {
    let stderr = String::from_utf8_lossy(&exit.stderr).trim().to_owned();
    if stderr.is_empty() { "A hook ended with exit code 2 and gave no reason.".to_owned() } else { stderr }
}

fn by_native_names(answer: &mut Answer, event: &Event, options: &Options) {
    if let Some(updated) = answer.updated_input.take() {
        let name = tools::name(event, options.matcher.as_ref());
        answer.updated_input = tools::input_back(event, &name, &updated).or(Some(updated));
    }
}

/// An answer that was written for another event.
fn other_event(stdout: &[u8], claude: &ClaudeEvent) -> Option<String> {
    let object = Payload::parse(stdout.trim_ascii()).ok()?;
    let inner: Payload = serde_json::from_str(object.get("hookSpecificOutput")?.get()).ok()?;
    let named = inner.text("hookEventName").filter(|named| named != claude.name)?;
    Some(format!(
        "its answer is for `{named}`, but this is `{}`; Claude Code ignores such an answer",
        claude.name
    ))
}

/// `async`: the hook ran, and nobody asks what it says.
fn without_a_say(read: ReadOutcome) -> ReadOutcome {
    match read.outcome {
        Outcome::Answer(_) => {
            let mut nothing = ReadOutcome::plain(Outcome::NoOpinion);
            nothing.warnings.push("its answer does not count: it is `async`".to_owned());
            nothing
        }
        Outcome::NoOpinion | Outcome::Silent | Outcome::Failed(_) => ReadOutcome { blocks: false, ..read },
    }
}
