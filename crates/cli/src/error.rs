//! A command that could not do its work: what is wrong, and what to do next.

use std::path::{Path, PathBuf};

use boathook_engine::payload::PayloadError;
use boathook_engine::source::TooManyRootsError;
use boathook_engine::state::StateError;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("{0}")]
    Payload(#[from] PayloadError),
    #[error("the payload on stdin{place}: {problem}")]
    Stdin { place: String, problem: String, help: String },
    #[error("`--field {text}`: {problem}")]
    Field { text: String, problem: String, help: String },
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{0}")]
    State(#[from] StateError),
    #[error("{0}")]
    Roots(#[from] TooManyRootsError),
    #[error("{problem}")]
    Other { problem: String, help: Option<String> },
}

impl Failed {
    /// A file that could not be read or written.
    pub fn file(path: &Path, error: std::io::Error) -> Failed {
        Failed::File { path: path.to_owned(), error }
    }

    /// Anything else, with the next step.
    pub fn other(problem: impl Into<String>, help: impl Into<String>) -> Failed {
        Failed::Other { problem: problem.into(), help: Some(help.into()) }
    }

    /// What to write instead.
    pub fn help(&self) -> Option<String> {
        match self {
            Failed::Payload(_) => {
                Some("a payload is one JSON object on stdin, like {\"command\":\"ls\"}".to_owned())
            }
            Failed::Roots(_) => Some(TooManyRootsError::HELP.to_owned()),
            Failed::Field { help, .. } | Failed::Stdin { help, .. } => Some(help.clone()),
            Failed::Other { help, .. } => help.clone(),
            Failed::File { .. } | Failed::State(_) => None,
        }
    }
}
