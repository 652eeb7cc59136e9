//! `boathook team admin login`, `logout`: a token for this user's admin commands.

use std::io::{self, BufRead};

use boathook_server::team::wire::{MadeToken, NewToken, Team, TokenKind};

use super::super::login::{addressed, usable};
use super::desk::{At, Desk, Kept, KnownRoot, place, token_in};
use crate::Status;
use crate::error::Failed;
use crate::team::authorities::{self, Whose};
use crate::ui::Ui;

/// Keep a token for the admin commands
///
/// A sign-in token is exchanged for an API token of this user's, and is used up
/// by that; an API token is kept as it is. It is kept apart from the login of
/// this machine, in a file that only you can read.
#[derive(Debug, clap::Args)]
pub struct LoginArgs {
    /// The server's address, such as https://hooks.example.com
    #[arg(value_name = "URL")]
    url: String,
    /// A sign-in or API token; `-` reads it from stdin
    #[arg(long, value_name = "TOKEN", conflicts_with = "token_file")]
    token: Option<String>,
}

/// Forget the token of `team admin login`, and revoke it
#[derive(Debug, clap::Args)]
pub struct LogoutArgs {}

pub fn login(ui: &mut Ui, at: &At, args: &LoginArgs) -> Result<Status, Failed> {
    let place = place()?;
    addressed(&args.url)?;
    let given = match (&args.token, &at.token_file) {
        (Some(dash), _) if dash == "-" => from_stdin()?,
        (Some(token), _) => token.clone(),
        (None, Some(file)) => token_in(file)?,
        (None, None) => {
            let help = "`--token TOKEN`, `--token -` to read it from stdin, or `--token-file FILE`";
            return Err(Failed::other("a token is needed", help));
        }
    };
    let given = usable(given.trim().to_owned())?;
    let ca = at.ca.as_deref().map(|file| authorities::keep(&place, Whose::Admin, file)).transpose();
    let ca = ca.map_err(|problem| Failed::other(problem, "`--ca FILE` names certificates in PEM"))?;
    let desk = Desk::at(&place, &args.url, ca.as_deref(), &given, at.json)?;
    let token = if is_sign_in(&given) { exchanged(&desk)? } else { given };
    let desk = Desk::at(&place, &args.url, ca.as_deref(), &token, at.json)?;
    let team: Team = desk.get("/api/v1/team")?;
    Kept { server: args.url.clone(), token, ca, root: Some(KnownRoot::of(&team)) }.write(&place)?;
    desk.show(ui, &team, |ui| {
        let who = team.email.clone().unwrap_or_else(|| "this token".to_owned());
        ui.line(&format!(
            "{who} is {} of {} at {}",
            super::member::role_name(team.role),
            team.name,
            args.url
        ));
        ui.line(&format!("fingerprint {}", team.root_fingerprint));
        ui.hint("`boathook team admin hook add EVENT --script FILE` writes a hook; `publish` sends it out");
    })?;
    Ok(Status::Success)
}

pub fn logout(ui: &mut Ui, at: &At) -> Result<Status, Failed> {
    let place = place()?;
    let Some(kept) = Kept::read(&place)? else {
        told(ui, at.json, false, "no token is kept");
        return Ok(Status::Success);
    };
    // The token is forgotten here whatever the server says.
    let revoked = Desk::at(&place, &kept.server, kept.ca.as_deref(), &kept.token, at.json)
        .and_then(|desk| super::token::revoke_own(&desk, &kept.token));
    Kept::remove(&place)?;
    authorities::forget(&place, Whose::Admin);
    match revoked {
        Ok(()) => {
            told(ui, at.json, true, &format!("the token for {} is revoked and forgotten", kept.server));
        }
        Err(problem) => {
            if at.json {
                told(ui, true, false, "");
            }
            ui.warning(&format!("the token is forgotten here, and was not revoked: {problem}"));
            ui.help("`boathook team admin token revoke` from another login, or let it expire");
        }
    }
    Ok(Status::Success)
}

fn told(ui: &mut Ui, json: bool, revoked: bool, text: &str) {
    match json {
        true => ui.json(&serde_json::json!({ "revoked": revoked }).to_string()),
        false => ui.say(text),
    }
}

/// Sign-in tokens say so in their first letters.
fn is_sign_in(token: &str) -> bool {
    token.starts_with("bh_sign")
}

/// An API token with all that the sign-in token may do, which the server knows.
fn exchanged(desk: &Desk) -> Result<String, Failed> {
    let name = "team admin".to_owned();
    let wanted = NewToken { kind: TokenKind::Api, name, role: None, member: None, days: None };
    let made: MadeToken = desk.post("/api/v1/tokens", &wanted)?;
    Ok(made.secret)
}

fn from_stdin() -> Result<String, Failed> {
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failed::other(format!("stdin: {error}"), "one token on one line"))?;
    let token = line.trim().to_owned();
    if token.is_empty() {
        return Err(Failed::other("stdin held no token", "one token on one line"));
    }
    Ok(token)
}
