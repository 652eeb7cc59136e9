//! Everything of Boathook that speaks HTTP: the local panel, and the listener
//! for agents that call hooks over HTTP.

#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_macros))]

mod connection;
pub mod doorkeeper;
pub mod listener;
pub mod panel;
pub mod random;
pub mod team;
