//! Tasks of the project: `cargo xtask test`, `bench`, `dist`, `soak`.

fn main() {}
