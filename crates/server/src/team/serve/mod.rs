//! The process: listening, encryption, health, metrics, logs, and its end.

mod authority;
mod certificate;
mod error;
mod listen;
mod logs;
mod metrics;

pub use certificate::Tls;
pub use error::ServeError;
pub use logs::Log;
