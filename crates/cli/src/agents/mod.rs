//! Other agents' own settings: where our entry goes in each, how it is written
//! without touching anything else, and how it is taken away again; and what
//! agents keep on this machine that hooks are told of.

pub mod answering;
mod changed;
pub mod codex;
mod command;
mod entries;
pub mod env_file;
mod examine;
pub mod files;
mod obstacles;
pub mod over_http;
mod pins;
mod present;
mod record;
pub mod seen;
pub mod servers;
pub mod session_notices;
pub mod session_roots;
mod silencers;
mod strictness;
pub mod tables;
mod target;
pub mod twice;
mod wiring;
mod work;

pub use command::Program;
pub use examine::{Examined, Weight, examine};
pub use present::{Found, ask_versions, present};
pub use target::{Places, Wired, connection_files};
pub use wiring::{Scope, WIRINGS, Wiring, named};
pub use work::{Done, Work, install, uninstall};
