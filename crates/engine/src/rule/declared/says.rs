//! What a rule says, as an answer of the event.

use serde_json::{Map, Value, json};

use super::message::Message;
use crate::answer::{Answer, Permission};
use crate::event::{AnswerField, EventKind, Gate};
use crate::fill::Event;

/// What a rule says when its condition holds.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // each field is the answer field of that name
pub struct Says {
    pub permission: Option<Permission>,
    pub user_message: Option<Message>,
    pub agent_message: Option<Message>,
    pub additional_context: Option<Message>,
    pub new_content: Option<Message>,
    pub followup_message: Option<Message>,
}

impl Says {
    /// The answer to an event. Where the person is told why, the model is told
    /// the same unless the rule has other words for it.
    pub fn answer(&self, event: &Event) -> Answer {
        let filled = |message: &Option<Message>| message.as_ref().map(|text| text.filled(&event.payload));
        let stops = matches!(self.permission, Some(Permission::Deny | Permission::Ask));
        let same =
            self.user_message.as_ref().filter(|_| stops && event.kind.answers(AnswerField::AgentMessage));
        let agent = self.agent_message.as_ref().or(same).cloned();
        let by_continue = event.kind.spec().gate == Gate::Continue;
        let denies = self.permission == Some(Permission::Deny);
        Answer {
            permission: self.permission.filter(|_| !by_continue),
            proceed: self.permission.filter(|_| by_continue).map(|it| it == Permission::Allow),
            user_message: filled(&self.user_message),
            agent_message: filled(&agent),
            additional_context: filled(&self.additional_context),
            new_content: filled(&self.new_content),
            followup_message: filled(&self.followup_message),
            // As a process it would end with exit code 2.
            by_exit_code: denies,
            ..Answer::default()
        }
    }

    /// In a few words.
    pub fn summary(&self) -> String {
        let mut said: Vec<&str> = Vec::new();
        said.extend(self.permission.map(|permission| match permission {
            Permission::Deny => "denies",
            Permission::Ask => "asks",
            Permission::Allow => "allows",
        }));
        let tells = self.permission.is_none() && self.user_message.is_some();
        said.extend(tells.then_some("tells the user something"));
        said.extend(self.additional_context.is_some().then_some("adds context"));
        said.extend(self.new_content.is_some().then_some("replaces what is read"));
        said.extend(self.followup_message.is_some().then_some("sends a follow-up"));
        said.join(" and ")
    }
}

/// Tells whoever is refused or asked that it was by a doubt, and by which: the
/// rule's own words would speak of something that was perhaps not meant.
pub(super) fn add_doubt(answer: &mut Answer, doubt: &str) {
    if !answer.refuses() && answer.permission != Some(Permission::Ask) {
        return;
    }
    let told = |text: Option<String>| match text {
        Some(text) => format!("{text} (In doubt: {doubt}.)"),
        None => format!("In doubt: {doubt}."),
    };
    answer.agent_message = answer.agent_message.take().map(|text| told(Some(text)));
    answer.user_message = Some(told(answer.user_message.take()));
}

/// An answer as one line in the product's format.
pub fn answer_line(answer: &Answer, event: EventKind) -> String {
    let mut object = Map::new();
    let mut set = |field: AnswerField, value: Option<Value>| {
        if let Some(value) = value.filter(|_| event.answers(field)) {
            object.insert(field.name().to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    set(AnswerField::Permission, answer.permission.map(|permission| json!(permission.name())));
    set(AnswerField::Continue, answer.proceed.map(|proceed| json!(proceed)));
    set(AnswerField::UserMessage, text(&answer.user_message));
    set(AnswerField::AgentMessage, text(&answer.agent_message));
    set(AnswerField::AdditionalContext, text(&answer.additional_context));
    set(AnswerField::NewContent, text(&answer.new_content));
    set(AnswerField::FollowupMessage, text(&answer.followup_message));
    Value::Object(object).to_string()
}
