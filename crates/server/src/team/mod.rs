//! The team server: hooks written once, signed, and on every member's machine
//! within minutes.

pub mod api;
pub mod publish;
pub mod rpc;
pub mod serve;
pub mod sign;
pub mod store;
pub mod wire;
