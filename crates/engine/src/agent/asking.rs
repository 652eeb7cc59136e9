//! One happening while its events are asked: which of them anybody wants, what
//! must be looked up for them, and what is remembered for the next call.

use std::cell::Cell;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::adapter::Adapter;
use super::attachments::{mentions, rules};
use super::fan_in::{Decided, rewritten};
use super::fan_out::{Common, Took, kinds, path_of, second_gate};
use super::file_path::FilePath;
use super::happening::{Ending, Failing, Happening, Moment, ToolCall, ToolClass};
use super::memory::{Lesson, Memories, Memory, Task, key_of, mark};
use super::reading::content;
use super::servers::identify;
use super::tasks::{launched, notified};
use super::verdict::Verdict;
use crate::decision::Decision;
use crate::definition::Action;
use crate::engine::Call;
use crate::event::EventKind;
use crate::fill::Event;
use crate::ids;
use crate::load::{Hook, HookSet};
use crate::perform::Deadline;
use crate::rule::Look;
use crate::source::Level;
use crate::state::StateDir;

/// Events that tell how long a call took.
const TIMED: [EventKind; 4] = [
    EventKind::PostToolUse,
    EventKind::PostToolUseFailure,
    EventKind::AfterShellExecution,
    EventKind::AfterMcpExecution,
];

/// How a session starts that nobody knew before.
const STARTUP: &str = "startup";

/// One happening while its events are asked.
pub(super) struct Asking<'a> {
    adapter: &'a Adapter<'a>,
    hooks: Arc<HookSet>,
    /// No hook ran since these were looked at.
    just_looked: Cell<bool>,
    happening: &'a Happening,
    common: Common<'a>,
    /// None when the agent does not say which session it is.
    memories: Option<Memories>,
    memory: Memory,
    recalled: bool,
    /// Where no hook is configured for anything that happened, one event is
    /// asked all the same: the log shows that the agent calls us.
    for_the_record: Option<EventKind>,
    /// By when the agent must have its answer: one moment for all events.
    deadline: Option<Deadline>,
}

impl<'a> Asking<'a> {
    /// Puts the names, addresses and launch lines of MCP servers where they
    /// belong, when any hook will see them.
    pub(super) fn look_up_servers(adapter: &Adapter<'_>, hooks: &HookSet, happening: &mut Happening) {
        let wanted = kinds(&happening.moment).into_iter().any(|kind| has(hooks, kind));
        let native = happening.call.as_ref().map(|call| call.name.clone()).unwrap_or_default();
        let calls = match &mut happening.moment {
            Moment::BeforeTool { calls }
            | Moment::AfterTool { calls, .. }
            | Moment::ToolFailed { calls, .. } => calls,
            _ => return,
        };
        let mut of_servers = calls.iter_mut().filter(|call| call.class == ToolClass::Mcp).peekable();
        if !wanted || of_servers.peek().is_none() {
            return;
        }
        let known = adapter.servers.servers();
        of_servers.for_each(|call| identify(call, &native, &known));
    }

