//! Everything of Boathook that speaks HTTP: the local panel, and the listener
//! for agents that call hooks over HTTP.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

pub mod doorkeeper;
pub mod panel;
