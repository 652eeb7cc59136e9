//! HookSet × Event × session → what to run, and for every hook that does not
//! run, why.
//!
//! Pure: starts nothing and reads nothing.

use std::borrow::Cow;
use std::sync::Arc;

use crate::config::mentioned;
use crate::definition::Action;
use crate::dialect::Dialect;
use crate::dialect::claude::encode_event;
use crate::edition::Rules;
use crate::environment::{Environments, MAX_VALUE_BYTES, Surroundings, problem_with_value};
use crate::fill::Event;
use crate::judge::{Question, instruction};
use crate::load::{Hook, HookSet, HookState, Withheld};
use crate::matcher::{Verdict, budget};
use crate::outcome::{Failure, ReadOutcome};
use crate::rule::Look;
use crate::run::Invocation;
use crate::source::Level;

/// Deeper calls of our own hooks are a failure.
pub const DEEPEST: u32 = 3;
/// Where a plugin stands.
const PLUGIN_ROOT: [&str; 2] = ["CURSOR_PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];
/// Where the workspace stands.
const PROJECT: [&str; 2] = ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// What to do for one event.
#[derive(Debug)]
pub struct Plan<'a> {
    /// What runs, in the order of the walk.
    pub steps: Vec<Step<'a>>,
    /// What does not, in the same order.
    pub skipped: Vec<Skipped<'a>>,
    /// What hooks read: the payload as one line.
    pub line: Arc<Vec<u8>>,
    /// What matchers were applied to.
    pub subject: Option<String>,
    /// Hooks whose matcher or rule was past a limit, in the same order.
    pub over_budget: Vec<&'a Hook>,
}

/// One hook that has a say.
#[derive(Debug, Clone)]
pub struct Step<'a> {
    /// Which hook.
    pub hook: &'a Hook,
    /// What is to be done.
    pub work: Work,
}

/// What is to be done for a hook.
#[derive(Debug, Clone)]
pub enum Work {
    /// A process is run.
    Run(Invocation),
    /// A model is asked.
    Ask(Question),
    /// A rule said this, without a process.
    Said(Box<ReadOutcome>),
    /// It fails before it starts.
    Fail {
        /// Why.
        failure: Failure,
        /// Whether that refuses whatever `failClosed` says.
        blocks: bool,
    },
}

/// One hook that has no say.
#[derive(Debug, Clone)]
pub struct Skipped<'a> {
    /// Which hook.
    pub hook: &'a Hook,
    /// Its place in the set.
    pub index: usize,
    /// Why.
    pub why: Why,
}

/// Why a hook has no say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// It may not run, which is worth telling.
    Withheld(Withheld),
    /// A hook of the same file sent this event.
    CalledFromIt,
    /// So many follow-ups were sent that stop hooks end.
    LoopLimit(u32),
    /// Its matcher does not fit.
    NoMatch,
    /// What its rule asks for is not so.
    NotMet,
    /// The same hook of Claude Code's settings runs already.
    Twin,
}

impl Why {
    /// In a sentence. The subject is what the matcher was applied to.
    pub fn sentence(self, hook: &Hook, subject: Option<&str>) -> String {
        match self {
            Why::Withheld(why) => why.reason().to_owned(),
            Why::CalledFromIt => "this event was sent by a hook of the same file".to_owned(),
            Why::LoopLimit(limit) => format!("Stop hook auto-loop limit reached ({limit})"),
            Why::NoMatch => {
                let (pattern, subject) =
                    (hook.definition.matcher.pattern(), shortened(subject.unwrap_or_default()));
                let of_claude =
                    hook.definition.dialect.claude().is_some_and(|claude| claude.matcher.is_some());
                if of_claude {
                    return format!("its matcher `{pattern}` fits none of Claude Code's names for this");
                }
                format!("its matcher `{pattern}` does not match `{subject}`")
            }
            Why::Twin => {
                "the same command of Claude Code's settings runs already, and once is enough".to_owned()
            }
            Why::NotMet => {
                match hook.definition.dialect.claude().and_then(|claude| claude.condition.as_ref()) {
                    Some(condition) => format!("its `if` asks for `{}`", condition.text()),
                    None => "what its rule asks for is not so".to_owned(),
                }
            }
        }
    }

    /// Whether it may not run, rather than not apply.
    pub fn is_withheld(self) -> bool {
        matches!(self, Why::Withheld(_))
    }
}

/// What a plan depends on beside hooks and event.
pub struct Circumstances<'a> {
    /// The edition's rules.
    pub rules: &'a Rules,
    /// What environments are made from.
    pub around: Surroundings<'a>,
    /// Those that were made before.
    pub environments: &'a Environments,
    /// Automatic follow-ups so far.
    pub loop_count: u32,
    /// Reads the transcript at this path, for rules that look into it.
    pub transcript: &'a dyn Fn(&str) -> Option<String>,
}

