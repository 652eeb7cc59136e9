//! `boathook team login`: makes this machine one of a team's.

use std::path::{Path, PathBuf};

use boathook_engine::read_file::{self, Owner};
use boathook_server::team::wire::{self, LoggedIn};

use super::view::View;
use super::{asking, browser, fingerprint, here, hooks, logout, notice, sync};
use crate::Status;
use crate::error::Failed;
use crate::settings;
use crate::team::http::{Fetched, Kind};
use crate::team::login::LoginError;
use crate::team::{self, How, Login, Place, Refusal, Server};
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

/// The largest root that makes sense.
const LARGEST_ROOT: u64 = 512 * 1024;
/// No token is longer.
const LARGEST_TOKEN: u64 = 4096;

pub fn login(ui: &mut Ui, args: &LoginArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    let expected = args.fingerprint.as_deref().map(fingerprint::typed).transpose()?;
    let before = here::known(&place)?;
    if let Some(before) = &before {
        may_leave(before, args)?;
    }
    if expected.is_none() && !asking::somebody_is_there() {
        return Err(fingerprint::needed());
    }
    let login = joined(ui, &place, args, expected.as_deref())?;
    let status = match &before {
        Some(before) => switched(ui, &place, before, &login)?,
        None => {
            login.write(&place).map_err(unkept)?;
            team::sync(&place, &login, How::Now)
        }
    };
    let result = sync::told(ui, &status);
    hooks::table(ui, &View::of(&place, login));
    notice::show(ui);
    Ok(result)
}

/// Whether this machine may leave the team it is in.
fn may_leave(before: &Login, args: &LoginArgs) -> Result<(), Failed> {
    if args.switch {
        return Ok(());
    }
    let problem = format!("this machine is in team {} already ({})", before.team, before.server);
    Err(Failed::other(
        problem,
        "`boathook team logout` leaves it; `--switch` leaves it once the new one is verified",
    ))
}

/// Signs in and agrees on whose hooks will run. Nothing is kept yet; where
/// there is no agreement, the server is told to forget this machine.
fn joined(ui: &mut Ui, place: &Place, args: &LoginArgs, expected: Option<&str>) -> Result<Login, Failed> {
    let url = args.url.trim_end_matches('/');
    let ca = args.ca.as_deref().map(settings::absolute);
    let name = args.name.clone().unwrap_or_else(settings::host_name);
    let LoggedIn { device, device_token, team } = signed_in(ui, place, args, url, &name)?;
    let mut login = Login {
        server: url.to_owned(),
        team: team.id,
        repository: team.repository,
        channel: team.channel,
        device: device.id,
        member: device.member,
        email: team.email,
        token: device_token,
        enrolled: device.enrolled,
        fingerprint: String::new(),
        root_version: team.root_version,
        ca,
        cache: args.cache.clone(),
    };
    ui.say(&format!("signed in to team «{}» ({})", team.name, login.server));
    match first_root(place, &login).and_then(|root| fingerprint::agree(ui, &root, expected)) {
        Ok(fingerprint) => {
            login.fingerprint = fingerprint;
            Ok(login)
        }
        Err(failed) => {
            if let Err(refusal) = logout::revoke(place, &login) {
                ui.warning(&format!("the server could not be told to forget this machine: {refusal}"));
            }
            Err(failed)
        }
    }
}

fn signed_in(
    ui: &mut Ui,
    place: &Place,
    args: &LoginArgs,
    url: &str,
    name: &str,
) -> Result<LoggedIn, Failed> {
    let connect = |token: Option<&str>| {
        Server::new(url, args.ca.as_deref(), token, &place.environment)
            .map_err(|refusal| browser::refused(&refusal))
    };
    let token = match given_token(ui, args)? {
        Some(token) => token,
        None => {
            let machine = browser::Machine { name, os: place.os_name() };
            if let Some(logged_in) = browser::sign_in(ui, &connect(None)?, url, &machine)? {
                return Ok(logged_in);
            }
            asked_token(ui)?
        }
    };
    let body = wire::Login { name: name.to_owned(), os: place.os_name().to_owned() };
    connect(Some(&token))?.post("/api/v1/login", &body).map_err(|refusal: Refusal| {
        match refusal.code.as_str() {
            "unauthorized" => Failed::other(
                format!("the server does not take this token: {refusal}"),
                "a sign-in token works once; ask an admin of the team for a new one",
            ),
            _ => browser::refused(&refusal),
        }
    })
}

