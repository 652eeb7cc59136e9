//! The team server: hooks written once, signed, and on every member's machine
//! within minutes.

pub mod sign;
pub mod wire;
