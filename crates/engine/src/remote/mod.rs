//! The daemon, as others see it: where its socket stands and what is said there.

#[cfg(unix)]
pub mod place;
#[cfg(unix)]
pub mod seat;
#[cfg(unix)]
pub mod stream;
pub mod verbs;
pub mod wire;

use std::path::{Path, PathBuf};

/// The folder of the state directory that holds the daemon's socket and lock.
pub const FOLDER: &str = "daemon";
/// The socket's name in it.
pub const SOCKET: &str = "socket";

/// The file whose lock says who is the daemon; it holds the daemon's number.
pub const LOCK: &str = "lock";

/// Where the daemon of a state directory listens.
pub fn socket(state: &Path) -> PathBuf {
    state.join(FOLDER).join(SOCKET)
}

/// Where a daemon answers an agent that asks over HTTP.
pub fn agent_url(port: u16, agent: &str) -> String {
    format!("http://127.0.0.1:{port}/agents/{agent}")
}

/// The port in an address of that form, for this agent.
pub fn port_of(url: &str, agent: &str) -> Option<u16> {
    let rest = url.strip_prefix("http://127.0.0.1:")?;
    let port = rest.strip_suffix(agent)?.strip_suffix("/agents/")?;
    port.parse().ok().filter(|number: &u16| number.to_string() == port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_an_agent_is_known_again() {
        assert_eq!(port_of(&agent_url(4711, "claude"), "claude"), Some(4711));
        for other in [
            "http://127.0.0.1:4711/agents/codex",
            "http://127.0.0.1:4711/agents/claude/x",
            "http://127.0.0.1:/agents/claude",
            "http://127.0.0.1:04711/agents/claude",
            "http://127.0.0.1:4711@evil.example/agents/claude",
            "https://127.0.0.1:4711/agents/claude",
            "http://localhost:4711/agents/claude",
        ] {
            assert_eq!(port_of(other, "claude"), None, "{other}");
        }
    }
}