/// Plans one event.
pub fn plan<'a>(set: &'a HookSet, event: &Event, circumstances: &Circumstances<'_>) -> Plan<'a> {
    let subject = event.subject().map(Cow::into_owned);
    let mut line = event.payload.to_json().into_bytes();
    line.push(b'\n');
    let line = Arc::new(line);
    let look = Look::new(event, circumstances.transcript);
    let planner = Planner { event, circumstances, look, stdin: Arc::clone(&line) };
    let mut plan = Plan { steps: Vec::new(), skipped: Vec::new(), line, subject, over_budget: Vec::new() };
    for (index, hook) in set.hooks.iter().enumerate().filter(|(_, hook)| hook.definition.event == event.kind)
    {
        let subject = plan.subject.as_deref();
        let doubts = budget::doubts();
        let why = planner.reason_to_skip(hook, subject);
        if budget::doubts() != doubts {
            plan.over_budget.push(hook);
        }
        if let Some(why) = why {
            plan.skipped.push(Skipped { hook, index, why });
            continue;
        }
        if has_twin(&plan.steps, hook) {
            plan.skipped.push(Skipped { hook, index, why: Why::Twin });
            continue;
        }
        let doubts = budget::doubts();
        let work = planner.work(hook, subject);
        if budget::doubts() != doubts && !plan.over_budget.iter().any(|known| std::ptr::eq(*known, hook)) {
            plan.over_budget.push(hook);
        }
        match work {
            Some(work) => plan.steps.push(Step { hook, work }),
            None => plan.skipped.push(Skipped { hook, index, why: Why::NotMet }),
        }
    }
    plan
}

/// Claude Code runs a command once, in however many places of its settings it
/// stands. One whose answer does not count is no twin of one whose does.
fn has_twin(steps: &[Step<'_>], hook: &Hook) -> bool {
    let counts = |hook: &Hook| {
        let background = hook.definition.dialect.claude().is_some_and(|claude| claude.background);
        (background, hook.definition.fail_closed)
    };
    let same = |step: &Step<'_>| {
        step.hook.source.level.is_claude()
            && step.hook.source.run_dir == hook.source.run_dir
            && counts(step.hook) == counts(hook)
            && step.hook.definition.command_line() == hook.definition.command_line()
    };
    hook.source.level.is_claude() && steps.iter().any(same)
}

/// Whether a hook may not run and does not refuse either: nothing of it is compiled or evaluated.
/// One that was trusted once and changed keeps its gate shut.
pub fn has_no_say(hook: &Hook) -> bool {
    let HookState::Withheld(why) = hook.state else { return false };
    let keeps_shut = matches!(why, Withheld::Changed | Withheld::Tampered | Withheld::Unprotected);
    !(keeps_shut && hook.definition.failure_refuses() && hook.definition.event.can_block())
}

struct Planner<'a> {
    event: &'a Event,
    circumstances: &'a Circumstances<'a>,
    look: Look<'a>,
    stdin: Arc<Vec<u8>>,
}

