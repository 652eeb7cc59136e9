//! Which records are wanted.

use boathook_engine::agent::AGENTS;
use boathook_engine::event::EventKind;
use boathook_engine::record::Record;
use boathook_engine::remote::verbs::LogParams;
use boathook_engine::source::Level;
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use super::time::Since;
use crate::payload_args::{event_name, no_event};

/// Options that choose; what is given twice may be either.
#[derive(Debug, Default, clap::Args)]
pub struct Filter {
    /// Only of this event
    #[arg(long, value_name = "EVENT", value_parser = event_name(), hide_possible_values = true)]
    event: Vec<EventKind>,
    /// Only of hooks from this source
    #[arg(long, value_name = "SOURCE", value_parser = source_name())]
    source: Vec<String>,
    /// Only what came out so
    #[arg(long, value_name = "OUTCOME", value_enum, value_delimiter = ',')]
    outcome: Vec<Outcome>,
    /// Only what this agent told
    #[arg(long, value_name = "NAME", value_parser = agent_name())]
    agent: Vec<String>,
    /// Only of hooks whose command or prompt holds this text
    #[arg(long, value_name = "TEXT")]
    hook: Option<String>,
    /// Only since then: 30s, 10m, 2h, 3d, or a time like 2026-11-15 or 2026-11-15T10:30
    #[arg(long, value_name = "WHEN", value_parser = Since::parse)]
    since: Option<Since>,
}

/// What came out, as a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Outcome {
    /// The hook answered, whatever it said
    Answered,
    /// The hook allowed
    Allowed,
    /// The hook asked for the user
    Asked,
    /// The hook refused
    Denied,
    /// The hook had no opinion
    NoOpinion,
    /// The hook failed, or none could be asked
    Failed,
    /// The hook failed and the action went on
    FailedOpen,
    /// The hook failed and so the action was refused
    FailedClosed,
    /// A daemon was short of something and decided nothing: its caller asked again
    Undecided,
    /// The hook was not run for want of trust
    Withheld,
    /// No hook was found for the event
    NoHook,
    /// The event as a whole was refused
    Blocked,
}

impl Filter {
    /// The same from words that were not typed.
    pub fn of(wanted: &LogParams) -> Result<Filter, String> {
        let event = |name: &String| EventKind::named(name).ok_or_else(|| no_event(name));
        let outcome = |name: &String| {
            Outcome::from_str(name, false).map_err(|_| {
                let names: Vec<_> =
                    Outcome::value_variants().iter().filter_map(Outcome::to_possible_value).collect();
                let names: Vec<&str> = names.iter().map(|value| value.get_name()).collect();
                format!("there is no outcome `{name}`; write one of {}", names.join(", "))
            })
        };
        Ok(Filter {
            event: wanted.event.iter().map(event).collect::<Result<_, _>>()?,
            source: wanted.source.clone(),
            outcome: wanted.outcome.iter().map(outcome).collect::<Result<_, _>>()?,
            agent: wanted.agent.clone(),
            hook: wanted.hook.clone(),
            since: wanted.since.as_deref().map(Since::parse).transpose()?,
        })
    }

    /// Whether a record is wanted.
    pub fn takes(&self, record: &Record) -> bool {
        let any = |wanted: bool, empty: bool| empty || wanted;
        any(self.event.iter().any(|event| event.name() == record.step), self.event.is_empty())
            && any(self.source.iter().any(|it| record.source.as_ref() == Some(it)), self.source.is_empty())
            && any(self.agent.iter().any(|it| record.agent.as_ref() == Some(it)), self.agent.is_empty())
            && any(self.outcome.iter().any(|outcome| outcome.fits(record)), self.outcome.is_empty())
            && self
                .hook
                .as_ref()
                .is_none_or(|text| record.command.as_ref().is_some_and(|it| it.contains(text)))
            && self.since.is_none_or(|since| since.includes(&record.timestamp))
    }
}

impl Outcome {
    fn fits(self, record: &Record) -> bool {
        let (outcome, permission) = (record.outcome.as_str(), record.permission.as_deref());
        match self {
            Outcome::Answered => outcome == "answer",
            Outcome::Allowed => permission == Some("allow"),
            Outcome::Asked => permission == Some("ask"),
            Outcome::Denied => permission == Some("deny"),
            Outcome::NoOpinion => outcome == "no_opinion",
            Outcome::Failed => matches!(outcome, "failed_open" | "failed_closed"),
            Outcome::FailedOpen => outcome == "failed_open",
            Outcome::FailedClosed => outcome == "failed_closed",
            Outcome::Undecided => outcome == "undecided",
            Outcome::Withheld => outcome == "withheld",
            Outcome::NoHook => outcome == "none",
            Outcome::Blocked => record.blocked,
        }
    }
}

fn source_name() -> PossibleValuesParser {
    PossibleValuesParser::new(Level::ALL.map(Level::name))
}

fn agent_name() -> PossibleValuesParser {
    PossibleValuesParser::new(AGENTS.iter().map(|agent| agent.name))
}
