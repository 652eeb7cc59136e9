//! The engine: built from roots, asked about events.
//!
//! `Engine::handle` is the list of the stages and holds no rule itself.

mod alone;
mod background;
mod because;
mod call;
mod env_file;
mod explanation;
mod keeping;
mod ready;
mod recording;
mod remembering;
mod sealed;
mod settings;
mod standing;
mod trail;
mod trusted_files;
mod unreadable;
mod warnings;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::bundle::Lease;
use crate::decision::{Decision, HookReport, Skips};
use crate::definition::{Action, Definition};
use crate::edition::Rules;
use crate::environment::{Environments, Surroundings};
use crate::event::EventKind;
use crate::fill::{Event, Facts, fill};
use crate::ids::Moment;
use crate::load::{Hook, HookSet, HookState, LoadOptions, Loader};
use crate::matcher::{Verdict, budget};
use crate::merge::{Case, Heard, merge};
use crate::perform::{Deadline, Kept, Performer};
use crate::plan::{Circumstances, Plan, has_no_say, plan};
use crate::read_file::{self, Owner};
use crate::record::{RecentRecords, Record};
use crate::rounds::settle;
use crate::self_protection::{ProtectedFiles, SelfProtection};
use crate::session::Session;
use crate::sessions::Sessions;
use crate::source::{Format, Level, Roots, Source, native_root};
use crate::state::StateDir;
use crate::trust::Scripts;

/// Generations that go as fast as they are looked up are not waited for.
const MOST_LOOKS: usize = 3;
/// A longer transcript is none to a rule.
const LONGEST_TRANSCRIPT: u64 = 64 * 1024 * 1024;

pub use alone::decide_alone;
use background::{Background, Task, is_background};
pub use call::Call;
use env_file::EnvFiles;
pub use explanation::Explanation;
use keeping::Keeping;
pub use ready::Ready;
use recording::Happened;
use remembering::tell_loop_count;
pub use sealed::tampered;
pub use settings::{Settings, load_options};
pub use standing::{Standing, is_of};
use trail::Waiting;
use trusted_files::check_before;
use unreadable::refuse_unreadable;
use warnings::{over_budget, source_warnings, unread_roots};

type Listener = Box<dyn Fn(&Record) + Send + Sync>;

/// Runs the hooks of events. Can be shared between threads.
pub struct Engine {
    settings: Settings,
    loader: Mutex<Loader>,
    injected: Mutex<Injected>,
    sessions: Mutex<Sessions>,
    environments: Environments,
    background: Background,
    keeping: Keeping,
    /// Of the roots that the host named.
    facts: OnceLock<Facts>,
    happened: Mutex<Waiting>,
    making: Mutex<()>,
    recent: Mutex<RecentRecords>,
    unwritten: Mutex<VecDeque<Arc<Record>>>,
    listeners: Mutex<Vec<Listener>>,
}

/// Hooks of the host's, and the last set they were put into.
#[derive(Default)]
struct Injected {
    hooks: Vec<Hook>,
    /// Of files alone, and with the host's hooks among them.
    last: Option<(Arc<HookSet>, Arc<HookSet>)>,
}

impl Engine {
    /// Reads nothing yet.
    pub fn new(settings: Settings) -> Engine {
        let state = StateDir::new(settings.roots.state.clone());
        let loader = {
            let options = LoadOptions { scripts: Scripts::Deferred, ..load_options(&settings, false) };
            Loader::new(settings.roots.clone(), options)
        };
        Engine {
            loader: Mutex::new(loader),
            injected: Mutex::default(),
            sessions: Mutex::new(Sessions::of(state)),
            environments: Environments::default(),
            background: Background::new(&settings.cancel),
            keeping: Keeping::default(),
            facts: OnceLock::new(),
            happened: Mutex::default(),
            making: Mutex::default(),
            recent: Mutex::default(),
            unwritten: Mutex::default(),
            listeners: Mutex::default(),
            settings,
        }
    }

    /// From an event to a decision.
    pub fn handle(&self, event: Event) -> Decision {
        self.handle_call(event, &Call::default())
    }

    /// The same, for somebody who does not wait longer than this.
    pub fn handle_by(&self, event: Event, deadline: Option<Deadline>) -> Decision {
        self.handle_call(event, &Call { deadline, ..Call::default() })
    }

