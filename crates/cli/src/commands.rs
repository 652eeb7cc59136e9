//! One file per command.

pub mod check;
pub mod completions;
pub mod explain;
pub mod init;
pub mod list;
pub mod log;
pub mod rule;
pub mod run;
pub mod schema;
pub mod trust;
