//! The `boathook` command.

fn main() {}
