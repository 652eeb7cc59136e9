//! `boathook serve`: the team server.

mod database;
mod tell;

use std::net::SocketAddr;
use std::path::PathBuf;

use boathook_engine::run::{cancel_on_signals, outlive_hangups};
use boathook_server::team::serve::{self, Log, Options, ServeError, Tls};
use clap::{Subcommand, ValueEnum};

use crate::Status;
use crate::error::Failed;
use crate::ui::Ui;

/// Serve a team's hooks
///
/// Keeps the hooks, members and machines of a team in a SQLite file, or in
/// PostgreSQL when one machine is not enough, and signs what it publishes. The
/// first start makes the team and its owner and prints one token to sign in
/// with. Ends with Ctrl-C or SIGTERM, after what is being answered; SIGHUP does
/// not end it. docs/manual/team-server.md says how to operate it.
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    #[command(flatten)]
    kept: Kept,
    #[command(flatten)]
    listening: Listening,
    /// The first team's name, at the first start
    #[arg(long, value_name = "NAME", default_value = "team")]
    team: String,
    /// The first owner's address, at the first start
    #[arg(long, value_name = "EMAIL", default_value = "owner@localhost")]
    owner: String,
    /// How the log on stderr looks
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    log: LogFormat,
    #[command(subcommand)]
    command: Option<ServeCommand>,
}

/// What the server keeps, and where.
#[derive(Debug, Clone, clap::Args)]
pub struct Kept {
    /// A SQLite file, which is made when it is not there, or postgres://USER@HOST/NAME
    #[arg(long, global = true, value_name = "DATABASE")]
    database: Option<String>,
    /// What private keys are sealed with, the same for all processes on one database; made when it is not there [default: DATABASE.secret beside a SQLite file]
    #[arg(long, global = true, value_name = "FILE")]
    secret_file: Option<PathBuf>,
}

/// How it is reached.
#[derive(Debug, Clone, clap::Args)]
struct Listening {
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8787", value_parser = address)]
    listen: SocketAddr,
    /// How others reach the server, such as https://hooks.example.com [default: what it listens on]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The certificate and its chain, in PEM; read again when the file changes
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "tls_self_signed")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Encrypt with an authority of the server's own, which is kept in this folder
    #[arg(long, value_name = "DIR")]
    tls_self_signed: Option<PathBuf>,
    /// Something in front of the server encrypts: plain HTTP on any address
    #[arg(long)]
    behind_proxy: bool,
    /// Serve metrics and health on this address, too, without a token
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    metrics_listen: Option<SocketAddr>,
}

/// A line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// One JSON object
    Json,
    /// For people
    Text,
}

/// What else is done with a database.
#[derive(Debug, Subcommand)]
pub enum ServeCommand {
    NewTeam(database::NewTeamArgs),
    SignIn(database::SignInArgs),
    Backup(database::BackupArgs),
    Restore(database::RestoreArgs),
    Openapi(database::OpenapiArgs),
}

pub fn serve(ui: &mut Ui, args: &ServeArgs) -> Result<Status, Failed> {
    match &args.command {
        None => run(ui, args)?,
        Some(ServeCommand::NewTeam(command)) => database::new_team(ui, &args.kept, command)?,
        Some(ServeCommand::SignIn(command)) => database::sign_in(ui, &args.kept, command)?,
        Some(ServeCommand::Backup(command)) => database::backup(ui, &args.kept, command)?,
        Some(ServeCommand::Restore(command)) => database::restore(ui, &args.kept, command)?,
        Some(ServeCommand::Openapi(_)) => database::openapi(ui),
    }
    Ok(Status::Success)
}

fn run(ui: &mut Ui, args: &ServeArgs) -> Result<(), Failed> {
    let listening = &args.listening;
    let options = Options {
        database: args.kept.database()?,
        secret_file: args.kept.secret_file()?,
        listen: listening.listen,
        tls: listening.tls(),
        behind_proxy: listening.behind_proxy,
        url: listening.url.as_ref().map(|url| url.trim_end_matches('/').to_owned()),
        team: args.team.clone(),
        owner: args.owner.clone(),
        metrics: listening.metrics_listen,
        log: match args.log {
            LogFormat::Json => Log::Json,
            LogFormat::Text => Log::Text,
        },
    };
    outlive_hangups();
    let ending = cancel_on_signals();
    serve::serve(&options, &ending, |started| tell::started(ui, started)).map_err(|error| failed(&error))
}

impl Kept {
    fn database(&self) -> Result<String, Failed> {
        self.database.clone().filter(|database| !database.is_empty()).ok_or_else(|| {
            let help = "`--database hooks.db` for a SQLite file, or `--database postgres://USER@HOST/NAME`";
            Failed::other("no database is named", help)
        })
    }

    fn secret_file(&self) -> Result<PathBuf, Failed> {
        let database = self.database()?;
        let path = database.strip_prefix("sqlite://").or_else(|| database.strip_prefix("sqlite:"));
        let is_file = path.is_some() || !database.contains("://");
        match &self.secret_file {
            Some(file) => Ok(file.clone()),
            None if is_file => Ok(PathBuf::from(format!("{}.secret", path.unwrap_or(&database)))),
            None => {
                let help = "`--secret-file FILE`: every process on this database needs the same file";
                Err(Failed::other(
                    "the secret of a database that several share has no place of its own",
                    help,
                ))
            }
        }
    }
}

impl Listening {
    fn tls(&self) -> Tls {
        match (&self.tls_cert, &self.tls_key, &self.tls_self_signed) {
            (Some(certificate), Some(key), _) => {
                Tls::Files { certificate: certificate.clone(), key: key.clone() }
            }
            (_, _, Some(folder)) => Tls::SelfSigned(folder.clone()),
            _ => Tls::None,
        }
    }
}

/// An address and a port; what is missing is said.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit(':').next().filter(|port| port.parse::<u16>().is_ok()).unwrap_or("8787");
        format!(
            "write an IP address and a port, such as 127.0.0.1:{port}, or 0.0.0.0:{port} for every address"
        )
    })
}

fn failed(error: &ServeError) -> Failed {
    Failed::other(error.to_string(), error.help())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_lacks_something_is_answered_with_one_that_does_not() {
        for good in ["127.0.0.1:8787", "[::1]:0"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for (text, instead) in
            [("8799", "127.0.0.1:8799"), ("localhost:8799", "127.0.0.1:8799"), ("10.0.0.7", "127.0.0.1:8787")]
        {
            let said = address(text).expect_err(text);
            assert!(said.contains(instead), "{said}");
        }
    }
}
