//! Answers events, whoever brings them: the socket, and other listeners.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use boathook_engine::engine::{Call, Engine, Ready};
use boathook_engine::event::EventKind;
use boathook_engine::fill::Event;
use boathook_engine::ids;
use boathook_engine::log_file::LogFile;
use boathook_engine::payload::Payload;
use boathook_engine::remote::verbs::Circumstances;
use boathook_engine::remote::wire::{Caller, HandleParams, Handled, RpcError, codes};
use boathook_engine::run::Cancel;
use boathook_engine::shortage::Watch;
use boathook_engine::source::check_root_count;
use boathook_engine::state::StateDir;

use super::budget::Budget;
use super::engines::Engines;
use super::feed::Feed;
use super::places::Places;
use super::pulse::Pulse;
use super::room::{Room, Supply, short};
use super::team::Team;
use super::writer::Writer;
use crate::args::Global;
use crate::error::Failed;
use crate::payload_args::no_event;
use crate::settings;
use crate::ui::Ui;

/// What all listeners of a daemon share.
pub struct Service {
    pub engines: Engines,
    pub places: Arc<Places>,
    pub writer: Arc<Writer>,
    pub feed: Arc<Feed>,
    pub pulse: Arc<Pulse>,
    pub budget: Arc<Budget>,
    supply: Supply,
    /// When and since when.
    pub started: (String, Instant),
    pub requests: AtomicU64,
    /// Where it answers over HTTP.
    pub http: OnceLock<String>,
    pub team: Team,
    /// Events that were begun and are not answered yet.
    begun: Arc<AtomicUsize>,
    /// The daemon was told to end: what runs may finish.
    ending: Cancel,
    /// The time for that is over.
    over: Cancel,
}

/// How often it is looked whether everything is answered.
const LOOK_UP: Duration = Duration::from_millis(5);
/// What is ended may take so long to die.
const DYING: Duration = Duration::from_secs(5);

/// An event that was begun, until it is answered.
#[must_use]
pub struct Begun(Arc<AtomicUsize>);

/// An event that was understood, and the engine that knows its hooks.
pub struct Prepared {
    engine: Arc<Engine>,
    ready: Ready,
    watch: Watch,
}

impl Service {
    /// Reads the settings; `ending` is set when the daemon shall end.
    pub fn new(ui: &mut Ui, global: &Global, ending: Cancel, room: Room) -> Result<Arc<Service>, Failed> {
        let over = Cancel::default();
        let state = settings::dwelling().map(|dwelling| dwelling.state).unwrap_or_default();
        let feed = Arc::new(Feed::of(LogFile::of(StateDir::new(state))));
        let writer = Arc::new(Writer::new(Arc::clone(&feed)));
        let engines = Engines::new(ui, global, over.clone(), Arc::clone(&writer), room.kept)?;
        let service = Service {
            engines,
            places: Arc::new(Places::of(room)),
            writer,
            feed,
            pulse: Arc::default(),
            budget: Arc::default(),
            supply: Supply::of(&room),
            started: (ids::now_text(), Instant::now()),
            requests: AtomicU64::new(0),
            http: OnceLock::new(),
            team: Team::default(),
            begun: Arc::default(),
            ending,
            over,
        };
        let no_thread = |error| Failed::other(format!("no thread could be started: {error}"), "try again");
        service.writer.start().and_then(|()| service.pulse.start()).map_err(no_thread)?;
        Ok(Arc::new(service))
    }

    /// From an event to its decision, for a listener that waits for it.
    pub fn handle(&self, params: HandleParams, cancel: &Cancel) -> Result<Handled, RpcError> {
        let _begun = self.begin();
        let mut prepared = self.prepare(params)?;
        let slow = prepared.slow_hooks();
        let _place = match slow {
            0 => None,
            slow => {
                let place = self.places.take(slow, || cancel.is_cancelled() || self.is_ending());
                prepared = prepared.again();
                Some(place.ok_or_else(|| self.gave_up())?)
            }
        };
        let engine = prepared.engine();
        let handled = self.decide(prepared, cancel);
        self.writer.note(&engine);
        handled
    }

    /// The daemon does not end before what was begun is answered. Said before
    /// `prepare`, which refuses when it ends.
    pub fn begin(&self) -> Begun {
        self.begun.fetch_add(1, Ordering::SeqCst);
        Begun(Arc::clone(&self.begun))
    }