impl Planner<'_> {
    fn reason_to_skip(&self, hook: &Hook, subject: Option<&str>) -> Option<Why> {
        if let HookState::Withheld(why) = hook.state
            && has_no_say(hook)
        {
            return Some(Why::Withheld(why));
        }
        if self.was_called_from(hook) {
            return Some(Why::CalledFromIt);
        }
        if let Some(limit) = self.circumstances.rules.stop_hooks_end_at.filter(|_| self.event.kind.loops())
            && self.circumstances.loop_count >= limit
        {
            return Some(Why::LoopLimit(limit));
        }
        match hook.definition.verdict(self.event, subject) {
            Verdict::NoMatch => Some(Why::NoMatch),
            Verdict::Match if !hook.definition.condition_holds(self.event) => Some(Why::NotMet),
            Verdict::Match | Verdict::Invalid(_) => None,
        }
    }

    /// A variable of the environment cannot switch off managed hooks: for
    /// those the depth limit alone ends a circle.
    fn was_called_from(&self, hook: &Hook) -> bool {
        let managed = hook.source.level.is_managed();
        !managed
            && self.circumstances.around.called_from.iter().any(|file| hook.source.file.as_os_str() == file)
    }

    /// What is to be done for a hook; nothing when its rule has nothing to say.
    fn work(&self, hook: &Hook, subject: Option<&str>) -> Option<Work> {
        if let Some(failure) = self.obstacle(hook, subject) {
            return Some(failure);
        }
        Some(match &hook.definition.action {
            Action::Broken { reason, .. } => {
                Work::Fail { failure: Failure::BrokenEntry(reason.clone()), blocks: false }
            }
            Action::Prompt { prompt, model } => Work::Ask(Question {
                instruction: instruction(prompt),
                input: self.payload(hook),
                model: model.clone(),
                timeout: hook.definition.timeout,
            }),
            Action::Rule(rule) => Work::Said(Box::new(rule.apply(&self.look)?)),
            Action::Command(command) => self.command(hook, command),
        })
    }

    /// Why a hook that applies cannot even be tried.
    fn obstacle(&self, hook: &Hook, subject: Option<&str>) -> Option<Work> {
        let fail = |failure| Some(Work::Fail { failure, blocks: false });
        if hook.state == HookState::Withheld(Withheld::Tampered) {
            return fail(Failure::Tampered(Withheld::Tampered.reason().to_owned()));
        }
        if hook.state == HookState::Withheld(Withheld::Unprotected) {
            return fail(Failure::Withheld(Withheld::Unprotected.reason().to_owned()));
        }
        if let HookState::Withheld(why) = hook.state {
            return fail(Failure::Withheld(format!("{}; look at it with `boathook trust`", why.reason())));
        }
        // Self-protection starts nothing, so it does not end with the depth.
        if self.circumstances.around.depth > DEEPEST && hook.source.level != Level::BuiltIn {
            // The depth stands in the environment, which must not open a managed gate.
            let managed = hook.source.level.is_managed();
            let failure = Failure::TooDeep(self.circumstances.around.depth);
            return Some(Work::Fail { failure, blocks: managed && self.event.kind.can_block() });
        }
        if let Verdict::Invalid(reason) = hook.definition.verdict(self.event, subject) {
            return fail(Failure::BrokenEntry(format!("its matcher does not compile: {reason}")));
        }
        None
    }

    fn command(&self, hook: &Hook, command: &str) -> Work {
        let circumstances = self.circumstances;
        let blocks = self.event.kind.can_block();
        if let Some((name, problem)) = circumstances.around.unusable_value() {
            return Work::Fail { failure: Failure::Variable { name, problem }, blocks };
        }
        let mut env = circumstances.environments.get(
            hook.source.level,
            &hook.source.file,
            hook.definition.environment.as_ref(),
            &circumstances.around,
        );
        let claude = hook.definition.dialect.claude();
        let mut together = 0;
        for name in mentioned(command).filter(|_| claude.is_none()) {
            let value = self.value(name);
            // The shell may join values into one argument, which has the same limit as a variable.
            together += value.len() * command.matches(&format!("${{{name}}}")).count();
            let problem = problem_with_value(&value).or_else(|| {
                let too_long = together > MAX_VALUE_BYTES;
                too_long.then(|| {
                    format!(
                        "the values in it have {together} bytes together, and {MAX_VALUE_BYTES} is the most"
                    )
                })
            });
            if let Some(problem) = problem {
                return Work::Fail { failure: Failure::Value { name, problem }, blocks };
            }
            Arc::make_mut(&mut env).push((name.into(), value.into()));
        }
        if hook.source.level == Level::Plugin {
            let env = Arc::make_mut(&mut env);
            PLUGIN_ROOT.iter().for_each(|name| env.push((name.into(), hook.source.run_dir.clone().into())));
        }
        let args = claude.and_then(|claude| claude.args.as_deref());
        Work::Run(Invocation {
            command: args.map_or_else(|| command.to_owned(), |_| self.word(command, hook)),
            args: args.map(|args| args.iter().map(|word| self.word(word, hook)).collect()),
            run_dir: hook.source.run_dir.clone(),
            env,
            stdin: self.line(hook),
            timeout: hook.definition.timeout,
        })
    }

    /// Without a shell nobody else puts directories into words.
    fn word(&self, word: &str, hook: &Hook) -> String {
        let (root, project) =
            (hook.source.run_dir.to_string_lossy(), self.circumstances.around.project_dir.to_string_lossy());
        let is_plugin = hook.source.level == Level::Plugin;
        let word = PROJECT
            .iter()
            .fold(word.to_owned(), |word, name| word.replace(&format!("${{{name}}}"), &project));
        let plugin = PLUGIN_ROOT.iter().filter(|_| is_plugin);
        plugin.fold(word, |word, name| word.replace(&format!("${{{name}}}"), &root))
    }

    /// What a hook reads: one line.
    fn line(&self, hook: &Hook) -> Arc<Vec<u8>> {
        if hook.definition.dialect.claude().is_none() {
            return Arc::clone(&self.stdin);
        }
        Arc::new((self.payload(hook) + "\n").into_bytes())
    }

    /// What a hook reads: one object.
    fn payload(&self, hook: &Hook) -> String {
        match &hook.definition.dialect {
            Dialect::Cursor => self.event.payload.to_json(),
            Dialect::Claude(options) => encode_event(self.event, options).to_json(),
        }
    }

    /// The value of a `${…}` of seed 002: a field of the payload.
    fn value(&self, name: &str) -> String {
        let payload = &self.event.payload;
        payload.text(name).or_else(|| payload.text(&format!("{name}_text"))).unwrap_or_default()
    }
}

fn shortened(subject: &str) -> String {
    let mut short: String = subject.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if short.len() < subject.len() {
        short.push('…');
    }
    short
}
