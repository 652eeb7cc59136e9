//! Everything of Boathook that speaks HTTP: the local panel, and the listener
//! for agents that call hooks over HTTP.

mod connection;
pub mod doorkeeper;
pub mod listener;
pub mod random;
