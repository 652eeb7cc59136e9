//! The local panel: one page for the person whose hooks these are.
//!
//! Listens on the loopback alone. What it shows comes from the same engine as
//! every command; it holds no rule of its own. Whoever comes in needs the token
//! that was printed, and everything it shows of hooks is an attacker's text
//! until it is escaped.

mod badge;
mod chart;
mod difference;
mod door;
mod example;
mod feed;
mod filter;
mod hooks;
mod layout;
mod log;
mod outcome;
mod problems;
mod routes;
mod run;
mod scope;
mod sessions;
mod statistics;
mod text;
mod time;
mod trust;
mod try_event;
mod verdict;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use boathook_engine::engine::{Engine, Settings, Standing, load_options};
use boathook_engine::load::{Hook, HookSet, Loader};
use boathook_engine::log_file::LogFile;
use boathook_engine::problem::Problem;
use boathook_engine::run::Cancel;
use boathook_engine::state::StateDir;

use tokio::sync::Semaphore;

use door::Door;
use feed::Feed;

/// What is wrong is looked for again when it is older than this.
const FRESH: Duration = Duration::from_secs(2);
/// How long hooks that still run have to end, when the panel does.
const PARTING: Duration = Duration::from_secs(4);
/// So many requests look at files or run hooks at once.
const MOST_THREADS: usize = 64;

/// So many events may be tried at once.
const MOST_RUNS: usize = 8;

/// Finds everything that is wrong with hooks on this machine.
pub type Examine = Box<dyn Fn(&Settings) -> Vec<Problem> + Send + Sync>;

/// A panel that listens, and does not answer yet.
pub struct Panel {
    listener: TcpListener,
    app: Arc<App>,
}

/// What all requests share.
struct App {
    settings: Settings,
    engine: Engine,
    /// Looks closer than the engine's own.
    loader: Mutex<Loader>,
    feed: Mutex<Feed>,
    examine: Examine,
    problems: Mutex<Option<(Instant, Arc<Vec<Problem>>)>>,
    door: Door,
    cancel: Cancel,
    /// Events that are being run.
    runs: Arc<Semaphore>,
}

impl Panel {
    /// Listens on this port of the loopback; on any when it is 0. `examine`
    /// says what is wrong, and `settings.cancel` ends the panel.
    pub fn listen(settings: Settings, port: u16, examine: Examine) -> io::Result<Panel> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        listener.set_nonblocking(true)?;
        let state = StateDir::new(settings.roots.state.clone());
        let app = App {
            loader: Mutex::new(Loader::new(settings.roots.clone(), load_options(&settings, true))),
            feed: Mutex::new(Feed::of(LogFile::of(state))),
            examine,
            problems: Mutex::default(),
            door: Door::new(listener.local_addr()?)?,
            cancel: settings.cancel.clone(),
            runs: Arc::new(Semaphore::new(MOST_RUNS)),
            engine: Engine::new(settings.clone()),
            settings,
        };
        Ok(Panel { listener, app: Arc::new(app) })
    }

    /// The address that lets one browser in, once.
    pub fn url(&self) -> String {
        self.app.door.url()
    }

    /// Answers until `settings.cancel` says that it is enough.
    pub fn serve(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(MOST_THREADS)
            .build()?;
        let cancel = self.app.cancel.clone();
        let result = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            tokio::select! {
                result = routes::serve(listener, self.app) => result,
                () = ended(&cancel) => Ok(()),
            }
        });
        runtime.shutdown_timeout(PARTING);
        result
    }
}

/// Ends when somebody cancels.
async fn ended(cancel: &Cancel) {
    while !cancel.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

impl App {
    /// Every hook, as `check` and `list` see it.
    fn hooks(&self) -> Arc<HookSet> {
        lock(&self.loader).hooks(&self.settings.roots.workspaces)
    }

    /// Everything that is wrong. Asked for on every page, so it is kept a moment.
    fn problems(&self) -> Arc<Vec<Problem>> {
        let mut kept = lock(&self.problems);
        match &*kept {
            Some((when, problems)) if when.elapsed() < FRESH => Arc::clone(problems),
            _ => {
                let problems = Arc::new((self.examine)(&self.settings));
                *kept = Some((Instant::now(), Arc::clone(&problems)));
                problems
            }
        }
    }

    /// How a hook of this set stands, with what was found on the machine.
    fn standing(&self, set: &HookSet, hook: &Hook, problems: &[Problem]) -> Standing {
        Standing::seen(&self.settings, set, hook, problems)
    }

    /// Somebody changed what hooks depend on.
    fn forget(&self) {
        *lock(&self.problems) = None;
        self.engine.reload();
    }
}

/// A page that failed must not take the others with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
