//! Which of the known behaviours applies where sources disagree.
//!
//! One value chooses; everything it decides is a field of `Rules`, so that a
//! stage reads a rule and never the edition's name.

/// A generation of the hook system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Edition {
    /// The first one: twelve events, one hook at a time.
    V2_3,
    /// The documented one.
    #[default]
    Docs,
    /// What the product did in September 2026.
    V2026_09,
}

/// Text or JSON of the wrong shape on a gate, with exit code 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenAnswer {
    /// Logged; the next hook is asked.
    NextHook,
    /// A failure, unless a refusal can still be read in it.
    Failure,
    /// Refuses, except on a prompt.
    Blocks,
}

/// Which hook's value is taken where only one can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingleValue {
    /// Of the highest-priority source, and within it the first.
    Priority,
    /// The last one in the walk from high to low.
    Last,
}

/// What an edition decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Only the events of seed 000.
    pub only_first_events: bool,
    /// One hook at a time; the first valid answer ends the walk.
    pub one_at_a_time: bool,
    /// Entries have no option but `command`.
    pub only_command: bool,
    /// What a broken answer on a gate means.
    pub broken_answer: BrokenAnswer,
    /// Whose single value counts.
    pub single_value: SingleValue,
    /// A longer `additional_context` is dropped whole.
    pub context_limit: Option<usize>,
    /// A `timeout` of 5000 and above is read as milliseconds.
    pub long_timeouts_are_milliseconds: bool,
    /// At this `loop_count` no stop hook runs at all.
    pub stop_hooks_end_at: Option<u32>,
    /// `prompt_text`, `filePath`, MCP duration in seconds.
    pub first_field_names: bool,
    /// Project hooks need `hooks_ide_project_config`.
    pub project_needs_experiment: bool,
    /// The sample hook logs to the seed's `/tmp/agent.log`.
    pub sample_log_is_shared: bool,
    /// What `cursor_version` says when the host says nothing.
    pub cursor_version: &'static str,
}

const DOCS: Rules = Rules {
    only_first_events: false,
    one_at_a_time: false,
    only_command: false,
    broken_answer: BrokenAnswer::Failure,
    single_value: SingleValue::Priority,
    context_limit: None,
    long_timeouts_are_milliseconds: true,
    stop_hooks_end_at: None,
    first_field_names: false,
    project_needs_experiment: false,
    sample_log_is_shared: false,
    cursor_version: "3.0.0",
};

const V2_3: Rules = Rules {
    only_first_events: true,
    one_at_a_time: true,
    only_command: true,
    broken_answer: BrokenAnswer::NextHook,
    long_timeouts_are_milliseconds: false,
    stop_hooks_end_at: Some(5),
    first_field_names: true,
    project_needs_experiment: true,
    sample_log_is_shared: true,
    cursor_version: "2.3.41",
    ..DOCS
};

const V2026_09: Rules = Rules {
    broken_answer: BrokenAnswer::Blocks,
    single_value: SingleValue::Last,
    context_limit: Some(10_000),
    long_timeouts_are_milliseconds: false,
    cursor_version: "3.9.0",
    ..DOCS
};

impl Edition {
    /// Every edition, oldest first.
    pub const ALL: [Edition; 3] = [Edition::V2_3, Edition::Docs, Edition::V2026_09];

    /// Its name on the command line and in `config.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Edition::V2_3 => "2.3",
            Edition::Docs => "docs",
            Edition::V2026_09 => "2026-09",
        }
    }

    /// The edition of this name.
    pub fn named(name: &str) -> Option<Edition> {
        Edition::ALL.into_iter().find(|edition| edition.name() == name)
    }

    /// What it decides.
    pub fn rules(self) -> &'static Rules {
        match self {
            Edition::V2_3 => &V2_3,
            Edition::Docs => &DOCS,
            Edition::V2026_09 => &V2026_09,
        }
    }
}
