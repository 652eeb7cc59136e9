//! `boathook team login`: makes this machine one of a team's.

use std::path::{Path, PathBuf};

use boathook_engine::read_file::{self, Owner};
use boathook_engine::visible::on_one_line;
use boathook_server::team::wire::{self, LoggedIn};

use super::view::View;
use super::{asking, browser, fingerprint, here, hooks, logout, notice, sync};
use crate::Status;
use crate::error::Failed;
use crate::settings;
use crate::team::authorities::{self, Whose};
use crate::team::http::{Fetched, Kind, check_address};
use crate::team::login::LoginError;
use crate::team::sync::{hold, sync_held};
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
    /// The SHA-256 of the team's first root, as `boathook team admin settings show` prints it
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
    /// Leave the team this machine belongs to, once all of the new one is verified
    #[arg(long)]
    pub switch: bool,
}

/// The largest root that makes sense.
const LARGEST_ROOT: u64 = 512 * 1024;
/// No token is longer.
const LARGEST_TOKEN: u64 = 4096;

pub fn login(ui: &mut Ui, args: &LoginArgs) -> Result<Status, Failed> {
    let place = here::place()?;
    addressed(&args.url)?;
    let expected = args.fingerprint.as_deref().map(fingerprint::typed).transpose()?;
    let before = here::known(&place)?;
    if let Some(before) = &before {
        may_leave(before, args)?;
    }
    if expected.is_none() && !asking::somebody_is_there() {
        return Err(fingerprint::needed());
    }
    let login = joined(ui, &place, args, before.as_ref(), expected)?;
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

/// What is typed as an address is looked at before anything else.
pub fn addressed(url: &str) -> Result<(), Failed> {
    check_address(url).map_err(|refusal| {
        Failed::other(refusal.message, "the server's address is such as https://hooks.example.com")
    })
}

/// Whether this machine may leave the team it is in.
fn may_leave(before: &Login, args: &LoginArgs) -> Result<(), Failed> {
    if args.switch {
        return Ok(());
    }
    let problem = format!("this machine is in {} already ({})", before.called(), before.server);
    Err(Failed::other(
        problem,
        "`boathook team logout` leaves it; `--switch` leaves it once the new one is verified",
    ))
}

/// Signs in and agrees on whose hooks will run, where it can be had before a
/// token that works once is used. Nothing is kept yet; where there is no
/// agreement, the server is told to forget this machine.
fn joined(
    ui: &mut Ui,
    place: &Place,
    args: &LoginArgs,
    before: Option<&Login>,
    expected: Option<String>,
) -> Result<Login, Failed> {
    let url = args.url.trim_end_matches('/');
    let name = args.name.clone().unwrap_or_else(settings::host_name);
    let ca = args.ca.as_deref().map(|file| authorities::keep(place, Whose::Device, file)).transpose();
    let ca = ca.map_err(|problem| Failed::other(problem, "`--ca FILE` names certificates in PEM"))?;
    let machine = browser::Machine { name: &name, os: place.os_name() };
    let SignedIn { is: LoggedIn { device, device_token, team }, expected } =
        signed_in(ui, place, args, url, &machine, before, expected)?;
    let mut login = Login {
        server: url.to_owned(),
        team: team.id,
        name: Some(on_one_line(&team.name)),
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
    match first_root(place, &login).and_then(|root| fingerprint::agree(ui, &root, expected.as_deref())) {
        Ok(fingerprint) => {
            ui.say(&format!("signed in to team «{}» ({})", on_one_line(&team.name), login.server));
            login.fingerprint = fingerprint;
            Ok(login)
        }
        Err(failed) => {
            if let Err(refusal) = logout::revoke(place, &login) {
                ui.warning(&format!("the server could not be told to forget this machine: {refusal}"));
                ui.help(&format!("an admin of the team removes the device {}", login.device));
            }
            ui.note("a sign-in token is used up by this; ask an admin of the team for a new one");
            Err(failed)
        }
    }
}

/// A machine that the server knows, and the fingerprint that was agreed on.
struct SignedIn {
    is: LoggedIn,
    expected: Option<String>,
}

fn signed_in(
    ui: &mut Ui,
    place: &Place,
    args: &LoginArgs,
    url: &str,
    machine: &browser::Machine<'_>,
    before: Option<&Login>,
    expected: Option<String>,
) -> Result<SignedIn, Failed> {
    let connect = |token: Option<&str>| {
        Server::new(url, args.ca.as_deref(), token, &place.environment)
            .map_err(|refusal| browser::refused(&refusal))
    };
    let token = match given_token(ui, args)? {
        Some(token) => token,
        None => {
            if let Some(is) = browser::sign_in(ui, &connect(None)?, url, machine)? {
                return Ok(SignedIn { is, expected });
            }
            asked_token(ui)?
        }
    };
    let server = connect(Some(&token))?;
    let expected = agreed(ui, place, &server, before, expected)?;
    let body = wire::Login { name: machine.name.to_owned(), os: machine.os.to_owned() };
    let is = server.post("/api/v1/login", &body).map_err(not_taken)?;
    Ok(SignedIn { is, expected })
}

/// Asks the server which team it would be, and whether this machine may and
/// the person will join that. The token stays good. What the server says is
/// compared with its root again, once this machine can read that.
fn agreed(
    ui: &mut Ui,
    place: &Place,
    server: &Server,
    before: Option<&Login>,
    expected: Option<String>,
) -> Result<Option<String>, Failed> {
    let team: wire::Team = match server.get("/api/v1/team") {
        Ok(team) => team,
        // A server that does not tell: then it is asked after the login.
        Err(refusal) if refusal.code == "forbidden" => return Ok(expected),
        Err(refusal) => return Err(not_taken(refusal)),
    };
    let stays =
        |before: &&Login| before.enrolled && (before.team != team.id || before.repository != team.repository);
    if let Some(before) = before.filter(stays) {
        return Err(logout::stays(place, before));
    }
    fingerprint::is_meant(ui, &team.root_fingerprint, expected.as_deref()).map(Some)
}

fn not_taken(refusal: Refusal) -> Failed {
    match refusal.code.as_str() {
        "unauthorized" => Failed::other(
            "the server does not take this token",
            "a sign-in token works once and expires; ask an admin of the team for a new one",
        ),
        _ => browser::refused(&refusal),
    }
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
pub fn usable(token: String) -> Result<String, Failed> {
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
    // Whoever polls for the old team waits until it is written that this machine
    // is in the new one: else it would put the old hooks back.
    let held = hold(place, How::Now).map_err(|refusal| browser::refused(&refusal))?;
    let status = sync_held(place, login, &held);
    if !status.is_good() {
        // How it stands with the old team is said anew.
        sync_held(place, before, &held);
        drop(held);
        sync::told(ui, &status);
        let _ = logout::revoke(place, login);
        let problem =
            "what the new team publishes could not be put in force, so this machine stays in its team";
        return Err(Failed::other(problem, "try again later, or ask an admin of the new team"));
    }
    login.write(place).map_err(unkept)?;
    drop(held);
    if !same {
        ui.say(&format!("this machine has left {} ({})", before.called(), before.server));
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
