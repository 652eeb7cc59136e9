//! What can go wrong when something is signed.

use super::key::NoRandomness;
use crate::team::store::{StoreError, TufRole};

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The private keys of the database belong to another secret.
    #[error(
        "the keys of team {team} were sealed with another secret: give `--secret-file` the file that \
         this database was set up with"
    )]
    OtherSecret {
        /// The team.
        team: i64,
    },
    /// The team has no repository yet.
    #[error("the team has no keys yet; start the server once to make them")]
    NotSetUp,
    /// The server has no key for it.
    #[error("the server has no key that may sign {}: the admins have it", .0.name())]
    NoKey(TufRole),
    /// What the database holds is no signed file of ours.
    #[error("the database's {}.json cannot be read", .0.name())]
    Unreadable(TufRole),
    /// A new key cannot be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}
