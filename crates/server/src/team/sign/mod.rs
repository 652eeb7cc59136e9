//! The keys of a team's repository and its four signed files.
//!
//! `metadata`, `key` and `provider` are pure and used by both sides: the server
//! signs with them, the client verifies, and tests write repositories that lie.

pub mod key;
pub mod metadata;
pub mod provider;