    /// Recalls what the agent does not tell again.
    pub(super) fn new(
        adapter: &'a Adapter<'a>,
        hooks: Arc<HookSet>,
        happening: &'a Happening,
        deadline: Option<Deadline>,
    ) -> Asking<'a> {
        let may_be = kinds(&happening.moment);
        let wanted = may_be.iter().any(|kind| has(&hooks, *kind));
        let state = || StateDir::new(adapter.engine.roots().state.clone());
        let session = happening.session.as_ref();
        let memories = session.map(|session| Memories::of(state(), adapter.agent.name, session));
        // Whoever only asks how long a call took has no hook before it.
        let before = matches!(happening.moment, Moment::BeforeTool { .. });
        let recalled = wanted || (before && TIMED.iter().any(|kind| has(&hooks, *kind)));
        let memory = memories.as_ref().filter(|_| recalled).map(Memories::recall).unwrap_or_default();
        let fresh = matches!(happening.moment, Moment::Prompt { .. });
        let known = memory.generation.clone().filter(|_| !fresh);
        let common = Common {
            happening,
            session: session.cloned().unwrap_or_else(ids::uuid),
            generation: happening.generation.clone().or(known).unwrap_or_else(ids::uuid),
            model: happening.model.clone().or_else(|| memory.model.clone()),
            home: adapter.engine.roots().home.clone(),
            types_unseen: adapter.agent.types_unseen(),
        };
        let for_the_record = may_be.first().copied().filter(|_| !wanted);
        let just_looked = Cell::new(true);
        Asking {
            adapter,
            hooks,
            just_looked,
            happening,
            common,
            memories,
            memory,
            recalled,
            for_the_record,
            deadline,
        }
    }

    /// Asks every event that anybody wants, in order, until one is refused.
    pub(super) fn decide(&self) -> Vec<Decided> {
        let common = &self.common;
        match &self.happening.moment {
            Moment::SessionStart { .. } if self.began_before() => Vec::new(),
            Moment::SessionStart { background, .. } => {
                self.all([(EventKind::SessionStart, common.session_start(*background))])
            }
            Moment::SessionEnd { reason } => {
                let took = self.memory.began.map_or(0, |began| ids::now_millis().saturating_sub(began));
                let event = common.session_end(reason, Took(took.max(0) as f64));
                self.all([(EventKind::SessionEnd, event)])
            }
            Moment::Prompt { text } if self.is_nobodys(text) => Vec::new(),
            Moment::Prompt { text } => self
                .ask(0, EventKind::BeforeSubmitPrompt, || {
                    let (cwd, roots) =
                        (self.happening.cwd.as_deref(), &self.adapter.engine.roots().workspaces);
                    let mut attachments = rules(self.adapter.agent.rule_files, roots);
                    attachments.extend(mentions(text, cwd, &common.home, roots));
                    common.prompt(text, attachments)
                })
                .into_iter()
                .collect(),
            Moment::BeforeTool { calls } => self.gates(calls),
            Moment::AfterTool { calls, output } => {
                let took = self.took(output.duration_ms);
                self.reports(calls, |call| common.after(call, output, took))
            }
            Moment::ToolFailed { .. } if self.is_told_already() => Vec::new(),
            Moment::ToolFailed { calls, failing } => {
                let took = self.took(failing.duration_ms);
                self.reports(calls, |call| common.failed(call, failing, took))
            }
            Moment::SubagentStop(ending) => self.subagent_stop(ending),
            Moment::Stop(ending) => {
                let response = ending.message.as_ref().filter(|message| !message.is_empty());
                let response = response.map(|text| (EventKind::AfterAgentResponse, common.response(text)));
                self.all(response.into_iter().chain([(EventKind::Stop, common.stop(ending))]))
            }
            Moment::Compact { trigger } => self.all([(EventKind::PreCompact, common.pre_compact(trigger))]),
            Moment::Response { text } => self.all([(EventKind::AfterAgentResponse, common.response(text))]),
            Moment::Thought { text, duration_ms } => {
                self.all([(EventKind::AfterAgentThought, common.thought(text, *duration_ms))])
            }
            Moment::Nothing(_) => Vec::new(),
        }
    }

    /// Every call passes preToolUse, and then the gate of its class with the
    /// input that preToolUse left. What is refused is not asked further.
    fn gates(&self, calls: &[ToolCall]) -> Vec<Decided> {
        let mut decided: Vec<Decided> = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            let first = self.ask(index, EventKind::PreToolUse, || self.common.pre_tool_use(call));
            let rewritten = first.as_ref().and_then(|one| rewritten(&one.decision, call));
            let input = rewritten.as_ref().unwrap_or(&call.input);
            let refused = first.as_ref().is_some_and(|one| one.decision.blocked);
            decided.extend(first);
            let second = second_gate(call.class).filter(|_| !refused);
            for event in
                second.filter(|kind| self.wants(*kind)).map(|_| self.second(call, input)).unwrap_or_default()
            {
                let blocked = decided.last().is_some_and(|one| one.decision.blocked);
                decided.extend(if blocked { None } else { self.ask(index, event.kind, || event) });
            }
            if decided.last().is_some_and(|one| one.decision.blocked) {
                break;
            }
        }
        decided
    }

    /// The events of the second gate: one, or one for each file that a read can open.
    fn second(&self, call: &ToolCall, input: &Map<String, Value>) -> Vec<Event> {
        let common = &self.common;
        match call.class {
            ToolClass::Mcp => vec![common.before_mcp(call, input)],
            ToolClass::Read => self.reads(&common.file_path(&path_of(input))),
            ToolClass::Task => vec![common.subagent_start(input)],
            ToolClass::Shell | ToolClass::Write | ToolClass::Other => vec![common.before_shell(input)],
        }
    }

    /// A read through a link is asked about once by the name that the agent used and once by each file it leads to: a hook
    /// that knows nothing of links compares `file_path`.
    fn reads(&self, file: &FilePath) -> Vec<Event> {
        let roots = &self.adapter.engine.roots().workspaces;
        let attachments = rules(self.adapter.agent.rule_files, roots);
        let read = |file: &FilePath| self.common.before_read(file, content(&file.path), attachments.clone());
        let mut events = vec![read(file)];
        for path in &file.resolved {
            let mut event = read(&FilePath { path: path.clone(), resolved: Vec::new() });
            let behind = event.payload.position("file_path").map_or(usize::MAX, |at| at + 1);
            event.payload.insert(behind, "requested_path", &file.path);
            events.push(event);
        }
        events
    }

    fn reports(&self, calls: &[ToolCall], of: impl Fn(&ToolCall) -> Vec<Event>) -> Vec<Decided> {
        if !kinds(&self.happening.moment).into_iter().any(|kind| self.wants(kind)) {
            return Vec::new();
        }
        let events = calls
            .iter()
            .enumerate()
            .flat_map(|(index, call)| of(call).into_iter().map(move |event| (index, event)));
        let asked = events.filter_map(|(index, event)| self.ask(index, event.kind, || event));
        asked.collect()
    }

    fn subagent_stop(&self, ending: &Ending) -> Vec<Decided> {
        self.ask(0, EventKind::SubagentStop, || {
            let kind = self.happening.subagent.as_ref().and_then(|subagent| subagent.kind.as_deref());
            let task = self.change(|memory| memory.task_ended(kind)).flatten();
            let took = task.as_ref().map_or(0, |task| ids::now_millis().saturating_sub(task.began));
            self.common.subagent_stop(ending, task, Took(took.max(0) as f64))
        })
        .into_iter()
        .collect()
    }

    fn all(&self, events: impl IntoIterator<Item = (EventKind, Event)>) -> Vec<Decided> {
        events.into_iter().filter_map(|(kind, event)| self.ask(0, kind, || event)).collect()
    }

    /// Asks an event that anybody wants.
    fn ask(&self, call: usize, kind: EventKind, event: impl FnOnce() -> Event) -> Option<Decided> {
        if !self.wants(kind) {
            return None;
        }
        let event = event();
        if !has(&self.hooks, kind) && self.for_the_record != Some(kind) && !self.is_self_protected(&event) {
            return None;
        }
        let decision = self.decided(event.clone());
        Some(Decided { call, event, decision })
    }

    /// Whether a built-in rule has an answer: an event that nothing else wants is worth no record without one.
    fn is_self_protected(&self, event: &Event) -> bool {
        let look = Look::new(event, &|_| None);
        self.hooks.hooks.iter().filter(|hook| !is_configured(hook)).any(|hook| {
            match &hook.definition.action {
                Action::Rule(rule) => rule.apply(&look).is_some(),
                Action::Command(_) | Action::Prompt { .. } | Action::Broken { .. } => false,
            }
        })
    }

    /// The first event is decided by the look at the files that was taken when
    /// the agent called. Its hooks take time, and what they guard can change
    /// meanwhile, so every other event looks again. Where the engine was given no
    /// workspaces, those of the event count, and they were not looked at.
    fn decided(&self, event: Event) -> Decision {
        let Adapter { engine, cancel, watch, .. } = self.adapter;
        let call = Call { deadline: self.deadline, cancel: cancel.clone(), watch: *watch };
        let just_looked = self.just_looked.replace(false);
        if just_looked && !engine.roots().workspaces.is_empty() {
            return engine.handle_seen(event, &self.hooks, &call);
        }
        engine.handle_call(event, &call)
    }

    fn wants(&self, kind: EventKind) -> bool {
        self.for_the_record == Some(kind) || self.hooks.hooks.iter().any(|hook| hook.definition.event == kind)
    }

    /// Told by the agent; else counted from the answer to the call's own
    /// question, which includes the time somebody took to approve it.
    fn took(&self, told: Option<f64>) -> Took {
        if told.is_some() || !self.is_timed() {
            return Took(told.unwrap_or(0.0));
        }
        let ended = |memory: &mut Memory| memory.call_ended(&key_of(self.happening, None), ids::now_millis());
        Took(self.change(ended).flatten().unwrap_or(0.0))
    }

    fn is_timed(&self) -> bool {
        TIMED.iter().any(|kind| has(&self.hooks, *kind))
    }

    /// Some agents tell at every run that a session starts. One that is resumed
    /// says so.
    fn began_before(&self) -> bool {
        let anew = matches!(&self.happening.moment, Moment::SessionStart { source: Some(source), .. } if source == STARTUP);
        anew && self.memory.began.is_some()
    }

    /// A follow-up of ours and the end of a task are nobody's prompts.
    fn is_nobodys(&self, text: &str) -> bool {
        self.is_follow_up(text) || notified(text).is_some_and(|id| self.memory.has_launched(id))
    }

    fn is_follow_up(&self, text: &str) -> bool {
        self.memory.follow_up.as_ref().is_some_and(|sent| *sent == mark(text))
    }

    /// Some agents tell that a call failed which we refused.
    fn is_told_already(&self) -> bool {
        let told = |memory: &mut Memory| memory.was_refused(&key_of(self.happening, None));
        has(&self.hooks, EventKind::PostToolUseFailure) && self.change(told).unwrap_or(false)
    }

    /// Keeps what the next call must know, and says what is fired when the
    /// agent has its answer.
    pub(super) fn remember(&self, verdict: &Verdict) -> Vec<Event> {
        if let Some(memories) = &self.memories {
            match self.happening.moment {
                Moment::SessionEnd { .. } => memories.forget(),
                _ => memories.learn(self.lessons(verdict)),
            }
        }
        self.refused_calls(verdict)
    }

    /// The product tells of a refused call that it failed. Here nobody else does.
    fn refused_calls(&self, verdict: &Verdict) -> Vec<Event> {
        let (Moment::BeforeTool { calls }, Some(words)) = (&self.happening.moment, &verdict.refused) else {
            return Vec::new();
        };
        if !has(&self.hooks, EventKind::PostToolUseFailure) {
            return Vec::new();
        }
        let (message, kind) = (words.user.clone(), "permission_denied");
        let failing = Failing { message, kind, ..Failing::default() };
        calls.iter().map(|call| self.common.failure(call, &failing, Took(0.0))).collect()
    }

    /// What is worth a file: only what some hook will want to know.
    fn lessons(&self, verdict: &Verdict) -> Vec<Lesson> {
        let mut lessons = Vec::new();
        let none_known = self.recalled && self.memory.generation.is_none();
        let of_the_user = matches!(&self.happening.moment, Moment::Prompt { text } if !self.is_nobodys(text));
        let new_turn = of_the_user && has_any(&self.hooks);
        if self.happening.generation.is_none() && (new_turn || none_known) {
            lessons.push(Lesson::Generation(self.common.generation.clone()));
        }
        match &self.happening.moment {
            Moment::SessionStart { .. } => {
                let model = self.happening.model.clone().filter(|_| has_any(&self.hooks));
                lessons.extend(model.map(Lesson::Model));
                let asked = [EventKind::SessionStart, EventKind::SessionEnd];
                let asked = asked.into_iter().any(|kind| has(&self.hooks, kind));
                lessons.extend(asked.then(|| Lesson::SessionBegan(ids::now_millis())));
            }
            Moment::Prompt { text } if self.is_follow_up(text) => lessons.push(Lesson::FollowedUp),
            Moment::BeforeTool { calls } => lessons.extend(self.of_calls(calls, verdict)),
            Moment::AfterTool { calls, output } => {
                let told = output.duration_ms.is_some() && self.is_timed();
                lessons.extend((told && !self.memory.told_durations).then_some(Lesson::TellsDurations));
                let asked = has(&self.hooks, EventKind::BeforeSubmitPrompt);
                lessons.extend(asked.then(|| launched(calls, output)).flatten().map(Lesson::Launched));
            }
            _ => {}
        }
        let announced = has(&self.hooks, EventKind::BeforeSubmitPrompt);
        let follow_up = verdict.follow_up.as_ref().filter(|_| announced);
        lessons.extend(follow_up.map(|text| Lesson::FollowUp(mark(text))));
        lessons
    }

    fn of_calls(&self, calls: &[ToolCall], verdict: &Verdict) -> Vec<Lesson> {
        let key = || key_of(self.happening, verdict.input.as_ref());
        if verdict.refused.is_some() {
            let told = has(&self.hooks, EventKind::PostToolUseFailure);
            return told.then(|| Lesson::Refused(key())).into_iter().collect();
        }
        let now = ids::now_millis();
        let timed = self.is_timed() && !self.memory.told_durations;
        let began = timed.then(|| Lesson::CallBegan(key(), now));
        let ends = has(&self.hooks, EventKind::SubagentStop);
        let tasks = calls.iter().filter(|call| ends && call.class == ToolClass::Task);
        let tasks = tasks.map(|call| Lesson::TaskBegan(Task::of(&call.input, now)));
        began.into_iter().chain(tasks).collect()
    }

    fn change<T>(&self, change: impl FnOnce(&mut Memory) -> T) -> Option<T> {
        self.memories.as_ref().map(|memories| memories.change(change))
    }
}

fn has_any(hooks: &HookSet) -> bool {
    hooks.hooks.iter().any(is_configured)
}

/// Whether a hook is configured for an event. Self-protection needs nothing that is looked up or remembered.
fn has(hooks: &HookSet, kind: EventKind) -> bool {
    hooks.hooks.iter().any(|hook| hook.definition.event == kind && is_configured(hook))
}

fn is_configured(hook: &Hook) -> bool {
    hook.source.level != Level::BuiltIn
}
