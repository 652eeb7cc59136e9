//! Why the team server does not start, or ended.

use std::fmt::Display;
use std::io;
use std::net::SocketAddr;

/// What is wrong, and what to write instead.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken, or the address is not ours.
    #[error("cannot listen on {address}: {error}")]
    Listen {
        /// Which option said so.
        option: &'static str,
        /// Where.
        address: SocketAddr,
        /// Why not.
        error: io::Error,
    },
    /// Tokens would travel in the open.
    #[error("{0} can be reached from other machines, and nothing would encrypt what they say")]
    Open(SocketAddr),
    /// A certificate or a key.
    #[error("{what}: {problem}")]
    Tls {
        /// The files.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// The database, the secret, or what they hold.
    #[error("{problem}")]
    State {
        /// What is wrong.
        problem: String,
        /// What to do.
        help: String,
    },
    /// The system gave no thread or no socket.
    #[error("the server ended: {0}")]
    Ended(#[from] io::Error),
}

impl ServeError {
    /// A certificate or a key that cannot be used.
    pub fn tls(what: &str, problem: &(impl Display + ?Sized)) -> ServeError {
        ServeError::Tls { what: what.to_owned(), problem: problem.to_string() }
    }

    /// Something else, with the next step.
    pub fn state(problem: impl Display, help: &str) -> ServeError {
        ServeError::State { problem: problem.to_string(), help: help.to_owned() }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            ServeError::Listen { option, .. } => {
                format!("write `{option} 127.0.0.1:0` for any port that is free")
            }
            ServeError::Open(_) => "add `--tls-cert FILE --tls-key FILE`, or `--tls-self-signed DIR`, or \
                                    `--behind-proxy` when something else encrypts"
                .to_owned(),
            ServeError::Tls { .. } => {
                "the certificate and its chain, and the key that belongs to it, are two files in PEM"
                    .to_owned()
            }
            ServeError::State { help, .. } => help.clone(),
            ServeError::Ended(_) => "start it again".to_owned(),
        }
    }
}