    /// The same, for one of several callers.
    pub fn handle_call(&self, event: Event, call: &Call) -> Decision {
        self.handle_ready(self.ready(event), call)
    }

    /// Looks at every file the event depends on, and runs nothing yet.
    pub fn ready(&self, event: Event) -> Ready {
        Ready { hooks: self.hook_set(&event), event }
    }

    /// The same with hooks that were looked at just now.
    pub(crate) fn handle_seen(&self, event: Event, hooks: &Arc<HookSet>, call: &Call) -> Decision {
        self.handle_ready(Ready { event, hooks: Arc::clone(hooks) }, call)
    }

    /// The rest of `handle_call`.
    pub fn handle_ready(&self, ready: Ready, call: &Call) -> Decision {
        budget::scoped(|| self.decide(ready, call))
    }

    fn decide(&self, ready: Ready, call: &Call) -> Decision {
        let (deadline, cancel) = (call.deadline, call.cancel.as_ref().unwrap_or(&self.settings.cancel));
        let rules = self.rules();
        let Ready { event, hooks } = ready;
        let (hooks, _leases) = self.leased(hooks, &event);
        let kept = self.settings.keeper.as_deref().map(|keeper| {
            self.keeping.follow(keeper, &hooks);
            Kept { keeper, roots: &self.settings.roots, deadline: None }
        });
        // What is filled in can be read.
        let unread_roots = unread_roots(&event);
        let mut event = self.filled(event);
        let (session, trouble) = self.session_of(&event, &hooks);
        let counted_by_us = tell_loop_count(&mut event, &session);
        let around = surroundings(&self.settings, &event, &session);
        let circumstances = Circumstances {
            rules,
            around,
            environments: &self.environments,
            loop_count: session.loop_count(event.kind, &event.payload),
            transcript: &read_transcript,
        };
        let mut planned = sealed::checked(plan(&hooks, &event, &circumstances), &hooks);
        let checked = check_before(&mut planned, &hooks, event.kind);
        let performer = Performer { rules, judge: self.settings.judge.clone(), cancel, deadline, kept };
        let started = Moment::now();
        let mut steps = planned.steps.clone();
        // Nobody waits for an `async` hook, but its agent waits for us to end.
        deadline.iter().for_each(|deadline| deadline.cut(&mut steps));
        let env_files = EnvFiles::give(&mut steps, &event, StateDir::new(self.settings.roots.state.clone()));
        let beside = self.background.start(&mut steps, || Task {
            started,
            event: event.clone(),
            rules,
            found: planned.steps.len(),
        });
        let mut heard = performer.perform(steps, &event);
        checked.check_after(&mut heard, event.kind);
        env_files.take(&mut heard);
        settle(&mut heard, &event, rules, &mut |event, among| {
            let mut planned = sealed::checked(plan(&hooks, event, &circumstances), &hooks);
            planned.steps.retain(|step| among(step.hook) && !is_background(step.hook));
            let checked = check_before(&mut planned, &hooks, event.kind);
            let mut heard = performer.perform(planned.steps, event);
            checked.check_after(&mut heard, event.kind);
            heard
        });
        let case = Case {
            event: &event,
            rules,
            loop_count: circumstances.loop_count,
            loop_ceiling: self.settings.loop_ceiling,
            can_ask: self.settings.can_ask,
        };
        let unheard: Vec<String> = beside.iter().map(|heard| heard.hook.id.clone()).collect();
        in_order(&mut heard, beside, &planned);
        let mut decision = merge(&heard, &case);
        refuse_unreadable(&mut decision, &hooks, &event);
        if cancel.is_cancelled() {
            decision.followup_message = None;
        }
        add_unasked(&mut decision, &planned);
        decision.skips = Skips::of(&planned, &hooks);
        decision.warnings.extend(source_warnings(&hooks, &planned));
        decision.warnings.extend(over_budget(&planned));
        decision.warnings.extend(unread_roots);
        decision.trusted_once = hooks.trusted_once.clone();
        decision.undecided = call.is_short();
        if !decision.undecided {
            self.keep_plugins(&mut decision, &event, &heard);
        }
        drop(circumstances);
        decision.warnings.extend(trouble);
        if !decision.undecided {
            self.remember(&mut decision, &event, &heard, counted_by_us);
            // What could not be kept for want of something is not decided, either.
            decision.undecided = call.is_short();
        }
        // Those that nobody waited for have their records when they end.
        heard.retain(|heard| !unheard.contains(&heard.hook.id));
        let withheld = planned.skipped.iter().any(|skipped| skipped.why.is_withheld());
        if !heard.is_empty() || unheard.is_empty() || withheld {
            self.record(Happened::of(started, event, heard, &planned, &hooks, &decision));
        }
        decision
    }

