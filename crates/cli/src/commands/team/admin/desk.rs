//! Where an admin stands: which server, with which token, and how answers are
//! printed.

use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::state::Durability;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ureq::http::Method;

use super::table::Table;
use crate::error::Failed;
use crate::settings::{admin_token, team_place};
use crate::team::{Place, Refusal, Server};
use crate::ui::Ui;

const FILE: &str = "admin.json";

/// Which server, and who asks.
#[derive(Debug, clap::Args)]
pub struct At {
    /// The server's address [default: that of `team admin login`]
    #[arg(long, global = true, value_name = "URL")]
    pub server: Option<String>,
    /// A file that holds an API token [default: BOATHOOK_ADMIN_TOKEN, else `team admin login`]
    #[arg(long, global = true, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Authorities to trust for the server's certificate, in PEM, instead of the system's
    #[arg(long, global = true, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// What `team admin login` keeps, for the user alone.
#[derive(Clone, Serialize, Deserialize)] // no `Debug`: it holds a token
pub struct Kept {
    pub server: String,
    pub token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
}

impl Kept {
    pub fn read(place: &Place) -> Result<Option<Kept>, Failed> {
        let Some(bytes) = place.folder().read("", FILE)? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            let file = place.folder().file("", FILE);
            Failed::other(
                format!("{}: {error}", file.display()),
                "`boathook team admin login` writes it anew",
            )
        })
    }

    pub fn write(&self, place: &Place) -> Result<(), Failed> {
        let text = serde_json::to_vec_pretty(self).map_err(|error| Failed::other(error.to_string(), ""))?;
        Ok(place.folder().write("", FILE, &text, Durability::Synced)?)
    }

    pub fn remove(place: &Place) -> Result<bool, Failed> {
        Ok(place.folder().remove("", FILE)?)
    }
}

/// A server that can be asked.
pub struct Desk {
    server: Server,
    pub address: String,
    json: bool,
}

impl Desk {
    /// As the options, the variable and the stored login say, in this order.
    pub fn open(at: &At) -> Result<Desk, Failed> {
        let place = place()?;
        let kept = Kept::read(&place)?;
        let told = match &at.token_file {
            Some(file) => Some(token_in(file)?),
            None => admin_token(),
        };
        let address = at.server.clone().or_else(|| kept.as_ref().map(|kept| kept.server.clone()));
        let address = address.ok_or_else(|| {
            let help = "`boathook team admin login URL --token TOKEN`, or `--server URL --token-file FILE`";
            Failed::other("no server is known", help)
        })?;
        // A token is for the server it was got from, and for no other.
        let same = kept.filter(|kept| kept.server == address);
        let token = told.or_else(|| same.as_ref().map(|kept| kept.token.clone())).ok_or_else(|| {
            let help = "`--token-file FILE`, or the token in the variable BOATHOOK_ADMIN_TOKEN";
            Failed::other(format!("no token for {address} is known"), help)
        })?;
        let ca = at.ca.clone().or_else(|| same.and_then(|kept| kept.ca));
        Desk::at(&place, &address, ca.as_deref(), &token, at.json)
    }

    /// With this token.
    pub fn at(
        place: &Place,
        address: &str,
        ca: Option<&Path>,
        token: &str,
        json: bool,
    ) -> Result<Desk, Failed> {
        let server = Server::new(address, ca, Some(token), &place.environment).map_err(refused)?;
        Ok(Desk { server, address: address.to_owned(), json })
    }

    pub fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Failed> {
        self.call(Method::GET, path, None::<&()>)
    }

    pub fn post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Failed> {
        self.call(Method::POST, path, Some(body))
    }

    /// The same, for who knows what to do about a refusal.
    pub fn try_post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Refusal> {
        self.server.post(path, body)
    }

    pub fn put<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Failed> {
        self.call(Method::PUT, path, Some(body))
    }

    pub fn patch<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Failed> {
        self.call(Method::PATCH, path, Some(body))
    }

    /// What is deleted answers nothing.
    pub fn delete(&self, path: &str) -> Result<(), Failed> {
        self.call(Method::DELETE, path, None::<&()>)
    }

    fn call<A: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
    ) -> Result<A, Failed> {
        self.server.call(method, path, body).map_err(refused)
    }

    /// The answer as data, or in the words given.
    pub fn show(
        &self,
        ui: &mut Ui,
        answer: &impl Serialize,
        say: impl FnOnce(&mut Ui),
    ) -> Result<(), Failed> {
        if !self.json {
            say(ui);
            return Ok(());
        }
        let text = serde_json::to_string(answer).map_err(|error| Failed::other(error.to_string(), ""))?;
        ui.json(&text);
        Ok(())
    }

    /// A list as data, or as a table; in words when it is empty.
    pub fn list<T: Serialize>(
        &self,
        ui: &mut Ui,
        list: &[T],
        table: Table,
        empty: &str,
    ) -> Result<(), Failed> {
        self.show(ui, &list, |ui| {
            if list.is_empty() {
                ui.say(empty);
            } else {
                table.print(ui);
            }
        })
    }
}

/// Where this user's own files are.
pub fn place() -> Result<Place, Failed> {
    team_place().ok_or_else(|| Failed::other("there is no home directory", "HOME must be an absolute path"))
}

/// The first line of a file, which is all that a token is.
pub fn token_in(file: &Path) -> Result<String, Failed> {
    let text = fs::read_to_string(file).map_err(|error| Failed::file(file, error))?;
    let token = text.trim();
    if token.is_empty() || token.contains(char::is_whitespace) {
        let problem = format!("{}: it holds no token", file.display());
        return Err(Failed::other(problem, "one token, and nothing else, stands in it"));
    }
    Ok(token.to_owned())
}

/// What a refusal means to whoever typed the command.
pub fn refused(refusal: Refusal) -> Failed {
    let help = match refusal.code.as_str() {
        "unauthorized" => {
            "the token is wrong, used, revoked or expired; `boathook team admin login` with a new one"
        }
        "forbidden" => "your role does not allow it; `boathook team admin settings show` says which it is",
        "missing" => "`list` shows what there is",
        "throttled" => "wait a little, then again",
        "unreachable" => "is `boathook serve` running, and is the address right?",
        "tls" => "`--ca FILE` for a server with an authority of its own",
        "conflict" => "somebody was faster; look, then again",
        "server_error" => "the server's log says why",
        _ => "",
    };
    match help {
        "" => Failed::Other { problem: refusal.message, help: None },
        help => Failed::other(refusal.message, help),
    }
}
