//! The team server: hooks written once, signed, and on every member's machine
//! within minutes.

pub mod api;
pub mod rpc;
pub mod publish;
pub mod sign;
pub mod store;
pub mod wire;
