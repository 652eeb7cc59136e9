//! What can go wrong between the team server and its database. What is not
//! there is no error: it is `None`.

/// Why the database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Somebody else was faster. Nothing was written: read again, then try again.
    #[error("another process published in the meantime; try again")]
    Conflict,
    /// A team would be left without an owner.
    #[error("this is the team's last owner: make somebody else an owner first")]
    LastOwner,
    /// What a token was to be made with is revoked.
    #[error("the token that this was to be made with is revoked")]
    Revoked,
    /// Something of this name is there already.
    #[error("{0} is there already")]
    Exists(String),
    /// The order of hooks does not name every hook once.
    #[error("the order must name every hook of the team exactly once")]
    Order,
    /// A version that devices might take for an older one.
    #[error("{what} {version} is not above {floor}, which devices may have seen")]
    Floor {
        /// The role's name, or `sequence`.
        what: &'static str,
        /// The version that was to be written.
        version: u64,
        /// The highest that was ever given out.
        floor: u64,
    },
    /// A newer version of the server has used this database.
    #[error(
        "the database has schema {found}, and this version of boathook knows schemas up to {known}: \
         start the version that wrote it, or a newer one"
    )]
    Newer {
        /// The schema of the database.
        found: i64,
        /// The newest schema this version knows.
        known: i64,
    },
    /// The database cannot be used as it stands.
    #[error("{0}")]
    Unfit(String),
    /// The database holds something that this version does not understand.
    #[error("the database holds {what}, which this version cannot read")]
    Unreadable {
        /// What it is.
        what: String,
    },
    /// The database did not answer, or refused.
    #[error("the database: {0}")]
    Database(#[source] sqlx::Error),
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        // PostgreSQL's text has no NUL: whoever sent one can send something else.
        let code = error.as_database_error().and_then(|error| error.code());
        match code.as_deref() {
            Some("22021") => StoreError::Unfit("text cannot hold a NUL character".to_owned()),
            _ => StoreError::Database(error),
        }
    }
}

impl StoreError {
    /// Whether the same call may succeed in a moment: the database restarts,
    /// is busy, or somebody else was faster.
    pub fn is_passing(&self) -> bool {
        match self {
            StoreError::Conflict => true,
            StoreError::Database(error) => is_passing(error),
            StoreError::LastOwner
            | StoreError::Revoked
            | StoreError::Exists(_)
            | StoreError::Order
            | StoreError::Floor { .. }
            | StoreError::Newer { .. }
            | StoreError::Unfit(_)
            | StoreError::Unreadable { .. } => false,
        }
    }

    /// Says what is there already, when that is why the database refused.
    pub(super) fn exists(self, what: impl FnOnce() -> String) -> StoreError {
        match self {
            StoreError::Database(sqlx::Error::Database(error)) if error.is_unique_violation() => {
                StoreError::Exists(what())
            }
            other => other,
        }
    }
}

/// PostgreSQL's classes 08 (connection), 40 (to be retried), 53 (short of
/// something) and 57 (shutting down); SQLite's 5 and 6 (busy, locked).
fn is_passing(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            ["08", "40", "53", "57"].iter().any(|class| code.len() == 5 && code.starts_with(class))
                || ["5", "6", "261", "262", "517"].contains(&code.as_ref())
        }),
        _ => false,
    }
}