/// The token of an option; none when there is none.
fn given_token(ui: &mut Ui, args: &LoginArgs) -> Result<Option<String>, Failed> {
    let token = match (&args.token, &args.token_file) {
        (Some(token), _) if token == "-" => asked_token(ui)?,
        (Some(token), _) => token.trim().to_owned(),
        (None, Some(file)) => token_of(file)?,
        (None, None) if asking::somebody_is_there() => return Ok(None),
        (None, None) => {
            let problem = "nobody can be asked for a token here";
            return Err(Failed::other(
                problem,
                "write `--token-file FILE`, or `--token -` and hand it over on stdin",
            ));
        }
    };
    usable(token).map(Some)
}

fn asked_token(ui: &mut Ui) -> Result<String, Failed> {
    let token = match asking::somebody_is_there() {
        true => asking::secret(ui, "Token")?,
        false => asking::read_line()?,
    };
    usable(token)
}

fn token_of(file: &Path) -> Result<String, Failed> {
    let read = read_file::read(file, LARGEST_TOKEN, Owner::Anybody);
    let bytes = read
        .map_err(|error| {
            Failed::other(format!("{}: {error}", file.display()), "a file that holds one token")
        })?
        .bytes;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// A token goes into a header as it is.
fn usable(token: String) -> Result<String, Failed> {
    match !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(token),
        false => Err(Failed::other(
            "this is no token",
            "a token is one word, as an admin of the team gave it to you",
        )),
    }
}

/// The root that everything else is verified from.
fn first_root(place: &Place, login: &Login) -> Result<Vec<u8>, Failed> {
    let path = format!("/tuf/{}/{}.root.json", login.team, login.root_version);
    let server = Server::of(place, login).map_err(|refusal| browser::refused(&refusal))?;
    match server.fetch(&path, Kind::Json, LARGEST_ROOT, None).map_err(|refusal| browser::refused(&refusal))? {
        Fetched::File { bytes, .. } => Ok(bytes),
        Fetched::Unchanged => Err(Failed::other("the server sends no root", "tell an admin of the team")),
    }
}

/// Another team: all that it publishes is verified and in force before this
/// machine leaves the old one. The same team: this machine only signs in anew.
fn switched(ui: &mut Ui, place: &Place, before: &Login, login: &Login) -> Result<team::Status, Failed> {
    let same = before.team == login.team && before.repository == login.repository;
    if before.enrolled && !same {
        let _ = logout::revoke(place, login);
        return Err(logout::stays(place, before));
    }
    let status = team::sync(place, login, How::Now);
    if !status.is_good() {
        sync::told(ui, &status);
        let _ = logout::revoke(place, login);
        // How it stands with the old team is said anew.
        team::sync(place, before, How::Now);
        let problem =
            "what the new team publishes could not be put in force, so this machine stays in its team";
        return Err(Failed::other(problem, "try again later, or ask an admin of the new team"));
    }
    login.write(place).map_err(unkept)?;
    if !same {
        ui.say(&format!("this machine has left team {} ({})", before.team, before.server));
        notice::forget(place);
    }
    if let Err(refusal) = logout::revoke(place, before) {
        ui.warning(&format!("the old server could not be told: {refusal}"));
        ui.help(&format!("an admin of that team can remove the device {}", before.device));
    }
    Ok(status)
}

fn unkept(error: LoginError) -> Failed {
    Failed::other(error.to_string(), "then log in again")
}
