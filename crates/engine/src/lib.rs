//! Runs Cursor-format hooks: from an event to a decision.
//!
//! ```no_run
//! use boathook_engine::{Engine, Event, Os, Roots, Settings, input};
//!
//! let roots = Roots::new(Os::current(), "/home/me", "/home/me/.local/state/my-agent", ["/home/me/project"]);
//! let mut settings = Settings::new(roots);
//! settings.environment = std::env::vars_os().collect();
//! let engine = Engine::new(settings);
//! let event = input::BeforeShellExecution { command: "git push --force".into(), ..Default::default() };
//! let decision = engine.handle(Event::of(&event));
//! if decision.blocked {
//!     println!("{}", decision.model_text.unwrap_or_default());
//! }
//! ```
//!
//! Synchronous; no network, no terminal, no async runtime. Nothing is read or
//! run but what stands under the [`Roots`], and nothing of a workspace runs
//! before somebody trusted it. The stages, each one noun read by the next:
//! `Event` → `HookSet` → `Plan` → `Exit` → `Outcome` → `Decision`, then `Record`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

pub mod agent;
pub mod answer;
pub mod bundle;
mod clock;
pub mod config;
pub mod decision;
pub mod definition;
pub mod dialect;
pub mod digest;
pub mod edition;
pub mod engine;
pub mod environment;
pub mod event;
pub mod fill;
pub mod ids;
pub mod input;
pub mod judge;
pub mod load;
pub mod log_file;
pub mod log_tail;
pub mod matcher;
pub mod merge;
pub mod outcome;
pub mod payload;
pub mod perform;
pub mod plan;
pub mod problem;
pub mod protected;
pub mod read_file;
pub mod record;
pub mod remote;
pub mod rounds;
pub mod rule;
pub mod run;
pub mod schema;
pub mod self_protection;
pub mod session;
pub mod sessions;
pub mod settled;
pub mod shortage;
pub mod source;
pub mod state;
mod tab_edits;
#[cfg(test)]
mod testing;
pub mod trust;
pub mod visible;

pub use answer::Permission;
pub use decision::Decision;
pub use definition::Definition;
pub use edition::Edition;
pub use engine::{Engine, Settings};
pub use event::EventKind;
pub use fill::Event;
pub use judge::Judge;
pub use record::Record;
pub use source::{Os, Roots};
pub use tab_edits::tab_edits;
