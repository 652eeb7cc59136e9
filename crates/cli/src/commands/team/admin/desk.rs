//! Where an admin stands: which server, with which token, and how answers are
//! printed.

use std::fs;
use std::path::{Path, PathBuf};

use boathook_engine::state::Durability;
use boathook_server::team::wire::Team;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use ureq::http::Method;

use super::super::login::{addressed, usable};
use super::table::Table;
use crate::error::Failed;
use crate::settings::{admin_token, team_place};
use crate::team::http::{Fetched, Kind};
use crate::team::{Place, Refusal, Server};
use crate::ui::Ui;

const FILE: &str = "admin.json";

/// Which server, and who asks.
#[derive(Debug, clap::Args)]
pub struct At {
    /// The server's address [default: that of `team admin login`]
    #[arg(long, global = true, help_heading = "Options of every admin command", value_name = "URL")]
    pub server: Option<String>,
    /// A file that holds an API token [default: BOATHOOK_ADMIN_TOKEN, else `team admin login`]
    #[arg(long, global = true, help_heading = "Options of every admin command", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Authorities to trust for the server's certificate, in PEM, instead of the system's
    #[arg(long, global = true, help_heading = "Options of every admin command", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true, help_heading = "Options of every admin command")]
    pub json: bool,
}

/// What `team admin login` keeps, for the user alone.
#[derive(Clone, Serialize, Deserialize)] // no `Debug`: it holds a token
pub struct Kept {
    pub server: String,
    pub token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The root that counted at the login: what admins sign is compared with
    /// what is verified from there on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<KnownRoot>,
}

/// A root that somebody saw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KnownRoot {
    pub version: u64,
    pub fingerprint: String,
}

impl KnownRoot {
    /// The one that the server gives out.
    pub fn of(team: &Team) -> KnownRoot {
        KnownRoot { version: team.root_version, fingerprint: team.root_fingerprint.clone() }
    }
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
    /// The root that a login kept.
    pub root: Option<KnownRoot>,
    /// The authorities that are trusted instead of the system's.
    pub ca: Option<PathBuf>,
    pub json: bool,
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
        let (kept_ca, root) = same.map(|kept| (kept.ca, kept.root)).unwrap_or_default();
        let ca = at.ca.clone().or(kept_ca);
        let desk = Desk::at(&place, &address, ca.as_deref(), &token, at.json)?;
        Ok(Desk { root, ..desk })
    }

    /// With this token.
    pub fn at(
        place: &Place,
        address: &str,
        ca: Option<&Path>,
        token: &str,
        json: bool,
    ) -> Result<Desk, Failed> {
        addressed(address)?;
        usable(token.to_owned())?;
        let server = Server::new(address, ca, Some(token), &place.environment).map_err(refused)?;
        Ok(Desk { server, address: address.to_owned(), root: None, ca: ca.map(Path::to_owned), json })
    }

    pub fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Failed> {
        self.call(Method::GET, path, None::<&()>)
    }

    pub fn post<A: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<A, Failed> {
        self.call(Method::POST, path, Some(body))
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

    /// A file, for who verifies it.
    pub fn fetch(&self, path: &str, kind: Kind, limit: u64, etag: Option<&str>) -> Result<Fetched, Refusal> {
        self.server.fetch(path, kind, limit, etag)
    }

    /// Says that something is gone.
    pub fn gone(&self, ui: &mut Ui, what: &str, id: impl Serialize, text: &str) -> Result<(), Failed> {
        self.show(ui, &serde_json::json!({ what: id }), |ui| ui.say(text))
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
        "forbidden" => {
            "it is the role of your token that does not allow it: `boathook team admin settings show` says which it has, and somebody who may can make another with `token new sign-in --member EMAIL --role ROLE`"
        }
        "missing" => "`list` shows what there is",
        "throttled" => "wait a little, then again",
        "unreachable" => "is `boathook serve` running, and is the address right?",
        // The message says what to write, and no authority would help.
        "tls" if refusal.message.contains("does not encrypt") => "",
        "tls" => "`--ca FILE` for a server with an authority of its own",
        "conflict" => "somebody was faster; look, then again",
        "server_error" => "the server's log says why",
        _ => "",
    };
    let problem = typed_names(&refusal.message);
    match help {
        "" => Failed::Other { problem, help: None },
        help => Failed::other(problem, help),
    }
}

/// The fields of the API, and what a person types for them.
const TYPED: [(&str, &str); 12] = [
    ("hook_step", "EVENT"),
    ("script_name", "--name"),
    ("script_content", "--script"),
    ("operating_systems", "--os"),
    ("matcher", "--matcher"),
    ("timeout", "--timeout"),
    ("loop_limit", "--loop-limit"),
    ("halt_percent", "--halt-percent"),
    ("halt_least", "--halt-least"),
    ("stale", "--stale-days"),
    ("days", "--days"),
    ("email", "EMAIL"),
];

/// A complaint about a field names the option it came from.
fn typed_names(message: &str) -> String {
    for (field, option) in TYPED {
        if let Some((before, after)) = message.split_once(&format!(": {field}: ")) {
            return format!("{before}: {option}: {after}");
        }
    }
    message.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_names_what_was_typed() {
        let cases = [
            ("http://h: script_name: \"a/b\" is a path", "http://h: --name: \"a/b\" is a path"),
            ("http://h: hook_step: there is no event", "http://h: EVENT: there is no event"),
            ("http://h: no field at all", "http://h: no field at all"),
        ];
        for (message, expected) in cases {
            assert_eq!(typed_names(message), expected);
        }
    }
}
