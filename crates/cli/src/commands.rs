//! One file per command.

pub mod check;
pub mod explain;
pub mod list;
pub mod run;
pub mod trust;