    /// What would run for an event. Runs nothing.
    pub fn explain(&self, event: Event) -> Explanation {
        let hooks = self.hook_set(&event);
        let mut event = self.filled(event);
        let (session, _) = self.session_of(&event, &hooks);
        tell_loop_count(&mut event, &session);
        Explanation { event, hooks, settings: self.settings.clone(), session }
    }

    /// Whether any hook is configured for an event. Cheap.
    pub fn has_hook(&self, event: EventKind) -> bool {
        has_hook(&self.hooks(), event)
    }

    /// Every place it may look at.
    pub fn roots(&self) -> &Roots {
        &self.settings.roots
    }

    /// What it was built from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Every configured hook with its source and state.
    pub fn hooks(&self) -> Arc<HookSet> {
        self.hook_set_of(&self.settings.roots.workspaces)
    }

    /// Reads every source again, changed or not.
    pub fn reload(&self) {
        lock(&self.loader).forget();
    }

    /// Adds a hook that stands in no file. It runs in this directory.
    pub fn inject(&self, definition: Definition, run_dir: PathBuf) {
        let mut injected = lock(&self.injected);
        let source = Source {
            level: Level::Host,
            format: Format::Cursor,
            file: PathBuf::from("(host)"),
            run_dir,
            workspace: None,
        };
        let id = format!("host:{}", injected.hooks.len());
        injected.hooks.push(Hook { id, definition, source: Arc::new(source), state: HookState::Ready });
        injected.last = None;
    }

    /// Whether the host gave hooks of its own.
    pub(crate) fn has_injected_hooks(&self) -> bool {
        !lock(&self.injected).hooks.is_empty()
    }

    fn rules(&self) -> &'static Rules {
        self.settings.edition.rules()
    }

    /// The roots the host named, else those of the payload.
    pub(crate) fn workspaces(&self, event: &Event) -> Vec<PathBuf> {
        if !self.settings.roots.workspaces.is_empty() {
            return self.settings.roots.workspaces.clone();
        }
        self.named_workspaces(event)
    }

    /// The roots of the payload.
    pub(crate) fn named_workspaces(&self, event: &Event) -> Vec<PathBuf> {
        let named = event.payload.texts("workspace_roots").unwrap_or_default();
        named.iter().map(|root| native_root(self.settings.roots.os, root)).collect()
    }

    /// The hooks of an event, with what keeps the files they run from. When a
    /// generation went in between, the newer one is looked up.
    fn leased(&self, hooks: Arc<HookSet>, event: &Event) -> (Arc<HookSet>, Vec<Lease>) {
        let mut hooks = hooks;
        for _ in 0..MOST_LOOKS {
            if let Some(leases) = sealed::leases(&hooks, event.kind) {
                return (hooks, leases);
            }
            self.reload();
            hooks = self.hook_set(event);
        }
        (hooks, Vec::new())
    }

    fn hook_set(&self, event: &Event) -> Arc<HookSet> {
        self.hook_set_of(&self.workspaces(event))
    }

    fn hook_set_of(&self, workspaces: &[PathBuf]) -> Arc<HookSet> {
        let set = lock(&self.loader).hooks(workspaces);
        let mut injected = lock(&self.injected);
        let protects = self.settings.self_protection.as_ref().filter(|_| self.settings.agent.is_some());
        if injected.hooks.is_empty() && protects.is_none() {
            return set;
        }
        if let Some((before, with)) = &injected.last
            && Arc::ptr_eq(before, &set)
        {
            return Arc::clone(with);
        }
        let mut with = HookSet::clone(&set);
        with.hooks.extend(injected.hooks.iter().cloned());
        with.hooks.extend(protects.map(|files| self.self_protection(files, &set).into_hook()));
        with.hooks.sort_by_key(|hook| hook.source.level);
        let with = Arc::new(with);
        injected.last = Some((set, Arc::clone(&with)));
        with
    }

    fn self_protection(&self, files: &ProtectedFiles, hooks: &Arc<HookSet>) -> SelfProtection {
        SelfProtection::new(self.settings.roots.clone(), files.clone(), Arc::clone(hooks))
    }

    fn filled(&self, event: Event) -> Event {
        let of_host = || self.facts(&self.settings.roots.workspaces);
        if self.settings.roots.workspaces.is_empty() {
            let named = self.facts(&self.named_workspaces(&event));
            return fill(event, &named, self.rules());
        }
        fill(event, self.facts.get_or_init(of_host), self.rules())
    }

    fn facts(&self, workspaces: &[PathBuf]) -> Facts {
        let Settings { cursor_version, user_email, .. } = &self.settings;
        let roots: Vec<String> = workspaces.iter().map(|root| root.to_string_lossy().into_owned()).collect();
        Facts::new(cursor_version.as_deref(), user_email.as_deref(), &roots)
    }

    /// Nobody needs the session of an event that no hook is interested in.
    fn session_of(&self, event: &Event, hooks: &HookSet) -> (Session, Option<String>) {
        let conversation = if interests_a_hook(hooks, event) { event.conversation() } else { None };
        let get = |id: Cow<'_, str>| lock(&self.sessions).get(&id, lock(&self.loader).folders());
        conversation.map(get).unwrap_or_default()
    }
}

