//! Everything of Boathook that speaks HTTP: the local panel, and the listener
//! for agents that call hooks over HTTP.

pub mod doorkeeper;
