//! `boathook team login`: makes this machine one of a team's.

use std::path::PathBuf;

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Make this machine one of a team's
///
/// Asks for the token that an admin gave you; without one, and where the server
/// offers it, you sign in with your browser. The fingerprint of the team's first
/// root decides whose hooks this machine will run: an admin reads it to you, or
/// hands it over with `--fingerprint`. The team's hooks apply at once.
#[derive(Debug, clap::Args)]
pub struct LoginArgs {
    /// The server's address, such as https://hooks.example.com
    #[arg(value_name = "URL")]
    pub url: String,
    /// A sign-in, API or enrolment token; `-` reads it from stdin
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    pub token: Option<String>,
    /// A file that holds the token
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The SHA-256 of the team's first root, as `boathook team admin` prints it
    #[arg(long, value_name = "SHA256")]
    pub fingerprint: Option<String>,
    /// Authorities to trust for the server's certificate, in PEM, instead of the system's
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// An address to get the signed files from instead of the server
    #[arg(long, value_name = "URL")]
    pub cache: Option<String>,
    /// What to call this machine [default: its host name]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Log out of the team this machine belongs to, first
    #[arg(long)]
    pub switch: bool,
}

pub fn login(_ui: &mut Ui, _args: &LoginArgs) -> Result<Status, Failed> {
    Err(super::not_yet())
}
