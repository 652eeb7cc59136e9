//! Other agents' own settings: where our entry goes in each, how it is written
//! without touching anything else, and how it is taken away again; and what
//! agents keep on this machine that hooks are told of.

mod changed;
pub mod codex;
mod command;
mod entries;
pub mod env_file;
mod examine;
pub mod files;
mod obstacles;
mod present;
mod record;
pub mod seen;
pub mod servers;
mod strictness;
pub mod tables;
mod target;
pub mod twice;
mod wiring;
mod work;

pub use command::Program;
pub use examine::{Examined, Weight, examine};
pub use present::{Found, ask_versions, present};
pub use target::{Places, Wired};
pub use wiring::{Scope, WIRINGS, Wiring, named};
pub use work::{Done, Work, install, uninstall};