fn surroundings<'a>(settings: &'a Settings, event: &'a Event, session: &'a Session) -> Surroundings<'a> {
    let named = || event.payload.texts("workspace_roots")?.into_iter().next().map(PathBuf::from);
    Surroundings {
        inherited: &settings.environment,
        home: &settings.roots.home,
        project_dir: settings.roots.workspaces.first().cloned().or_else(named).unwrap_or_default(),
        version: event.payload.text_ref("cursor_version").unwrap_or_default(),
        user_email: event.payload.text_ref("user_email").filter(|email| !email.is_empty()),
        transcript: event.payload.text_ref("transcript_path").filter(|path| !path.is_empty()),
        remote: settings.remote,
        session: &session.env,
        depth: settings.depth,
        called_from: &settings.called_from,
    }
}

fn interests_a_hook(set: &HookSet, event: &Event) -> bool {
    // A rule has no environment and counts only where follow-ups do.
    let loops = event.kind.loops();
    let asks = |hook: &&Hook| loops || !matches!(hook.definition.action, Action::Rule(_));
    let of_event = set.hooks.iter().filter(|hook| hook.definition.event == event.kind);
    let of_event = of_event.filter(|hook| !has_no_say(hook));
    let mut hooks = of_event.filter(asks).peekable();
    let subject = hooks.peek().and_then(|_| event.subject());
    hooks.any(|hook| hook.definition.verdict(event, subject.as_deref()) != Verdict::NoMatch)
}

fn has_hook(set: &HookSet, event: EventKind) -> bool {
    set.hooks.iter().any(|hook| hook.definition.event == event)
}

/// Puts hooks that nobody waited for at their places in the walk.
fn in_order<'a>(heard: &mut Vec<Heard<'a>>, beside: Vec<Heard<'a>>, plan: &Plan<'_>) {
    if beside.is_empty() {
        return;
    }
    heard.extend(beside);
    heard.sort_by_key(|heard| plan.steps.iter().position(|step| step.hook.id == heard.hook.id));
}

/// The text of a transcript; none when it cannot be read.
fn read_transcript(path: &str) -> Option<String> {
    let file = read_file::read(Path::new(path), LONGEST_TRANSCRIPT, Owner::Anybody).ok()?;
    Some(String::from_utf8_lossy(&file.bytes).into_owned())
}

/// Where hooks run one at a time, those behind the one that answered.
fn add_unasked(decision: &mut Decision, plan: &Plan<'_>) {
    let asked: Vec<String> = decision.hooks.iter().map(|report| report.id.clone()).collect();
    for step in plan.steps.iter().filter(|step| !asked.contains(&step.hook.id)) {
        let reason = Some("a hook before it answered".to_owned());
        decision.hooks.push(HookReport { reason, ..HookReport::of(step.hook) });
    }
}

/// A panic in a listener must not take the engine with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