    /// Understands an event and looks at the files it depends on.
    pub fn prepare(&self, params: HandleParams) -> Result<Prepared, RpcError> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if self.is_ending() {
            return Err(self.gave_up());
        }
        if let Some(caller) = &params.caller {
            self.is_like_us(caller)?;
        }
        let kind = event_named(&params.event)?;
        let payload = Payload::parse(params.payload.get().as_bytes())
            .map_err(|error| wrong(format!("the payload: {error}")))?;
        let roots = payload.texts("workspace_roots").unwrap_or_default();
        check_root_count(roots.len()).map_err(|error| wrong(error.to_string()))?;
        let around = Circumstances::of(&params);
        drop(params);
        let watch = self.watch()?;
        let engine = self.engines.get(&around, &roots)?;
        let ready = engine.ready(Event::new(kind, payload));
        Ok(Prepared { engine, ready, watch })
    }

    /// What the hooks decide. A fault of ours is an error and never an answer.
    pub fn decide(&self, prepared: Prepared, cancel: &Cancel) -> Result<Handled, RpcError> {
        let Prepared { engine, ready, watch } = prepared;
        let call = Call { deadline: None, cancel: Some(cancel.clone()), watch: Some(watch) };
        let decided = catch_unwind(AssertUnwindSafe(|| {
            let decision = engine.handle_ready(ready, &call);
            (Handled::of(&decision), decision.undecided)
        }));
        let (mut handled, undecided) = decided.map_err(|_| RpcError {
            code: codes::INTERNAL,
            message: "the daemon failed on this event; ask the engine in process".to_owned(),
        })?;
        handled.warnings.extend(nowhere(&engine));
        if !cancel.is_cancelled() {
            // The record says the same.
            return if undecided { Err(short()) } else { Ok(handled) };
        }
        Err(if self.over.is_cancelled() { self.gave_up() } else { cancelled() })
    }

    /// What is read from now on counts only if the daemon is not short of
    /// anything, which its end says.
    pub fn watch(&self) -> Result<Watch, RpcError> {
        self.supply.watch(|| self.engines.doubt())
    }

    /// Ends one call: when its caller says so or is gone, and with the daemon.
    pub fn cancel(&self, gone: impl Fn() -> bool + Send + Sync + 'static) -> Cancel {
        let over = self.over.clone();
        Cancel::default().or_when(move || over.is_cancelled() || gone())
    }

    /// Whether nothing new is begun.
    pub fn is_ending(&self) -> bool {
        self.ending.is_cancelled()
    }

    /// Why an event is not begun, or has no answer.
    pub fn gave_up(&self) -> RpcError {
        match self.is_ending() {
            true => RpcError {
                code: codes::ENDING,
                message: "the daemon is about to end; ask the engine in process".to_owned(),
            },
            false => cancelled(),
        }
    }

    /// Lets what runs finish for so long, then ends it; nothing is lost.
    pub fn end(&self, patience: Duration) {
        if !self.is_done_within(patience) {
            self.over.cancel();
            self.is_done_within(DYING);
        }
        self.over.cancel();
        for engine in self.engines.all() {
            self.writer.note(&engine);
        }
        self.writer.finish();
        self.feed.look();
    }

    fn is_done_within(&self, patience: Duration) -> bool {
        let start = Instant::now();
        while self.begun.load(Ordering::SeqCst) > 0 {
            if start.elapsed() >= patience {
                return false;
            }
            thread::sleep(LOOK_UP);
        }
        true
    }

    fn is_like_us(&self, caller: &Caller) -> Result<(), RpcError> {
        match self.engines.differ_from(caller) {
            Some(differs) => {
                Err(RpcError { code: codes::OTHER, message: format!("the daemon has {differs}") })
            }
            None => Ok(()),
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Prepared {
    /// How many hooks may take time. Without any, nobody need wait for a place.
    pub fn slow_hooks(&self) -> usize {
        self.ready.slow_hooks()
    }

    /// Looks at the files again, for somebody who had to wait.
    pub fn again(self) -> Prepared {
        let ready = self.engine.ready(self.ready.into_event());
        Prepared { ready, ..self }
    }

    /// The engine that will decide.
    pub fn engine(&self) -> Arc<Engine> {
        Arc::clone(&self.engine)
    }
}

/// The event of this name.
pub fn event_named(name: &str) -> Result<EventKind, RpcError> {
    EventKind::named(name).ok_or_else(|| wrong(no_event(name)))
}

/// What is said with every answer for which no project's hooks were asked.
pub fn nowhere(engine: &Engine) -> Option<String> {
    engine.roots().workspaces.is_empty().then(|| NOWHERE.to_owned())
}

const NOWHERE: &str = "no workspace was named, so no project hook was asked: name one in `workspaces`, `cwd` or the payload's `workspace_roots`";

/// Parameters that cannot be meant.
pub fn wrong(message: String) -> RpcError {
    RpcError { code: codes::PARAMS, message }
}

fn cancelled() -> RpcError {
    RpcError { code: codes::CANCELLED, message: "the call was cancelled".to_owned() }
}
