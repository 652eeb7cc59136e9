//! Where the daemon answers over HTTP: its port and its token. Both are chosen
//! once and kept, because agents have them in their settings.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use boathook_engine::remote::{FOLDER, agent_url};
use boathook_engine::state::{Durability, StateDir};
use serde::{Deserialize, Serialize};

use crate::error::Failed;

/// The file beside the daemon's socket.
const FILE: &str = "http.json";

/// A daemon that lives answers sooner.
const PATIENCE: Duration = Duration::from_secs(3);

/// The port, and the word that opens it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpAddress {
    pub port: u16,
    pub token: String,
}

impl HttpAddress {
    /// What was kept; none before anybody wanted it.
    pub fn read(state: &Path) -> Result<Option<HttpAddress>, Failed> {
        let (dir, file) = (StateDir::new(state), HttpAddress::file(state));
        let Some(bytes) = dir.read(FOLDER, FILE)? else { return Ok(None) };
        if let Some(mode) = open_to_others(&file) {
            let problem = format!(
                "{} can be read by others (mode {mode:04o}), so its token is no secret",
                file.display()
            );
            return Err(Failed::other(problem, ANEW));
        }
        let read = serde_json::from_slice(&bytes).ok().filter(HttpAddress::is_whole);
        let broken = || Failed::other(format!("{} holds no port and token", file.display()), ANEW);
        read.map(Some).ok_or_else(broken)
    }

    /// Keeps it for the user alone.
    pub fn keep(&self, state: &Path) -> Result<(), Failed> {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Ok(StateDir::new(state).write(FOLDER, FILE, &text, Durability::Synced)?)
    }

    /// Where it is kept.
    pub fn file(state: &Path) -> PathBuf {
        StateDir::new(state).file(FOLDER, FILE)
    }

    /// What an agent's settings name.
    pub fn url(&self, agent: &str) -> String {
        agent_url(self.port, agent)
    }

    /// The header that opens the door.
    pub fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Asks the daemon how it is; what is wrong when it does not say.
    pub fn ask(&self) -> Result<(), String> {
        let answer = self.exchange().map_err(|error| error.to_string())?;
        let first = answer.lines().next().unwrap_or_default();
        match first.split(' ').nth(1) {
            Some("200") => Ok(()),
            Some("401") => Err("its token is another one".to_owned()),
            _ => Err("something else answers there".to_owned()),
        }
    }

    /// Without a client of HTTP: no proxy, no redirect, nothing that waits.
    fn exchange(&self) -> io::Result<String> {
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let mut stream = TcpStream::connect_timeout(&here, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (bearer, port) = (self.authorization(), self.port);
        write!(
            stream,
            "GET /status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {bearer}\r\nConnection: close\r\n\r\n"
        )?;
        let mut answer = [0; 512];
        let length = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
    }

    fn is_whole(&self) -> bool {
        self.port != 0
            && self.token.len() >= 32
            && self.token.bytes().all(|byte| byte.is_ascii_alphanumeric())
    }
}

const ANEW: &str = "remove the file and start `boathook daemon --http` anew: it then has another token, and agents that are wired over HTTP must be wired again";

/// The token is in no message, whoever prints this.
impl fmt::Debug for HttpAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpAddress").field("port", &self.port).finish_non_exhaustive()
    }
}

/// The mode of a file that others may read or write.
#[cfg(unix)]
pub fn open_to_others(file: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.symlink_metadata().ok()?.permissions().mode() & 0o7777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
pub fn open_to_others(_: &Path) -> Option<u32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_kept_for_the_user_alone_and_never_printed() {
        let temp = tempfile::tempdir().expect("a directory");
        let state = temp.path().join("state");
        assert_eq!(HttpAddress::read(&state).expect("nothing"), None);
        let address = HttpAddress { port: 4711, token: "0123456789abcdef".repeat(4) };
        address.keep(&state).expect("it is kept");
        assert_eq!(HttpAddress::read(&state).expect("it is read"), Some(address.clone()));
        assert!(!format!("{address:?}").contains("0123"));
        assert_eq!(open_to_others(&HttpAddress::file(&state)), None);
        for broken in ["{}", "[]", "", "{\"port\":0,\"token\":\"0123456789abcdef0123456789abcdef\"}"] {
            StateDir::new(&state).write(FOLDER, FILE, broken.as_bytes(), Durability::Relaxed).expect(broken);
            assert!(HttpAddress::read(&state).is_err(), "{broken}");
        }
    }
}
