//! The daemon: one process that stays, and answers events.
//!
//! `service` answers one event, whoever asks; the rest is what the socket
//! needs: `crowd` (who is connected), `connection` (what one of them says) with
//! `lines` and `outbox`, `verbs` and `looks` (what can be asked beside events).
//! A connection has a thread that reads; an event that runs processes has one
//! of its own, and those are counted. `http` brings events in another way, and
//! `agents` answers those whose agents ask. `team` keeps a team's hooks fresh.

mod agents;
mod budget;
mod connection;
mod crowd;
mod engines;
mod feed;
mod http;
mod lines;
mod looks;
mod outbox;
mod places;
mod pulse;
mod room;
mod serve;
mod service;
mod straight;
mod team;
mod verbs;
mod writer;

pub use serve::serve;
