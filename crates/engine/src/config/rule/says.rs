//! What a rule says, held to what its event permits.

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::Reading;
use crate::answer::Permission;
use crate::config::syntax::{bytes_of, property};
use crate::event::{AnswerField, Ask, EventSpec, Gate};
use crate::problem::{Fix, Problem};
use crate::rule::declared::{Message, Says};

impl<'a> Reading<'_, '_, '_, 'a> {
    pub(super) fn says(&mut self, object: &'a Object<'a>) -> Says {
        let mut says = Says::default();
        for permission in [Permission::Deny, Permission::Ask, Permission::Allow] {
            if let Some(found) = property(object, permission.name()) {
                self.permission(permission, found, &mut says);
            }
        }
        let user = self.said(object, AnswerField::UserMessage);
        if let (Some(user), Some(permission), true) = (user, says.permission, says.user_message.is_some()) {
            let message = format!("the rule has two texts for the user: in `{}` and here", permission.name());
            let help = format!("write \"{}\": true beside it, or remove it", permission.name());
            self.fault(bytes_of(&user.name), Problem::error("rule-two-texts", message).help(help));
        }
        says.user_message = self.message(user).or(says.user_message);
        for (field, slot) in [
            (AnswerField::AgentMessage, &mut says.agent_message),
            (AnswerField::AdditionalContext, &mut says.additional_context),
            (AnswerField::NewContent, &mut says.new_content),
            (AnswerField::FollowupMessage, &mut says.followup_message),
        ] {
            let found = self.said(object, field);
            let beside_deny = says.permission == Some(Permission::Deny) && field != AnswerField::AgentMessage;
            if let Some(found) = found.filter(|_| beside_deny) {
                let message = format!("`{}` has no effect beside `deny`", field.name());
                self.fault(
                    bytes_of(&found.name),
                    Problem::error("rule-not-permitted", message).help("remove it"),
                );
            }
            *slot = self.message(found);
        }
        if says == Says::default() {
            let message = "the rule says nothing";
            let help = format!(
                "`{}` lets a rule say {}",
                self.entry.event.name(),
                permitted(self.entry.event.spec())
            );
            let at = object.range.start..object.range.start + 1;
            self.fault(at, Problem::error("rule-says-nothing", message).help(help));
        }
        says
    }

    fn permission(&mut self, permission: Permission, found: &'a ObjectProp<'a>, says: &mut Says) {
        let (spec, word) = (self.entry.event.spec(), permission.name());
        let may = match permission {
            Permission::Deny => spec.gate != Gate::None,
            Permission::Ask => spec.gate == Gate::Permission,
            Permission::Allow => matches!(spec.gate, Gate::Permission | Gate::Continue),
        };
        if !may {
            self.not_permitted(found, word);
        } else if permission == Permission::Ask && spec.ask == Ask::IsDeny {
            let message = format!("nobody can be asked on `{}`: `ask` refuses", spec.name);
            let problem = Problem::warning("rule-ask-refuses", message)
                .help("write `deny`")
                .fix(Fix::replace(bytes_of(&found.name), "\"deny\""));
            self.entry.warn(bytes_of(&found.name), problem);
        }
        if let Some(first) = says.permission {
            let message =
                format!("a rule says one of `deny`, `ask` and `allow`; this one says `{}` too", first.name());
            let problem = Problem::error("rule-two-answers", message);
            return self.fault(bytes_of(&found.name), problem.help("make two rules, or remove one of them"));
        }
        match &found.value {
            Value::BooleanLit(flag) if flag.value => {}
            Value::StringLit(text) if !text.value.trim().is_empty() => {
                says.user_message = self.message(Some(found));
            }
            other => self.wrong_kind(other, word, "a text or true", "\"why\""),
        }
        says.permission = Some(permission);
    }

    /// A field of the answer, where the event permits it.
    fn said(&mut self, object: &'a Object<'a>, field: AnswerField) -> Option<&'a ObjectProp<'a>> {
        let found = property(object, field.name())?;
        if !self.entry.event.answers(field) {
            self.not_permitted(found, field.name());
        }
        Some(found)
    }

    fn not_permitted(&mut self, found: &ObjectProp, word: &str) {
        let spec = self.entry.event.spec();
        let message = format!("`{word}` has no effect on `{}`", spec.name);
        let help = format!("a rule may say {} here", permitted(spec));
        self.fault(bytes_of(&found.name), Problem::error("rule-not-permitted", message).help(help));
    }

    fn message(&mut self, found: Option<&'a ObjectProp<'a>>) -> Option<Message> {
        let found = found?;
        let text = self.text(&found.value, found.name.as_str(), "\"a text\"")?;
        let message = Message::new(text);
        for path in message.fields() {
            self.known_field(path, bytes_of(&found.value), false);
        }
        Some(message)
    }
}

/// What a rule of this event may say, for messages.
fn permitted(spec: &EventSpec) -> String {
    let mut words: Vec<&str> = match (spec.gate, spec.ask) {
        (Gate::None, _) => Vec::new(),
        (Gate::Permission, Ask::Supported | Ask::HandedToHost) => vec!["deny", "ask", "allow"],
        (Gate::Permission, Ask::IsDeny) | (Gate::Continue, _) => vec!["deny", "allow"],
        (Gate::ExitCode, _) => vec!["deny"],
    };
    let texts = spec.answers.iter().filter(|field| {
        matches!(
            field,
            AnswerField::UserMessage
                | AnswerField::AgentMessage
                | AnswerField::AdditionalContext
                | AnswerField::NewContent
                | AnswerField::FollowupMessage
        )
    });
    words.extend(texts.map(|field| field.name()));
    if words.is_empty() { "nothing".to_owned() } else { format!("`{}`", words.join("`, `")) }
}
