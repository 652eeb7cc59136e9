//! The `boathook` command.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

fn main() {}
