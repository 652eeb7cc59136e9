//! What is done with the server's database beside serving it.

use std::path::PathBuf;

use boathook_server::team::serve;

use super::{Kept, failed, tell};
use crate::error::Failed;
use crate::ui::Ui;

/// Make another team, and print one token for its owner
#[derive(Debug, clap::Args)]
pub struct NewTeamArgs {
    /// Its name
    name: String,
    /// Its owner's address
    #[arg(long, value_name = "EMAIL")]
    owner: String,
    /// How others reach the server, such as https://hooks.example.com
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

/// Print a new token to sign in with, for a member who lost theirs
#[derive(Debug, clap::Args)]
pub struct SignInArgs {
    /// The member's address
    email: String,
    /// How others reach the server, such as https://hooks.example.com
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

/// Write all teams to a file, while the server runs
///
/// Keys in it are sealed with the secret, which is kept elsewhere.
#[derive(Debug, clap::Args)]
pub struct BackupArgs {
    /// The file, which must not be there yet
    file: PathBuf,
}

/// Read a backup into an empty database
///
/// Also moves a server from SQLite to PostgreSQL, and back. Needs the secret that
/// the backup was made with, and makes none: everything is signed anew, above
/// what machines have seen since the backup.
#[derive(Debug, clap::Args)]
pub struct RestoreArgs {
    /// The file that `backup` wrote
    file: PathBuf,
}

/// Print the OpenAPI document of the server's API
#[derive(Debug, clap::Args)]
pub struct OpenapiArgs {}

pub fn new_team(ui: &mut Ui, kept: &Kept, args: &NewTeamArgs) -> Result<(), Failed> {
    let (database, secret) = (kept.database()?, kept.secret_file()?);
    let invitation =
        serve::new_team(&database, &secret, &args.name, &args.owner).map_err(|error| failed(&error))?;
    invited(ui, &[invitation], args.url.as_deref());
    Ok(())
}

pub fn sign_in(ui: &mut Ui, kept: &Kept, args: &SignInArgs) -> Result<(), Failed> {
    let (database, secret) = (kept.database()?, kept.secret_file()?);
    let invitations = serve::sign_in(&database, &secret, &args.email).map_err(|error| failed(&error))?;
    invited(ui, &invitations, args.url.as_deref());
    Ok(())
}

/// The database does not know where its server is: who was not told says so.
fn invited(ui: &mut Ui, invitations: &[serve::Invitation], url: Option<&str>) {
    let address = url.map_or("URL", |url| url.trim_end_matches('/'));
    for invitation in invitations {
        tell::invited(ui, invitation, address, None);
    }
    if url.is_none() {
        ui.hint("in place of URL stands the server's address, such as https://hooks.example.com; `--url` fills it in");
    }
}

pub fn backup(ui: &mut Ui, kept: &Kept, args: &BackupArgs) -> Result<(), Failed> {
    serve::backup(&kept.database()?, &args.file).map_err(|error| failed(&error))?;
    ui.say(&format!("written to {}; keep the secret file apart from it", args.file.display()));
    Ok(())
}

pub fn restore(ui: &mut Ui, kept: &Kept, args: &RestoreArgs) -> Result<(), Failed> {
    serve::restore(&kept.database()?, &kept.secret_file()?, &args.file).map_err(|error| failed(&error))?;
    ui.say("restored, and signed anew above what machines have seen");
    Ok(())
}

pub fn openapi(ui: &mut Ui) {
    ui.json(boathook_server::team::api::openapi_text().trim_end());
}
