//! One file per command.

pub mod agent;
pub mod check;
pub mod completions;
pub mod convert;
pub mod daemon;
pub mod doctor;
pub mod explain;
pub mod hookify;
pub mod init;
pub mod list;
pub mod log;
pub mod man;
pub mod new;
pub mod panel;
pub mod replay;
pub mod rule;
pub mod run;
pub mod schema;
pub mod serve;
pub mod team;
pub mod test;
pub mod trust;
pub mod unlock;
