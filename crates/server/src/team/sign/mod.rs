//! The keys of a team's repository and its four signed files.
//!
//! `metadata`, `key` and `provider` are pure and used by both sides: the server
//! signs with them, the client verifies, and tests write repositories that lie.

mod error;
mod file;
pub mod key;
pub mod metadata;
pub mod provider;
mod repository;
mod secret;
mod signer;
pub mod strict;

pub use crate::team::publish::{Standing, tick};
pub use error::SignError;
pub use file::{File, file};
pub use repository::{Repository, YEARLY_BEFORE, end, expires_of, lifetime, roles_of};
pub use secret::{OtherSecret, Secret, SecretError, write_private};
pub use signer::Signer;
