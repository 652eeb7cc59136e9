//! The process: listening, encryption, health, metrics, logs, and its end.

mod authority;
mod certificate;
mod chores;
mod error;
mod first;
pub mod health;
mod listen;
mod logs;
mod metrics;
mod operate;
mod process;
mod put_back;
mod state;

pub use certificate::Tls;
pub use error::ServeError;
pub use first::Invitation;
pub use logs::Log;
pub use metrics::Metrics;
pub use operate::{backup, new_team, restore, sign_in};
pub use process::{Options, Started, serve};
