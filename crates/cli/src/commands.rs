//! One file per command.

pub mod check;
pub mod completions;
pub mod convert;
pub mod explain;
pub mod hookify;
pub mod init;
pub mod list;
pub mod log;
pub mod run;
pub mod schema;
pub mod trust;
